/* SPDX-License-Identifier: MIT */
/* Outliers, and whether they come at regular intervals: bursts of outliers are taken as one, the gaps between the
 * bursts' beginnings must be alike (standard deviation at most a quarter of the mean; at random it would be near the
 * whole mean). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/grow.h"
#include "read/tally.h"

#define PERIODIC_SPREAD 0.25

struct times {
	uint64_t *at;
	size_t n, room;
};

static int by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static void keep_outlier(struct wt_tally *tally, const struct wt_sync_row *sync)
{
	struct wt_fsync_outlier outlier = {tally->traces, sync->id, sync->start_ns, sync->total_ns,
	                                   sync->written_bytes};
	uint32_t rank = tally->outliers_shown;
	while (rank && tally->outlier[rank - 1].total_ns < sync->total_ns) rank--;
	if (rank == WT_OUTLIERS_SHOWN) return;
	if (tally->outliers_shown < WT_OUTLIERS_SHOWN) tally->outliers_shown++;
	memmove(&tally->outlier[rank + 1], &tally->outlier[rank], (tally->outliers_shown - rank - 1) * sizeof outlier);
	tally->outlier[rank] = outlier;
}

/* Keeps the beginning of each burst. */
static void join_bursts(struct times *times)
{
	size_t kept = 0;
	uint64_t last_ns = 0;
	for (size_t i = 0; i < times->n; i++) {
		uint64_t t = times->at[i];
		if (!i || t - last_ns > WT_BURST_GAP_MS * 1000000ull) times->at[kept++] = t;
		last_ns = t;
	}
	times->n = kept;
}

static double spread_of(const struct times *times, double mean)
{
	double squares = 0;
	for (size_t i = 1; i < times->n; i++) {
		double off = (double)(times->at[i] - times->at[i - 1]) / mean - 1;
		squares += off * off;
	}
	return sqrt(squares / (double)(times->n - 1));
}

static void judge_rhythm(struct wt_tally *tally, const struct times *bursts)
{
	if (bursts->n < tally->rhythm_bursts) return;
	tally->rhythm_bursts = bursts->n;
	if (bursts->n < WT_BURSTS_MIN) return;
	double mean = (double)(bursts->at[bursts->n - 1] - bursts->at[0]) / (double)(bursts->n - 1);
	tally->period_ns = (uint64_t)mean;
	tally->period_spread = spread_of(bursts, mean);
	tally->rhythm = tally->period_spread <= PERIODIC_SPREAD ? WT_RHYTHM_PERIODIC : WT_RHYTHM_IRREGULAR;
}

static int find_outliers(struct wt_tally *tally, const struct wt_store *store, uint64_t limit_ns)
{
	struct times times = {0};
	for (size_t i = 0; i < store->syncs; i++) {
		const struct wt_sync_row *sync = &store->sync[i];
		if (sync->total_ns <= limit_ns) continue;
		if (times.n == times.room && wt_grow((void **)&times.at, &times.room, sizeof *times.at)) {
			free(times.at);
			return -ENOMEM;
		}
		times.at[times.n++] = sync->start_ns;
		keep_outlier(tally, sync);
	}
	tally->outliers += times.n;
	if (times.n) qsort(times.at, times.n, sizeof *times.at, by_time);
	join_bursts(&times);
	tally->bursts += times.n;
	judge_rhythm(tally, &times);
	free(times.at);
	return 0;
}

int wt_outlier_limit(const struct wt_store *store, uint64_t *limit_ns)
{
	struct wt_dist *dist = calloc(1, sizeof *dist);
	if (!dist) return -ENOMEM;
	for (size_t i = 0; i < store->syncs; i++) wt_dist_add(dist, store->sync[i].total_ns);
	uint64_t median_ns = wt_dist_quantile(dist, 0.5);
	free(dist);
	*limit_ns = median_ns > UINT64_MAX / WT_OUTLIER_TIMES ? UINT64_MAX : median_ns * WT_OUTLIER_TIMES;
	return 0;
}

int wt_tally_fsyncs(struct wt_tally *tally, const struct wt_store *store)
{
	uint64_t limit_ns;
	if (wt_outlier_limit(store, &limit_ns)) return -ENOMEM;
	for (size_t i = 0; i < store->syncs; i++) {
		wt_dist_add(&tally->fsync, store->sync[i].total_ns);
		tally->fsync_bytes += store->sync[i].written_bytes;
	}
	return find_outliers(tally, store, limit_ns);
}
