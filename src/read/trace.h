/* SPDX-License-Identifier: MIT */
/* A whole trace, line by line, through parse and verify, to whoever wants its lines. */
#ifndef WT_READ_TRACE_H
#define WT_READ_TRACE_H

#include "base/err.h"
#include "read/lines.h"
#include "read/model.h"
#include "read/verify.h"

/* Gets each line that could be parsed. 0, or a negative errno with a message, which ends the reading. */
typedef int wt_line_fn(void *context, const struct wt_line *line, struct wt_err *err);

/* At the end of a file: opens the next one of the same rotated trace, so that `read` gives its bytes. 1; 0: there is
 * none; negative errno with a message. `lines`: in the files before it, which its line numbers go on from. */
typedef int wt_next_file_fn(void *read_context, uint64_t lines, struct wt_err *err);

struct wt_trace_reader {
	wt_read_fn *read;
	void *read_context;
	wt_line_fn *line; /* may be NULL */
	void *line_context;
	wt_problem_fn *problem; /* may be NULL */
	void *problem_context;
	wt_next_file_fn *next_file; /* NULL: the trace is one file */
};

/* Reads to the end and fills *verdict. 0, however damaged the trace is; -EBADMSG with the verdict filled if it is no
 * trace at all (what follows its first line isn't read); another negative errno if it can't be read. The message
 * begins with "LINE: " where a line is at fault. */
int wt_trace_read(const struct wt_trace_reader *reader, struct wt_verdict *verdict, struct wt_err *err) WT_MUST_CHECK;

#endif
