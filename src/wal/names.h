/* SPDX-License-Identifier: MIT */
/* Names in a log's directory: which files are the log's, in which order. */
#ifndef CL_NAMES_H
#define CL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/os.h"
#include "wal/limits.h"

#define CL_LOCK_NAME "commitlog.lock"
#define CL_SPARE_NAME "commitlog.spare"

#define CL_BACKUP_SUFFIX ".bak"

/* NNNNNNNNN or NNNNNNNNN.G (compacted, generation G), and the same with .bak (confirmed). Others aren't the log's. */
struct cl_name {
	uint32_t index;
	uint32_t generation; /* of a compacted one */
	bool compacted;
	bool backup;
	char text[CL_NAME_BYTES];
};

struct cl_names {
	struct cl_name *list; /* oldest first */
	size_t count, capacity;
	uint32_t highest; /* of all of them, 0 if there is none */
	bool no_memory;
};

/* Whether `text` is a name of the log's. */
bool cl_name_parse(const char *text, struct cl_name *name);

/* The name of a file, without or with ".bak". */
void cl_name_of(char text[CL_NAME_BYTES], uint32_t index, bool backup);

int cl_names_read(const struct wt_os *os, const char *directory, struct cl_names *names, struct wt_err *err);
void cl_names_free(struct cl_names *names);

/* `directory` is no longer than COMMITLOG_MAX_DIRECTORY and `name` shorter than CL_NAME_BYTES: it always fits. */
void cl_path(char path[CL_PATH_BYTES], const char *directory, const char *name);

/* Makes new names and renames in a directory durable. */
int cl_sync_directory(const struct wt_os *os, const char *directory);

/* Makes a new directory's own name durable; `directory` is no longer than COMMITLOG_MAX_DIRECTORY. */
int cl_sync_parent(const struct wt_os *os, const char *directory);

#endif
