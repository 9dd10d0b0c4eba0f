/* SPDX-License-Identifier: MIT */
/* What demo and bench have in common on the command line and on the disk: options, directories, what a disk is. */
#ifndef WT_CLI_LOAD_ARGS_H
#define WT_CLI_LOAD_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* An option with a whole number, or without (value NULL), or with a text (text not NULL). */
struct wt_option {
	const char *name; /* without "--" */
	uint64_t *value;
	uint64_t min, max;
	const char *unit; /* "" or " seconds" … */
	const char **text;
	bool *flag;
};

enum wt_parsed { WT_PARSED_RUN, WT_PARSED_HELP, WT_PARSED_WRONG };

/* Takes "--name VALUE" and "--name=VALUE"; "--help" and "-h" too. Says on stderr what is wrong. argv[0] is the
 * command's name. */
enum wt_parsed wt_parse_options(int argc, char **argv, const struct wt_option *options, unsigned count);

/* Makes `path`, or takes it if it is there and empty. 0, or negative errno with a message. */
int wt_take_directory(const char *path, struct wt_err *err);

/* Removes a directory with the files and directories in it, which this program made. Best effort. */
void wt_remove_directory(const char *path);

struct wt_disk {
	const char *type; /* "ext4" …; "" if it has no name here */
	bool memory;      /* no device behind it */
	uint64_t free_bytes;
};

/* What `path` lies on, and whether there is room for a run. 0, or negative errno with a message. */
int wt_look_at_disk(const char *path, struct wt_disk *disk, struct wt_err *err);

/* Size of all files in a directory and those below it. */
uint64_t wt_directory_bytes(const char *path);

#endif
