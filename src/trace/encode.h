/* SPDX-License-Identifier: MIT */
/* Rows as JSON lines. Pure: bytes in, bytes out. */
#ifndef WT_TRACE_ENCODE_H
#define WT_TRACE_ENCODE_H

#include "trace/record.h"

enum { WT_HEAD_MAX = 192 };

/* The beginnings of lines, made once a session. */
struct wt_encoder {
	struct {
		char text[WT_HEAD_MAX];
		uint32_t bytes;
	} head[WALTRACE_KINDS];
	char session[160]; /* ,"session_id":"…" */
	/* Where rows and loggers have what they don't hold themselves. */
	const struct wt_block *path_block;
	const char *logger_text;
	uint64_t capacity;
};

/* The caller sets the other members, if he encodes paths, loggers or windows. */
void wt_encoder_init(struct wt_encoder *e, const char *session_id);

/* A decimal number; returns the place behind it. Room: 20 bytes. */
char *wt_put_u64(char *to, uint64_t v);

/* A JSON string with quotes: the reference's escapes, and U+FFFD for what isn't UTF-8. Room: 6 * n + 2 bytes. */
char *wt_put_string(char *to, const char *text, size_t n);

/* A record's line up to its paths, without the closing brace. Room: WT_LINE_MAX. */
char *wt_encode_record(const struct wt_encoder *e, const struct wt_row *row, const struct wt_row_view *view, char *to);

#endif
