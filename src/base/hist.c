/* SPDX-License-Identifier: MIT */
#include "base/hist.h"

uint64_t wt_hist_quantile(const uint64_t *counts, uint64_t n, double share)
{
	if (!n) return 0;
	double target = share * (double)n;
	uint64_t seen = 0;
	uint32_t last = 0;
	for (uint32_t i = 0; i < WT_HIST_BUCKETS; i++) {
		if (!counts[i]) continue;
		seen += counts[i];
		last = i;
		if ((double)seen >= target) break;
	}
	uint64_t low = wt_hist_low(last);
	if (last < WT_HIST_STEPS) return low;
	return low + (1ull << (last / WT_HIST_STEPS - 1)) / 2;
}
