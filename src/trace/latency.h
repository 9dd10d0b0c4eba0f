/* SPDX-License-Identifier: MIT */
/* Histograms of every row by logger and kind, whether it was written, dropped or filtered. Counted once, by whoever
 * finishes with the row: the writer when it takes it out of the queue, the producer when it gives it up. */
#ifndef WT_TRACE_LATENCY_H
#define WT_TRACE_LATENCY_H

#include <stdbool.h>

#include "trace/layout.h"

/* A row's duration: total_ns, else the lock's wait and hold; false if it has neither. */
bool wt_row_duration(const struct wt_row *row, uint64_t *ns);

/* Any thread. */
void wt_latency_count(struct wt_latencies *all, const struct wt_row *row);

/* What a line prints. */
struct wt_latency_share {
	uint64_t count, errors, sum_ns, max_ns;
	uint32_t buckets; /* how many of the following are used */
	struct {
		uint16_t index;
		uint32_t n;
	} bucket[WT_HIST_BUCKETS];
};

/* Takes out what came since the last call; false if that is nothing. Writer. */
bool wt_latency_take(struct wt_latencies *all, uint32_t logger, enum waltrace_kind kind,
                     struct wt_latency_share *share);

#endif
