/* SPDX-License-Identifier: MIT */
/* The delay timers: a queue of what is to be committed when, and the thread that does it. All delays are equal, so the
 * first that was started is the first due. */
#ifndef CL_TIMER_H
#define CL_TIMER_H

#include "wal/log.h"
#include "wal/rows.h"

/* 0 and log->timers, or a negative errno. */
int cl_timers_start(struct commitlog *log);

/* Lets the thread run what is still queued, at once, and ends it. */
void cl_timers_stop(struct commitlog *log);

/* Starts a timer for the batch that holds `handle`, by the flush that `rows` records. -EAGAIN: too many are under way. */
int cl_timer_start(struct commitlog *log, uint64_t handle, struct cl_flush_rows *rows);

#endif
