/* SPDX-License-Identifier: MIT */
#include "cm.h"

#include <stdlib.h>

#include "feed.h"
#include "read/lines.h"

static void expect(struct wt_lines *lines, const char *text, uint64_t number, uint64_t offset, bool cut)
{
	struct wt_raw raw;
	struct wt_err err = {0};
	assert_int_equal(wt_lines_next(lines, &raw, &err), 1);
	assert_int_equal(raw.n, strlen(text));
	assert_memory_equal(raw.text, text, raw.n);
	assert_int_equal(raw.number, number);
	assert_int_equal(raw.offset, offset);
	assert_int_equal(raw.cut, cut);
	raw.text[raw.n] = '\n'; /* that place is the caller's */
}

static void lines_come_whole_however_the_bytes_do(void **state)
{
	(void)state;
	for (size_t step = 0; step < 9; step++) {
		struct feed feed = {"one\n\nthree, longer\nend", 23, step};
		struct wt_lines lines;
		struct wt_raw raw;
		wt_lines_init(&lines, feed_read, &feed);
		feed.n = strlen(feed.bytes);
		expect(&lines, "one", 1, 0, false);
		expect(&lines, "", 2, 4, false);
		expect(&lines, "three, longer", 3, 5, false);
		expect(&lines, "end", 4, 19, true);
		assert_int_equal(wt_lines_next(&lines, &raw, NULL), 0);
		wt_lines_free(&lines);
	}
}

static void a_line_at_the_limit_is_read_and_one_past_it_passed_over(void **state)
{
	enum { MAX = 1000 };
	char text[2 * MAX + 8];
	struct wt_lines lines;
	struct wt_raw raw;
	(void)state;
	for (size_t step = 0; step < 300; step += 37) {
		memset(text, 'a', MAX);
		text[MAX] = '\n';
		memset(text + MAX + 1, 'b', MAX + 1);
		memcpy(text + 2 * MAX + 2, "\nc\n", 3);
		struct feed feed = {text, 2 * MAX + 5, step};
		wt_lines_init(&lines, feed_read, &feed);
		lines.max = MAX;
		assert_int_equal(wt_lines_next(&lines, &raw, NULL), 1);
		assert_int_equal(raw.n, MAX);
		assert_false(raw.too_long);
		assert_int_equal(wt_lines_next(&lines, &raw, NULL), 1);
		assert_true(raw.too_long);
		assert_int_equal(raw.number, 2);
		assert_int_equal(raw.text[0], 'b');
		expect(&lines, "c", 3, 2 * MAX + 3, false);
		wt_lines_free(&lines);
	}
}

static void an_endless_line_takes_bounded_memory(void **state)
{
	struct wt_lines lines;
	struct wt_raw raw;
	size_t n = 8u << 20;
	char *text = malloc(n);
	(void)state;
	assert_non_null(text);
	memset(text, 'x', n);
	struct feed feed = {text, n, 0};
	wt_lines_init(&lines, feed_read, &feed);
	lines.max = 1u << 20;
	assert_int_equal(wt_lines_next(&lines, &raw, NULL), 1);
	assert_true(raw.too_long && raw.cut);
	assert_true(lines.room <= 4u << 20);
	assert_int_equal(wt_lines_next(&lines, &raw, NULL), 0);
	wt_lines_free(&lines);
	free(text);
}

static ssize_t broken(void *context, void *bytes, size_t n, struct wt_err *err)
{
	(void)context, (void)bytes, (void)n;
	return wt_err_set(err, -5, "the disk is broken");
}

static void a_read_error_reaches_the_caller(void **state)
{
	struct wt_lines lines;
	struct wt_raw raw;
	struct wt_err err;
	(void)state;
	wt_lines_init(&lines, broken, NULL);
	assert_int_equal(wt_lines_next(&lines, &raw, &err), -5);
	assert_string_equal(err.text, "the disk is broken");
	wt_lines_free(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_whole_however_the_bytes_do),
		cmocka_unit_test(a_line_at_the_limit_is_read_and_one_past_it_passed_over),
		cmocka_unit_test(an_endless_line_takes_bounded_memory),
		cmocka_unit_test(a_read_error_reaches_the_caller),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
