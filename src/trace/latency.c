/* SPDX-License-Identifier: MIT */
/* All members are only added to, exchanged and raised, each by itself and relaxed: a row that is counted while a line is
 * being made may have its bucket in this line and its sum in the next. Nothing is counted twice or lost by that. */
#include "trace/latency.h"

bool wt_row_duration(const struct wt_row *row, uint64_t *ns)
{
	const uint64_t lock = 1ull << WALTRACE_LOCK_WAIT_NS | 1ull << WALTRACE_LOCK_HOLD_NS;
	*ns = 0;
	if (row->mask & 1ull << WALTRACE_TOTAL_NS) {
		*ns = wt_row_value(row, WALTRACE_TOTAL_NS);
		return true;
	}
	if (!(row->mask & lock)) return false;
	if (__builtin_add_overflow(wt_row_value(row, WALTRACE_LOCK_WAIT_NS), wt_row_value(row, WALTRACE_LOCK_HOLD_NS),
	                           ns))
		*ns = UINT64_MAX;
	return true;
}

/* A lost CAS leaves a histogram unused; that happens at most once for each two threads that begin at the same time. */
static uint16_t allocate(struct wt_latencies *all, _Atomic uint16_t *place)
{
	uint32_t n = atomic_load_explicit(&all->used, memory_order_relaxed);
	uint16_t now = 0, mine = WT_NO_LATENCY;
	if (n < WT_HISTOGRAMS) n = atomic_fetch_add_explicit(&all->used, 1, memory_order_relaxed);
	if (n < WT_HISTOGRAMS) mine = (uint16_t)(n + 1);
	return atomic_compare_exchange_strong(place, &now, mine) ? mine : now;
}

static void add_saturating(_Atomic uint64_t *sum, uint64_t v)
{
	uint64_t old = atomic_fetch_add_explicit(sum, v, memory_order_relaxed);
	if (__builtin_expect(old + v < old, 0)) atomic_store_explicit(sum, UINT64_MAX, memory_order_relaxed);
}

static void raise(_Atomic uint64_t *max, uint64_t v)
{
	uint64_t old = atomic_load_explicit(max, memory_order_relaxed);
	while (old < v &&
	       !atomic_compare_exchange_weak_explicit(max, &old, v, memory_order_relaxed, memory_order_relaxed))
		;
}

/* NULL: there is none left. */
static struct wt_latency *histogram_of(struct wt_latencies *all, uint32_t logger, uint32_t series)
{
	_Atomic uint16_t *place = &all->place[logger - 1][series];
	uint16_t n = atomic_load_explicit(place, memory_order_relaxed);
	if (wt_unlikely(!n)) n = allocate(all, place);
	return wt_unlikely(n == WT_NO_LATENCY) ? NULL : &all->latency[n - 1];
}

static void add(struct wt_latency *l, uint64_t ns)
{
	atomic_fetch_add_explicit(&l->bucket[wt_hist_index(ns)], 1, memory_order_relaxed);
	add_saturating(&l->sum_ns, ns);
	raise(&l->max_ns, ns);
}

static void count_lock_wait(struct wt_latencies *all, const struct wt_row *row)
{
	struct wt_latency *l = histogram_of(all, row->logger_id, WT_SERIES_LOCK_WAIT);
	if (l) add(l, wt_row_value(row, WALTRACE_LOCK_WAIT_NS));
}

void wt_latency_count(struct wt_latencies *all, const struct wt_row *row)
{
	struct wt_latency *l = histogram_of(all, row->logger_id, row->kind);
	uint64_t ns;
	if (row->kind == WALTRACE_KIND_COMMIT_LOCK && row->mask & 1ull << WALTRACE_LOCK_WAIT_NS)
		count_lock_wait(all, row);
	if (wt_unlikely(!l)) {
		atomic_fetch_add_explicit(&all->unplaced, 1, memory_order_relaxed);
		return;
	}
	if (wt_unlikely(row->error_kind)) atomic_fetch_add_explicit(&l->errors, 1, memory_order_relaxed);
	if (wt_row_duration(row, &ns)) add(l, ns);
	else atomic_fetch_add_explicit(&l->valueless, 1, memory_order_relaxed);
}

/* What lines have said of each histogram, in the low bits of its counters: a window has fewer than 2^32 rows. Memory that
 * is touched as far as histograms are in use. */
static struct {
	uint32_t valueless, errors, bucket[WT_HIST_BUCKETS];
} printed[WT_HISTOGRAMS];

static uint32_t rest(const _Atomic uint64_t *counter, uint32_t *before)
{
	uint32_t now = (uint32_t)atomic_load_explicit(counter, memory_order_relaxed), n = now - *before;
	if (n) *before = now;
	return n;
}

bool wt_latency_take(struct wt_latencies *all, uint32_t logger, enum waltrace_kind kind, struct wt_latency_share *share)
{
	uint16_t place = atomic_load_explicit(&all->place[logger - 1][kind], memory_order_relaxed);
	if (!place || place == WT_NO_LATENCY) return false;
	struct wt_latency *l = &all->latency[place - 1];
	share->count = rest(&l->valueless, &printed[place - 1].valueless);
	share->buckets = 0;
	for (uint32_t i = 0; i < WT_HIST_BUCKETS; i++) {
		uint32_t n = rest(&l->bucket[i], &printed[place - 1].bucket[i]);
		if (!n) continue;
		share->bucket[share->buckets].index = (uint16_t)i;
		share->bucket[share->buckets++].n = n;
		share->count += n;
	}
	share->errors = rest(&l->errors, &printed[place - 1].errors);
	share->sum_ns = atomic_exchange_explicit(&l->sum_ns, 0, memory_order_relaxed);
	share->max_ns = atomic_exchange_explicit(&l->max_ns, 0, memory_order_relaxed);
	return share->count || share->errors || share->sum_ns;
}
