/* SPDX-License-Identifier: MIT */
/* waltrace verify: can this trace be trusted? */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/input.h"
#include "cli/json.h"
#include "cli/page.h"
#include "cli/set.h"
#include "read/trace.h"
#include "read/units.h"

static const char help_text[] = "waltrace verify FILE... [--format text|json]\n"
				"\n"
				"Can this trace be trusted? Says first whether it is complete, then what is\n"
				"damaged and where, then what was checked. FILE may be - (standard input) or\n"
				"compressed by zstd. The files of a rotated trace are taken as one.\n"
				"\n"
				"  --format text|json   for people (the default) or for programs\n"
				"  --json               the same as --format json\n"
				"  -h, --help           this text\n"
				"\n"
				"Examples:\n"
				"  waltrace verify wal-trace-4242-1796094116173384247.jsonl\n"
				"  waltrace verify --json *.jsonl | jq '.traces[] | select(.complete | not)'\n"
				"  zstd -dc trace.jsonl.zst | waltrace verify -\n"
				"  waltrace verify rotated.jsonl*\n"
				"\n"
				"Exit status: 0 complete; 1 incomplete (records were lost, the process was\n"
				"killed, or the last line is cut off); 2 unreadable, not a trace, or damaged;\n"
				"3 wrong usage; of several files the highest.\n";

struct problem {
	char shown[WT_PROBLEM_TEXT]; /* the file's name without control characters */
	uint64_t line;
	enum wt_check check;
	char text[WT_PROBLEM_TEXT];
};

struct examined {
	struct wt_set set;
	char shown[1024]; /* the first file's name without control characters */
	struct wt_verdict verdict;
	struct wt_err err; /* why it couldn't be read, or is no trace; code 0: neither */
	struct problem problem[WT_PROBLEMS_SHOWN];
	uint64_t problems;
};

static int usage(const char *what, const char *which)
{
	fprintf(stderr, "waltrace: verify: %s%s: see waltrace verify --help\n", what, which);
	return WT_EXIT_USAGE;
}

static void take_problem(void *context, const char *path, uint64_t line, enum wt_check check, const char *text)
{
	struct examined *file = context;
	if (file->problems++ >= WT_PROBLEMS_SHOWN) return;
	struct problem *p = &file->problem[file->problems - 1];
	wt_input_shown(p->shown, sizeof p->shown, path);
	p->line = line;
	p->check = check;
	snprintf(p->text, sizeof p->text, "%s", text);
}

static void examine(struct examined *file)
{
	const struct wt_set_reader reader = {.problem = take_problem, .problem_context = file};
	if (wt_set_read(&reader, &file->set, &file->verdict, &file->err) && !file->err.code) file->err.code = -EIO;
}

static int status_of(const struct examined *file)
{
	if (file->err.code || file->verdict.problems) return WT_EXIT_DAMAGED;
	return file->verdict.complete ? WT_EXIT_GOOD : WT_EXIT_INCOMPLETE;
}

/* ---- Text --------------------------------------------------------------------------------------------------- */

static void print_verdict(const struct wt_page *page, const struct examined *file)
{
	const struct wt_verdict *v = &file->verdict;
	fputs(file->shown, page->out);
	if (v->files > 1) fprintf(page->out, " and %s more", wt_count(v->files - 1).text);
	fputs(": ", page->out);
	if (v->problems) {
		wt_page_ink(page, WT_INK_BAD, "damaged");
		fprintf(page->out, ": %s problem%s", wt_count(v->problems).text, v->problems == 1 ? "" : "s");
	} else if (v->complete) {
		wt_page_ink(page, WT_INK_GOOD, "complete");
		fputs(": nothing is missing, nothing is wrong", page->out);
	} else {
		wt_page_ink(page, WT_INK_WARN, "incomplete");
		fprintf(page->out, ": %s%s%s", v->why, v->mend[0] ? ": " : "", v->mend);
	}
	fputc('\n', page->out);
}

static void print_contents(const struct wt_page *page, const struct wt_verdict *v)
{
	fprintf(page->out, "  %s records of %s logger%s in %s windows, %s\n", wt_count(v->records).text,
	        wt_count(v->loggers).text, v->loggers == 1 ? "" : "s", wt_count(v->windows).text,
	        wt_ns((double)v->end_ns).text);
	fprintf(page->out, "  run \"%s\"%s%s%s, session %s, version %s\n", v->run_id,
	        v->build_id[0] ? ", build \"" : "", v->build_id, v->build_id[0] ? "\"" : "", v->session_id, v->version);
	if (v->unknown_lines || v->unknown_keys)
		fprintf(page->out, "  passed over: %s lines of kinds and %s keys that aren't known\n",
		        wt_count(v->unknown_lines).text, wt_count(v->unknown_keys).text);
	if (v->min_ns)
		fprintf(page->out, "  operations faster than %s aren't in it (min_ns): %s left out\n",
		        wt_ns((double)v->min_ns).text, wt_count(v->filtered).text);
}

static void print_problems(const struct wt_page *page, const struct examined *file)
{
	uint64_t shown = file->problems < WT_PROBLEMS_SHOWN ? file->problems : WT_PROBLEMS_SHOWN;
	for (uint64_t i = 0; i < shown; i++) {
		const struct problem *p = &file->problem[i];
		fprintf(page->out, "waltrace: %s:%" PRIu64 ": %s (%s): %s\n", p->shown, p->line, p->text,
		        wt_check_key[p->check], wt_check_mend[p->check]);
	}
	if (file->problems > shown) fprintf(page->out, "… and %s more\n", wt_count(file->problems - shown).text);
}

static void print_checks(const struct wt_page *page, const struct wt_verdict *v)
{
	fputc('\n', page->out);
	for (int check = 0; check < WT_CHECKS; check++) {
		fputs("  ", page->out);
		wt_page_left(page, wt_check_what[check], 61);
		if (v->failed[check]) {
			wt_page_ink(page, WT_INK_BAD, "wrong");
			fprintf(page->out, " %s of %s", wt_count(v->failed[check]).text,
			        wt_count(v->checked[check]).text);
		} else if (v->checked[check]) {
			wt_page_ink(page, WT_INK_GOOD, "good");
			fprintf(page->out, "  %s", wt_count(v->checked[check]).text);
		} else {
			wt_page_ink(page, WT_INK_DIM, "nothing to check");
		}
		fputc('\n', page->out);
	}
}

static void print_file(const struct wt_page *page, const struct examined *file)
{
	if (file->err.code) {
		fprintf(stderr, "waltrace: %s\n", file->err.text);
		return;
	}
	print_verdict(page, file);
	print_problems(page, file);
	print_contents(page, &file->verdict);
	print_checks(page, &file->verdict);
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static void json_counts(struct wt_json *json, const struct wt_verdict *v)
{
	wt_json_count(json, "lines", v->lines);
	wt_json_count(json, "bytes", v->bytes);
	wt_json_count(json, "records", v->records);
	wt_json_count(json, "loggers", v->loggers);
	wt_json_count(json, "windows", v->windows);
	wt_json_count(json, "end_ns", v->end_ns);
	wt_json_count(json, "unknown_lines", v->unknown_lines);
	wt_json_count(json, "unknown_keys", v->unknown_keys);
	wt_json_count(json, "produced", v->produced);
	wt_json_count(json, "written", v->written);
	wt_json_count(json, "dropped", v->dropped);
	wt_json_count(json, "omitted", v->omitted);
	wt_json_count(json, "outstanding", v->outstanding);
	wt_json_count(json, "filtered", v->filtered);
}

static void json_problems(struct wt_json *json, const struct examined *file)
{
	wt_json_count(json, "problems", file->problems);
	wt_json_open(json, "first_problems", '[');
	for (uint64_t i = 0; i < file->problems && i < WT_PROBLEMS_SHOWN; i++) {
		wt_json_open(json, NULL, '{');
		wt_json_text(json, "file", file->problem[i].shown);
		wt_json_count(json, "line", file->problem[i].line);
		wt_json_text(json, "check", wt_check_key[file->problem[i].check]);
		wt_json_text(json, "text", file->problem[i].text);
		wt_json_close(json, '}');
	}
	wt_json_close(json, ']');
	wt_json_open(json, "checks", '[');
	for (int check = 0; check < WT_CHECKS; check++) {
		wt_json_open(json, NULL, '{');
		wt_json_text(json, "check", wt_check_key[check]);
		wt_json_count(json, "checked", file->verdict.checked[check]);
		wt_json_count(json, "failed", file->verdict.failed[check]);
		wt_json_close(json, '}');
	}
	wt_json_close(json, ']');
}

static void json_file(struct wt_json *json, const struct examined *file)
{
	const struct wt_verdict *v = &file->verdict;
	static const char *const verdict[] = {"complete", "incomplete", "damaged"};
	wt_json_open(json, NULL, '{');
	wt_json_text(json, "file", file->set.path[0]);
	wt_json_count(json, "files", file->set.files);
	wt_json_text(json, "verdict", file->err.code ? "unreadable" : verdict[status_of(file)]);
	wt_json_flag(json, "complete", !file->err.code && v->complete);
	wt_json_text(json, "why", file->err.code ? file->err.text : v->why);
	wt_json_text(json, "mend", file->err.code ? "" : v->mend);
	if (!file->err.code) {
		wt_json_text(json, "session_id", v->session_id);
		wt_json_text(json, "run_id", v->run_id);
		if (v->build_id[0]) wt_json_text(json, "build_id", v->build_id);
		else wt_json_null(json, "build_id");
		wt_json_text(json, "reason", v->reason);
		json_counts(json, v);
		json_problems(json, file);
	}
	wt_json_close(json, '}');
}

/* ---- The command -------------------------------------------------------------------------------------------- */

static int read_options(int argc, char **argv, bool *json, bool *help)
{
	enum { JSON = 256, FORMAT };
	static const struct option options[] = {
		{"format", required_argument, NULL, FORMAT},
		{"json", no_argument, NULL, JSON},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option;
	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case FORMAT:
			if (strcmp(optarg, "json") && strcmp(optarg, "text"))
				return usage("--format must be text or json, not ", optarg);
			*json = !strcmp(optarg, "json");
			break;
		case JSON: *json = true; break;
		case 'h': *help = true; break;
		case ':': return usage("a value is missing after ", argv[optind - 1]);
		default: return usage("unknown option ", argv[optind - 1]);
		}
	}
	return 0;
}

static int verify_files(char **path, int n, bool as_json)
{
	const struct wt_page page = {.out = stdout, .colour = wt_wants_colour(stdout)};
	struct wt_json json = {.out = stdout, .first = true};
	struct examined *file = calloc(1, sizeof *file);
	struct wt_set *set = calloc((size_t)n, sizeof *set);
	int status = WT_EXIT_GOOD;
	if (!file || !set) {
		fputs("waltrace: out of memory\n", stderr);
		free(file);
		free(set);
		return WT_EXIT_DAMAGED;
	}
	size_t sets = wt_sets_of(path, (size_t)n, set);
	if (as_json) wt_json_open(&json, NULL, '{'), wt_json_open(&json, "traces", '[');
	for (size_t i = 0; i < sets; i++) {
		*file = (struct examined){.set = set[i]};
		wt_input_shown(file->shown, sizeof file->shown, set[i].path[0]);
		examine(file);
		if (status_of(file) > status) status = status_of(file);
		if (as_json) json_file(&json, file);
		else print_file(&page, file);
		if (!as_json && i + 1 < sets) putchar('\n');
	}
	if (as_json) wt_json_close(&json, ']'), wt_json_close(&json, '}');
	free(file);
	free(set);
	if (!fflush(stdout) && !ferror(stdout)) return status;
	fprintf(stderr, "waltrace: standard output: can't write the verdict: %s\n", strerror(errno));
	return WT_EXIT_DAMAGED;
}

int wt_cmd_verify(int argc, char **argv)
{
	bool json = false, help = false;
	int result = read_options(argc, argv, &json, &help);
	if (result) return result;
	if (help) {
		fputs(help_text, stdout);
		return WT_EXIT_GOOD;
	}
	if (optind >= argc) return usage("which trace? ", "Give at least one FILE, or -");
	return verify_files(&argv[optind], argc - optind, json);
}
