/* SPDX-License-Identifier: MIT */
#include "wal/view.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int cl_view_open(struct cl_view *view, const struct wt_os *os, int fd)
{
	*view = (struct cl_view){.os = os, .fd = fd};
	int64_t size = os->size(os, fd);
	if (size < 0) return (int)size;
	view->size = (uint64_t)size;
	return 0;
}

void cl_view_close(struct cl_view *view)
{
	free(view->bytes);
	view->bytes = NULL;
	view->capacity = view->held = 0;
}

static int make_room(struct cl_view *view, size_t n)
{
	if (n <= view->capacity) return 0;
	size_t capacity = n < CL_READ_CHUNK_BYTES ? CL_READ_CHUNK_BYTES : n;
	free(view->bytes);
	view->held = 0;
	view->bytes = malloc(capacity);
	view->capacity = view->bytes ? capacity : 0;
	return view->bytes ? 0 : -ENOMEM;
}

/* What is held already of the new window isn't read again. */
static void move_window(struct cl_view *view, uint64_t offset)
{
	bool overlaps = offset >= view->at && offset - view->at < view->held;
	size_t drop = overlaps ? (size_t)(offset - view->at) : view->held;
	view->held -= drop;
	if (view->held) memmove(view->bytes, view->bytes + drop, view->held);
	view->at = offset;
}

static int load(struct cl_view *view, uint64_t offset, size_t n)
{
	int result = make_room(view, n);
	if (result) return result;
	move_window(view, offset);
	uint64_t rest = view->size - offset;
	size_t want = rest < view->capacity ? (size_t)rest : view->capacity;
	while (view->held < n) {
		ssize_t got = view->os->pread(view->os, view->fd, view->bytes + view->held, want - view->held,
		                              offset + view->held);
		if (got == -EINTR) continue;
		if (got < 0) return (int)got;
		if (got == 0) return -ESTALE; /* the file became shorter under us */
		view->held += (size_t)got;
	}
	return 0;
}

const uint8_t *cl_view_load(struct cl_view *view, uint64_t offset, size_t n)
{
	assert(n <= CL_READ_ENTRY_MAX && offset <= view->size && n <= view->size - offset);
	bool keeps = view->keep <= offset && offset + n - view->keep <= CL_READ_CHUNK_BYTES;
	uint64_t from = keeps ? view->keep : offset;
	view->loads++;
	view->error = load(view, from, (size_t)(offset - from) + n);
	return view->error ? NULL : view->bytes + (offset - from);
}

static int write_all(const struct wt_os *os, int fd, const uint8_t *bytes, size_t n, uint64_t at)
{
	for (size_t done = 0; done < n;) {
		ssize_t put = os->pwrite(os, fd, bytes + done, n - done, at + done);
		if (put == -EINTR) continue;
		if (put <= 0) return put ? (int)put : -EIO;
		done += (size_t)put;
	}
	return 0;
}

int cl_view_copy(struct cl_view *view, uint64_t from, uint64_t n, int fd, uint64_t to)
{
	for (uint64_t done = 0; done < n;) {
		size_t piece = n - done < CL_READ_CHUNK_BYTES ? (size_t)(n - done) : CL_READ_CHUNK_BYTES;
		const uint8_t *bytes = cl_view_get(view, from + done, piece);
		int result = bytes ? write_all(view->os, fd, bytes, piece, to + done) : view->error;
		if (result) return result;
		done += piece;
	}
	return 0;
}
