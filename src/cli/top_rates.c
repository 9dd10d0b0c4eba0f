/* SPDX-License-Identifier: MIT */
/* Since the start, or between two snapshots: counters never fall, so what came between is a difference. */
#include <string.h>

#include "base/hist.h"
#include "cli/top.h"

_Static_assert((int)WALTRACE_SHM_BUCKETS == (int)WT_HIST_BUCKETS, "the segment's histograms are those of base/hist.h");

const struct wt_series wt_series_shown[3] = {
	{WALTRACE_KIND_ROOT_FLUSH, "root_flush", "flush"},
	{WALTRACE_SHM_LOCK_WAIT, "commit_lock_wait", "lock wait"},
	{WALTRACE_KIND_SYNC_CALL, "sync_call", "fsync"},
};

/* NULL: it has none (yet). */
static const struct waltrace_shm_histogram *histogram_of(const struct wt_snapshot *s, uint32_t logger, uint32_t series)
{
	if (!s || logger >= s->loggers) return NULL;
	uint16_t place = s->place[logger][series];
	return place && place != WALTRACE_SHM_NO_HISTOGRAM ? &s->histogram[place - 1] : NULL;
}

static uint64_t less(uint64_t now, uint64_t before) { return now > before ? now - before : 0; }

static void subtract(struct waltrace_shm_histogram *from, const struct waltrace_shm_histogram *what)
{
	from->valueless = less(from->valueless, what->valueless);
	from->errors = less(from->errors, what->errors);
	for (int i = 0; i < WALTRACE_SHM_BUCKETS; i++) from->bucket[i] = less(from->bucket[i], what->bucket[i]);
}

void wt_view_times(const struct wt_view *view, uint32_t logger, uint32_t series, bool interval, struct wt_times *times)
{
	const struct waltrace_shm_histogram *now = histogram_of(view->now, logger, series);
	const struct waltrace_shm_histogram *before = interval ? histogram_of(view->before, logger, series) : NULL;
	memset(times, 0, sizeof *times);
	if (!now) {
		times->none_left = view->now->place[logger][series] == WALTRACE_SHM_NO_HISTOGRAM;
		return;
	}
	struct waltrace_shm_histogram h = *now;
	if (before) subtract(&h, before);
	for (int i = 0; i < WALTRACE_SHM_BUCKETS; i++) times->timed += h.bucket[i];
	times->n = times->timed + h.valueless;
	times->errors = h.errors;
	times->p50_ns = wt_hist_quantile(h.bucket, times->timed, 0.5);
	times->p99_ns = wt_hist_quantile(h.bucket, times->timed, 0.99);
	times->p999_ns = wt_hist_quantile(h.bucket, times->timed, 0.999);
}

static uint64_t rows_of(const struct wt_snapshot *s, uint32_t logger, uint32_t series)
{
	const struct waltrace_shm_histogram *h = histogram_of(s, logger, series);
	if (!h) return 0;
	uint64_t n = h->valueless;
	for (int i = 0; i < WALTRACE_SHM_BUCKETS; i++) n += h->bucket[i];
	return n;
}

double wt_view_seconds(const struct wt_view *view)
{
	uint64_t from = view->before ? view->before->now_ns : 0;
	return view->now->now_ns > from ? (double)(view->now->now_ns - from) / 1e9 : 0;
}

static double rate(const struct wt_view *view, uint64_t now, uint64_t before)
{
	double seconds = wt_view_seconds(view);
	return seconds > 0 ? (double)less(now, before) / seconds : 0;
}

struct wt_rates wt_view_logger_rates(const struct wt_view *view, uint32_t logger)
{
	const struct wt_snapshot *now = view->now, *before = view->before;
	bool known = before && logger < before->loggers;
	return (struct wt_rates){
		.flushes = rate(view, rows_of(now, logger, WALTRACE_KIND_ROOT_FLUSH),
	                        rows_of(before, logger, WALTRACE_KIND_ROOT_FLUSH)),
		.syncs = rate(view, rows_of(now, logger, WALTRACE_KIND_SYNC_CALL),
	                      rows_of(before, logger, WALTRACE_KIND_SYNC_CALL)),
		.locks = rate(view, now->logger[logger].acquisitions, known ? before->logger[logger].acquisitions : 0),
	};
}

struct wt_rates wt_view_rates(const struct wt_view *view)
{
	const struct wt_snapshot *now = view->now, *before = view->before;
	struct wt_rates all = {
		.records = rate(view, now->produced, before ? before->produced : 0),
		.written = rate(view, now->file.written, before ? before->file.written : 0),
		.dropped = rate(view, now->dropped, before ? before->dropped : 0),
	};
	for (uint32_t i = 0; i < now->loggers; i++) {
		struct wt_rates one = wt_view_logger_rates(view, i);
		all.flushes += one.flushes;
		all.syncs += one.syncs;
		all.locks += one.locks;
	}
	return all;
}
