/* SPDX-License-Identifier: MIT */
/* The demo's three steps, each a run of the load, and what was measured in them. */
#ifndef WT_CLI_DEMO_H
#define WT_CLI_DEMO_H

#include "cli/demo_text.h"
#include "cli/load.h"
#include "cli/load_args.h"
#include "read/summary.h"

enum { WT_DEMO_STEPS = 3, WT_DEMO_ROUNDS = 3, WT_DEMO_TRIES = 3 };
enum wt_demo_step_number { WT_DEMO_TIMER, WT_DEMO_LEADER, WT_DEMO_MANY };

/* Commits a second of one step with the recorder and without, a pair a round. */
struct wt_demo_cost {
	unsigned rounds; /* pairs that both ran; 0: not measured */
	double recorded[WT_DEMO_ROUNDS], plain[WT_DEMO_ROUNDS];
	double recorded_cpu_us, plain_cpu_us; /* processor time a commit, mean of the rounds */
	unsigned lossy;                       /* recorded runs whose trace lost records */
};

struct wt_demo_step {
	char run_id[64], title[64];
	unsigned committers;
	uint64_t delay_ms;
	bool costed;                  /* the recorder's cost is measured here */
	bool ran;                     /* result and summary hold something */
	struct wt_load_result result; /* of the run that is told about */
	struct wt_summary summary;    /* of its trace */
	struct wt_demo_cost cost;
};

struct wt_demo {
	char directory[WT_LOAD_DIRECTORY];
	struct wt_disk disk;
	uint64_t seconds, committers, payload_bytes;
	struct wt_page page;
	unsigned runs_done, runs;
	unsigned incomplete; /* steps whose trace isn't complete */
	unsigned unsound;    /* runs, of all that ran, with commits missing or wrong */
	struct wt_demo_step step[WT_DEMO_STEPS];
};

/* ---- demo_run.c ---- */

/* Runs a step with the recorder, again if a disk that stood still made the trace lose records; keeps its trace and its log, reads the trace. 0, or negative errno with a message. */
int wt_demo_run_step(struct wt_demo *demo, struct wt_demo_step *step, struct wt_err *err);

/* The other runs that the recorder's cost is measured with; nothing of them is kept. 0, or negative errno. */
int wt_demo_run_cost(struct wt_demo *demo, struct wt_demo_step *step, struct wt_err *err);

struct wt_demo_ratio {
	double median, min, max; /* commits/s recorded over commits/s not recorded, by rounds */
	bool clear;              /* all rounds are on the same side of 1 */
};
struct wt_demo_ratio wt_demo_cost_ratio(const struct wt_demo_cost *cost);

/* ---- demo_story.c ---- */

void wt_demo_tell_start(const struct wt_demo *demo);
void wt_demo_tell_before(const struct wt_demo *demo, unsigned number);
void wt_demo_tell_after(const struct wt_demo *demo, unsigned number);

/* ---- demo_table.c ---- */

void wt_demo_tell_table(const struct wt_demo *demo);
void wt_demo_tell_cost(const struct wt_demo *demo);
void wt_demo_tell_files(const struct wt_demo *demo);

/* The step's largest part of a flush that isn't in `but` (bits of enum wt_part). */
enum wt_part wt_demo_largest(const struct wt_summary *summary, unsigned but);
static inline double wt_demo_share(const struct wt_summary *summary, enum wt_part part)
{
	return summary->total_ns ? (double)summary->part_sum_ns[part] / (double)summary->total_ns : 0;
}

#endif
