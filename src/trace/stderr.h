/* SPDX-License-Identifier: MIT */
/* The lines that a session prints on stderr, unless PI_STORE_WAL_TRACE_QUIET=1. */
#ifndef WT_TRACE_STDERR_H
#define WT_TRACE_STDERR_H

#include "trace/session.h"

void wt_stderr_start(const struct wt_session *s);
void wt_stderr_stop(const struct waltrace_report *report);

/* A trace that was finished for a process that is gone; for waltrace_recover_all. */
void wt_stderr_recovered(void *unused, const char *segment, int result, const struct waltrace_report *report,
                         const struct waltrace_error *error);

/* `fixed` is what programs compare; `detail` goes into a line of its own, without the keyword. */
void wt_stderr_start_error(const char *fixed, const char *detail);

#endif
