/* SPDX-License-Identifier: MIT */
/* Walks a file front to back, block by block, and says what its tail is. Reads only. */
#ifndef CL_WALK_H
#define CL_WALK_H

#include "wal/block.h"
#include "wal/view.h"

struct cl_found {
	uint64_t offset;      /* of the block */
	uint64_t entry_bytes; /* without the trailer */
	uint64_t records;
	uint64_t time_ms;
};

/* One entry's place in a file. */
struct cl_place {
	uint8_t method;
	uint64_t key_at, value_at, end;
	size_t key_bytes, value_bytes;
};

enum cl_tail {
	CL_TAIL_NONE,   /* the last block ends where the file does */
	CL_TAIL_ZEROS,  /* prefill */
	CL_TAIL_TORN,   /* not a block, and no valid block follows */
	CL_TAIL_DAMAGED /* not a block, and a valid one follows */
};

struct cl_walk {
	uint64_t blocks, records;
	uint64_t true_bytes; /* end of the last whole block */
	enum cl_tail tail;
	uint64_t torn_bytes; /* from true_bytes to the last byte that isn't zero */
	uint64_t next_block; /* of a damaged tail: begin of the next valid block; the file's size: not found */
	uint64_t data_end;   /* end of the last byte that isn't zero; 0: not looked for yet */
	uint64_t effort;     /* spent on the search for blocks behind bad ones; past CL_EFFORT_MAX it is given up */
	char reason[192];    /* of a torn or damaged tail */
};

/* Gets each block after it was found valid. Returns 0 to go on. */
typedef int cl_on_block(void *context, struct cl_view *view, const struct cl_found *block);

/* Returns 0 (the tail may still be bad: see there), what `on_block` returned, or a negative errno of reading. */
int cl_walk_file(struct cl_view *view, struct cl_walk *walk, cl_on_block *on_block, void *context);

/* The same from a block's begin on; *walk is that of what lies before, or zeros but for true_bytes = where to begin. */
int cl_walk_on(struct cl_view *view, struct cl_walk *walk, cl_on_block *on_block, void *context);

/* Parses the entry at `offset`. 1: it is one; 0: it isn't, `reason` (192 bytes) says why; or a negative errno. */
int cl_walk_entry(struct cl_view *view, uint64_t offset, struct cl_place *place, char *reason);

#endif
