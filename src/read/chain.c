/* SPDX-License-Identifier: MIT */
/*
 * Whose batch covered a flush.
 *
 * Its own, if one of its commit_lock rows has a sync_call. Else the first batch of its logger whose
 * batch_max_log_uid is at least its uid, if that one can have covered it:
 *   (1) the sync ended before the flush did,
 *   (2) its commit_lock row is there, and
 *   (3) when its owner got the commit lock, the flush's uid was not durable yet (committed_at_acquire).
 * If one fails, the records of the batch that did cover it are missing, and the flush has an unknown owner.
 * A flush that failed belongs to a batch that failed; if none holds its uid, to the last, which failed the log.
 */
#include "read/chain.h"

#include <stddef.h>

static uint64_t end_of(const struct wt_flush_row *flush) { return wt_end_ns(flush->start_ns, flush->total_ns); }

static uint64_t sync_end(const struct wt_sync_row *sync) { return wt_end_ns(sync->start_ns, sync->total_ns); }

static void own_locks(const struct wt_store *store, struct wt_chain *chain)
{
	const struct wt_index *by_parent = &store->lock_by_parent;
	uint64_t id = chain->flush->id;
	for (size_t i = wt_index_from(by_parent, id); i < by_parent->n && by_parent->at[i].key == id; i++) {
		const struct wt_lock_row *lock = &store->lock[by_parent->at[i].place];
		if (chain->owns == WT_STORE_ROWS_MAX) return;
		if (lock->logger != chain->flush->logger) continue;
		chain->own[chain->owns++] = lock;
		if (lock->outcome == WALTRACE_W_WAITER_REGISTERED) chain->waiter = true;
		if (lock->sync == WT_NOWHERE) continue;
		chain->sync = &store->sync[lock->sync];
		chain->lock = lock;
		chain->owner = WT_OWNER_SELF;
	}
}

static bool can_have_covered(const struct wt_store *store, const struct wt_sync_row *sync,
                             const struct wt_flush_row *flush)
{
	if (sync_end(sync) > end_of(flush)) return false;
	if (sync->lock == WT_NOWHERE) return false;
	const struct wt_lock_row *lock = &store->lock[sync->lock];
	return !lock->has_committed || lock->committed_at_acquire < flush->uid;
}

static void find_covering(const struct wt_store *store, struct wt_chain *chain)
{
	const struct wt_flush_row *flush = chain->flush;
	const struct wt_store_logger *logger = &store->logger[flush->logger];
	const struct wt_index *batches = flush->good ? &logger->good : &logger->failed;
	size_t i = wt_index_from(batches, flush->uid);
	chain->owner = WT_OWNER_UNKNOWN;
	if (i == batches->n && i && !flush->good) i--;
	if (!flush->has_uid || i == batches->n) return;
	const struct wt_sync_row *sync = &store->sync[batches->at[i].place];
	chain->others_until_ns = sync->start_ns;
	if (!can_have_covered(store, sync, flush)) return;
	chain->sync = sync;
	chain->lock = &store->lock[sync->lock];
	chain->owner = sync->trigger == WALTRACE_W_TIMER        ? WT_OWNER_TIMER
	               : sync->trigger == WALTRACE_W_CHECKPOINT ? WT_OWNER_CHECKPOINT
	                                                        : WT_OWNER_FLUSH;
	uint32_t timer = wt_index_find(&store->timer_by_id, chain->lock->parent_id);
	if (timer != WT_NOWHERE) chain->timer = &store->timer[timer];
}

/* Durable on entry, or the log had failed before, or nobody waited for its end. */
static bool needs_nobody(const struct wt_chain *chain)
{
	const struct wt_flush_row *flush = chain->flush;
	if (!flush->good && !flush->failed) return true;
	if (flush->waited || chain->owns) return false;
	return flush->fast || flush->failed;
}

/* A commit of its own must have left rows that aren't there. */
static bool rows_missing(const struct wt_chain *chain)
{
	const struct wt_flush_row *flush = chain->flush;
	if (chain->owner != WT_OWNER_UNKNOWN) return false;
	for (uint32_t i = 0; i < chain->owns; i++)
		if (chain->own[i]->outcome == WALTRACE_W_OWNER_SUCCESS) return true;
	return flush->waited ? flush->wait_outcome == WALTRACE_W_PROMOTED : !chain->owns;
}

void wt_chain_of(const struct wt_store *store, const struct wt_flush_row *flush, struct wt_chain *chain)
{
	*chain = (struct wt_chain){.flush = flush, .owner = WT_OWNER_NONE, .others_until_ns = UINT64_MAX};
	own_locks(store, chain);
	if (chain->owner == WT_OWNER_SELF) chain->others_until_ns = chain->sync->start_ns;
	else if (!needs_nobody(chain)) find_covering(store, chain);
}

static struct wt_span wait_of(const struct wt_flush_row *flush)
{
	struct wt_span wait = {flush->wait_start_ns, wt_end_ns(flush->wait_start_ns, flush->wait_ns)};
	return wait;
}

static struct wt_span between(uint64_t start_ns, uint64_t end_ns)
{
	struct wt_span span = {start_ns, end_ns};
	return span;
}

static void claim_owner(const struct wt_chain *chain, struct wt_span wait, struct wt_claims *claims)
{
	const struct wt_lock_row *lock = chain->lock;
	uint64_t got_ns = wt_lock_got_ns(lock);
	uint64_t before_ns = got_ns < wait.end_ns ? got_ns : wait.end_ns;
	if (!chain->waiter) {
		claims->in_line = between(wait.start_ns, before_ns);
	} else if (chain->timer || chain->owner != WT_OWNER_TIMER) {
		/* Whoever was quicker than the timer ends the delay by asking for the lock. */
		uint64_t ran_ns = chain->timer ? chain->timer->start_ns : lock->start_ns;
		claims->delay = between(wait.start_ns, ran_ns < wait.end_ns ? ran_ns : wait.end_ns);
	}
	if (chain->owner == WT_OWNER_SELF) return;
	struct wt_span asked = between(lock->start_ns, before_ns);
	if (asked.start_ns < wait.start_ns) asked.start_ns = wait.start_ns;
	wt_claim_queue(claims, asked);
	if (!lock->has_notify) return;
	uint64_t notify_ns = lock->notify_start_ns > wait.start_ns ? lock->notify_start_ns : wait.start_ns;
	claims->woken = between(notify_ns, wait.end_ns);
}

static bool chain_is_whole(const struct wt_chain *chain)
{
	if (chain->owner == WT_OWNER_NONE) return true;
	return chain->lock && (chain->owner != WT_OWNER_TIMER || chain->timer);
}

void wt_chain_claims(const struct wt_store *store, const struct wt_chain *chain, struct wt_claims *claims)
{
	const struct wt_flush_row *flush = chain->flush;
	const struct wt_store_logger *logger = &store->logger[flush->logger];
	*claims = (struct wt_claims){
		.flush = between(flush->start_ns, end_of(flush)),
		.others_until_ns = chain->others_until_ns,
		.rotations = &logger->rotations,
		.busy = &logger->busy,
		.owner_unknown = !chain_is_whole(chain),
		.rows_missing = rows_missing(chain),
	};
	for (uint32_t i = 0; i < chain->owns; i++) {
		struct wt_span asked = between(chain->own[i]->start_ns, wt_lock_got_ns(chain->own[i]));
		wt_claim_queue(claims, asked);
		wt_claim_wait(claims, asked);
	}
	if (chain->sync) claims->fsync = between(chain->sync->start_ns, sync_end(chain->sync));
	if (!flush->waited) return;
	struct wt_span wait = wait_of(flush);
	wt_claim_wait(claims, wait);
	if (chain->lock) claim_owner(chain, wait, claims);
}
