/* SPDX-License-Identifier: MIT */
/* waltrace report: why are my commits slow? */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/html.h"
#include "cli/out_file.h"
#include "cli/page.h"
#include "cli/report.h"
#include "read/limits.h"

enum format { TEXT, JSON, HTML };

struct choice {
	enum format format;
	bool allow_incomplete, help;
	const char *out;
};

static const char help_text[] = "waltrace report FILE... [--format text|json|html] [-o OUT]\n"
				"                       [--allow-incomplete]\n"
				"\n"
				"Why are my commits slow? Says whether the trace can be trusted, where a\n"
				"commit's time goes (every nanosecond of every flush in one part), which\n"
				"commits were slowest and whose fsync they waited for, how group commit, the\n"
				"commit lock and fsync did, and what to change. FILE may be - (standard input)\n"
				"or .zst.\n"
				"\n"
				"  --format text        for people (the default)\n"
				"  --format json        for programs; --json is short for it\n"
				"  --format html        a page with charts, in one file, for any browser\n"
				"  -o, --output OUT     write there, not to standard output; OUT is there as a\n"
				"                       whole or not at all\n"
				"  --allow-incomplete   exit 0 for an incomplete trace\n"
				"  -h, --help           this text\n"
				"\n"
				"Colour appears on a terminal only, and never if NO_COLOR is set.\n"
				"\n"
				"Examples:\n"
				"  waltrace report wal-trace-4242-1796094116173384247.jsonl\n"
				"  waltrace report --json trace.jsonl | jq '.commit.parts_ns'\n"
				"  waltrace report --format html trace.jsonl -o report.html\n"
				"  zstd -dc trace.jsonl.zst | waltrace report - -o report.txt\n"
				"\n"
				"Exit status: 0 good; 1 a trace is incomplete; 2 unreadable, not a trace, or\n"
				"damaged; 3 wrong usage.\n";

static int usage(const char *what, const char *which)
{
	fprintf(stderr, "waltrace: report: %s%s: see waltrace report --help\n", what, which);
	return WT_EXIT_USAGE;
}

static int choose_format(const char *format, struct choice *choice)
{
	static const char *const name[] = {[TEXT] = "text", [JSON] = "json", [HTML] = "html"};
	for (size_t i = 0; i < WT_COUNT(name); i++) {
		if (strcmp(format, name[i])) continue;
		choice->format = (enum format)i;
		return 0;
	}
	return usage("--format must be text, json or html, not ", format);
}

static int read_options(int argc, char **argv, struct choice *choice)
{
	enum { JSON_OPTION = 256, FORMAT, ALLOW };
	static const struct option options[] = {
		{"format", required_argument, NULL, FORMAT},
		{"json", no_argument, NULL, JSON_OPTION},
		{"output", required_argument, NULL, 'o'},
		{"allow-incomplete", no_argument, NULL, ALLOW},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option, result = 0;
	optind = 1;
	opterr = 0;
	while (!result && (option = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
		switch (option) {
		case FORMAT: result = choose_format(optarg, choice); break;
		case JSON_OPTION: choice->format = JSON; break;
		case ALLOW: choice->allow_incomplete = true; break;
		case 'o': choice->out = optarg; break;
		case 'h': choice->help = true; break;
		case ':': result = usage("a value is missing after ", argv[optind - 1]); break;
		default: result = usage("unknown option ", argv[optind - 1]);
		}
	}
	return result;
}

static int render(const struct wt_report *report, const struct choice *choice, FILE *out)
{
	switch (choice->format) {
	case JSON: wt_render_json(report, out); return 0;
	case HTML: return wt_render_html(report, out);
	default: wt_render_text(report, out, wt_wants_colour(out)); return 0;
	}
}

static int write_to_stdout(const struct wt_report *report, const struct choice *choice, struct wt_err *err)
{
	if (render(report, choice, stdout)) return wt_err_set(err, -ENOMEM, "out of memory for a report");
	if (!fflush(stdout) && !ferror(stdout)) return 0;
	return wt_err_set(err, -errno, "standard output: can't write the report: %s", strerror(errno));
}

static int write_to_file(const struct wt_report *report, const struct choice *choice, struct wt_err *err)
{
	struct wt_out_file file;
	int result = wt_out_open(&file, choice->out, err);
	if (result) return result;
	if (!render(report, choice, file.out)) return wt_out_commit(&file, err);
	wt_out_discard(&file);
	return wt_err_set(err, -ENOMEM, "%s: out of memory for a report", choice->out);
}

static bool to_stdout(const struct choice *choice) { return !choice->out || !strcmp(choice->out, "-"); }

static int write_report(const struct wt_report *report, const struct choice *choice)
{
	struct wt_err err = {0};
	int result = to_stdout(choice) ? write_to_stdout(report, choice, &err) : write_to_file(report, choice, &err);
	if (!result) return WT_EXIT_GOOD;
	fprintf(stderr, "waltrace: %s\n", err.text);
	return WT_EXIT_DAMAGED;
}

static int status_of(const struct wt_report *report, const struct choice *choice)
{
	int status = WT_EXIT_GOOD;
	for (size_t i = 0; i < report->traces; i++) {
		const struct wt_report_trace *trace = &report->trace[i];
		if (!trace->verdict.problems) continue;
		fprintf(stderr, "waltrace: %s:%llu: %s: see waltrace verify\n", trace->damage_path,
		        (unsigned long long)trace->damage_line, trace->damage);
		status = WT_EXIT_DAMAGED;
	}
	if (!status && !choice->allow_incomplete && !wt_report_complete(report)) {
		fprintf(stderr, "waltrace: incomplete: --allow-incomplete to accept that\n");
		status = WT_EXIT_INCOMPLETE;
	}
	return status;
}

static int report_files(char **path, size_t n, const struct choice *choice)
{
	struct wt_report report;
	struct wt_err err = {0};
	struct wt_set *set = calloc(n, sizeof *set);
	int status = WT_EXIT_GOOD;
	if (!set || wt_report_init(&report, n, &err)) {
		fprintf(stderr, "waltrace: %s\n", set ? err.text : "out of memory");
		free(set);
		return WT_EXIT_DAMAGED;
	}
	size_t sets = wt_sets_of(path, n, set);
	if (choice->format == HTML) report.chart_points = WT_CHART_POINTS_MAX / sets;
	for (size_t i = 0; i < sets; i++) {
		if (!wt_report_add(&report, &set[i], &err)) continue;
		fprintf(stderr, "waltrace: %s\n", err.text);
		status = WT_EXIT_DAMAGED;
	}
	if (report.traces) {
		int written = write_report(&report, choice), quality = status_of(&report, choice);
		if (written > status) status = written;
		if (quality > status) status = quality;
	}
	wt_report_free(&report);
	free(set);
	return status;
}

int wt_cmd_report(int argc, char **argv)
{
	struct choice choice = {0};
	int result = read_options(argc, argv, &choice);
	if (result) return result;
	if (choice.help) {
		fputs(help_text, stdout);
		return WT_EXIT_GOOD;
	}
	if (optind >= argc) return usage("which trace? ", "Give at least one FILE, or -");
	if (choice.format == HTML && wt_html_missing) return usage(wt_html_missing, "");
	if (choice.format == HTML && to_stdout(&choice) && isatty(STDOUT_FILENO))
		return usage("a page is nothing for a terminal: ", "write it to a file with -o report.html");
	return report_files(&argv[optind], (size_t)(argc - optind), &choice);
}
