/* SPDX-License-Identifier: MIT */
#ifndef CL_REPAIR_H
#define CL_REPAIR_H

#include "base/err.h"
#include "base/os.h"
#include "commitlog.h"

/* commitlog_repair on any operating system. */
int cl_repair(const struct wt_os *os, const char *from, const char *to, commitlog_visit_loss *visit, void *context,
              struct commitlog_repair_summary *sum, struct wt_err *err);

#endif
