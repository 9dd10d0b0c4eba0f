/* SPDX-License-Identifier: MIT */
#include "read/index.h"

#include <errno.h>
#include <stdbool.h>
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

/* ---- Sorting by digits -------------------------------------------------------------------------------------- */

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static unsigned digit_of(uint64_t key, unsigned shift) { return key >> shift & (DIGITS - 1); }

/* One pass over the digit at `shift`, entries with the same digit left in their order. */
static void pass(const struct wt_index_entry *from, struct wt_index_entry *to, size_t n, unsigned shift)
{
	size_t start[DIGITS] = {0}, sum = 0;
	for (size_t i = 0; i < n; i++) start[digit_of(from[i].key, shift)]++;
	for (unsigned d = 0; d < DIGITS; d++) {
		size_t count = start[d];
		start[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++) to[start[digit_of(from[i].key, shift)]++] = from[i];
}

/* Entries whose places ascend, into order: only digits in which keys differ cost a pass. `differ` has their bits. */
static int sort_digits(struct wt_index *index, uint64_t differ)
{
	struct wt_index_entry *other = malloc(index->n * sizeof *other);
	if (!other) return -ENOMEM;
	index->room = index->n;
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		if (!digit_of(differ, shift)) continue;
		pass(index->at, other, index->n, shift);
		struct wt_index_entry *sorted = other;
		other = index->at;
		index->at = sorted;
	}
	free(other);
	return 0;
}

void wt_index_close(struct wt_index *index)
{
	bool ascend = true, sorted = true;
	uint64_t differ = 0;
	for (size_t i = 1; i < index->n; i++) {
		const struct wt_index_entry *last = &index->at[i - 1], *entry = &index->at[i];
		ascend &= entry->place > last->place;
		sorted &= by_key(last, entry) <= 0;
		differ |= entry->key ^ last->key;
	}
	if (sorted) return;
	if (ascend && index->n > DIGITS && !sort_digits(index, differ)) return;
	qsort(index->at, index->n, sizeof *index->at, by_key);
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
