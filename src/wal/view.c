/* SPDX-License-Identifier: MIT */
#include "wal/view.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

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

static int load(struct cl_view *view, uint64_t offset, size_t n)
{
	int result = make_room(view, n);
	if (result) return result;
	uint64_t rest = view->size - offset;
	size_t want = rest < view->capacity ? (size_t)rest : view->capacity;
	view->at = offset;
	view->held = 0;
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

const uint8_t *cl_view_get(struct cl_view *view, uint64_t offset, size_t n)
{
	assert(n <= CL_READ_ENTRY_MAX && offset <= view->size && n <= view->size - offset);
	if (offset < view->at || offset - view->at > view->held || n > view->held - (size_t)(offset - view->at)) {
		view->error = load(view, offset, n);
		if (view->error) return NULL;
	}
	return view->bytes + (size_t)(offset - view->at);
}
