/* SPDX-License-Identifier: MIT */
/* waltrace recover: finishes the traces of processes that are gone. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "waltrace.h"

static const char usage[] =
	"usage: waltrace recover SEGMENT\n"
	"       waltrace recover --all\n"
	"\n"
	"Finishes the trace of a process that was killed with its recorder on: writes what had been handed over and was\n"
	"not yet in the file, one in_flight line for each operation that had not ended, and a session_end with reason\n"
	"\"recovered\". The trace stays incomplete. The segment (shared memory named in the trace's first line) is removed\n"
	"when that is done. May be interrupted and repeated.\n"
	"\n"
	"  SEGMENT  a name like /waltrace-<pid>-<time>\n"
	"  --all    every segment of this user whose process is gone\n"
	"\n"
	"Exit status: 0 finished, or nothing to do; 2 a segment or trace is damaged or can't be written; 3 wrong usage.\n"
	"\n"
	"examples:\n"
	"  waltrace recover --all\n"
	"  waltrace recover /waltrace-4711-1790000000000000000\n";

struct outcome {
	int status;
	unsigned finished;
};

static void tell(void *context, const char *segment, int result, const struct waltrace_report *report,
                 const struct waltrace_error *error)
{
	struct outcome *outcome = context;
	if (!result) {
		outcome->finished++;
		printf("%s: finished: %llu of %llu records are in it, %llu operations were in flight\n", report->path,
		       (unsigned long long)report->written, (unsigned long long)report->produced,
		       (unsigned long long)report->outstanding);
	} else if (result == -ENOENT) {
		printf("%s: nothing to finish: %s\n", segment, error->detail);
	} else if (result == -EBUSY) {
		printf("%s: left alone: %s\n", segment, error->detail);
	} else {
		fprintf(stderr, "waltrace: %s: %s\n", segment, error->detail);
		outcome->status = WT_EXIT_DAMAGED;
	}
}

static int recover_all(void)
{
	struct outcome outcome = {WT_EXIT_GOOD, 0};
	int n = waltrace_recover_all(NULL, tell, &outcome);
	if (!n) printf("no segments of this user: nothing to recover\n");
	return outcome.status;
}

int wt_cmd_recover(int argc, char **argv)
{
	struct outcome outcome = {WT_EXIT_GOOD, 0};
	struct waltrace_report report = {0};
	struct waltrace_error error = {0};
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return WT_EXIT_GOOD;
	}
	if (argc != 2 || (argv[1][0] == '-' && strcmp(argv[1], "--all") != 0)) {
		fputs(usage, stderr);
		return WT_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--all")) return recover_all();
	int result = waltrace_recover(argv[1], &report, &error);
	if (result == -EINVAL) {
		fprintf(stderr, "waltrace: recover: %s\n", error.detail);
		return WT_EXIT_USAGE;
	}
	tell(&outcome, argv[1], result, &report, &error);
	return result == -ENOENT || result == -EBUSY ? WT_EXIT_DAMAGED : outcome.status;
}
