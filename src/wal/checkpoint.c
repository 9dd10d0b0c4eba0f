/* SPDX-License-Identifier: MIT */
/* A transaction counts in the file of its oldest unconfirmed record only. That is enough: files become .bak in order,
 * so the newer files that hold more of it wait behind that one. */
#include "wal/checkpoint.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	cp->files[cp->file_count++] = (struct cl_waiting){.index = index};
}

struct cl_waiting *cl_checkpoints_current(const struct cl_checkpoints *cp) { return &cp->files[cp->file_count - 1]; }

void cl_checkpoints_register(struct cl_checkpoints *cp, struct commitlog_cid cid)
{
	struct cl_waiting *current = cl_checkpoints_current(cp);
	struct cl_live *live = cl_table_put(&cp->table, cid);
	if (!live->oldest) {
		live->oldest = current->index;
		current->count++;
	}
	live->newest = current->index;
}

static struct cl_waiting *file_of(const struct cl_checkpoints *cp, uint32_t index)
{
	for (size_t i = cp->file_count; i > 0; i--)
		if (cp->files[i - 1].index == index) return &cp->files[i - 1];
	return NULL;
}

bool cl_checkpoints_confirm(struct cl_checkpoints *cp, struct commitlog_cid cid, uint64_t *before)
{
	struct cl_live *live = cl_table_find(&cp->table, cid);
	if (!live) return false;
	struct cl_waiting *file = file_of(cp, live->oldest);
	assert(file && file->count);
	*before = file->count--;
	cl_table_remove(&cp->table, live);
	return true;
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
