/* SPDX-License-Identifier: MIT */
/* A small WAL with group commit, recorded: each round a leader syncs a batch of two, and a waiter is acknowledged with it. In
 * one round the waiter is acknowledged too early: before the sync ends.
 *
 *   early ROUNDS WRONG   WRONG: the round in which it is wrong, 0: none. Prints the trace's path and that flush's id. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "waltrace.h"

static struct waltrace_logger *logger;

static void pass_us(long us)
{
	const struct timespec t = {0, us * 1000};
	nanosleep(&t, NULL);
}

struct commit {
	struct waltrace_op op;
	struct waltrace_span root;
};

static void begin(struct commit *c, uint64_t uid)
{
	waltrace_op_begin(&c->op, logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace_op_root(&c->op, &c->root);
	waltrace_span_begin(&c->root);
	waltrace_span_set(&c->root, WALTRACE_LOG_UID, uid);
}

static void acknowledge(struct commit *c)
{
	waltrace_span_finish(&c->root, WALTRACE_W_SUCCESS);
	waltrace_span_end(&c->root);
	waltrace_op_end(&c->op);
}

static uint64_t round_of(uint64_t number, bool wrong)
{
	struct commit leader, waiter;
	struct waltrace_span lock, sync;
	begin(&leader, 2 * number - 1);
	begin(&waiter, 2 * number);
	uint64_t id = waltrace_span_id(&waiter.root);
	waltrace_span_open(&lock, &leader.op, WALTRACE_KIND_COMMIT_LOCK, waltrace_span_id(&leader.root),
	                   WALTRACE_W_REQUEST);
	waltrace_span_wait_commit(&lock);
	waltrace_span_acquired(&lock, true);
	waltrace_span_set(&lock, WALTRACE_COMMITTED_AT_ACQUIRE, 2 * number - 2);
	waltrace_span_open(&sync, &leader.op, WALTRACE_KIND_SYNC_CALL, waltrace_span_id(&lock), WALTRACE_W_REQUEST);
	waltrace_span_begin(&sync);
	waltrace_span_set(&sync, WALTRACE_BATCH_MAX_LOG_UID, 2 * number);
	pass_us(100);
	if (wrong) acknowledge(&waiter);
	pass_us(100);
	waltrace_span_finish(&sync, WALTRACE_W_SUCCESS);
	waltrace_span_end(&sync);
	waltrace_span_releasing(&lock);
	waltrace_span_word(&lock, WALTRACE_OUTCOME, WALTRACE_W_OWNER_SUCCESS);
	waltrace_span_end(&lock);
	acknowledge(&leader);
	if (!wrong) acknowledge(&waiter);
	return id;
}

int main(int argc, char **argv)
{
	struct waltrace_report report;
	const struct waltrace_logger_config config = {.wal_directory = "."};
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 10,
		 wrong = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, id = 0;
	logger = waltrace_logger_register(&config);
	if (!logger || !waltrace_path()) return 1;
	puts(waltrace_path());
	for (uint64_t i = 1; i <= rounds; i++) {
		uint64_t waiter = round_of(i, i == wrong);
		if (i == wrong) id = waiter;
	}
	printf("%llu\n", (unsigned long long)id);
	return waltrace_shutdown(10000, &report) ? 1 : 0;
}
