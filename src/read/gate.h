/* SPDX-License-Identifier: MIT */
/* A bound that a change must keep, as text:
 *
 *   gate   = METRIC ("<" | ">") [ "+" | "-" ] NUMBER "%"
 *   METRIC = a key of read/metric.h: p50, p99, throughput, fsync_p99 …
 *   NUMBER = digits [ "." digits ], at most 10,000
 *
 * "p99<+5%": B's p99 is to be less than 5 % above A's. "throughput>-5%": B's is to be no more than 5 % below A's.
 * Blanks may stand between the parts. */
#ifndef WT_READ_GATE_H
#define WT_READ_GATE_H

#include <stdbool.h>

#include "base/err.h"
#include "read/limits.h"
#include "read/metric.h"

struct wt_gate {
	char text[WT_GATE_TEXT]; /* as given */
	enum wt_metric metric;
	bool below;   /* '<' */
	double limit; /* a share: 0.05 */
};

/* 0, or -EINVAL with a message that says what is wrong and how to write it. */
int wt_gate_parse(struct wt_gate *gate, const char *text, struct wt_err *err) WT_MUST_CHECK;

#endif
