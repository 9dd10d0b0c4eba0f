/* SPDX-License-Identifier: MIT */
#include "read/quantile.h"

void wt_dist_add(struct wt_dist *dist, uint64_t value)
{
	dist->count[wt_hist_index(value)]++;
	dist->n++;
	dist->sum += value;
	if (value > dist->max) dist->max = value;
}

double wt_dist_mean(const struct wt_dist *dist) { return dist->n ? (double)dist->sum / (double)dist->n : 0; }

uint64_t wt_dist_quantile(const struct wt_dist *dist, double share)
{
	uint64_t value = wt_hist_quantile(dist->count, dist->n, share);
	return value < dist->max ? value : dist->max;
}

void wt_parted_add(struct wt_parted *parted, uint64_t total_ns, const struct wt_split *split)
{
	uint64_t *in_bucket = parted->in_bucket[wt_hist_index(total_ns)];
	wt_dist_add(&parted->total, total_ns);
	for (int p = 0; p < WT_PARTS; p++) {
		in_bucket[p] += split->part_ns[p];
		parted->sum[p] += split->part_ns[p];
	}
}

static uint32_t bucket_of(const struct wt_dist *dist, double share)
{
	double target = share * (double)dist->n;
	uint64_t seen = 0;
	uint32_t last = 0;
	for (uint32_t i = 0; i < WT_HIST_BUCKETS; i++) {
		if (!dist->count[i]) continue;
		seen += dist->count[i];
		last = i;
		if ((double)seen >= target) break;
	}
	return last;
}

/* Each part is the difference of two rounded running means, so that the rounding adds up as well. */
struct wt_parted_quantile wt_parted_quantile(const struct wt_parted *parted, double share)
{
	struct wt_parted_quantile q = {0};
	if (!parted->total.n) return q;
	uint32_t bucket = bucket_of(&parted->total, share);
	uint64_t sum = 0;
	q.n = parted->total.count[bucket];
	q.low_ns = wt_hist_low(bucket);
	q.high_ns = bucket + 1 < WT_HIST_BUCKETS ? wt_hist_low(bucket + 1) : UINT64_MAX;
	for (int p = 0; p < WT_PARTS; p++) {
		uint64_t before_ns = sum / q.n;
		sum += parted->in_bucket[bucket][p];
		q.part_ns[p] = sum / q.n - before_ns;
	}
	q.value_ns = sum / q.n;
	return q;
}
