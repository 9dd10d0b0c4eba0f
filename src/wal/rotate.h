/* SPDX-License-Identifier: MIT */
#ifndef CL_ROTATE_H
#define CL_ROTATE_H

#include "wal/log.h"

/* Zeros to write ahead in a new file. */
uint64_t cl_fill_bytes(const struct commitlog *log);

/* commitlog_checkpoint and commitlog_confirm. */
int cl_checkpoint(struct commitlog *log, uint64_t *file_index);
int cl_confirm(struct commitlog *log, struct commitlog_cid cid);

/* Begins a new file inside a replay's operation. Checkpoint lock held. */
int cl_rotate_for_replay(struct commitlog *log, struct waltrace_op *op, struct waltrace_span *root);

/* What the background thread does each interval. */
void cl_collect(struct commitlog *log);

#endif
