/* SPDX-License-Identifier: MIT */
/* Rules about fsyncs: they take most of the time, there is no gap between them, or they can't be real. */
#include "read/rule.h"
#include "read/summarise.h"
#include "read/units.h"

/* More than all other parts together: nothing else that is changed can win as much. */
#define FSYNC_SHARE 0.5
/* At nine tenths a queue is, on average, nine fsyncs long (of random arrivals): what is added waits. */
#define BUSY_SHARE 0.9
/* "Each fine": no more than one in a hundred is an outlier. */
#define OUTLIER_SHARE 0.01
#define FAST_SHARE 0.5
#define FSYNCS_MIN 100 /* fewer may all have come in a burst */

static void say_times(const struct wt_tally *t, struct wt_finding *f)
{
	wt_evidence(f, "fsyncs", (double)t->fsync.n, WT_UNIT_COUNT);
	wt_evidence(f, "fsync_p50", (double)wt_dist_quantile(&t->fsync, 0.5), WT_UNIT_NS);
	wt_evidence(f, "fsync_p99", (double)wt_dist_quantile(&t->fsync, 0.99), WT_UNIT_NS);
}

static double bytes_of(const struct wt_tally *t) { return wt_ratio((double)t->fsync_bytes, (double)t->fsync.n); }

enum wt_judgement wt_rule_fsync_dominates(const struct wt_tally *t, struct wt_finding *f)
{
	double share = wt_part_share(t, WT_PART_FSYNC);
	if (!t->flush.total.n || !t->fsync.n) return WT_NOT_JUDGED;
	if (share < FSYNC_SHARE) return wt_below(t, share, FSYNC_SHARE);
	f->cost_ns = t->flush.sum[WT_PART_FSYNC];
	wt_title(f, "The fsync of its own batch takes %s of a commit.", wt_share(share, 1).text);
	wt_evidence(f, "fsync_share", share, WT_UNIT_SHARE);
	say_times(t, f);
	wt_evidence(f, "bytes_per_fsync", bytes_of(t), WT_UNIT_BYTES);
	wt_evidence(f, "commits_per_fsync", wt_flushes_per_fsync(t), WT_UNIT_COUNT);
	wt_evidence(f, "commits_under_way", wt_concurrency(t), WT_UNIT_COUNT);
	wt_records_of(f, WALTRACE_KIND_SYNC_CALL, &t->signs.longest);
	wt_threshold(f,
	             "%.0f %% of commits' time or more: more than all other parts together, so that nothing else "
	             "that is changed can win as much.",
	             100 * FSYNC_SHARE);
	wt_suggest(f,
	           "The device decides: one with power-loss protection answers a flush from its memory. Leave "
	           "prefill_bytes on, so that an fsync has no file size to write. More commits at once share an fsync "
	           "(commitlog_flush_async needs no thread for each).");
	return WT_FOUND;
}

enum wt_judgement wt_rule_pipeline_busy(const struct wt_tally *t, struct wt_finding *f)
{
	double busy = wt_ratio((double)t->fsync.sum, (double)t->signs.sync_span_ns);
	double outliers = wt_ratio((double)t->outliers, (double)t->fsync.n);
	double seconds = (double)t->signs.sync_span_ns / 1e9;
	if (t->fsync.n < FSYNCS_MIN) return WT_NOT_JUDGED;
	if (busy < BUSY_SHARE || outliers > OUTLIER_SHARE) return WT_SILENT;
	f->cost_ns = t->behind_others_ns;
	wt_title(f, "Fsyncs run %s of the time, each of them fine: there is no gap left for more.",
	         wt_share(busy, 1).text);
	wt_evidence(f, "busy", busy, WT_UNIT_SHARE);
	wt_evidence(f, "fsyncs_per_second", wt_ratio((double)t->fsync.n, seconds), WT_UNIT_RATE);
	say_times(t, f);
	wt_evidence(f, "outliers", outliers, WT_UNIT_SHARE);
	wt_evidence(f, "commits_per_fsync", wt_flushes_per_fsync(t), WT_UNIT_COUNT);
	wt_evidence(f, "bytes_per_fsync", bytes_of(t), WT_UNIT_BYTES);
	wt_records_of(f, WALTRACE_KIND_SYNC_CALL, &t->signs.longest);
	wt_threshold(
		f,
		"An fsync runs at least %.0f %% of the time, and at most %.0f %% of them take longer than %d medians: "
		"of commits that come at random nine would then wait at any time, whatever a single fsync takes.",
		100 * BUSY_SHARE, 100 * OUTLIER_SHARE, WT_OUTLIER_TIMES);
	wt_suggest(
		f,
		"Put more commits behind each fsync (share one log and one flush between threads; see lock-convoy if "
		"an fsync covers one commit), or spread the load over several logs on other devices.");
	return WT_FOUND;
}

enum wt_judgement wt_rule_fsync_too_fast(const struct wt_tally *t, struct wt_finding *f)
{
	double fast = wt_ratio((double)t->signs.fast_syncs, (double)t->fsync.n);
	if (t->fsync.n < FSYNCS_MIN) return WT_NOT_JUDGED;
	if (fast <= FAST_SHARE) return WT_SILENT;
	wt_title(f, "%s of the fsyncs were too fast to be true: half of them took %s or less.", wt_share(fast, 1).text,
	         wt_ns((double)wt_dist_quantile(&t->fsync, 0.5)).text);
	wt_evidence(f, "too_fast", fast, WT_UNIT_SHARE);
	say_times(t, f);
	wt_evidence(f, "bytes_per_fsync", bytes_of(t), WT_UNIT_BYTES);
	wt_evidence(f, "bytes", (double)t->fsync_bytes, WT_UNIT_BYTES);
	wt_records_of(f, WALTRACE_KIND_SYNC_CALL, &t->signs.fastest);
	wt_threshold(
		f,
		"More than half took less than %d µs and a nanosecond for each %d bytes: a write and a flush are two "
		"commands, and no durable device is known to answer both in less.",
		WT_FAST_FSYNC_NS / 1000, WT_FAST_FSYNC_BYTES_A_NS);
	wt_suggest(
		f,
		"Expected on tmpfs, persistent memory, or a device with a volatile write cache whose flushes are off. "
		"Else see where the log lies (findmnt -T), whether a hypervisor ignores flushes (cache=unsafe) or "
		"libeatmydata is loaded: commits there don't survive a power cut.");
	return WT_FOUND;
}
