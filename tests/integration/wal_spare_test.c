/* SPDX-License-Identifier: MIT */
/* The file that is prepared in the background: whatever the disk's pace, records go to a file that has a name. */
#include "cm.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"
#include "wal/log.h"

enum { SLICE = 1 << 20, PAYLOAD = 64 << 10, WAIT_ROUNDS = 2000 };

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

/* A disk that writes the background thread's slices of zeros only as many at a time as the test allows. */
struct slow_os {
	struct wt_os os;
	pthread_t committer;
	_Atomic long allowed, begun, done;
};

static ssize_t write_slowly(const struct wt_os *os, int fd, const void *bytes, size_t n, uint64_t offset)
{
	struct slow_os *slow = (struct slow_os *)(uintptr_t)os;
	bool background = !pthread_equal(pthread_self(), slow->committer) && n == SLICE;
	if (background) {
		slow->begun++;
		while (slow->allowed < slow->begun) usleep(200);
	}
	ssize_t put = wt_os_posix.pwrite(os, fd, bytes, n, offset);
	if (background) slow->done++;
	return put;
}

static struct commitlog *open_slow(struct slow_os *slow)
{
	struct commitlog_options options;
	struct commitlog *log;
	struct wt_err err = {0};
	*slow = (struct slow_os){.os = wt_os_posix, .committer = pthread_self()};
	slow->os.pwrite = write_slowly;
	commitlog_options_init(&options);
	options.checkpoint_limit_bytes = 2 << 20;
	options.prefill_bytes = 1 << 20;
	options.trace = COMMITLOG_TRACE_OFF;
	if (cl_open(&slow->os, directory, &options, &err, &log)) fail_msg("%s", err.text);
	return log;
}

static uint64_t commit(struct commitlog *log, unsigned count)
{
	static char payload[PAYLOAD];
	uint64_t handle = 0;
	memset(payload, 'x', sizeof payload);
	for (unsigned i = 0; i < count; i++) {
		struct commitlog_cid cid = {.low = commitlog_append_total(log) + 1};
		assert_int_equal(commitlog_append(log, cid, payload, sizeof payload, &handle), 0);
		assert_int_equal(commitlog_flush(log, handle), 0);
	}
	return handle;
}

static void wait_until(const _Atomic long *counter, long value)
{
	for (int i = 0; *counter < value; i++) {
		if (i == WAIT_ROUNDS) fail_msg("%ld of %ld", *counter, value);
		usleep(1000);
	}
}

/* The background thread has nothing more to sync. */
static void wait_for_quiet(struct commitlog *log)
{
	struct commitlog_stats before, after;
	do {
		commitlog_stats(log, &before);
		usleep(100000);
		commitlog_stats(log, &after);
	} while (before.other_syncs != after.other_syncs);
}

static int count_in_order(void *context, const struct commitlog_entry *entry)
{
	uint64_t *last = context;
	assert_int_equal(entry->cid.low, ++*last);
	return 0;
}

static void file_that_fills_while_a_spare_is_made_keeps_its_records(void **state)
{
	(void)state;
	struct slow_os slow;
	struct commitlog *log = open_slow(&slow);
	uint64_t found = 0;
	commit(log, 20); /* over half of file 1: a spare is asked for, and waits for the disk */
	wait_until(&slow.begun, 1);
	assert_int_equal(commitlog_checkpoint(log, NULL), 0); /* so file 2 is made without it */
	commit(log, 20);                                      /* and asks, too, while the first is being made */
	slow.allowed = 2;
	wait_until(&slow.done, 2);
	wait_for_quiet(log);
	assert_true(scratch_has(directory, "commitlog.spare"));
	assert_int_equal(commitlog_checkpoint(log, NULL), 0); /* file 3 is the spare */
	assert_false(scratch_has(directory, "commitlog.spare"));
	uint64_t last = commit(log, 5);
	slow.allowed = 1000;
	assert_int_equal(commitlog_close(log), 0);
	assert_int_equal(commitlog_scan(directory, COMMITLOG_SCAN_ALL, count_in_order, &found, NULL, NULL), 0);
	assert_int_equal(found, last);
}

static void close_does_not_wait_for_a_spare_to_be_filled(void **state)
{
	(void)state;
	struct slow_os slow;
	struct commitlog *log = open_slow(&slow);
	slow.allowed = 1;
	commit(log, 20);
	wait_until(&slow.done, 1);
	slow.allowed = 2; /* one slice may be under way; the rest is left */
	assert_int_equal(commitlog_close(log), 0);
	assert_true(slow.begun <= 2);
	assert_false(scratch_has(directory, "commitlog.spare"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(file_that_fills_while_a_spare_is_made_keeps_its_records, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(close_does_not_wait_for_a_spare_to_be_filled, set_up, tear_down),
	};
	return cmocka_run_group_tests_name("wal spare", tests, NULL, NULL);
}
