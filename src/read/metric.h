/* SPDX-License-Identifier: MIT */
/* What two runs are compared by, besides the parts of a commit. */
#ifndef WT_READ_METRIC_H
#define WT_READ_METRIC_H

#include <stdbool.h>

/* WT_METRIC(id, key, name in text, percentile or 0, of sync_calls) */
#define WT_METRICS_LIST(WT_METRIC) \
	WT_METRIC(MEAN, "mean", "mean", 0, false) \
	WT_METRIC(P50, "p50", "p50", 0.5, false) \
	WT_METRIC(P90, "p90", "p90", 0.9, false) \
	WT_METRIC(P99, "p99", "p99", 0.99, false) \
	WT_METRIC(P999, "p999", "p99.9", 0.999, false) \
	WT_METRIC(THROUGHPUT, "throughput", "throughput", 0, false) \
	WT_METRIC(FSYNC_MEAN, "fsync_mean", "fsync mean", 0, true) \
	WT_METRIC(FSYNC_P50, "fsync_p50", "fsync p50", 0.5, true) \
	WT_METRIC(FSYNC_P90, "fsync_p90", "fsync p90", 0.9, true) \
	WT_METRIC(FSYNC_P99, "fsync_p99", "fsync p99", 0.99, true) \
	WT_METRIC(FSYNC_P999, "fsync_p999", "fsync p99.9", 0.999, true)

enum wt_metric {
#define WT_METRIC(id, key, name, share, of_syncs) WT_METRIC_##id,
	WT_METRICS_LIST(WT_METRIC)
#undef WT_METRIC
		WT_METRICS
};

struct wt_metric_about {
	const char *key, *name;
	double share; /* the percentile; 0: none */
	bool of_syncs;
};

extern const struct wt_metric_about wt_metric_about[WT_METRICS];

#endif
