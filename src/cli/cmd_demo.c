/* SPDX-License-Identifier: MIT */
/* waltrace demo: a real load on this disk, recorded, verified and explained in three steps. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cmd.h"
#include "cli/demo.h"
#include "read/units.h"

enum { FEW = 8, MANY = 64, SECONDS = 2, PAYLOAD = 256 };

static void print_help(void)
{
	printf("Usage: waltrace demo [--dir D] [--committers N] [--seconds S] [--payload BYTES]\n"
	       "\n"
	       "Runs a real, durable write-ahead log on this disk with the recorder on, in three\n"
	       "ways: %d committers with a 1 ms delay timer, the same without it, then many.\n"
	       "Each trace is verified and explained, and each log is read back: every\n"
	       "acknowledged commit must be there. Then the recorder's own cost is measured.\n"
	       "\n"
	       "  --dir D          where to put traces and logs: a new or empty directory, on\n"
	       "                   the disk to be measured (./waltrace-demo-DATE-TIME)\n"
	       "  --committers N   committers of the third step, 1 to %d (%d); the first two\n"
	       "                   steps have %d, or N if that is less\n"
	       "  --seconds S      length of each of the 13 runs, 1 to %d (%d)\n"
	       "  --payload BYTES  size of a record, %d to %d (%d)\n"
	       "  --help           this text\n"
	       "\n"
	       "The files are kept; a run ends early when its trace or log reaches %llu MiB.\n"
	       "\n"
	       "Examples:\n"
	       "  waltrace demo\n"
	       "  waltrace demo --seconds 1 --dir /mnt/disk/demo\n"
	       "  waltrace demo --committers 256 --payload 4096\n"
	       "\n"
	       "Exit status: 0 every trace complete and no commit missing; 1 otherwise; 3 wrong\n"
	       "usage.\n",
	       FEW, WT_LOAD_COMMITTERS_MAX, MANY, FEW, WT_DEMO_SECONDS_MAX, SECONDS, WT_LOAD_PAYLOAD_MIN,
	       WT_LOAD_PAYLOAD_MAX, PAYLOAD, WT_DEMO_TRACE_BYTES >> 20);
}

static void plan_step(struct wt_demo *d, unsigned number, const char *name, unsigned committers, uint64_t delay_ms)
{
	struct wt_demo_step *s = &d->step[number];
	s->committers = committers;
	s->delay_ms = delay_ms;
	s->costed = number != WT_DEMO_TIMER;
	snprintf(s->run_id, sizeof s->run_id, "demo-%s-%u", name, committers);
	snprintf(s->title, sizeof s->title, "%u committer%s, %s", committers, committers == 1 ? "" : "s",
	         delay_ms ? "1 ms delay timer" : "no timer");
	d->runs += s->costed ? 2 * WT_DEMO_ROUNDS : 1;
}

static int plan(struct wt_demo *d, const char *directory, struct wt_err *err)
{
	unsigned many = (unsigned)d->committers, few = many < FEW ? many : FEW;
	if (directory) snprintf(d->directory, sizeof d->directory, "%s", directory);
	else {
		time_t now = time(NULL);
		struct tm local;
		localtime_r(&now, &local);
		strftime(d->directory, sizeof d->directory, "waltrace-demo-%Y%m%d-%H%M%S", &local);
	}
	plan_step(d, WT_DEMO_TIMER, "timer", few, 1);
	plan_step(d, WT_DEMO_LEADER, "leader", few, 0);
	plan_step(d, WT_DEMO_MANY, "many", many, 0);
	d->page = wt_stdout_page();
	int code = wt_take_directory(d->directory, err);
	return code ? code : wt_look_at_disk(d->directory, &d->disk, err);
}

static int run_steps(struct wt_demo *d, struct wt_err *err)
{
	wt_demo_tell_start(d);
	for (unsigned i = 0; i < WT_DEMO_STEPS; i++) {
		wt_demo_tell_before(d, i);
		int code = wt_demo_run_step(d, &d->step[i], err);
		if (code) return code;
		wt_demo_tell_after(d, i);
	}
	for (unsigned i = 0; i < WT_DEMO_STEPS; i++) {
		int code = d->step[i].costed ? wt_demo_run_cost(d, &d->step[i], err) : 0;
		if (code) return code;
	}
	wt_demo_tell_table(d);
	wt_demo_tell_cost(d);
	wt_demo_tell_files(d);
	return 0;
}

static int conclude(const struct wt_demo *d, int code, const struct wt_err *err)
{
	fflush(stdout);
	if (code) {
		fprintf(stderr, "waltrace: demo: %s\n", err->text);
		if (d->runs_done) fprintf(stderr, "What was written so far is in %s\n", d->directory);
		return WT_EXIT_INCOMPLETE;
	}
	if (!d->incomplete && !d->unsound) return WT_EXIT_GOOD;
	if (d->unsound)
		fprintf(stderr,
		        "waltrace: demo: %u of %u runs lost or damaged commits: keep %s and its *-wal directories\n",
		        d->unsound, d->runs, d->directory);
	if (d->incomplete)
		fprintf(stderr, "waltrace: demo: %u traces are incomplete: see `waltrace verify %s/*.jsonl`\n",
		        d->incomplete, d->directory);
	return WT_EXIT_INCOMPLETE;
}

int wt_cmd_demo(int argc, char **argv)
{
	static struct wt_demo demo; /* large */
	demo = (struct wt_demo){.seconds = SECONDS, .committers = MANY, .payload_bytes = PAYLOAD};
	const char *directory = NULL;
	const struct wt_option options[] = {
		{.name = "dir", .text = &directory},
		{.name = "committers", .value = &demo.committers, .min = 1, .max = WT_LOAD_COMMITTERS_MAX},
		{.name = "seconds", .value = &demo.seconds, .min = 1, .max = WT_DEMO_SECONDS_MAX},
		{.name = "payload",
	         .value = &demo.payload_bytes,
	         .min = WT_LOAD_PAYLOAD_MIN,
	         .max = WT_LOAD_PAYLOAD_MAX,
	         .unit = " bytes"},
	};
	enum wt_parsed parsed = wt_parse_options(argc, argv, options, WT_COUNT(options));
	if (parsed == WT_PARSED_WRONG) return WT_EXIT_USAGE;
	if (parsed == WT_PARSED_HELP) {
		print_help();
		return WT_EXIT_GOOD;
	}
	struct wt_err err = {0};
	int code = plan(&demo, directory, &err);
	if (!code) {
		wt_load_catch_signals();
		code = run_steps(&demo, &err);
	}
	int status = conclude(&demo, code, &err);
	wt_load_obey_signal();
	return status;
}
