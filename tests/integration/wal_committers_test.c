/* SPDX-License-Identifier: MIT */
/* Many committers at once, with payloads from small to larger than a block, block limits from the smallest up and
 * checkpoints in between. Then the files are read by a reader that is none of the log's: every record is in them once,
 * in the order of the handles, with its bytes, and in the file that it was registered with. */
#include "cm.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commitlog.h"
#include "format_check.h"
#include "scratch.h"

enum { COMMITTERS_MAX = 256, RECORDS_MIN = 48, RECORDS_MAX = COMMITTERS_MAX, SMALL = 64, CHECKPOINTS = 2 };
enum { LARGE_BYTES = 4 << 20 }; /* of large payloads, a run; the rest of its records are small */

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

/* One run: its committers take the numbers 1 … records, one after another, and commit a record for each. */
static struct run {
	struct commitlog *log;
	size_t committers, payload_bytes, records, large_every; /* each n-th record is large, the others small */
	_Atomic size_t taken, begun, problems;
	uint64_t handles[RECORDS_MAX + 1], files[RECORDS_MAX + 1]; /* by number */
} run;

static size_t bytes_of(size_t number) { return number % run.large_every ? SMALL : run.payload_bytes; }

/* The bytes of a payload are a piece of this, which differs from one number to the next. */
static uint8_t pattern[(1 << 20) + RECORDS_MAX];

static bool append(size_t number)
{
	struct commitlog_cid cid = {.high = run.committers, .low = number};
	const uint8_t *payload = pattern + number % RECORDS_MAX;
	int result;
	/* Over 64 MiB not durable: what came before is flushed. */
	while ((result = commitlog_append(run.log, cid, payload, bytes_of(number), &run.handles[number])) == -EAGAIN)
		if (commitlog_flush(run.log, commitlog_append_total(run.log))) return false;
	return !result && !commitlog_checkpoint_of(run.log, cid, &run.files[number]);
}

static void *commit_some(void *unused)
{
	for (size_t number; (number = atomic_fetch_add(&run.taken, 1) + 1) <= run.records;) {
		if (!append(number) || commitlog_flush(run.log, run.handles[number])) run.problems++;
		run.begun++;
		/* Half of them, so that some files become .bak and some wait. */
		if (number % 2) commitlog_confirm(run.log, (struct commitlog_cid){run.committers, number});
	}
	return unused;
}

static void commit_by_all(void)
{
	static pthread_t threads[COMMITTERS_MAX];
	for (size_t i = 0; i < run.committers; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, commit_some, NULL), 0);
	for (size_t i = 1; i <= CHECKPOINTS; i++) {
		while (run.begun < run.records * i / (CHECKPOINTS + 1)) sched_yield();
		assert_int_equal(commitlog_checkpoint(run.log, NULL), 0);
	}
	for (size_t i = 0; i < run.committers; i++) pthread_join(threads[i], NULL);
	assert_int_equal(run.problems, 0);
}

static uint64_t number_in(const struct format_entry *entry)
{
	uint64_t number = 0;
	for (size_t i = 8; i--;) number = number << 8 | entry->key[i];
	return number;
}

static void check_files(void)
{
	struct format_log log = {.files = NULL};
	if (!format_read_directory(&log, directory)) fail_msg("%s", log.reason);
	assert_true(log.file_count > CHECKPOINTS);
	assert_int_equal(log.entry_count, run.records);
	for (size_t i = 0; i < log.entry_count; i++) {
		const struct format_entry *entry = &log.entries[i];
		size_t number = (size_t)number_in(entry);
		assert_in_range(number, 1, run.records);
		assert_int_equal(run.handles[number], i + 1);
		assert_int_equal(run.files[number], entry->file_index);
		assert_int_equal(entry->value_bytes, bytes_of(number));
		assert_memory_equal(entry->value, pattern + number % RECORDS_MAX, entry->value_bytes);
	}
	format_free(&log);
}

static void open_log(uint64_t delay_ms, uint64_t block_limit_bytes)
{
	struct commitlog_options options;
	struct commitlog_error error;
	commitlog_options_init(&options);
	options.delay_ms = delay_ms;
	options.block_limit_bytes = block_limit_bytes;
	options.checkpoint_limit_bytes = 2 << 20;
	options.prefill_bytes = delay_ms ? 0 : 64 << 10; /* zeros written ahead take most of a run's time */
	options.trace = COMMITLOG_TRACE_OFF;
	if (commitlog_open(directory, &options, &error, &run.log)) fail_msg("%s", error.message);
}

static void run_once(size_t committers, size_t payload_bytes, uint64_t delay_ms, uint64_t block_limit_bytes)
{
	size_t large = LARGE_BYTES / payload_bytes;
	memset(&run, 0, sizeof run);
	run.committers = committers;
	run.payload_bytes = payload_bytes;
	run.records = committers > RECORDS_MIN ? committers : RECORDS_MIN;
	run.large_every = large >= run.records ? 1 : run.records / large;
	scratch_join(directory, scratch, "run");
	open_log(delay_ms, block_limit_bytes);
	commit_by_all();
	assert_int_equal(commitlog_close(run.log), 0);
	check_files();
	scratch_remove(directory);
}

static const size_t payloads[] = {64, 4 << 10, 64 << 10, 1 << 20};

enum { PAYLOADS = sizeof payloads / sizeof *payloads };

/* Without a timer the block limit has no part in it. */
static void of_leaders(size_t committers)
{
	for (size_t i = 0; i < PAYLOADS; i++) run_once(committers, payloads[i], 0, 8 << 10);
}

static void of_a_timer(size_t committers)
{
	static const uint64_t block_limits[] = {2 << 10, 64 << 10, 2 << 20};
	for (size_t i = 0; i < PAYLOADS; i++)
		for (size_t j = 0; j < 3; j++) run_once(committers, payloads[i], 1, block_limits[j]);
}

#define MATRIX(committers) \
	static void files_of_##committers##_by_leaders(void **state) \
	{ \
		(void)state; \
		of_leaders(committers); \
	} \
	static void files_of_##committers##_with_a_timer(void **state) \
	{ \
		(void)state; \
		of_a_timer(committers); \
	}

MATRIX(1)
MATRIX(4)
MATRIX(64)
MATRIX(256)

/* ---- Rotation while others append --------------------------------------------------------------------------- */

enum { APPENDERS = 4, APPENDS = 250, ROTATIONS = 25 };

struct appender {
	pthread_t thread;
	struct commitlog *log;
	uint64_t number;
	int error;
	uint64_t files[APPENDS]; /* that each record was registered with */
};

static void *append_some(void *argument)
{
	struct appender *a = argument;
	for (uint64_t n = 0; n < APPENDS && !a->error; n++) {
		struct commitlog_cid cid = {.high = a->number, .low = n};
		a->error = commitlog_append(a->log, cid, "pending", 7, NULL);
		if (!a->error) a->error = commitlog_checkpoint_of(a->log, cid, &a->files[n]);
		if (n % 8 == 0) sched_yield();
	}
	return NULL;
}

static void check_appended(const struct appender *appenders)
{
	struct format_log log = {.files = NULL};
	uint64_t next[APPENDERS] = {0};
	if (!format_read_directory(&log, directory)) fail_msg("%s", log.reason);
	assert_int_equal(log.entry_count, APPENDERS * APPENDS);
	for (size_t i = 0; i < log.entry_count; i++) {
		const struct format_entry *entry = &log.entries[i];
		const uint8_t *key = entry->key; /* low half first */
		uint64_t number = key[8], n = key[0] + 256u * key[1];
		assert_true(number < APPENDERS && n == next[number]++);
		assert_int_equal(appenders[number].files[n], entry->file_index);
	}
	format_free(&log);
}

/* Nothing is flushed: the rotations alone decide which records go to which file. */
static void rotation_leaves_pending_appends_in_the_file_they_were_registered_with(void **state)
{
	(void)state;
	static struct appender appenders[APPENDERS];
	scratch_join(directory, scratch, "run");
	open_log(0, 8 << 10);
	struct commitlog *log = run.log;
	for (uint64_t i = 0; i < APPENDERS; i++) {
		appenders[i] = (struct appender){.log = log, .number = i};
		assert_int_equal(pthread_create(&appenders[i].thread, NULL, append_some, &appenders[i]), 0);
	}
	for (int i = 1; i <= ROTATIONS; i++) {
		while (commitlog_append_total(log) < (uint64_t)(APPENDERS * APPENDS * i / (ROTATIONS + 1)))
			sched_yield();
		assert_int_equal(commitlog_checkpoint(log, NULL), 0);
	}
	for (int i = 0; i < APPENDERS; i++) {
		pthread_join(appenders[i].thread, NULL);
		assert_int_equal(appenders[i].error, 0);
	}
	assert_int_equal(commitlog_close(log), 0);
	check_appended(appenders);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(files_of_1_by_leaders),
		IN_DIRECTORY(files_of_1_with_a_timer),
		IN_DIRECTORY(files_of_4_by_leaders),
		IN_DIRECTORY(files_of_4_with_a_timer),
		IN_DIRECTORY(files_of_64_by_leaders),
		IN_DIRECTORY(files_of_64_with_a_timer),
		IN_DIRECTORY(files_of_256_by_leaders),
		IN_DIRECTORY(files_of_256_with_a_timer),
		IN_DIRECTORY(rotation_leaves_pending_appends_in_the_file_they_were_registered_with),
	};
	for (size_t i = 0; i < sizeof pattern; i++) pattern[i] = (uint8_t)((i * 2654435761u) >> 13);
	return cmocka_run_group_tests_name("wal committers", tests, NULL, NULL);
}
