/* SPDX-License-Identifier: MIT */
/* The report's section of how it went over time: a line of bars each for throughput and percentiles. */
#include <stddef.h>
#include <string.h>

#include "cli/text.h"

typedef double value_fn(const struct wt_over_time *t, const struct wt_step *step);

static double commits(const struct wt_over_time *t, const struct wt_step *step)
{
	return (double)step->flushes * 1e9 / (double)t->step_ns;
}
static double p50(const struct wt_over_time *t, const struct wt_step *step) { return (void)t, (double)step->p50_ns; }
static double p99(const struct wt_over_time *t, const struct wt_step *step) { return (void)t, (double)step->p99_ns; }
static double fsyncs(const struct wt_over_time *t, const struct wt_step *step)
{
	return (double)step->fsyncs * 1e9 / (double)t->step_ns;
}

/* From 0 to the largest, in eighths; a step without any flush is a dot. */
static double spark(const struct wt_over_time *t, value_fn *value, char *out)
{
	static const char bar[8][4] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	double most = 0;
	for (uint32_t i = 0; i < t->steps; i++)
		if (value(t, &t->step[i]) > most) most = value(t, &t->step[i]);
	*out = 0;
	for (uint32_t i = 0; i < t->steps; i++) {
		double share = most > 0 ? value(t, &t->step[i]) / most : 0;
		int eighth = (int)(share * 8);
		strcat(out, t->step[i].flushes ? bar[eighth > 7 ? 7 : eighth] : "·");
	}
	return most;
}

static void show_line(const struct wt_page *page, const struct wt_over_time *t, const char *label, value_fn *value,
                      bool time)
{
	char bars[WT_STEPS_MAX * 3 + 1];
	double most = spark(t, value, bars);
	wt_page_row(page, label, "%s %s", bars, time ? wt_ns(most).text : wt_count((uint64_t)(most + .5)).text);
}

static void show_trace(const struct wt_page *page, const struct wt_over_time *t)
{
	const struct wt_step *worst = &t->step[0];
	for (uint32_t i = 1; i < t->steps; i++)
		if (t->step[i].p99_ns > worst->p99_ns) worst = &t->step[i];
	show_line(page, t, "commits/s", commits, false);
	show_line(page, t, "p50", p50, true);
	show_line(page, t, "p99", p99, true);
	show_line(page, t, "fsyncs/s", fsyncs, false);
	wt_page_row(page, "worst p99", "%s, %s after the begin: %s commits, longest fsync %s",
	            wt_ns((double)worst->p99_ns).text, wt_ns((double)worst->start_ns).text,
	            wt_count(worst->flushes).text, wt_ns((double)worst->fsync_max_ns).text);
}

void wt_text_over_time(const struct wt_page *page, const struct wt_report *report)
{
	for (size_t i = 0; i < report->traces; i++) {
		const struct wt_over_time *t = &report->trace[i].over_time;
		char title[48] = "Over time", remark[64];
		if (!t->steps) continue;
		if (report->traces > 1) snprintf(title, sizeof title, "Over time, trace %zu", i + 1);
		snprintf(remark, sizeof remark, "a bar is %s", wt_ns((double)t->step_ns).text);
		wt_page_heading(page, title, remark);
		show_trace(page, t);
	}
}
