/* SPDX-License-Identifier: MIT */
/* The report for people: the verdict, the answer, then what proves it. Sections 2 and 3 to 5 have a file each. */
#include <inttypes.h>
#include <string.h>

#include "cli/text.h"
#include "read/summarise.h"

static double covered_of(const struct wt_report *report)
{
	double least = 1;
	for (size_t i = 0; i < report->traces; i++) {
		double covered = wt_covered(&report->trace[i].verdict);
		if (covered < least) least = covered;
	}
	return least;
}

static void show_verdict(const struct wt_page *page, const struct wt_report_trace *trace)
{
	const struct wt_verdict *v = &trace->verdict;
	double covered = wt_covered(v);
	bool damaged = trace->damage[0] != 0;
	char label[64];
	snprintf(label, sizeof label, "%-12s", damaged ? "DAMAGED" : v->complete ? "COMPLETE" : "INCOMPLETE");
	wt_page_ink(page, damaged || !v->complete ? WT_INK_BAD : WT_INK_GOOD, label);
	wt_page_wrap(page, trace->path, 12, 12);
	if (damaged) wt_page_row(page, "damage", "%s", trace->damage);
	if (!v->complete) wt_page_row(page, "missing", "%s", v->why);
	wt_page_row(page, "covers", "%s records over %s: %.*f %% of those made", wt_count(v->records).text,
	            wt_ns((double)v->end_ns).text, covered < 1 ? 2 : 0,
	            100 * (covered < 1 && covered > 0.9999 ? 0.9999 : covered));
	wt_page_row(page, "recorded by", "run %s, build %s, writer %s, pid %" PRIu64, v->run_id,
	            v->build_id[0] ? v->build_id : "not declared", v->version, v->pid);
	if (v->min_ns)
		wt_page_row(page, "filter", "operations under %s were left out on purpose (%s of them)",
		            wt_ns((double)v->min_ns).text, wt_count(v->filtered).text);
	if (v->unknown_lines || v->unknown_keys)
		wt_page_row(page, "passed over", "%s lines and %s keys that this version doesn't know",
		            wt_count(v->unknown_lines).text, wt_count(v->unknown_keys).text);
}

static void show_loss(const struct wt_page *page, const struct wt_report *report)
{
	const struct wt_tally *t = report->tally;
	if (wt_report_complete(report)) return;
	wt_page_heading(page, "What that touches", "");
	if (wt_report_damaged(report))
		wt_page_note(page,
		             "Everything: some lines are wrong, and which of the others are can't be told from here "
		             "(see waltrace verify).");
	if (covered_of(report) < 1)
		wt_page_note(page,
		             "Counts, sums and rates (flushes, fsyncs, bytes, notifications, utilisation) are at least "
		             "so much. Means and percentiles are of the records that are there: if the others were "
		             "lost under load, too low.");
	if (t->flush.sum[WT_PART_UNKNOWN_OWNER])
		wt_page_note(
			page,
			"%s of all commit time waited for batches whose records are missing (unknown owner): whose "
			"fsync that was can't be said.",
			wt_share((double)t->flush.sum[WT_PART_UNKNOWN_OWNER], (double)t->flush.total.sum).text);
	else wt_page_note(page, "Each commit's own batch is there: whose fsync it waited for is known.");
	for (int k = 0; k < WALTRACE_KINDS; k++)
		if (t->lost[k]) wt_page_row(page, wt_kind_name[k].text, "%s records lost", wt_count(t->lost[k]).text);
}

static void show_answer(const struct wt_page *page, const struct wt_report *report)
{
	char headline[WT_SUMMARY_TEXT], text[WT_SUMMARY_TEXT + 64];
	const struct wt_tally *t = report->tally;
	wt_headline(t, headline, sizeof headline);
	fputc('\n', page->out);
	wt_page_ink(page, WT_INK_BOLD, "Where the time goes: ");
	wt_page_wrap(page, headline, 21, 2);
	if (!wt_waits_for_others(t)) return;
	snprintf(text, sizeof text,
	         "%s (%s) of a commit passes while fsyncs of other batches run; an fsync covers %.1f commits.",
	         wt_ns((double)t->behind_others_ns / (double)t->flush.total.n).text,
	         wt_share((double)t->behind_others_ns, (double)t->flush.total.sum).text, wt_flushes_per_fsync(t));
	fputs("  ", page->out);
	wt_page_wrap(page, text, 2, 2);
}

void wt_render_text(const struct wt_report *report, FILE *out, bool colour)
{
	struct wt_page page = {out, colour};
	struct wt_findings findings;
	wt_find(report->tally, &findings);
	for (size_t i = 0; i < report->traces; i++) show_verdict(&page, &report->trace[i]);
	show_answer(&page, report);
	wt_text_first_finding(&page, &findings);
	show_loss(&page, report);
	wt_text_parts(&page, report);
	wt_text_slowest(&page, report);
	wt_text_group(&page, report);
	wt_text_lock(&page, report);
	wt_text_fsync(&page, report);
	wt_text_checkpoints(&page, report);
	wt_text_over_time(&page, report);
	wt_text_durability(&page, report);
	wt_text_findings(&page, report, &findings);
	if (covered_of(report) < 1) wt_page_note(&page, "Numbers above are of an incomplete trace.");
}
