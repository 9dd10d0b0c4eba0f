/* SPDX-License-Identifier: MIT */
#include "read/over_time.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hist.h"

/* So that the span has at most WT_STEPS_MAX of them, wherever it begins. */
static uint64_t step_for(uint64_t span_ns)
{
	static const uint64_t nice[] = {1, 2, 5};
	const uint64_t least = span_ns / (WT_STEPS_MAX - 2) + 1;
	for (uint64_t power = 1; power <= UINT64_MAX / 50; power *= 10)
		for (int i = 0; i < 3; i++)
			if (nice[i] * power >= least) return nice[i] * power;
	return UINT64_MAX;
}

/* The step in which something ended; NULL if that was outside of the flushes' time. */
static struct wt_step *step_of(struct wt_over_time *t, uint64_t end_ns)
{
	if (end_ns < t->step[0].start_ns) return NULL;
	uint64_t i = (end_ns - t->step[0].start_ns) / t->step_ns;
	return i < t->steps ? &t->step[i] : NULL;
}

static void begin(struct wt_over_time *t, const struct wt_store *store)
{
	uint64_t first_ns = UINT64_MAX, last_ns = 0;
	for (size_t i = 0; i < store->flushes; i++) {
		uint64_t end_ns = wt_end_ns(store->flush[i].start_ns, store->flush[i].total_ns);
		if (end_ns < first_ns) first_ns = end_ns;
		if (end_ns > last_ns) last_ns = end_ns;
	}
	t->step_ns = step_for(last_ns - first_ns);
	first_ns = first_ns / t->step_ns * t->step_ns;
	t->steps = (uint32_t)((last_ns - first_ns) / t->step_ns) + 1;
	for (uint32_t i = 0; i < t->steps; i++) t->step[i].start_ns = first_ns + i * t->step_ns;
}

static void add_flushes(struct wt_over_time *t, const struct wt_store *store, uint64_t (*counts)[WT_HIST_BUCKETS])
{
	for (size_t i = 0; i < store->flushes; i++) {
		uint64_t total_ns = store->flush[i].total_ns;
		struct wt_step *step = step_of(t, wt_end_ns(store->flush[i].start_ns, total_ns));
		step->flushes++;
		step->sum_ns += total_ns;
		if (total_ns > step->max_ns) step->max_ns = total_ns;
		counts[step - t->step][wt_hist_index(total_ns)]++;
	}
	for (uint32_t i = 0; i < t->steps; i++) {
		struct wt_step *step = &t->step[i];
		step->p50_ns = wt_hist_quantile(counts[i], step->flushes, .5);
		step->p99_ns = wt_hist_quantile(counts[i], step->flushes, .99);
	}
}

static void add_fsyncs(struct wt_over_time *t, const struct wt_store *store)
{
	for (size_t i = 0; i < store->syncs; i++) {
		const struct wt_sync_row *sync = &store->sync[i];
		struct wt_step *step = step_of(t, wt_end_ns(sync->start_ns, sync->total_ns));
		if (!step) continue;
		step->fsyncs++;
		step->fsync_sum_ns += sync->total_ns;
		step->written_bytes += sync->written_bytes;
		if (sync->total_ns > step->fsync_max_ns) step->fsync_max_ns = sync->total_ns;
	}
}

int wt_over_time(struct wt_over_time *t, const struct wt_store *store)
{
	*t = (struct wt_over_time){0};
	if (!store->flushes) return 0;
	begin(t, store);
	uint64_t(*counts)[WT_HIST_BUCKETS] = calloc(t->steps, sizeof *counts);
	if (!counts) return -ENOMEM;
	add_flushes(t, store, counts);
	add_fsyncs(t, store);
	free(counts);
	return 0;
}
