/* SPDX-License-Identifier: MIT */
/* The end of the demo: the steps side by side, what the recorder cost, where the files are. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/demo.h"
#include "read/units.h"

enum { NAME_COLUMNS = 20, CELL_COLUMNS = 20, TOP_PARTS = 3 };

struct cell {
	char text[80];
};

static void put_row(const struct wt_page *page, const char *name, const struct cell cells[WT_DEMO_STEPS])
{
	wt_page_left(page, name, NAME_COLUMNS);
	for (unsigned i = 0; i < WT_DEMO_STEPS; i++) wt_page_right(page, cells[i].text, CELL_COLUMNS);
	printf("\n");
}

#define ROW(name, ...) \
	do { \
		struct cell cells[WT_DEMO_STEPS]; \
		for (unsigned i = 0; i < WT_DEMO_STEPS; i++) { \
			const struct wt_demo_step *s = &d->step[i]; \
			snprintf(cells[i].text, sizeof cells[i].text, __VA_ARGS__); \
		} \
		put_row(page, name, cells); \
	} while (0)

static enum wt_part nth_part(const struct wt_summary *summary, unsigned n)
{
	unsigned told = 0;
	enum wt_part part = WT_PARTS;
	for (unsigned i = 0; i <= n; i++) {
		part = wt_demo_largest(summary, told);
		told |= 1u << part;
	}
	return part;
}

static void put_top_parts(const struct wt_demo *d)
{
	for (unsigned n = 0; n < TOP_PARTS; n++) {
		struct cell cells[WT_DEMO_STEPS];
		for (unsigned i = 0; i < WT_DEMO_STEPS; i++) {
			const struct wt_summary *m = &d->step[i].summary;
			enum wt_part part = nth_part(m, n);
			snprintf(cells[i].text, sizeof cells[i].text, "%s %s", wt_part_name[part],
			         wt_share(wt_demo_share(m, part), 1).text);
		}
		put_row(&d->page, n ? "" : "where the time goes", cells);
	}
}

void wt_demo_tell_table(const struct wt_demo *d)
{
	const struct wt_page *page = &d->page;
	wt_page_heading(page, "Side by side", d->disk.type);
	struct cell title[WT_DEMO_STEPS];
	snprintf(title[0].text, sizeof title[0].text, "%u, 1 ms timer", d->step[0].committers);
	for (unsigned i = 1; i < WT_DEMO_STEPS; i++)
		snprintf(title[i].text, sizeof title[i].text, "%u, no timer", d->step[i].committers);
	put_row(page, "committers", title);
	ROW("commits/s", "%s", wt_count((uint64_t)(wt_load_rate(&s->result) + .5)).text);
	ROW("flush p50", "%s", wt_ns((double)s->summary.p50_ns).text);
	ROW("flush p99", "%s", wt_ns((double)s->summary.p99_ns).text);
	ROW("commits per fsync", "%.1f", wt_load_per_fsync(&s->result));
	ROW("fsync p50", "%s", wt_ns((double)s->summary.fsync_p50_ns).text);
	put_top_parts(d);
	ROW("unaccounted", "%s", wt_share(wt_demo_share(&s->summary, WT_PART_UNACCOUNTED), 1).text);
	ROW("trace", "%s", s->summary.complete ? "complete" : "INCOMPLETE");
	ROW("commits missing", "%s of %s", wt_count(s->result.check.missing).text,
	    wt_count(s->result.check.acknowledged).text);
}

static double median(const double *values, unsigned n)
{
	double low = values[0], high = values[0], sum = 0;
	for (unsigned i = 0; i < n; i++) {
		if (values[i] < low) low = values[i];
		if (values[i] > high) high = values[i];
		sum += values[i];
	}
	return sum - low - high;
}
_Static_assert(WT_DEMO_ROUNDS == 3, "the median of three is what is neither least nor greatest");

static struct cell committers_of(const struct wt_demo_step *s)
{
	struct cell cell;
	snprintf(cell.text, sizeof cell.text, "%u committer%s", s->committers, s->committers == 1 ? "" : "s");
	return cell;
}

static void put_cost(const struct wt_page *page, const struct wt_demo_step *s)
{
	const struct wt_demo_cost *c = &s->cost;
	struct wt_demo_ratio r = wt_demo_cost_ratio(c);
	char ratio[40];
	snprintf(ratio, sizeof ratio, "%.2f (%.2f … %.2f)", r.median, r.min, r.max);
	wt_page_left(page, committers_of(s).text, 14);
	wt_page_right(page, wt_count((uint64_t)(median(c->recorded, c->rounds) + .5)).text, 11);
	wt_page_right(page, wt_count((uint64_t)(median(c->plain, c->rounds) + .5)).text, 11);
	wt_page_right(page, ratio, 22);
	wt_page_right(page, wt_ns(c->recorded_cpu_us * 1e3).text, 11);
	wt_page_right(page, wt_ns(c->plain_cpu_us * 1e3).text, 11);
	printf("\n");
}

static void explain_cost(const struct wt_page *page, const struct wt_demo_step *s)
{
	const struct wt_demo_cost *c = &s->cost;
	struct wt_demo_ratio r = wt_demo_cost_ratio(c);
	double more_us = c->recorded_cpu_us - c->plain_cpu_us;
	if (!r.clear)
		wt_say(page, 0,
		       "%s: not measurable. Some rounds were faster with the recorder, some slower: the "
		       "machine varies by more than it costs.",
		       committers_of(s).text);
	else if (r.median >= 1)
		wt_say(page, 0,
		       "%s: not measurable. Each round was faster with the recorder, which can't be its "
		       "merit: the machine varies by more than it costs.",
		       committers_of(s).text);
	else
		wt_say(page, 0,
		       "%s: %.1f %% fewer commits/s, and %.1f µs more processor time a commit, on %ld "
		       "processors.",
		       committers_of(s).text, 100 * (1 - r.median), more_us, sysconf(_SC_NPROCESSORS_ONLN));
	if (c->lossy)
		wt_say(page, 0,
		       "In %u of these recorded runs the disk stood still, and the trace lost records (and says so).",
		       c->lossy);
}

void wt_demo_tell_cost(const struct wt_demo *d)
{
	char remark[64];
	snprintf(remark, sizeof remark, "%d rounds of %u s, by turns", WT_DEMO_ROUNDS, (unsigned)d->seconds);
	wt_page_heading(&d->page, "What the recorder cost", remark);
	printf("%-14s%22s%22s%22s\n%14s%11s%11s%22s%11s%11s\n", "", "commits/s", "", "processor a commit", "",
	       "recorded", "without", "ratio", "recorded", "without");
	for (unsigned i = 0; i < WT_DEMO_STEPS; i++)
		if (d->step[i].cost.rounds == WT_DEMO_ROUNDS) put_cost(&d->page, &d->step[i]);
	printf("\n");
	for (unsigned i = 0; i < WT_DEMO_STEPS; i++)
		if (d->step[i].cost.rounds == WT_DEMO_ROUNDS) explain_cost(&d->page, &d->step[i]);
	wt_say(&d->page, 0,
	       "Traces and logs lie on the same disk. Rates are the middle of the rounds, the ratio is that of "
	       "the middle round, with the least and the greatest.");
}

void wt_demo_tell_files(const struct wt_demo *d)
{
	wt_page_heading(&d->page, "Where the files are", wt_bytes((double)wt_directory_bytes(d->directory)).text);
	printf("%s/\n", d->directory);
	for (unsigned i = 0; i < WT_DEMO_STEPS; i++)
		if (d->step[i].ran) printf("   %s.jsonl  and its log, %s-wal/\n", d->step[i].run_id, d->step[i].run_id);
	const char *run = d->step[WT_DEMO_TIMER].run_id;
	printf("\nTry next:\n");
	printf("   waltrace report %s/%s.jsonl\n", d->directory, run);
	printf("   waltrace verify %s/*.jsonl\n", d->directory);
	printf("   waltrace bench --committers 16 --seconds 3\n");
	printf("   rm -r %s\n", d->directory);
}
