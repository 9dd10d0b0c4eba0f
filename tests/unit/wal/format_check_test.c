/* SPDX-License-Identifier: MIT */
/* The tests' own reader of log files: it takes a good file and no other. */
#include "cm.h"

#include <string.h>

#include "format_check.h"

/* Made by hand: id 0123456789abcdef0011223344556677, "one", at 1,790,000,000,000 ms. */
static const uint8_t by_hand[] = {0x01, 0x10, 0x00, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x00, 0xef, 0xcd, 0xab,
                                  0x89, 0x67, 0x45, 0x23, 0x01, 0x03, 0x00, 0x00, 0x00, 0x6f, 0x6e, 0x65, 0x00, 0x6c,
                                  0x50, 0xc4, 0xa0, 0x01, 0x00, 0x00, 0x87, 0x2c, 0x3f, 0x49, 0x1a, 0x00, 0x00, 0x00};

enum { BLOCKS = 3, ZEROS = 40, BLOCK = sizeof by_hand, WHOLE = BLOCKS * BLOCK, FILE_BYTES = WHOLE + ZEROS };

/* A file of three blocks, with zeros written ahead. */
static void make_file(uint8_t file[FILE_BYTES])
{
	memset(file, 0, FILE_BYTES);
	for (size_t i = 0; i < BLOCKS; i++) memcpy(file + i * BLOCK, by_hand, BLOCK);
}

static void block_made_by_hand_is_read(void **state)
{
	(void)state;
	struct format_log log = {.files = NULL};
	uint8_t file[FILE_BYTES];
	make_file(file);
	assert_true(format_read_bytes(&log, "000000007.bak", file, FILE_BYTES));
	assert_int_equal(log.files[0].blocks, BLOCKS);
	assert_int_equal(log.files[0].whole_bytes, WHOLE);
	assert_int_equal(log.entry_count, BLOCKS);
	for (size_t i = 0; i < BLOCKS; i++) {
		const struct format_entry *entry = &log.entries[i];
		assert_int_equal(entry->file_index, 7);
		assert_int_equal(entry->offset, i * BLOCK);
		assert_int_equal(entry->block_offset, i * BLOCK);
		assert_int_equal(entry->time_ms, 1790000000000);
		assert_int_equal(entry->key_bytes, 16);
		assert_memory_equal(entry->key, by_hand + 3, 16);
		assert_int_equal(entry->value_bytes, 3);
		assert_memory_equal(entry->value, "one", 3);
	}
	format_free(&log);
}

static void any_changed_byte_is_refused(void **state)
{
	(void)state;
	struct format_log log = {.files = NULL};
	uint8_t file[FILE_BYTES];
	make_file(file);
	for (size_t at = 0; at < FILE_BYTES; at++) {
		uint8_t was = file[at];
		for (unsigned change = 1; change < 256; change++) {
			file[at] = (uint8_t)(was ^ change);
			if (format_read_bytes(&log, "000000001", file, FILE_BYTES))
				fail_msg("byte %zu, xor %u", at, change);
			assert_int_equal(strncmp(log.reason, "000000001: ", 11), 0);
		}
		file[at] = was;
	}
	assert_int_equal(log.file_count, 0);
	assert_int_equal(log.entry_count, 0);
}

static void file_cut_inside_a_block_is_refused(void **state)
{
	(void)state;
	struct format_log log = {.files = NULL};
	uint8_t file[FILE_BYTES];
	make_file(file);
	for (size_t cut = 0; cut <= FILE_BYTES; cut++)
		assert_int_equal(format_read_bytes(&log, "000000001", file, cut), cut % BLOCK == 0 || cut >= WHOLE);
	format_free(&log);
}

static void zeros_between_blocks_are_refused(void **state)
{
	(void)state;
	struct format_log log = {.files = NULL};
	uint8_t file[FILE_BYTES];
	make_file(file);
	memmove(file + BLOCK + ZEROS, file + BLOCK, WHOLE - BLOCK);
	memset(file + BLOCK, 0, ZEROS);
	assert_false(format_read_bytes(&log, "000000001", file, FILE_BYTES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(block_made_by_hand_is_read),
		cmocka_unit_test(any_changed_byte_is_refused),
		cmocka_unit_test(file_cut_inside_a_block_is_refused),
		cmocka_unit_test(zeros_between_blocks_are_refused),
	};
	return cmocka_run_group_tests_name("format check", tests, NULL, NULL);
}
