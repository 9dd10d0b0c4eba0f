/* SPDX-License-Identifier: MIT */
/* A stream of bytes as lines, in bounded memory: what is read is the caller's business. */
#ifndef WT_READ_LINES_H
#define WT_READ_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/err.h"
#include "read/limits.h"

/* Up to n bytes; 0 at the end; negative errno with a message in err. */
typedef ssize_t wt_read_fn(void *context, void *bytes, size_t n, struct wt_err *err);

struct wt_lines {
	wt_read_fn *read;
	void *context;
	char *buffer;
	size_t room, from, to; /* [from, to) is read and not given out yet */
	uint64_t number, offset;
	size_t max;
	bool ended;
};

struct wt_raw {
	char *text; /* without its newline, at whose place the caller may write; until the next call */
	size_t n;
	uint64_t number; /* from 1 */
	uint64_t offset; /* of its first byte in the stream */
	bool cut;        /* the stream ended before its newline */
};

/* Nothing is allocated before the first call of wt_lines_next. */
void wt_lines_init(struct wt_lines *lines, wt_read_fn *read, void *context);
/* 1: *raw is the next line; 0: no more; negative errno with a message: -EFBIG for a line over the limit, of which
 * raw->number is set. After an error nothing more can be read. */
int wt_lines_next(struct wt_lines *lines, struct wt_raw *raw, struct wt_err *err) WT_MUST_CHECK;
void wt_lines_free(struct wt_lines *lines);

#endif
