/* SPDX-License-Identifier: MIT */
/* Who waits for which batch: timers that come too late, confirms that come too early, and a close that finds waiters. */
#include "cm.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format_check.h"
#include "scratch.h"
#include "wal/log.h"
#include "wal/rotate.h"

enum { DELAY_MS = 10, BLOCK_LIMIT = 8 << 10, LIMIT = 2 << 20, WAITERS = 9, WAIT_ROUNDS = 20000 };

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

static struct commitlog_cid id(uint64_t n) { return (struct commitlog_cid){.high = 4, .low = n}; }

static struct commitlog *open_on(const struct wt_os *os, uint64_t delay_ms)
{
	struct commitlog_options options;
	struct commitlog *log;
	struct wt_err err = {0};
	commitlog_options_init(&options);
	options.delay_ms = delay_ms;
	options.block_limit_bytes = BLOCK_LIMIT;
	options.checkpoint_limit_bytes = LIMIT;
	options.prefill_bytes = 0; /* the file's size tells what was written */
	options.trace = COMMITLOG_TRACE_OFF;
	if (cl_open(os, directory, &options, &err, &log)) fail_msg("%s", err.text);
	return log;
}

static uint64_t append(struct commitlog *log, uint64_t n, size_t bytes)
{
	uint64_t handle;
	char *payload = calloc(1, bytes);
	assert_int_equal(commitlog_append(log, id(n), payload, bytes, &handle), 0);
	free(payload);
	return handle;
}

static uint64_t durable(struct commitlog *log)
{
	struct commitlog_stats stats;
	commitlog_stats(log, &stats);
	return stats.durable;
}

static uint64_t file_bytes(void)
{
	char path[SCRATCH_PATH_BYTES];
	struct stat st;
	scratch_join(path, directory, "000000001");
	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

static size_t records_in(const char *name)
{
	struct format_log log = {.files = NULL};
	if (!format_read_file(&log, directory, name)) fail_msg("%s", log.reason);
	size_t count = log.entry_count;
	format_free(&log);
	return count;
}

/* ---- Timers ------------------------------------------------------------------------------------------------- */

struct waiter {
	pthread_t thread;
	struct commitlog *log;
	uint64_t handle;
	int result;
};

static void *flush(void *argument)
{
	struct waiter *w = argument;
	w->result = commitlog_flush(w->log, w->handle);
	return NULL;
}

static void start(struct waiter *w, struct commitlog *log, uint64_t handle)
{
	*w = (struct waiter){.log = log, .handle = handle, .result = 1};
	assert_int_equal(pthread_create(&w->thread, NULL, flush, w), 0);
}

/* A flush starts its timer; `early_ms` later a full block takes its batch away. The timer is stale from then on. */
static void leave_stale_timer(struct commitlog *log, unsigned early_ms)
{
	struct waiter w;
	start(&w, log, append(log, 1, 10));
	usleep(early_ms * 1000);
	assert_int_equal(commitlog_flush(log, append(log, 2, BLOCK_LIMIT)), 0);
	pthread_join(w.thread, NULL);
	assert_int_equal(w.result, 0);
}

static void stale_timer_writes_nothing_of_a_younger_batch(void **state)
{
	(void)state;
	for (unsigned early_ms = 1; early_ms < DELAY_MS; early_ms += 4) {
		struct commitlog *log = open_on(&wt_os_posix, DELAY_MS);
		leave_stale_timer(log, early_ms);
		uint64_t before = file_bytes(), covered = durable(log);
		append(log, 3, 10);
		for (int i = 0; i < 2 * DELAY_MS; i++) {
			assert_int_equal(file_bytes(), before);
			assert_int_equal(durable(log), covered);
			usleep(1000);
		}
		assert_int_equal(commitlog_close(log), 0);
		scratch_remove(directory);
	}
}

static void younger_batch_waits_for_its_own_timer(void **state)
{
	(void)state;
	for (unsigned early_ms = 1; early_ms < DELAY_MS; early_ms += 4) {
		struct commitlog *log = open_on(&wt_os_posix, DELAY_MS);
		leave_stale_timer(log, early_ms);
		uint64_t begin_ns = wt_os_posix.monotonic_ns(&wt_os_posix);
		assert_int_equal(commitlog_flush(log, append(log, 3, 10)), 0);
		assert_true(wt_os_posix.monotonic_ns(&wt_os_posix) - begin_ns >= DELAY_MS * 1000000u);
		assert_int_equal(commitlog_close(log), 0);
		scratch_remove(directory);
	}
}

/* ---- Confirms ----------------------------------------------------------------------------------------------- */

static void confirm_before_flush_leaves_the_record_to_its_flush(void **state)
{
	(void)state;
	struct commitlog *log = open_on(&wt_os_posix, 0);
	uint64_t handle = append(log, 1, 10), index;
	assert_int_equal(commitlog_confirm(log, id(1)), 0);
	assert_int_equal(commitlog_confirm(log, id(1)), 0); /* twice */
	assert_int_equal(commitlog_confirm(log, id(2)), 0); /* unknown */
	assert_int_equal(commitlog_confirm_total(log), 1);
	assert_int_equal(commitlog_waiting_confirm_count(log), 0);
	assert_int_equal(commitlog_checkpoint_of(log, id(1), &index), -ENOENT);
	assert_int_equal(durable(log), 0);
	assert_int_equal(file_bytes(), 0);
	assert_int_equal(commitlog_flush(log, handle), 0);
	assert_int_equal(records_in("000000001"), 1);
	assert_int_equal(commitlog_close(log), 0);
}

static void file_confirmed_before_any_flush_is_whole_when_it_becomes_a_bak(void **state)
{
	(void)state;
	struct commitlog *log = open_on(&wt_os_posix, 0);
	uint64_t handle = 0;
	for (uint64_t n = 1; n <= 5; n++) {
		handle = append(log, n, 10);
		assert_int_equal(commitlog_confirm(log, id(n)), 0);
	}
	assert_false(scratch_has(directory, "000000001.bak")); /* it is the current file */
	assert_int_equal(commitlog_checkpoint(log, NULL), 0);
	assert_int_equal(records_in("000000001.bak"), 5);
	assert_int_equal(commitlog_flush(log, handle), 0);
	assert_int_equal(commitlog_close(log), 0);
}

static void id_that_was_confirmed_may_be_used_again(void **state)
{
	(void)state;
	struct commitlog *log = open_on(&wt_os_posix, 0);
	assert_int_equal(commitlog_flush(log, append(log, 1, 10)), 0);
	assert_int_equal(commitlog_confirm(log, id(1)), 0);
	assert_int_equal(commitlog_checkpoint(log, NULL), 0);
	uint64_t handle = append(log, 1, 10), index;
	assert_int_equal(commitlog_checkpoint_of(log, id(1), &index), 0);
	assert_int_equal(index, 2);
	assert_int_equal(commitlog_flush(log, handle), 0);
	assert_true(scratch_has(directory, "000000001.bak"));
	assert_int_equal(commitlog_checkpoint(log, NULL), 0);
	assert_true(scratch_has(directory, "000000002"));
	assert_int_equal(commitlog_confirm(log, id(1)), 0);
	assert_true(scratch_has(directory, "000000002.bak"));
	assert_int_equal(commitlog_close(log), 0);
}

/* ---- Close -------------------------------------------------------------------------------------------------- */

/* A disk whose syncs of blocks take as long as the test likes, and then give `result`. */
struct slow_os {
	struct wt_os os;
	_Atomic bool holds;
	_Atomic int result;
};

static int sync_slowly(const struct wt_os *os, int fd)
{
	struct slow_os *slow = (struct slow_os *)(uintptr_t)os;
	while (slow->holds) usleep(100);
	return slow->result ? slow->result : wt_os_posix.fdatasync(os, fd);
}

static void *let_go(void *argument)
{
	struct slow_os *slow = argument;
	usleep(5000); /* close has begun, most likely; either order is good */
	slow->holds = false;
	return NULL;
}

static void close_on(uint64_t delay_ms, int disk_result)
{
	struct slow_os slow = {.os = wt_os_posix, .holds = true, .result = disk_result};
	struct waiter waiters[WAITERS];
	pthread_t releaser;
	slow.os.fdatasync = sync_slowly;
	struct commitlog *log = open_on(&slow.os, delay_ms);
	for (uint64_t n = 0; n < WAITERS; n++) start(&waiters[n], log, append(log, n + 1, 10));
	for (int i = 0; log->inside < WAITERS; i++) {
		if (i == WAIT_ROUNDS) fail_msg("%d of %d wait", (int)log->inside, WAITERS);
		usleep(100);
	}
	assert_int_equal(pthread_create(&releaser, NULL, let_go, &slow), 0);
	assert_int_equal(commitlog_close(log), disk_result);
	for (uint64_t n = 0; n < WAITERS; n++) {
		pthread_join(waiters[n].thread, NULL);
		assert_int_equal(waiters[n].result, disk_result);
	}
	pthread_join(releaser, NULL);
	if (!disk_result) assert_int_equal(records_in("000000001"), WAITERS);
	scratch_remove(directory);
}

static void close_makes_what_flushes_wait_for_durable(void **state)
{
	(void)state;
	close_on(0, 0);
	close_on(DELAY_MS, 0);
}

static void close_on_a_failing_disk_tells_each_waiter_and_its_caller(void **state)
{
	(void)state;
	close_on(0, -EIO);
	close_on(DELAY_MS, -EIO);
}

static int refuse_to_cut(const struct wt_os *os, int fd, uint64_t bytes)
{
	(void)os, (void)bytes;
	return fd < 0 ? -EBADF : -EDQUOT;
}

static void *close_it(void *argument)
{
	struct waiter *w = argument;
	w->result = commitlog_close(w->log);
	return NULL;
}

/* The background thread still runs when close has written what was pending; a rotation of its fails then. */
static void rotation_that_fails_during_close_is_what_close_returns(void **state)
{
	(void)state;
	struct wt_os os = wt_os_posix;
	struct waiter closer = {.result = 1};
	os.ftruncate = refuse_to_cut;
	struct commitlog *log = open_on(&os, 0);
	assert_int_equal(commitlog_flush(log, append(log, 1, LIMIT)), 0);
	append(log, 2, 10);
	log->inside++; /* as a flush that is slow to leave */
	closer.log = log;
	assert_int_equal(pthread_create(&closer.thread, NULL, close_it, &closer), 0);
	for (int i = 0; durable(log) < 2 && i < WAIT_ROUNDS; i++) usleep(100);
	cl_collect(log);
	log->inside--;
	pthread_join(closer.thread, NULL);
	assert_int_equal(closer.result, -EDQUOT);
	assert_int_equal(records_in("000000001"), 2);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(stale_timer_writes_nothing_of_a_younger_batch),
		IN_DIRECTORY(younger_batch_waits_for_its_own_timer),
		IN_DIRECTORY(confirm_before_flush_leaves_the_record_to_its_flush),
		IN_DIRECTORY(file_confirmed_before_any_flush_is_whole_when_it_becomes_a_bak),
		IN_DIRECTORY(id_that_was_confirmed_may_be_used_again),
		IN_DIRECTORY(close_makes_what_flushes_wait_for_durable),
		IN_DIRECTORY(close_on_a_failing_disk_tells_each_waiter_and_its_caller),
		IN_DIRECTORY(rotation_that_fails_during_close_is_what_close_returns),
	};
	return cmocka_run_group_tests_name("wal flush", tests, NULL, NULL);
}
