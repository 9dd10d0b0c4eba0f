/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "read/tally.h"

static void keep_holder(struct wt_tally *tally, const struct wt_holder *holder)
{
	uint32_t rank = tally->holders;
	while (rank && tally->holder[rank - 1].hold_ns < holder->hold_ns) rank--;
	if (rank == WT_SLOWEST) return;
	if (tally->holders < WT_SLOWEST) tally->holders++;
	memmove(&tally->holder[rank + 1], &tally->holder[rank], (tally->holders - rank - 1) * sizeof *holder);
	tally->holder[rank] = *holder;
}

static const struct wt_sync_row *sync_of(const struct wt_store *store, const struct wt_lock_row *lock)
{
	return lock->sync == WT_NOWHERE ? NULL : &store->sync[lock->sync];
}

struct wt_holder wt_holder_of(const struct wt_store *store, const struct wt_lock_row *lock, uint32_t trace)
{
	const struct wt_sync_row *sync = sync_of(store, lock);
	const struct wt_store_logger *logger = &store->logger[lock->logger];
	return (struct wt_holder){
		.trace = trace,
		.id = lock->id,
		.logger_id = logger->id,
		.got_ns = wt_lock_got_ns(lock),
		.hold_ns = lock->hold_ns,
		.sync_ns = sync ? sync->total_ns : 0,
		.rotation_ns = wt_spans_in(&logger->rotations, wt_lock_got_ns(lock), wt_lock_freed_ns(lock)),
		.trigger = lock->trigger,
		.outcome = lock->outcome,
	};
}

static void add_lock(struct wt_tally *tally, const struct wt_store *store, const struct wt_lock_row *lock)
{
	const struct wt_sync_row *sync = sync_of(store, lock);
	struct wt_holder holder = wt_holder_of(store, lock, tally->traces);
	keep_holder(tally, &holder);
	wt_dist_add(&tally->lock_wait, lock->wait_ns);
	wt_dist_add(&tally->lock_hold, lock->hold_ns);
	if (sync && sync->good && lock->has_committed && sync->max_uid > lock->committed_at_acquire)
		wt_dist_add(&tally->batch_records, sync->max_uid - lock->committed_at_acquire);
}

void wt_tally_locks(struct wt_tally *tally, const struct wt_store *store)
{
	static const struct wt_span nothing = {UINT64_MAX, 0};
	struct wt_span used[WT_STORE_LOGGERS_MAX];
	for (size_t i = 0; i < store->loggers; i++) used[i] = nothing;
	for (size_t i = 0; i < store->locks; i++) {
		const struct wt_lock_row *lock = &store->lock[i];
		struct wt_span *span = &used[lock->logger];
		if (wt_lock_got_ns(lock) < span->start_ns) span->start_ns = wt_lock_got_ns(lock);
		if (wt_lock_freed_ns(lock) > span->end_ns) span->end_ns = wt_lock_freed_ns(lock);
		add_lock(tally, store, lock);
	}
	for (size_t i = 0; i < store->loggers; i++)
		if (used[i].end_ns > used[i].start_ns) tally->lock_span_ns += used[i].end_ns - used[i].start_ns;
}
