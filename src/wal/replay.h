/* SPDX-License-Identifier: MIT */
#ifndef CL_REPLAY_H
#define CL_REPLAY_H

#include "wal/log.h"

/* commitlog_replay and its relatives. */
int cl_replay(struct commitlog *log, commitlog_visit *visit, void *context, struct commitlog_replay_summary *sum,
              struct wt_err *err);
int cl_append_replay(struct commitlog *log, const struct commitlog_entry *entry);
int cl_confirm_replay(struct commitlog *log, struct commitlog_cid cid);
int cl_finish_replay(struct commitlog *log);

#endif
