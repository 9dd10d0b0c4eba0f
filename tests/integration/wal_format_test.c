/* SPDX-License-Identifier: MIT */
/* The files that the log leaves, held against the description of the format by a reader that is none of the log's: in
 * them is what was appended, in order and byte by byte, in blocks whose times lie within the calls that wrote them. */
#include "cm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commitlog.h"
#include "format_check.h"
#include "scratch.h"

enum { RECORDS_MAX = 256, ENTRY_OVERHEAD = 23 };

static char scratch[SCRATCH_PATH_BYTES], directory[SCRATCH_PATH_BYTES];

/* What was appended, in order. From `durable` on, records are in memory only. */
static struct record {
	size_t bytes;
	uint64_t file_index, begun_ms, durable_ms;
} records[RECORDS_MAX];
static size_t appended, durable;

static struct commitlog *wal;

static int set_up(void **state)
{
	(void)state;
	scratch_make(scratch);
	scratch_join(directory, scratch, "log");
	appended = durable = 0;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_remove(scratch);
	return 0;
}

static uint64_t wall_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static struct commitlog_cid id_of(size_t number) { return (struct commitlog_cid){.high = ~number, .low = number}; }

static uint8_t byte_of(size_t number, size_t i) { return (uint8_t)(number * 31 + i * 7); }

static void open_log(uint64_t delay_ms, uint64_t prefill_bytes)
{
	struct commitlog_options options;
	struct commitlog_error error;
	commitlog_options_init(&options);
	options.delay_ms = delay_ms;
	options.prefill_bytes = prefill_bytes;
	options.checkpoint_limit_bytes = 2 << 20;
	options.trace = COMMITLOG_TRACE_OFF;
	if (commitlog_open(directory, &options, &error, &wal)) fail_msg("%s", error.message);
}

static uint64_t append(size_t bytes)
{
	uint64_t handle;
	uint8_t *payload = malloc(bytes);
	assert_true(payload && appended < RECORDS_MAX);
	for (size_t i = 0; i < bytes; i++) payload[i] = byte_of(appended, i);
	records[appended] = (struct record){
		.bytes = bytes, .file_index = commitlog_current_checkpoint(wal) - 1, .begun_ms = wall_ms()};
	assert_int_equal(commitlog_append(wal, id_of(appended++), payload, bytes, &handle), 0);
	free(payload);
	return handle;
}

static void now_durable(void)
{
	while (durable < appended) records[durable++].durable_ms = wall_ms();
}

static void commit(size_t bytes)
{
	assert_int_equal(commitlog_flush(wal, append(bytes)), 0);
	now_durable();
}

static void checkpoint(void)
{
	assert_int_equal(commitlog_checkpoint(wal, NULL), 0);
	now_durable();
}

static void close_log(void)
{
	assert_int_equal(commitlog_close(wal), 0);
	now_durable();
}

/* Blocks of one entry and of many; lengths that end in zero bytes; one larger than the log's first buffer. */
static void fill_file(void)
{
	static const size_t alone[] = {1, 256 - ENTRY_OVERHEAD, 65536 - ENTRY_OVERHEAD, 65536, 200000};
	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) commit(alone[i]);
	for (size_t i = 1; i < 20; i++) {
		append(i * 17);
		if (i % 6 == 0) commit(i);
	}
}

static void check_key(const struct format_entry *entry, size_t number)
{
	struct commitlog_cid id = id_of(number);
	uint8_t key[16];
	for (size_t i = 0; i < 16; i++) key[i] = (uint8_t)((i < 8 ? id.low : id.high) >> i % 8 * 8);
	assert_int_equal(entry->key_bytes, 16);
	assert_memory_equal(entry->key, key, 16);
}

static void check_entries(const struct format_log *log)
{
	assert_int_equal(log->entry_count, appended);
	for (size_t n = 0; n < appended; n++) {
		const struct format_entry *entry = &log->entries[n];
		assert_int_equal(entry->method, 1);
		check_key(entry, n);
		assert_int_equal(entry->value_bytes, records[n].bytes);
		for (size_t i = 0; i < records[n].bytes; i++)
			if (entry->value[i] != byte_of(n, i)) fail_msg("byte %zu of record %zu", i, n);
		assert_int_equal(entry->file_index, records[n].file_index);
		assert_in_range(entry->time_ms, records[n].begun_ms, records[n].durable_ms);
	}
}

/* Everything in the directory is what was appended, and files that nobody writes have no zeros at their ends. The
 * result is to be freed. */
static struct format_log check_of(const char *path)
{
	struct format_log log = {.files = NULL};
	if (!format_read_directory(&log, path)) fail_msg("%s", log.reason);
	check_entries(&log);
	return log;
}

static void check(void)
{
	struct format_log log = check_of(directory);
	for (size_t i = 0; i < log.file_count; i++) assert_int_equal(log.files[i].size, log.files[i].whole_bytes);
	format_free(&log);
}

/* ---- What the log leaves ------------------------------------------------------------------------------------ */

static void finished_files(uint64_t delay_ms, uint64_t prefill_bytes)
{
	open_log(delay_ms, prefill_bytes);
	fill_file();
	append(5);
	checkpoint();
	checkpoint(); /* an empty file */
	fill_file();
	append(6);
	close_log();
	check();
}

static void files_with_zeros_ahead_are_of_the_format_once_finished(void **state)
{
	(void)state;
	finished_files(0, 64 << 10);
}

static void files_without_zeros_ahead_are_of_the_format(void **state)
{
	(void)state;
	finished_files(0, 0);
}

static void files_of_a_log_with_a_timer_are_of_the_format(void **state)
{
	(void)state;
	finished_files(1, 64 << 10);
	finished_files(10, 0);
}

static void file_being_written_is_of_the_format_with_zeros_behind_it(void **state)
{
	(void)state;
	for (uint64_t prefill_bytes = 0; prefill_bytes <= 1 << 20; prefill_bytes += 1 << 20) {
		open_log(0, prefill_bytes);
		for (int round = 0; round < 8; round++) {
			commit(1 + (size_t)round * 40000);
			struct format_log log = check_of(directory);
			const struct format_file *last = &log.files[log.file_count - 1];
			assert_int_equal(last->size > last->whole_bytes, prefill_bytes > 0);
			format_free(&log);
		}
		close_log();
		check();
	}
}

static void file_that_was_a_spare_is_of_the_format(void **state)
{
	(void)state;
	open_log(0, 1 << 20);
	commit(1200000);
	for (int i = 0; i < 5000 && !scratch_has(directory, "commitlog.spare"); i++) usleep(1000);
	assert_true(scratch_has(directory, "commitlog.spare"));
	checkpoint();
	fill_file();
	close_log();
	assert_false(scratch_has(directory, "commitlog.spare"));
	check();
}

static void backups_are_of_the_format(void **state)
{
	(void)state;
	open_log(0, 64 << 10);
	for (int file = 0; file < 3; file++) {
		fill_file();
		checkpoint();
	}
	for (size_t n = 0; n < appended; n++) assert_int_equal(commitlog_confirm(wal, id_of(n)), 0);
	commit(9);
	assert_true(scratch_has(directory, "000000001.bak") && scratch_has(directory, "000000003.bak"));
	close_log();
	check();
}

static void file_whose_torn_tail_was_cut_is_of_the_format(void **state)
{
	(void)state;
	static const uint8_t begun[] = {1, 16, 1, 2, 3, 4, 5, 6};
	for (size_t torn = 1; torn <= sizeof begun; torn++) {
		char name[32];
		struct format_log log = {.files = NULL};
		open_log(0, 64 << 10);
		append(torn);
		commit(40);
		snprintf(name, sizeof name, "%09u", (unsigned)commitlog_current_checkpoint(wal) - 1);
		close_log();
		scratch_append(directory, name, begun, torn);
		assert_false(format_read_file(&log, directory, name));
		open_log(0, 64 << 10);
		struct commitlog_stats stats;
		commitlog_stats(wal, &stats);
		assert_int_equal(stats.torn_bytes, torn);
		close_log();
		check();
		format_free(&log);
	}
}

/* As a crash in the middle of the last write leaves it. */
static void file_whose_last_block_was_cut_short_keeps_the_blocks_before_it(void **state)
{
	(void)state;
	enum { LAST = ENTRY_OVERHEAD + 30 + 16 };
	for (size_t cut = 1; cut < LAST; cut += 4) {
		size_t n, rest;
		open_log(0, 0);
		commit(20);
		append(10);
		commit(40);
		commit(30);
		close_log();
		uint8_t *bytes = scratch_read(directory, "000000001", &n);
		scratch_write(directory, "000000001", bytes, n - cut);
		appended = durable = 3;
		open_log(0, 64 << 10);
		close_log();
		check();
		uint8_t *torn = scratch_read(directory, "000000001.torn", &rest);
		assert_in_range(LAST - cut - rest, 0, 16); /* zeros at its end aren't kept */
		assert_memory_equal(torn, bytes + n - LAST, rest);
		free(torn);
		free(bytes);
		scratch_remove(directory);
		appended = durable = 0;
	}
}

static void salvaged_files_are_of_the_format(void **state)
{
	(void)state;
	char target[SCRATCH_PATH_BYTES];
	finished_files(0, 64 << 10);
	scratch_append(directory, "000000001", "torn", 4); /* not the last file: damage */
	scratch_join(target, scratch, "salvaged");
	assert_int_equal(commitlog_repair(directory, target, NULL, NULL, NULL, NULL), 0);
	struct format_log log = check_of(target);
	format_free(&log);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(files_with_zeros_ahead_are_of_the_format_once_finished),
		IN_DIRECTORY(files_without_zeros_ahead_are_of_the_format),
		IN_DIRECTORY(files_of_a_log_with_a_timer_are_of_the_format),
		IN_DIRECTORY(file_being_written_is_of_the_format_with_zeros_behind_it),
		IN_DIRECTORY(file_that_was_a_spare_is_of_the_format),
		IN_DIRECTORY(backups_are_of_the_format),
		IN_DIRECTORY(file_whose_torn_tail_was_cut_is_of_the_format),
		IN_DIRECTORY(file_whose_last_block_was_cut_short_keeps_the_blocks_before_it),
		IN_DIRECTORY(salvaged_files_are_of_the_format),
	};
	return cmocka_run_group_tests_name("wal format", tests, NULL, NULL);
}
