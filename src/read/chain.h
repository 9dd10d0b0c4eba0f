/* SPDX-License-Identifier: MIT */
/* A flush's chain of records in a closed store: its own locks, the batch that covered it, whose that was. */
#ifndef WT_READ_CHAIN_H
#define WT_READ_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "read/attribute.h"
#include "read/store.h"

enum wt_owner {
	WT_OWNER_NONE,  /* waited for nobody: fast path, or it failed at once */
	WT_OWNER_SELF,  /* led its batch */
	WT_OWNER_FLUSH, /* another flush led it */
	WT_OWNER_TIMER,
	WT_OWNER_CHECKPOINT,
	WT_OWNER_UNKNOWN, /* its records are missing */
};

struct wt_chain {
	const struct wt_flush_row *flush;
	const struct wt_lock_row *own[WT_STORE_ROWS_MAX]; /* its commit_lock rows, in order of id */
	uint32_t owns;
	bool waiter; /* one of them registered it as a waiter: it counts on a delay timer */
	enum wt_owner owner;
	const struct wt_sync_row *sync;   /* that covered it; NULL: unknown, or none */
	const struct wt_lock_row *lock;   /* of that sync */
	const struct wt_timer_row *timer; /* that took that lock */
	uint64_t others_until_ns;         /* fsyncs that begin before this are of earlier batches */
};

void wt_chain_of(const struct wt_store *store, const struct wt_flush_row *flush, struct wt_chain *chain);
void wt_chain_claims(const struct wt_store *store, const struct wt_chain *chain, struct wt_claims *claims);

#endif
