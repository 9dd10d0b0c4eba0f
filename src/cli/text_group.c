/* SPDX-License-Identifier: MIT */
/* Sections 3 to 5: group commit, commit lock, fsync. */
#include <inttypes.h>

#include "cli/text.h"
#include "read/summarise.h"

static const char *percentiles(const struct wt_dist *dist, char *out, size_t room)
{
	if (!dist->n) snprintf(out, room, "none");
	else
		snprintf(out, room, "mean %s, p50 %s, p99 %s, p99.9 %s, max %s (n = %s)",
		         wt_ns(wt_dist_mean(dist)).text, wt_ns((double)wt_dist_quantile(dist, 0.5)).text,
		         wt_ns((double)wt_dist_quantile(dist, 0.99)).text,
		         wt_ns((double)wt_dist_quantile(dist, 0.999)).text, wt_ns((double)dist->max).text,
		         wt_count(dist->n).text);
	return out;
}

static void show_owners(const struct wt_page *page, const struct wt_tally *t)
{
	wt_page_row(page, "batches led by", "flushes %s, delay timer %s, checkpoints %s%s%s",
	            wt_count(t->syncs[0]).text, wt_count(t->syncs[1]).text, wt_count(t->syncs[2]).text,
	            t->syncs[3] ? ", others " : "", t->syncs[3] ? wt_count(t->syncs[3]).text : "");
	wt_page_row(page, "flushes that",
	            "led %s, waited for another's fsync %s, for the timer's %s, for a checkpoint's %s, "
	            "for nobody %s, for an unknown owner %s",
	            wt_count(t->owners[WT_OWNER_SELF]).text, wt_count(t->owners[WT_OWNER_FLUSH]).text,
	            wt_count(t->owners[WT_OWNER_TIMER]).text, wt_count(t->owners[WT_OWNER_CHECKPOINT]).text,
	            wt_count(t->owners[WT_OWNER_NONE]).text, wt_count(t->owners[WT_OWNER_UNKNOWN]).text);
	wt_page_row(page, "fast paths",
	            "%s durable on entry, %s when the lock was got; %s started again, %s found nothing to write",
	            wt_count(t->entry_fast_paths).text, wt_count(t->lock_outcomes[WALTRACE_W_FAST_PATH]).text,
	            wt_count(t->lock_outcomes[WALTRACE_W_RETRY_DELAY_OWNER_CHANGED]).text,
	            wt_count(t->lock_outcomes[WALTRACE_W_EMPTY_OWNER]).text);
}

static void show_notify(const struct wt_page *page, const struct wt_tally *t)
{
	if (!t->notify_batches) {
		wt_page_row(page, "waking waiters", "nobody had to be woken");
		return;
	}
	wt_page_row(page, "waking waiters", "%s woken after %s batches: %s a batch, %s a waiter%s%s",
	            wt_count(t->notify_completed).text, wt_count(t->notify_batches).text,
	            wt_ns((double)t->notify_ns / (double)t->notify_batches).text,
	            wt_ns((double)t->notify_ns / (double)t->notify_targets).text, t->notify_failed ? "; gone: " : "",
	            t->notify_failed ? wt_count(t->notify_failed).text : "");
}

void wt_text_group(const struct wt_page *page, const struct wt_report *report)
{
	const struct wt_tally *t = report->tally;
	double syncs = (double)wt_good_syncs(t);
	char text[256], remark[64];
	snprintf(remark, sizeof remark, "n = %s fsyncs", wt_count(wt_good_syncs(t)).text);
	wt_page_heading(page, "Group commit", remark);
	if (syncs > 0) {
		wt_page_row(page, "an fsync covers", "%.2f commits, %s of entries, %s written", wt_flushes_per_fsync(t),
		            wt_bytes((double)t->block_bytes / syncs).text,
		            wt_bytes((double)t->written_bytes / syncs).text);
		if (t->batch_records.n)
			wt_page_row(page, "records a batch",
			            "mean %.1f, p50 %" PRIu64 ", p99 %" PRIu64 ", max %" PRIu64 " (n = %s)",
			            wt_dist_mean(&t->batch_records), wt_dist_quantile(&t->batch_records, 0.5),
			            wt_dist_quantile(&t->batch_records, 0.99), t->batch_records.max,
			            wt_count(t->batch_records.n).text);
	}
	show_owners(page, t);
	if (t->batch_wait.n) wt_page_row(page, "batch wait", "%s", percentiles(&t->batch_wait, text, sizeof text));
	show_notify(page, t);
	if (t->failed_syncs) wt_page_row(page, "failed", "%s fsyncs", wt_count(t->failed_syncs).text);
}

static const char *what_it_did(const struct wt_holder *h, char *out, size_t room)
{
	if (h->rotation_ns) snprintf(out, room, "rotation %s", wt_ns((double)h->rotation_ns).text);
	else if (h->sync_ns) snprintf(out, room, "fsync %s", wt_ns((double)h->sync_ns).text);
	else snprintf(out, room, "no fsync, %s", h->outcome < WALTRACE_WORDS ? wt_word_text[h->outcome].text : "?");
	return out;
}

void wt_text_lock(const struct wt_page *page, const struct wt_report *report)
{
	const struct wt_tally *t = report->tally;
	char text[256], remark[64];
	snprintf(remark, sizeof remark, "n = %s holds", wt_count(t->lock_hold.n).text);
	wt_page_heading(page, "Commit lock", remark);
	if (!t->lock_hold.n) {
		wt_page_note(page, "Nobody took it.");
		return;
	}
	wt_page_row(page, "held", "%s of the time", wt_share((double)t->lock_hold.sum, (double)t->lock_span_ns).text);
	wt_page_row(page, "wait for it", "%s", percentiles(&t->lock_wait, text, sizeof text));
	wt_page_row(page, "hold", "%s", percentiles(&t->lock_hold, text, sizeof text));
	if (t->peak_waiting)
		wt_page_row(page, "peak of waiters", "%s (logger %" PRIu64 ")", wt_count(t->peak_waiting).text,
		            t->peak_logger);
	for (uint32_t i = 0; i < t->holders && i < 5; i++) {
		const struct wt_holder *h = &t->holder[i];
		wt_page_row(page, i ? "" : "longest holds", "%s by commit_lock %" PRIu64 " (%s) at %s: %s",
		            wt_ns((double)h->hold_ns).text, h->id,
		            h->trigger < WALTRACE_WORDS ? wt_word_text[h->trigger].text : "?",
		            wt_ns((double)h->got_ns).text, what_it_did(h, text, sizeof text));
	}
}

static void show_rhythm(const struct wt_page *page, const struct wt_tally *t)
{
	if (!t->outliers) return;
	if (t->rhythm == WT_RHYTHM_FEW)
		wt_page_row(page, "periodic?", "can't be said: %s bursts, %d are needed",
		            wt_count(t->rhythm_bursts).text, WT_BURSTS_MIN);
	else if (t->rhythm == WT_RHYTHM_PERIODIC)
		wt_page_row(page, "periodic?", "yes, every %s (spread %.0f %%, %s bursts)",
		            wt_ns((double)t->period_ns).text, 100 * t->period_spread, wt_count(t->rhythm_bursts).text);
	else
		wt_page_row(page, "periodic?", "no: the gaps between %s bursts differ (spread %.0f %% of a mean of %s)",
		            wt_count(t->rhythm_bursts).text, 100 * t->period_spread, wt_ns((double)t->period_ns).text);
}

void wt_text_fsync(const struct wt_page *page, const struct wt_report *report)
{
	const struct wt_tally *t = report->tally;
	char text[256], remark[64];
	snprintf(remark, sizeof remark, "n = %s sync_calls", wt_count(t->fsync.n).text);
	wt_page_heading(page, "fsync (write + fsync of a batch)", remark);
	if (!t->fsync.n) {
		wt_page_note(page, "There was none.");
		return;
	}
	wt_page_row(page, "time", "%s", percentiles(&t->fsync, text, sizeof text));
	wt_page_row(page, "bandwidth", "%s/s while it runs",
	            wt_bytes((double)t->fsync_bytes * 1e9 / (double)(t->fsync.sum ? t->fsync.sum : 1)).text);
	wt_page_row(page, "outliers", "%s (%s) took longer than %d medians, in %s bursts", wt_count(t->outliers).text,
	            wt_share((double)t->outliers, (double)t->fsync.n).text, WT_OUTLIER_TIMES, wt_count(t->bursts).text);
	for (uint32_t i = 0; i < t->outliers_shown && i < 3; i++)
		wt_page_row(page, "", "%s by sync_call %" PRIu64 " at %s, %s",
		            wt_ns((double)t->outlier[i].total_ns).text, t->outlier[i].id,
		            wt_ns((double)t->outlier[i].start_ns).text,
		            wt_bytes((double)t->outlier[i].written_bytes).text);
	show_rhythm(page, t);
	wt_page_note(page,
	             "Outliers that begin within %d ms of each other are one burst. Bursts count as periodic if the "
	             "gaps between them have a spread (standard deviation / mean) of at most 25 %%.",
	             WT_BURST_GAP_MS);
}
