/* SPDX-License-Identifier: MIT */
#include "trace/encode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../lib/cm.h"

static void check_number(uint64_t v)
{
	char got[32], want[32];
	*wt_put_u64(got, v) = 0;
	snprintf(want, sizeof want, "%" PRIu64, v);
	assert_string_equal(got, want);
}

static void numbers_print_as_printf_prints_them(void **state)
{
	(void)state;
	uint64_t power = 1, seed = 88172645463325252ull;
	for (int i = 0; i < 20; i++, power *= 10)
		for (int64_t around = -2; around <= 2; around++) check_number(power + (uint64_t)around);
	for (int bit = 0; bit < 64; bit++)
		for (int64_t around = -1; around <= 1; around++) check_number((1ull << bit) + (uint64_t)around);
	for (int i = 0; i < 100000; i++) {
		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		check_number(seed >> (i % 64));
	}
}

static void check_string(const char *in, size_t n, const char *want)
{
	char got[256];
	*wt_put_string(got, in, n) = 0;
	assert_string_equal(got, want);
}

static void strings_are_escaped_as_the_reference_escapes(void **state)
{
	(void)state;
	check_string("", 0, "\"\"");
	check_string("a\"b\\c", 5, "\"a\\\"b\\\\c\"");
	check_string("\n\r\t\b\x1f", 5, "\"\\n\\r\\t\\u0008\\u001f\"");
	check_string("\0", 1, "\"\\u0000\"");
	check_string("\x7f\xc3\xa9\xf0\x9f\x98\x80", 7, "\"\x7f\xc3\xa9\xf0\x9f\x98\x80\"");
}

static void what_is_no_utf8_becomes_the_replacement_character(void **state)
{
	(void)state;
	check_string("\xff", 1, "\"\xef\xbf\xbd\"");
	check_string("a\xc3", 2, "\"a\xef\xbf\xbd\"");                                               /* cut off */
	check_string("\xc0\x80", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"");                                 /* overlong */
	check_string("\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");                 /* a surrogate */
	check_string("\xf4\x90\x80\x80", 4, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); /* past U+10FFFF */
}

/* A row with every field, every string at its longest and made of what escapes worst. */
static void the_longest_line_without_paths_fits(void **state)
{
	(void)state;
	static struct waltrace__row row;
	static struct wt_encoder encoder;
	_Alignas(8) char packed[WALTRACE__ROW_MAX];
	static char line[WT_LINE_MAX + 64];
	struct wt_row_view view;
	wt_row_begin(&row, UINT64_MAX, WALTRACE_KIND_CHECKPOINT_ROTATION, WALTRACE_W_NONE);
	for (int f = 0; f < WALTRACE_FIELDS; f++) waltrace__row_set(&row, (enum waltrace_field)f, UINT64_MAX);
	for (int i = 0; i < WALTRACE_STRINGS; i++) {
		memset(row.text[i], 1, WALTRACE_MAX_TEXT);
		row.text_bytes[i] = WALTRACE_MAX_TEXT;
		waltrace__row_word(&row, (enum waltrace_string)i, WT_WORD_TEXT);
	}
	row.mask |= WT_ROW_TEXT;
	row.words = waltrace__words(row.words, 7, WALTRACE_E_STALE_NETWORK_FILE_HANDLE);
	assert_true(wt_row_bytes(&row) <= sizeof packed);
	wt_row_pack(&row, WALTRACE_MAX_LOGGERS, wt_row_bytes(&row), (void *)packed);
	wt_row_look((void *)packed, &view);
	wt_encoder_init(&encoder, "18446744073709551615-18446744073709551615");
	char *end = wt_encode_record(&encoder, (void *)packed, &view, line);
	/* Pieces are copied in fixed sizes, so some room behind the end is used too. */
	assert_true(end - line + 2 + WT_HEAD_MAX < WT_LINE_MAX);
	assert_non_null(strstr(line, "\"commit_uid\":\"ffffffffffffffffffffffffffffffff\""));
}

static void a_packed_row_gives_back_its_strings_and_paths(void **state)
{
	(void)state;
	static struct waltrace__row row;
	_Alignas(8) char packed[WALTRACE__ROW_MAX];
	struct wt_row_view view;
	wt_row_begin(&row, 9, WALTRACE_KIND_FILE_SPLIT, WALTRACE_W_TIMER);
	waltrace__row_set(&row, WALTRACE_LOG_UID, 5);
	waltrace__row_word(&row, WALTRACE_MODE, WT_WORD_TEXT);
	row.text_bytes[WALTRACE_MODE] = 3;
	memcpy(row.text[WALTRACE_MODE], "abc", 3);
	row.mask |= WT_ROW_TEXT | WT_ROW_PATH(1);
	row.path_bytes[1] = 2;
	memcpy(row.path[1], "/x", 2);
	wt_row_pack(&row, 3, wt_row_bytes(&row), (void *)packed);
	const struct wt_row *got = (void *)packed;
	wt_row_look(got, &view);
	assert_int_equal(got->bytes % 8, 0);
	assert_int_equal(got->value[0], 5);
	assert_null(view.string[WALTRACE_TRIGGER].text);
	assert_int_equal(got->word[WALTRACE_TRIGGER], WALTRACE_W_TIMER);
	assert_int_equal(view.string[WALTRACE_MODE].bytes, 3);
	assert_memory_equal(view.string[WALTRACE_MODE].text, "abc", 3);
	assert_int_equal(view.path[1].bytes, 2);
	assert_memory_equal(view.path[1].text, "/x", 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_print_as_printf_prints_them),
		cmocka_unit_test(strings_are_escaped_as_the_reference_escapes),
		cmocka_unit_test(what_is_no_utf8_becomes_the_replacement_character),
		cmocka_unit_test(the_longest_line_without_paths_fits),
		cmocka_unit_test(a_packed_row_gives_back_its_strings_and_paths),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
