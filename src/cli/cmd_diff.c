/* SPDX-License-Identifier: MIT */
/* waltrace diff: what changed between two runs, and is it noise? */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/diff.h"
#include "cli/page.h"
#include "read/units.h"

struct choice {
	bool json, allow_incomplete, help;
};

static const char help_text[] = "waltrace diff A B [--gate GATE]... [--format text|json] [--allow-incomplete]\n"
				"\n"
				"What changed from run A to run B, and is it noise? Compares percentiles, mean\n"
				"and throughput of commits, each part of a commit, and fsyncs, with 95 %\n"
				"intervals; says what changed by more than chance and 3 %, and which part of a\n"
				"commit explains it. A and B may be - (one of them) or .zst; the files of a\n"
				"rotated trace are taken as one.\n"
				"\n"
				"  --gate GATE          exit 1 if it is broken beyond noise; may be repeated.\n"
				"                       METRIC<+N% or METRIC>-N%: B's is to be less than N %\n"
				"                       above A's, or no more than N % below it. METRIC: mean,\n"
				"                       p50, p90, p99, p999, throughput, fsync_mean, fsync_p50,\n"
				"                       fsync_p90, fsync_p99, fsync_p999\n"
				"  --format text|json   for people (the default) or for programs\n"
				"  --json               the same as --format json\n"
				"  --allow-incomplete   compare what there is of incomplete traces\n"
				"  -h, --help           this text\n"
				"\n"
				"Colour appears on a terminal only, and never if NO_COLOR is set.\n"
				"\n"
				"Examples:\n"
				"  waltrace diff before.jsonl after.jsonl\n"
				"  waltrace diff main.jsonl branch.jsonl --gate 'p99<+5%' --gate 'throughput>-5%'\n"
				"  waltrace diff --json a.jsonl.zst b.jsonl.zst | jq -r .verdict\n"
				"\n"
				"Exit status: 0 no slower, and every gate held; 1 slower, or a gate is broken;\n"
				"2 a trace is incomplete, too short, unreadable, not a trace, or damaged;\n"
				"3 wrong usage.\n";

static int usage(const char *what, const char *which)
{
	fprintf(stderr, "waltrace: diff: %s%s: see waltrace diff --help\n", what, which);
	return WT_EXIT_USAGE;
}

static int choose_format(const char *format, struct choice *choice)
{
	if (strcmp(format, "json") && strcmp(format, "text"))
		return usage("--format must be text or json, not ", format);
	choice->json = !strcmp(format, "json");
	return 0;
}

static int add_gate(const char *text, struct wt_comparison *c)
{
	struct wt_err err = {0};
	if (c->gates == WT_GATES_MAX) return usage("too many gates, 32 at most, at ", text);
	if (wt_gate_parse(&c->gate[c->gates], text, &err)) {
		fprintf(stderr, "waltrace: diff: %s\n", err.text);
		return WT_EXIT_USAGE;
	}
	c->gates++;
	return 0;
}

static int read_options(int argc, char **argv, struct choice *choice, struct wt_comparison *c)
{
	enum { JSON = 256, FORMAT, ALLOW, GATE };
	static const struct option options[] = {
		{"gate", required_argument, NULL, GATE}, {"format", required_argument, NULL, FORMAT},
		{"json", no_argument, NULL, JSON},       {"allow-incomplete", no_argument, NULL, ALLOW},
		{"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
	};
	int option, result = 0;
	optind = 1;
	opterr = 0;
	while (!result && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case GATE: result = add_gate(optarg, c); break;
		case FORMAT: result = choose_format(optarg, choice); break;
		case JSON: choice->json = true; break;
		case ALLOW: choice->allow_incomplete = true; break;
		case 'h': choice->help = true; break;
		case ':': result = usage("a value is missing after ", argv[optind - 1]); break;
		default: result = usage("unknown option ", argv[optind - 1]);
		}
	}
	return result;
}

/* ---- Reading -------------------------------------------------------------------------------------------------- */

static int take_line(void *context, const struct wt_line *line, struct wt_err *err)
{
	struct wt_store *store = context;
	if (line->kind == WT_LINE_LOGGER) return wt_store_logger(store, &line->logger, err);
	return line->kind == WT_LINE_RECORD ? wt_store_record(store, &line->record, err) : 0;
}

static void take_problem(void *context, const char *path, uint64_t line, enum wt_check check, const char *text)
{
	struct wt_report_trace *trace = context;
	if (trace->damage[0]) return;
	trace->damage_path = path;
	trace->damage_line = line;
	snprintf(trace->damage, sizeof trace->damage, "%s (%s)", text, wt_check_key[check]);
}

static int read_run(struct wt_report_trace *trace, struct wt_store *store, const struct wt_set *set, struct wt_err *err)
{
	const struct wt_set_reader reader = {
		.line = take_line, .line_context = store, .problem = take_problem, .problem_context = trace};
	*trace = (struct wt_report_trace){.set = *set, .path = set->path[0]};
	int result = wt_set_read(&reader, set, &trace->verdict, err);
	if (!result && trace->verdict.problems)
		result = wt_err_set(err, -EBADMSG, "%s:%llu: %s: see waltrace verify", trace->damage_path,
		                    (unsigned long long)trace->damage_line, trace->damage);
	store->gaps = !trace->verdict.complete || trace->verdict.min_ns;
	return result ? result : wt_store_close(store, err);
}

static int acceptable(const struct wt_comparison *c, const struct choice *choice, struct wt_err *err)
{
	if (choice->allow_incomplete) return 0;
	for (int i = 0; i < 2; i++) {
		const struct wt_report_trace *trace = &c->trace[i];
		if (!trace->verdict.complete)
			return wt_err_set(err, -EBADMSG,
			                  "%s: incomplete: %s: --allow-incomplete to compare what there is",
			                  trace->path, trace->verdict.why);
	}
	if (c->trace[0].verdict.min_ns == c->trace[1].verdict.min_ns) return 0;
	return wt_err_set(err, -EBADMSG,
	                  "operations under %s were left out of A and under %s of B (min_ns): record both alike, or "
	                  "--allow-incomplete to compare what there is",
	                  wt_ns((double)c->trace[0].verdict.min_ns).text,
	                  wt_ns((double)c->trace[1].verdict.min_ns).text);
}

/* ---- Comparing ------------------------------------------------------------------------------------------------ */

static int compare(struct wt_comparison *c, struct wt_err *err)
{
	const struct wt_store *const run[2] = {&c->store[0], &c->store[1]};
	const uint64_t window_ns[2] = {c->trace[0].verdict.window_ms * 1000000,
	                               c->trace[1].verdict.window_ms * 1000000};
	struct wt_slices *slices = calloc(1, sizeof *slices);
	if (!slices) return wt_err_set(err, -ENOMEM, "out of memory for a comparison");
	int result = wt_slices_cut(slices, run, window_ns, err);
	if (!result) result = wt_diff(&c->diff, slices, c->gate, c->gates, err);
	wt_slices_free(slices);
	free(slices);
	return result;
}

static int render(const struct wt_comparison *c, const struct choice *choice)
{
	if (choice->json) wt_diff_json(c, stdout);
	else wt_diff_text(c, stdout, wt_wants_colour(stdout));
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "waltrace: standard output: can't write the comparison: %s\n", strerror(errno));
		return WT_EXIT_DAMAGED;
	}
	bool slower = c->diff.verdict == WT_DIFF_SLOWER || c->diff.verdict == WT_DIFF_MIXED;
	return slower || c->diff.gate_broken ? WT_EXIT_INCOMPLETE : WT_EXIT_GOOD;
}

static int compare_sets(struct wt_comparison *c, const struct wt_set set[2], const struct choice *choice)
{
	struct wt_err err = {0};
	int result = read_run(&c->trace[0], &c->store[0], &set[0], &err);
	if (!result) result = read_run(&c->trace[1], &c->store[1], &set[1], &err);
	if (!result) result = acceptable(c, choice, &err);
	if (!result) result = compare(c, &err);
	if (result) fprintf(stderr, "waltrace: %s\n", err.text);
	return result ? WT_EXIT_DAMAGED : render(c, choice);
}

static int compare_files(char **path, size_t n, struct wt_comparison *c, const struct choice *choice)
{
	int standard = 0, status;
	for (size_t i = 0; i < n; i++) standard += !strcmp(path[i], "-");
	if (n < 2) return usage("which traces? ", "Give two: A and B");
	if (standard > 1) return usage("only one trace can be ", "standard input");
	struct wt_set *set = calloc(n, sizeof *set);
	if (!set) {
		fprintf(stderr, "waltrace: out of memory\n");
		return WT_EXIT_DAMAGED;
	}
	size_t sets = wt_sets_of(path, n, set);
	if (sets == 2) status = compare_sets(c, set, choice);
	else status = usage(sets < 2 ? "these are files of one rotated trace" : "these are more than two traces", "");
	free(set);
	return status;
}

int wt_cmd_diff(int argc, char **argv)
{
	struct choice choice = {0};
	struct wt_comparison *c = calloc(1, sizeof *c);
	if (!c) {
		fprintf(stderr, "waltrace: out of memory\n");
		return WT_EXIT_DAMAGED;
	}
	int result = read_options(argc, argv, &choice, c);
	if (!result && choice.help) fputs(help_text, stdout);
	else if (!result) result = compare_files(&argv[optind], (size_t)(argc - optind), c, &choice);
	wt_store_free(&c->store[0]);
	wt_store_free(&c->store[1]);
	free(c);
	return result;
}
