/* SPDX-License-Identifier: MIT */
/* The same steps with a fault at the first, second, third … call until none fires. After each: nothing that was
 * acknowledged is missing, nothing that failed counts as durable, and the log opens again. */
#include "cm.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "fault_os.h"
#include "scratch.h"
#include "wal/log.h"

enum { RECORDS = 12, COMMITTERS = 4, FAULTS_MAX = 2000 };

static char scratch[SCRATCH_PATH_BYTES], directory[SCRATCH_PATH_BYTES];

static int set_up(void **state)
{
	(void)state;
	scratch_make(scratch);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_remove(scratch);
	return 0;
}

static struct commitlog_options options_of(uint64_t delay_ms)
{
	struct commitlog_options options;
	commitlog_options_init(&options);
	options.delay_ms = delay_ms;
	options.checkpoint_limit_bytes = 2 << 20;
	options.prefill_bytes = 64 << 10;
	options.trace = COMMITLOG_TRACE_OFF;
	return options;
}

/* What a run acknowledged, by the low half of the commit id. */
struct outcome {
	bool appended[RECORDS * COMMITTERS + 1], acknowledged[RECORDS * COMMITTERS + 1],
		found[RECORDS * COMMITTERS + 1];
};

static int see(void *context, const struct commitlog_entry *entry)
{
	struct outcome *out = context;
	assert_true(entry->cid.low <= RECORDS * COMMITTERS);
	assert_true(out->appended[entry->cid.low]);
	out->found[entry->cid.low] = true;
	return 0;
}

/* Reopens without faults, as recovery would, and compares. */
static void check(struct outcome *out, long countdown)
{
	struct commitlog_options options = options_of(0);
	struct commitlog_error error;
	struct commitlog *log;
	if (commitlog_open(directory, &options, &error, &log)) fail_msg("fault %ld: %s", countdown, error.message);
	assert_int_equal(commitlog_close(log), 0);
	if (commitlog_scan(directory, COMMITLOG_SCAN_ALL, see, out, NULL, &error)) fail_msg("%s", error.message);
	for (unsigned n = 1; n <= RECORDS * COMMITTERS; n++)
		if (out->acknowledged[n] && !out->found[n]) fail_msg("fault %ld: commit %u is lost", countdown, n);
}

/* Once a flush or append has failed with the log, nothing is acknowledged any more. */
static void commit_one(struct commitlog *log, unsigned n, struct outcome *out, bool *failed)
{
	struct commitlog_cid cid = {.high = 1, .low = n};
	char payload[100];
	uint64_t handle;
	memset(payload, (int)n, sizeof payload);
	int result = commitlog_append(log, cid, payload, sizeof payload, &handle);
	if (!result) {
		out->appended[n] = true;
		result = commitlog_flush(log, handle);
	}
	if (*failed) assert_true(result < 0);
	if (result) *failed = true;
	else out->acknowledged[n] = true;
	commitlog_confirm(log, cid);
}

static void run_alone(const struct wt_os *os, uint64_t delay_ms, struct outcome *out)
{
	struct commitlog_options options = options_of(delay_ms);
	struct commitlog *log;
	struct wt_err err = {0};
	bool failed = false;
	int opened = cl_open(os, directory, &options, &err, &log);
	if (opened) {
		assert_true(err.text[0]);
		assert_null(log);
		return;
	}
	for (unsigned n = 1; n <= RECORDS; n++) {
		commit_one(log, n, out, &failed);
		if (n % 4 == 0 && commitlog_checkpoint(log, NULL)) assert_true(commitlog_checkpoint(log, NULL) <= 0);
	}
	struct commitlog_stats stats;
	commitlog_stats(log, &stats);
	if (failed) assert_true(stats.failed < 0);
	if (stats.failed) commit_one(log, RECORDS + 3, out, &failed);
	assert_int_equal(failed, stats.failed != 0);
	int closed = commitlog_close(log);
	if (failed) assert_true(closed < 0);
}

/* What a crash left: two commits and a torn tail, so that recovery has something to do. */
static void seed(struct outcome *out)
{
	struct commitlog_options options = options_of(0);
	struct commitlog *log;
	struct wt_err err;
	bool failed = false;
	assert_int_equal(cl_open(&wt_os_posix, directory, &options, &err, &log), 0);
	commit_one(log, RECORDS + 1, out, &failed);
	commit_one(log, RECORDS + 2, out, &failed);
	assert_int_equal(commitlog_close(log), 0);
	assert_false(failed);
	scratch_append(directory, "000000001", "\1\20\0torn", 7);
}

static void every_fault(enum fault_kind kind, int code, uint64_t delay_ms, bool lasting)
{
	for (long countdown = 1;; countdown++) {
		struct fault_os fault;
		struct outcome out = {0};
		char name[32];
		assert_true(countdown < FAULTS_MAX);
		snprintf(name, sizeof name, "%ld", countdown);
		scratch_join(directory, scratch, name);
		fault_os_init(&fault, kind, code, countdown);
		atomic_store(&fault.lasting, lasting);
		seed(&out);
		run_alone(&fault.os, delay_ms, &out);
		check(&out, countdown);
		scratch_remove(directory);
		if (!atomic_load(&fault.fired)) {
			assert_true(countdown > RECORDS);
			return;
		}
		bool harmless = kind == FAULT_SHORT || kind == FAULT_INTERRUPT;
		for (unsigned n = 1; harmless && n <= RECORDS; n++) assert_true(out.acknowledged[n]);
	}
}

static void io_error_once(void **state)
{
	(void)state;
	every_fault(FAULT_ERROR, -EIO, 0, false);
}

static void io_error_from_then_on(void **state)
{
	(void)state;
	every_fault(FAULT_ERROR, -EIO, 0, true);
}

static void no_space_once(void **state)
{
	(void)state;
	every_fault(FAULT_ERROR, -ENOSPC, 0, false);
}

static void no_space_from_then_on(void **state)
{
	(void)state;
	every_fault(FAULT_ERROR, -ENOSPC, 0, true);
}

static void failed_sync_is_never_tried_again(void **state)
{
	(void)state;
	every_fault(FAULT_SYNC, -EIO, 0, false);
}

static void failed_sync_with_a_timer(void **state)
{
	(void)state;
	every_fault(FAULT_SYNC, -EIO, 1, false);
}

static void short_writes_are_continued(void **state)
{
	(void)state;
	every_fault(FAULT_SHORT, 0, 0, false);
}

static void interrupted_calls_are_repeated(void **state)
{
	(void)state;
	every_fault(FAULT_INTERRUPT, 0, 0, false);
}

/* ---- A failing batch with many in it ------------------------------------------------------------------------ */

struct committer {
	pthread_t thread;
	struct commitlog *log;
	unsigned first;
	struct outcome *out;
	bool failed;
};

static void *commit_some(void *argument)
{
	struct committer *c = argument;
	for (unsigned n = c->first; n < c->first + RECORDS; n++) commit_one(c->log, n, c->out, &c->failed);
	return NULL;
}

static void run_together(const struct wt_os *os, struct fault_os *fault, uint64_t delay_ms, struct outcome *out)
{
	struct commitlog_options options = options_of(delay_ms);
	struct commitlog *log;
	struct wt_err err;
	struct committer committers[COMMITTERS] = {0};
	assert_int_equal(cl_open(os, directory, &options, &err, &log), 0);
	for (unsigned i = 0; i < COMMITTERS; i++) {
		committers[i] = (struct committer){.log = log, .first = 1 + i * RECORDS, .out = out};
		assert_int_equal(pthread_create(&committers[i].thread, NULL, commit_some, &committers[i]), 0);
	}
	for (unsigned i = 0; i < COMMITTERS; i++) pthread_join(committers[i].thread, NULL);
	for (unsigned i = 0; i < COMMITTERS; i++)
		if (atomic_load(&fault->fired))
			assert_true(committers[i].failed || out->acknowledged[committers[i].first + RECORDS - 1]);
	commitlog_close(log);
}

static void failing_batch_reaches_each_of_its_flushes(uint64_t delay_ms)
{
	for (long countdown = 4; countdown < 24; countdown++) {
		struct fault_os fault;
		struct outcome out = {0};
		scratch_join(directory, scratch, "together");
		fault_os_init(&fault, FAULT_SYNC, -EIO, countdown);
		run_together(&fault.os, &fault, delay_ms, &out);
		check(&out, countdown);
		scratch_remove(directory);
	}
}

static void failing_batch_of_a_leader(void **state)
{
	(void)state;
	failing_batch_reaches_each_of_its_flushes(0);
}

static void failing_batch_of_a_timer(void **state)
{
	(void)state;
	failing_batch_reaches_each_of_its_flushes(1);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(io_error_once),
		IN_DIRECTORY(io_error_from_then_on),
		IN_DIRECTORY(no_space_once),
		IN_DIRECTORY(no_space_from_then_on),
		IN_DIRECTORY(failed_sync_is_never_tried_again),
		IN_DIRECTORY(failed_sync_with_a_timer),
		IN_DIRECTORY(short_writes_are_continued),
		IN_DIRECTORY(interrupted_calls_are_repeated),
		IN_DIRECTORY(failing_batch_of_a_leader),
		IN_DIRECTORY(failing_batch_of_a_timer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
