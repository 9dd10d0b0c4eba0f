/* SPDX-License-Identifier: MIT */
/* Rules about how commits share batches: the delay timer, the lock, the size of blocks, waking. */
#include "read/rule.h"
#include "read/summarise.h"
#include "read/units.h"

/* More than all other parts together: nothing else that is changed can win as much. */
#define DELAY_SHARE 0.5
/* Most batches wait for their timer: concurrency is too low to fill a block before. */
#define TIMER_LED_SHARE 0.5
/* Waking is work for each waiter only if there are some: below it is one slow processor's matter. */
#define STORM_WAITERS 8
/* A fifth of the way of a commit that is durable already, with nothing left to do. */
#define STORM_SHARE 0.2
/* Most batches are full before their timer runs. */
#define SIZE_LED_SHARE 0.5
#define BATCHES_MIN 20 /* fewer are an accident */

static double mean_of(const struct wt_tally *t, enum wt_part part)
{
	return wt_ratio((double)t->flush.sum[part], (double)t->flush.total.n);
}

enum wt_judgement wt_rule_delay_dominates(const struct wt_tally *t, struct wt_finding *f)
{
	const struct wt_signs *s = &t->signs;
	double share = wt_part_share(t, WT_PART_DELAY);
	double led = wt_ratio((double)s->timer_batches, (double)(s->timer_batches + s->size_batches));
	if (!t->delayed_flushes) return WT_NOT_JUDGED;
	if (share < DELAY_SHARE) return wt_below(t, share, DELAY_SHARE);
	if (led < TIMER_LED_SHARE) return WT_SILENT;
	f->cost_ns = t->flush.sum[WT_PART_DELAY];
	wt_title(f, "The delay timer takes %s of a commit, and too few commits come to fill a block before it runs.",
	         wt_share(share, 1).text);
	wt_evidence(f, "delay_share", share, WT_UNIT_SHARE);
	wt_evidence(f, "delay_mean", mean_of(t, WT_PART_DELAY), WT_UNIT_NS);
	wt_evidence(f, "fsync_p50", (double)wt_dist_quantile(&t->fsync, 0.5), WT_UNIT_NS);
	wt_evidence(f, "timer_led_batches", led, WT_UNIT_SHARE);
	wt_evidence(f, "commits_per_fsync", wt_flushes_per_fsync(t), WT_UNIT_COUNT);
	wt_evidence(f, "commits_under_way", wt_concurrency(t), WT_UNIT_COUNT);
	wt_evidence(f, "delay_setting", (double)s->delay_ms, WT_UNIT_MS);
	for (uint32_t i = 0; i < t->slows; i++)
		if (t->slow[i].split.part_ns[WT_PART_DELAY] >= t->slow[i].total_ns / 2)
			wt_record_of(f, t->slow[i].trace, WALTRACE_KIND_ROOT_FLUSH, t->slow[i].id);
	wt_threshold(
		f,
		"%.0f %% of commits' time or more, and at least %.0f %% of the batches led by the timer: the delay "
		"is then longer than all else, and no block fills up before it ends.",
		100 * DELAY_SHARE, 100 * TIMER_LED_SHARE);
	wt_suggest(
		f,
		"Set delay_ms to 0 (libcommitlog's default): the first commit leads at once and others gather behind "
		"its fsync. Where a timer must be (pi_store has 1 to 10 ms), take 1.");
	return WT_FOUND;
}

enum wt_judgement wt_rule_lock_convoy(const struct wt_tally *t, struct wt_finding *f)
{
	double share = wt_ratio((double)t->queue_behind_others_ns, (double)t->flush.total.sum);
	if (!t->flush.total.n || !t->lock_hold.n) return WT_NOT_JUDGED;
	if (share < WT_CONVOY_SHARE) return wt_below(t, share, WT_CONVOY_SHARE);
	f->cost_ns = t->queue_behind_others_ns;
	wt_title(f, "Commits spend %s of their time in the queue for the commit lock while others' fsyncs run.",
	         wt_share(share, 1).text);
	wt_evidence(f, "queued_behind_fsyncs", share, WT_UNIT_SHARE);
	wt_evidence(f, "commits_per_fsync", wt_flushes_per_fsync(t), WT_UNIT_COUNT);
	wt_evidence(f, "commits_under_way", wt_concurrency(t), WT_UNIT_COUNT);
	wt_evidence(f, "lock_wait_p50", (double)wt_dist_quantile(&t->lock_wait, 0.5), WT_UNIT_NS);
	wt_evidence(f, "lock_wait_p99", (double)wt_dist_quantile(&t->lock_wait, 0.99), WT_UNIT_NS);
	wt_evidence(f, "lock_hold_p50", (double)wt_dist_quantile(&t->lock_hold, 0.5), WT_UNIT_NS);
	wt_evidence(f, "lock_utilisation", wt_ratio((double)t->lock_hold.sum, (double)t->lock_span_ns), WT_UNIT_SHARE);
	wt_evidence(f, "peak_waiting", (double)t->peak_waiting, WT_UNIT_COUNT);
	for (uint32_t i = 0; i < t->holders && i < WT_SIGNS_KEPT; i++)
		wt_record_of(f, t->holder[i].trace, WALTRACE_KIND_COMMIT_LOCK, t->holder[i].id);
	wt_threshold(f,
	             "A quarter of commits' time or more: fewer fsyncs would then win more than a faster one could in "
	             "the same share.");
	wt_suggest(f, "Let one fsync cover what waits: append first, then flush, and hold no lock of your own across "
	              "flush. In libcommitlog delay_ms 0 joins a batch without touching the commit lock; with a timer, "
	              "raise block_limit_bytes so that fewer flushes lead a batch of their own.");
	return WT_FOUND;
}

enum wt_judgement wt_rule_small_blocks(const struct wt_tally *t, struct wt_finding *f)
{
	const struct wt_signs *s = &t->signs;
	uint64_t batches = s->timer_batches + s->size_batches;
	double led = wt_ratio((double)s->size_batches, (double)batches), share = wt_part_share(t, WT_PART_QUEUE);
	double flushes = (double)(t->flush.total.n - t->failed_flushes);
	if (batches < BATCHES_MIN) return WT_NOT_JUDGED;
	if (led < SIZE_LED_SHARE) return WT_SILENT;
	if (share < WT_CONVOY_SHARE) return wt_below(t, share, WT_CONVOY_SHARE);
	double wanted = 2 * wt_concurrency(t) * wt_ratio((double)t->block_bytes, flushes);
	f->cost_ns = t->flush.sum[WT_PART_QUEUE];
	wt_title(f, "Blocks of %s fill up before their timer runs: %s of the batches are led by a flush that queues.",
	         wt_bytes((double)s->block_limit).text, wt_share(led, 1).text);
	wt_evidence(f, "size_led_batches", led, WT_UNIT_SHARE);
	wt_evidence(f, "queue_share", share, WT_UNIT_SHARE);
	wt_evidence(f, "block_limit", (double)s->block_limit, WT_UNIT_BYTES);
	wt_evidence(f, "block_mean", wt_ratio((double)t->block_bytes, (double)wt_good_syncs(t)), WT_UNIT_BYTES);
	wt_evidence(f, "commit_mean", wt_ratio((double)t->block_bytes, flushes), WT_UNIT_BYTES);
	wt_evidence(f, "commits_under_way", wt_concurrency(t), WT_UNIT_COUNT);
	wt_evidence(f, "commits_per_fsync", wt_flushes_per_fsync(t), WT_UNIT_COUNT);
	wt_records_of(f, WALTRACE_KIND_COMMIT_LOCK, &s->size_owners);
	wt_threshold(
		f,
		"At least %.0f %% of the batches led by a flush that found the block full, and a quarter of commits' "
		"time in the queue for the commit lock: each such flush takes the lock for an fsync of its own.",
		100 * SIZE_LED_SHARE);
	wt_suggest(f,
	           "Raise block_limit_bytes (2 KiB to 32 MiB) to at least %s, twice what the commits under way need; "
	           "or set delay_ms to 0, where the limit doesn't cut batches short.",
	           wt_bytes(wanted).text);
	return WT_FOUND;
}

enum wt_judgement wt_rule_wakeup_storm(const struct wt_tally *t, struct wt_finding *f)
{
	double share = wt_part_share(t, WT_PART_WOKEN);
	double waiters = wt_ratio((double)t->notify_targets, (double)t->notify_batches);
	if (!t->notify_batches) return WT_NOT_JUDGED;
	if (waiters < STORM_WAITERS) return WT_SILENT;
	if (share < STORM_SHARE) return wt_below(t, share, STORM_SHARE);
	f->cost_ns = t->flush.sum[WT_PART_WOKEN];
	wt_title(f, "%s of a commit's time passes after it is durable: %.0f waiters a batch have to be woken.",
	         wt_share(share, 1).text, waiters);
	wt_evidence(f, "woken_share", share, WT_UNIT_SHARE);
	wt_evidence(f, "woken_mean", mean_of(t, WT_PART_WOKEN), WT_UNIT_NS);
	wt_evidence(f, "waiters_per_batch", waiters, WT_UNIT_COUNT);
	wt_evidence(f, "waking_per_batch", wt_ratio((double)t->notify_ns, (double)t->notify_batches), WT_UNIT_NS);
	wt_evidence(f, "waking_per_waiter", wt_ratio((double)t->notify_ns, (double)t->notify_targets), WT_UNIT_NS);
	wt_evidence(f, "batches_with_waiters", (double)t->notify_batches, WT_UNIT_COUNT);
	wt_records_of(f, WALTRACE_KIND_COMMIT_LOCK, &t->signs.notifies);
	wt_threshold(f,
	             "%.0f %% of commits' time or more, with at least %d waiters a batch: below that it isn't their "
	             "number that makes waking slow.",
	             100 * STORM_SHARE, STORM_WAITERS);
	wt_suggest(f,
	           "Block fewer threads: commitlog_flush_async calls back from one thread and wakes nobody else. Else "
	           "commit from fewer threads, or give them more processors.");
	return WT_FOUND;
}
