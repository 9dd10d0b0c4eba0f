/* SPDX-License-Identifier: MIT */
/* The report's durability audit. */
#include <inttypes.h>

#include "cli/text.h"

enum { SHOWN = 5 };

static void show_unproven(const struct wt_page *page, const struct wt_unproven *u)
{
	char covered[96];
	if (u->sync_id)
		snprintf(covered, sizeof covered, "sync_call %" PRIu64 ", the first that covered it, ended %s later",
		         u->sync_id, wt_ns((double)(u->sync_ended_ns - u->ended_ns)).text);
	else snprintf(covered, sizeof covered, "no successful sync_call covered it");
	wt_page_row(page, "", "flush %" PRIu64 " (logger %" PRIu64 ", uid %" PRIu64 ") returned at %s: %s", u->id,
	            u->logger_id, u->uid, wt_ns((double)u->ended_ns).text, covered);
}

void wt_text_durability(const struct wt_page *page, const struct wt_report *report)
{
	const struct wt_durability *d = &report->tally->durability;
	char remark[64];
	snprintf(remark, sizeof remark, "n = %s acknowledgements", wt_count(d->acknowledged).text);
	wt_page_heading(page, "Durability audit", remark);
	if (!d->acknowledged) {
		wt_page_note(page, "No flush with a uid succeeded: nothing was acknowledged.");
		return;
	}
	wt_page_row(page, d->unproven ? "UNPROVEN" : "unproven", "%s of %s acknowledgements",
	            wt_count(d->unproven).text, wt_count(d->acknowledged).text);
	for (uint32_t i = 0; i < d->kept && i < SHOWN; i++) show_unproven(page, &d->first[i]);
	if (d->unproven > SHOWN)
		wt_page_row(page, "", "… and %s more (--json has the first %d)", wt_count(d->unproven - SHOWN).text,
		            WT_UNPROVEN_KEPT);
	wt_page_row(page, "proven", "%s: a successful sync_call that covered the uid had ended before",
	            wt_count(d->proven).text);
	if (d->unknown)
		wt_page_row(page, "unknown",
		            "%s: their fsync isn't in the trace, which may lack records or begin after it",
		            wt_count(d->unknown).text);
}
