/* SPDX-License-Identifier: MIT */
#include "read/durability.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t end_of(const struct wt_sync_row *sync) { return wt_end_ns(sync->start_ns, sync->total_ns); }

/* For each place in a logger's `good` index, the sync_call at or behind it that ended first: of all that cover a uid, the
 * first to end. In what a log writes it is the one at the place itself. */
static uint32_t *first_to_end(const struct wt_store *store, const struct wt_index *good)
{
	uint32_t *first = malloc((good->n + 1) * sizeof *first), best = WT_NOWHERE;
	for (size_t i = good->n; first && i--;) {
		uint32_t place = good->at[i].place;
		if (best == WT_NOWHERE || end_of(&store->sync[place]) <= end_of(&store->sync[best])) best = place;
		first[i] = best;
	}
	return first;
}

static void keep(struct wt_durability *audit, const struct wt_store *store, const struct wt_flush_row *flush,
                 const struct wt_sync_row *sync, uint32_t trace)
{
	if (audit->kept == WT_UNPROVEN_KEPT) return;
	audit->first[audit->kept++] = (struct wt_unproven){
		.trace = trace,
		.id = flush->id,
		.logger_id = store->logger[flush->logger].id,
		.uid = flush->uid,
		.ended_ns = wt_end_ns(flush->start_ns, flush->total_ns),
		.sync_id = sync ? sync->id : 0,
		.sync_ended_ns = sync ? end_of(sync) : 0,
	};
}

/* When the owner of this batch got the commit lock, the uid wasn't durable: no other batch can have covered it. */
static bool is_the_one(const struct wt_store *store, const struct wt_sync_row *sync, uint64_t uid)
{
	const struct wt_lock_row *lock = sync && sync->lock != WT_NOWHERE ? &store->lock[sync->lock] : NULL;
	return lock && lock->has_committed && lock->committed_at_acquire < uid;
}

static void judge(struct wt_durability *audit, const struct wt_store *store, const struct wt_flush_row *flush,
                  const uint32_t *first, uint32_t trace)
{
	const struct wt_index *good = &store->logger[flush->logger].good;
	uint64_t end_ns = wt_end_ns(flush->start_ns, flush->total_ns);
	size_t i = wt_index_from(good, flush->uid);
	const struct wt_sync_row *sync = i < good->n ? &store->sync[first[i]] : NULL;
	audit->acknowledged++;
	if (sync && end_of(sync) <= end_ns) {
		audit->proven++;
	} else if (is_the_one(store, sync, flush->uid)) {
		audit->unproven++;
		keep(audit, store, flush, sync, trace);
	} else if (store->gaps || (flush->fast && (!good->n || end_ns < end_of(&store->sync[first[0]])))) {
		audit->unknown++;
	} else {
		audit->unproven++;
		keep(audit, store, flush, sync, trace);
	}
}

int wt_audit(struct wt_durability *audit, const struct wt_store *store, uint32_t trace)
{
	uint32_t **first = calloc(store->loggers + 1, sizeof *first);
	int result = first ? 0 : -ENOMEM;
	for (size_t i = 0; i < store->loggers && !result; i++)
		if (!(first[i] = first_to_end(store, &store->logger[i].good))) result = -ENOMEM;
	for (size_t i = 0; i < store->flushes && !result; i++) {
		const struct wt_flush_row *flush = &store->flush[i];
		if (flush->good && flush->has_uid && flush->uid)
			judge(audit, store, flush, first[flush->logger], trace);
	}
	for (size_t i = 0; first && i < store->loggers; i++) free(first[i]);
	free(first);
	return result;
}
