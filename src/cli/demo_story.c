/* SPDX-License-Identifier: MIT */
/* What the demo says before and after each step. After it, only what was measured: a disk on which the story goes
 * another way gets another text. */
#include <stdio.h>
#include <string.h>

#include "cli/demo.h"
#include "read/signs.h"
#include "read/units.h"

enum { INDENT = 3, BAR_COLUMNS = 34, NAME_COLUMNS = 15 };
#define LEAST_SHARE 0.005 /* parts below it are told together */

void wt_demo_tell_start(const struct wt_demo *d)
{
	const struct wt_page *page = &d->page;
	wt_page_ink(page, WT_INK_BOLD, "waltrace demo: why is a commit slow?\n\n");
	wt_say(page, 0,
	       "A commit counts when its record is on the disk, and a disk takes its time to say so. A write-ahead log "
	       "lets commits share that wait: group commit. Here a real log runs in three ways, each recorded, checked "
	       "and explained.");
	char disk[64] = "";
	if (d->disk.type[0]) snprintf(disk, sizeof disk, " (%s)", d->disk.type);
	printf("\n");
	wt_say(page, 0, "Files: %s%s, up to %s while it runs. Time: about %u s.", d->directory, disk,
	       wt_bytes(2.0 * WT_DEMO_STEPS * (double)(WT_DEMO_TRACE_BYTES + WT_DEMO_WAL_BYTES) / 2).text,
	       (unsigned)(d->runs * d->seconds * 6 / 5));
	if (d->disk.memory)
		wt_say(page, 0,
		       "This is memory, not a disk: an fsync costs next to nothing here, and what follows is about processor "
		       "and locks. --dir takes it to a disk.");
}

static bool has_more(const struct wt_demo *d)
{
	return d->step[WT_DEMO_MANY].committers > d->step[WT_DEMO_LEADER].committers;
}

void wt_demo_tell_before(const struct wt_demo *d, unsigned number)
{
	const struct wt_page *page = &d->page;
	const struct wt_demo_step *s = &d->step[number];
	char title[80];
	snprintf(title, sizeof title, "\n%u  %s\n", number + 1, s->title);
	wt_page_ink(page, WT_INK_BOLD, title);
	if (number == WT_DEMO_TIMER)
		wt_say(page, INDENT,
		       "%u %s records of %u bytes, one after the other. Whoever finds no batch under way starts a timer "
		       "of 1 ms, so that others may join; then one fsync serves all.",
		       s->committers, s->committers == 1 ? "thread commits" : "threads commit",
		       (unsigned)d->payload_bytes);
	else if (number == WT_DEMO_LEADER)
		wt_say(page, INDENT,
		       "The same threads, no timer. The first to commit writes at once; the others gather behind its "
		       "fsync and are the next batch.");
	else if (!has_more(d))
		wt_say(page, INDENT,
		       "The same once more, since --committers asks for no more threads: what differs now is chance.");
	else
		wt_say(page, INDENT,
		       "More threads at the same disk, no timer. Batches should grow by themselves, so that commits/s "
		       "rise and fsyncs/s don't.");
	fflush(stdout);
}

/* ---- What was measured -------------------------------------------------------------------------------------- */

enum wt_part wt_demo_largest(const struct wt_summary *summary, unsigned but)
{
	enum wt_part best = WT_PARTS;
	for (enum wt_part p = 0; p < WT_PARTS; p++) {
		if (but >> p & 1) continue;
		if (best == WT_PARTS || summary->part_sum_ns[p] > summary->part_sum_ns[best]) best = p;
	}
	return best;
}

static void put_part(const struct wt_page *page, const char *name, double mean_ns, double whole_ns)
{
	printf("%*s", INDENT + 2, "");
	wt_page_left(page, name, NAME_COLUMNS);
	wt_page_bar(page, whole_ns > 0 ? mean_ns / whole_ns : 0, BAR_COLUMNS);
	wt_page_right(page, wt_ns(mean_ns).text, 11);
	wt_page_right(page, wt_share(mean_ns, whole_ns).text, 9);
	printf("\n");
}

static void put_parts(const struct wt_page *page, const struct wt_summary *s)
{
	unsigned told = 1u << WT_PART_UNACCOUNTED;
	double rest_ns = 0;
	printf("\n%*sWhere a commit's %s go, on average:\n", INDENT, "", wt_ns(s->mean_ns).text);
	for (unsigned i = 0; i < WT_PARTS - 1; i++) {
		enum wt_part part = wt_demo_largest(s, told);
		told |= 1u << part;
		if (wt_demo_share(s, part) < LEAST_SHARE) rest_ns += s->part_mean_ns[part];
		else put_part(page, wt_part_name[part], s->part_mean_ns[part], s->mean_ns);
	}
	if (rest_ns > 0) put_part(page, "the others", rest_ns, s->mean_ns);
	put_part(page, wt_part_name[WT_PART_UNACCOUNTED], s->part_mean_ns[WT_PART_UNACCOUNTED], s->mean_ns);
	printf("\n");
}

static void put_proof(const struct wt_page *page, const struct wt_demo_step *s)
{
	const struct wt_load_result *r = &s->result;
	char missing[80];
	printf("\n%*strace  ", INDENT, "");
	wt_page_ink(page, s->summary.complete ? WT_INK_GOOD : WT_INK_BAD,
	            s->summary.complete ? "complete" : "INCOMPLETE");
	printf(": %s records, %s\n", wt_count(r->trace.written).text, wt_bytes((double)r->trace.bytes).text);
	if (!s->summary.complete) wt_say(page, INDENT + 7, "%s", s->summary.incomplete);
	snprintf(missing, sizeof missing, "%s of %s", wt_count(r->check.missing).text,
	         wt_count(r->check.acknowledged).text);
	printf("%*sWAL    ", INDENT, "");
	wt_page_ink(page, r->check.missing ? WT_INK_BAD : WT_INK_GOOD, missing);
	printf(" acknowledged commits missing when read back\n");
	if (r->check.wrong) wt_say(page, INDENT + 7, "%s records are wrong", wt_count(r->check.wrong).text);
	if (r->full)
		wt_say(page, INDENT, "(The run ended after %.1f s: its files had reached their limit of %s.)",
		       (double)r->elapsed_ns / 1e9, wt_bytes((double)WT_DEMO_TRACE_BYTES).text);
}

/* ---- What it means ------------------------------------------------------------------------------------------ */

static void explain_timer(const struct wt_page *page, const struct wt_demo_step *s)
{
	const struct wt_summary *m = &s->summary;
	double delay = wt_demo_share(m, WT_PART_DELAY);
	enum wt_part top = wt_demo_largest(m, 0);
	struct wt_unit fsync = wt_ns((double)m->fsync_p50_ns);
	double together = wt_load_per_fsync(&s->result);
	if (delay >= .5)
		wt_say(page, INDENT,
		       "The timer eats the time: an fsync takes %s here, but each commit first waits %s for company. %.1f "
		       "commits share an fsync%s",
		       fsync.text, wt_ns(m->part_mean_ns[WT_PART_DELAY]).text, together,
		       together >= .95 * s->committers ? ", and no more can come: all committers are waiting." : ".");
	else if (delay >= .2)
		wt_say(page, INDENT,
		       "The timer takes %s of a commit. It isn't alone: with %s the most goes to %s (an fsync takes "
		       "%s here).",
		       wt_share(delay, 1).text, wt_share(wt_demo_share(m, top), 1).text, wt_part_name[top], fsync.text);
	else
		wt_say(page, INDENT,
		       "The timer isn't what costs on this disk: it takes %s of a commit, and %s takes %s (an fsync "
		       "takes %s here).",
		       wt_share(delay, 1).text, wt_part_name[top], wt_share(wt_demo_share(m, top), 1).text, fsync.text);
}

static const char *verdict(double ratio)
{
	if (ratio >= 1.15) return "more";
	return ratio > .87 ? "about as many" : "fewer";
}

static void explain_against(const struct wt_page *page, const struct wt_demo_step *s, const struct wt_demo_step *before,
                            const char *change)
{
	double now = wt_load_rate(&s->result), then = wt_load_rate(&before->result);
	double ratio = then > 0 ? now / then : 0;
	double p50 = (double)s->summary.p50_ns, p50_then = (double)before->summary.p50_ns;
	wt_say(page, INDENT, "%s: %s commits/s (%.2f×), p50 %s instead of %s, %.1f commits an fsync instead of %.1f.",
	       change, verdict(ratio), ratio, wt_ns(p50).text, wt_ns(p50_then).text, wt_load_per_fsync(&s->result),
	       wt_load_per_fsync(&before->result));
}

static void explain_rest(const struct wt_page *page, const struct wt_demo_step *s)
{
	const struct wt_summary *m = &s->summary;
	double behind = m->mean_ns > 0 ? m->behind_others_ns / m->mean_ns : 0;
	if (m->fsyncs && m->fsync_p50_ns < WT_FAST_FSYNC_NS)
		wt_say(page, INDENT, "An fsync of %s hasn't waited for a device: this is processor time and locks.",
		       wt_ns((double)m->fsync_p50_ns).text);
	else if (behind >= .25)
		wt_say(page, INDENT,
		       "%s of the time a commit waits for an fsync that isn't its own: who comes during one must let "
		       "it end first. That is what group commit costs, and what it lives from.",
		       wt_share(behind, 1).text);
}

void wt_demo_tell_after(const struct wt_demo *d, unsigned number)
{
	const struct wt_demo_step *s = &d->step[number];
	const struct wt_summary *m = &s->summary;
	const struct wt_page *page = &d->page;
	char rate[64];
	snprintf(rate, sizeof rate, "%s commits/s", wt_count((uint64_t)(wt_load_rate(&s->result) + .5)).text);
	printf("\n%*s", INDENT, "");
	wt_page_ink(page, WT_INK_BOLD, rate);
	printf("   p50 %s   p99 %s   %.1f commits an fsync\n", wt_ns((double)m->p50_ns).text,
	       wt_ns((double)m->p99_ns).text, wt_load_per_fsync(&s->result));
	put_parts(page, m);
	wt_say(page, INDENT, "Report: %s", m->headline);
	if (number == WT_DEMO_TIMER) explain_timer(page, s);
	if (number == WT_DEMO_LEADER) explain_against(page, s, &d->step[WT_DEMO_TIMER], "Without the timer");
	if (number == WT_DEMO_MANY)
		explain_against(page, s, &d->step[WT_DEMO_LEADER], has_more(d) ? "With more committers" : "Once more");
	explain_rest(page, s);
	put_proof(page, s);
	fflush(stdout);
}
