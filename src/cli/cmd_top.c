/* SPDX-License-Identifier: MIT */
/* waltrace top: who holds the commit lock now, and since when? */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/top.h"

#define INTERVAL_MIN_S 0.1
#define INTERVAL_MAX_S 3600.0
#define INTERVAL_S 1.0

struct choice {
	bool once, json, allow_incomplete, help;
	double interval_s; /* 0: not given */
	const char *target;
};

static const char help_text[] = "waltrace top [PID|SEGMENT] [--once] [--format text|json] [--interval SECONDS]\n"
				"\n"
				"Looks live at a process that is being recorded, also if it is stopped or hangs:\n"
				"who holds the commit lock, in which stage, for how long, and how many wait;\n"
				"rates and percentiles; what was lost; which operations are in flight. It only\n"
				"reads shared memory: the process is neither stopped nor slowed down.\n"
				"\n"
				"  PID|SEGMENT          a process, a segment (/waltrace-<pid>-<time>), or the path of\n"
				"                       one or of its trace; not needed if only one is live\n"
				"  --once               one snapshot, then exit; the default without a terminal.\n"
				"                       With --interval, rates and percentiles of that interval too\n"
				"  --interval SECONDS   between two looks: 0.1 to 3600 (the default is 1)\n"
				"  --format text|json   for people (the default) or for programs (one snapshot)\n"
				"  --json               the same as --format json\n"
				"  --allow-incomplete   exit 0 though something was lost\n"
				"  -h, --help           this text\n"
				"\n"
				"Keys: q quit, p pause, s sort, up and down choose a logger, h help.\n"
				"Colour appears on a terminal only, and never if NO_COLOR is set.\n"
				"\n"
				"Examples:\n"
				"  waltrace top\n"
				"  waltrace top 4242\n"
				"  waltrace top --once --interval 5 /waltrace-4242-1796094116173384247\n"
				"  waltrace top --json 4242 | jq '.loggers[] | {logger_id, owner, waiters}'\n"
				"\n"
				"Exit status: 0 good; 1 incomplete: records were lost; 2 not there, dead, another\n"
				"user's, of another version, or damaged; 3 wrong usage, or several to choose from.\n";

static int usage(const char *what, const char *which)
{
	fprintf(stderr, "waltrace: top: %s%s: see waltrace top --help\n", what, which);
	return WT_EXIT_USAGE;
}

static int read_interval(const char *text, double *seconds)
{
	char *end;
	*seconds = strtod(text, &end);
	if (end == text || *end || !isfinite(*seconds) || *seconds < INTERVAL_MIN_S || *seconds > INTERVAL_MAX_S)
		return usage("--interval must be 0.1 to 3600 seconds, not ", text);
	return 0;
}

static int read_options(int argc, char **argv, struct choice *choice)
{
	enum { JSON = 256, FORMAT, ALLOW, ONCE, INTERVAL };
	static const struct option options[] = {
		{"once", no_argument, NULL, ONCE},
		{"interval", required_argument, NULL, INTERVAL},
		{"format", required_argument, NULL, FORMAT},
		{"json", no_argument, NULL, JSON},
		{"allow-incomplete", no_argument, NULL, ALLOW},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option, result;
	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case ONCE: choice->once = true; break;
		case INTERVAL:
			result = read_interval(optarg, &choice->interval_s);
			if (result) return result;
			break;
		case FORMAT:
			if (strcmp(optarg, "json") && strcmp(optarg, "text"))
				return usage("--format must be text or json, not ", optarg);
			choice->json = !strcmp(optarg, "json");
			break;
		case JSON: choice->json = true; break;
		case ALLOW: choice->allow_incomplete = true; break;
		case 'h': choice->help = true; break;
		case ':': return usage("a value is missing after ", argv[optind - 1]);
		default: return usage("unknown option ", argv[optind - 1]);
		}
	}
	if (argc - optind > 1) return usage("one process at a time, so what is ", argv[optind + 1]);
	choice->target = argv[optind];
	return 0;
}

/* ---- One snapshot -------------------------------------------------------------------------------------------------------- */

static void wait_s(double seconds)
{
	struct timespec left = {.tv_sec = (time_t)seconds};
	left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static int show_once(const struct wt_target *target, const struct choice *choice)
{
	struct wt_snapshot *s = calloc(2, sizeof *s);
	struct wt_view view = {.target = target, .now = s};
	if (!s) {
		fputs("waltrace: top: no memory for a snapshot\n", stderr);
		return WT_EXIT_DAMAGED;
	}
	wt_snapshot_take(&s[0], target);
	if (choice->interval_s > 0 && s[0].whole) {
		wait_s(choice->interval_s);
		wt_snapshot_take(&s[1], target);
		view = (struct wt_view){.target = target, .now = &s[1], .before = &s[0]};
	}
	if (choice->json) wt_top_json(stdout, &view);
	else wt_top_text(stdout, &view);
	int status = wt_top_status(view.now);
	free(s);
	if (!fflush(stdout) && !ferror(stdout)) return status;
	fprintf(stderr, "waltrace: standard output: can't write the snapshot: %s\n", strerror(errno));
	return WT_EXIT_DAMAGED;
}

/* On a terminal that can do it the screen, else one snapshot. */
static int show(const struct wt_target *target, const struct choice *choice)
{
	if (choice->once || choice->json || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		return show_once(target, choice);
	int status = wt_top_screen(target, choice->interval_s > 0 ? choice->interval_s : INTERVAL_S);
	if (status != -ENOTTY && status != -ENOMEM) return status;
	if (status == -ENOTTY)
		fputs("waltrace: top: this terminal can't show a screen (see TERM): once, then\n", stderr);
	return show_once(target, choice);
}

int wt_cmd_top(int argc, char **argv)
{
	struct choice choice = {0};
	struct wt_target target;
	int status = read_options(argc, argv, &choice);
	if (status) return status;
	if (choice.help) {
		fputs(help_text, stdout);
		return WT_EXIT_GOOD;
	}
	status = wt_top_find(&target, choice.target);
	if (status) return status;
	status = show(&target, &choice);
	wt_target_close(&target);
	return status == WT_EXIT_INCOMPLETE && choice.allow_incomplete ? WT_EXIT_GOOD : status;
}
