/* SPDX-License-Identifier: MIT */
/* Paths of records: a budget over all of them, and blocks for the long ones. */
#ifndef WT_TRACE_PATH_H
#define WT_TRACE_PATH_H

#include "trace/session.h"

/* Where a path stands in a staged row. */
struct wt_row_path {
	uint32_t bytes;
	uint32_t block;   /* first block if it is longer than WALTRACE_MAX_TEXT */
	const char *text; /* else its bytes */
};

/* Takes a path into the row being filled in, in place of the one in that place; false, and none there any more, if the
 * budget is used up. */
bool wt_path_set(struct waltrace__row *row, int slot, const void *path, size_t bytes);

/* Gives up the paths of a row that is not handed on. */
void wt_path_drop(struct waltrace__row *row);

/* Gives up the paths of a staged row: it is written or lost. */
void wt_path_release(const struct wt_row *row);

#endif
