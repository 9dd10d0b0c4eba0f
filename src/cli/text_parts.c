/* SPDX-License-Identifier: MIT */
/* Section 2: where a commit's time goes, and the slowest of them. */
#include <inttypes.h>
#include <string.h>

#include "cli/text.h"

enum { NAME = 15, MEAN = 10, SHARE = 8, BAR = 16, QUANTILE = 9 };

struct quantiles {
	struct wt_parted_quantile at[3]; /* 0.5, 0.99, 0.999 */
};

/* Of the terminal's sixteen: waiting is warm, working is cold. */
static const int colour_of[WT_PARTS] = {
	[WT_PART_ROTATION] = 35, [WT_PART_FSYNC] = 34,         [WT_PART_DELAY] = 33,
	[WT_PART_QUEUE] = 31,    [WT_PART_WOKEN] = 36,         [WT_PART_OTHER_FSYNC] = 91,
	[WT_PART_OWN] = 32,      [WT_PART_UNKNOWN_OWNER] = 90, [WT_PART_UNACCOUNTED] = 90,
};

static void show_part(const struct wt_page *page, const struct wt_tally *t, const struct quantiles *q, int part)
{
	double sum = (double)t->flush.sum[part], all = (double)t->flush.total.sum;
	fputs("  ", page->out);
	wt_page_left(page, wt_part_name[part], NAME);
	wt_page_right(page, wt_ns(sum / (double)t->flush.total.n).text, MEAN);
	wt_page_right(page, wt_share(sum, all).text, SHARE);
	fputs("  ", page->out);
	wt_page_coloured_bar(page, all > 0 ? sum / all : 0, BAR, colour_of[part]);
	for (int i = 0; i < 3; i++) wt_page_right(page, wt_ns((double)q->at[i].part_ns[part]).text, QUANTILE);
	fputc('\n', page->out);
}

static void show_total(const struct wt_page *page, const struct wt_tally *t, const struct quantiles *q)
{
	fputs("  ", page->out);
	wt_page_left(page, "whole commit", NAME);
	wt_page_right(page, wt_ns(wt_dist_mean(&t->flush.total)).text, MEAN);
	wt_page_right(page, "100 %", SHARE);
	fprintf(page->out, "  %*s", BAR, "");
	for (int i = 0; i < 3; i++) wt_page_right(page, wt_ns((double)q->at[i].value_ns).text, QUANTILE);
	fputc('\n', page->out);
}

/* What the parts mean that take a twentieth or more. */
static void explain_parts(const struct wt_page *page, const struct wt_tally *t)
{
	char text[WT_PAGE_TEXT] = "";
	size_t used = 0;
	for (int p = 0; p < WT_PARTS && used < sizeof text; p++) {
		if (t->flush.sum[p] < t->flush.total.sum / 20) continue;
		int n = snprintf(text + used, sizeof text - used, "%s%s: %s", used ? "; " : "", wt_part_name[p],
		                 wt_part_meaning[p]);
		used += n > 0 ? (size_t)n : 0;
	}
	if (used) wt_page_note(page, "%s.", text);
}

static void show_legend(const struct wt_page *page, const struct wt_tally *t, const struct quantiles *q)
{
	wt_page_note(page,
	             "p50, p99 and p99.9 are known to within 1/32; their columns are the mean of the %s, %s and %s "
	             "flushes in that percentile's step. Longest: %s.",
	             wt_count(q->at[0].n).text, wt_count(q->at[1].n).text, wt_count(q->at[2].n).text,
	             wt_ns((double)t->flush.total.max).text);
	explain_parts(page, t);
	uint64_t queue = t->flush.sum[WT_PART_QUEUE];
	if (queue > t->flush.total.sum / 20)
		wt_page_note(page, "%s of the queue's time passed while fsyncs of other batches ran.",
		             wt_share((double)t->queue_behind_others_ns, (double)queue).text);
	if (t->failed_flushes) wt_page_note(page, "%s of these flushes failed.", wt_count(t->failed_flushes).text);
	if (t->untimed_flushes)
		wt_page_note(page, "%s more flushes have no time and are left out.", wt_count(t->untimed_flushes).text);
}

void wt_text_parts(const struct wt_page *page, const struct wt_report *report)
{
	const struct wt_tally *t = report->tally;
	char remark[64];
	snprintf(remark, sizeof remark, "n = %s flushes", wt_count(t->flush.total.n).text);
	wt_page_heading(page, "Where a commit's time goes", remark);
	if (!t->flush.total.n) {
		wt_page_note(page, "There is no flush in this trace.");
		return;
	}
	struct quantiles q = {{wt_parted_quantile(&t->flush, 0.5), wt_parted_quantile(&t->flush, 0.99),
	                       wt_parted_quantile(&t->flush, 0.999)}};
	fprintf(page->out, "  %*s%*s%*s  %*s%*s%*s%*s\n", -NAME, "", MEAN, "mean", SHARE, "share", BAR, "", QUANTILE,
	        "p50", QUANTILE, "p99", QUANTILE, "p99.9");
	for (int p = 0; p < WT_PARTS; p++)
		if (t->flush.sum[p] || p == WT_PART_UNACCOUNTED) show_part(page, t, &q, p);
	show_total(page, t, &q);
	show_legend(page, t, &q);
}

/* The parts that matter, largest first. */
static void list_parts(const struct wt_slow_flush *slow, char *out, size_t room)
{
	bool done[WT_PARTS] = {false};
	size_t used = 0;
	out[0] = 0;
	for (int n = 0; n < 3; n++) {
		int best = -1;
		for (int p = 0; p < WT_PARTS; p++)
			if (!done[p] && slow->split.part_ns[p] &&
			    (best < 0 || slow->split.part_ns[p] > slow->split.part_ns[best]))
				best = p;
		if (best < 0 || slow->split.part_ns[best] * 100 < slow->total_ns) return;
		done[best] = true;
		int written = snprintf(out + used, room - used, "%s%s %s", used ? ", " : "", wt_part_name[best],
		                       wt_ns((double)slow->split.part_ns[best]).text);
		if (written < 0 || (used += (size_t)written) >= room) return;
	}
}

static void list_chain(const struct wt_slow_flush *s, char *out, size_t room)
{
	char others[96] = "";
	if (s->others)
		snprintf(others, sizeof others, "; behind %s earlier fsync%s, last sync_call %" PRIu64,
		         wt_count(s->others).text, s->others > 1 ? "s" : "", s->last_other_id);
	const char *led = s->owner == WT_OWNER_TIMER        ? "timer_run"
	                  : s->owner == WT_OWNER_CHECKPOINT ? "checkpoint_rotation"
	                                                    : "flush";
	switch (s->owner) {
	case WT_OWNER_NONE: snprintf(out, room, "waited for nobody's fsync"); break;
	case WT_OWNER_SELF:
		snprintf(out, room, "led its batch: commit_lock %" PRIu64 ", sync_call %" PRIu64 " (%s)%s", s->lock_id,
		         s->sync_id, wt_ns((double)s->sync_ns).text, others);
		break;
	case WT_OWNER_UNKNOWN: snprintf(out, room, "the batch it waited for is not in the trace%s", others); break;
	default:
		snprintf(out, room,
		         "waited for the fsync of %s %" PRIu64 ": commit_lock %" PRIu64 ", sync_call %" PRIu64
		         " (%s)%s",
		         led, s->owner_id, s->lock_id, s->sync_id, wt_ns((double)s->sync_ns).text, others);
	}
}

void wt_text_slowest(const struct wt_page *page, const struct wt_report *report)
{
	const struct wt_tally *t = report->tally;
	char text[512], label[64];
	if (!t->slows) return;
	snprintf(label, sizeof label, "%" PRIu32 " of %s", t->slows, wt_count(t->flush.total.n).text);
	wt_page_heading(page, "Slowest commits", label);
	for (uint32_t i = 0; i < t->slows; i++) {
		const struct wt_slow_flush *s = &t->slow[i];
		list_parts(s, text, sizeof text);
		snprintf(label, sizeof label, "flush %" PRIu64, s->id);
		wt_page_row(page, label, "%s at %s%s%s: %s", wt_ns((double)s->total_ns).text,
		            wt_ns((double)s->start_ns).text, report->traces > 1 ? " in " : "",
		            report->traces > 1 ? report->trace[s->trace].path : "", text);
		list_chain(s, text, sizeof text);
		wt_page_row(page, "", "%s", text);
	}
}
