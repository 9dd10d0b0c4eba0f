/* SPDX-License-Identifier: MIT */
/* The log through its public calls, on real files. */
#include "cm.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commitlog.h"
#include "scratch.h"

static struct commitlog_cid id(uint64_t n) { return (struct commitlog_cid){.high = 9, .low = n}; }

static void plain_options(struct commitlog_options *options, uint64_t delay_ms)
{
	commitlog_options_init(options);
	options->delay_ms = delay_ms;
	options->checkpoint_limit_bytes = 2 << 20;
	options->prefill_bytes = 1 << 20;
	options->trace = COMMITLOG_TRACE_OFF;
}

static struct commitlog *open_log(const char *directory, uint64_t delay_ms)
{
	struct commitlog_options options;
	struct commitlog_error error;
	struct commitlog *log;
	plain_options(&options, delay_ms);
	if (commitlog_open(directory, &options, &error, &log)) fail_msg("%s", error.message);
	return log;
}

static uint64_t append(struct commitlog *log, uint64_t n, size_t bytes)
{
	uint64_t handle;
	char *payload = malloc(bytes);
	memset(payload, (int)(n % 251), bytes);
	assert_int_equal(commitlog_append(log, id(n), payload, bytes, &handle), 0);
	free(payload);
	return handle;
}

static void commit(struct commitlog *log, uint64_t n, size_t bytes)
{
	assert_int_equal(commitlog_flush(log, append(log, n, bytes)), 0);
}

static struct commitlog_stats stats_of(struct commitlog *log)
{
	struct commitlog_stats stats;
	commitlog_stats(log, &stats);
	return stats;
}

struct seen {
	uint64_t ids[64];
	uint64_t files[64];
	size_t count;
};

static int see(void *context, const struct commitlog_entry *entry)
{
	struct seen *seen = context;
	if (seen->count == 64) return 1;
	seen->files[seen->count] = entry->file_index;
	seen->ids[seen->count++] = entry->cid.low;
	return 0;
}

static struct seen read_all(const char *directory, enum commitlog_scan_files files)
{
	struct seen seen = {.count = 0};
	struct commitlog_error error;
	if (commitlog_scan(directory, files, see, &seen, NULL, &error)) fail_msg("%s", error.message);
	return seen;
}

/* Each test gets a directory of its own, in which the log's doesn't exist yet. */
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

static void handles_count_from_one_and_empty_payloads_are_none(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 0);
	uint64_t handle = 7;
	assert_int_equal(commitlog_append(log, id(1), NULL, 0, &handle), 0);
	assert_int_equal(handle, 0);
	assert_int_equal(commitlog_flush(log, 0), 0);
	assert_int_equal(append(log, 1, 10), 1);
	assert_int_equal(append(log, 2, 10), 2);
	assert_int_equal(commitlog_append_total(log), 2);
	assert_int_equal(commitlog_waiting_confirm_count(log), 2);
	assert_int_equal(commitlog_flush(log, 3), -EINVAL);
	assert_int_equal(commitlog_flush(log, 2), 0);
	assert_int_equal(stats_of(log).durable, 2);
	assert_int_equal(commitlog_flush(log, 1), 0);
	assert_int_equal(stats_of(log).commit_syncs, 1);
	assert_int_equal(commitlog_close(log), 0);
}

static void payload_at_its_limit_is_taken_and_past_it_refused(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 0);
	char *payload = calloc(1, COMMITLOG_MAX_PAYLOAD + 1);
	uint64_t handle;
	assert_int_equal(commitlog_append(log, id(1), payload, COMMITLOG_MAX_PAYLOAD + 1, &handle), -EMSGSIZE);
	assert_int_equal(commitlog_append(log, id(1), payload, COMMITLOG_MAX_PAYLOAD, &handle), 0);
	assert_int_equal(commitlog_append(log, id(2), payload, COMMITLOG_MAX_PAYLOAD, &handle), -EAGAIN);
	assert_int_equal(commitlog_append(log, id(2), payload, COMMITLOG_MAX_PAYLOAD - 100, &handle), 0);
	assert_int_equal(commitlog_append(log, id(3), payload, 100, &handle), -EAGAIN);
	assert_int_equal(commitlog_flush(log, 2), 0);
	assert_int_equal(commitlog_append(log, id(3), payload, 100, &handle), 0);
	assert_int_equal(handle, 3);
	free(payload);
	assert_int_equal(commitlog_close(log), 0);
	assert_int_equal(read_all(directory, COMMITLOG_SCAN_LIVE).count, 3);
}

static void what_was_appended_is_read_back_in_order_after_close(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 0);
	for (uint64_t n = 1; n <= 20; n++) {
		if (n % 3) append(log, n, n);
		else commit(log, n, n);
	}
	assert_int_equal(commitlog_close(log), 0);
	struct seen seen = read_all(directory, COMMITLOG_SCAN_LIVE);
	assert_int_equal(seen.count, 20);
	for (uint64_t n = 1; n <= 20; n++) assert_int_equal(seen.ids[n - 1], n);
	log = open_log(directory, 0);
	assert_int_equal(stats_of(log).found_records, 20);
	assert_int_equal(stats_of(log).found_files, 1);
	assert_int_equal(commitlog_current_checkpoint(log), 3);
	assert_int_equal(commitlog_close(log), 0);
}

static void closed_file_has_its_true_length(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 0);
	commit(log, 1, 100);
	assert_int_equal(commitlog_close(log), 0);
	size_t n;
	free(scratch_read(directory, "000000001", &n));
	assert_int_equal(n, 23 + 100 + 16);
}

static void out_of_range_options_fall_back_and_are_reported(void **state)
{
	(void)state;
	struct commitlog_options options = {.block_limit_bytes = 2047,
	                                    .delay_ms = 11,
	                                    .checkpoint_limit_bytes = 2097151,
	                                    .collect_interval_ms = 4999,
	                                    .prefill_bytes = 65535,
	                                    .trace = COMMITLOG_TRACE_OFF};
	struct commitlog *log;
	assert_int_equal(commitlog_open(directory, &options, NULL, &log), 0);
	struct commitlog_stats stats = stats_of(log);
	assert_int_equal(stats.fallbacks, 31);
	assert_int_equal(stats.options.block_limit_bytes, 8192);
	assert_int_equal(stats.options.delay_ms, 1);
	assert_int_equal(stats.options.checkpoint_limit_bytes, 32 << 20);
	assert_int_equal(stats.options.collect_interval_ms, 10000);
	assert_int_equal(stats.options.prefill_bytes, 32 << 20);
	assert_int_equal(commitlog_close(log), 0);
}

static void options_at_their_bounds_are_taken(void **state)
{
	(void)state;
	struct commitlog_options options = {.block_limit_bytes = 2048,
	                                    .delay_ms = 10,
	                                    .checkpoint_limit_bytes = 2097152,
	                                    .collect_interval_ms = 300000,
	                                    .prefill_bytes = 65536,
	                                    .trace = COMMITLOG_TRACE_OFF};
	struct commitlog *log;
	assert_int_equal(commitlog_open(directory, &options, NULL, &log), 0);
	assert_int_equal(stats_of(log).fallbacks, 0);
	assert_int_equal(commitlog_close(log), 0);
}

static void directory_is_open_once(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 0), *second;
	struct commitlog_error error;
	assert_int_equal(commitlog_open(directory, NULL, &error, &second), -EWOULDBLOCK);
	assert_null(second);
	assert_non_null(strstr(error.message, "open elsewhere"));
	assert_int_equal(commitlog_close(log), 0);
	log = open_log(directory, 0);
	assert_int_equal(commitlog_close(log), 0);
}

static void bad_directories_get_a_clear_error(void **state)
{
	(void)state;
	struct commitlog *log;
	struct commitlog_error error;
	char path[SCRATCH_PATH_BYTES], longer[COMMITLOG_MAX_DIRECTORY + 2];
	scratch_write(scratch, "file", "x", 1);
	scratch_join(path, scratch, "file");
	assert_int_equal(commitlog_open(path, NULL, &error, &log), -ENOTDIR);
	assert_int_equal(commitlog_scan(path, COMMITLOG_SCAN_LIVE, NULL, NULL, NULL, &error), -ENOTDIR);
	scratch_join(path, scratch, "none/log");
	assert_int_equal(commitlog_open(path, NULL, &error, &log), -ENOENT);
	assert_int_equal(commitlog_open("", NULL, &error, &log), -ENOENT);
	memset(longer, 'a', sizeof longer);
	longer[sizeof longer - 1] = 0;
	assert_int_equal(commitlog_open(longer, NULL, &error, &log), -ENAMETOOLONG);
	assert_true(error.message[0]);
	assert_null(log);
}

static void checkpoint_keeps_each_record_in_the_file_it_was_registered_with(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 0);
	uint64_t index, file;
	append(log, 1, 50);
	uint64_t handle = append(log, 2, 50);
	assert_int_equal(commitlog_checkpoint(log, &index), 0);
	assert_int_equal(index, 2);
	assert_int_equal(commitlog_current_checkpoint(log), 3);
	assert_int_equal(stats_of(log).durable, handle);
	commit(log, 3, 50);
	assert_int_equal(commitlog_checkpoint_of(log, id(2), &file), 0);
	assert_int_equal(file, 1);
	assert_int_equal(commitlog_checkpoint_of(log, id(3), &file), 0);
	assert_int_equal(file, 2);
	assert_int_equal(commitlog_checkpoint_of(log, id(4), &file), -ENOENT);
	assert_int_equal(commitlog_close(log), 0);
	struct seen seen = read_all(directory, COMMITLOG_SCAN_LIVE);
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.files[1], 1);
	assert_int_equal(seen.files[2], 2);
}

static void confirmed_files_become_bak_in_order(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 0);
	commit(log, 1, 50);
	assert_int_equal(commitlog_checkpoint(log, NULL), 0);
	assert_int_equal(commitlog_checkpoint(log, NULL), 0); /* file 2 stays empty */
	commit(log, 3, 50);
	assert_int_equal(commitlog_checkpoint(log, NULL), 0);
	assert_int_equal(commitlog_confirm(log, id(3)), 0);
	assert_true(scratch_has(directory, "000000002") && scratch_has(directory, "000000003"));
	assert_int_equal(commitlog_confirm(log, id(1)), 0);
	assert_true(scratch_has(directory, "000000001.bak"));
	assert_true(scratch_has(directory, "000000002.bak"));
	assert_true(scratch_has(directory, "000000003.bak"));
	assert_true(scratch_has(directory, "000000004"));
	assert_int_equal(commitlog_confirm(log, id(1)), 0);
	assert_int_equal(commitlog_confirm(log, id(77)), 0);
	assert_int_equal(commitlog_confirm_total(log), 2);
	assert_int_equal(commitlog_close(log), 0);
	assert_int_equal(read_all(directory, COMMITLOG_SCAN_LIVE).count, 0);
	assert_int_equal(read_all(directory, COMMITLOG_SCAN_ALL).count, 2);
}

static void file_over_its_limit_is_rotated_by_a_confirm(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 0);
	commit(log, 1, 100);
	commit(log, 2, 2 << 20);
	assert_int_equal(commitlog_confirm(log, id(2)), 0);
	assert_int_equal(stats_of(log).rotations, 1);
	assert_true(scratch_has(directory, "000000001"));
	assert_int_equal(commitlog_confirm(log, id(1)), 0);
	assert_true(scratch_has(directory, "000000001.bak"));
	assert_int_equal(commitlog_close(log), 0);
}

static void spare_serves_the_next_file(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 0);
	commit(log, 1, 1 << 20);
	for (int i = 0; i < 5000 && !scratch_has(directory, "commitlog.spare"); i++) usleep(1000);
	assert_true(scratch_has(directory, "commitlog.spare"));
	usleep(100000);
	assert_int_equal(commitlog_checkpoint(log, NULL), 0);
	commit(log, 2, 100);
	assert_int_equal(commitlog_close(log), 0);
	assert_false(scratch_has(directory, "commitlog.spare"));
	assert_int_equal(read_all(directory, COMMITLOG_SCAN_LIVE).count, 2);
}

static void torn_tail_is_cut_and_kept(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 0);
	commit(log, 1, 100);
	assert_int_equal(commitlog_close(log), 0);
	scratch_append(directory, "000000001", "\1\20\0torn", 7);
	struct commitlog_scan_summary sum;
	assert_int_equal(commitlog_scan(directory, COMMITLOG_SCAN_LIVE, NULL, NULL, &sum, NULL), 0);
	assert_int_equal(sum.torn_bytes, 7);
	assert_string_equal(sum.torn_file, "000000001");
	log = open_log(directory, 0);
	assert_int_equal(stats_of(log).torn_bytes, 7);
	assert_int_equal(stats_of(log).found_records, 1);
	assert_int_equal(commitlog_close(log), 0);
	size_t n;
	uint8_t *bytes = scratch_read(directory, "000000001.torn", &n);
	assert_int_equal(n, 7);
	assert_memory_equal(bytes, "\1\20\0torn", 7);
	free(bytes);
	free(scratch_read(directory, "000000001", &n));
	assert_int_equal(n, 139);
}

static void damage_is_refused_and_nothing_changed(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 0);
	commit(log, 1, 100);
	commit(log, 2, 100);
	assert_int_equal(commitlog_close(log), 0);
	size_t n, after;
	uint8_t *bytes = scratch_read(directory, "000000001", &n);
	bytes[50] ^= 1;
	scratch_write(directory, "000000001", bytes, n);
	struct commitlog_error error;
	assert_int_equal(commitlog_open(directory, NULL, &error, &log), -EBADMSG);
	assert_non_null(strstr(error.message, "000000001"));
	assert_non_null(strstr(error.message, "offset 0"));
	assert_non_null(strstr(error.message, "a valid block follows at offset 139"));
	uint8_t *now = scratch_read(directory, "000000001", &after);
	assert_int_equal(after, n);
	assert_memory_equal(now, bytes, n);
	assert_false(scratch_has(directory, "000000001.torn"));
	free(now);
	free(bytes);
}

static void torn_tail_of_an_older_file_is_damage(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 0);
	commit(log, 1, 100);
	assert_int_equal(commitlog_checkpoint(log, NULL), 0);
	commit(log, 2, 100);
	assert_int_equal(commitlog_close(log), 0);
	scratch_append(directory, "000000001", "torn", 4);
	struct commitlog_error error;
	assert_int_equal(commitlog_open(directory, NULL, &error, &log), -EBADMSG);
	assert_non_null(strstr(error.message, "isn't the last file"));
}

static void unknown_files_are_left_alone(void **state)
{
	(void)state;
	static const char *const names[] = {"notes",      "00000001",  "000000001.tmp",
	                                    "0000000001", "000000000", "12345678x"};
	struct commitlog *log = open_log(directory, 0);
	assert_int_equal(commitlog_close(log), 0);
	for (size_t i = 0; i < 6; i++) scratch_write(directory, names[i], "x", 1);
	log = open_log(directory, 0);
	commit(log, 1, 10);
	assert_int_equal(commitlog_close(log), 0);
	for (size_t i = 0; i < 6; i++) {
		size_t n;
		free(scratch_read(directory, names[i], &n));
		assert_int_equal(n, 1);
	}
}

static void reopening_without_records_makes_no_more_files(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) assert_int_equal(commitlog_close(open_log(directory, 0)), 0);
	assert_true(scratch_has(directory, "000000001"));
	assert_false(scratch_has(directory, "000000002"));
}

/* ---- Many threads ------------------------------------------------------------------------------------------- */

enum { COMMITTERS = 16, COMMITS = 200 };

struct committer {
	pthread_t thread;
	struct commitlog *log;
	uint64_t number;
	int error;
};

static void *commit_many(void *argument)
{
	struct committer *c = argument;
	char payload[300];
	memset(payload, 5, sizeof payload);
	for (uint64_t n = 1; n <= COMMITS && !c->error; n++) {
		struct commitlog_cid cid = {.high = c->number, .low = n};
		uint64_t handle;
		c->error = commitlog_append(c->log, cid, payload, 1 + n % sizeof payload, &handle);
		if (!c->error) c->error = commitlog_flush(c->log, handle);
		if (!c->error) c->error = commitlog_confirm(c->log, cid);
	}
	return NULL;
}

static int count_in_order(void *context, const struct commitlog_entry *entry)
{
	uint64_t *newest = context;
	return entry->cid.low == ++newest[entry->cid.high] ? 0 : -ERANGE;
}

static void commit_by_many(uint64_t delay_ms, int checkpoints)
{
	struct commitlog *log = open_log(directory, delay_ms);
	struct committer committers[COMMITTERS] = {0};
	uint64_t newest[COMMITTERS] = {0};
	for (unsigned i = 0; i < COMMITTERS; i++) {
		committers[i].log = log;
		committers[i].number = i;
		assert_int_equal(pthread_create(&committers[i].thread, NULL, commit_many, &committers[i]), 0);
	}
	for (int i = 0; i < checkpoints; i++) assert_int_equal(commitlog_checkpoint(log, NULL), 0);
	for (unsigned i = 0; i < COMMITTERS; i++) {
		pthread_join(committers[i].thread, NULL);
		assert_int_equal(committers[i].error, 0);
	}
	assert_int_equal(stats_of(log).durable, COMMITTERS * COMMITS);
	assert_int_equal(commitlog_waiting_confirm_count(log), 0);
	assert_int_equal(commitlog_close(log), 0);
	assert_int_equal(commitlog_scan(directory, COMMITLOG_SCAN_ALL, count_in_order, newest, NULL, NULL), 0);
	for (unsigned i = 0; i < COMMITTERS; i++) assert_int_equal(newest[i], COMMITS);
}

static void leaders_commit_everyone_in_order(void **state)
{
	(void)state;
	commit_by_many(0, 0);
}

static void leaders_and_checkpoints_together(void **state)
{
	(void)state;
	commit_by_many(0, 20);
}

static void timers_commit_everyone_in_order(void **state)
{
	(void)state;
	commit_by_many(1, 0);
}

static void timers_and_checkpoints_together(void **state)
{
	(void)state;
	commit_by_many(1, 20);
}

static void lone_flush_waits_for_the_timer(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 10);
	struct timespec begin, end;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	commit(log, 1, 10);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_true((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec >= 10000000);
	assert_int_equal(commitlog_close(log), 0);
}

static void full_block_is_committed_without_the_timer(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 10);
	commit(log, 1, 8192);
	assert_int_equal(stats_of(log).batches, 1);
	assert_int_equal(commitlog_close(log), 0);
}

/* The timer of a batch that a size owner committed runs out while a younger batch is filling. */
static void stale_timer_leaves_the_younger_batch_alone(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 10);
	commit(log, 1, 8192);
	append(log, 2, 10);
	usleep(30000);
	assert_int_equal(stats_of(log).durable, 1);
	assert_int_equal(commitlog_close(log), 0);
}

static void *flush_one(void *argument)
{
	struct committer *c = argument;
	c->error = commitlog_flush(c->log, c->number);
	return NULL;
}

static void close_settles_flushes_that_wait(void **state)
{
	(void)state;
	struct commitlog *log = open_log(directory, 10);
	struct committer c = {.log = log, .number = append(log, 1, 10), .error = 1};
	assert_int_equal(pthread_create(&c.thread, NULL, flush_one, &c), 0);
	usleep(3000);
	assert_int_equal(commitlog_close(log), 0);
	pthread_join(c.thread, NULL);
	assert_int_equal(c.error, 0);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(handles_count_from_one_and_empty_payloads_are_none),
		IN_DIRECTORY(payload_at_its_limit_is_taken_and_past_it_refused),
		IN_DIRECTORY(what_was_appended_is_read_back_in_order_after_close),
		IN_DIRECTORY(closed_file_has_its_true_length),
		IN_DIRECTORY(out_of_range_options_fall_back_and_are_reported),
		IN_DIRECTORY(options_at_their_bounds_are_taken),
		IN_DIRECTORY(directory_is_open_once),
		IN_DIRECTORY(bad_directories_get_a_clear_error),
		IN_DIRECTORY(checkpoint_keeps_each_record_in_the_file_it_was_registered_with),
		IN_DIRECTORY(confirmed_files_become_bak_in_order),
		IN_DIRECTORY(file_over_its_limit_is_rotated_by_a_confirm),
		IN_DIRECTORY(spare_serves_the_next_file),
		IN_DIRECTORY(torn_tail_is_cut_and_kept),
		IN_DIRECTORY(damage_is_refused_and_nothing_changed),
		IN_DIRECTORY(torn_tail_of_an_older_file_is_damage),
		IN_DIRECTORY(unknown_files_are_left_alone),
		IN_DIRECTORY(reopening_without_records_makes_no_more_files),
		IN_DIRECTORY(leaders_commit_everyone_in_order),
		IN_DIRECTORY(leaders_and_checkpoints_together),
		IN_DIRECTORY(timers_commit_everyone_in_order),
		IN_DIRECTORY(timers_and_checkpoints_together),
		IN_DIRECTORY(lone_flush_waits_for_the_timer),
		IN_DIRECTORY(full_block_is_committed_without_the_timer),
		IN_DIRECTORY(stale_timer_leaves_the_younger_batch_alone),
		IN_DIRECTORY(close_settles_flushes_that_wait),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
