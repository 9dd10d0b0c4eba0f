/* SPDX-License-Identifier: MIT */
#include "cm.h"

#include <errno.h>

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

static void a_line_at_the_limit_is_read_and_one_past_it_is_an_error(void **state)
{
	enum { MAX = 1000 };
	char text[2 * MAX + 8];
	struct wt_lines lines;
	struct wt_raw raw;
	struct wt_err err;
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
		assert_int_equal(wt_lines_next(&lines, &raw, &err), -EFBIG);
		assert_int_equal(raw.number, 2);
		assert_string_equal(err.text, "a line of over 1000 bytes");
		wt_lines_free(&lines);
	}
}

static ssize_t endless(void *context, void *bytes, size_t n, struct wt_err *err)
{
	(void)err;
	*(size_t *)context += n;
	memset(bytes, 'x', n);
	return (ssize_t)n;
}

static void an_endless_line_takes_bounded_memory_and_bytes(void **state)
{
	struct wt_lines lines;
	struct wt_raw raw;
	struct wt_err err;
	size_t taken = 0;
	(void)state;
	wt_lines_init(&lines, endless, &taken);
	assert_int_equal(wt_lines_next(&lines, &raw, &err), -EFBIG);
	assert_true(taken > WT_READ_LINE_MAX && taken <= 2 * (size_t)WT_READ_LINE_MAX);
	assert_true(lines.room <= 2 * (size_t)WT_READ_LINE_MAX);
	wt_lines_free(&lines);
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
		cmocka_unit_test(a_line_at_the_limit_is_read_and_one_past_it_is_an_error),
		cmocka_unit_test(an_endless_line_takes_bounded_memory_and_bytes),
		cmocka_unit_test(a_read_error_reaches_the_caller),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
