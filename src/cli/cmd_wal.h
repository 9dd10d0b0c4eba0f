/* SPDX-License-Identifier: MIT */
/* What the commands of waltrace wal share. */
#ifndef WT_CLI_CMD_WAL_H
#define WT_CLI_CMD_WAL_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cmd.h"
#include "commitlog.h"

struct wt_wal_arguments {
	const char *directory;
	const char *target; /* of repair */
	bool json;
	bool live_only; /* not the .bak files */
	bool values;    /* dump: the values' bytes */
	uint64_t file;  /* dump: this index only; 0: all */
};

/* Each prints to stdout and returns the exit status. */
int wt_wal_ls(const struct wt_wal_arguments *arguments);
int wt_wal_verify(const struct wt_wal_arguments *arguments);
int wt_wal_dump(const struct wt_wal_arguments *arguments);
int wt_wal_repair(const struct wt_wal_arguments *arguments);

/* "2026-12-01T06:00:00.123Z", or the number if it is no such time. */
enum { WT_WAL_TIME_BYTES = 40 };
void wt_wal_time(char text[WT_WAL_TIME_BYTES], uint64_t ms);

/* Says on stderr what went wrong; returns the status for it. */
int wt_wal_complain(const char *message);

/* The directory has no file of a log in it. */
int wt_wal_complain_empty(const char *directory);

#endif
