/* SPDX-License-Identifier: MIT */
#ifndef CL_DELAY_H
#define CL_DELAY_H

#include "wal/log.h"
#include "wal/rows.h"

/* Flush with a delay timer. */
int cl_flush_delayed(struct commitlog *log, uint64_t handle, struct cl_flush_rows *rows);

/* What a timer does when it is due: commits the batch that holds `handle`, if it hasn't been committed. */
int cl_delayed_commit(struct commitlog *log, uint64_t handle, struct waltrace_span *timer);

#endif
