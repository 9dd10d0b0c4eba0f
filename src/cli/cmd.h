/* SPDX-License-Identifier: MIT */
/* Commands: each is a function of its own arguments (argv[0] is the command's name) that returns the exit status. */
#ifndef WT_CLI_CMD_H
#define WT_CLI_CMD_H

enum wt_exit {
	WT_EXIT_GOOD = 0,
	WT_EXIT_INCOMPLETE = 1, /* or slower, or a gate failed */
	WT_EXIT_DAMAGED = 2,    /* unreadable, not a trace, damaged */
	WT_EXIT_USAGE = 3,
};

int wt_cmd_verify(int argc, char **argv);
int wt_cmd_report(int argc, char **argv);
int wt_cmd_diff(int argc, char **argv);
int wt_cmd_demo(int argc, char **argv);
int wt_cmd_bench(int argc, char **argv);
int wt_cmd_recover(int argc, char **argv);
int wt_cmd_top(int argc, char **argv);
int wt_cmd_wal(int argc, char **argv);

#endif
