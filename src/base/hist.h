/* SPDX-License-Identifier: MIT */
/* Latency histogram: 32 steps a power of two, so a value is known to within 1/32 (3.2 %).
 * Index of v < 32 is v; above, with e = floor(log2 v): (e - 4) * 32 + ((v >> (e - 5)) - 32). */
#ifndef WT_BASE_HIST_H
#define WT_BASE_HIST_H

#include <stdint.h>

enum { WT_HIST_SUB_BITS = 5, WT_HIST_STEPS = 1 << WT_HIST_SUB_BITS, WT_HIST_BUCKETS = 60 * WT_HIST_STEPS };

static inline uint32_t wt_hist_index(uint64_t v)
{
	if (v < WT_HIST_STEPS) return (uint32_t)v;
	uint32_t e = 63u - (uint32_t)__builtin_clzll(v);
	return (e - 4) * WT_HIST_STEPS + ((uint32_t)(v >> (e - 5)) - WT_HIST_STEPS);
}

/* Smallest value that falls into bucket `index`. */
static inline uint64_t wt_hist_low(uint32_t index)
{
	if (index < WT_HIST_STEPS) return index;
	uint32_t e = index / WT_HIST_STEPS + 4;
	return (uint64_t)(index % WT_HIST_STEPS + WT_HIST_STEPS) << (e - 5);
}

/* Value at or below which `share` (0 … 1) of the counted values lie, as the middle of its bucket; 0 if n is 0.
 * `counts` has WT_HIST_BUCKETS entries that add up to n. */
uint64_t wt_hist_quantile(const uint64_t *counts, uint64_t n, double share);

_Static_assert(WT_HIST_BUCKETS == (63 - 4) * 32 + 32, "the largest 64-bit value has the last index");

#endif
