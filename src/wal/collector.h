/* SPDX-License-Identifier: MIT */
/* The background thread: looks now and then whether the current file is over its limit, and prepares the spare. */
#ifndef CL_COLLECTOR_H
#define CL_COLLECTOR_H

#include "wal/log.h"

int cl_collector_start(struct commitlog *log);
void cl_collector_stop(struct commitlog *log);

/* After a commit, commit lock held: asks for a spare when the file is half full. */
void cl_collector_file_grew(struct commitlog *log);

/* The spare's descriptor and how far it is filled, once; -1: there is none. */
int cl_collector_take_spare(struct commitlog *log, uint64_t *fill);

#endif
