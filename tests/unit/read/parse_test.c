/* SPDX-License-Identifier: MIT */
#include "cm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "read/parse.h"
#include "read/scan.h"

#define HEAD(event) "{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"" event "\",\"session_id\":\"1-2\""
#define RECORD(event) HEAD(event) ",\"logger_id\":1,\"operation_id\":7,\"outcome\":\"success\""

static struct wt_parser parser;
static struct wt_line line;
static struct wt_err err;

/* In a block of just its size, so that a sanitizer sees each byte read past it. */
static int parse(const char *text, size_t n)
{
	static char *copy;
	free(copy);
	copy = malloc(n + 1);
	assert_non_null(copy);
	memcpy(copy, text, n);
	return wt_parse_line(&parser, copy, n, &line, &err);
}

static void good(const char *text)
{
	if (parse(text, strlen(text))) fail_msg("%s: %s", text, err.text);
}

static void bad(const char *text, const char *what)
{
	assert_int_equal(parse(text, strlen(text)), -EBADMSG);
	if (!strstr(err.text, what)) fail_msg("%s: \"%s\" lacks \"%s\"", text, err.text, what);
}

static int setup(void **state)
{
	(void)state;
	wt_parser_init(&parser);
	line = (struct wt_line){0};
	return 0;
}

static void every_field_of_a_record_is_read_exactly(void **state)
{
	char text[8192];
	(void)state;
	for (int append = 0; append < 2; append++) {
		int n = snprintf(text, sizeof text, append ? RECORD("root_append") : RECORD("root_flush"));
		for (int f = 0; f < WALTRACE_FIELDS; f++) {
			if (f == WALTRACE_CID_LO || f == WALTRACE_CID_HI) continue;
			const char *name =
				append && f == WALTRACE_BLOCK_BYTES ? "payload_bytes" : wt_field_name[f].text;
			n += snprintf(text + n, sizeof text - (size_t)n, ",\"%s\":%llu", name, ~0ull - (unsigned)f);
		}
		snprintf(text + n, sizeof text - (size_t)n,
		         ",\"commit_uid\":\"0123456789abcdeffedcba9876543210\",\"error_kind\":\"StorageFull\","
		         "\"source_path\":{\"encoding\":\"unix_hex\",\"value\":\"fffe\"},"
		         "\"target_path\":{\"encoding\":\"unix_hex\",\"value\":\"\"}}");
		good(text);
		assert_int_equal(line.kind, WT_LINE_RECORD);
		assert_true(line.known_order);
		assert_int_equal(line.unknown_keys, 0);
		assert_int_equal(line.record.mask, (1ull << WALTRACE_FIELDS) - 1);
		for (int f = 0; f < WALTRACE_FIELDS; f++)
			if (f != WALTRACE_CID_LO && f != WALTRACE_CID_HI)
				assert_true(line.record.value[f] == ~0ull - (unsigned)f);
		assert_true(line.record.value[WALTRACE_CID_HI] == 0x0123456789abcdefull);
		assert_true(line.record.value[WALTRACE_CID_LO] == 0xfedcba9876543210ull);
		assert_int_equal(line.record.error_kind, WALTRACE_E_STORAGE_FULL);
		assert_int_equal(line.record.path[0].n, 4);
		assert_memory_equal(line.record.path[0].bytes, "fffe", 4);
		assert_int_equal(line.record.path[1].n, 0);
	}
}

static void every_kind_and_word_is_known(void **state)
{
	char text[512];
	(void)state;
	for (int kind = 0; kind < WALTRACE_KINDS; kind++) {
		snprintf(text, sizeof text, HEAD("%s") ",\"logger_id\":2,\"operation_id\":3,\"outcome\":\"\"}",
		         wt_kind_name[kind].text);
		good(text);
		assert_int_equal(line.record.kind, kind);
		assert_int_equal(line.record.logger_id, 2);
		assert_int_equal(line.record.id, 3);
		assert_int_equal(line.record.word[WALTRACE_OUTCOME], WALTRACE_W_NONE);
		assert_int_equal(line.record.mask, 0);
	}
	for (int word = 1; word < WALTRACE_WORDS; word++) {
		snprintf(text, sizeof text,
		         HEAD("replay") ",\"logger_id\":2,\"operation_id\":3,\"outcome\":\"%s\",\"mode\":\"%s\"}",
		         wt_word_text[word].text, wt_word_text[word].text);
		good(text);
		assert_int_equal(line.record.word[WALTRACE_OUTCOME], word);
		assert_int_equal(line.record.word[WALTRACE_MODE], word);
		assert_int_equal(line.record.word[WALTRACE_TRIGGER], WALTRACE_W_NONE);
	}
	good(HEAD("replay") ",\"logger_id\":2,\"operation_id\":3,\"outcome\":\"finished\"}");
	assert_int_equal(line.record.word[WALTRACE_OUTCOME], WT_WORD_OTHER);
	assert_memory_equal(line.record.string[WALTRACE_OUTCOME].bytes, "finished", 8);
}

static void a_record_keeps_nothing_of_the_one_before(void **state)
{
	(void)state;
	good(RECORD("sync_call") ",\"trigger\":\"timer\",\"start_ns\":5,\"error_kind\":\"NotFound\","
	                         "\"source_path\":{\"encoding\":\"unix_hex\",\"value\":\"61\"}}");
	good(RECORD("sync_call") "}");
	assert_int_equal(line.record.mask, 0);
	assert_int_equal(line.record.word[WALTRACE_TRIGGER], WALTRACE_W_NONE);
	assert_int_equal(line.record.error_kind, WALTRACE_E_NONE);
	assert_null(line.record.path[0].bytes);
}

static void other_orders_and_unknown_keys_are_read_and_told(void **state)
{
	(void)state;
	good("{\"event\":\"sync_call\",\"outcome\":\"success\",\"operation_id\":7,\"session_id\":\"1-2\",\"logger_id\":1,"
	     "\"keyword\":\"PI_STORE_WAL_TRACE\",\"total_ns\":9,\"start_ns\":5}");
	assert_int_equal(line.kind, WT_LINE_RECORD);
	assert_false(line.known_order);
	assert_int_equal(line.record.value[WALTRACE_START_NS], 5);
	assert_int_equal(line.record.value[WALTRACE_TOTAL_NS], 9);
	good(RECORD("sync_call") ",\"start_ns\":5,\"later\":{\"a\":[1,-2.5e3,null,\"\\u00e4\"]},\"total_ns\":9}");
	assert_true(line.known_order);
	assert_int_equal(line.unknown_keys, 1);
	assert_int_equal(line.record.value[WALTRACE_TOTAL_NS], 9);
	good(RECORD("sync_call") " , \"start_ns\" : 5 }");
	assert_false(line.known_order);
	assert_int_equal(line.record.value[WALTRACE_START_NS], 5);
	good(HEAD("weather") ",\"sun\":true}");
	assert_int_equal(line.kind, WT_LINE_UNKNOWN);
	assert_int_equal(line.event.n, 7);
}

static void strings_are_unescaped_and_their_utf8_kept(void **state)
{
	const char want[] = "\"\\\n\x01\xc3\xa4\xf0\x9f\x98\x80/";
	(void)state;
	good(HEAD("replay") ",\"logger_id\":1,\"operation_id\":7,"
	                    "\"outcome\":\"\\\"\\\\\\n\\u0001\xc3\xa4\\ud83d\\ude00\\/\",\"start_ns\":4}");
	assert_int_equal(line.record.string[WALTRACE_OUTCOME].n, sizeof want - 1);
	assert_memory_equal(line.record.string[WALTRACE_OUTCOME].bytes, want, sizeof want - 1);
	assert_int_equal(line.record.value[WALTRACE_START_NS], 4);
}

/* Strings are looked at sixteen bytes at a time: nothing may hide at any place among them. */
static void every_character_is_told_at_every_place_of_a_string(void **state)
{
	char text[512], value[41];
	(void)state;
	for (size_t at = 0; at < sizeof value - 1; at++) {
		for (int c = 1; c < 256; c++) {
			bool ends = c == '"' || c == '\\' || c < ' ' || c >= 0x80;
			memset(value, 'x', sizeof value - 1);
			value[sizeof value - 1] = 0;
			value[at] = (char)c;
			snprintf(text, sizeof text, RECORD("sync_call") ",\"trigger\":\"%s\",\"total_ns\":1}", value);
			assert_int_equal(parse(text, strlen(text)), ends ? -EBADMSG : 0);
			if (ends) continue;
			assert_int_equal(line.record.string[WALTRACE_TRIGGER].n, sizeof value - 1);
			assert_memory_equal(line.record.string[WALTRACE_TRIGGER].bytes, value, sizeof value - 1);
		}
	}
}

static void every_character_is_told_at_every_place_of_a_path(void **state)
{
	const char *digits = "0123456789abcdefABCDEF";
	char text[512], value[41];
	(void)state;
	for (size_t at = 0; at < sizeof value - 1; at++) {
		for (int c = 1; c < 256; c++) {
			memset(value, 'f', sizeof value - 1);
			value[sizeof value - 1] = 0;
			value[at] = (char)c;
			snprintf(text, sizeof text,
			         RECORD("replay") ",\"source_path\":{\"encoding\":\"unix_hex\",\"value\":\"%s\"}}",
			         value);
			assert_int_equal(parse(text, strlen(text)), strchr(digits, c) ? 0 : -EBADMSG);
		}
	}
	good(RECORD("replay") ",\"source_path\":{\"encoding\":\"unix_hex\",\"value\":\"\\u0061b\"}}");
	assert_int_equal(line.record.path[0].n, 2);
	assert_memory_equal(line.record.path[0].bytes, "ab", 2);
	good(RECORD("replay") ",\"source_path\":{\"encoding\":\"unix_hex\",\"value\":\"ab\",\"more\":1}}");
	assert_int_equal(line.unknown_keys, 1);
	bad(RECORD("replay") ",\"source_path\":{\"encoding\":\"unix_hex\",\"value\":\"abc\"}}", "half a byte");
}

/* Where much of the line follows, numbers are read eight digits at a time. */
static void numbers_of_every_length_are_read_exactly(void **state)
{
	static const char digits[] = "98765432109876543210", after[] = ",\"total_ns\":123456789012345678}";
	char text[512];
	(void)state;
	for (int n = 1; n <= 20; n++) {
		const char *from = n == 20 ? "18446744073709551615" : digits;
		snprintf(text, sizeof text, RECORD("sync_call") ",\"start_ns\":%.*s%s", n, from, after);
		good(text);
		assert_true(line.record.value[WALTRACE_START_NS] ==
		            strtoull(strchr(strstr(text, "start_ns"), ':') + 1, NULL, 10));
		assert_true(line.record.value[WALTRACE_TOTAL_NS] == 123456789012345678);
		for (const char *c = "./:;e\"\\ \x80\xb0\xb9\xff"; *c; c++) {
			snprintf(text, sizeof text, RECORD("sync_call") ",\"start_ns\":%.*s%c0%s", n, digits, *c,
			         after);
			assert_int_equal(parse(text, strlen(text)), -EBADMSG);
		}
	}
	bad(RECORD("sync_call") ",\"start_ns\":00,\"total_ns\":123456789012345678}", "whole number");
	bad(RECORD("sync_call") ",\"start_ns\":,\"total_ns\":123456789012345678}", "whole number");
	bad(RECORD("sync_call") ",\"start_ns\":18446744073709551616,\"total_ns\":1}", "2^64");
	good(RECORD("sync_call") ",\"start_ns\":12345678 ,\"total_ns\":0,\"log_uid\":12345678901234}");
	assert_true(line.record.value[WALTRACE_START_NS] == 12345678 && !line.known_order);
}

static void numbers_end_at_two_to_the_64(void **state)
{
	(void)state;
	good(RECORD("sync_call") ",\"start_ns\":18446744073709551615}");
	assert_true(line.record.value[WALTRACE_START_NS] == UINT64_MAX);
	good(RECORD("sync_call") ",\"start_ns\":9007199254740993}");
	assert_true(line.record.value[WALTRACE_START_NS] == 9007199254740993ull);
	bad(RECORD("sync_call") ",\"start_ns\":18446744073709551616}", "over 2^64");
	bad(RECORD("sync_call") ",\"start_ns\":99999999999999999999999}", "over 2^64");
	bad(RECORD("sync_call") ",\"start_ns\":-1}", "whole number");
	bad(RECORD("sync_call") ",\"start_ns\":1.5}", "whole number");
	bad(RECORD("sync_call") ",\"start_ns\":01}", "whole number");
	bad(RECORD("sync_call") ",\"start_ns\":\"1\"}", "whole number");
}

static void bad_lines_are_refused_with_the_reason(void **state)
{
	(void)state;
	bad("", "begins with {");
	bad("[]", "begins with {");
	bad("{}", "a key is expected");
	bad("{\"keyword\":\"PI_STORE_WAL_TRACE\"}", "without an event");
	bad("{\"keyword\":\"OTHER\",\"event\":\"replay\"}", "keyword");
	bad(RECORD("sync_call"), "closing brace");
	bad(RECORD("sync_call") "}x", "after the closing brace");
	bad(RECORD("sync_call") ",}", "string is expected");
	bad(RECORD("sync_call") ",\"start_ns\"}", "colon");
	bad(RECORD("sync_call") ",\"start_ns\":1,\"start_ns\":1}", "there before");
	bad(RECORD("sync_call") ",\"outcome\":\"success\"}", "there before");
	bad(RECORD("sync_call") ",\"trigger\":\"ti\x01mer\"}", "control character");
	bad(RECORD("sync_call") ",\"trigger\":\"ti\xc3(\"}", "UTF-8");
	bad(RECORD("sync_call") ",\"trigger\":\"\xed\xa0\x80\"}", "UTF-8");
	bad(RECORD("sync_call") ",\"trigger\":\"\\x\"}", "escape");
	bad(RECORD("sync_call") ",\"trigger\":\"\\ud800\"}", "escape");
	bad(RECORD("sync_call") ",\"trigger\":\"timer", "closing quote");
	bad(RECORD("sync_call") ",\"commit_uid\":\"12\"}", "32 hexadecimal");
	bad(RECORD("sync_call") ",\"source_path\":{\"encoding\":\"unix_hex\",\"value\":\"6\"}}", "half a byte");
	bad(RECORD("sync_call") ",\"source_path\":{\"encoding\":\"unix_hex\",\"value\":\"6x\"}}", "hexadecimal");
	bad(RECORD("sync_call") ",\"source_path\":{\"encoding\":\"rot13\",\"value\":\"\"}}", "encoding");
	bad(RECORD("sync_call") ",\"source_path\":{\"value\":\"\"}}", "lacks");
	bad(HEAD("sync_call") ",\"logger_id\":1,\"outcome\":\"success\"}", "operation_id");
	bad(HEAD("session_end") ",\"reason\":\"shutdown\"}", "event_produced");
}

static void a_nul_is_an_error_and_ends_nothing_early(void **state)
{
	static const char text[] = RECORD("sync_call") ",\"trigger\":\"ti\0mer\"}";
	(void)state;
	assert_int_equal(parse(text, sizeof text - 1), -EBADMSG);
	assert_non_null(strstr(err.text, "control character"));
}

static void nesting_is_bounded(void **state)
{
	static const size_t depths[] = {WT_DEPTH_MAX, WT_DEPTH_MAX + 1, 100000};
	(void)state;
	for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
		size_t depth = depths[i], room = 2 * depth + 256;
		char *text = malloc(room);
		assert_non_null(text);
		size_t n = (size_t)snprintf(text, room, RECORD("sync_call") ",\"more\":");
		memset(text + n, '[', depth);
		memset(text + n + depth, ']', depth);
		memcpy(text + n + 2 * depth, "}", 2);
		if (depth > WT_DEPTH_MAX) bad(text, "too deep");
		else good(text);
		free(text);
	}
}

static void a_key_that_nobody_knows_may_stand_there_once(void **state)
{
	(void)state;
	bad(RECORD("sync_call") ",\"more\":1,\"other\":2,\"more\":1}", "that was there before");
	bad(RECORD("sync_call") ",\"more\":1,\"mo\\u0072e\":1}", "that was there before");
	bad(RECORD("sync_call") ",\"source_path\":{\"encoding\":\"unix_hex\",\"more\":1,\"more\":1,\"value\":\"\"}}",
	    "that was there before");
	good(RECORD("sync_call") ",\"more\":1,\"source_path\":{\"encoding\":\"unix_hex\",\"value\":\"\",\"more\":1}}");
	for (int n = WT_UNKNOWN_KEYS; n <= WT_UNKNOWN_KEYS + 1; n++) {
		char text[4096];
		size_t at = (size_t)snprintf(text, sizeof text, RECORD("sync_call"));
		for (int i = 0; i < n; i++) at += (size_t)snprintf(text + at, sizeof text - at, ",\"more%d\":1", i);
		snprintf(text + at, sizeof text - at, "}");
		if (n > WT_UNKNOWN_KEYS) bad(text, "too many keys");
		else good(text);
	}
}

/* No prefix, and no line with one byte changed, may crash or read past its end; the sanitizers watch. */
static void damaged_lines_never_crash(void **state)
{
	static const char *const text[] = {
		RECORD("commit_lock") ",\"trigger\":\"timer\",\"start_ns\":5,\"commit_uid\":"
				      "\"0123456789abcdeffedcba9876543210\",\"error_kind\":\"NotFound\","
				      "\"source_path\":{\"encoding\":\"unix_hex\",\"value\":\"61\"}}",
		HEAD("histogram") ",\"window\":1,\"logger_id\":1,\"kind\":\"root_flush\",\"count\":2,\"errors\":0,"
				  "\"sum_ns\":5,\"max_ns\":3,\"sub_bits\":5,\"buckets\":[[2,1],[3,1]]}",
		HEAD("recorder") ",\"window\":1,\"filtered\":0,\"writer_cpu_ns\":1,\"bytes\":2,\"lag_ns\":3,"
				 "\"queue_peak\":4,\"producer_ns\":5,\"producer_samples\":6,\"left_out\":7,\"crc32\":8}",
	};
	static const char to[] = "\0\n\"\\{}[],:0x\x80\xff ";
	char copy[1024];
	unsigned read = 0;
	(void)state;
	for (size_t t = 0; t < sizeof text / sizeof *text; t++) {
		size_t n = strlen(text[t]);
		good(text[t]);
		for (size_t i = 0; i < n; i++) assert_int_equal(parse(text[t], i), -EBADMSG);
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < sizeof to - 1; k++) {
				memcpy(copy, text[t], n);
				copy[i] = to[k];
				read += parse(copy, n) == 0;
			}
	}
	assert_true(read > 100); /* inside names and strings a change may leave a line that can be read */
}

static void the_other_lines_are_read(void **state)
{
	(void)state;
	good(HEAD("loss") ",\"window\":3,\"logger_id\":0,\"kind\":\"\",\"cause\":\"slots\",\"n\":12}");
	assert_int_equal(line.loss.n, 12);
	assert_memory_equal(line.loss.cause.bytes, "slots", 5);
	good(HEAD(
		"in_flight") ",\"logger_id\":1,\"operation_id\":9,\"kind\":\"root_flush\",\"since_ns\":4,\"stage\":2,\"rows\":1}");
	assert_int_equal(line.in_flight.operation_id, 9);
	good(HEAD(
		"progress") ",\"logger_id\":1,\"window\":1,\"at_ns\":2,\"approximate\":true,\"commit_lock_waiting\":3,"
	                    "\"waiting_peak_lifetime\":4,\"owner_id\":5,\"owner_since_ns\":6,\"owner_stage\":1}");
	assert_int_equal(line.progress.peak, 4);
	good(HEAD(
		"session_end") ",\"reason\":\"shutdown\",\"event_produced\":1,\"event_written\":1,\"event_dropped\":0,"
	                       "\"omitted\":0,\"outstanding\":0,\"complete\":true}");
	assert_true(line.footer.complete);
	bad(HEAD("session_end") ",\"reason\":\"shutdown\",\"event_produced\":1,\"event_written\":1,\"event_dropped\":0,"
	                        "\"omitted\":0,\"outstanding\":0,\"complete\":truth}",
	    "true or false");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_field_of_a_record_is_read_exactly, setup),
		cmocka_unit_test_setup(every_kind_and_word_is_known, setup),
		cmocka_unit_test_setup(a_record_keeps_nothing_of_the_one_before, setup),
		cmocka_unit_test_setup(other_orders_and_unknown_keys_are_read_and_told, setup),
		cmocka_unit_test_setup(strings_are_unescaped_and_their_utf8_kept, setup),
		cmocka_unit_test_setup(every_character_is_told_at_every_place_of_a_string, setup),
		cmocka_unit_test_setup(every_character_is_told_at_every_place_of_a_path, setup),
		cmocka_unit_test_setup(numbers_of_every_length_are_read_exactly, setup),
		cmocka_unit_test_setup(numbers_end_at_two_to_the_64, setup),
		cmocka_unit_test_setup(bad_lines_are_refused_with_the_reason, setup),
		cmocka_unit_test_setup(a_nul_is_an_error_and_ends_nothing_early, setup),
		cmocka_unit_test_setup(nesting_is_bounded, setup),
		cmocka_unit_test_setup(a_key_that_nobody_knows_may_stand_there_once, setup),
		cmocka_unit_test_setup(damaged_lines_never_crash, setup),
		cmocka_unit_test_setup(the_other_lines_are_read, setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
