/* SPDX-License-Identifier: MIT */
/* What the findings need beside a report's other numbers: counts, and the records that show the most. Added up over one
 * trace or several. */
#ifndef WT_READ_SIGNS_H
#define WT_READ_SIGNS_H

#include <stdbool.h>
#include <stdint.h>

#include "read/model.h"
#include "read/store.h"
#include "read/verify.h"

enum { WT_SIGNS_KEPT = 5 };

/* A write and a flush are two commands to a device, and two trips into the kernel; no durable device is known to answer
 * both in less. Four lanes of PCI Express 5, which is what an SSD has, carry 14 bytes a nanosecond. */
#define WT_FAST_FSYNC_NS 15000
#define WT_FAST_FSYNC_BYTES_A_NS 14

struct wt_sign {
	uint32_t trace;
	uint64_t id, weight;
};

/* The heaviest, heaviest first. */
struct wt_sign_list {
	struct wt_sign at[WT_SIGNS_KEPT];
	uint32_t n;
};

struct wt_signs {
	/* What the verdicts say. */
	uint64_t incomplete, lossy, filtered; /* traces: not complete; that lost records; without fast operations */
	uint64_t records, dropped, omitted, outstanding, problems;
	double uncovered;                                 /* the largest share of a trace's records that isn't there */
	char why[WT_VERDICT_TEXT], mend[WT_VERDICT_TEXT]; /* of the first incomplete one */

	/* Batches of loggers with a delay timer: led by the timer, or by a flush that found the block full. */
	uint64_t timer_batches, size_batches;
	uint64_t delay_ms, block_limit;  /* the largest delay; the smallest limit of these loggers */
	struct wt_sign_list size_owners; /* commit_locks by wait */

	struct wt_sign_list notifies; /* commit_locks by the time that waking took */

	/* Fsyncs. */
	uint64_t sync_span_ns; /* from a logger's first fsync to its last one's end; loggers added */
	uint64_t fast_syncs;   /* too fast to be true */
	struct wt_sign_list fastest, longest;
};

void wt_sign_keep(struct wt_sign_list *list, uint32_t trace, uint64_t id, uint64_t weight);
bool wt_fsync_is_too_fast(uint64_t total_ns, uint64_t bytes);

/* As lines come; `trace` is the number of the trace. */
void wt_signs_lock(struct wt_signs *signs, const struct wt_record *record, uint32_t trace);
/* At a trace's end; the store is closed. */
void wt_signs_store(struct wt_signs *signs, const struct wt_store *store, uint32_t trace);
void wt_signs_verdict(struct wt_signs *signs, const struct wt_verdict *verdict);
/* Records that are there, of those that should be; 0 to 1. */
double wt_covered(const struct wt_verdict *verdict);

#endif
