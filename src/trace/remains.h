/* SPDX-License-Identifier: MIT */
/* What a process that is gone left in its segment. Nothing in it is believed before it was checked: whatever the bytes
 * are, reading stays inside the segment and ends. Read only. */
#ifndef WT_TRACE_REMAINS_H
#define WT_TRACE_REMAINS_H

#include "base/err.h"
#include "trace/layout.h"
#include "trace/pool.h"

struct wt_remains {
	const struct wt_segment *segment;
	uint64_t bytes;
	struct wt_published published; /* the newest whole one */
};

/* Maps the segment of this name and checks that it is this user's and its head is whole. Errors as waltrace_recover. */
int wt_remains_open(const char *name, struct wt_remains *r, struct wt_err *err);
void wt_remains_close(struct wt_remains *r);

/* 0 if the process is gone, -EBUSY, -EXDEV. */
int wt_remains_gone(const struct wt_remains *r, struct wt_err *err);

/* Rows that were handed over and aren't in the file, in the order of their threads. Returns how many entries were
 * damaged and left out. */
uint64_t wt_remains_rows(const struct wt_remains *r, void (*take)(void *context, const struct wt_row *row),
                         void *context);

/* Operations that had not ended. */
void wt_remains_operations(const struct wt_remains *r, void (*take)(void *context, const struct wt_slot *slot),
                           void *context);

uint64_t wt_remains_tried(const struct wt_remains *r);
uint64_t wt_remains_lost(const struct wt_remains *r, enum wt_loss cause);
uint64_t wt_remains_helpers(const struct wt_remains *r);

/* Loggers that can be printed: those from the first on whose paths lie inside their part. */
uint32_t wt_remains_loggers(const struct wt_remains *r);

static inline const void *wt_remains_part(const struct wt_remains *r, uint64_t at)
{
	return (const char *)r->segment + at;
}

#endif
