/* SPDX-License-Identifier: MIT */
/* What a report says, added up over one trace or several. A large value: allocate it. */
#ifndef WT_READ_TALLY_H
#define WT_READ_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "read/chain.h"
#include "read/checkpoints.h"
#include "read/durability.h"
#include "read/quantile.h"
#include "read/signs.h"
#include "read/store.h"

enum {
	WT_SLOWEST = 10, /* flushes, holders */
	WT_OUTLIERS_SHOWN = 5,
	WT_OUTLIER_TIMES = 4, /* an outlier is a sync_call that took longer than so many medians */
	WT_BURST_GAP_MS = 10, /* outliers that begin closer together are one burst */
	WT_BURSTS_MIN = 6,    /* bursts it takes to speak of a period */
};

struct wt_slow_flush {
	uint32_t trace;
	uint64_t id, logger_id, uid, start_ns, total_ns;
	struct wt_split split;
	enum wt_owner owner;
	uint64_t owner_id; /* the flush, timer_run or rotation that led the batch; 0: none or unknown */
	uint64_t sync_id, sync_ns, lock_id;
	uint64_t own_lock_id;   /* its first commit_lock; 0: none */
	uint64_t others;        /* fsyncs of earlier batches that ran while it was there */
	uint64_t last_other_id; /* the last of these */
};

struct wt_holder {
	uint32_t trace;
	uint64_t id, logger_id, got_ns, hold_ns, sync_ns, rotation_ns;
	uint8_t trigger, outcome;
};

struct wt_fsync_outlier {
	uint32_t trace;
	uint64_t id, start_ns, total_ns, written_bytes;
};

enum wt_rhythm { WT_RHYTHM_FEW, WT_RHYTHM_IRREGULAR, WT_RHYTHM_PERIODIC };

struct wt_tally {
	/* Where a commit's time goes. */
	struct wt_parted flush;
	uint64_t failed_flushes, untimed_flushes, entry_fast_paths, owners[WT_OWNER_UNKNOWN + 1];
	uint64_t behind_others_ns, queue_behind_others_ns;
	uint64_t duration_ns; /* from the first flush's start to the last one's end; traces added */
	struct wt_slow_flush slow[WT_SLOWEST];
	uint32_t slows;

	/* Group commit. By trigger: request, timer, checkpoint, anything else. */
	uint64_t syncs[4], failed_syncs, block_bytes, written_bytes;
	uint64_t delayed_flushes; /* of loggers with a delay timer */
	uint64_t lock_outcomes[WALTRACE_WORDS];
	uint64_t notify_batches, notify_ns, notify_targets, notify_completed, notify_failed;
	struct wt_dist batch_records, batch_wait;

	/* Commit lock. */
	struct wt_dist lock_wait, lock_hold;
	uint64_t lock_span_ns; /* from a logger's first getting the lock to its last release; loggers added */
	struct wt_holder holder[WT_SLOWEST];
	uint32_t holders;
	uint64_t peak_waiting, peak_logger; /* of the progress lines */

	/* fsync. */
	struct wt_dist fsync;
	uint64_t fsync_bytes;
	uint64_t outliers, bursts;
	struct wt_fsync_outlier outlier[WT_OUTLIERS_SHOWN];
	uint32_t outliers_shown;
	enum wt_rhythm rhythm; /* of the trace with the most bursts */
	uint64_t rhythm_bursts, period_ns;
	double period_spread; /* standard deviation of the gaps between bursts / their mean */

	struct wt_checkpoints checkpoints;
	uint64_t blocked_flushes; /* with a part in `rotation` */
	struct wt_durability durability;
	struct wt_signs signs;

	uint64_t lost[WALTRACE_KINDS], lost_any; /* by loss lines; those of no kind */
	uint32_t traces;
};

/* As lines come. */
void wt_tally_line(struct wt_tally *tally, const struct wt_line *line);
/* At a trace's end; the store is closed. */
int wt_tally_trace(struct wt_tally *tally, const struct wt_store *store, struct wt_err *err) WT_MUST_CHECK;

/* What a commit lock's holder was doing. */
struct wt_holder wt_holder_of(const struct wt_store *store, const struct wt_lock_row *lock, uint32_t trace);
/* A sync_call that took longer is an outlier. 0 or -ENOMEM. */
int wt_outlier_limit(const struct wt_store *store, uint64_t *limit_ns) WT_MUST_CHECK;

/* Part of the above, in a file of its own. */
int wt_tally_fsyncs(struct wt_tally *tally, const struct wt_store *store) WT_MUST_CHECK;
void wt_tally_locks(struct wt_tally *tally, const struct wt_store *store);
void wt_tally_flushes(struct wt_tally *tally, const struct wt_store *store);

#endif
