/* SPDX-License-Identifier: MIT */
#include "read/signs.h"

#include <stdio.h>
#include <string.h>

void wt_sign_keep(struct wt_sign_list *list, uint32_t trace, uint64_t id, uint64_t weight)
{
	uint32_t rank = list->n;
	while (rank && list->at[rank - 1].weight < weight) rank--;
	if (rank == WT_SIGNS_KEPT) return;
	if (list->n < WT_SIGNS_KEPT) list->n++;
	memmove(&list->at[rank + 1], &list->at[rank], (list->n - rank - 1) * sizeof list->at[0]);
	list->at[rank] = (struct wt_sign){trace, id, weight};
}

bool wt_fsync_is_too_fast(uint64_t total_ns, uint64_t bytes)
{
	return total_ns < WT_FAST_FSYNC_NS + bytes / WT_FAST_FSYNC_BYTES_A_NS;
}

void wt_signs_lock(struct wt_signs *signs, const struct wt_record *r, uint32_t trace)
{
	if (wt_get(r, WALTRACE_NOTIFY_TARGET_COUNT))
		wt_sign_keep(&signs->notifies, trace, r->id, wt_get(r, WALTRACE_NOTIFY_TOTAL_NS));
}

/* ---- At a trace's end --------------------------------------------------------------------------------------- */

static void add_sync(struct wt_signs *signs, const struct wt_store *store, const struct wt_sync_row *sync,
                     uint32_t trace)
{
	const struct wt_store_logger *logger = &store->logger[sync->logger];
	wt_sign_keep(&signs->longest, trace, sync->id, sync->total_ns);
	if (sync->good && wt_fsync_is_too_fast(sync->total_ns, sync->written_bytes)) {
		signs->fast_syncs++;
		wt_sign_keep(&signs->fastest, trace, sync->id, sync->written_bytes);
	}
	if (!logger->delay_ms) return;
	signs->timer_batches += sync->trigger == WALTRACE_W_TIMER;
	if (sync->trigger != WALTRACE_W_REQUEST) return;
	signs->size_batches++;
	if (sync->lock == WT_NOWHERE) return;
	const struct wt_lock_row *lock = &store->lock[sync->lock];
	wt_sign_keep(&signs->size_owners, trace, lock->id, lock->wait_ns);
}

static void add_logger(struct wt_signs *signs, const struct wt_store *store, const struct wt_store_logger *logger)
{
	const struct wt_index *syncs = &logger->by_start;
	if (syncs->n) {
		const struct wt_sync_row *last = &store->sync[syncs->at[syncs->n - 1].place];
		signs->sync_span_ns += wt_end_ns(last->start_ns, last->total_ns) - syncs->at[0].key;
	}
	if (!logger->delay_ms || !syncs->n) return;
	if (logger->delay_ms > signs->delay_ms) signs->delay_ms = logger->delay_ms;
	if (!signs->block_limit || logger->block_limit < signs->block_limit) signs->block_limit = logger->block_limit;
}

void wt_signs_store(struct wt_signs *signs, const struct wt_store *store, uint32_t trace)
{
	for (size_t i = 0; i < store->syncs; i++) add_sync(signs, store, &store->sync[i], trace);
	for (size_t i = 0; i < store->loggers; i++) add_logger(signs, store, &store->logger[i]);
}

/* ---- Verdicts ----------------------------------------------------------------------------------------------- */

double wt_covered(const struct wt_verdict *v)
{
	double made = (double)v->produced + (double)v->omitted;
	if (made < (double)v->records) return 1;
	return made > 0 ? (double)v->records / made : 1;
}

void wt_signs_verdict(struct wt_signs *signs, const struct wt_verdict *v)
{
	double uncovered = 1 - wt_covered(v);
	if (!v->complete && !signs->incomplete++) {
		snprintf(signs->why, sizeof signs->why, "%s", v->why);
		snprintf(signs->mend, sizeof signs->mend, "%s", v->mend);
	}
	signs->lossy += v->dropped || v->omitted || v->problems || uncovered > 0;
	signs->filtered += v->min_ns != 0;
	signs->records += v->records;
	signs->dropped += v->dropped;
	signs->omitted += v->omitted;
	signs->outstanding += v->outstanding;
	signs->problems += v->problems;
	if (uncovered > signs->uncovered) signs->uncovered = uncovered;
}
