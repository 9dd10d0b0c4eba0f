/* SPDX-License-Identifier: MIT */
/* A file that is there as a whole or not at all: written under another name beside it, and renamed at the end. What isn't
 * a regular file (a device, a pipe) is written to directly. */
#ifndef WT_CLI_OUT_FILE_H
#define WT_CLI_OUT_FILE_H

#include <stdio.h>

#include "base/err.h"

struct wt_out_file {
	FILE *out;
	char *path;      /* where it is to be; symbolic links followed */
	char *temporary; /* where it is now; NULL: at its path */
};

int wt_out_open(struct wt_out_file *file, const char *path, struct wt_err *err) WT_MUST_CHECK;
/* Puts it where it belongs; removes it instead if anything couldn't be written. */
int wt_out_commit(struct wt_out_file *file, struct wt_err *err) WT_MUST_CHECK;
void wt_out_discard(struct wt_out_file *file);

#endif
