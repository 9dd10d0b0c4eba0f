/* SPDX-License-Identifier: MIT */
/* Each check has a trace that violates it and nothing else. The base is a good trace of two commits, a timer and a
 * rotation; a case changes some of its lines. "@" in a line becomes the line's place in the file. */
#include "cm.h"

#include <errno.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>

#include "feed.h"
#include "read/trace.h"

#define HEAD(event) "{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"" event "\",\"session_id\":\"1-2\","
#define RECORD(event, id, outcome) HEAD(event) "\"logger_id\":1,\"operation_id\":" #id ",\"outcome\":\"" outcome "\","
#define COUNT(event, n) "{\"event\":\"" event "\",\"completed_records\":" #n ",\"errors\":0}"
#define SUMS(flushes, locks, syncs, spawns, runs, rotations, splits) \
	"\"counts\":[" COUNT("root_append", 0) "," COUNT("root_flush", flushes) "," COUNT("commit_lock", locks) "," COUNT("sync_call", syncs) "," COUNT( \
		"timer_spawn", \
		spawns) "," COUNT("timer_run", \
	                          runs) "," COUNT("checkpoint_rotation", \
	                                          rotations) "," COUNT("file_split", \
	                                                               splits) "," COUNT("backup_rename", \
	                                                                                 0) "," COUNT("root_confirm", \
	                                                                                              0) "," COUNT("replay", \
	                                                                                                           0) "," COUNT("maintenance", \
	                                                                                                                        0) "],"
#define WINDOW(number, start, end, n) \
	HEAD("window") \
	"\"window\":" #number ",\"start_ns\":" #start ",\"end_ns\":" #end \
	",\"write_elapsed_ns\":10,\"event_produced\":" #n ",\"event_written\":" #n \
	",\"dropped_full\":0,\"dropped_stopped\":0,\"omitted\":0,\"operation_outstanding\":0," \
	"\"recorder_inflight\":0,\"queue_depth\":0,\"queue_capacity\":64,\"retained_path_bytes\":0," \
	"\"file_bytes_before_summary\":@,\"waiter_registered\":0,\"notify_completed\":0,"
#define PROGRESS(window) \
	HEAD("progress") \
	"\"logger_id\":1,\"window\":" #window ",\"at_ns\":1000,\"approximate\":true,\"commit_lock_waiting\":0," \
	"\"waiting_peak_lifetime\":3,\"owner_id\":0,\"owner_since_ns\":0,\"owner_stage\":0}"
#define LOGGER(id) \
	HEAD("root_logger_ready") \
	"\"logger_id\":" #id ",\"runtime_id\":1,\"wal_path\":{\"encoding\":\"unix_hex\",\"value\":\"61\"}," \
	"\"initial_file\":{\"encoding\":\"unix_hex\",\"value\":\"62\"},\"block_limit\":1,\"delay_ms\":1," \
	"\"checkpoint_limit\":1,\"collect_interval_ms\":1,\"auto_split\":false}"

enum at {
	START,
	READY,
	SYNC1,
	LOCK1,
	SPAWN,
	FLUSH1,
	SYNC2,
	LOCK2,
	RUN,
	WINDOW1,
	PROGRESS1,
	SPLIT,
	ROTATION,
	WINDOW2,
	PROGRESS2,
	END,
	LINES
};

static const char *const base[LINES] = {
	[START] =
		"{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"session_start\",\"schema_version\":2,\"session_id\":"
		"\"1-2\",\"pid\":1,\"epoch_ns\":\"2\",\"run_id\":\"a\",\"pi_store\":\"0\",\"build_id_declared\":null,"
		"\"window_ms\":10,\"capacity\":64,\"record_bytes\":1,\"operation_slots\":1,\"records_per_operation\":1,"
		"\"helpers_per_operation\":1,\"path_budget_bytes\":1,\"max_bytes\":100000,"
		"\"global_clock_ms_verified\":null,\"worker_sleep_ms_verified\":null}",
	[READY] = LOGGER(1),
	[SYNC1] = RECORD("sync_call", 3, "success") "\"trigger\":\"request\",\"start_ns\":120,\"total_ns\":50,"
						    "\"parent_id\":2,\"block_bytes\":8,\"batch_max_log_uid\":1}",
	[LOCK1] = RECORD("commit_lock", 2,
                         "owner_success") "\"trigger\":\"request\",\"start_ns\":105,\"log_uid\":1,"
					  "\"parent_id\":1,\"lock_wait_ns\":5,\"lock_hold_ns\":70,\"lock_seq\":1}",
	[SPAWN] = RECORD("timer_spawn", 4, "success") "\"start_ns\":181,\"total_ns\":1,\"parent_id\":1,\"timer_id\":5}",
	[FLUSH1] = RECORD("root_flush", 1, "success") "\"start_ns\":100,\"total_ns\":90,\"log_uid\":1}",
	[SYNC2] = RECORD("sync_call", 7, "success") "\"trigger\":\"timer\",\"start_ns\":320,\"total_ns\":50,"
						    "\"parent_id\":6,\"block_bytes\":16,\"batch_max_log_uid\":2}",
	[LOCK2] = RECORD("commit_lock", 6, "owner_success") "\"trigger\":\"timer\",\"start_ns\":310,\"parent_id\":5,"
							    "\"lock_wait_ns\":0,\"lock_hold_ns\":70,\"lock_seq\":2}",
	[RUN] = RECORD("timer_run", 5, "success") "\"start_ns\":300,\"total_ns\":90,\"parent_id\":4}",
	[WINDOW1] = WINDOW(1, 0, 500, 7) SUMS(
		1, 2, 2, 1, 1, 0,
		0) "\"sync\":[{\"trigger\":\"request\",\"calls\":1,"
		   "\"block_bytes\":8},{\"trigger\":\"timer\",\"calls\":1,\"block_bytes\":16},{\"trigger\":\"checkpoint\","
		   "\"calls\":0,\"block_bytes\":0}]}",
	[PROGRESS1] = PROGRESS(1),
	[SPLIT] = RECORD("file_split", 9, "success") "\"start_ns\":620,\"total_ns\":50,\"parent_id\":8}",
	[ROTATION] = RECORD("checkpoint_rotation", 8, "success") "\"start_ns\":600,\"total_ns\":80}",
	[WINDOW2] = WINDOW(2, 500, 900, 9) SUMS(
		0, 0, 0, 0, 0, 1,
		1) "\"sync\":[{\"trigger\":\"request\",\"calls\":0,"
		   "\"block_bytes\":0},{\"trigger\":\"timer\",\"calls\":0,\"block_bytes\":0},{\"trigger\":\"checkpoint\","
		   "\"calls\":0,\"block_bytes\":0}]}",
	[PROGRESS2] = PROGRESS(2),
	[END] = HEAD(
		"session_end") "\"reason\":\"shutdown\",\"event_produced\":9,\"event_written\":9,\"event_dropped\":0,"
			       "\"omitted\":0,\"outstanding\":0,\"complete\":true}",
};

enum { ROOM = 32 * 1024 };
struct trace {
	char line[LINES + 8][2048]; /* "" is left out */
	int lines;
	char text[ROOM];
	size_t n;
	struct wt_verdict verdict;
	uint64_t first_line;
	char first[WT_ERR_BYTES];
	struct wt_err err;
};
static struct trace t;

static int setup(void **state)
{
	(void)state;
	t = (struct trace){.lines = LINES};
	for (int i = 0; i < LINES; i++) strcpy(t.line[i], base[i]);
	return 0;
}

/* Puts `to` in the place of the first `from` of a line. */
static void edit(int line, const char *from, const char *to)
{
	char rest[2048], *at = strstr(t.line[line], from);
	if (!at) fail_msg("line %d has no %s", line, from);
	strcpy(rest, at + strlen(from));
	sprintf(at, "%s%s", to, rest);
}

static void add_line(const char *text) { strcpy(t.line[t.lines++], text); }

static void build(void)
{
	t.n = 0;
	for (int i = 0; i < t.lines; i++) {
		char *place = strchr(t.line[i], '@'), number[24];
		sprintf(number, "%zu", t.n);
		if (place) edit(i, "@", number);
		if (t.line[i][0]) t.n += (size_t)sprintf(t.text + t.n, "%s\n", t.line[i]);
	}
}

static void take(void *context, uint64_t line, enum wt_check check, const char *text)
{
	(void)context, (void)check;
	if (t.first[0]) return;
	t.first_line = line;
	strcpy(t.first, text);
}

static int read_it(void)
{
	struct feed feed = {t.text, t.n, 0};
	const struct wt_trace_reader reader = {.read = feed_read, .read_context = &feed, .problem = take};
	return wt_trace_read(&reader, &t.verdict, &t.err);
}

static void only(unsigned checks)
{
	for (unsigned c = 0; c < WT_CHECKS; c++) {
		bool wanted = checks >> c & 1;
		if (wanted != (t.verdict.failed[c] != 0))
			fail_msg("check %s found %" PRIu64 " problems; first in line %" PRIu64 ": %s", wt_check_key[c],
			         t.verdict.failed[c], t.first_line, t.first);
	}
	assert_int_equal(t.verdict.complete, !checks && !t.verdict.why[0]);
}

static void violates(enum wt_check check)
{
	build();
	assert_int_equal(read_it(), 0);
	only(1u << check);
}

static void good(void)
{
	build();
	assert_int_equal(read_it(), 0);
	only(0);
}

static void incomplete(const char *why)
{
	good();
	assert_false(t.verdict.complete);
	if (!strstr(t.verdict.why, why)) fail_msg("\"%s\" lacks \"%s\"", t.verdict.why, why);
}

static void a_good_trace_is_complete(void **state)
{
	(void)state;
	good();
	assert_true(t.verdict.complete);
	assert_int_equal(t.verdict.records, 9);
	assert_int_equal(t.verdict.lines, LINES);
	assert_int_equal(t.verdict.bytes, t.n);
	assert_int_equal(t.verdict.end_ns, 900);
	for (unsigned c = 0; c < WT_CHECKS; c++) assert_int_equal(t.verdict.checked[c] != 0, c != WT_CHECK_CRC);
}

struct change {
	enum wt_check check;
	int line;
	const char *from, *to;
};

static void each_check_sees_what_it_is_for(void **state)
{
	static const struct change change[] = {
		{WT_CHECK_FORMAT, PROGRESS1, "\"at_ns\":1000", "\"at_ns\":1e3"},
		{WT_CHECK_FORMAT, PROGRESS2, "}", ""},
		{WT_CHECK_ORDER, FLUSH1, "\"start_ns\":100,\"total_ns\":90", "\"total_ns\":90,\"start_ns\":100"},
		{WT_CHECK_ORDER, END, ",\"omitted\"", ", \"omitted\""},
		{WT_CHECK_FRAME, FLUSH1, "1-2", "1-3"},
		{WT_CHECK_FRAME, START, "\"schema_version\":2", "\"schema_version\":3"},
		{WT_CHECK_LOGGERS, READY, "\"logger_id\":1", "\"logger_id\":2"},
		{WT_CHECK_IDS, SPLIT, "\"operation_id\":9", "\"operation_id\":7"},
		{WT_CHECK_IDS, SPLIT, "\"operation_id\":9", "\"operation_id\":0"},
		{WT_CHECK_LINKS, SPLIT, "\"parent_id\":8", "\"parent_id\":88"},
		{WT_CHECK_LINKS, SPAWN, "\"timer_id\":5", "\"timer_id\":55"},
		{WT_CHECK_LINKS, SPAWN, "\"timer_id\":5", "\"timer_id\":6"},
		{WT_CHECK_LINKS, FLUSH1, "}", ",\"rotation_id_1\":80}"},
		{WT_CHECK_LOCK_SEQ, LOCK2, "\"lock_seq\":2", "\"lock_seq\":3"},
		{WT_CHECK_LOCK_SEQ, LOCK2, "\"lock_seq\":2", "\"lock_seq\":1"},
		{WT_CHECK_TIMES, SYNC1, "\"total_ns\":50", "\"total_ns\":61"},
		{WT_CHECK_TIMES, SYNC1, "\"start_ns\":120", "\"start_ns\":104"},
		{WT_CHECK_TIMES, LOCK1, "\"lock_hold_ns\":70", "\"lock_hold_ns\":81"},
		{WT_CHECK_TIMES, RUN, "\"total_ns\":90", "\"total_ns\":211"},
		{WT_CHECK_TIMES, WINDOW2, "\"start_ns\":500", "\"start_ns\":501"},
		{WT_CHECK_TIMES, SPLIT, "\"start_ns\":620", "\"start_ns\":599"},
		{WT_CHECK_WINDOWS, WINDOW1, "\"root_flush\",\"completed_records\":1",
	         "\"root_flush\",\"completed_records\":2"},
		{WT_CHECK_WINDOWS, WINDOW2, "\"file_split\",\"completed_records\":1,\"errors\":0",
	         "\"file_split\",\"completed_records\":1,\"errors\":1"},
		{WT_CHECK_WINDOWS, WINDOW1, "\"block_bytes\":16", "\"block_bytes\":17"},
		{WT_CHECK_WINDOWS, WINDOW1, "\"calls\":1", "\"calls\":0"},
		{WT_CHECK_WINDOWS, WINDOW1, "\"waiter_registered\":0", "\"waiter_registered\":1"},
		{WT_CHECK_WINDOWS, WINDOW1, "\"notify_completed\":0", "\"notify_completed\":1"},
		{WT_CHECK_WINDOWS, WINDOW1, "\"event_written\":7", "\"event_written\":6"},
		{WT_CHECK_WINDOWS, WINDOW1, "_summary\":@", "_summary\":1"},
		{WT_CHECK_WINDOWS, WINDOW2, "\"queue_capacity\":64", "\"queue_capacity\":65"},
		{WT_CHECK_WINDOWS, PROGRESS2, "\"window\":2", "\"window\":1"},
		{WT_CHECK_WINDOWS, LOCK1, "owner_success", "waiter_registered"},
		{WT_CHECK_WINDOWS, SYNC1, "\"success\"", "\"sync_error\""},
		{WT_CHECK_COUNTERS, PROGRESS2, "_lifetime\":3", "_lifetime\":2"},
		{WT_CHECK_COUNTERS, WINDOW1, "\"event_produced\":7", "\"event_produced\":6"},
		{WT_CHECK_COUNTERS, WINDOW1, "\"event_produced\":7", "\"event_produced\":10"},
		{WT_CHECK_COMPLETE, END, "\"complete\":true", "\"complete\":false"},
		{WT_CHECK_COMPLETE, END, "\"reason\":\"shutdown\"", "\"reason\":\"io_error\""},
		{WT_CHECK_COMPLETE, END, "\"omitted\":0", "\"omitted\":1"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
		setup(NULL);
		edit(change[i].line, change[i].from, change[i].to);
		build();
		int result = read_it();
		if (result) fail_msg("case %zu: %s", i, t.err.text);
		if (!t.verdict.failed[change[i].check])
			fail_msg("case %zu: %s saw nothing", i, wt_check_key[change[i].check]);
		only(1u << change[i].check);
	}
}

static void sums_wrap_as_the_recorders_do(void **state)
{
	(void)state;
	edit(FLUSH1, "}", ",\"notify_completed_count\":18446744073709551615}");
	edit(RUN, "}", ",\"notify_completed_count\":6}");
	edit(WINDOW1, "\"notify_completed\":0", "\"notify_completed\":5");
	edit(SYNC1, "\"block_bytes\":8", "\"block_bytes\":18446744073709551615");
	edit(SYNC2, "\"trigger\":\"timer\"", "\"trigger\":\"request\"");
	edit(WINDOW1, "\"calls\":1,\"block_bytes\":8", "\"calls\":2,\"block_bytes\":15");
	edit(WINDOW1, "\"calls\":1,\"block_bytes\":16", "\"calls\":0,\"block_bytes\":0");
	good();
}

static void a_counter_that_falls_is_seen(void **state)
{
	(void)state;
	edit(WINDOW1, "\"omitted\":0", "\"omitted\":1");
	violates(WT_CHECK_COUNTERS);
}

static void a_lock_seq_of_0_is_told_as_such(void **state)
{
	(void)state;
	edit(LOCK1, "\"lock_seq\":1", "\"lock_seq\":0");
	violates(WT_CHECK_LOCK_SEQ);
	assert_string_equal(t.first, "lock_seq of logger 1 is 0: it counts from 1");
}

#define OURS ",\"drain_ms\":10,\"on_limit\":\"stop\",\"min_ns\":0,\"clock\":\"tsc\",\"segment\":\"/waltrace-1-2\"}"
#define LOST(n) HEAD("loss") "\"window\":2,\"logger_id\":0,\"kind\":\"\",\"cause\":\"slots\",\"n\":" #n "}"

/* Two operations were refused, one before each window's end. */
static void lose_two(const char *first, const char *second)
{
	edit(START, "}", OURS);
	edit(WINDOW1, "\"omitted\":0", "\"omitted\":1");
	edit(WINDOW2, "\"omitted\":0", "\"omitted\":2");
	edit(END, "\"omitted\":0", "\"omitted\":2");
	edit(END, "true", "false");
	char line[2 * 2048];
	snprintf(line, sizeof line, "%s\n%s", t.line[PROGRESS2], first);
	strcpy(t.line[PROGRESS2], line);
	if (!second) return;
	snprintf(line, sizeof line, "%s\n%s", t.line[PROGRESS2], second);
	strcpy(t.line[PROGRESS2], line);
}

static void the_loss_lines_of_a_trace_that_was_closed_add_up(void **state)
{
	(void)state;
	lose_two(LOST(1), LOST(1));
	incomplete("2 omitted");
	assert_non_null(strstr(t.verdict.mend, "loss lines"));
	setup(NULL);
	lose_two(LOST(1), NULL);
	violates(WT_CHECK_FOOTER);
	assert_non_null(strstr(t.first, "loss lines"));
	setup(NULL);
	lose_two(LOST(1), NULL);
	edit(START, "\"drain_ms\":10", "\"drain_ms\":0"); /* then there are none */
	incomplete("2 omitted");
}

#define IN_FLIGHT \
	HEAD("in_flight") \
	"\"logger_id\":1,\"operation_id\":10,\"kind\":\"root_flush\",\"since_ns\":880,\"stage\":0,\"rows\":0}"

static void a_recovered_trace_is_incomplete_and_not_damaged(void **state)
{
	(void)state;
	for (int outstanding = 0; outstanding < 3; outstanding++) {
		char number[32], line[2 * 2048];
		setup(NULL);
		snprintf(line, sizeof line, "%s\n%s", t.line[PROGRESS2], IN_FLIGHT);
		strcpy(t.line[PROGRESS2], line);
		snprintf(number, sizeof number, "\"outstanding\":%d", outstanding);
		edit(END, "\"outstanding\":0", number);
		edit(END, "shutdown", "recovered");
		edit(END, "true", "false");
		if (outstanding) incomplete("the process died"); /* an operation without a slot has no line */
		else violates(WT_CHECK_FOOTER);
	}
}

static void a_trace_without_end_names_the_segment_to_recover(void **state)
{
	(void)state;
	edit(START, "}", OURS);
	t.lines = END;
	incomplete("no session_end");
	assert_non_null(strstr(t.verdict.mend, "waltrace recover /waltrace-1-2"));
}

static void a_footer_that_disagrees_is_seen(void **state)
{
	(void)state;
	edit(END, "\"event_produced\":9,\"event_written\":9", "\"event_produced\":10,\"event_written\":10");
	violates(WT_CHECK_FOOTER);
}

static void holds_that_overlap_are_seen(void **state)
{
	(void)state;
	edit(SYNC2, "\"start_ns\":320", "\"start_ns\":179");
	edit(LOCK2, "\"start_ns\":310", "\"start_ns\":179");
	edit(RUN, "\"start_ns\":300", "\"start_ns\":178");
	violates(WT_CHECK_LOCK_HOLDS);
	assert_int_equal(t.first_line, LOCK2 + 1);
}

static void a_second_header_or_footer_and_lines_after_it_are_seen(void **state)
{
	(void)state;
	add_line(base[END]);
	violates(WT_CHECK_FRAME);
	setup(NULL);
	strcpy(t.line[PROGRESS1], base[START]);
	violates(WT_CHECK_FRAME);
}

static void a_logger_announced_twice_is_seen(void **state)
{
	(void)state;
	strcpy(t.line[PROGRESS1], base[READY]);
	violates(WT_CHECK_LOGGERS);
}

static void loss_explains_what_is_missing(void **state)
{
	(void)state;
	strcpy(t.line[LOCK1], ""); /* sync 3 lost its parent, and lock_seq 1 isn't there */
	edit(WINDOW1, "\"commit_lock\",\"completed_records\":2", "\"commit_lock\",\"completed_records\":1");
	edit(WINDOW1, "\"event_written\":7,\"dropped_full\":0", "\"event_written\":6,\"dropped_full\":1");
	edit(WINDOW2, "\"event_written\":9,\"dropped_full\":0", "\"event_written\":8,\"dropped_full\":1");
	edit(END, "\"event_written\":9,\"event_dropped\":0", "\"event_written\":8,\"event_dropped\":1");
	edit(END, "true", "false");
	incomplete("1 records dropped");
	setup(NULL);
	strcpy(t.line[LOCK1], "");
	edit(WINDOW1, "\"commit_lock\",\"completed_records\":2", "\"commit_lock\",\"completed_records\":1");
	edit(WINDOW1, "\"event_written\":7", "\"event_written\":6");
	edit(WINDOW2, "\"event_written\":9", "\"event_written\":8");
	edit(WINDOW1, "\"event_produced\":7", "\"event_produced\":6");
	edit(WINDOW2, "\"event_produced\":9", "\"event_produced\":8");
	edit(END, "\"event_produced\":9,\"event_written\":9", "\"event_produced\":8,\"event_written\":8");
	build();
	assert_int_equal(read_it(), 0);
	only(1u << WT_CHECK_LINKS | 1u << WT_CHECK_LOCK_SEQ);
}

static void a_trace_without_its_end_is_incomplete_and_not_damaged(void **state)
{
	(void)state;
	for (int last = READY; last < END; last++) {
		setup(NULL);
		t.lines = last + 1;
		incomplete("no session_end");
	}
	build();
	for (size_t cut = t.n - 1; t.text[cut - 1] != '\n'; cut--) {
		t.n = cut;
		assert_int_equal(read_it(), 0);
		only(0);
		assert_false(t.verdict.complete);
	}
}

static void a_footer_cut_in_half_names_its_line(void **state)
{
	char want[64];
	(void)state;
	build();
	t.n -= 40;
	assert_int_equal(read_it(), 0);
	only(0);
	assert_true(t.verdict.cut);
	snprintf(want, sizeof want, "line %d is cut off", LINES);
	assert_non_null(strstr(t.verdict.why, want));
}

static void unknown_lines_and_keys_are_counted_and_harmless(void **state)
{
	(void)state;
	strcpy(t.line[PROGRESS1], HEAD("weather") "\"sun\":true}");
	edit(FLUSH1, "}", ",\"colour\":\"red\"}");
	good();
	assert_true(t.verdict.complete);
	assert_int_equal(t.verdict.unknown_lines, 1);
	assert_int_equal(t.verdict.unknown_keys, 2);
}

#define RECORDER \
	HEAD("recorder") \
	"\"window\":%d,\"filtered\":0,\"writer_cpu_ns\":1,\"bytes\":2,\"lag_ns\":3,\"queue_peak\":4,\"producer_ns\":5," \
	"\"producer_samples\":6,\"left_out\":7,\"crc32\":%u}"

static void put_recorder(int window, int at, uint32_t *crc, size_t *from)
{
	char rest[LINES + 8][2048];
	memcpy(rest, t.line, sizeof rest);
	int lines = t.lines;
	t.lines = at;
	build();
	*crc = libdeflate_crc32(0, t.text + *from, t.n - *from);
	memcpy(&t.line[at + 1], &rest[at], sizeof *rest * (size_t)(lines - at));
	snprintf(t.line[at], sizeof t.line[at], RECORDER, window, *crc);
	*from = t.n;
	t.lines = lines + 1;
}

static void crc32_sees_every_byte_between_recorder_lines(void **state)
{
	uint32_t crc;
	size_t from = 0;
	(void)state;
	put_recorder(1, PROGRESS1, &crc, &from);
	put_recorder(2, PROGRESS2 + 1, &crc, &from);
	good();
	assert_true(t.verdict.complete);
	assert_int_equal(t.verdict.checked[WT_CHECK_CRC], 2);
	const char *first = strstr(t.text, "\"recorder\""), *last = strstr(first + 60, "\"recorder\"") - 40;
	for (size_t i = 0; t.text + i < last; i += 7) {
		char was = t.text[i];
		if (was == '\n') continue;
		t.text[i] = (char)(was ^ 1);
		if (!read_it() && !t.verdict.failed[WT_CHECK_CRC])
			fail_msg("byte %zu changed, and crc32 saw nothing", i);
		t.text[i] = was;
	}
}

static void what_is_no_trace_is_said_in_the_first_line(void **state)
{
	(void)state;
	t.n = 0;
	assert_int_equal(read_it(), -EBADMSG);
	assert_non_null(strstr(t.err.text, "1: not a trace"));
	t.n = (size_t)sprintf(t.text, "hello\nworld\n");
	assert_int_equal(read_it(), -EBADMSG);
	assert_non_null(strstr(t.err.text, "1: not a trace"));
	assert_int_equal(t.verdict.lines, 1);
	strcpy(t.line[START], "");
	build();
	assert_int_equal(read_it(), -EBADMSG);
}

static void as_many_loggers_as_a_session_has_are_taken_and_one_more_is_told(void **state)
{
	enum { MANY = 1024 };
	static char text[(MANY + 2) * 400];
	(void)state;
	for (int more = 0; more < 2; more++) {
		size_t n = (size_t)sprintf(text, "%s\n", base[START]);
		for (int i = 1; i <= MANY + more; i++) {
			setup(NULL);
			char id[32];
			sprintf(id, "\"logger_id\":%d,", i);
			edit(READY, "\"logger_id\":1,", id);
			n += (size_t)sprintf(text + n, "%s\n", t.line[READY]);
		}
		struct feed feed = {text, n, 0};
		const struct wt_trace_reader reader = {.read = feed_read, .read_context = &feed, .problem = take};
		assert_int_equal(wt_trace_read(&reader, &t.verdict, &t.err), 0);
		assert_int_equal(t.verdict.failed[WT_CHECK_LOGGERS], more);
		assert_int_equal(t.verdict.loggers, MANY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_good_trace_is_complete, setup),
		cmocka_unit_test_setup(each_check_sees_what_it_is_for, setup),
		cmocka_unit_test_setup(sums_wrap_as_the_recorders_do, setup),
		cmocka_unit_test_setup(a_counter_that_falls_is_seen, setup),
		cmocka_unit_test_setup(a_lock_seq_of_0_is_told_as_such, setup),
		cmocka_unit_test_setup(the_loss_lines_of_a_trace_that_was_closed_add_up, setup),
		cmocka_unit_test_setup(a_recovered_trace_is_incomplete_and_not_damaged, setup),
		cmocka_unit_test_setup(a_trace_without_end_names_the_segment_to_recover, setup),
		cmocka_unit_test_setup(a_footer_that_disagrees_is_seen, setup),
		cmocka_unit_test_setup(holds_that_overlap_are_seen, setup),
		cmocka_unit_test_setup(a_second_header_or_footer_and_lines_after_it_are_seen, setup),
		cmocka_unit_test_setup(a_logger_announced_twice_is_seen, setup),
		cmocka_unit_test_setup(loss_explains_what_is_missing, setup),
		cmocka_unit_test_setup(a_trace_without_its_end_is_incomplete_and_not_damaged, setup),
		cmocka_unit_test_setup(a_footer_cut_in_half_names_its_line, setup),
		cmocka_unit_test_setup(unknown_lines_and_keys_are_counted_and_harmless, setup),
		cmocka_unit_test_setup(crc32_sees_every_byte_between_recorder_lines, setup),
		cmocka_unit_test_setup(what_is_no_trace_is_said_in_the_first_line, setup),
		cmocka_unit_test_setup(as_many_loggers_as_a_session_has_are_taken_and_one_more_is_told, setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
