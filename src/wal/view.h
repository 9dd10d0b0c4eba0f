/* SPDX-License-Identifier: MIT */
/* A window on a file: any few bytes of it, read in big pieces. One thread at a time. */
#ifndef CL_VIEW_H
#define CL_VIEW_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>

#include "base/os.h"
#include "wal/limits.h"

/* How a file is opened for reading: whatever bears a log file's name, opening it doesn't wait. */
#define CL_OPEN_TO_READ (O_RDONLY | O_NONBLOCK)

struct cl_view {
	const struct wt_os *os;
	int fd;
	uint64_t size; /* of the file when the view was opened */
	uint8_t *bytes;
	size_t capacity, held;
	uint64_t at;    /* file offset of bytes[0] */
	uint64_t keep;  /* the window moves on so that this offset stays in it, if it is large enough for that */
	uint64_t loads; /* how often it was moved */
	int error;      /* why the last get returned NULL */
};

int cl_view_open(struct cl_view *view, const struct wt_os *os, int fd);
void cl_view_close(struct cl_view *view); /* leaves fd open */

/* Gets what isn't held. */
const uint8_t *cl_view_load(struct cl_view *view, uint64_t offset, size_t n);

/* `n` bytes at `offset`, valid until the next get; offset + n is within the file and n at most CL_READ_ENTRY_MAX.
 * NULL: view->error says why. */
static inline const uint8_t *cl_view_get(struct cl_view *view, uint64_t offset, size_t n)
{
	uint64_t from = offset - view->at;
	if (offset >= view->at && from <= view->held && n <= view->held - from) return view->bytes + from;
	return cl_view_load(view, offset, n);
}

/* Writes `n` bytes at `from` to offset `to` of another file. 0 or a negative errno. */
int cl_view_copy(struct cl_view *view, uint64_t from, uint64_t n, int fd, uint64_t to);

#endif
