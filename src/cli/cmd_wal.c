/* SPDX-License-Identifier: MIT */
/* waltrace wal: looks into a log's directory. Arguments here, each command in a file of its own. */
#include "cli/cmd_wal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compiler.h"

static const char usage[] =
	"usage: waltrace wal ls [--live] [--json] DIR\n"
	"       waltrace wal verify [--live] [--json] DIR\n"
	"       waltrace wal dump [--live] [--file N] [--values] [--json] DIR\n"
	"       waltrace wal repair [--json] DIR NEW_DIR\n"
	"\n"
	"Looks into the directory of a write-ahead log. Nothing in it is changed.\n"
	"\n"
	"  ls      its files: blocks, records, times, state\n"
	"  verify  checks every block; says what opening the log would cut off or refuse\n"
	"  dump    its records, oldest first, a line each\n"
	"  repair  copies every valid block to NEW_DIR, which must be empty or not exist\n"
	"\n"
	"  --live    not the .bak files, whose records are all confirmed\n"
	"  --file N  the records of file N only\n"
	"  --values  the records' bytes too, in hexadecimal\n"
	"  --json    the same as --format json; dump prints an object a line\n"
	"\n"
	"Exit status: 0 good; 1 a torn tail, which opening the log cuts off, or bytes that repair left out; 2 damaged,\n"
	"unreadable, or not a log; 3 wrong usage. Of a log that is being written the tail may seem torn.\n"
	"\n"
	"examples:\n"
	"  waltrace wal verify /var/lib/engine/wal\n"
	"  waltrace wal dump --file 7 --json /var/lib/engine/wal\n"
	"  waltrace wal repair /var/lib/engine/wal /var/lib/engine/wal.salvaged\n";

int wt_wal_complain(const char *message)
{
	fprintf(stderr, "waltrace: %s\n", message);
	return WT_EXIT_DAMAGED;
}

int wt_wal_complain_empty(const char *directory)
{
	fprintf(stderr, "waltrace: %s: no files of a log in it (000000001 ...): name a log's directory\n", directory);
	return WT_EXIT_DAMAGED;
}

void wt_wal_time(char text[WT_WAL_TIME_BYTES], uint64_t ms)
{
	struct tm parts;
	char seconds[32];
	time_t t = (time_t)(ms / 1000);
	if (ms / 1000 > 253402300799 || !gmtime_r(&t, &parts)) { /* the year 9999 */
		snprintf(text, WT_WAL_TIME_BYTES, "%" PRIu64, ms);
		return;
	}
	strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(text, WT_WAL_TIME_BYTES, "%s.%03uZ", seconds, (unsigned)(ms % 1000));
}

static const struct wal_command {
	const char *name;
	int (*run)(const struct wt_wal_arguments *arguments);
	const char *options; /* that it takes, beside --json */
	int directories;
} command[] = {
	{"ls", wt_wal_ls, "--live", 1},
	{"verify", wt_wal_verify, "--live", 1},
	{"dump", wt_wal_dump, "--live --file --values", 1},
	{"repair", wt_wal_repair, "", 2},
};

static int refuse(const char *what, const char *which)
{
	fprintf(stderr, "waltrace: wal: %s %s: see waltrace wal --help\n", what, which);
	return WT_EXIT_USAGE;
}

static bool parse_index(const char *text, uint64_t *index)
{
	char *end;
	errno = 0;
	*index = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *index > 0;
}

static bool takes(const struct wal_command *which, const char *option)
{
	const char *at = strstr(which->options, option);
	size_t n = strlen(option);
	return at && n > 2 && (at[n] == ' ' || !at[n]);
}

/* One option, and its value if it has one. Returns how many arguments it took, or 0 after a complaint. */
static int parse_option(const struct wal_command *which, int argc, char **argv, struct wt_wal_arguments *arguments)
{
	const char *option = argv[0], *value = argc > 1 ? argv[1] : "";
	if (!strcmp(option, "--json")) return arguments->json = true, 1;
	if (!strcmp(option, "--format")) {
		arguments->json = !strcmp(value, "json");
		if (arguments->json || !strcmp(value, "text")) return 2;
		return refuse("--format is text or json, not", *value ? value : "nothing"), 0;
	}
	if (!takes(which, option)) return refuse("unknown option", option), 0;
	if (!strcmp(option, "--live")) return arguments->live_only = true, 1;
	if (!strcmp(option, "--values")) return arguments->values = true, 1;
	if (parse_index(value, &arguments->file)) return 2;
	return refuse("--file takes the number of a file, not", *value ? value : "nothing"), 0;
}

static int run(const struct wal_command *which, int argc, char **argv)
{
	struct wt_wal_arguments arguments = {0};
	int directories = 0;
	for (int i = 0; i < argc;) {
		if (argv[i][0] == '-' && argv[i][1]) {
			int taken = parse_option(which, argc - i, argv + i, &arguments);
			if (!taken) return WT_EXIT_USAGE;
			i += taken;
		} else {
			directories++;
			if (directories == 1) arguments.directory = argv[i];
			else arguments.target = argv[i];
			i++;
		}
	}
	if (directories != which->directories)
		return refuse(which->name, which->directories == 1 ? "takes one directory" : "takes two directories");
	int status = which->run(&arguments);
	if (fflush(stdout) || ferror(stdout)) return wt_wal_complain("can't write to the standard output");
	return status;
}

int wt_cmd_wal(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") != 0 && strcmp(argv[i], "-h") != 0) continue;
		fputs(usage, stdout);
		return WT_EXIT_GOOD;
	}
	if (argc < 2) {
		fputs(usage, stderr);
		return WT_EXIT_USAGE;
	}
	for (size_t i = 0; i < WT_COUNT(command); i++)
		if (!strcmp(argv[1], command[i].name)) return run(&command[i], argc - 2, argv + 2);
	return refuse("unknown command", argv[1]);
}
