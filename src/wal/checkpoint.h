/* SPDX-License-Identifier: MIT */
/* Which file waits for which transactions. All calls: checkpoint lock held. */
#ifndef CL_CHECKPOINT_H
#define CL_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wal/limits.h"
#include "wal/table.h"

struct cl_waiting {
	uint32_t index;
	uint64_t count;           /* transactions whose oldest unconfirmed record is in this file */
	char name[CL_NAME_BYTES]; /* in the directory */
};

struct cl_checkpoints {
	struct cl_table table;
	struct cl_waiting *files; /* oldest first; the last is the current one */
	size_t file_count, file_capacity;
	bool unreplayed;   /* records found by open are still to be replayed: no file may become a .bak before */
	size_t confirming; /* confirms that finish will apply */
};

/* Makes sure that one more file fits. 0 or -ENOMEM. */
int cl_checkpoints_reserve(struct cl_checkpoints *cp);

/* Makes `index` the current file. After a successful reserve. */
void cl_checkpoints_begin(struct cl_checkpoints *cp, uint32_t index);

struct cl_waiting *cl_checkpoints_current(const struct cl_checkpoints *cp);

/* Registers with the current file. After a successful cl_table_reserve. */
void cl_checkpoints_register(struct cl_checkpoints *cp, struct commitlog_cid cid);

/* Whether it was registered; *before then is how many its file waited for. */
bool cl_checkpoints_confirm(struct cl_checkpoints *cp, struct commitlog_cid cid, uint64_t *before);

/* Adds a file that open found, oldest first, before the first begin. After a successful reserve. */
void cl_checkpoints_found(struct cl_checkpoints *cp, uint32_t index, const char *name);

/* Registers with the file that a record was found in. After a successful cl_table_reserve. False, and nothing done, if
 * that file isn't there. */
bool cl_checkpoints_register_found(struct cl_checkpoints *cp, struct commitlog_cid cid, uint32_t index);

/* Buffers a confirm; whether it was registered and not buffered before. */
bool cl_checkpoints_buffer_confirm(struct cl_checkpoints *cp, struct commitlog_cid cid);

/* Applies the buffered confirms; returns how many. */
uint64_t cl_checkpoints_apply_confirms(struct cl_checkpoints *cp);

/* Index of the oldest file (files[0]) if it is finished and waits for nothing: the next to become a .bak. 0: none. */
uint32_t cl_checkpoints_drained(const struct cl_checkpoints *cp);
void cl_checkpoints_drop_oldest(struct cl_checkpoints *cp);

void cl_checkpoints_free(struct cl_checkpoints *cp);

#endif
