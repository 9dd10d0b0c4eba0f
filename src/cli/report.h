/* SPDX-License-Identifier: MIT */
/* From trace files to a report, and the report as text, JSON or a page. */
#ifndef WT_CLI_REPORT_H
#define WT_CLI_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "cli/set.h"
#include "read/charts.h"
#include "read/over_time.h"
#include "read/summary.h"
#include "read/tally.h"
#include "read/verify.h"

/* Reads a trace ("-": stdin) and fills *out. 0, also for an incomplete trace (see out->complete); negative errno
 * with a message that names file and line if it can't be read or is damaged. Allocates for its own time only. */
int wt_summarise_file(const char *path, struct wt_summary *out, struct wt_err *err);

struct wt_report_trace {
	struct wt_set set;
	const char *path; /* of the first file */
	struct wt_verdict verdict;
	const char *damage_path; /* which file; NULL: not damaged */
	uint64_t damage_line;    /* 0: not damaged, or no line's fault */
	struct wt_over_time over_time;
	struct wt_charts charts;   /* empty unless asked for */
	char damage[WT_ERR_BYTES]; /* the first thing that is wrong, not merely missing; "" if nothing is */
};

struct wt_report {
	struct wt_tally *tally;
	struct wt_report_trace *trace;
	size_t traces;
	size_t chart_points; /* of each trace; 0, the default: no charts */
};

int wt_report_init(struct wt_report *report, size_t traces, struct wt_err *err) WT_MUST_CHECK;
/* Adds one trace; its files' names must outlive the report. A damaged one counts as added; -EBADMSG if it is no trace at
 * all. */
int wt_report_add(struct wt_report *report, const struct wt_set *set, struct wt_err *err) WT_MUST_CHECK;
void wt_report_free(struct wt_report *report);

bool wt_report_complete(const struct wt_report *report);
bool wt_report_damaged(const struct wt_report *report);

/* Whose batch a flush was in, as a word. */
extern const char *const wt_owner_key[WT_OWNER_UNKNOWN + 1];

void wt_render_text(const struct wt_report *report, FILE *out, bool colour);
void wt_render_json(const struct wt_report *report, FILE *out);
/* Needs charts, and a page in this program (wt_html_missing is NULL). 0 or -ENOMEM. */
int wt_render_html(const struct wt_report *report, FILE *out) WT_MUST_CHECK;

#endif
