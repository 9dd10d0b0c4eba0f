/* SPDX-License-Identifier: MIT */
/* waltrace: a table of commands. */
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "cli/cmd.h"
#include "waltrace.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} command[] = {
	{"demo", wt_cmd_demo, "run a durable load on this disk, record it and explain it"},
	{"bench", wt_cmd_bench, "the same load without the story: commits/s, percentiles"},
	{"verify", wt_cmd_verify, "can this trace be trusted? says what is missing or damaged"},
	{"report", wt_cmd_report, "why are my commits slow?"},
	{"recover", wt_cmd_recover, "finish the trace of a process that died"},
	{"wal", wt_cmd_wal, "look into a log's directory: ls, verify, dump, repair"},
};

static void print_help(FILE *out)
{
	fputs("waltrace: why is this commit slow?\n\nusage: waltrace COMMAND ...\n       waltrace --help | --version\n\n",
	      out);
	for (size_t i = 0; i < WT_COUNT(command); i++) fprintf(out, "  %-9s %s\n", command[i].name, command[i].help);
	fputs("\nwaltrace COMMAND --help says more about one, with examples.\n"
	      "\n"
	      "Examples:\n"
	      "  waltrace demo\n"
	      "  waltrace verify wal-trace-*.jsonl\n"
	      "  waltrace report wal-trace-4242-1796094116173384247.jsonl\n"
	      "\n"
	      "Exit status: 0 good; 1 incomplete; 2 unreadable, not a trace, or damaged;\n"
	      "3 wrong usage; of several files the highest.\n",
	      out);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	if (!name) {
		print_help(stderr);
		return WT_EXIT_USAGE;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
		print_help(stdout);
		return WT_EXIT_GOOD;
	}
	if (!strcmp(name, "--version")) {
		puts("waltrace " WALTRACE_VERSION);
		return WT_EXIT_GOOD;
	}
	for (size_t i = 0; i < WT_COUNT(command); i++)
		if (!strcmp(name, command[i].name)) return command[i].run(argc - 1, argv + 1);
	fprintf(stderr, "waltrace: unknown command %s: see waltrace --help\n", name);
	return WT_EXIT_USAGE;
}
