/* SPDX-License-Identifier: MIT */
/* What a reopened log gives back, and which files it then lets go. */
#include "cm.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "commitlog.h"
#include "scratch.h"
#include "waltrace.h"

enum { SEEN_MAX = 256 };

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

static struct commitlog_cid id(uint64_t n) { return (struct commitlog_cid){.high = 5, .low = n}; }

static struct commitlog *open_log(void)
{
	struct commitlog_options options;
	struct commitlog_error error;
	struct commitlog *log;
	commitlog_options_init(&options);
	options.checkpoint_limit_bytes = 2 << 20;
	options.prefill_bytes = 64 << 10;
	options.trace = COMMITLOG_TRACE_OFF;
	if (commitlog_open(directory, &options, &error, &log)) fail_msg("%s", error.message);
	return log;
}

static void commit(struct commitlog *log, uint64_t n, size_t bytes)
{
	uint64_t handle;
	char *payload = malloc(bytes);
	memset(payload, (int)(n % 251), bytes);
	assert_int_equal(commitlog_append(log, id(n), payload, bytes, &handle), 0);
	assert_int_equal(commitlog_flush(log, handle), 0);
	free(payload);
}

static struct commitlog_stats stats_of(struct commitlog *log)
{
	struct commitlog_stats stats;
	commitlog_stats(log, &stats);
	return stats;
}

/* Files 1 … `files`, with `each` records of n % 200 + 1 bytes in each; ids count from 1. Then closed. */
static void write_log(unsigned files, unsigned each)
{
	struct commitlog *log = open_log();
	uint64_t n = 0;
	for (unsigned f = 0; f < files; f++) {
		if (f) assert_int_equal(commitlog_checkpoint(log, NULL), 0);
		for (unsigned i = 0; i < each; i++) {
			n++;
			commit(log, n, n % 200 + 1);
		}
	}
	assert_int_equal(commitlog_close(log), 0);
}

static bool has(unsigned index, const char *suffix)
{
	char name[32];
	snprintf(name, sizeof name, "%09u%s", index, suffix);
	return scratch_has(directory, name);
}

/* A callback: notes what it sees; registers it if asked; fails at the `fail_at`-th with `fail_with`. */
struct replayed {
	struct commitlog *log;
	bool registers, confirms;
	size_t fail_at;
	int fail_with;
	struct commitlog_entry seen[SEEN_MAX];
	size_t count;
};

static int see(void *context, const struct commitlog_entry *entry)
{
	struct replayed *r = context;
	uint64_t handle = 9;
	assert_true(r->count < SEEN_MAX);
	r->seen[r->count++] = *entry;
	if (r->count == r->fail_at) return r->fail_with;
	if (r->registers) {
		assert_int_equal(commitlog_append_replay(r->log, entry, &handle), 0);
		assert_int_equal(commitlog_flush_replay(r->log, handle), 0);
	}
	if (r->confirms) assert_int_equal(commitlog_confirm_replay(r->log, entry->cid), 0);
	return 0;
}

static struct commitlog_replay_summary replay(struct replayed *r)
{
	struct commitlog_replay_summary sum;
	if (commitlog_replay(r->log, see, r, &sum)) fail_msg("%s", sum.error.message);
	return sum;
}

static uint64_t wall_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

static int check_value(void *context, const struct commitlog_entry *entry)
{
	uint64_t *last = context, n = ++*last;
	assert_int_equal(entry->cid.low, n);
	assert_int_equal(entry->cid.high, 5);
	assert_int_equal(entry->method, COMMITLOG_METHOD_APPEND);
	assert_int_equal(entry->key_bytes, 16);
	assert_int_equal(entry->file_index, (n - 1) / 20 + 1);
	assert_int_equal(entry->value_bytes, n % 200 + 1);
	for (size_t i = 0; i < entry->value_bytes; i++) assert_int_equal(((const uint8_t *)entry->value)[i], n % 251);
	return 0;
}

static void gives_all_that_was_committed_in_order_with_its_bytes(void **state)
{
	(void)state;
	write_log(3, 20);
	struct commitlog *log = open_log();
	uint64_t last = 0;
	struct commitlog_replay_summary sum;
	assert_int_equal(commitlog_replay(log, check_value, &last, &sum), 0);
	assert_int_equal(last, 60);
	assert_int_equal(sum.files, 3);
	assert_int_equal(sum.error.code, 0);
	assert_int_equal(commitlog_close(log), 0);
}

static void counts_are_of_values_and_sixteen_for_each(void **state)
{
	(void)state;
	write_log(2, 10);
	struct commitlog *log = open_log();
	struct commitlog_replay_summary sum;
	uint64_t bytes = 0;
	for (uint64_t n = 1; n <= 20; n++) bytes += n % 200 + 1 + 16;
	assert_int_equal(commitlog_replay(log, NULL, NULL, &sum), 0);
	assert_int_equal(sum.records, 20);
	assert_int_equal(sum.bytes, bytes);
	assert_int_equal(commitlog_close(log), 0);
}

static void times_are_those_of_the_blocks(void **state)
{
	(void)state;
	uint64_t before = wall_ms();
	write_log(1, 5);
	uint64_t after = wall_ms();
	struct replayed r = {.log = open_log()};
	replay(&r);
	for (size_t i = 0; i < r.count; i++) assert_in_range(r.seen[i].block_time_ms, before, after);
	assert_int_equal(commitlog_close(r.log), 0);
}

static void new_log_has_nothing_to_replay(void **state)
{
	(void)state;
	struct replayed r = {.log = open_log()};
	assert_false(stats_of(r.log).needs_replay);
	assert_int_equal(commitlog_finish_replay(r.log), -EINVAL);
	assert_int_equal(replay(&r).records, 0);
	assert_int_equal(commitlog_finish_replay(r.log), 0);
	assert_int_equal(commitlog_close(r.log), 0);
}

static void confirmed_files_are_not_replayed(void **state)
{
	(void)state;
	struct commitlog *log = open_log();
	commit(log, 1, 10);
	assert_int_equal(commitlog_checkpoint(log, NULL), 0);
	assert_int_equal(commitlog_confirm(log, id(1)), 0);
	commit(log, 2, 10);
	assert_int_equal(commitlog_close(log), 0);
	assert_true(has(1, ".bak"));
	struct replayed r = {.log = open_log()};
	replay(&r);
	assert_int_equal(r.count, 1);
	assert_int_equal(r.seen[0].cid.low, 2);
	assert_int_equal(commitlog_close(r.log), 0);
}

static void error_of_the_callback_is_returned_and_replay_begins_again(void **state)
{
	(void)state;
	write_log(2, 10);
	struct replayed r = {.log = open_log(), .registers = true, .fail_at = 13, .fail_with = -EDOM};
	struct commitlog_replay_summary sum;
	assert_int_equal(commitlog_replay(r.log, see, &r, &sum), -EDOM);
	assert_int_equal(sum.records, 13);
	assert_int_equal(commitlog_finish_replay(r.log), -EINVAL);
	assert_int_equal(commitlog_append_replay(r.log, &r.seen[0], NULL), -EINVAL);
	r.count = 0;
	r.fail_with = 77;
	assert_int_equal(commitlog_replay(r.log, see, &r, NULL), 77);
	r.count = r.fail_at = 0;
	assert_int_equal(replay(&r).records, 20);
	assert_int_equal(r.seen[0].cid.low, 1);
	assert_int_equal(commitlog_waiting_confirm_count(r.log), 20);
	assert_int_equal(commitlog_finish_replay(r.log), 0);
	assert_true(has(1, ""));
	assert_int_equal(commitlog_close(r.log), 0);
}

static void file_that_was_damaged_after_open_is_refused(void **state)
{
	(void)state;
	write_log(2, 3);
	struct replayed r = {.log = open_log()};
	struct commitlog_replay_summary sum;
	size_t n;
	uint8_t *bytes = scratch_read(directory, "000000002", &n);
	bytes[30] ^= 1;
	scratch_write(directory, "000000002", bytes, n);
	free(bytes);
	assert_int_equal(commitlog_replay(r.log, see, &r, &sum), -EBADMSG);
	assert_int_equal(r.count, 3);
	assert_non_null(strstr(sum.error.message, "000000002: the block at offset 0"));
	assert_int_equal(commitlog_finish_replay(r.log), -EINVAL);
	assert_int_equal(commitlog_close(r.log), 0);
	assert_true(has(1, ""));
}

/* ---- Which files become .bak -------------------------------------------------------------------------------- */

static void without_replay_nothing_becomes_a_bak(void **state)
{
	(void)state;
	write_log(1, 2);
	struct commitlog *log = open_log();
	assert_true(stats_of(log).needs_replay);
	commit(log, 10, 10);
	assert_int_equal(commitlog_checkpoint(log, NULL), 0);
	assert_int_equal(commitlog_confirm(log, id(10)), 0);
	assert_int_equal(commitlog_replay(log, NULL, NULL, NULL), 0);
	assert_int_equal(commitlog_close(log), 0);
	assert_true(has(1, ""));
	assert_true(has(2, ""));
}

static void files_that_nobody_registers_become_bak_at_finish(void **state)
{
	(void)state;
	write_log(40, 1); /* more than one operation's renames */
	struct replayed r = {.log = open_log()};
	replay(&r);
	assert_true(has(1, ""));
	assert_int_equal(commitlog_finish_replay(r.log), 0);
	for (unsigned f = 1; f <= 40; f++) assert_true(has(f, ".bak"));
	assert_int_equal(stats_of(r.log).backups, 40);
	assert_false(stats_of(r.log).needs_replay);
	assert_int_equal(commitlog_close(r.log), 0);
}

static void registered_records_hold_their_file_and_younger_ones(void **state)
{
	(void)state;
	write_log(4, 2); /* ids 1 2 | 3 4 | 5 6 | 7 8 */
	struct replayed r = {.log = open_log()};
	uint64_t index;
	replay(&r);
	assert_int_equal(commitlog_append_replay(r.log, &r.seen[3], NULL), 0);
	assert_int_equal(commitlog_checkpoint_of(r.log, id(4), &index), 0);
	assert_int_equal(index, 2);
	assert_int_equal(commitlog_finish_replay(r.log), 0);
	assert_true(has(1, ".bak"));
	assert_true(has(2, "") && has(3, "") && has(4, ""));
	assert_int_equal(commitlog_confirm(r.log, id(4)), 0);
	assert_true(has(2, ".bak") && has(3, ".bak") && has(4, ".bak"));
	assert_int_equal(commitlog_close(r.log), 0);
}

static void buffered_confirms_take_effect_at_finish(void **state)
{
	(void)state;
	write_log(2, 2);
	struct replayed r = {.log = open_log(), .registers = true, .confirms = true};
	uint64_t index;
	replay(&r);
	assert_int_equal(commitlog_confirm_replay(r.log, id(1)), 0);    /* twice */
	assert_int_equal(commitlog_confirm_replay(r.log, id(1000)), 0); /* unknown */
	assert_int_equal(commitlog_waiting_confirm_count(r.log), 4);
	assert_int_equal(commitlog_confirm_total(r.log), 0);
	assert_int_equal(commitlog_checkpoint_of(r.log, id(3), &index), 0);
	assert_true(has(1, ""));
	assert_int_equal(commitlog_finish_replay(r.log), 0);
	assert_int_equal(commitlog_confirm_total(r.log), 4);
	assert_int_equal(commitlog_waiting_confirm_count(r.log), 0);
	assert_true(has(1, ".bak") && has(2, ".bak"));
	assert_int_equal(commitlog_close(r.log), 0);
}

static void confirm_does_not_reach_a_later_registration(void **state)
{
	(void)state;
	struct commitlog *log = open_log();
	commit(log, 1, 10);
	assert_int_equal(commitlog_checkpoint(log, NULL), 0);
	commit(log, 1, 20);
	assert_int_equal(commitlog_close(log), 0);
	struct replayed r = {.log = open_log()};
	uint64_t index;
	replay(&r);
	assert_int_equal(commitlog_append_replay(r.log, &r.seen[0], NULL), 0);
	assert_int_equal(commitlog_confirm_replay(r.log, id(1)), 0);
	assert_int_equal(commitlog_append_replay(r.log, &r.seen[1], NULL), 0);
	assert_int_equal(commitlog_checkpoint_of(r.log, id(1), &index), 0);
	assert_int_equal(index, 2);
	assert_int_equal(commitlog_finish_replay(r.log), 0);
	assert_int_equal(commitlog_waiting_confirm_count(r.log), 1);
	assert_true(has(1, "") && has(2, ""));
	assert_int_equal(commitlog_close(r.log), 0);
}

static void registering_an_older_record_moves_the_wait_to_its_file(void **state)
{
	(void)state;
	write_log(2, 1);
	struct replayed r = {.log = open_log()};
	replay(&r);
	r.seen[1].cid = id(1); /* as if both were of one transaction; the younger first */
	assert_int_equal(commitlog_append_replay(r.log, &r.seen[1], NULL), 0);
	assert_int_equal(commitlog_append_replay(r.log, &r.seen[0], NULL), 0);
	assert_int_equal(commitlog_waiting_confirm_count(r.log), 1);
	assert_int_equal(commitlog_finish_replay(r.log), 0);
	assert_true(has(1, "") && has(2, ""));
	assert_int_equal(commitlog_confirm(r.log, id(1)), 0);
	assert_true(has(1, ".bak") && has(2, ".bak"));
	assert_int_equal(commitlog_close(r.log), 0);
}

static void compacted_file_keeps_its_name_before_the_bak(void **state)
{
	(void)state;
	char from[SCRATCH_PATH_BYTES], to[SCRATCH_PATH_BYTES];
	write_log(2, 2);
	scratch_join(from, directory, "000000001");
	scratch_join(to, directory, "000000001.2");
	assert_int_equal(rename(from, to), 0);
	struct replayed r = {.log = open_log()};
	assert_int_equal(replay(&r).records, 4);
	assert_int_equal(commitlog_finish_replay(r.log), 0);
	assert_true(has(1, ".2.bak") && has(2, ".bak"));
	assert_int_equal(commitlog_close(r.log), 0);
	r = (struct replayed){.log = open_log()};
	assert_int_equal(replay(&r).records, 0);
	assert_int_equal(commitlog_close(r.log), 0);
}

/* ---- Order of calls, and others at the same time ------------------------------------------------------------ */

static int call_again(void *context, const struct commitlog_entry *entry)
{
	struct commitlog *log = context;
	(void)entry;
	assert_int_equal(commitlog_replay(log, call_again, log, NULL), -EBUSY);
	assert_int_equal(commitlog_finish_replay(log), -EBUSY);
	return 0;
}

static void calls_out_of_order_are_refused(void **state)
{
	(void)state;
	write_log(1, 1);
	struct replayed r = {.log = open_log()};
	struct commitlog_entry entry = {.file_index = 1, .cid = id(1), .key_bytes = 16};
	assert_int_equal(commitlog_append_replay(r.log, &entry, NULL), -EINVAL);
	assert_int_equal(commitlog_confirm_replay(r.log, id(1)), -EINVAL);
	assert_int_equal(commitlog_finish_replay(r.log), -EINVAL);
	assert_int_equal(commitlog_replay(r.log, call_again, r.log, NULL), 0);
	entry.file_index = 2; /* the current one */
	assert_int_equal(commitlog_append_replay(r.log, &entry, NULL), -EINVAL);
	entry.file_index = 0;
	assert_int_equal(commitlog_append_replay(r.log, &entry, NULL), -EINVAL);
	entry.file_index = 1;
	entry.key_bytes = 15;
	assert_int_equal(commitlog_append_replay(r.log, &entry, NULL), -EINVAL);
	assert_int_equal(commitlog_waiting_confirm_count(r.log), 0);
	assert_int_equal(commitlog_flush_replay(r.log, 1), -EINVAL);
	assert_int_equal(commitlog_finish_replay(r.log), 0);
	assert_int_equal(commitlog_finish_replay(r.log), 0);
	entry.key_bytes = 16;
	assert_int_equal(commitlog_append_replay(r.log, &entry, NULL), -EINVAL);
	assert_int_equal(commitlog_confirm_replay(r.log, id(1)), -EINVAL);
	struct commitlog_replay_summary sum;
	assert_int_equal(commitlog_replay(r.log, see, &r, &sum), -EALREADY);
	assert_non_null(strstr(sum.error.message, "finished"));
	assert_int_equal(commitlog_close(r.log), 0);
}

static void records_of_this_opening_are_not_replayed_but_get_a_file_of_their_own(void **state)
{
	(void)state;
	write_log(1, 2);
	struct replayed r = {.log = open_log()};
	commit(r.log, 10, 10);
	assert_int_equal(commitlog_current_checkpoint(r.log), 3);
	replay(&r);
	assert_int_equal(r.count, 2);
	assert_int_equal(commitlog_current_checkpoint(r.log), 4);
	replay(&r); /* with nothing new: no further file */
	assert_int_equal(commitlog_current_checkpoint(r.log), 4);
	assert_int_equal(commitlog_finish_replay(r.log), 0);
	assert_true(has(1, ".bak"));
	assert_true(has(2, "")); /* 10 isn't confirmed */
	assert_int_equal(commitlog_close(r.log), 0);
}

static int copy_forward(void *context, const struct commitlog_entry *entry)
{
	struct commitlog *log = context;
	uint64_t handle;
	assert_int_equal(commitlog_append(log, entry->cid, entry->value, entry->value_bytes, &handle), 0);
	assert_int_equal(commitlog_flush(log, handle), 0);
	return 0;
}

static void callback_may_commit(void **state)
{
	(void)state;
	write_log(2, 5);
	struct commitlog *log = open_log();
	assert_int_equal(commitlog_replay(log, copy_forward, log, NULL), 0);
	assert_int_equal(commitlog_finish_replay(log), 0);
	assert_int_equal(commitlog_close(log), 0);
	assert_true(has(1, ".bak") && has(2, ".bak"));
	uint64_t last = 0;
	log = open_log();
	struct replayed r = {.log = log};
	replay(&r);
	for (; last < r.count; last++) assert_int_equal(r.seen[last].cid.low, last + 1);
	assert_int_equal(last, 10);
	assert_int_equal(commitlog_close(log), 0);
}

struct committer {
	struct commitlog *log;
	_Atomic bool stop;
	uint64_t count;
};

static void *commit_on(void *argument)
{
	struct committer *c = argument;
	while (!c->stop) {
		uint64_t n = 1000 + c->count++;
		commit(c->log, n, 50);
		assert_int_equal(commitlog_confirm(c->log, id(n)), 0);
	}
	return NULL;
}

static void others_commit_during_replay_without_being_replayed(void **state)
{
	(void)state;
	write_log(10, 20);
	struct replayed r = {.log = open_log(), .registers = true, .confirms = true};
	struct committer c = {.log = r.log};
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, commit_on, &c), 0);
	while (stats_of(r.log).durable < 5) usleep(100);
	replay(&r);
	assert_int_equal(commitlog_finish_replay(r.log), 0);
	c.stop = true;
	pthread_join(thread, NULL);
	assert_int_equal(r.count, 200);
	for (size_t i = 0; i < r.count; i++) assert_int_equal(r.seen[i].cid.low, i + 1);
	assert_true(has(10, ".bak"));
	assert_int_equal(commitlog_close(r.log), 0);
}

/* ---- Cost, and what is recorded ----------------------------------------------------------------------------- */

static int touch(void *context, const struct commitlog_entry *entry)
{
	*(uint64_t *)context += ((const uint8_t *)entry->value)[0];
	return 0;
}

static void replay_in_little_memory(void)
{
	struct rusage before, after;
	uint64_t sum = 0;
	snprintf(directory, sizeof directory, "log");
	struct commitlog *log = open_log();
	getrusage(RUSAGE_SELF, &before);
	CHECK(commitlog_replay(log, touch, &sum, NULL) == 0);
	getrusage(RUSAGE_SELF, &after);
	CHECK(sum > 0);
	CHECK(after.ru_maxrss - before.ru_maxrss < 16 << 10);
	CHECK(commitlog_close(log) == 0);
}

static void fill(void)
{
	snprintf(directory, sizeof directory, "log");
	struct commitlog *log = open_log();
	char *payload = malloc(1 << 20);
	memset(payload, 1, 1 << 20);
	for (uint64_t n = 1; n <= 96; n++) {
		uint64_t handle;
		CHECK(commitlog_append(log, id(n), payload, 1 << 20, &handle) == 0);
		if (n % 16 == 0) CHECK(commitlog_flush(log, handle) == 0);
		if (n == 48) CHECK(commitlog_checkpoint(log, NULL) == 0);
	}
	CHECK(commitlog_close(log) == 0);
	pid_t pid = fork(); /* so that the peak is that of the replay */
	CHECK(pid >= 0);
	if (!pid) {
		replay_in_little_memory();
		_exit(0);
	}
	int status;
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status));
	free(payload);
}

static void memory_does_not_grow_with_the_log(void **state)
{
	(void)state;
	in_child(fill);
}

static size_t lines_with(const char *text, const char *a, const char *b)
{
	size_t n = 0;
	for (const char *line = text; *line;) {
		const char *end = strchr(line, '\n');
		const char *x = strstr(line, a), *y = strstr(line, b);
		n += end && x && x < end && y && y < end;
		if (!end) break;
		line = end + 1;
	}
	return n;
}

static void record_a_replay(void)
{
	struct waltrace_config config;
	struct waltrace_report report;
	snprintf(directory, sizeof directory, "log");
	write_log(3, 2);
	CHECK(mkdir("trace", 0755) == 0);
	waltrace_config_init(&config);
	config.directory = "trace";
	config.run_id = "wal_replay_test";
	CHECK(waltrace_start(&config, NULL) == 0);
	struct commitlog_options options;
	commitlog_options_init(&options);
	options.trace = COMMITLOG_TRACE_ON;
	struct replayed r = {.registers = true, .confirms = true};
	CHECK(commitlog_open(directory, &options, NULL, &r.log) == 0);
	commit(r.log, 10, 10);
	CHECK(commitlog_replay(r.log, NULL, NULL, NULL) == 0);
	CHECK(commitlog_replay(r.log, see, &r, NULL) == 0);
	CHECK(commitlog_finish_replay(r.log) == 0);
	CHECK(commitlog_close(r.log) == 0);
	CHECK(waltrace_shutdown(20000, &report) == 0 && report.complete);
	size_t n;
	char *text = (char *)scratch_read("trace", strrchr(report.path, '/') + 1, &n);
	text[n] = 0;
	CHECK(lines_with(text, "\"event\":\"replay\"", "\"mode\":\"read\"") == 1);
	CHECK(lines_with(text, "\"mode\":\"read_ext\"", "\"returned_records\":6,\"returned_bytes\":") == 1);
	CHECK(lines_with(text, "\"mode\":\"finish\"", "\"buffered_at_start\":6,\"confirm_ok_count\":6") == 1);
	CHECK(lines_with(text, "\"event\":\"file_split\"", "\"trigger\":\"replay\"") == 1);
	CHECK(lines_with(text, "\"event\":\"backup_rename\"", "\"trigger\":\"replay_empty_cleanup\"") == 3);
	CHECK(lines_with(text, "\"event\":\"root_confirm\"", "\"mode\":\"replay_buffered\"") == 6);
	free(text);
}

static void replay_leaves_its_records(void **state)
{
	(void)state;
	in_child(record_a_replay);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(gives_all_that_was_committed_in_order_with_its_bytes, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(counts_are_of_values_and_sixteen_for_each, set_up, tear_down),
		cmocka_unit_test_setup_teardown(times_are_those_of_the_blocks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(new_log_has_nothing_to_replay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(confirmed_files_are_not_replayed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(error_of_the_callback_is_returned_and_replay_begins_again, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(file_that_was_damaged_after_open_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_replay_nothing_becomes_a_bak, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_that_nobody_registers_become_bak_at_finish, set_up, tear_down),
		cmocka_unit_test_setup_teardown(registered_records_hold_their_file_and_younger_ones, set_up, tear_down),
		cmocka_unit_test_setup_teardown(buffered_confirms_take_effect_at_finish, set_up, tear_down),
		cmocka_unit_test_setup_teardown(confirm_does_not_reach_a_later_registration, set_up, tear_down),
		cmocka_unit_test_setup_teardown(registering_an_older_record_moves_the_wait_to_its_file, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(compacted_file_keeps_its_name_before_the_bak, set_up, tear_down),
		cmocka_unit_test_setup_teardown(calls_out_of_order_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(records_of_this_opening_are_not_replayed_but_get_a_file_of_their_own,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(callback_may_commit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(others_commit_during_replay_without_being_replayed, set_up, tear_down),
		cmocka_unit_test(memory_does_not_grow_with_the_log),
		cmocka_unit_test(replay_leaves_its_records),
	};
	return cmocka_run_group_tests_name("wal replay", tests, NULL, NULL);
}
