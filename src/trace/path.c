/* SPDX-License-Identifier: MIT */
#include "trace/path.h"

#include <string.h>

#include "trace/record.h"

static _Atomic uint64_t *retained(void) { return &wt_session.segment->retained_paths; }

static bool charge(uint64_t bytes)
{
	if (bytes > WALTRACE_MAX_PATH_BYTES) return false;
	uint64_t old = atomic_load_explicit(retained(), memory_order_relaxed);
	do {
		if (old + bytes > WALTRACE_MAX_PATH_BYTES) return false;
	} while (!atomic_compare_exchange_weak_explicit(retained(), &old, old + bytes, memory_order_relaxed,
	                                                memory_order_relaxed));
	return true;
}

static void give_up(uint32_t bytes, uint32_t block)
{
	if (bytes > WALTRACE_MAX_TEXT) wt_blocks_free(&wt_session.paths, block);
	atomic_fetch_sub_explicit(retained(), bytes, memory_order_relaxed);
}

static void drop(struct waltrace__row *row, int slot)
{
	if (!(row->mask & WT_ROW_PATH(slot))) return;
	row->mask &= ~WT_ROW_PATH(slot);
	give_up(row->path_bytes[slot], row->path_block[slot]);
}

/* The new path is charged before the old one is given up, as the reference does. */
bool wt_path_set(struct waltrace__row *row, int slot, const void *path, size_t bytes)
{
	bool fits = charge(bytes);
	uint32_t block = WT_POOL_NONE;
	if (fits && bytes > WALTRACE_MAX_TEXT) {
		block = wt_blocks_put(&wt_session.paths, path, bytes);
		if (block == WT_POOL_NONE) {
			atomic_fetch_sub_explicit(retained(), bytes, memory_order_relaxed);
			fits = false;
		}
	}
	drop(row, slot);
	if (!fits) return false;
	if (bytes && bytes <= WALTRACE_MAX_TEXT) memcpy(row->path[slot], path, bytes);
	row->path_bytes[slot] = (uint32_t)bytes;
	row->path_block[slot] = block;
	row->mask |= WT_ROW_PATH(slot);
	return true;
}

void wt_path_drop(struct waltrace__row *row)
{
	for (int slot = 0; slot < 2; slot++) drop(row, slot);
}

void wt_path_release(const struct wt_row *row)
{
	struct wt_row_view view;
	if (!(row->mask & (WT_ROW_PATH(0) | WT_ROW_PATH(1)))) return;
	wt_row_look(row, &view);
	for (int slot = 0; slot < 2; slot++)
		if (row->mask & WT_ROW_PATH(slot)) give_up(view.path[slot].bytes, view.path[slot].block);
}
