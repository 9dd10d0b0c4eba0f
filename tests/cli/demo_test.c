/* SPDX-License-Identifier: MIT */
/* What demo and bench rest on: that reading back would find a loss, that a run which fails says so, that options are
 * taken up to their limits and not past them. */
#include "cm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/demo.h"
#include "scratch.h"

static struct wt_load load;
static struct wt_load_committer committers[2];
static struct wt_load_result result;
static char place[SCRATCH_PATH_BYTES];

static int begin(void **state)
{
	(void)state;
	scratch_make(place);
	memset(committers, 0, sizeof committers);
	load = (struct wt_load){.committers = 2,
	                        .payload_bytes = 37, /* not whole words */
	                        .seconds = 1,
	                        .trace_limit_bytes = WT_DEMO_TRACE_BYTES,
	                        .wal_limit_bytes = WT_DEMO_WAL_BYTES};
	snprintf(load.run_id, sizeof load.run_id, "test");
	snprintf(load.wal_directory, sizeof load.wal_directory, "%s/wal", place);
	return 0;
}

static int end(void **state)
{
	(void)state;
	scratch_remove(place);
	return 0;
}

static struct commitlog *open_log(void)
{
	struct commitlog_options options;
	struct commitlog *log;
	commitlog_options_init(&options);
	options.prefill_bytes = 64 << 10;
	options.trace = COMMITLOG_TRACE_OFF;
	assert_int_equal(commitlog_open(load.wal_directory, &options, NULL, &log), 0);
	return log;
}

static void append(struct commitlog *log, uint64_t committer, uint64_t number, int spoilt)
{
	uint8_t payload[37];
	wt_load_payload(payload, sizeof payload, committer, number);
	payload[36] = (uint8_t)(payload[36] ^ spoilt);
	struct commitlog_cid cid = {.high = committer + 1, .low = number};
	assert_int_equal(commitlog_append(log, cid, payload, sizeof payload, NULL), 0);
}

static void commit(struct commitlog *log, uint64_t committer, uint64_t from, uint64_t to)
{
	uint64_t last = commitlog_append_total(log) + (to - from + 1);
	for (uint64_t n = from; n <= to; n++) append(log, committer, n, 0);
	assert_int_equal(commitlog_flush(log, last), 0);
}

static void claim(uint64_t acknowledged, uint64_t appended)
{
	for (unsigned i = 0; i < 2; i++) {
		committers[i].acknowledged = acknowledged;
		committers[i].appended = appended;
	}
}

static struct wt_load_check read_back(void)
{
	struct wt_load_check check;
	struct wt_err err = {0};
	assert_int_equal(wt_load_read_back(&load, committers, &check, &err), 0);
	return check;
}

static void what_was_acknowledged_is_found(void **state)
{
	(void)state;
	struct commitlog *log = open_log();
	commit(log, 0, 1, 100);
	commit(log, 1, 1, 100);
	assert_int_equal(commitlog_close(log), 0);
	claim(100, 100);
	struct wt_load_check check = read_back();
	assert_int_equal(check.acknowledged, 200);
	assert_int_equal(check.records, 200);
	assert_int_equal(check.missing, 0);
	assert_int_equal(check.wrong, 0);
	assert_int_equal(check.batches, 2);
	assert_int_equal(check.batch_p50, 100);
	assert_int_equal(check.batch_max, 100);
}

static void what_was_appended_only_may_be_there_or_not(void **state)
{
	(void)state;
	struct commitlog *log = open_log();
	commit(log, 0, 1, 70);
	commit(log, 1, 1, 66);
	assert_int_equal(commitlog_close(log), 0);
	claim(65, 70);
	struct wt_load_check check = read_back();
	assert_int_equal(check.missing, 0);
	assert_int_equal(check.wrong, 0);
}

static void an_acknowledged_commit_that_is_gone_is_missing(void **state)
{
	(void)state;
	struct commitlog *log = open_log();
	commit(log, 0, 1, 63); /* 64 is missing, in the middle */
	commit(log, 0, 65, 100);
	commit(log, 1, 1, 98); /* 99 and 100, at the end */
	assert_int_equal(commitlog_close(log), 0);
	claim(100, 100);
	struct wt_load_check check = read_back();
	assert_int_equal(check.missing, 3);
	assert_int_equal(check.wrong, 0);
}

static void a_record_with_other_bytes_is_wrong_and_missing(void **state)
{
	(void)state;
	struct commitlog *log = open_log();
	append(log, 0, 1, 1); /* the last bit of the last byte */
	commit(log, 0, 2, 3);
	commit(log, 1, 1, 3);
	assert_int_equal(commitlog_close(log), 0);
	claim(3, 3);
	struct wt_load_check check = read_back();
	assert_int_equal(check.wrong, 1);
	assert_int_equal(check.missing, 1);
}

static void a_record_twice_or_never_appended_is_wrong(void **state)
{
	(void)state;
	struct commitlog *log = open_log();
	commit(log, 0, 1, 3);
	append(log, 0, 2, 0); /* twice */
	append(log, 0, 4, 0); /* past what was appended */
	append(log, 0, 0, 0); /* numbers count from 1 */
	append(log, 2, 1, 0); /* there is no third committer */
	commit(log, 1, 1, 3);
	assert_int_equal(commitlog_close(log), 0);
	claim(3, 3);
	struct wt_load_check check = read_back();
	assert_int_equal(check.wrong, 4);
	assert_int_equal(check.missing, 0);
}

static void a_torn_log_is_an_error(void **state)
{
	(void)state;
	struct wt_load_check check;
	struct wt_err err = {0};
	struct commitlog *log = open_log();
	commit(log, 0, 1, 3);
	assert_int_equal(commitlog_close(log), 0);
	scratch_append(load.wal_directory, "000000001", "torn", 4);
	claim(0, 3);
	assert_int_equal(wt_load_read_back(&load, committers, &check, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "000000001"));
}

static void a_run_is_recorded_and_read_back(void **state)
{
	(void)state;
	snprintf(load.trace_directory, sizeof load.trace_directory, "%s", place);
	snprintf(load.trace_path, sizeof load.trace_path, "%s/test.jsonl", place);
	if (wt_load_in_child(&load, &result)) fail_msg("%s", result.err.text);
	assert_true(wt_load_sound(&result));
	assert_true(result.trace.complete);
	assert_int_equal(result.trace.lost, 0);
	assert_true(scratch_has(place, "test.jsonl"));
	assert_true(result.commits > 0);
	assert_int_equal(result.check.acknowledged, result.commits);
	assert_int_equal(result.check.batches, result.log.batches);
	assert_true(wt_load_quantile(&result, 1) <= result.max_ns);
	/* A process has one session, so a second run shows that each has its own process. */
	snprintf(load.wal_directory, sizeof load.wal_directory, "%s/wal2", place);
	assert_int_equal(wt_load_in_child(&load, &result), 0);
	assert_true(result.trace.complete);
}

static void a_run_ends_early_and_complete_at_its_limit(void **state)
{
	(void)state;
	load.seconds = 60;
	load.trace_limit_bytes = 65536;
	snprintf(load.trace_directory, sizeof load.trace_directory, "%s", place);
	if (wt_load_in_child(&load, &result)) fail_msg("%s", result.err.text);
	assert_true(result.full);
	assert_true(result.trace.complete);
	load.trace_directory[0] = 0;
	load.wal_limit_bytes = 4096;
	snprintf(load.wal_directory, sizeof load.wal_directory, "%s/wal2", place);
	assert_int_equal(wt_load_in_child(&load, &result), 0);
	assert_true(result.full);
	assert_true(result.elapsed_ns < 50ull * 1000000000);
}

static void a_log_that_cannot_be_opened_is_said(void **state)
{
	(void)state;
	snprintf(load.wal_directory, sizeof load.wal_directory, "%s/no/wal", place);
	assert_int_equal(wt_load_in_child(&load, &result), -ENOENT);
	assert_non_null(strstr(result.err.text, "can't open the log"));
	assert_false(wt_load_sound(&result));
}

static void pass_on(int signal) { wt_load_signal = signal; }

static void a_run_that_is_killed_is_said(void **state)
{
	(void)state;
	load.seconds = 60;
	signal(SIGTERM, SIG_DFL); /* what the child is sent kills it */
	signal(SIGALRM, pass_on);
	ualarm(200000, 0);
	int code = wt_load_in_child(&load, &result);
	wt_load_signal = 0;
	assert_int_equal(code, -ECHILD);
	assert_non_null(strstr(result.err.text, "killed by signal 15"));
}

static void a_limit_on_file_sizes_is_said(void **state)
{
	(void)state;
	struct rlimit before, small;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 4096;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	int code = wt_load_in_child(&load, &result);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(code, -EFBIG);
	assert_non_null(strstr(result.err.text, "File too large"));
}

static void a_signal_ends_a_run_in_good_order(void **state)
{
	(void)state;
	load.seconds = 60;
	wt_load_catch_signals(); /* or the one that the child is sent would kill it */
	wt_load_signal = SIGINT;
	int code = wt_load_in_child(&load, &result);
	wt_load_signal = 0;
	assert_int_equal(code, -EINTR);
	assert_string_equal(result.err.text, "interrupted");
}

/* ---- Options ------------------------------------------------------------------------------------------------ */

static enum wt_parsed parse(const char *first, const char *second, uint64_t *n)
{
	static bool flag;
	static const char *text;
	const struct wt_option options[] = {{.name = "n", .value = n, .min = 2, .max = 40},
	                                    {.name = "dir", .text = &text},
	                                    {.name = "yes", .flag = &flag}};
	char a[8] = "bench", b[WT_LOAD_DIRECTORY + 64], c[64];
	snprintf(b, sizeof b, "%s", first);
	if (second) snprintf(c, sizeof c, "%s", second);
	char *argv[] = {a, b, second ? c : NULL, NULL};
	fflush(stderr);
	int kept = dup(2), nowhere = open("/dev/null", O_WRONLY);
	dup2(nowhere, 2);
	enum wt_parsed parsed = wt_parse_options(second ? 3 : 2, argv, options, 3);
	fflush(stderr);
	dup2(kept, 2);
	close(kept);
	close(nowhere);
	return parsed;
}

static void numbers_are_taken_up_to_their_limits(void **state)
{
	(void)state;
	uint64_t n = 7;
	assert_int_equal(parse("--n", "2", &n), WT_PARSED_RUN);
	assert_int_equal(n, 2);
	assert_int_equal(parse("--n=40", NULL, &n), WT_PARSED_RUN);
	assert_int_equal(n, 40);
	static const char *const bad[] = {"1", "41", "", "-3", "+3", "3x", "0x10", " 3", "18446744073709551618"};
	for (size_t i = 0; i < WT_COUNT(bad); i++) assert_int_equal(parse("--n", bad[i], &n), WT_PARSED_WRONG);
	assert_int_equal(n, 40);
}

static void wrong_usage_is_told_apart(void **state)
{
	(void)state;
	uint64_t n = 7;
	assert_int_equal(parse("--help", NULL, &n), WT_PARSED_HELP);
	assert_int_equal(parse("--yes", NULL, &n), WT_PARSED_RUN);
	assert_int_equal(parse("--dir", "there", &n), WT_PARSED_RUN);
	static const char *const bad[] = {
		"--no", "--nn=3", "--n", "--yes=1", "--dir=", "--dir", "word", "-n", "--", ""};
	for (size_t i = 0; i < WT_COUNT(bad); i++) assert_int_equal(parse(bad[i], NULL, &n), WT_PARSED_WRONG);
	char longest[WT_LOAD_DIRECTORY + 16];
	memset(longest, 'd', sizeof longest);
	memcpy(longest, "--dir=", 6);
	longest[6 + WT_LOAD_DIRECTORY - 1] = 0;
	assert_int_equal(parse(longest, NULL, &n), WT_PARSED_RUN);
	longest[6 + WT_LOAD_DIRECTORY - 1] = 'd';
	longest[6 + WT_LOAD_DIRECTORY] = 0;
	assert_int_equal(parse(longest, NULL, &n), WT_PARSED_WRONG);
}

static void only_an_empty_directory_is_taken(void **state)
{
	(void)state;
	struct wt_err err = {0};
	char path[SCRATCH_PATH_BYTES];
	scratch_join(path, place, "new");
	assert_int_equal(wt_take_directory(path, &err), 0);
	assert_int_equal(wt_take_directory(path, &err), 0); /* there and empty */
	scratch_write(path, "file", "x", 1);
	assert_int_equal(wt_directory_bytes(place), 1);
	assert_int_equal(wt_take_directory(path, &err), -ENOTEMPTY);
	scratch_join(path, place, "new/file");
	assert_int_equal(wt_take_directory(path, &err), -ENOTDIR);
	scratch_join(path, place, "no/new");
	assert_int_equal(wt_take_directory(path, &err), -ENOENT);
	scratch_join(path, place, "new");
	wt_remove_directory(path);
	assert_false(scratch_has(place, "new"));
}

/* ---- The recorder's cost ------------------------------------------------------------------------------------ */

static void a_cost_within_the_spread_is_not_clear(void **state)
{
	(void)state;
	struct wt_demo_cost cost = {.rounds = 3, .recorded = {90, 110, 96}, .plain = {100, 100, 100}};
	struct wt_demo_ratio r = wt_demo_cost_ratio(&cost);
	assert_false(r.clear);
	assert_true(r.median > .959 && r.median < .961);
	assert_true(r.min > .899 && r.min < .901 && r.max > 1.099 && r.max < 1.101);
	cost.recorded[1] = 99;
	assert_true(wt_demo_cost_ratio(&cost).clear);
	cost = (struct wt_demo_cost){.rounds = 1, .recorded = {50}, .plain = {100}};
	assert_false(wt_demo_cost_ratio(&cost).clear); /* one round has no spread */
}

static void the_largest_part_is_found(void **state)
{
	(void)state;
	struct wt_summary s = {.total_ns = 100};
	s.part_sum_ns[WT_PART_DELAY] = 60;
	s.part_sum_ns[WT_PART_FSYNC] = 40;
	assert_int_equal(wt_demo_largest(&s, 0), WT_PART_DELAY);
	assert_int_equal(wt_demo_largest(&s, 1u << WT_PART_DELAY), WT_PART_FSYNC);
	assert_true(wt_demo_share(&s, WT_PART_DELAY) > .599 && wt_demo_share(&s, WT_PART_DELAY) < .601);
}

#define ON_FILES(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_FILES(what_was_acknowledged_is_found),
		ON_FILES(what_was_appended_only_may_be_there_or_not),
		ON_FILES(an_acknowledged_commit_that_is_gone_is_missing),
		ON_FILES(a_record_with_other_bytes_is_wrong_and_missing),
		ON_FILES(a_record_twice_or_never_appended_is_wrong),
		ON_FILES(a_torn_log_is_an_error),
		ON_FILES(a_run_is_recorded_and_read_back),
		ON_FILES(a_run_ends_early_and_complete_at_its_limit),
		ON_FILES(a_log_that_cannot_be_opened_is_said),
		ON_FILES(a_run_that_is_killed_is_said),
		ON_FILES(a_limit_on_file_sizes_is_said),
		ON_FILES(a_signal_ends_a_run_in_good_order),
		ON_FILES(only_an_empty_directory_is_taken),
		cmocka_unit_test(numbers_are_taken_up_to_their_limits),
		cmocka_unit_test(wrong_usage_is_told_apart),
		cmocka_unit_test(a_cost_within_the_spread_is_not_clear),
		cmocka_unit_test(the_largest_part_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
