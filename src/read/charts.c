/* SPDX-License-Identifier: MIT */
#include "read/charts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The longest rows in equal slices of time: place[slice], or WT_NOWHERE. */
struct slices {
	uint64_t first_ns, width_ns;
	size_t n;
	uint32_t *place;
	uint64_t *length_ns;
};

static int open_slices(struct slices *s, size_t n, uint64_t first_ns, uint64_t last_ns)
{
	*s = (struct slices){.first_ns = first_ns, .width_ns = (last_ns - first_ns) / n + 1, .n = n};
	s->place = malloc(n * sizeof *s->place);
	s->length_ns = malloc(n * sizeof *s->length_ns);
	if (!s->place || !s->length_ns) return -ENOMEM;
	for (size_t i = 0; i < n; i++) s->place[i] = WT_NOWHERE;
	return 0;
}

static void close_slices(struct slices *s)
{
	free(s->place);
	free(s->length_ns);
}

static void offer(struct slices *s, uint64_t start_ns, uint64_t length_ns, size_t place)
{
	size_t slice = (size_t)((start_ns - s->first_ns) / s->width_ns);
	if (s->place[slice] != WT_NOWHERE && s->length_ns[slice] >= length_ns) return;
	s->place[slice] = (uint32_t)place;
	s->length_ns[slice] = length_ns;
}

static void widen(uint64_t *first_ns, uint64_t *last_ns, uint64_t at_ns)
{
	if (at_ns < *first_ns) *first_ns = at_ns;
	if (at_ns > *last_ns) *last_ns = at_ns;
}

/* ---- Holds of the commit lock ------------------------------------------------------------------------------- */

static int choose_holds(struct wt_charts *charts, const struct wt_store *store, uint32_t trace, struct slices *slices)
{
	for (size_t i = 0; i < store->locks; i++)
		offer(slices, wt_lock_got_ns(&store->lock[i]), store->lock[i].hold_ns, i);
	charts->hold = calloc(slices->n, sizeof *charts->hold);
	if (!charts->hold) return -ENOMEM;
	for (size_t i = 0; i < slices->n; i++) {
		if (slices->place[i] == WT_NOWHERE) continue;
		charts->hold[charts->holds++] = wt_holder_of(store, &store->lock[slices->place[i]], trace);
	}
	return 0;
}

static int add_holds(struct wt_charts *charts, const struct wt_store *store, uint32_t trace, size_t limit)
{
	struct slices slices;
	uint64_t first_ns = UINT64_MAX, last_ns = 0;
	for (size_t i = 0; i < store->locks; i++) widen(&first_ns, &last_ns, wt_lock_got_ns(&store->lock[i]));
	charts->all_holds = store->locks;
	if (!store->locks) return 0;
	int result = open_slices(&slices, limit, first_ns, last_ns);
	if (!result) result = choose_holds(charts, store, trace, &slices);
	close_slices(&slices);
	return result;
}

/* ---- fsyncs ------------------------------------------------------------------------------------------------- */

static void keep_fsync(struct wt_charts *charts, const struct wt_sync_row *sync, bool outlier)
{
	charts->fsync[charts->fsyncs++] =
		(struct wt_chart_fsync){sync->id, sync->start_ns, sync->total_ns, sync->written_bytes, outlier};
}

/* The outliers that are shown, if not all can be. */
static void keep_outliers(struct wt_charts *charts, const struct wt_store *store, uint64_t limit_ns,
                          struct slices *slices)
{
	for (size_t i = 0; i < store->syncs; i++)
		if (store->sync[i].total_ns > limit_ns)
			offer(slices, store->sync[i].start_ns, store->sync[i].total_ns, i);
	for (size_t i = 0; i < slices->n; i++)
		if (slices->place[i] != WT_NOWHERE) keep_fsync(charts, &store->sync[slices->place[i]], true);
}

static int choose_outliers(struct wt_charts *charts, const struct wt_store *store, uint64_t limit_ns, size_t room)
{
	struct slices slices;
	uint64_t first_ns = UINT64_MAX, last_ns = 0;
	for (size_t i = 0; i < store->syncs; i++) widen(&first_ns, &last_ns, store->sync[i].start_ns);
	int result = open_slices(&slices, room, first_ns, last_ns);
	if (!result) keep_outliers(charts, store, limit_ns, &slices);
	close_slices(&slices);
	return result;
}

/* Every so many-th of those that are no outliers, so that at most `room` are taken; all outliers too, if asked for. */
static void keep_others(struct wt_charts *charts, const struct wt_store *store, uint64_t limit_ns, size_t room,
                        bool outliers_too)
{
	uint64_t others = charts->all_fsyncs - charts->all_outliers, seen = 0;
	for (size_t i = 0; i < store->syncs; i++) {
		const struct wt_sync_row *sync = &store->sync[i];
		if (sync->total_ns > limit_ns) {
			if (outliers_too) keep_fsync(charts, sync, true);
			continue;
		}
		/* The seen-th is taken where room / others of them passes a whole number. */
		bool taken = others <= room || (seen + 1) * room / others > seen * room / others;
		if (taken) keep_fsync(charts, sync, false);
		seen++;
	}
}

static int add_fsyncs(struct wt_charts *charts, const struct wt_store *store, size_t limit)
{
	uint64_t limit_ns;
	if (wt_outlier_limit(store, &limit_ns)) return -ENOMEM;
	charts->all_fsyncs = store->syncs;
	for (size_t i = 0; i < store->syncs; i++) charts->all_outliers += store->sync[i].total_ns > limit_ns;
	if (!store->syncs) return 0;
	charts->fsync = calloc(limit, sizeof *charts->fsync);
	if (!charts->fsync) return -ENOMEM;
	bool all = charts->all_outliers <= limit / 2;
	size_t room = all ? limit - (size_t)charts->all_outliers : limit - limit / 2;
	if (!all && limit / 2 && choose_outliers(charts, store, limit_ns, limit / 2)) return -ENOMEM;
	keep_others(charts, store, limit_ns, room, all);
	return 0;
}

int wt_charts_of(struct wt_charts *charts, const struct wt_store *store, uint32_t trace, size_t limit)
{
	*charts = (struct wt_charts){0};
	if (!limit) return 0;
	int result = add_holds(charts, store, trace, limit);
	if (!result) result = add_fsyncs(charts, store, limit);
	if (result) wt_charts_free(charts);
	return result;
}

void wt_charts_free(struct wt_charts *charts)
{
	free(charts->fsync);
	free(charts->hold);
	*charts = (struct wt_charts){0};
}
