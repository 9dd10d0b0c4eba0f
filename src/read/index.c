/* SPDX-License-Identifier: MIT */
#include "read/index.h"

#include <errno.h>
#include <stdlib.h>

#include "read/grow.h"

int wt_index_add(struct wt_index *index, uint64_t key, size_t place)
{
	if (place >= WT_NOWHERE) return -EOVERFLOW;
	if (index->n == index->room && wt_grow((void **)&index->at, &index->room, sizeof *index->at)) return -ENOMEM;
	index->at[index->n++] = (struct wt_index_entry){key, (uint32_t)place};
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct wt_index_entry *x = a, *y = b;
	if (x->key != y->key) return x->key < y->key ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

void wt_index_close(struct wt_index *index)
{
	if (index->n) qsort(index->at, index->n, sizeof *index->at, by_key);
}

size_t wt_index_from(const struct wt_index *index, uint64_t key)
{
	size_t low = 0, high = index->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (index->at[middle].key < key) low = middle + 1;
		else high = middle;
	}
	return low;
}

uint32_t wt_index_find(const struct wt_index *index, uint64_t key)
{
	size_t i = wt_index_from(index, key);
	return i < index->n && index->at[i].key == key ? index->at[i].place : WT_NOWHERE;
}

void wt_index_free(struct wt_index *index)
{
	free(index->at);
	*index = (struct wt_index){0};
}
