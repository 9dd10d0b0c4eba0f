/* SPDX-License-Identifier: MIT */
/* waltrace: a table of commands. */
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "cli/cmd.h"
#include "read/shown.h"
#include "waltrace.h"

/* Of a command that isn't known. */
enum { NAME_MAX_SHOWN = 64 };

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} command[] = {
	{"demo", wt_cmd_demo, "run a durable load on this disk, record it and explain it"},
	{"bench", wt_cmd_bench, "the same load without the story: commits/s, percentiles"},
	{"verify", wt_cmd_verify, "can this trace be trusted? says what is missing or damaged"},
	{"report", wt_cmd_report, "why are my commits slow?"},
	{"top", wt_cmd_top, "live: who holds the commit lock, for how long; rates, losses"},
	{"diff", wt_cmd_diff, "what changed between two runs, and is it noise?"},
	{"recover", wt_cmd_recover, "finish the trace of a process that died"},
	{"wal", wt_cmd_wal, "look into a log's directory: ls, verify, dump, repair"},
};

static void print_help(FILE *out)
{
	fputs("waltrace: why is this commit slow?\n\nusage: waltrace COMMAND ...\n       waltrace --help | --version\n\n",
	      out);
	for (size_t i = 0; i < WT_COUNT(command); i++) fprintf(out, "  %-9s %s\n", command[i].name, command[i].help);
	fputs("\nwaltrace COMMAND --help (or waltrace help COMMAND) says more about one.\n"
	      "\n"
	      "Examples:\n"
	      "  waltrace demo\n"
	      "  waltrace verify wal-trace-*.jsonl\n"
	      "  waltrace report wal-trace-4242-1796094116173384247.jsonl\n"
	      "  waltrace diff before.jsonl after.jsonl\n"
	      "\n"
	      "Exit status: 0 good; 1 incomplete (diff: slower); 2 unreadable, not a trace,\n"
	      "or damaged; 3 wrong usage; of several files the highest.\n",
	      out);
}

/* Insertions, removals and changes of a letter that make b of a; both are short. */
static size_t distance(const char *a, const char *b)
{
	size_t row[NAME_MAX_SHOWN + 1], n = strlen(b);
	for (size_t j = 0; j <= n; j++) row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t before = row[0];
		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			size_t change = before + (a[i] != b[j]),
			       other = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
			before = row[j + 1];
			row[j + 1] = change < other ? change : other;
		}
	}
	return row[n];
}

/* The command that was meant, or NULL if none is near. */
static const char *nearest(const char *name)
{
	enum { NEAR = 3 }; /* less than so many letters differ */
	const char *found = NULL;
	size_t least = NEAR, n = strlen(name);
	if (n > NAME_MAX_SHOWN) return NULL;
	for (size_t i = 0; i < WT_COUNT(command); i++) {
		size_t letters = distance(name, command[i].name);
		if (n > 1 && !strncmp(name, command[i].name, n)) letters = 0;
		if (letters >= least || letters >= strlen(command[i].name)) continue;
		least = letters;
		found = command[i].name;
	}
	return found;
}

static int unknown(const char *name)
{
	char shown[4 * NAME_MAX_SHOWN + 1];
	const char *meant = nearest(name);
	wt_shown(shown, sizeof shown, name, strlen(name));
	if (meant) fprintf(stderr, "waltrace: unknown command %s: did you mean waltrace %s?\n", shown, meant);
	else fprintf(stderr, "waltrace: unknown command %s: see waltrace --help\n", shown);
	return WT_EXIT_USAGE;
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < WT_COUNT(command); i++)
		if (!strcmp(name, command[i].name)) return &command[i];
	return NULL;
}

static int help(int argc, char **argv)
{
	char option[] = "--help";
	if (argc == 1) {
		print_help(stdout);
		return WT_EXIT_GOOD;
	}
	if (argc > 2) {
		fputs("waltrace: help is for one command: waltrace help COMMAND\n", stderr);
		return WT_EXIT_USAGE;
	}
	const struct command *of = find(argv[1]);
	if (!of) return unknown(argv[1]);
	return of->run(2, (char *[]){argv[1], option, NULL});
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	if (!name) {
		print_help(stderr);
		return WT_EXIT_USAGE;
	}
	if (!strcmp(name, "help")) return help(argc - 1, argv + 1);
	if (!strcmp(name, "--help") || !strcmp(name, "-h")) return help(1, argv);
	if (!strcmp(name, "--version")) {
		puts("waltrace " WALTRACE_VERSION);
		return WT_EXIT_GOOD;
	}
	const struct command *chosen = find(name);
	return chosen ? chosen->run(argc - 1, argv + 1) : unknown(name);
}
