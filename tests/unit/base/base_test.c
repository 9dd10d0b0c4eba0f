/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "base/err.h"
#include "base/hex.h"
#include "base/hist.h"
#include "base/utf8.h"

#include "../../lib/cm.h"

static void crc32_is_the_one_that_others_compute(void **state)
{
	(void)state;
	static unsigned char bytes[5000];
	uint64_t seed = 88172645463325252ull;
	for (size_t i = 0; i < sizeof bytes; i++) {
		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		bytes[i] = (unsigned char)seed;
	}
	assert_int_equal(wt_crc32(0, "123456789", 9), 0xcbf43926);
	for (size_t n = 0; n < sizeof bytes; n += n < 300 ? 1 : 97)
		for (size_t from = 0; from < 3 && from + n <= sizeof bytes; from++) {
			uint32_t want = libdeflate_crc32(0, bytes + from, n);
			assert_int_equal(wt_crc32(0, bytes + from, n), want);
			assert_int_equal(wt_crc32_plain(0, bytes + from, n), want);
		}
	uint32_t crc = 0; /* in pieces */
	for (size_t at = 0, n = 1; at < sizeof bytes; at += n, n = n * 2 % 377 + 1) {
		if (at + n > sizeof bytes) n = sizeof bytes - at;
		crc = wt_crc32(crc, bytes + at, n);
	}
	assert_int_equal(crc, libdeflate_crc32(0, bytes, sizeof bytes));
}

static void a_histogram_knows_a_value_to_within_one_part_in_32(void **state)
{
	(void)state;
	uint32_t before = 0;
	for (uint64_t v = 0; v < 1ull << 62; v += v / 7 + 1) {
		uint32_t i = wt_hist_index(v);
		assert_true(i >= before && i < WT_HIST_BUCKETS);
		assert_true(wt_hist_low(i) <= v);
		assert_true(v - wt_hist_low(i) <= v / 32);
		before = i;
	}
	assert_int_equal(wt_hist_index(UINT64_MAX), WT_HIST_BUCKETS - 1);
	for (uint32_t i = 0; i < WT_HIST_BUCKETS; i++) assert_int_equal(wt_hist_index(wt_hist_low(i)), i);
}

static void a_quantile_lies_in_the_bucket_that_reaches_it(void **state)
{
	(void)state;
	static uint64_t counts[WT_HIST_BUCKETS];
	counts[wt_hist_index(10)] = 50;
	counts[wt_hist_index(1000)] = 49;
	counts[wt_hist_index(100000)] = 1;
	assert_int_equal(wt_hist_quantile(counts, 100, 0.5), 10);
	assert_in_range(wt_hist_quantile(counts, 100, 0.51), 970, 1030);
	assert_in_range(wt_hist_quantile(counts, 100, 0.99), 970, 1030);
	assert_in_range(wt_hist_quantile(counts, 100, 1.0), 97000, 103000);
	assert_int_equal(wt_hist_quantile(counts, 0, 0.5), 0);
}

static void hexadecimal_goes_there_and_back_and_refuses_what_is_none(void **state)
{
	(void)state;
	char digits[9] = "";
	unsigned char bytes[4];
	*wt_hex_put(digits, "\x00\x7f\xab\xff", 4) = 0;
	assert_string_equal(digits, "007fabff");
	assert_int_equal(wt_hex_get(bytes, "007FabfF", 8), 0);
	assert_memory_equal(bytes, "\x00\x7f\xab\xff", 4);
	assert_int_equal(wt_hex_get(bytes, "123", 3), -1);
	assert_int_equal(wt_hex_get(bytes, "0g", 2), -1);
	for (int c = 0; c < 256; c++) {
		const char four[4] = {'0', (char)c, '1', '2'};
		int good = c && strchr("0123456789abcdefABCDEF", c);
		assert_int_equal(wt_hex_get(bytes, four, 4), good ? 0 : -1);
	}
}

static size_t utf8(const char *s)
{
	uint32_t c;
	return wt_utf8(s, SIZE_MAX, &c);
}

static void utf8_is_what_the_standard_takes_and_nothing_else(void **state)
{
	(void)state;
	uint32_t c = 0;
	assert_int_equal(wt_utf8("\xf4\x8f\xbf\xbf", 4, &c), 4);
	assert_int_equal(c, 0x10ffff);
	assert_int_equal(wt_utf8("\xc3\xa9", 2, &c), 2);
	assert_int_equal(c, 0xe9);
	assert_int_equal(wt_utf8("\xc3\xa9", 1, &c), 0);
	assert_int_equal(utf8("a"), 1);
	assert_int_equal(utf8("\xed\x9f\xbf"), 3);
	assert_int_equal(utf8("\xed\xa0\x80"), 0); /* a surrogate */
	assert_int_equal(utf8("\xc0\x80"), 0);     /* overlong */
	assert_int_equal(utf8("\xe0\x9f\xbf"), 0);
	assert_int_equal(utf8("\xf0\x8f\xbf\xbf"), 0);
	assert_int_equal(utf8("\xf4\x90\x80\x80"), 0); /* past U+10FFFF */
	assert_int_equal(utf8("\xff"), 0);
	assert_int_equal(utf8("\x80"), 0);
	assert_int_equal(utf8("\xe2\x82"), 0); /* the text ends in the middle */
}

static void an_error_is_wrapped_outward_and_cut_where_it_is_too_long(void **state)
{
	(void)state;
	struct wt_err err;
	static char long_text[2 * WT_ERR_BYTES];
	assert_int_equal(wt_err_set(&err, -ENOSPC, "no %s", "room"), -ENOSPC);
	wt_err_wrap(&err, "%s:%d", "file", 7);
	assert_string_equal(err.text, "file:7: no room");
	assert_int_equal(err.code, -ENOSPC);
	memset(long_text, 'x', sizeof long_text - 1);
	wt_err_wrap(&err, "%s", long_text);
	assert_int_equal(strlen(err.text), WT_ERR_BYTES - 1);
	wt_err_set(&err, -EIO, "%s", long_text);
	wt_err_wrap(&err, "context");
	assert_int_equal(strlen(err.text), WT_ERR_BYTES - 1);
	assert_memory_equal(err.text, "context: xxx", 12);
	assert_int_equal(wt_err_set(NULL, -EIO, "nobody listens"), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc32_is_the_one_that_others_compute),
		cmocka_unit_test(a_histogram_knows_a_value_to_within_one_part_in_32),
		cmocka_unit_test(a_quantile_lies_in_the_bucket_that_reaches_it),
		cmocka_unit_test(hexadecimal_goes_there_and_back_and_refuses_what_is_none),
		cmocka_unit_test(utf8_is_what_the_standard_takes_and_nothing_else),
		cmocka_unit_test(an_error_is_wrapped_outward_and_cut_where_it_is_too_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
