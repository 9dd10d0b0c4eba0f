/* SPDX-License-Identifier: MIT */
/* A trace step by step: at most WT_STEPS_MAX, of a length that is 1, 2 or 5 times a power of ten. What ended in a step
 * belongs to it. */
#ifndef WT_READ_OVER_TIME_H
#define WT_READ_OVER_TIME_H

#include <stdint.h>

#include "base/compiler.h"
#include "read/store.h"

enum { WT_STEPS_MAX = 46 };

struct wt_step {
	uint64_t start_ns;
	uint64_t flushes, sum_ns, p50_ns, p99_ns, max_ns; /* of flushes; percentiles to within 1/32 */
	uint64_t fsyncs, fsync_sum_ns, fsync_max_ns, written_bytes;
};

struct wt_over_time {
	uint64_t step_ns;
	uint32_t steps; /* 0: no flush has a time */
	struct wt_step step[WT_STEPS_MAX];
};

/* Of a closed store. 0 or -ENOMEM. */
int wt_over_time(struct wt_over_time *over_time, const struct wt_store *store) WT_MUST_CHECK;

#endif
