/* SPDX-License-Identifier: MIT */
/* Runs of the demo: where each puts its files, which are kept, and what the recorder costs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/demo.h"
#include "cli/report.h"
#include "read/units.h"

static void prepare(const struct wt_demo *demo, const struct wt_demo_step *step, bool recorded, const char *name,
                    struct wt_load *load)
{
	*load = (struct wt_load){
		.committers = step->committers,
		.payload_bytes = (unsigned)demo->payload_bytes,
		.seconds = (unsigned)demo->seconds,
		.delay_ms = step->delay_ms,
		.trace_limit_bytes = WT_DEMO_TRACE_BYTES,
		.wal_limit_bytes = WT_DEMO_WAL_BYTES,
	};
	snprintf(load->run_id, sizeof load->run_id, "%s", step->run_id);
	snprintf(load->wal_directory, sizeof load->wal_directory, "%s/%s-wal", demo->directory, name);
	if (!recorded) return;
	snprintf(load->trace_directory, sizeof load->trace_directory, "%s", demo->directory);
	snprintf(load->trace_path, sizeof load->trace_path, "%s/%s.jsonl", demo->directory, name);
}

static int run(struct wt_demo *demo, const struct wt_load *load, struct wt_load_result *result, struct wt_err *err)
{
	char text[WT_PAGE_COLUMNS];
	bool recorded = load->trace_directory[0] != 0;
	demo->runs_done++;
	snprintf(text, sizeof text, "run %u of %u: %u committers, %s, %u s …", demo->runs_done, demo->runs,
	         load->committers, recorded ? "recorded" : "not recorded", load->seconds);
	wt_progress(text);
	int code = wt_load_in_child(load, result);
	wt_progress(NULL);
	if (code) {
		*err = result->err;
		return code;
	}
	if (!wt_load_sound(result)) demo->unsound++;
	return 0;
}

/* The trace lost records, and nothing else is wrong. */
static bool only_lost_records(const struct wt_load_result *r)
{
	return wt_load_sound(r) && !r->trace.complete && r->trace.lost && !strcmp(r->trace.reason, "shutdown");
}

/* A disk that both log and trace are written to may stand still for longer than the queue lasts. */
static int run_until_whole(struct wt_demo *demo, const struct wt_load *load, struct wt_load_result *result,
                           struct wt_err *err)
{
	for (unsigned i = 1;; i++) {
		int code = run(demo, load, result, err);
		if (code || i == WT_DEMO_TRIES || !only_lost_records(result)) return code;
		wt_say(&demo->page, 3,
		       "(The disk stood still for longer than the recorder's queue lasts: %s records lost, counted and "
		       "said in the trace. Once more.)",
		       wt_count(result->trace.lost).text);
		wt_remove_directory(load->wal_directory);
		unlink(load->trace_path);
		demo->runs++;
	}
}

int wt_demo_run_step(struct wt_demo *demo, struct wt_demo_step *step, struct wt_err *err)
{
	struct wt_load load;
	prepare(demo, step, true, step->run_id, &load);
	int code = run_until_whole(demo, &load, &step->result, err);
	if (code) return code;
	wt_progress("reading the trace …");
	code = wt_summarise_file(load.trace_path, &step->summary, err);
	wt_progress(NULL);
	if (code) return code;
	if (!step->result.trace.complete || !step->summary.complete) demo->incomplete++; /* the reader is stricter */
	step->ran = true;
	return 0;
}

static void note_run(struct wt_demo_cost *cost, const struct wt_load_result *result, bool recorded, unsigned round)
{
	double cpu_us = result->commits ? (double)result->cpu_ns / 1e3 / (double)result->commits : 0;
	*(recorded ? &cost->recorded[round] : &cost->plain[round]) = wt_load_rate(result);
	*(recorded ? &cost->recorded_cpu_us : &cost->plain_cpu_us) += cpu_us / WT_DEMO_ROUNDS;
}

static int judge(const struct wt_demo *demo, const struct wt_load_result *r, bool recorded, struct wt_err *err)
{
	if (!wt_load_sound(r))
		return wt_err_set(err, -EBADMSG,
		                  "a run to measure the recorder's cost: %" PRIu64
		                  " acknowledged commits are missing and %" PRIu64
		                  " records are wrong in %s/scratch-wal",
		                  r->check.missing, r->check.wrong, demo->directory);
	if (!recorded || r->trace.complete || only_lost_records(r)) return 0;
	return wt_err_set(err, -EBADMSG,
	                  "a run to measure the recorder's cost: its trace, %s, is incomplete (%s, %" PRIu64
	                  " records lost)",
	                  r->trace.path, r->trace.reason, r->trace.lost);
}

static int run_for_cost(struct wt_demo *demo, struct wt_demo_step *step, bool recorded, unsigned round,
                        struct wt_err *err)
{
	struct wt_load load;
	struct wt_load_result *result = malloc(sizeof *result);
	if (!result) return wt_err_set(err, -ENOMEM, "not enough memory");
	prepare(demo, step, recorded, "scratch", &load);
	int code = run(demo, &load, result, err);
	note_run(&step->cost, result, recorded, round);
	if (!code) code = judge(demo, result, recorded, err);
	if (!code && recorded && !result->trace.complete) step->cost.lossy++;
	free(result);
	if (code) return code;
	wt_remove_directory(load.wal_directory);
	if (recorded) unlink(load.trace_path);
	return 0;
}

/* Recorded, plain; plain, recorded; recorded, plain: what changes slowly on the machine falls on both alike. The first
 * recorded run is the one that was told about. */
int wt_demo_run_cost(struct wt_demo *demo, struct wt_demo_step *step, struct wt_err *err)
{
	note_run(&step->cost, &step->result, true, 0);
	for (unsigned round = 0; round < WT_DEMO_ROUNDS; round++) {
		for (unsigned i = 0; i < 2; i++) {
			bool recorded = i == round % 2;
			if (recorded && round == 0) continue;
			int code = run_for_cost(demo, step, recorded, round, err);
			if (code) return code;
		}
		step->cost.rounds++;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct wt_demo_ratio wt_demo_cost_ratio(const struct wt_demo_cost *cost)
{
	double ratio[WT_DEMO_ROUNDS] = {0};
	struct wt_demo_ratio r = {0};
	if (!cost->rounds) return r;
	for (unsigned i = 0; i < cost->rounds; i++)
		ratio[i] = cost->plain[i] > 0 ? cost->recorded[i] / cost->plain[i] : 0;
	qsort(ratio, cost->rounds, sizeof *ratio, compare);
	r.min = ratio[0];
	r.max = ratio[cost->rounds - 1];
	r.median = ratio[cost->rounds / 2];
	r.clear = cost->rounds > 1 && (r.max < 1 || r.min > 1);
	return r;
}
