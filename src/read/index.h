/* SPDX-License-Identifier: MIT */
/* Finds rows by a number: pairs (key, place) in order. Filled in any order, then closed; only then searched. */
#ifndef WT_READ_INDEX_H
#define WT_READ_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct wt_index_entry {
	uint64_t key;
	uint32_t place;
};

struct wt_index {
	struct wt_index_entry *at;
	size_t n, room;
};

enum { WT_NOWHERE = 0xffffffff };

int wt_index_add(struct wt_index *index, uint64_t key, size_t place) WT_MUST_CHECK;
void wt_index_close(struct wt_index *index);
/* Number of the first entry whose key is at least `key`; n if there is none. */
size_t wt_index_from(const struct wt_index *index, uint64_t key);
/* Place of the first row with this key, or WT_NOWHERE. */
uint32_t wt_index_find(const struct wt_index *index, uint64_t key);
void wt_index_free(struct wt_index *index);

#endif
