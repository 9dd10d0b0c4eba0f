/* SPDX-License-Identifier: MIT */
/* A session in a temporary directory, and the outcomes that its trace ends up with: for tests of scope guards, which
 * are about how a record ends. One a process. */
#ifndef TRACE_OUTCOME_H
#define TRACE_OUTCOME_H

#include <stdint.h>

#include "waltrace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the session; the test's one logger. Ends the process with 99 if that fails. */
struct waltrace_logger *trace_begin(void);

/* Ends the session and reads its trace; ends the process with 99 if it isn't complete. */
void trace_end(void);

/* Outcome of the record with this log_uid, "none" if there is none, "several" if there are more. After trace_end. */
const char *trace_outcome(uint64_t uid);

/* Removes the directory. */
void trace_remove(void);

/* Compares, and says what differs; counts in trace_failures. */
void trace_expect(uint64_t uid, const char *outcome, const char *what);
extern int trace_failures;

#ifdef __cplusplus
}
#endif

#endif
