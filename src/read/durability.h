/* SPDX-License-Identifier: MIT */
/* From a trace alone: was a flush acknowledged before a successful fsync that covered its uid had ended?
 *
 * A flush that succeeded is
 *   proven    if a successful sync_call of its logger with batch_max_log_uid at or above its log_uid ended no later than it
 *   unproven  else, if a successful sync_call covered it later and its owner found the uid not durable yet
 *   unknown   else, if records may be missing from the trace, or if it was durable on entry and ended before the first
 *             sync_call in the trace did: what covered it may have come before the recording
 *   unproven  else
 * Flushes without a uid (or with 0, an empty record) acknowledge nothing. */
#ifndef WT_READ_DURABILITY_H
#define WT_READ_DURABILITY_H

#include <stdint.h>

#include "base/compiler.h"
#include "read/store.h"

enum { WT_UNPROVEN_KEPT = 20 };

struct wt_unproven {
	uint32_t trace;
	uint64_t id, logger_id, uid, ended_ns;
	uint64_t sync_id, sync_ended_ns; /* the first that covered it; 0: none */
};

struct wt_durability {
	uint64_t acknowledged, proven, unproven, unknown;
	struct wt_unproven first[WT_UNPROVEN_KEPT];
	uint32_t kept;
};

/* Adds the flushes of a closed store, which is the trace of this number. 0 or -ENOMEM. */
int wt_audit(struct wt_durability *audit, const struct wt_store *store, uint32_t trace) WT_MUST_CHECK;

#endif
