/* SPDX-License-Identifier: MIT */
/* The background thread that brings what was handed over into the file. */
#ifndef WT_TRACE_WRITER_H
#define WT_TRACE_WRITER_H

#include "trace/session.h"

/* Writes the header and starts the thread. 0 or a negative errno. */
int wt_writer_start(struct wt_err *err);

/* Asks for a window now: the session is closing. */
void wt_writer_kick(void);

/* Waits up to timeout_ms for the report; whether there is one. */
bool wt_writer_report(uint64_t timeout_ms, struct waltrace_report *report);

#endif
