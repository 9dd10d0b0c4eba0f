/* SPDX-License-Identifier: MIT */
/* What the page's charts need besides the JSON report. No promise: page.js is its only reader. */
#include <inttypes.h>

#include "cli/html.h"
#include "cli/json.h"
#include "read/limits.h"

static const char *word(uint8_t w) { return w < WALTRACE_WORDS ? wt_word_text[w].text : "other"; }

static void put_parts(struct wt_json *j)
{
	wt_json_open(j, "parts", '[');
	for (int p = 0; p < WT_PARTS; p++) {
		wt_json_open(j, NULL, '{');
		wt_json_text(j, "key", wt_part_key[p]);
		wt_json_text(j, "name", wt_part_name[p]);
		wt_json_text(j, "meaning", wt_part_meaning[p]);
		wt_json_close(j, '}');
	}
	wt_json_close(j, ']');
}

/* Rows of numbers, a line each: there are thousands. */
static void put_row_begin(struct wt_json *j)
{
	fprintf(j->out, "%s\n[", j->first ? "" : ",");
	j->first = false;
}

static void put_histogram(struct wt_json *j, const struct wt_dist *dist)
{
	wt_json_open(j, "commit_histogram", '[');
	for (uint32_t i = 0; i < WT_HIST_BUCKETS; i++) {
		if (!dist->count[i]) continue;
		put_row_begin(j);
		fprintf(j->out, "%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", i, wt_hist_low(i),
		        i + 1 < WT_HIST_BUCKETS ? wt_hist_low(i + 1) : UINT64_MAX, dist->count[i]);
	}
	wt_json_close(j, ']');
}

static void put_fsyncs(struct wt_json *j, const struct wt_charts *c)
{
	wt_json_count(j, "fsyncs", c->all_fsyncs);
	wt_json_count(j, "outliers", c->all_outliers);
	wt_json_open(j, "fsync_points", '[');
	for (size_t i = 0; i < c->fsyncs; i++) {
		const struct wt_chart_fsync *f = &c->fsync[i];
		put_row_begin(j);
		fprintf(j->out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%d]", f->id, f->start_ns, f->total_ns,
		        f->written_bytes, f->outlier);
	}
	wt_json_close(j, ']');
}

static void put_holds(struct wt_json *j, const struct wt_charts *c)
{
	wt_json_count(j, "holds", c->all_holds);
	wt_json_open(j, "lock_lane", '[');
	for (size_t i = 0; i < c->holds; i++) {
		const struct wt_holder *h = &c->hold[i];
		put_row_begin(j);
		fprintf(j->out,
		        "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",\"%s\",\"%s\"]", h->id,
		        h->logger_id, h->got_ns, h->hold_ns, h->sync_ns, h->rotation_ns, word(h->trigger),
		        word(h->outcome));
	}
	wt_json_close(j, ']');
}

void wt_put_charts(const struct wt_report *report, FILE *out)
{
	struct wt_json json = {.out = out};
	wt_json_open(&json, NULL, '{');
	wt_json_count(&json, "points_max", WT_CHART_POINTS_MAX);
	put_parts(&json);
	put_histogram(&json, &report->tally->flush.total);
	wt_json_open(&json, "traces", '[');
	for (size_t i = 0; i < report->traces; i++) {
		wt_json_open(&json, NULL, '{');
		put_fsyncs(&json, &report->trace[i].charts);
		put_holds(&json, &report->trace[i].charts);
		wt_json_close(&json, '}');
	}
	wt_json_close(&json, ']');
	wt_json_close(&json, '}');
}
