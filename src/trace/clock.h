/* SPDX-License-Identifier: MIT */
/* The session's clock: the processor's tick counter where it can be trusted, else CLOCK_MONOTONIC. */
#ifndef WT_TRACE_CLOCK_H
#define WT_TRACE_CLOCK_H

#include <stdbool.h>

#include "base/os.h"

/* Time 0 is now. First half of the calibration; the second needs some milliseconds between. */
void wt_clock_start(const struct wt_os *os);
void wt_clock_calibrate(void);

/* Compares with CLOCK_MONOTONIC and corrects; the time never goes back. One thread, once a window. */
void wt_clock_check(void);

/* CLOCK_MONOTONIC at time 0. */
uint64_t wt_clock_origin_ns(void);

/* "tsc" or "monotonic". */
const char *wt_clock_name(void);

#endif
