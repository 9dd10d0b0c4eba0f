/* SPDX-License-Identifier: MIT */
/* Single records of a trace for a page of charts: fsyncs and holds of the commit lock, each no more than a limit, chosen so
 * that a picture of them has the shape of all. */
#ifndef WT_READ_CHARTS_H
#define WT_READ_CHARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/tally.h"

struct wt_chart_fsync {
	uint64_t id, start_ns, total_ns, written_bytes;
	bool outlier;
};

struct wt_charts {
	/* All outliers, or, if they are more than half the limit, the longest in each of so many equal slices of time; of
	 * the others every so many-th. In no order. */
	struct wt_chart_fsync *fsync;
	size_t fsyncs;
	uint64_t all_fsyncs, all_outliers;
	/* The longest that began in each of as many equal slices of time as there may be holds. In order of time. */
	struct wt_holder *hold;
	size_t holds;
	uint64_t all_holds;
};

/* Fills *charts from a closed store, which is the trace of this number, with at most `limit` of each. 0 or -ENOMEM. */
int wt_charts_of(struct wt_charts *charts, const struct wt_store *store, uint32_t trace, size_t limit) WT_MUST_CHECK;
void wt_charts_free(struct wt_charts *charts);

#endif
