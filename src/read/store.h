/* SPDX-License-Identifier: MIT */
/* What a report keeps of one trace's records: locks, syncs, timers and flushes as a few numbers each, by logger.
 * Filled record by record, then closed (links resolved, everything in order), then looked at. */
#ifndef WT_READ_STORE_H
#define WT_READ_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "read/index.h"
#include "read/model.h"
#include "read/spans.h"

enum {
	WT_STORE_LOGGERS_MAX = 1024, /* as many as a session can have */
	WT_STORE_ROWS_MAX = 32,      /* children of a row that are looked at: an operation has no more */
};

struct wt_lock_row {
	uint64_t id, parent_id, start_ns, wait_ns, hold_ns, notify_start_ns, committed_at_acquire;
	uint32_t sync; /* place of its sync_call, or WT_NOWHERE */
	uint16_t logger;
	uint8_t outcome, trigger;
	bool has_notify, has_committed;
};

struct wt_sync_row {
	uint64_t id, parent_id, start_ns, total_ns, max_uid, written_bytes;
	uint32_t lock; /* place of its commit_lock, or WT_NOWHERE */
	uint16_t logger;
	uint8_t trigger;
	bool good;
};

struct wt_flush_row {
	uint64_t id, start_ns, total_ns, uid, wait_start_ns, wait_ns;
	uint16_t logger;
	uint8_t wait_outcome;
	bool fast, good, failed, waited, has_uid; /* neither good nor failed: cancelled */
};

struct wt_timer_row {
	uint64_t id, start_ns;
};

/* A checkpoint_rotation or file_split. */
struct wt_rotation_row {
	uint64_t id, parent_id, start_ns, total_ns;
	uint16_t logger;
	bool split;
};

struct wt_store_logger {
	uint64_t id, delay_ms, block_limit;
	bool announced;                  /* its metadata line was there */
	struct wt_index good, failed;    /* syncs by max_uid */
	struct wt_index by_start;        /* syncs by start_ns */
	struct wt_spans rotations, busy; /* see attribute.h */
};

struct wt_store {
	struct wt_store_logger *logger;
	size_t loggers, loggers_room;
	struct wt_lock_row *lock;
	size_t locks, locks_room;
	struct wt_sync_row *sync;
	size_t syncs, syncs_room;
	struct wt_flush_row *flush;
	size_t flushes, flushes_room;
	struct wt_timer_row *timer;
	size_t timers, timers_room;
	struct wt_rotation_row *rotation;
	size_t rotations, rotations_room;
	struct wt_index lock_by_id, lock_by_parent, timer_by_id, flush_by_id;
	bool gaps;        /* records may be missing: what isn't there proves nothing. The caller's to set */
	uint64_t untimed; /* flushes without start or total: in no time */
};

/* 0, -ENOMEM, or -E2BIG if there are more loggers than WT_STORE_LOGGERS_MAX. */
int wt_store_logger(struct wt_store *store, const struct wt_logger_line *line, struct wt_err *err) WT_MUST_CHECK;
int wt_store_record(struct wt_store *store, const struct wt_record *record, struct wt_err *err) WT_MUST_CHECK;
int wt_store_close(struct wt_store *store, struct wt_err *err) WT_MUST_CHECK;
void wt_store_free(struct wt_store *store);

static inline uint64_t wt_lock_got_ns(const struct wt_lock_row *lock)
{
	return wt_end_ns(lock->start_ns, lock->wait_ns);
}

static inline uint64_t wt_lock_freed_ns(const struct wt_lock_row *lock)
{
	return wt_end_ns(wt_lock_got_ns(lock), lock->hold_ns);
}

#endif
