/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "trace/pool.h"

#include "../../lib/cm.h"

enum { N = 64, THREADS = 4, ROUNDS = 20000 };

static struct wt_pool_head head;
static _Atomic uint32_t links[N];
static struct wt_pool pool = {.head = &head, .link = links};

static void every_index_is_handed_out_once_and_then_none(void **state)
{
	(void)state;
	bool seen[N] = {false};
	wt_pool_fill(&pool, N);
	for (int i = 0; i < N; i++) {
		uint32_t index = wt_pool_take(&pool);
		assert_true(index < N);
		assert_false(seen[index]);
		seen[index] = true;
	}
	assert_int_equal(wt_pool_take(&pool), WT_POOL_NONE);
	wt_pool_give(&pool, 7);
	assert_int_equal(wt_pool_take(&pool), 7);
	assert_int_equal(wt_pool_take(&pool), WT_POOL_NONE);
}

static _Atomic int users[N];
static _Atomic int clashes;

static void *take_and_give(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t index = wt_pool_take(&pool);
		if (index == WT_POOL_NONE) continue;
		if (atomic_fetch_add(&users[index], 1)) clashes++;
		atomic_fetch_sub(&users[index], 1);
		wt_pool_give(&pool, index);
	}
	return NULL;
}

static void no_two_threads_ever_hold_the_same_index(void **state)
{
	(void)state;
	pthread_t thread[THREADS];
	wt_pool_fill(&pool, 3); /* fewer than threads, so that they meet */
	for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, take_and_give, NULL), 0);
	for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
	assert_int_equal(clashes, 0);
	assert_int_equal(head.free, 3);
	for (int i = 0; i < 3; i++) assert_int_not_equal(wt_pool_take(&pool), WT_POOL_NONE);
	assert_int_equal(wt_pool_take(&pool), WT_POOL_NONE);
}

static void bytes_come_back_out_of_their_blocks(void **state)
{
	(void)state;
	static const size_t length[] = {1, WT_BLOCK_PAYLOAD - 1, WT_BLOCK_PAYLOAD, WT_BLOCK_PAYLOAD + 1, 1000};
	struct wt_blocks blocks = {.pool = pool, .block = calloc(N, sizeof(struct wt_block))};
	char in[1000], out[1000];
	for (size_t i = 0; i < sizeof in; i++) in[i] = (char)(i * 7);
	wt_pool_fill(&pool, N);
	for (size_t i = 0; i < sizeof length / sizeof length[0]; i++) {
		uint32_t first = wt_blocks_put(&blocks, in, length[i]);
		assert_int_not_equal(first, WT_POOL_NONE);
		memset(out, 0, sizeof out);
		wt_blocks_get(&blocks, first, out, length[i]);
		assert_memory_equal(in, out, length[i]);
		wt_blocks_free(&blocks, first);
		assert_int_equal(head.free, N);
	}
	free(blocks.block);
}

static void a_chain_that_does_not_fit_takes_nothing(void **state)
{
	(void)state;
	static char in[N * WT_BLOCK_PAYLOAD + 1];
	struct wt_blocks blocks = {.pool = pool, .block = calloc(N, sizeof(struct wt_block))};
	wt_pool_fill(&pool, N);
	assert_int_equal(wt_blocks_put(&blocks, in, sizeof in), WT_POOL_NONE);
	assert_int_equal(head.free, N);
	assert_int_not_equal(wt_blocks_put(&blocks, in, sizeof in - 1), WT_POOL_NONE);
	assert_int_equal(head.free, 0);
	free(blocks.block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_index_is_handed_out_once_and_then_none),
		cmocka_unit_test(no_two_threads_ever_hold_the_same_index),
		cmocka_unit_test(bytes_come_back_out_of_their_blocks),
		cmocka_unit_test(a_chain_that_does_not_fit_takes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
