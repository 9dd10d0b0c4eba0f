/* SPDX-License-Identifier: MIT */
/* From trace files to a report's numbers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input.h"
#include "cli/report.h"
#include "read/summarise.h"
#include "read/trace.h"

const char *const wt_owner_key[WT_OWNER_UNKNOWN + 1] = {"nobody", "itself", "flush", "timer", "checkpoint", "unknown"};

struct gathering {
	struct wt_tally *tally;
	struct wt_store store;
	struct wt_report_trace *trace;
};

static int take_line(void *context, const struct wt_line *line, struct wt_err *err)
{
	struct gathering *g = context;
	wt_tally_line(g->tally, line);
	if (line->kind == WT_LINE_LOGGER) return wt_store_logger(&g->store, &line->logger, err);
	return line->kind == WT_LINE_RECORD ? wt_store_record(&g->store, &line->record, err) : 0;
}

static void take_problem(void *context, const char *path, uint64_t line, enum wt_check check, const char *text)
{
	struct wt_report_trace *trace = context;
	if (trace->damage[0]) return;
	trace->damage_path = path;
	trace->damage_line = line;
	snprintf(trace->damage, sizeof trace->damage, "%s (%s)", text, wt_check_key[check]);
}

static int read_trace(struct gathering *g, struct wt_err *err)
{
	const struct wt_set_reader reader = {
		.line = take_line, .line_context = g, .problem = take_problem, .problem_context = g->trace};
	return wt_set_read(&reader, &g->trace->set, &g->trace->verdict, err);
}

int wt_report_init(struct wt_report *report, size_t traces, struct wt_err *err)
{
	*report = (struct wt_report){calloc(1, sizeof *report->tally), calloc(traces, sizeof *report->trace), 0, 0};
	if (report->tally && report->trace) return 0;
	wt_report_free(report);
	return wt_err_set(err, -ENOMEM, "out of memory for a report");
}

static int add_trace(struct gathering *g, size_t chart_points, struct wt_err *err)
{
	int result = read_trace(g, err);
	g->store.gaps = !g->trace->verdict.complete || g->trace->verdict.min_ns;
	if (!result) result = wt_store_close(&g->store, err);
	if (!result) result = wt_tally_trace(g->tally, &g->store, err);
	if (!result) wt_signs_verdict(&g->tally->signs, &g->trace->verdict);
	if (!result && wt_over_time(&g->trace->over_time, &g->store))
		result = wt_err_set(err, -ENOMEM, "out of memory for a trace's steps");
	if (!result && wt_charts_of(&g->trace->charts, &g->store, g->tally->traces - 1, chart_points))
		result = wt_err_set(err, -ENOMEM, "out of memory for a trace's charts");
	wt_store_free(&g->store);
	return result;
}

int wt_report_add(struct wt_report *report, const struct wt_set *set, struct wt_err *err)
{
	struct gathering g = {.tally = malloc(sizeof *g.tally), .trace = &report->trace[report->traces]};
	if (!g.tally) return wt_err_set(err, -ENOMEM, "out of memory for a report");
	/* On a copy, so that a file that can't be read to its end leaves nothing behind. */
	memcpy(g.tally, report->tally, sizeof *g.tally);
	*g.trace = (struct wt_report_trace){.set = *set, .path = set->path[0]};
	int result = add_trace(&g, report->chart_points, err);
	if (!result) {
		memcpy(report->tally, g.tally, sizeof *g.tally);
		report->traces++;
	}
	free(g.tally);
	return result;
}

void wt_report_free(struct wt_report *report)
{
	for (size_t i = 0; i < report->traces; i++) wt_charts_free(&report->trace[i].charts);
	free(report->tally);
	free(report->trace);
	*report = (struct wt_report){0};
}

bool wt_report_complete(const struct wt_report *report)
{
	for (size_t i = 0; i < report->traces; i++)
		if (!report->trace[i].verdict.complete) return false;
	return true;
}

bool wt_report_damaged(const struct wt_report *report)
{
	for (size_t i = 0; i < report->traces; i++)
		if (report->trace[i].verdict.problems) return true;
	return false;
}

int wt_summarise_file(const char *path, struct wt_summary *out, struct wt_err *err)
{
	struct wt_report report;
	char *one = (char *)(uintptr_t)path; /* is only read */
	int result = wt_report_init(&report, 1, err);
	if (result) return result;
	result = wt_report_add(&report, &(struct wt_set){&one, 1}, err);
	if (!result && report.trace[0].verdict.problems)
		result = wt_err_set(err, -EBADMSG, "%s:%llu: %s", path, (unsigned long long)report.trace[0].damage_line,
		                    report.trace[0].damage);
	if (!result) wt_summarise(report.tally, &report.trace[0].verdict, out);
	wt_report_free(&report);
	return result;
}
