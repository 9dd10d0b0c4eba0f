/* SPDX-License-Identifier: MIT */
/* Flushes without a blocked thread: a list of who is to be told what, and the thread that flushes for them. */
#ifndef CL_ASYNC_H
#define CL_ASYNC_H

#include "wal/log.h"

/* 0 and log->async, or -ENOMEM. Starts no thread: the first request does. */
int cl_async_make(struct commitlog *log);

/* Takes no more requests, completes those that were taken, and ends the thread. No lock held. */
void cl_async_stop(struct commitlog *log);

/* After stop, or if nothing was asked. */
void cl_async_free(struct commitlog *log);

/* commitlog_flush_async, of a handle that append gave out or 0. */
int cl_flush_async(struct commitlog *log, uint64_t handle, commitlog_flushed *callback, void *context);

#endif
