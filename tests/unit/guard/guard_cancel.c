/* SPDX-License-Identifier: MIT */
/* C scope guards: what a cancelled thread leaves open ends as "unwind", what it ended itself stays as it is, and the
 * operation gives its slot back (else the session would not end). Built with -fexceptions. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace_outcome.h"

enum { UID_ROOT = 1, UID_OPEN, UID_GIVEN, UID_ENDED, UID_UNOPENED, UID_RETURNED, UID_LEFT };

static struct waltrace_logger *logger;
static sem_t is_inside;

static void wait_to_be_cancelled(void)
{
	sem_post(&is_inside);
	/* Not in a blocking call: a thread that is cancelled inside one is unwound out of ThreadSanitizer's own frames,
	 * which then takes what follows for unordered. */
	for (;;) {
		pthread_testcancel();
		sched_yield();
	}
}

static void *flush_that_is_cancelled(void *unused)
{
	WALTRACE_GUARDED_OP(op);
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_FLUSH);
	WALTRACE_GUARDED_SPAN(root);
	waltrace_op_root(&op, &root);
	waltrace_span_set(&root, WALTRACE_LOG_UID, UID_ROOT);
	waltrace_span_begin(&root);

	WALTRACE_GUARDED_SPAN(ended);
	waltrace_span_child(&ended, &root, WALTRACE_KIND_MAINTENANCE, WALTRACE_W_NONE, WALTRACE_FIELDS);
	waltrace_span_set(&ended, WALTRACE_LOG_UID, UID_ENDED);
	waltrace_span_end(&ended);

	WALTRACE_GUARDED_SPAN(given);
	waltrace_span_child(&given, &root, WALTRACE_KIND_SYNC_CALL, WALTRACE_W_REQUEST, WALTRACE_FIELDS);
	waltrace_span_set(&given, WALTRACE_LOG_UID, UID_GIVEN);
	waltrace_span_finish(&given, WALTRACE_W_SUCCESS);

	WALTRACE_GUARDED_SPAN(unfinished);
	waltrace_span_child(&unfinished, &given, WALTRACE_KIND_SYNC_CALL, WALTRACE_W_REQUEST, WALTRACE_FIELDS);
	waltrace_span_set(&unfinished, WALTRACE_LOG_UID, UID_OPEN);
	wait_to_be_cancelled();
	return unused;
}

static void *operation_that_is_cancelled(void *unused)
{
	WALTRACE_GUARDED_OP(op);
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_APPEND);
	waltrace_op_set(&op, WALTRACE_LOG_UID, UID_UNOPENED);
	wait_to_be_cancelled();
	return unused;
}

static void cancel(void *(*function)(void *))
{
	pthread_t thread;
	void *result;
	if (pthread_create(&thread, NULL, function, NULL)) exit(99);
	sem_wait(&is_inside);
	if (pthread_cancel(thread) || pthread_join(thread, &result) || result != PTHREAD_CANCELED) exit(99);
}

/* The normal path ends what it opened; a return in between leaves it to the guard. */
static void flush_that_returns(bool early, uint64_t uid)
{
	WALTRACE_GUARDED_OP(op);
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_FLUSH);
	WALTRACE_GUARDED_SPAN(root);
	waltrace_op_root(&op, &root);
	waltrace_span_set(&root, WALTRACE_LOG_UID, uid);
	if (early) return;
	waltrace_span_finish(&root, WALTRACE_W_SUCCESS);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
}

int main(void)
{
	sem_init(&is_inside, 0, 0);
	logger = trace_begin();
	cancel(flush_that_is_cancelled);
	cancel(operation_that_is_cancelled);
	flush_that_returns(false, UID_RETURNED);
	flush_that_returns(true, UID_LEFT);
	trace_end();
	trace_expect(UID_OPEN, "unwind", "a span that was open when its thread was cancelled");
	trace_expect(UID_GIVEN, "success", "a span that had its outcome when its thread was cancelled");
	trace_expect(UID_ENDED, "cancelled",
	             "a span that was ended, without an outcome, before its thread was cancelled");
	trace_expect(UID_ROOT, "unwind", "the primary span of a cancelled thread's operation");
	trace_expect(UID_UNOPENED, "unwind", "the unopened primary of a cancelled thread's operation");
	trace_expect(UID_RETURNED, "success", "a span ended on the normal path");
	trace_expect(UID_LEFT, "unwind", "a span left open by a return");
	trace_remove();
	return trace_failures != 0;
}
