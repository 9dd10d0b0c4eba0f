/* SPDX-License-Identifier: MIT */
/* What a file's tail is taken for: only a tail with no valid block behind it may ever be cut. */
#include "cm.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"
#include "wal/walk.h"

enum { BLOCKS = 3, PAYLOAD = 40, RECORDS = 2, BLOCK = RECORDS * (CL_COMMIT_OVERHEAD + PAYLOAD) + CL_TRAILER_BYTES };

static void fill_blocks(uint8_t *file)
{
	for (int b = 0; b < BLOCKS; b++, file += BLOCK) {
		uint8_t payload[PAYLOAD];
		for (int r = 0; r < RECORDS; r++) {
			memset(payload, b * 16 + r + 1, sizeof payload);
			cl_put_commit(file + r * (CL_COMMIT_OVERHEAD + PAYLOAD), (struct commitlog_cid){1, 2}, payload,
			              PAYLOAD);
		}
		cl_put_trailer(file, BLOCK - CL_TRAILER_BYTES, 1700000000000);
	}
}

static struct cl_walk walk_on_bytes(const uint8_t *bytes, size_t n, struct cl_walk walk)
{
	char directory[SCRATCH_PATH_BYTES], path[SCRATCH_PATH_BYTES];
	scratch_make(directory);
	scratch_write(directory, "f", bytes, n);
	scratch_join(path, directory, "f");
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	struct cl_view view;
	assert_int_equal(cl_view_open(&view, &wt_os_posix, fd), 0);
	assert_int_equal(cl_walk_on(&view, &walk, NULL, NULL), 0);
	cl_view_close(&view);
	close(fd);
	scratch_remove(directory);
	return walk;
}

static struct cl_walk walk_bytes(const uint8_t *bytes, size_t n)
{
	return walk_on_bytes(bytes, n, (struct cl_walk){0});
}

static void whole_blocks_are_counted(void **state)
{
	(void)state;
	uint8_t file[BLOCKS * BLOCK];
	fill_blocks(file);
	struct cl_walk walk = walk_bytes(file, sizeof file);
	assert_int_equal(walk.tail, CL_TAIL_NONE);
	assert_int_equal(walk.blocks, BLOCKS);
	assert_int_equal(walk.records, BLOCKS * RECORDS);
	assert_int_equal(walk.true_bytes, sizeof file);
}

static void empty_file_is_good(void **state)
{
	(void)state;
	struct cl_walk walk = walk_bytes((const uint8_t *)"", 0);
	assert_int_equal(walk.tail, CL_TAIL_NONE);
	assert_int_equal(walk.blocks, 0);
}

static void zeros_behind_the_last_block_are_prefill(void **state)
{
	(void)state;
	uint8_t file[BLOCKS * BLOCK + 5000] = {0};
	fill_blocks(file);
	for (size_t zeros = 1; zeros <= 5000; zeros += zeros < 40 ? 1 : 1237) {
		struct cl_walk walk = walk_bytes(file, BLOCKS * BLOCK + zeros);
		assert_int_equal(walk.tail, CL_TAIL_ZEROS);
		assert_int_equal(walk.true_bytes, BLOCKS * BLOCK);
	}
}

static void file_cut_anywhere_keeps_its_whole_blocks(void **state)
{
	(void)state;
	uint8_t file[BLOCKS * BLOCK];
	fill_blocks(file);
	for (size_t n = 0; n < sizeof file; n++) {
		struct cl_walk walk = walk_bytes(file, n);
		assert_int_equal(walk.blocks, n / BLOCK);
		assert_int_equal(walk.tail, n % BLOCK ? CL_TAIL_TORN : CL_TAIL_NONE);
		size_t torn = n % BLOCK;
		while (torn && !file[n / BLOCK * BLOCK + torn - 1]) torn--;
		assert_int_equal(walk.torn_bytes, torn);
	}
}

static void flipped_byte_is_torn_in_the_last_block_and_damage_before_it(void **state)
{
	(void)state;
	uint8_t file[BLOCKS * BLOCK + 100] = {0};
	for (size_t at = 0; at < BLOCKS * BLOCK; at++) {
		fill_blocks(file);
		file[at] ^= (uint8_t)(1u << at % 8);
		struct cl_walk walk = walk_bytes(file, sizeof file);
		assert_int_equal(walk.blocks, at / BLOCK);
		assert_int_equal(walk.tail, at / BLOCK < BLOCKS - 1 ? CL_TAIL_DAMAGED : CL_TAIL_TORN);
		assert_true(walk.reason[0]);
	}
}

static void damage_is_found_behind_zeroed_blocks(void **state)
{
	(void)state;
	uint8_t file[BLOCKS * BLOCK];
	fill_blocks(file);
	memset(file, 0, (BLOCKS - 1) * BLOCK);
	struct cl_walk walk = walk_bytes(file, sizeof file);
	assert_int_equal(walk.blocks, 0);
	assert_int_equal(walk.tail, CL_TAIL_DAMAGED);
}

/* A remove entry with an empty key is three zero bytes: it must not pass for prefill, nor prefill for it. */
static void block_of_remove_entries_is_a_block(void **state)
{
	(void)state;
	uint8_t file[6 + CL_TRAILER_BYTES] = {0};
	cl_put_trailer(file, 6, 1);
	struct cl_walk walk = walk_bytes(file, sizeof file);
	assert_int_equal(walk.blocks, 1);
	assert_int_equal(walk.records, 2);
	assert_int_equal(walk.tail, CL_TAIL_NONE);
}

static void value_past_the_end_is_no_entry(void **state)
{
	(void)state;
	uint8_t file[BLOCK];
	uint8_t blocks[BLOCKS * BLOCK];
	fill_blocks(blocks);
	memcpy(file, blocks, BLOCK);
	memset(file + 19, 0xff, 4);
	struct cl_walk walk = walk_bytes(file, sizeof file);
	assert_int_equal(walk.tail, CL_TAIL_TORN);
	assert_non_null(strstr(walk.reason, "ends inside an entry"));
}

static void largest_key_is_read(void **state)
{
	(void)state;
	enum { KEY = 65535, N = 3 + KEY };
	uint8_t *file = calloc(1, N + CL_TRAILER_BYTES);
	file[1] = file[2] = 0xff;
	memset(file + 3, 'k', KEY);
	cl_put_trailer(file, N, 1);
	struct cl_walk walk = walk_bytes(file, N + CL_TRAILER_BYTES);
	free(file);
	assert_int_equal(walk.records, 1);
	assert_int_equal(walk.tail, CL_TAIL_NONE);
}

static void walk_goes_on_behind_damage(void **state)
{
	(void)state;
	uint8_t file[BLOCKS * BLOCK + 1000] = {0};
	fill_blocks(file);
	file[30] ^= 1;
	struct cl_walk walk = walk_bytes(file, sizeof file);
	assert_int_equal(walk.tail, CL_TAIL_DAMAGED);
	assert_int_equal(walk.next_block, BLOCK);
	walk = walk_on_bytes(file, sizeof file, (struct cl_walk){.true_bytes = BLOCK, .data_end = walk.data_end});
	assert_int_equal(walk.tail, CL_TAIL_ZEROS);
	assert_int_equal(walk.blocks, BLOCKS - 1);
}

/* Numbers that look like the length of a block at every place: an array of ones. */
static void search_that_gets_too_long_is_given_up_and_nothing_cut(void **state)
{
	(void)state;
	enum { N = 40000 };
	uint8_t *file = calloc(1, N);
	for (size_t at = 0; at < N; at += 4) file[at] = 1;
	struct cl_walk walk = walk_bytes(file, N);
	assert_int_equal(walk.tail, CL_TAIL_TORN);
	assert_true(walk.effort > 1000 && walk.effort < CL_EFFORT_MAX);
	uint64_t needed = walk.effort;
	walk = walk_on_bytes(file, N, (struct cl_walk){.effort = CL_EFFORT_MAX - needed});
	assert_int_equal(walk.tail, CL_TAIL_TORN);
	walk = walk_on_bytes(file, N, (struct cl_walk){.effort = CL_EFFORT_MAX - needed + 1});
	assert_int_equal(walk.tail, CL_TAIL_DAMAGED);
	assert_int_equal(walk.next_block, N);
	assert_non_null(strstr(walk.reason, "given up"));
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_blocks_are_counted),
		cmocka_unit_test(empty_file_is_good),
		cmocka_unit_test(zeros_behind_the_last_block_are_prefill),
		cmocka_unit_test(file_cut_anywhere_keeps_its_whole_blocks),
		cmocka_unit_test(flipped_byte_is_torn_in_the_last_block_and_damage_before_it),
		cmocka_unit_test(damage_is_found_behind_zeroed_blocks),
		cmocka_unit_test(block_of_remove_entries_is_a_block),
		cmocka_unit_test(value_past_the_end_is_no_entry),
		cmocka_unit_test(largest_key_is_read),
		cmocka_unit_test(walk_goes_on_behind_damage),
		cmocka_unit_test(search_that_gets_too_long_is_given_up_and_nothing_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
