/* SPDX-License-Identifier: MIT */
/* What the log tells the recorder: each acknowledged commit has its rows, and they prove its sync. One session a process,
 * so one run of everything, looked at by several tests. */
#include "cm.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commitlog.h"
#include "scratch.h"
#include "waltrace.h"

enum { COMMITTERS = 4, COMMITS = 50, LINES_MAX = 20000 };

static char scratch[SCRATCH_PATH_BYTES];
static char *text, *lines[LINES_MAX];
static size_t line_count;
static struct waltrace_report report;
static struct commitlog_stats leading, timed;

struct committer {
	pthread_t thread;
	struct commitlog *log;
	uint64_t number;
};

static void *commit_some(void *argument)
{
	struct committer *c = argument;
	for (uint64_t n = 1; n <= COMMITS; n++) {
		struct commitlog_cid cid = {.high = c->number, .low = n};
		uint64_t handle;
		if (commitlog_append(c->log, cid, "payload", 7, &handle) || commitlog_flush(c->log, handle)) abort();
		if (commitlog_confirm(c->log, cid)) abort();
	}
	return NULL;
}

static void run_log(const char *name, uint64_t delay_ms, struct commitlog_stats *stats)
{
	char directory[SCRATCH_PATH_BYTES];
	struct commitlog_options options;
	struct commitlog *log;
	struct committer committers[COMMITTERS];
	scratch_join(directory, scratch, name);
	commitlog_options_init(&options);
	options.delay_ms = delay_ms;
	options.prefill_bytes = 64 << 10;
	if (commitlog_open(directory, &options, NULL, &log)) abort();
	for (unsigned i = 0; i < COMMITTERS; i++) {
		committers[i] = (struct committer){.log = log, .number = i + 1};
		if (pthread_create(&committers[i].thread, NULL, commit_some, &committers[i])) abort();
	}
	if (commitlog_checkpoint(log, NULL)) abort();
	for (unsigned i = 0; i < COMMITTERS; i++) pthread_join(committers[i].thread, NULL);
	commitlog_stats(log, stats);
	if (commitlog_close(log)) abort();
}

static int record_everything(void **state)
{
	(void)state;
	char directory[SCRATCH_PATH_BYTES];
	struct waltrace_config config;
	scratch_make(scratch);
	scratch_join(directory, scratch, "trace");
	if (mkdir(directory, 0755)) return -1;
	waltrace_config_init(&config);
	config.directory = directory;
	config.run_id = "wal_trace_test";
	if (waltrace_start(&config, NULL)) return -1;
	run_log("leading", 0, &leading);
	run_log("timed", 1, &timed);
	if (waltrace_shutdown(20000, &report)) return -1;
	size_t n;
	text = (char *)scratch_read(directory, strrchr(report.path, '/') + 1, &n);
	text[n] = 0;
	for (char *line = strtok(text, "\n"); line && line_count < LINES_MAX; line = strtok(NULL, "\n"))
		lines[line_count++] = line;
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	free(text);
	scratch_remove(scratch);
	return 0;
}

/* Value of a number in a line; 0 and *has false if the key isn't there. */
static uint64_t number(const char *line, const char *key, bool *has)
{
	char quoted[64];
	snprintf(quoted, sizeof quoted, "\"%s\":", key);
	const char *at = strstr(line, quoted);
	*has = at != NULL;
	return at ? strtoull(at + strlen(quoted), NULL, 10) : 0;
}

static uint64_t value(const char *line, const char *key)
{
	bool has;
	uint64_t n = number(line, key, &has);
	if (!has) fail_msg("no %s in %s", key, line);
	return n;
}

/* Is it a record of `event` by the logger, with `also` (NULL: anything) in it? */
static bool is(const char *line, uint64_t logger, const char *event, const char *also)
{
	char head[80];
	bool has;
	snprintf(head, sizeof head, "\"event\":\"%s\"", event);
	if (!strstr(line, head) || !strstr(line, "\"operation_id\":")) return false;
	return number(line, "logger_id", &has) == logger && (!also || strstr(line, also));
}

static size_t count(uint64_t logger, const char *event, const char *also)
{
	size_t n = 0;
	for (size_t i = 0; i < line_count; i++) n += is(lines[i], logger, event, also);
	return n;
}

static uint64_t sum(uint64_t logger, const char *event, const char *key)
{
	uint64_t n = 0;
	for (size_t i = 0; i < line_count; i++)
		if (is(lines[i], logger, event, NULL)) n += value(lines[i], key);
	return n;
}

static void nothing_is_lost(void **state)
{
	(void)state;
	assert_true(report.complete);
	assert_true(line_count < LINES_MAX);
}

static void each_call_has_its_record(void **state)
{
	(void)state;
	for (uint64_t logger = 1; logger <= 2; logger++) {
		assert_int_equal(count(logger, "root_append", "\"success\""), COMMITTERS * COMMITS);
		assert_int_equal(count(logger, "root_flush", "\"success\""), COMMITTERS * COMMITS);
		assert_int_equal(count(logger, "root_confirm", "\"success\""), COMMITTERS * COMMITS);
		assert_int_equal(count(logger, "checkpoint_rotation", "publish_checkpoint"), 1);
		assert_int_equal(count(logger, "file_split", "\"success\""), 1);
	}
}

static void syncs_agree_with_the_logs_own_count(void **state)
{
	(void)state;
	assert_int_equal(count(1, "sync_call", "\"success\""), leading.commit_syncs);
	assert_int_equal(count(2, "sync_call", "\"success\""), timed.commit_syncs);
	assert_int_equal(sum(1, "sync_call", "block_bytes"), leading.entry_bytes);
	assert_int_equal(sum(2, "sync_call", "written_bytes"), timed.written_bytes);
}

static void lock_numbers_are_consecutive(void **state)
{
	(void)state;
	for (uint64_t logger = 1; logger <= 2; logger++) {
		size_t n = count(logger, "commit_lock", NULL);
		bool *seen = calloc(n + 1, 1);
		for (size_t i = 0; i < line_count; i++) {
			if (!is(lines[i], logger, "commit_lock", NULL)) continue;
			uint64_t seq = value(lines[i], "lock_seq");
			assert_true(seq >= 1 && seq <= n && !seen[seq]);
			seen[seq] = true;
		}
		free(seen);
	}
}

/* No acknowledgement without a sync that covers it and ended before. */
static void each_flush_is_proven_by_a_sync(void **state)
{
	(void)state;
	for (size_t i = 0; i < line_count; i++) {
		for (uint64_t logger = 1; logger <= 2; logger++) {
			if (!is(lines[i], logger, "root_flush", NULL)) continue;
			uint64_t uid = value(lines[i], "log_uid");
			uint64_t end = value(lines[i], "start_ns") + value(lines[i], "total_ns");
			bool proven = false;
			for (size_t j = 0; j < line_count && !proven; j++)
				proven = is(lines[j], logger, "sync_call", "\"success\"") &&
				         value(lines[j], "batch_max_log_uid") >= uid &&
				         value(lines[j], "start_ns") + value(lines[j], "total_ns") <= end;
			assert_true(proven);
		}
	}
}

static void flush_either_leads_or_waits_for_its_batch(void **state)
{
	(void)state;
	size_t leads = count(1, "commit_lock", "\"trigger\":\"request\"") - 1; /* close has one, too */
	size_t covered = count(1, "root_flush", "\"batch_wait_outcome\":\"covered\"");
	size_t fast = count(1, "root_flush", "\"entry_uid_fast_path\":1");
	size_t waitless = 0; /* covered between the first look and the lock */
	for (size_t i = 0; i < line_count; i++)
		waitless +=
			is(lines[i], 1, "root_flush", "\"entry_uid_fast_path\":0") && !strstr(lines[i], "batch_wait");
	assert_true(leads + covered + fast <= COMMITTERS * COMMITS);
	assert_true(leads + covered + fast + waitless >= COMMITTERS * COMMITS);
}

static void timers_are_linked(void **state)
{
	(void)state;
	size_t spawned = 0;
	for (size_t i = 0; i < line_count; i++) {
		if (!is(lines[i], 2, "timer_spawn", NULL)) continue;
		uint64_t id = value(lines[i], "timer_id"), spawn = value(lines[i], "operation_id");
		bool ran = false;
		for (size_t j = 0; j < line_count && !ran; j++)
			ran = is(lines[j], 2, "timer_run", "\"requested_delay_ms\":1") &&
			      value(lines[j], "operation_id") == id && value(lines[j], "parent_id") == spawn;
		assert_true(ran);
		spawned++;
	}
	assert_true(spawned > 0);
	assert_int_equal(count(2, "timer_run", NULL), spawned);
	assert_int_equal(count(1, "timer_run", NULL), 0);
}

static void waiter_of_a_timer_says_when_it_waited(void **state)
{
	(void)state;
	size_t registered = count(2, "commit_lock", "\"waiter_registered\"");
	assert_true(registered > 0);
	assert_int_equal(count(2, "root_flush", "\"batch_wait_outcome\":\"covered\""), registered);
	for (size_t i = 0; i < line_count; i++) {
		if (!is(lines[i], 2, "root_flush", "\"batch_wait_outcome\"")) continue;
		uint64_t start = value(lines[i], "start_ns"), wait = value(lines[i], "batch_wait_start_ns");
		assert_true(wait >= start);
		assert_true(wait + value(lines[i], "batch_wait_ns") <= start + value(lines[i], "total_ns"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(each_call_has_its_record),
		cmocka_unit_test(syncs_agree_with_the_logs_own_count),
		cmocka_unit_test(lock_numbers_are_consecutive),
		cmocka_unit_test(each_flush_is_proven_by_a_sync),
		cmocka_unit_test(flush_either_leads_or_waits_for_its_batch),
		cmocka_unit_test(timers_are_linked),
		cmocka_unit_test(waiter_of_a_timer_says_when_it_waited),
	};
	return cmocka_run_group_tests(tests, record_everything, clean_up);
}
