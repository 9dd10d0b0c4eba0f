/* SPDX-License-Identifier: MIT */
/* Flush without a blocked thread: each request is called back once, with what became of its record. */
#include "cm.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fault_os.h"
#include "scratch.h"
#include "wal/log.h"

enum { REQUESTS = 500, COMMITTERS = 4 };

static char scratch[SCRATCH_PATH_BYTES], directory[SCRATCH_PATH_BYTES];

static int set_up(void **state)
{
	(void)state;
	scratch_make(scratch);
	scratch_join(directory, scratch, "log");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_remove(scratch);
	return 0;
}

static struct commitlog *open_on(const struct wt_os *os, uint64_t delay_ms)
{
	struct commitlog_options options;
	struct commitlog *log;
	struct wt_err err = {0};
	commitlog_options_init(&options);
	options.delay_ms = delay_ms;
	options.prefill_bytes = 64 << 10;
	options.trace = COMMITLOG_TRACE_OFF;
	if (cl_open(os, directory, &options, &err, &log)) fail_msg("%s", err.text);
	return log;
}

static uint64_t append(struct commitlog *log, uint64_t n)
{
	struct commitlog_cid cid = {.high = 3, .low = n};
	uint64_t handle;
	assert_int_equal(commitlog_append(log, cid, "sixteen bytes...", 16, &handle), 0);
	return handle;
}

static struct commitlog_stats stats_of(struct commitlog *log)
{
	struct commitlog_stats stats;
	commitlog_stats(log, &stats);
	return stats;
}

/* What the callbacks saw. Only the completion thread writes; `count` is released last. */
struct told {
	struct commitlog *log;
	uint64_t handles[REQUESTS * COMMITTERS + 8];
	int results[REQUESTS * COMMITTERS + 8];
	bool early; /* called before its record was durable */
	pthread_t thread;
	_Atomic size_t count;
	_Atomic bool hold; /* keeps a callback from returning */
	int asked_inside;
};

static void note(void *context, uint64_t handle, int result)
{
	struct told *told = context;
	size_t n = told->count;
	told->handles[n] = handle;
	told->results[n] = result;
	told->early |= !result && stats_of(told->log).durable < handle;
	told->thread = pthread_self();
	told->count = n + 1;
	while (told->hold) usleep(100);
}

static void wait_for(struct told *told, size_t count)
{
	for (int i = 0; told->count < count; i++) {
		if (i > 200000) fail_msg("%zu of %zu callbacks", told->count, count);
		usleep(100);
	}
}

static void each_request_is_called_back_once_and_in_order(void **state)
{
	(void)state;
	for (uint64_t delay_ms = 0; delay_ms <= 1; delay_ms++) {
		struct told told = {.log = open_on(&wt_os_posix, delay_ms)};
		for (uint64_t n = 1; n <= REQUESTS; n++)
			assert_int_equal(commitlog_flush_async(told.log, append(told.log, n), note, &told), 0);
		wait_for(&told, REQUESTS);
		uint64_t before = stats_of(told.log).appended - REQUESTS;
		for (size_t i = 0; i < REQUESTS; i++) {
			assert_int_equal(told.handles[i], before + i + 1);
			assert_int_equal(told.results[i], 0);
		}
		assert_false(told.early);
		assert_false(pthread_equal(told.thread, pthread_self()));
		assert_int_equal(commitlog_close(told.log), 0);
		assert_int_equal(told.count, REQUESTS);
	}
}

static void requests_made_together_share_a_sync(void **state)
{
	(void)state;
	struct told told = {.log = open_on(&wt_os_posix, 0), .hold = true};
	assert_int_equal(commitlog_flush_async(told.log, 0, note, &told), 0);
	wait_for(&told, 1); /* the thread is held in a callback now */
	for (uint64_t n = 1; n <= 50; n++)
		assert_int_equal(commitlog_flush_async(told.log, append(told.log, n), note, &told), 0);
	assert_int_equal(stats_of(told.log).commit_syncs, 0);
	told.hold = false;
	wait_for(&told, 51);
	assert_int_equal(stats_of(told.log).commit_syncs, 1);
	assert_int_equal(commitlog_close(told.log), 0);
}

static void handle_that_is_durable_or_none_succeeds(void **state)
{
	(void)state;
	struct told told = {.log = open_on(&wt_os_posix, 0)};
	uint64_t handle = append(told.log, 1);
	assert_int_equal(commitlog_flush(told.log, handle), 0);
	assert_int_equal(commitlog_flush_async(told.log, handle, note, &told), 0);
	assert_int_equal(commitlog_flush_async(told.log, 0, note, &told), 0);
	assert_int_equal(commitlog_flush_async(told.log, handle + 1, note, &told), -EINVAL);
	wait_for(&told, 2);
	assert_int_equal(told.results[0], 0);
	assert_int_equal(told.handles[1], 0);
	assert_int_equal(told.results[1], 0);
	assert_int_equal(commitlog_close(told.log), 0);
	assert_int_equal(told.count, 2);
}

static void close_completes_what_is_outstanding(void **state)
{
	(void)state;
	for (uint64_t delay_ms = 0; delay_ms <= 10; delay_ms += 10) {
		struct told told = {.log = open_on(&wt_os_posix, delay_ms)};
		for (uint64_t n = 1; n <= 20; n++)
			assert_int_equal(commitlog_flush_async(told.log, append(told.log, n), note, &told), 0);
		assert_int_equal(commitlog_close(told.log), 0);
		assert_int_equal(told.count, 20);
		for (size_t i = 0; i < 20; i++) assert_int_equal(told.results[i], 0);
	}
}

static void failure_reaches_each_callback_of_the_batch(void **state)
{
	(void)state;
	struct fault_os fault;
	fault_os_init(&fault, FAULT_SYNC, -EIO, 0);
	struct told told = {.log = open_on(&fault.os, 0)};
	assert_int_equal(commitlog_flush_async(told.log, append(told.log, 1), note, &told), 0);
	wait_for(&told, 1);
	told.hold = true;
	assert_int_equal(commitlog_flush_async(told.log, 0, note, &told), 0);
	wait_for(&told, 2);
	atomic_store(&fault.countdown, 1);
	for (uint64_t n = 2; n <= 10; n++)
		assert_int_equal(commitlog_flush_async(told.log, append(told.log, n), note, &told), 0);
	assert_int_equal(commitlog_flush_async(told.log, 1, note, &told), 0);
	told.hold = false;
	wait_for(&told, 12);
	assert_int_equal(fault.fired, 1);
	assert_int_equal(told.results[0], 0);
	for (size_t i = 2; i < 11; i++) assert_int_equal(told.results[i], -EIO);
	assert_int_equal(told.results[11], 0); /* it was durable before */
	assert_int_equal(commitlog_flush_async(told.log, 10, note, &told), 0);
	wait_for(&told, 13);
	assert_int_equal(told.results[12], -EIO); /* and stays so */
	assert_int_equal(commitlog_close(told.log), -EIO);
}

static void commit_next(void *context, uint64_t handle, int result)
{
	struct told *told = context;
	note(told, handle, result);
	if (told->count < 20) {
		told->asked_inside =
			commitlog_flush_async(told->log, append(told->log, told->count), commit_next, told);
		commitlog_confirm(told->log, (struct commitlog_cid){.high = 3, .low = told->count});
	}
}

static void callback_may_append_and_ask_again(void **state)
{
	(void)state;
	struct told told = {.log = open_on(&wt_os_posix, 0)};
	assert_int_equal(commitlog_flush_async(told.log, append(told.log, 1), commit_next, &told), 0);
	wait_for(&told, 20);
	assert_int_equal(told.asked_inside, 0);
	for (size_t i = 0; i < 20; i++) assert_int_equal(told.results[i], 0);
	assert_int_equal(commitlog_close(told.log), 0);
}

static void *close_it(void *argument)
{
	assert_int_equal(commitlog_close(argument), 0);
	return NULL;
}

static void ask_while_closing(void *context, uint64_t handle, int result)
{
	struct told *told = context;
	note(told, handle, result);
	do {
		told->asked_inside = commitlog_flush_async(told->log, 0, note, told);
		usleep(100);
	} while (!told->asked_inside);
}

static void request_while_closing_is_refused(void **state)
{
	(void)state;
	struct told told = {.log = open_on(&wt_os_posix, 0)};
	pthread_t closer;
	assert_int_equal(commitlog_flush_async(told.log, append(told.log, 1), ask_while_closing, &told), 0);
	wait_for(&told, 1);
	assert_int_equal(pthread_create(&closer, NULL, close_it, told.log), 0);
	pthread_join(closer, NULL);
	assert_int_equal(told.asked_inside, -ECANCELED);
	assert_true(told.count >= 1);
}

static void count_only(void *context, uint64_t handle, int result)
{
	(void)handle;
	*(size_t *)context += !result;
}

static void outstanding_requests_are_limited(void **state)
{
	(void)state;
	struct told told = {.log = open_on(&wt_os_posix, 0), .hold = true};
	size_t counted = 0;
	assert_int_equal(commitlog_flush_async(told.log, 0, note, &told), 0);
	wait_for(&told, 1);
	for (size_t n = 1; n < COMMITLOG_MAX_ASYNC; n++)
		if (commitlog_flush_async(told.log, 0, count_only, &counted)) fail_msg("refused after %zu", n);
	assert_int_equal(commitlog_flush_async(told.log, 0, count_only, &counted), -EAGAIN);
	told.hold = false;
	assert_int_equal(commitlog_close(told.log), 0);
	assert_int_equal(counted, COMMITLOG_MAX_ASYNC - 1);
}

static void *ask_many(void *argument)
{
	struct told *told = argument;
	for (uint64_t n = 1; n <= REQUESTS; n++)
		assert_int_equal(commitlog_flush_async(told->log, append(told->log, n), note, told), 0);
	return NULL;
}

static void *flush_many(void *argument)
{
	struct told *told = argument;
	for (uint64_t n = 1; n <= REQUESTS / 5; n++)
		assert_int_equal(commitlog_flush(told->log, append(told->log, n)), 0);
	return NULL;
}

static void many_ask_while_others_flush(void **state)
{
	(void)state;
	for (uint64_t delay_ms = 0; delay_ms <= 1; delay_ms++) {
		struct told *told = calloc(1, sizeof *told);
		pthread_t threads[COMMITTERS + 1];
		told->log = open_on(&wt_os_posix, delay_ms);
		for (int i = 0; i < COMMITTERS; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, ask_many, told), 0);
		assert_int_equal(pthread_create(&threads[COMMITTERS], NULL, flush_many, told), 0);
		for (int i = 0; i <= COMMITTERS; i++) pthread_join(threads[i], NULL);
		assert_int_equal(commitlog_close(told->log), 0);
		assert_int_equal(told->count, REQUESTS * COMMITTERS);
		for (size_t i = 0; i < told->count; i++) assert_int_equal(told->results[i], 0);
		free(told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_request_is_called_back_once_and_in_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(requests_made_together_share_a_sync, set_up, tear_down),
		cmocka_unit_test_setup_teardown(handle_that_is_durable_or_none_succeeds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(close_completes_what_is_outstanding, set_up, tear_down),
		cmocka_unit_test_setup_teardown(failure_reaches_each_callback_of_the_batch, set_up, tear_down),
		cmocka_unit_test_setup_teardown(callback_may_append_and_ask_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(request_while_closing_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(outstanding_requests_are_limited, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_ask_while_others_flush, set_up, tear_down),
	};
	return cmocka_run_group_tests_name("wal async", tests, NULL, NULL);
}
