/* SPDX-License-Identifier: MIT */
/* A transaction counts in the file of its oldest unconfirmed record only. That is enough: files become .bak in order,
 * so the newer files that hold more of it wait behind that one. */
#include "wal/checkpoint.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wal/names.h"

int cl_checkpoints_reserve(struct cl_checkpoints *cp)
{
	if (cp->file_count < cp->file_capacity) return 0;
	size_t capacity = cp->file_capacity ? cp->file_capacity * 2 : 16;
	struct cl_waiting *files = realloc(cp->files, capacity * sizeof *files);
	if (!files) return -ENOMEM;
	cp->files = files;
	cp->file_capacity = capacity;
	return 0;
}

void cl_checkpoints_begin(struct cl_checkpoints *cp, uint32_t index)
{
	assert(cp->file_count < cp->file_capacity);
	assert(!cp->file_count || cl_checkpoints_current(cp)->index < index);
	struct cl_waiting *file = &cp->files[cp->file_count++];
	*file = (struct cl_waiting){.index = index};
	cl_name_of(file->name, index, false);
}

struct cl_waiting *cl_checkpoints_current(const struct cl_checkpoints *cp) { return &cp->files[cp->file_count - 1]; }

/* A newer record isn't what a buffered confirm was about. */
static void set_newest(struct cl_checkpoints *cp, struct cl_live *live, uint32_t index)
{
	live->newest = index & 0x7fffffff;
	cp->confirming -= live->confirming;
	live->confirming = 0;
}

void cl_checkpoints_register(struct cl_checkpoints *cp, struct commitlog_cid cid)
{
	struct cl_waiting *current = cl_checkpoints_current(cp);
	struct cl_live *live = cl_table_put(&cp->table, cid);
	if (!live->oldest) {
		live->oldest = current->index;
		current->count++;
	}
	set_newest(cp, live, current->index);
}

/* The first file with this index: of compacted ones with the same, the others become .bak after it. NULL: none. */
static struct cl_waiting *file_of(const struct cl_checkpoints *cp, uint32_t index)
{
	size_t low = 0, high = cp->file_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (cp->files[middle].index < index) low = middle + 1;
		else high = middle;
	}
	return low < cp->file_count && cp->files[low].index == index ? &cp->files[low] : NULL;
}

/* Takes a transaction out that is registered; returns what its file waited for before. */
static uint64_t drop(struct cl_checkpoints *cp, struct cl_live *live)
{
	struct cl_waiting *file = file_of(cp, live->oldest);
	assert(file && file->count);
	cp->confirming -= live->confirming;
	cl_table_remove(&cp->table, live);
	return file->count--;
}

bool cl_checkpoints_confirm(struct cl_checkpoints *cp, struct commitlog_cid cid, uint64_t *before)
{
	struct cl_live *live = cl_table_find(&cp->table, cid);
	if (!live) return false;
	*before = drop(cp, live);
	return true;
}

void cl_checkpoints_found(struct cl_checkpoints *cp, uint32_t index, const char *name)
{
	assert(cp->file_count < cp->file_capacity);
	assert(!cp->file_count || cl_checkpoints_current(cp)->index <= index);
	struct cl_waiting *file = &cp->files[cp->file_count++];
	*file = (struct cl_waiting){.index = index};
	strcpy(file->name, name);
}

bool cl_checkpoints_register_found(struct cl_checkpoints *cp, struct commitlog_cid cid, uint32_t index)
{
	struct cl_waiting *file = file_of(cp, index);
	if (!file) return false;
	struct cl_live *live = cl_table_put(&cp->table, cid);
	if (!live->oldest || index < live->oldest) {
		if (live->oldest) file_of(cp, live->oldest)->count--;
		live->oldest = index;
		file->count++;
	}
	set_newest(cp, live, index > live->newest ? index : live->newest);
	return true;
}

bool cl_checkpoints_buffer_confirm(struct cl_checkpoints *cp, struct commitlog_cid cid)
{
	struct cl_live *live = cl_table_find(&cp->table, cid);
	if (!live || live->confirming) return false;
	live->confirming = 1;
	cp->confirming++;
	return true;
}

uint64_t cl_checkpoints_apply_confirms(struct cl_checkpoints *cp)
{
	uint64_t applied = 0;
	for (size_t i = 0; i < cp->table.capacity && cp->confirming;) {
		struct cl_live *live = &cp->table.slots[i];
		if (live->oldest && live->confirming) {
			drop(cp, live); /* which may move another one to this slot */
			applied++;
		} else {
			i++;
		}
	}
	return applied;
}

uint32_t cl_checkpoints_drained(const struct cl_checkpoints *cp)
{
	if (cp->unreplayed || cp->file_count < 2 || cp->files[0].count) return 0;
	return cp->files[0].index;
}

void cl_checkpoints_drop_oldest(struct cl_checkpoints *cp)
{
	cp->file_count--;
	memmove(cp->files, cp->files + 1, cp->file_count * sizeof *cp->files);
}

void cl_checkpoints_free(struct cl_checkpoints *cp)
{
	cl_table_free(&cp->table);
	free(cp->files);
	cp->files = NULL;
	cp->file_count = cp->file_capacity = 0;
}
