/* SPDX-License-Identifier: MIT */
/* The comparison for people: the verdict, then what proves it. */
#include <string.h>

#include "cli/diff.h"
#include "cli/page.h"
#include "read/units.h"

enum { NAME = 15, VALUE = 10, CHANGE = 11, INTERVAL = 23, LAST = 11 };

static const struct {
	const char *word;
	enum wt_ink ink;
} verdict_word[] = {
	[WT_DIFF_SAME] = {"SAME", WT_INK_GOOD},     [WT_DIFF_OTHER] = {"OTHERWISE", WT_INK_WARN},
	[WT_DIFF_FASTER] = {"FASTER", WT_INK_GOOD}, [WT_DIFF_SLOWER] = {"SLOWER", WT_INK_BAD},
	[WT_DIFF_MIXED] = {"MIXED", WT_INK_BAD},
};

/* ---- Top ------------------------------------------------------------------------------------------------------ */

static void show_run(const struct wt_page *page, const struct wt_comparison *c, int run)
{
	const struct wt_verdict *v = &c->trace[run].verdict;
	wt_page_row(page, run ? "B" : "A", "%s", c->trace[run].path);
	wt_page_row(page, "", "run %s, build %s: %s flushes, %s sync_calls%s", v->run_id,
	            v->build_id[0] ? v->build_id : "not declared", wt_count(c->diff.flushes[run]).text,
	            wt_count(c->diff.syncs[run]).text, v->complete ? "" : "; INCOMPLETE");
	if (c->diff.failed[run]) wt_page_row(page, "", "%s of the flushes failed", wt_count(c->diff.failed[run]).text);
}

static void show_loss(const struct wt_page *page, const struct wt_comparison *c)
{
	const struct wt_verdict *a = &c->trace[0].verdict, *b = &c->trace[1].verdict;
	if (a->complete && b->complete && a->min_ns == b->min_ns) return;
	wt_page_heading(page, "What that touches", "");
	for (int run = 0; run < 2; run++) {
		const struct wt_verdict *v = &c->trace[run].verdict;
		if (v->complete) continue;
		wt_page_row(page, run ? "B is incomplete" : "A is incomplete", "%s", v->why);
	}
	wt_page_note(page,
	             "Throughput counts only what is there. Times are of the records that are there: if the others "
	             "were lost under load, they are too low, and a difference may be one of loss.");
	if (a->min_ns != b->min_ns)
		wt_page_note(page,
		             "Operations under %s were left out of A, and under %s of B: times can't be compared.",
		             wt_ns((double)a->min_ns).text, wt_ns((double)b->min_ns).text);
}

/* ---- Tables --------------------------------------------------------------------------------------------------- */

static void show_head(const struct wt_page *page, const char *last)
{
	fputs("  ", page->out);
	wt_page_left(page, "", NAME);
	wt_page_right(page, "A", VALUE);
	wt_page_right(page, "B", VALUE);
	wt_page_right(page, "change", CHANGE);
	wt_page_right(page, "95 % interval", INTERVAL);
	wt_page_right(page, last, LAST - 2);
	fputc('\n', page->out);
}

/* Right-aligned, in ink. */
static void show_word(const struct wt_page *page, const char *word, enum wt_ink ink, int columns)
{
	fprintf(page->out, "%*s", columns - (int)strlen(word), "");
	wt_page_ink(page, ink, word);
	fputc('\n', page->out);
}

static void show_interval(const struct wt_page *page, const struct wt_change *change, struct wt_unit low,
                          struct wt_unit high)
{
	char text[2 * WT_UNIT_TEXT + 8] = "";
	if (change->judged) snprintf(text, sizeof text, "%s … %s", low.text, high.text);
	wt_page_right(page, text, INTERVAL);
}

static struct wt_unit value_of(int metric, double value)
{
	struct wt_unit out;
	if (metric != WT_METRIC_THROUGHPUT) return wt_ns(value);
	snprintf(out.text, sizeof out.text, "%.28s/s", wt_count((uint64_t)(value + 0.5)).text);
	return out;
}

static void show_metric(const struct wt_page *page, const struct wt_diff *d, int m)
{
	const struct wt_change *change = &d->metric[m];
	const char *word = !change->judged    ? "too few"
	                   : !change->changed ? "same"
	                   : change->worse    ? "slower"
	                                      : "faster";
	enum wt_ink ink = !change->changed ? WT_INK_DIM : change->worse ? WT_INK_BAD : WT_INK_GOOD;
	fputs("  ", page->out);
	wt_page_left(page, wt_metric_about[m].name, NAME);
	wt_page_right(page, value_of(m, change->a).text, VALUE);
	wt_page_right(page, value_of(m, change->b).text, VALUE);
	wt_page_right(page, wt_signed_share(change->change).text, CHANGE);
	show_interval(page, change, wt_signed_share(change->interval.low), wt_signed_share(change->interval.high));
	show_word(page, word, ink, LAST - 2);
}

static void show_part(const struct wt_page *page, const struct wt_diff *d, int p)
{
	const struct wt_change *change = &d->part[p];
	double mean_ns = d->metric[WT_METRIC_MEAN].a;
	struct wt_unit last = change->changed ? (struct wt_unit){"changed"} : (struct wt_unit){"same"};
	if (d->explained) last = wt_signed_share(d->share[p]);
	fputs("  ", page->out);
	wt_page_left(page, wt_part_name[p], NAME);
	wt_page_right(page, wt_ns(change->a).text, VALUE);
	wt_page_right(page, wt_ns(change->b).text, VALUE);
	wt_page_right(page, wt_signed_ns(change->b - change->a).text, CHANGE);
	show_interval(page, change, wt_signed_ns(change->interval.low * mean_ns),
	              wt_signed_ns(change->interval.high * mean_ns));
	show_word(page, last.text, !change->changed ? WT_INK_DIM : change->worse ? WT_INK_BAD : WT_INK_GOOD, LAST - 2);
}

static void show_tables(const struct wt_page *page, const struct wt_diff *d)
{
	wt_page_heading(page, "Time of a commit, and of an fsync", "from A to B");
	show_head(page, "verdict");
	for (int m = 0; m < WT_METRICS; m++)
		if (d->metric[m].a > 0 || d->metric[m].b > 0) show_metric(page, d, m);
	wt_page_heading(page, "Where the mean commit's time went",
	                d->explained ? "share of the change of the mean" : "");
	show_head(page, d->explained ? "share" : "verdict");
	for (int p = 0; p < WT_PARTS; p++)
		if (d->part[p].judged) show_part(page, d, p);
}

static void show_gates(const struct wt_page *page, const struct wt_comparison *c)
{
	static const enum wt_ink ink[] = {WT_INK_GOOD, WT_INK_BAD, WT_INK_WARN};
	if (!c->gates) return;
	wt_page_heading(page, "Gates", "");
	for (uint32_t i = 0; i < c->gates; i++) {
		const struct wt_gate_result *result = &c->diff.gate[i];
		fputs("  ", page->out);
		wt_page_left(page, c->gate[i].text, WT_PAGE_LABEL);
		wt_page_ink(page, ink[result->state], wt_gate_state_key[result->state]);
		fprintf(page->out, ": %s", wt_signed_share(result->change).text);
		if (result->state == WT_GATE_UNDECIDED)
			fprintf(page->out, ", with too few beyond that percentile (%d of each run)", WT_DIFF_TAIL);
		else fprintf(page->out, ", p = %.4f", result->p);
		fputc('\n', page->out);
	}
}

static void show_method(const struct wt_page *page, const struct wt_diff *d)
{
	fputc('\n', page->out);
	wt_page_note(
		page,
		"Intervals are of each line by itself, from %s resamples of %u and %u slices of %s. A change is one "
		"if it is beyond noise, all lines taken together, and at least %.0f %% (a part: of A's mean commit).",
		wt_count(WT_DIFF_RESAMPLES).text, d->slices[0], d->slices[1], wt_ns(d->slice_ns[0]).text,
		100 * WT_DIFF_FLOOR);
}

void wt_diff_text(const struct wt_comparison *c, FILE *out, bool colour)
{
	struct wt_page page = {out, colour};
	char headline[WT_PROBLEM_TEXT], label[16];
	wt_diff_headline(&c->diff, headline, sizeof headline);
	snprintf(label, sizeof label, "%-12s", verdict_word[c->diff.verdict].word);
	wt_page_ink(&page, verdict_word[c->diff.verdict].ink, label);
	wt_page_wrap(&page, headline, 12, 12);
	fputc('\n', out);
	show_run(&page, c, 0);
	show_run(&page, c, 1);
	show_loss(&page, c);
	show_gates(&page, c);
	show_tables(&page, &c->diff);
	show_method(&page, &c->diff);
}
