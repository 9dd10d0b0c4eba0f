/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "read/tally.h"

/* How many fsyncs of earlier batches ran while the flush was there, and the last of them. */
static void find_others(const struct wt_store *store, const struct wt_chain *chain, struct wt_slow_flush *slow)
{
	const struct wt_flush_row *flush = chain->flush;
	const struct wt_index *by_start = &store->logger[flush->logger].by_start;
	uint64_t end_ns = wt_end_ns(flush->start_ns, flush->total_ns);
	if (end_ns > chain->others_until_ns) end_ns = chain->others_until_ns;
	size_t first = wt_index_from(by_start, flush->start_ns), last = wt_index_from(by_start, end_ns);
	/* Syncs of one logger follow each other: only the one before may still run. */
	if (first) {
		const struct wt_sync_row *before = &store->sync[by_start->at[first - 1].place];
		if (wt_end_ns(before->start_ns, before->total_ns) > flush->start_ns) first--;
	}
	slow->others = last > first ? last - first : 0;
	slow->last_other_id = slow->others ? store->sync[by_start->at[last - 1].place].id : 0;
}

static struct wt_slow_flush describe(const struct wt_store *store, const struct wt_chain *chain,
                                     const struct wt_split *split, uint32_t trace)
{
	const struct wt_flush_row *flush = chain->flush;
	struct wt_slow_flush slow = {
		.trace = trace,
		.id = flush->id,
		.logger_id = store->logger[flush->logger].id,
		.uid = flush->uid,
		.start_ns = flush->start_ns,
		.total_ns = flush->total_ns,
		.split = *split,
		.owner = chain->owner,
		.owner_id = chain->lock ? chain->lock->parent_id : 0,
		.lock_id = chain->lock ? chain->lock->id : 0,
		.sync_id = chain->sync ? chain->sync->id : 0,
		.sync_ns = chain->sync ? chain->sync->total_ns : 0,
		.own_lock_id = chain->owns ? chain->own[0]->id : 0,
	};
	find_others(store, chain, &slow);
	return slow;
}

/* Where a flush of this length belongs among the slowest; WT_SLOWEST: nowhere. */
static uint32_t rank_of(const struct wt_tally *tally, uint64_t total_ns)
{
	uint32_t rank = tally->slows;
	while (rank && tally->slow[rank - 1].total_ns < total_ns) rank--;
	return rank;
}

static void keep_slow(struct wt_tally *tally, uint32_t rank, const struct wt_slow_flush *slow)
{
	if (tally->slows < WT_SLOWEST) tally->slows++;
	memmove(&tally->slow[rank + 1], &tally->slow[rank], (tally->slows - rank - 1) * sizeof *slow);
	tally->slow[rank] = *slow;
}

static void add_flush(struct wt_tally *tally, const struct wt_store *store, const struct wt_flush_row *flush)
{
	struct wt_chain chain;
	struct wt_claims claims;
	struct wt_split split;
	wt_chain_of(store, flush, &chain);
	wt_chain_claims(store, &chain, &claims);
	wt_attribute(&claims, &split);
	wt_parted_add(&tally->flush, flush->total_ns, &split);
	tally->owners[chain.owner]++;
	tally->failed_flushes += !flush->good;
	tally->entry_fast_paths += flush->fast;
	tally->blocked_flushes += split.part_ns[WT_PART_ROTATION] != 0;
	tally->behind_others_ns += split.behind_others_ns;
	tally->queue_behind_others_ns += split.behind_others_ns - split.part_ns[WT_PART_OTHER_FSYNC];
	if (store->logger[flush->logger].delay_ms) tally->delayed_flushes++;
	if (flush->waited) wt_dist_add(&tally->batch_wait, flush->wait_ns);
	uint32_t rank = rank_of(tally, flush->total_ns);
	if (rank == WT_SLOWEST) return;
	struct wt_slow_flush slow = describe(store, &chain, &split, tally->traces);
	keep_slow(tally, rank, &slow);
}

void wt_tally_flushes(struct wt_tally *tally, const struct wt_store *store)
{
	uint64_t first_ns = UINT64_MAX, last_ns = 0;
	for (size_t i = 0; i < store->flushes; i++) {
		const struct wt_flush_row *flush = &store->flush[i];
		uint64_t end_ns = wt_end_ns(flush->start_ns, flush->total_ns);
		if (flush->start_ns < first_ns) first_ns = flush->start_ns;
		if (end_ns > last_ns) last_ns = end_ns;
		add_flush(tally, store, flush);
	}
	if (store->flushes) tally->duration_ns += last_ns - first_ns;
	tally->untimed_flushes += store->untimed;
}
