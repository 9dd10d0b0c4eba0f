/* SPDX-License-Identifier: MIT */
#include "wal/timer.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "wal/delay.h"

/* Written by who starts it, under the mutex; then the thread's alone until it moves `head`. */
struct timer {
	uint64_t due_ns, handle, spawn_id;
	struct waltrace_op op; /* begun by who starts the timer, used and ended by the thread */
};

struct cl_timers {
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* on CLOCK_MONOTONIC */
	pthread_t thread;
	bool stop;          /* mutex */
	size_t head, count; /* mutex */
	struct timer ring[CL_TIMERS_MAX];
};

int cl_timer_start(struct commitlog *log, uint64_t handle, struct cl_flush_rows *rows)
{
	struct cl_timers *timers = log->timers;
	uint64_t delay_ms = log->options.delay_ms;
	int result = 0;
	pthread_mutex_lock(&timers->mutex);
	if (timers->count == CL_TIMERS_MAX) {
		uint64_t ignored;
		cl_rows_timer_spawn(rows, NULL, delay_ms, -EAGAIN, &ignored);
		result = -EAGAIN;
	} else {
		struct timer *timer = &timers->ring[(timers->head + timers->count) % CL_TIMERS_MAX];
		timer->due_ns = log->os->monotonic_ns(log->os) + delay_ms * 1000000u;
		timer->handle = handle;
		waltrace_op_timer(&timer->op, &rows->op);
		cl_rows_timer_spawn(rows, &timer->op, delay_ms, 0, &timer->spawn_id);
		timers->count++;
	}
	pthread_mutex_unlock(&timers->mutex);
	if (!result) pthread_cond_signal(&timers->changed);
	return result;
}

static void run_timer(struct commitlog *log, struct timer *timer)
{
	struct waltrace_span root;
	waltrace_op_root(&timer->op, &root);
	waltrace_span_set(&root, WALTRACE_PARENT_ID, timer->spawn_id);
	waltrace_span_set(&root, WALTRACE_REQUESTED_DELAY_MS, log->options.delay_ms);
	waltrace_span_set(&root, WALTRACE_LOG_UID, timer->handle);
	waltrace_span_begin(&root);
	int result = cl_delayed_commit(log, timer->handle, &root);
	waltrace_span_result(&root, result);
	waltrace_span_end(&root);
	waltrace_op_end(&timer->op);
}

/* The timer to run next, NULL to end. Mutex held. */
static struct timer *wait_due(struct commitlog *log, struct cl_timers *timers)
{
	for (;;) {
		if (!timers->count) {
			if (timers->stop) return NULL;
			pthread_cond_wait(&timers->changed, &timers->mutex);
			continue;
		}
		struct timer *timer = &timers->ring[timers->head];
		if (timers->stop || log->os->monotonic_ns(log->os) >= timer->due_ns) return timer;
		struct timespec due = {(time_t)(timer->due_ns / 1000000000u), (long)(timer->due_ns % 1000000000u)};
		pthread_cond_timedwait(&timers->changed, &timers->mutex, &due);
	}
}

static void *run(void *argument)
{
	struct commitlog *log = argument;
	struct cl_timers *timers = log->timers;
	struct timer *timer;
	pthread_mutex_lock(&timers->mutex);
	while ((timer = wait_due(log, timers))) {
		pthread_mutex_unlock(&timers->mutex);
		run_timer(log, timer);
		pthread_mutex_lock(&timers->mutex);
		timers->head = (timers->head + 1) % CL_TIMERS_MAX;
		timers->count--;
	}
	pthread_mutex_unlock(&timers->mutex);
	return NULL;
}

static void free_timers(struct commitlog *log)
{
	pthread_cond_destroy(&log->timers->changed);
	pthread_mutex_destroy(&log->timers->mutex);
	free(log->timers);
	log->timers = NULL;
}

int cl_timers_start(struct commitlog *log)
{
	struct cl_timers *timers = calloc(1, sizeof *timers);
	if (!timers) return -ENOMEM;
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&timers->mutex, NULL);
	pthread_cond_init(&timers->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	log->timers = timers;
	int result = cl_thread_start(&timers->thread, run, log);
	if (result) free_timers(log);
	return result;
}

void cl_timers_stop(struct commitlog *log)
{
	struct cl_timers *timers = log->timers;
	if (!timers) return;
	pthread_mutex_lock(&timers->mutex);
	timers->stop = true;
	pthread_mutex_unlock(&timers->mutex);
	pthread_cond_signal(&timers->changed);
	pthread_join(timers->thread, NULL);
	free_timers(log);
}
