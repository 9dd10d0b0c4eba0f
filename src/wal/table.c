/* SPDX-License-Identifier: MIT */
#include "wal/table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

_Static_assert(sizeof(struct cl_live) == 24, "memory a live transaction");

static size_t hash(struct commitlog_cid cid)
{
	uint64_t h = (cid.low ^ cid.high * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
	h ^= h >> 32;
	h *= 0xc4ceb9fe1a85ec53u;
	return (size_t)(h ^ h >> 29);
}

/* The slot of the id, or the free one where it belongs. There always is a free one. */
static struct cl_live *probe(const struct cl_table *table, struct commitlog_cid cid)
{
	size_t mask = table->capacity - 1;
	for (size_t at = hash(cid) & mask;; at = (at + 1) & mask) {
		struct cl_live *slot = &table->slots[at];
		if (!slot->oldest || (slot->cid.low == cid.low && slot->cid.high == cid.high)) return slot;
	}
}

int cl_table_reserve(struct cl_table *table)
{
	if ((table->count + 1) * 4 <= table->capacity * 3) return 0;
	struct cl_table bigger = {.capacity = table->capacity ? table->capacity * 2 : FIRST_CAPACITY,
	                          .count = table->count};
	bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
	if (!bigger.slots) return -ENOMEM;
	for (size_t i = 0; i < table->capacity; i++)
		if (table->slots[i].oldest) *probe(&bigger, table->slots[i].cid) = table->slots[i];
	free(table->slots);
	*table = bigger;
	return 0;
}

struct cl_live *cl_table_find(const struct cl_table *table, struct commitlog_cid cid)
{
	if (!table->capacity) return NULL;
	struct cl_live *slot = probe(table, cid);
	return slot->oldest ? slot : NULL;
}

struct cl_live *cl_table_put(struct cl_table *table, struct commitlog_cid cid)
{
	assert(table->count < table->capacity);
	struct cl_live *slot = probe(table, cid);
	if (!slot->oldest) {
		slot->cid = cid;
		slot->newest = 0;
		slot->confirming = 0;
		table->count++;
	}
	return slot;
}

/* Moves up what was pushed past the freed slot, so that no probe ends too early. */
void cl_table_remove(struct cl_table *table, struct cl_live *live)
{
	size_t mask = table->capacity - 1, hole = (size_t)(live - table->slots);
	for (size_t at = (hole + 1) & mask; table->slots[at].oldest; at = (at + 1) & mask) {
		size_t home = hash(table->slots[at].cid) & mask;
		if (((at - home) & mask) < ((at - hole) & mask)) continue;
		table->slots[hole] = table->slots[at];
		hole = at;
	}
	table->slots[hole].oldest = 0;
	table->count--;
}

void cl_table_free(struct cl_table *table)
{
	free(table->slots);
	*table = (struct cl_table){0};
}
