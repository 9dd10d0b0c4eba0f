/* SPDX-License-Identifier: MIT */
#ifndef CL_INSPECT_H
#define CL_INSPECT_H

#include "base/err.h"
#include "base/os.h"
#include "commitlog.h"

/* commitlog_inspect on any operating system. */
int cl_inspect(const struct wt_os *os, const char *directory, enum commitlog_scan_files files,
               commitlog_visit_file *visit, void *context, struct wt_err *err);

#endif
