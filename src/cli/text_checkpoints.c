/* SPDX-License-Identifier: MIT */
/* The report's section of checkpoints. */
#include <string.h>

#include "cli/text.h"

static void show_steps(const struct wt_page *page, const char *label, const struct wt_steps *steps)
{
	const struct wt_dist *d = &steps->time;
	char failed[64] = "";
	if (!steps->n) return;
	if (steps->failed) snprintf(failed, sizeof failed, ", %s without success", wt_count(steps->failed).text);
	if (d->n)
		wt_page_row(page, label, "%s%s: p50 %s, p99 %s, max %s", wt_count(steps->n).text, failed,
		            wt_ns((double)wt_dist_quantile(d, .5)).text, wt_ns((double)wt_dist_quantile(d, .99)).text,
		            wt_ns((double)d->max).text);
	else wt_page_row(page, label, "%s%s", wt_count(steps->n).text, failed);
}

static void show_triggers(const struct wt_page *page, const struct wt_checkpoints *c)
{
	char text[512] = "";
	for (int w = 1; w < WALTRACE_WORDS; w++) {
		size_t n = strlen(text);
		if (c->triggers[w])
			snprintf(text + n, sizeof text - n, "%s%s %s", n ? ", " : "", wt_word_text[w].text,
			         wt_count(c->triggers[w]).text);
	}
	if (text[0]) wt_page_row(page, "asked for by", "%s", text);
}

void wt_text_checkpoints(const struct wt_page *page, const struct wt_report *report)
{
	const struct wt_tally *t = report->tally;
	const struct wt_checkpoints *c = &t->checkpoints;
	char remark[64];
	snprintf(remark, sizeof remark, "n = %s rotations", wt_count(c->rotations.n).text);
	wt_page_heading(page, "Checkpoints", remark);
	if (!c->rotations.n && !c->splits.n && !c->backups.n && !c->confirms.n && !c->replays.n) {
		wt_page_note(page, "No rotation, backup, confirm or replay was recorded.");
		return;
	}
	show_steps(page, "rotations", &c->rotations);
	show_triggers(page, c);
	if (c->rotations.n || c->splits.n)
		wt_page_row(page, "held up", "%s commits, for %s: %s of all commit time",
		            wt_count(t->blocked_flushes).text, wt_ns((double)t->flush.sum[WT_PART_ROTATION]).text,
		            wt_share((double)t->flush.sum[WT_PART_ROTATION], (double)t->flush.total.sum).text);
	show_steps(page, "file splits", &c->splits);
	show_steps(page, "backups", &c->backups);
	show_steps(page, "confirms", &c->confirms);
	show_steps(page, "replays", &c->replays);
	if (c->replayed_records)
		wt_page_row(page, "replayed", "%s records, %s", wt_count(c->replayed_records).text,
		            wt_bytes((double)c->replayed_bytes).text);
}
