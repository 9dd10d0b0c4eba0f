/* SPDX-License-Identifier: MIT */
/* The bytes of an entry and a trailer are format: other programs read them. */
#include "cm.h"

#include <string.h>

#include "wal/block.h"

static void entry_lies_as_the_format_says(void **state)
{
	(void)state;
	uint8_t bytes[CL_COMMIT_OVERHEAD + 3];
	cl_put_commit(bytes, (struct commitlog_cid){.high = 0x1112131415161718, .low = 0x0102030405060708}, "abc", 3);
	static const uint8_t expected[] = {1,    16,   0,    8,    7,    6,    5, 4, 3, 2, 1,   0x18, 0x17,
	                                   0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 3, 0, 0, 0, 'a', 'b',  'c'};
	assert_int_equal(sizeof bytes, sizeof expected);
	assert_memory_equal(bytes, expected, sizeof expected);
}

static void cid_is_read_as_it_was_written(void **state)
{
	(void)state;
	uint8_t bytes[CL_COMMIT_OVERHEAD + 1];
	cl_put_commit(bytes, (struct commitlog_cid){.high = UINT64_MAX, .low = 5}, "x", 1);
	struct commitlog_cid cid = cl_get_cid(bytes + 3);
	assert_true(cid.high == UINT64_MAX && cid.low == 5);
}

static void crc_is_the_ieee_one(void **state)
{
	(void)state;
	assert_int_equal(cl_crc(0, "123456789", 9), 0xcbf43926);
}

static void trailer_holds_time_crc_and_length(void **state)
{
	(void)state;
	uint8_t block[9 + CL_TRAILER_BYTES];
	memcpy(block, "123456789", 9);
	cl_put_trailer(block, 9, 0x0807060504030201);
	static const uint8_t time[] = {1, 2, 3, 4, 5, 6, 7, 8}, length[] = {9, 0, 0, 0};
	assert_memory_equal(block + 9, time, 8);
	assert_memory_equal(block + 21, length, 4);
	struct cl_trailer trailer = cl_get_trailer(block + 9);
	assert_int_equal(trailer.entry_bytes, 9);
	assert_true(trailer.time_ms == 0x0807060504030201);
	assert_int_equal(trailer.crc, cl_crc(cl_crc(0, block, 9), time, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entry_lies_as_the_format_says),
		cmocka_unit_test(cid_is_read_as_it_was_written),
		cmocka_unit_test(crc_is_the_ieee_one),
		cmocka_unit_test(trailer_holds_time_crc_and_length),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
