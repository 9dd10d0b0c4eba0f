/* SPDX-License-Identifier: MIT */
/* When a file ends, what is in it then, and in which order files become .bak. */
#include "cm.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format_check.h"
#include "scratch.h"
#include "wal/log.h"

enum {
	LIMIT = 2 << 20,
	COLLECT_MS = 5000,
	SOON_MS = 40, /* that the background thread is made to wait instead */
	BLOCK_OVERHEAD = 39,
	RENAMES_MAX = 16,
	WAIT_ROUNDS = 20000
};

static char scratch[SCRATCH_PATH_BYTES], directory[SCRATCH_PATH_BYTES];

/* A system that notes which files become .bak, may refuse that, and whose clock is behind that of the waiting calls, so
 * that the background thread looks at the log again soon. */
static struct noting_os {
	struct wt_os os;
	char renamed[RENAMES_MAX][32];
	_Atomic int renames, rename_result;
} noting;

static int note_rename(const struct wt_os *os, const char *from, const char *to)
{
	(void)os;
	if (noting.rename_result) return noting.rename_result;
	if (noting.renames < RENAMES_MAX)
		snprintf(noting.renamed[noting.renames], sizeof noting.renamed[0], "%s", strrchr(to, '/') + 1);
	noting.renames++;
	return wt_os_posix.rename(os, from, to);
}

static uint64_t behind(const struct wt_os *os)
{
	return wt_os_posix.monotonic_ns(os) - (COLLECT_MS - SOON_MS) * 1000000ull;
}

static int set_up(void **state)
{
	(void)state;
	scratch_make(scratch);
	scratch_join(directory, scratch, "log");
	noting = (struct noting_os){.os = wt_os_posix};
	noting.os.rename = note_rename;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_remove(scratch);
	return 0;
}

static struct commitlog_cid id(uint64_t n) { return (struct commitlog_cid){.high = 6, .low = n}; }

static struct commitlog *open_log(void)
{
	struct commitlog_options options;
	struct commitlog *log;
	struct wt_err err = {0};
	commitlog_options_init(&options);
	options.checkpoint_limit_bytes = LIMIT;
	options.collect_interval_ms = COLLECT_MS;
	options.prefill_bytes = 64 << 10;
	options.trace = COMMITLOG_TRACE_OFF;
	if (cl_open(&noting.os, directory, &options, &err, &log)) fail_msg("%s", err.text);
	return log;
}

static void commit(struct commitlog *log, uint64_t n, size_t bytes)
{
	uint64_t handle;
	char *payload = calloc(1, bytes);
	assert_int_equal(commitlog_append(log, id(n), payload, bytes, &handle), 0);
	assert_int_equal(commitlog_flush(log, handle), 0);
	free(payload);
}

static uint64_t rotations(struct commitlog *log)
{
	struct commitlog_stats stats;
	commitlog_stats(log, &stats);
	return stats.rotations;
}

static void checkpoints(struct commitlog *log, int count)
{
	for (int i = 0; i < count; i++) assert_int_equal(commitlog_checkpoint(log, NULL), 0);
}

/* Files 1 … `count` became .bak, one after another, and no other. */
static void assert_baks(int count)
{
	assert_int_equal(noting.renames, count);
	for (int i = 0; i < count; i++) {
		char name[32];
		snprintf(name, sizeof name, "%09d.bak", i + 1);
		assert_string_equal(noting.renamed[i], name);
		assert_true(scratch_has(directory, name));
	}
}

/* ---- Empty files -------------------------------------------------------------------------------------------- */

static void empty_files_wait_for_older_ones_and_hold_up_none(void **state)
{
	(void)state;
	struct commitlog *log = open_log();
	commit(log, 1, 10);
	checkpoints(log, 3); /* 2 and 3 stay empty */
	commit(log, 4, 10);
	checkpoints(log, 2); /* so does 5 */
	assert_int_equal(commitlog_confirm(log, id(4)), 0);
	assert_baks(0);
	assert_int_equal(commitlog_confirm(log, id(1)), 0);
	assert_baks(5);
	checkpoints(log, 2); /* nobody waits for 6 and 7, which are empty as well */
	assert_baks(7);
	assert_int_equal(commitlog_close(log), 0);
}

/* Files 1 and 3 with a record each, 2 and 4 of 0 bytes. */
static void write_four(void)
{
	struct commitlog *log = open_log();
	commit(log, 1, 10);
	checkpoints(log, 2);
	commit(log, 3, 10);
	checkpoints(log, 1);
	assert_int_equal(commitlog_close(log), 0);
	size_t n;
	free(scratch_read(directory, "000000002", &n));
	assert_int_equal(n, 0);
}

struct keeping {
	struct commitlog *log;
	uint64_t kept;
};

static int keep_one(void *context, const struct commitlog_entry *entry)
{
	struct keeping *keeping = context;
	return entry->cid.low == keeping->kept ? commitlog_append_replay(keeping->log, entry, NULL) : 0;
}

/* Opens and replays; only the record `kept` is still needed. */
static struct commitlog *replay_and_keep(uint64_t kept)
{
	struct keeping keeping = {open_log(), kept};
	assert_int_equal(commitlog_replay(keeping.log, keep_one, &keeping, NULL), 0);
	assert_int_equal(commitlog_finish_replay(keeping.log), 0);
	return keeping.log;
}

static void empty_file_that_open_found_does_not_overtake_an_older_one(void **state)
{
	(void)state;
	write_four();
	struct commitlog *log = replay_and_keep(1);
	assert_baks(0);
	assert_int_equal(commitlog_confirm(log, id(1)), 0);
	assert_baks(3);
	assert_int_equal(commitlog_close(log), 0);
}

static void empty_file_that_open_found_does_not_hold_up_a_younger_one(void **state)
{
	(void)state;
	write_four();
	struct commitlog *log = replay_and_keep(3);
	assert_baks(2);
	assert_int_equal(commitlog_confirm(log, id(3)), 0);
	assert_baks(3);
	assert_int_equal(commitlog_close(log), 0);
}

/* ---- Size limits -------------------------------------------------------------------------------------------- */

static void wait_for_rotation(struct commitlog *log)
{
	for (int i = 0; !rotations(log); i++) {
		if (i == WAIT_ROUNDS) fail_msg("no rotation");
		usleep(1000);
	}
}

/* The smallest block has BLOCK_OVERHEAD + 1 bytes. */
static void fill_up_to(struct commitlog *log, uint64_t n, size_t end)
{
	commit(log, n, end - (BLOCK_OVERHEAD + 1) - BLOCK_OVERHEAD);
	assert_int_equal(commitlog_confirm(log, id(n)), 0);
	assert_int_equal(rotations(log), 0);
	commit(log, n + 1, 1);
	assert_int_equal(commitlog_confirm(log, id(77)), 0); /* unknown: no effect */
	assert_int_equal(rotations(log), 0);
	assert_int_equal(commitlog_confirm(log, id(n + 1)), 0);
}

static void confirm_rotates_a_file_at_its_limit(void **state)
{
	(void)state;
	struct commitlog *log = open_log();
	fill_up_to(log, 1, LIMIT);
	assert_int_equal(rotations(log), 1);
	assert_baks(1);
	assert_int_equal(commitlog_close(log), 0);
}

static void confirm_leaves_a_file_that_is_a_byte_short_of_its_limit(void **state)
{
	(void)state;
	struct commitlog *log = open_log();
	fill_up_to(log, 1, LIMIT - 1);
	assert_int_equal(rotations(log), 0);
	assert_int_equal(commitlog_close(log), 0);
}

static void background_thread_rotates_a_file_at_its_limit_and_not_below(void **state)
{
	(void)state;
	noting.os.monotonic_ns = behind;
	struct commitlog *log = open_log();
	commit(log, 1, LIMIT - BLOCK_OVERHEAD - 1);
	usleep(3 * SOON_MS * 1000);
	assert_int_equal(rotations(log), 0);
	commit(log, 2, 1);
	wait_for_rotation(log);
	assert_baks(0); /* 1 and 2 aren't confirmed */
	commit(log, 3, 1);
	assert_int_equal(commitlog_confirm(log, id(1)), 0);
	assert_int_equal(commitlog_confirm(log, id(2)), 0);
	assert_baks(1);
	assert_int_equal(commitlog_close(log), 0);
}

static void rename_that_failed_is_tried_again_in_background(void **state)
{
	(void)state;
	noting.os.monotonic_ns = behind;
	noting.rename_result = -EIO;
	struct commitlog *log = open_log();
	commit(log, 1, 10);
	checkpoints(log, 1);
	assert_int_equal(commitlog_confirm(log, id(1)), -EIO);
	assert_true(scratch_has(directory, "000000001"));
	noting.rename_result = 0;
	for (int i = 0; !noting.renames && i < WAIT_ROUNDS; i++) usleep(1000);
	assert_int_equal(commitlog_close(log), 0);
	assert_baks(1);
}

/* ---- Replay ------------------------------------------------------------------------------------------------- */

enum { OLD_FILES = 3, OLD_EACH = 20, OLD = OLD_FILES * OLD_EACH, NEW_FIRST = 1000 };

struct appender {
	struct commitlog *log;
	_Atomic bool stop;
	_Atomic uint64_t count;
};

static void *commit_on(void *argument)
{
	struct appender *a = argument;
	while (!a->stop) {
		commit(a->log, NEW_FIRST + a->count, 10);
		a->count++;
	}
	return NULL;
}

/* Ids 1 … OLD and then those from NEW_FIRST on; refuses the `fail_at`-th. */
struct expected {
	uint64_t seen, fail_at;
	struct appender *others; /* whoever appends meanwhile gets the time to do so */
};

static int expect_next(void *context, const struct commitlog_entry *entry)
{
	struct expected *e = context;
	assert_int_equal(entry->cid.low, e->seen < OLD ? e->seen + 1 : NEW_FIRST + e->seen - OLD);
	uint64_t before = e->others ? e->others->count : 0;
	while (e->others && e->seen % OLD_EACH == 0 && e->others->count < before + 2) usleep(100);
	return ++e->seen == e->fail_at ? -ECANCELED : 0;
}

static void write_old(void)
{
	struct commitlog *log = open_log();
	for (uint64_t n = 1; n <= OLD; n++) {
		commit(log, n, 10);
		if (n % OLD_EACH == 0 && n < OLD) checkpoints(log, 1);
	}
	assert_int_equal(commitlog_close(log), 0);
}

static void replay_begun_again_while_others_append_gives_the_same_and_the_next_one_theirs(void **state)
{
	(void)state;
	write_old();
	struct appender others = {.log = open_log()};
	struct expected first = {.fail_at = OLD_EACH + 7, .others = &others}, again = {.others = &others}, next = {0};
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, commit_on, &others), 0);
	assert_int_equal(commitlog_replay(others.log, expect_next, &first, NULL), -ECANCELED);
	assert_int_equal(commitlog_replay(others.log, expect_next, &again, NULL), 0);
	assert_int_equal(again.seen, OLD);
	others.stop = true;
	pthread_join(thread, NULL);
	assert_int_equal(commitlog_close(others.log), 0); /* not finished: all is needed still */
	struct commitlog *log = open_log();
	assert_int_equal(commitlog_replay(log, expect_next, &next, NULL), 0);
	assert_int_equal(next.seen, OLD + others.count);
	assert_int_equal(commitlog_finish_replay(log), 0);
	assert_int_equal(commitlog_close(log), 0);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(empty_files_wait_for_older_ones_and_hold_up_none),
		IN_DIRECTORY(empty_file_that_open_found_does_not_overtake_an_older_one),
		IN_DIRECTORY(empty_file_that_open_found_does_not_hold_up_a_younger_one),
		IN_DIRECTORY(confirm_rotates_a_file_at_its_limit),
		IN_DIRECTORY(confirm_leaves_a_file_that_is_a_byte_short_of_its_limit),
		IN_DIRECTORY(background_thread_rotates_a_file_at_its_limit_and_not_below),
		IN_DIRECTORY(rename_that_failed_is_tried_again_in_background),
		IN_DIRECTORY(replay_begun_again_while_others_append_gives_the_same_and_the_next_one_theirs),
	};
	return cmocka_run_group_tests_name("wal files", tests, NULL, NULL);
}
