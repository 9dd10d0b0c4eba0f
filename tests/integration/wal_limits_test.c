/* SPDX-License-Identifier: MIT */
/* The log at the ends of its ranges, and one step past them: sizes of entries and keys, file numbers, names of
 * directories, timers, clocks. */
#include "cm.h"

#include <errno.h>
#include <libdeflate.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format_check.h"
#include "scratch.h"
#include "wal/log.h"

enum { BLOCK_LIMIT = 8 << 10, KEY_MAX = 65535 };

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

static int open_on(const struct wt_os *os, const char *path, uint64_t delay_ms, struct wt_err *err,
                   struct commitlog **log)
{
	struct commitlog_options options;
	commitlog_options_init(&options);
	options.delay_ms = delay_ms;
	options.block_limit_bytes = BLOCK_LIMIT;
	options.checkpoint_limit_bytes = 2 << 20;
	options.prefill_bytes = 0;
	options.trace = COMMITLOG_TRACE_OFF;
	return cl_open(os, path, &options, err, log);
}

static struct commitlog *open_log(const struct wt_os *os, uint64_t delay_ms)
{
	struct commitlog *log;
	struct wt_err err;
	if (open_on(os, directory, delay_ms, &err, &log)) fail_msg("%s", err.text);
	return log;
}

static void commit(struct commitlog *log, uint64_t n, size_t bytes)
{
	uint64_t handle;
	char *payload = calloc(1, bytes);
	assert_int_equal(commitlog_append(log, (struct commitlog_cid){.low = n}, payload, bytes, &handle), 0);
	assert_int_equal(commitlog_flush(log, handle), 0);
	free(payload);
}

/* ---- Entries ------------------------------------------------------------------------------------------------ */

static void put_little(uint8_t *at, uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++) at[i] = (uint8_t)(value >> 8 * i);
}

/* Makes file 1 of one block with one entry, which has `key_bytes` and `entry_bytes` in all. */
static void write_entry(size_t key_bytes, size_t entry_bytes)
{
	uint8_t *block = calloc(1, entry_bytes + 16);
	assert_non_null(block);
	block[0] = 1;
	put_little(block + 1, key_bytes, 2);
	memset(block + 3, 'k', key_bytes);
	put_little(block + 3 + key_bytes, entry_bytes - key_bytes - 7, 4);
	put_little(block + entry_bytes, 1790000000000, 8);
	put_little(block + entry_bytes + 8, libdeflate_crc32(0, block, entry_bytes + 8), 4);
	put_little(block + entry_bytes + 12, entry_bytes, 4);
	mkdir(directory, 0755);
	scratch_write(directory, "000000001", block, entry_bytes + 16);
	free(block);
}

static int see_bytes(void *context, const struct commitlog_entry *entry)
{
	*(size_t *)context = entry->key_bytes + entry->value_bytes;
	return 0;
}

static void entry_of_the_largest_size_is_read(void **state)
{
	(void)state;
	size_t seen = 0;
	write_entry(16, CL_READ_ENTRY_MAX);
	assert_int_equal(commitlog_scan(directory, COMMITLOG_SCAN_LIVE, see_bytes, &seen, NULL, NULL), 0);
	assert_int_equal(seen, CL_READ_ENTRY_MAX - 7);
}

static void larger_entry_is_checked_and_refused_only_where_it_is_given_out(void **state)
{
	(void)state;
	size_t seen = 0;
	struct commitlog_error error;
	struct commitlog_replay_summary sum;
	write_entry(16, CL_READ_ENTRY_MAX + 1);
	assert_int_equal(commitlog_scan(directory, COMMITLOG_SCAN_LIVE, NULL, NULL, NULL, NULL), 0);
	assert_int_equal(commitlog_scan(directory, COMMITLOG_SCAN_LIVE, see_bytes, &seen, NULL, &error), -EFBIG);
	assert_non_null(strstr(error.message, "000000001: the entry at offset 0 is larger than 64 MiB"));
	struct commitlog *log = open_log(&wt_os_posix, 0);
	assert_int_equal(commitlog_replay(log, see_bytes, &seen, &sum), -EFBIG);
	assert_non_null(strstr(sum.error.message, "000000001: the entry at offset 0"));
	assert_int_equal(seen, 0);
	commit(log, 1, 10);
	assert_int_equal(commitlog_close(log), 0);
}

static int see_no_commit(void *context, const struct commitlog_entry *entry)
{
	assert_int_equal(entry->key_bytes, KEY_MAX);
	assert_int_equal(entry->cid.low, 0);
	return commitlog_append_replay(context, entry, NULL);
}

static void largest_key_is_replayed_but_is_no_commits(void **state)
{
	(void)state;
	write_entry(KEY_MAX, KEY_MAX + 7);
	struct commitlog *log = open_log(&wt_os_posix, 0);
	assert_int_equal(commitlog_replay(log, see_no_commit, log, NULL), -EINVAL);
	assert_int_equal(commitlog_close(log), 0);
}

/* ---- Files -------------------------------------------------------------------------------------------------- */

static void last_file_number_is_used_and_none_follows(void **state)
{
	(void)state;
	struct wt_err err;
	assert_int_equal(mkdir(directory, 0755), 0);
	scratch_write(directory, "999999998.bak", "", 0);
	struct commitlog *log = open_log(&wt_os_posix, 0);
	commit(log, 1, 10);
	assert_true(scratch_has(directory, "999999999"));
	assert_int_equal(commitlog_checkpoint(log, NULL), -EOVERFLOW);
	commit(log, 2, 3 << 20);
	assert_int_equal(commitlog_confirm(log, (struct commitlog_cid){.low = 2}),
	                 -EOVERFLOW); /* it is over its limit */
	commit(log, 3, 10);
	assert_int_equal(commitlog_close(log), 0);
	assert_int_equal(open_on(&wt_os_posix, directory, 0, &err, &log), -EOVERFLOW);
	assert_non_null(strstr(err.text, "999999999"));
	struct commitlog_scan_summary sum;
	assert_int_equal(commitlog_scan(directory, COMMITLOG_SCAN_LIVE, NULL, NULL, &sum, NULL), 0);
	assert_int_equal(sum.records, 3);
}

/* Makes the parents of a directory whose name has `n` bytes. */
static void name_of_length(char *path, size_t n)
{
	size_t used = (size_t)sprintf(path, "%s", scratch);
	while (used < n) {
		size_t part = n - used - 1 < 200 ? n - used - 1 : 100;
		mkdir(path, 0755);
		path[used] = '/';
		memset(path + used + 1, 'd', part);
		used += part + 1;
		path[used] = 0;
	}
}

static void directory_with_the_longest_name_is_opened(void **state)
{
	(void)state;
	char path[COMMITLOG_MAX_DIRECTORY + 2];
	struct commitlog *log;
	struct wt_err err;
	name_of_length(path, COMMITLOG_MAX_DIRECTORY);
	assert_int_equal(strlen(path), COMMITLOG_MAX_DIRECTORY);
	if (open_on(&wt_os_posix, path, 0, &err, &log)) fail_msg("%s", err.text);
	commit(log, 1, 10);
	assert_int_equal(commitlog_checkpoint(log, NULL), 0);
	assert_int_equal(commitlog_confirm(log, (struct commitlog_cid){.low = 1}), 0);
	assert_int_equal(commitlog_close(log), 0);
	assert_int_equal(commitlog_scan(path, COMMITLOG_SCAN_ALL, NULL, NULL, NULL, NULL), 0);
	strcat(path, "d");
	assert_int_equal(open_on(&wt_os_posix, path, 0, &err, &log), -ENAMETOOLONG);
	assert_int_equal(commitlog_scan(path, COMMITLOG_SCAN_ALL, NULL, NULL, NULL, NULL), -ENAMETOOLONG);
}

/* ---- Clocks and timers -------------------------------------------------------------------------------------- */

/* A wall clock that falls, from the largest time to 0; a monotonic one that can be stopped. */
static struct clock_os {
	struct wt_os os;
	_Atomic uint64_t wall_ms, stopped_ns; /* 0: it runs */
} clocks;

static uint64_t falling_ms(const struct wt_os *os)
{
	(void)os;
	uint64_t now = clocks.wall_ms;
	clocks.wall_ms = now / 3;
	return now;
}

static uint64_t stoppable_ns(const struct wt_os *os)
{
	uint64_t stopped = clocks.stopped_ns;
	return stopped ? stopped : wt_os_posix.monotonic_ns(os);
}

static void clock_that_jumps_back_shows_in_the_times_and_nowhere_else(void **state)
{
	(void)state;
	enum { COMMITS = 50 };
	for (uint64_t delay_ms = 0; delay_ms <= 1; delay_ms++) {
		struct format_log found = {.files = NULL};
		clocks = (struct clock_os){.os = wt_os_posix, .wall_ms = UINT64_MAX};
		clocks.os.wall_ms = falling_ms;
		struct commitlog *log = open_log(&clocks.os, delay_ms);
		for (uint64_t n = 1; n <= COMMITS; n++) {
			commit(log, n, 10);
			if (n % 20 == 0) assert_int_equal(commitlog_checkpoint(log, NULL), 0);
		}
		assert_int_equal(commitlog_close(log), 0);
		if (!format_read_directory(&found, directory)) fail_msg("%s", found.reason);
		assert_int_equal(found.entry_count, COMMITS);
		uint64_t expected = UINT64_MAX;
		for (size_t i = 0; i < COMMITS; i++, expected /= 3) {
			assert_int_equal(found.entries[i].key[0], i + 1);
			assert_int_equal(found.entries[i].time_ms, expected);
		}
		format_free(&found);
		log = open_log(&wt_os_posix, 0);
		assert_int_equal(commitlog_replay(log, NULL, NULL, NULL), 0);
		assert_int_equal(commitlog_close(log), 0);
		scratch_remove(directory);
	}
}

static void *commit_small(void *argument)
{
	commit(argument, 1000, 10);
	return NULL;
}

/* `full` blocks each leave a timer that, with the clock stopped, doesn't run out. Then a small record is committed. */
static struct commitlog *leave_timers(int full, pthread_t *thread)
{
	clocks = (struct clock_os){.os = wt_os_posix, .stopped_ns = wt_os_posix.monotonic_ns(&wt_os_posix)};
	clocks.os.monotonic_ns = stoppable_ns;
	struct commitlog *log = open_log(&clocks.os, 10);
	for (int i = 1; i <= full; i++) commit(log, (uint64_t)i, BLOCK_LIMIT);
	assert_int_equal(pthread_create(thread, NULL, commit_small, log), 0);
	return log;
}

static void last_timer_is_used(void **state)
{
	(void)state;
	pthread_t thread;
	struct commitlog_stats stats;
	struct commitlog *log = leave_timers(CL_TIMERS_MAX - 1, &thread);
	usleep(30000);
	commitlog_stats(log, &stats);
	assert_int_equal(stats.durable, CL_TIMERS_MAX - 1);
	clocks.stopped_ns = 0;
	pthread_join(thread, NULL);
	assert_int_equal(commitlog_close(log), 0);
}

static void past_the_last_timer_a_flush_commits_by_itself(void **state)
{
	(void)state;
	pthread_t thread;
	struct commitlog *log = leave_timers(CL_TIMERS_MAX, &thread);
	pthread_join(thread, NULL); /* no timer runs out: it doesn't wait for one */
	commit(log, 1001, 10);
	assert_int_equal(commitlog_close(log), 0);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(entry_of_the_largest_size_is_read),
		IN_DIRECTORY(larger_entry_is_checked_and_refused_only_where_it_is_given_out),
		IN_DIRECTORY(largest_key_is_replayed_but_is_no_commits),
		IN_DIRECTORY(last_file_number_is_used_and_none_follows),
		IN_DIRECTORY(directory_with_the_longest_name_is_opened),
		IN_DIRECTORY(clock_that_jumps_back_shows_in_the_times_and_nowhere_else),
		IN_DIRECTORY(last_timer_is_used),
		IN_DIRECTORY(past_the_last_timer_a_flush_commits_by_itself),
	};
	return cmocka_run_group_tests_name("wal limits", tests, NULL, NULL);
}
