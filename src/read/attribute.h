/* SPDX-License-Identifier: MIT */
/* Where the time of one flush went: its time line, cut at what is known of it, each piece given to one part.
 *
 * A piece goes to the first that claims it, in the order of enum wt_part:
 *   rotation       in `rotations`
 *   fsync, delay   in that span
 *   queue          in one of `queue`
 *   woken          in that span
 *   others' fsync  in a wait, and in `busy`
 *   queue          else in `in_line`: what a joiner waits for before its owner has the lock, when no fsync runs
 *   own            not in a wait; unknown owner if the flush's own records are missing
 *   unknown owner  in a wait, and the batch waited for isn't known whole
 *   unaccounted    in a wait, and it is
 * So no part is negative and they add up to the total, whatever the records claim. */
#ifndef WT_READ_ATTRIBUTE_H
#define WT_READ_ATTRIBUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "read/part.h"
#include "read/spans.h"

enum { WT_CLAIMS_MAX = 33 }; /* an operation has at most 32 rows, and two waits that are not rows of their own */

struct wt_claims {
	struct wt_span flush;
	struct wt_span fsync, delay, woken, in_line;
	struct wt_span queue[WT_CLAIMS_MAX], wait[WT_CLAIMS_MAX];
	uint32_t queues, waits;
	uint64_t others_until_ns;         /* earlier batches' fsyncs begin before this */
	const struct wt_spans *rotations; /* commit lock held by a rotation or split */
	const struct wt_spans *busy;      /* the same, or a sync_call runs */
	bool owner_unknown;               /* the batch waited for isn't known whole */
	bool rows_missing;                /* the flush must have had rows that aren't there */
};

struct wt_split {
	uint64_t part_ns[WT_PARTS];
	uint64_t behind_others_ns; /* of queue and others' fsync: while a sync_call of another batch ran */
};

/* Adds an empty span never, and none beyond WT_CLAIMS_MAX. */
void wt_claim_queue(struct wt_claims *claims, struct wt_span span);
void wt_claim_wait(struct wt_claims *claims, struct wt_span span);

void wt_attribute(const struct wt_claims *claims, struct wt_split *split);

#endif
