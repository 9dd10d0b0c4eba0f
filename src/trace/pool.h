/* SPDX-License-Identifier: MIT */
/* Lock-free free lists of indices, and byte strings in chains of fixed blocks. */
#ifndef WT_TRACE_POOL_H
#define WT_TRACE_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/layout.h"

struct wt_pool {
	struct wt_pool_head *head;
	_Atomic uint32_t *link; /* a word an index: the one below it in the stack, + 1 */
};

#define WT_POOL_NONE 0xffffffffu

/* Makes the indices 0 … n-1 free. Before anyone else knows the pool. */
void wt_pool_fill(const struct wt_pool *pool, uint32_t n);

/* A free index, or WT_POOL_NONE. Never waits: another thread's success is the only reason to try again. */
uint32_t wt_pool_take(const struct wt_pool *pool);

/* Gives an index back; it must not be free. */
void wt_pool_give(const struct wt_pool *pool, uint32_t index);

struct wt_block {
	uint32_t next; /* block + 1, 0 at the end */
	char bytes[WT_BLOCK_PAYLOAD];
};
_Static_assert(sizeof(struct wt_block) == WT_BLOCK_BYTES, "block");

struct wt_blocks {
	struct wt_pool pool;
	struct wt_block *block;
};

/* Copies n > 0 bytes into a chain; its first block, or WT_POOL_NONE with nothing taken. */
uint32_t wt_blocks_put(const struct wt_blocks *blocks, const void *bytes, size_t n);

/* Copies the n bytes of a chain out of it. */
void wt_blocks_get(const struct wt_blocks *blocks, uint32_t first, void *bytes, size_t n);

/* Gives a chain back. */
void wt_blocks_free(const struct wt_blocks *blocks, uint32_t first);

#endif
