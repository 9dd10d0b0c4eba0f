/* SPDX-License-Identifier: MIT */
#ifndef CL_RETIRE_H
#define CL_RETIRE_H

#include "wal/log.h"

/* Makes a .bak of each file that needs no replay, oldest first, at most CL_BACKUPS_AT_ONCE of them. Checkpoint lock
 * held, which keeps them in order. 0, or the error of the first that failed. */
int cl_retire(struct commitlog *log, struct waltrace_op *op, uint64_t parent_id, enum waltrace_word trigger);

#endif
