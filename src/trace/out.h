/* SPDX-License-Identifier: MIT */
/* The trace file: whole lines through a buffer, up to a limit. Writer thread only. */
#ifndef WT_TRACE_OUT_H
#define WT_TRACE_OUT_H

#include "base/os.h"
#include "trace/limits.h"
#include "trace/pool.h"

/* No errno: a write may well fail with EFBIG. */
enum { WT_OUT_LIMIT = -1000000 };

struct wt_out {
	const struct wt_os *os;
	int fd;
	uint64_t limit;         /* of the file, footer included */
	uint64_t bytes;         /* of the lines so far, also those in the buffer */
	uint64_t earlier_bytes; /* in files before this one */
	uint64_t flushed;
	uint32_t used;
	uint32_t records; /* lines in the buffer that count as written */
	int error;        /* first failure: a negative errno, or WT_OUT_LIMIT */
	char *buffer;     /* WT_OUT_BYTES + WT_LINE_MAX */
	uint32_t crc;     /* of all bytes since wt_out_crc_restart, up to crc_used in the buffer */
	uint32_t crc_used;
	uint64_t left_out; /* extra lines that were not written for want of space */
	/* Called where a line doesn't fit any more, everything before it flushed: begins another file (wt_out_next) and
	 * returns true, or false: the limit stands. NULL: it stands. */
	bool (*full)(struct wt_out *out);
};

/* Buffer and limits for an open, empty file; 0 or -ENOMEM. */
int wt_out_open(struct wt_out *out, const struct wt_os *os, int fd, uint64_t limit);

/* Where the next line of less than WT_LINE_MAX bytes may be built. */
static inline char *wt_out_at(struct wt_out *out) { return out->buffer + out->used; }

/* The line from wt_out_at up to `end` is done; `record`: it counts in `records`. False, and nothing added, past the
 * limit or after a failure. */
bool wt_out_line(struct wt_out *out, const char *end, bool record);

/* A line in pieces, `bytes` in all: may it be written, and then its pieces. */
bool wt_out_may(struct wt_out *out, uint64_t bytes);
void wt_out_put(struct wt_out *out, const void *text, size_t n);
void wt_out_put_hex(struct wt_out *out, const void *bytes, size_t n);

/* A line that the reference doesn't have: left out, and counted, where the file nears its limit. */
bool wt_out_extra(struct wt_out *out, uint64_t bytes);

/* CRC-32 of the bytes since the last restart; begins anew behind what is there. */
uint32_t wt_out_crc(struct wt_out *out);
void wt_out_crc_restart(struct wt_out *out);

/* Goes on in another, empty file. */
void wt_out_next(struct wt_out *out, int fd);

/* To the file. On failure the file is cut to the last whole flush and out->error is set; `records` then tells how many
 * are not in it. */
bool wt_out_flush(struct wt_out *out);

/* The last line: may use the reserve. */
bool wt_out_footer(struct wt_out *out, const char *text, size_t n);

#endif
