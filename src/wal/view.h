/* SPDX-License-Identifier: MIT */
/* A window on a file: any few bytes of it, read in big pieces. One thread at a time. */
#ifndef CL_VIEW_H
#define CL_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "base/os.h"
#include "wal/limits.h"

struct cl_view {
	const struct wt_os *os;
	int fd;
	uint64_t size; /* of the file when the view was opened */
	uint8_t *bytes;
	size_t capacity, held;
	uint64_t at; /* file offset of bytes[0] */
	int error;   /* why the last get returned NULL */
};

int cl_view_open(struct cl_view *view, const struct wt_os *os, int fd);
void cl_view_close(struct cl_view *view); /* leaves fd open */

/* `n` bytes at `offset`, valid until the next get; offset + n is within the file and n at most CL_READ_ENTRY_MAX.
 * NULL: view->error says why. */
const uint8_t *cl_view_get(struct cl_view *view, uint64_t offset, size_t n);

#endif
