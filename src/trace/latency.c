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

void wt_latency_count(struct wt_latencies *all, const struct wt_row *row)
{
	_Atomic uint16_t *place = &all->place[row->logger_id - 1][row->kind];
	uint16_t n = atomic_load_explicit(place, memory_order_relaxed);
	uint64_t ns;
	if (wt_unlikely(!n)) n = allocate(all, place);
	if (wt_unlikely(n == WT_NO_LATENCY)) {
		atomic_fetch_add_explicit(&all->unplaced, 1, memory_order_relaxed);
		return;
	}
	struct wt_latency *l = &all->latency[n - 1];
	if (wt_unlikely(row->error_kind)) atomic_fetch_add_explicit(&l->errors, 1, memory_order_relaxed);
	if (!wt_row_duration(row, &ns)) {
		atomic_fetch_add_explicit(&l->valueless, 1, memory_order_relaxed);
		return;
	}
	atomic_fetch_add_explicit(&l->bucket[wt_hist_index(ns)], 1, memory_order_relaxed);
	add_saturating(&l->sum_ns, ns);
	raise(&l->max_ns, ns);
}

bool wt_latency_take(struct wt_latencies *all, uint32_t logger, enum waltrace_kind kind, struct wt_latency_share *share)
{
	uint16_t n = atomic_load_explicit(&all->place[logger - 1][kind], memory_order_relaxed);
	if (!n || n == WT_NO_LATENCY) return false;
	struct wt_latency *l = &all->latency[n - 1];
	share->count = atomic_exchange_explicit(&l->valueless, 0, memory_order_relaxed);
	share->buckets = 0;
	for (uint32_t i = 0; i < WT_HIST_BUCKETS; i++) {
		if (!atomic_load_explicit(&l->bucket[i], memory_order_relaxed)) continue;
		uint32_t hits = atomic_exchange_explicit(&l->bucket[i], 0, memory_order_relaxed);
		share->bucket[share->buckets].index = (uint16_t)i;
		share->bucket[share->buckets++].n = hits;
		share->count += hits;
	}
	share->errors = atomic_exchange_explicit(&l->errors, 0, memory_order_relaxed);
	share->sum_ns = atomic_exchange_explicit(&l->sum_ns, 0, memory_order_relaxed);
	share->max_ns = atomic_exchange_explicit(&l->max_ns, 0, memory_order_relaxed);
	return share->count || share->errors || share->sum_ns;
}
