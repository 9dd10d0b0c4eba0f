/* SPDX-License-Identifier: MIT */
#include "read/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void wt_lines_init(struct wt_lines *lines, wt_read_fn *read, void *context)
{
	*lines = (struct wt_lines){.read = read, .context = context, .max = WT_READ_LINE_MAX};
}

void wt_lines_free(struct wt_lines *lines)
{
	free(lines->buffer);
	lines->buffer = NULL;
}

/* Room for a chunk behind what is held, and for one byte that the reader of a cut line may write. */
static int make_room(struct wt_lines *l, struct wt_err *err)
{
	if (l->from) {
		memmove(l->buffer, l->buffer + l->from, l->to - l->from);
		l->to -= l->from;
		l->from = 0;
	}
	if (l->room - l->to > WT_READ_CHUNK / 2) return 0;
	size_t room = l->room ? 2 * l->room : 2 * WT_READ_CHUNK;
	char *grown = realloc(l->buffer, room);
	if (!grown) return wt_err_set(err, -ENOMEM, "out of memory for a line of over %zu bytes", l->room);
	l->buffer = grown;
	l->room = room;
	return 0;
}

static int fill(struct wt_lines *l, struct wt_err *err)
{
	int result = make_room(l, err);
	if (result) return result;
	ssize_t n = l->read(l->context, l->buffer + l->to, l->room - l->to - 1, err);
	if (n < 0) return (int)n;
	if (!n) l->ended = true;
	l->to += (size_t)n;
	return 0;
}

int wt_lines_next(struct wt_lines *l, struct wt_raw *raw, struct wt_err *err)
{
	size_t seen = 0;
	*raw = (struct wt_raw){.number = l->number + 1, .offset = l->offset};
	for (;;) {
		char *start = l->buffer ? l->buffer + l->from : NULL;
		char *end = start ? memchr(start + seen, '\n', l->to - l->from - seen) : NULL;
		size_t held = end ? (size_t)(end - start) : l->to - l->from;
		if (held > l->max) return wt_err_set(err, -EFBIG, "a line of over %zu bytes", l->max);
		if (!end && !l->ended) {
			seen = held;
			int result = fill(l, err);
			if (result) return result;
			continue;
		}
		if (!end && !held) return 0;
		raw->text = start;
		raw->n = held;
		raw->cut = !end;
		held += end != NULL;
		l->from += held;
		l->offset += held;
		l->number++;
		return 1;
	}
}
