/* SPDX-License-Identifier: MIT */
/* What a trace says of checkpoints: rotations, splits, files that became backups, confirms, replay. Counted record by
 * record. */
#ifndef WT_READ_CHECKPOINTS_H
#define WT_READ_CHECKPOINTS_H

#include <stdint.h>

#include "read/model.h"
#include "read/quantile.h"

/* A kind of record: how many, how many of them without success, how long those with a time took. */
struct wt_steps {
	uint64_t n, failed;
	struct wt_dist time;
};

struct wt_checkpoints {
	struct wt_steps rotations, splits, backups, confirms, replays;
	uint64_t triggers[WALTRACE_WORDS]; /* of rotations; [WALTRACE_W_NONE]: none, or one that isn't known */
	uint64_t replayed_records, replayed_bytes;
};

void wt_checkpoints_add(struct wt_checkpoints *checkpoints, const struct wt_record *record);

#endif
