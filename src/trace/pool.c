/* SPDX-License-Identifier: MIT */
#include "trace/pool.h"

#include <string.h>

/* The pointer part of a stack's top is an index, so a 32-bit tag fits beside it; each change makes a new tag. A thread
 * that sleeps between reading top and its CAS would have to miss exactly 2^32 changes to be fooled. */
static uint64_t tagged(uint64_t old, uint32_t index_plus_1) { return ((old >> 32) + 1) << 32 | index_plus_1; }

void wt_pool_fill(const struct wt_pool *pool, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		atomic_store_explicit(&pool->link[i], i + 1 < n ? i + 2 : 0, memory_order_relaxed);
	atomic_store_explicit(&pool->head->top, n ? 1 : 0, memory_order_relaxed);
	atomic_store_explicit(&pool->head->free, n, memory_order_release);
}

uint32_t wt_pool_take(const struct wt_pool *pool)
{
	uint64_t old = atomic_load_explicit(&pool->head->top, memory_order_acquire);
	for (;;) {
		uint32_t index = (uint32_t)old;
		if (!index) return WT_POOL_NONE;
		/* May read the link of an index that was taken meanwhile: then the tag differs and the CAS fails. */
		uint32_t below = atomic_load_explicit(&pool->link[index - 1], memory_order_relaxed);
		/* Acquire: what its last user did to the index is seen before it is used again. */
		if (atomic_compare_exchange_weak_explicit(&pool->head->top, &old, tagged(old, below),
		                                          memory_order_acq_rel, memory_order_acquire)) {
			atomic_fetch_sub_explicit(&pool->head->free, 1, memory_order_relaxed);
			return index - 1;
		}
	}
}

void wt_pool_give(const struct wt_pool *pool, uint32_t index)
{
	uint64_t old = atomic_load_explicit(&pool->head->top, memory_order_relaxed);
	do {
		atomic_store_explicit(&pool->link[index], (uint32_t)old, memory_order_relaxed);
		/* Release: the link, and what was done with the index, are seen before it is found free. */
	} while (!atomic_compare_exchange_weak_explicit(&pool->head->top, &old, tagged(old, index + 1),
	                                                memory_order_acq_rel, memory_order_relaxed));
	atomic_fetch_add_explicit(&pool->head->free, 1, memory_order_relaxed);
}

uint32_t wt_blocks_put(const struct wt_blocks *blocks, const void *bytes, size_t n)
{
	const char *from = bytes;
	uint32_t first = WT_POOL_NONE, last = WT_POOL_NONE;
	while (n) {
		uint32_t index = wt_pool_take(&blocks->pool);
		if (index == WT_POOL_NONE) {
			if (first != WT_POOL_NONE) wt_blocks_free(blocks, first);
			return WT_POOL_NONE;
		}
		struct wt_block *block = &blocks->block[index];
		size_t part = n < WT_BLOCK_PAYLOAD ? n : WT_BLOCK_PAYLOAD;
		memcpy(block->bytes, from, part);
		block->next = 0;
		if (first == WT_POOL_NONE) first = index;
		else blocks->block[last].next = index + 1;
		last = index;
		from += part;
		n -= part;
	}
	return first;
}

void wt_blocks_get(const struct wt_blocks *blocks, uint32_t first, void *bytes, size_t n)
{
	char *to = bytes;
	while (n) {
		const struct wt_block *block = &blocks->block[first];
		size_t part = n < WT_BLOCK_PAYLOAD ? n : WT_BLOCK_PAYLOAD;
		memcpy(to, block->bytes, part);
		to += part;
		n -= part;
		first = block->next - 1;
	}
}

void wt_blocks_free(const struct wt_blocks *blocks, uint32_t first)
{
	while (first != WT_POOL_NONE) {
		uint32_t next = blocks->block[first].next;
		wt_pool_give(&blocks->pool, first);
		first = next ? next - 1 : WT_POOL_NONE;
	}
}
