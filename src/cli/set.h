/* SPDX-License-Identifier: MIT */
/* A trace as the command line gives it: a file, or the files of one rotated trace. */
#ifndef WT_CLI_SET_H
#define WT_CLI_SET_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "read/trace.h"

struct wt_set {
	char **path; /* in order of part */
	size_t files;
};

/* Puts the files of one rotated trace side by side, oldest first, and says where each trace begins: set[0 … returned).
 * There must be room for n. Looks at the header of each regular file if there are several; one that can't be read is a
 * trace of its own, whose reading says why. The sets point into `path`. */
size_t wt_sets_of(char **path, size_t n, struct wt_set *set);

/* Says one problem: in which file, and its line there (0: of the trace as a whole). */
typedef void wt_set_problem_fn(void *context, const char *path, uint64_t line, enum wt_check check, const char *text);

struct wt_set_reader {
	wt_line_fn *line; /* may be NULL */
	void *line_context;
	wt_set_problem_fn *problem; /* may be NULL */
	void *problem_context;
};

/* wt_trace_read over all files of a set; the message names the file. */
int wt_set_read(const struct wt_set_reader *reader, const struct wt_set *set, struct wt_verdict *verdict,
                struct wt_err *err) WT_MUST_CHECK;

#endif
