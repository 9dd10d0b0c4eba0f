/* SPDX-License-Identifier: MIT */
/* Distributions: times counted in the buckets of base/hist.h, so that a percentile is known to within 1/32; and, for
 * flushes, the parts of what fell into each bucket, so that a percentile can be split like the mean. */
#ifndef WT_READ_QUANTILE_H
#define WT_READ_QUANTILE_H

#include <stdint.h>

#include "base/hist.h"
#include "read/attribute.h"
#include "read/part.h"

struct wt_dist {
	uint64_t count[WT_HIST_BUCKETS];
	uint64_t n, sum, max;
};

struct wt_parted {
	struct wt_dist total;
	uint64_t in_bucket[WT_HIST_BUCKETS][WT_PARTS];
	uint64_t sum[WT_PARTS]; /* add up to total.sum */
};

/* A percentile of flushes: the mean of those in its bucket, of which there are `n`. The parts are whole nanoseconds and
 * add up to value_ns, exactly. */
struct wt_parted_quantile {
	uint64_t n, low_ns, high_ns; /* the bucket: low <= time < high */
	uint64_t value_ns, part_ns[WT_PARTS];
};

void wt_dist_add(struct wt_dist *dist, uint64_t value);
double wt_dist_mean(const struct wt_dist *dist);
/* Never above the largest value; 0 if there is none. */
uint64_t wt_dist_quantile(const struct wt_dist *dist, double share);

void wt_parted_add(struct wt_parted *parted, uint64_t total_ns, const struct wt_split *split);
struct wt_parted_quantile wt_parted_quantile(const struct wt_parted *parted, double share);

#endif
