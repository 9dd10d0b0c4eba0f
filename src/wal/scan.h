/* SPDX-License-Identifier: MIT */
#ifndef CL_SCAN_H
#define CL_SCAN_H

#include "base/err.h"
#include "base/os.h"
#include "commitlog.h"
#include "wal/names.h"
#include "wal/walk.h"

/* commitlog_scan on any operating system. */
int cl_scan(const struct wt_os *os, const char *directory, enum commitlog_scan_files files, commitlog_visit *visit,
            void *context, struct commitlog_scan_summary *sum, struct wt_err *err);

/* The names of a log's files, oldest first. To be freed, also after an error. */
int cl_list_files(const struct wt_os *os, const char *directory, enum commitlog_scan_files files,
                  struct cl_names *names, struct wt_err *err);

/* Gives one file's entries to `visit` (NULL: just checks it); what its tail is, is in *walk. Returns 0, -ECANCELED with
 * *visited if the callback ended it with that, or the error of reading. */
int cl_scan_file(const struct wt_os *os, const char *directory, const struct cl_name *name, commitlog_visit *visit,
                 void *context, struct cl_walk *walk, int *visited, struct wt_err *err);

/* The newest file that isn't a .bak, or NULL: the only one whose tail may be torn. */
const struct cl_name *cl_last_live(const struct cl_names *names);

/* -EBADMSG, with file, offset and reason. */
int cl_say_damage(struct wt_err *err, const char *directory, const char *name, const struct cl_walk *walk);

#endif
