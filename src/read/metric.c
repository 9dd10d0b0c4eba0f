/* SPDX-License-Identifier: MIT */
#include "read/metric.h"

const struct wt_metric_about wt_metric_about[WT_METRICS] = {
#define WT_METRIC(id, key, name, share, of_syncs) [WT_METRIC_##id] = {key, name, share, of_syncs},
	WT_METRICS_LIST(WT_METRIC)
#undef WT_METRIC
};
