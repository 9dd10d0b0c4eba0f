/* SPDX-License-Identifier: MIT */
/* Replay and salvage with a fault at the first, second, third … call until none fires. After each: what was still needed
 * is still there, in its order, and the log opens and replays again. */
#include "cm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fault_os.h"
#include "scratch.h"
#include "wal/log.h"
#include "wal/repair.h"

enum { FILES = 4, RECORDS = 8, NEEDED = 5, LATER = 100, FAULTS_MAX = 400 };

static char scratch[SCRATCH_PATH_BYTES], directory[SCRATCH_PATH_BYTES], target[SCRATCH_PATH_BYTES];

static void set_up(void)
{
	scratch_make(scratch);
	scratch_join(directory, scratch, "log");
	scratch_join(target, scratch, "salvaged");
}

static struct commitlog *open_on(const struct wt_os *os)
{
	struct commitlog_options options;
	struct commitlog *log;
	struct wt_err err = {0};
	commitlog_options_init(&options);
	options.prefill_bytes = 64 << 10;
	options.trace = COMMITLOG_TRACE_OFF;
	if (cl_open(os, directory, &options, &err, &log)) assert_true(err.text[0]);
	return log;
}

static int commit(struct commitlog *log, uint64_t n)
{
	uint64_t handle;
	struct commitlog_cid cid = {.low = n};
	int result = commitlog_append(log, cid, "payload", 7, &handle);
	return result ? result : commitlog_flush(log, handle);
}

/* Ids 1 2 | 3 4 | 5 6 | 7 8, a file each two. */
static void seed(void)
{
	struct commitlog *log = open_on(&wt_os_posix);
	for (uint64_t n = 1; n <= RECORDS; n++) {
		assert_int_equal(commit(log, n), 0);
		if (n % 2 == 0 && n < RECORDS) assert_int_equal(commitlog_checkpoint(log, NULL), 0);
	}
	assert_int_equal(commitlog_close(log), 0);
}

struct found {
	struct commitlog *log;
	uint64_t last, count;
	bool later, needed;
};

static int see(void *context, const struct commitlog_entry *entry)
{
	struct found *found = context;
	assert_true(entry->cid.low > found->last);
	found->last = entry->cid.low;
	found->count++;
	found->later |= entry->cid.low == LATER;
	found->needed |= entry->cid.low == NEEDED;
	if (!found->log || entry->cid.low != NEEDED) return 0;
	return commitlog_append_replay(found->log, entry, NULL);
}

struct outcome {
	bool finished, later;
};

static void run(const struct wt_os *os, struct outcome *out)
{
	struct found found = {.log = open_on(os)};
	if (!found.log) return;
	commitlog_checkpoint(found.log, NULL);
	bool before = !commit(found.log, LATER - 1); /* so that the replay begins a file */
	int replayed = commitlog_replay(found.log, see, &found, NULL);
	if (!replayed) {
		assert_int_equal(found.count, RECORDS);
		out->finished = !commitlog_finish_replay(found.log);
	} else {
		assert_int_equal(commitlog_finish_replay(found.log), -EINVAL);
	}
	out->later = before && !commit(found.log, LATER);
	commitlog_close(found.log);
}

static void check(const struct outcome *out, long countdown)
{
	struct found found = {.log = NULL};
	struct commitlog *log = open_on(&wt_os_posix);
	if (!log) fail_msg("fault %ld: it doesn't open", countdown);
	assert_int_equal(commitlog_replay(log, see, &found, NULL), 0);
	if (!found.needed) fail_msg("fault %ld: what was registered is gone", countdown);
	if (out->later && !found.later) fail_msg("fault %ld: what was committed after the replay is gone", countdown);
	assert_true(!scratch_has(directory, "000000003.bak") && !scratch_has(directory, "000000004.bak"));
	assert_true(scratch_has(directory, "000000001.bak") || !scratch_has(directory, "000000002.bak"));
	if (out->finished) assert_true(scratch_has(directory, "000000002.bak"));
	assert_int_equal(commitlog_close(log), 0);
}

static void replay_under(enum fault_kind kind, int code, bool lasting)
{
	long fired = 1;
	for (long countdown = 1; fired; countdown++) {
		assert_true(countdown < FAULTS_MAX);
		struct outcome out = {false, false};
		struct fault_os fault;
		set_up();
		seed();
		fault_os_init(&fault, kind, code, countdown);
		fault.lasting = lasting;
		run(&fault.os, &out);
		fired = fault.fired;
		if (!fired) assert_true(out.finished && out.later);
		check(&out, countdown);
		scratch_remove(scratch);
	}
}

static void replay_survives_any_error(void **state)
{
	(void)state;
	replay_under(FAULT_ERROR, -EIO, false);
	replay_under(FAULT_ERROR, -ENOSPC, true);
	replay_under(FAULT_SYNC, -EIO, false);
	replay_under(FAULT_SHORT, 0, false);
}

/* The copy is whole, or the call says that it isn't; the original never changes. */
static void salvage_survives_any_error(void **state)
{
	(void)state;
	long fired = 1;
	for (long countdown = 1; fired; countdown++) {
		struct commitlog_repair_summary sum;
		struct fault_os fault;
		struct wt_err err = {0};
		struct found found = {.log = NULL};
		assert_true(countdown < FAULTS_MAX);
		set_up();
		seed();
		fault_os_init(&fault, FAULT_ERROR, -EIO, countdown);
		int result = cl_repair(&fault.os, directory, target, NULL, NULL, &sum, &err);
		fired = fault.fired;
		if (fired) {
			assert_int_equal(result, -EIO);
			assert_true(err.text[0]);
		} else {
			assert_int_equal(result, 0);
			assert_int_equal(sum.records, RECORDS);
			assert_int_equal(commitlog_scan(target, COMMITLOG_SCAN_ALL, see, &found, NULL, NULL), 0);
			assert_int_equal(found.count, RECORDS);
		}
		found = (struct found){.log = NULL};
		assert_int_equal(commitlog_scan(directory, COMMITLOG_SCAN_ALL, see, &found, NULL, NULL), 0);
		assert_int_equal(found.count, RECORDS);
		scratch_remove(scratch);
	}
}

static void salvage_of_an_open_log_is_refused(void **state)
{
	(void)state;
	struct commitlog_repair_summary sum;
	struct wt_err err = {0};
	set_up();
	struct commitlog *log = open_on(&wt_os_posix);
	assert_int_equal(cl_repair(&wt_os_posix, directory, target, NULL, NULL, &sum, &err), -EWOULDBLOCK);
	assert_non_null(strstr(err.text, "open"));
	assert_false(scratch_has(scratch, "salvaged"));
	assert_int_equal(commitlog_close(log), 0);
	scratch_remove(scratch);
}

static int refuse(void *context, const struct commitlog_loss *loss)
{
	(void)context;
	assert_string_equal(loss->file, "000000002");
	assert_int_equal(loss->from, 0);
	return 42;
}

static void salvage_ends_when_the_caller_says_so(void **state)
{
	(void)state;
	struct commitlog_repair_summary sum;
	struct wt_err err = {0};
	size_t n;
	set_up();
	seed();
	uint8_t *bytes = scratch_read(directory, "000000002", &n);
	bytes[40] ^= 1;
	scratch_write(directory, "000000002", bytes, n);
	free(bytes);
	assert_int_equal(cl_repair(&wt_os_posix, directory, target, refuse, NULL, &sum, &err), 42);
	scratch_remove(scratch);
}

/* A name like a log file's that is no file: an error or nothing, but no waiting. */
static void odd_files_are_refused_without_waiting(void **state)
{
	(void)state;
	char path[SCRATCH_PATH_BYTES];
	struct commitlog_error error;
	set_up();
	seed();
	scratch_join(path, directory, "000000009");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(commitlog_scan(directory, COMMITLOG_SCAN_ALL, NULL, NULL, NULL, &error), 0);
	assert_null(open_on(&wt_os_posix));
	scratch_join(path, directory, "000000010");
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(commitlog_scan(directory, COMMITLOG_SCAN_ALL, NULL, NULL, NULL, &error), -EISDIR);
	assert_non_null(strstr(error.message, "000000010"));
	assert_null(open_on(&wt_os_posix));
	scratch_remove(scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replay_survives_any_error),
		cmocka_unit_test(salvage_survives_any_error),
		cmocka_unit_test(salvage_of_an_open_log_is_refused),
		cmocka_unit_test(salvage_ends_when_the_caller_says_so),
		cmocka_unit_test(odd_files_are_refused_without_waiting),
	};
	return cmocka_run_group_tests_name("wal replay faults", tests, NULL, NULL);
}
