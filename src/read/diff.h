/* SPDX-License-Identifier: MIT */
/* What changed between two runs, and is it noise?
 *
 * Each metric's change is a point estimate, a 95 % interval from resampled slices, and a p-value: the larger of the
 * bootstrap's and of a permutation test's. The bootstrap alone calls a handful of stalls that one run happened to have
 * significant; the permutation test alone answers whether the runs are exchangeable, not whether this metric differs.
 * A metric has changed if its p-value, adjusted by Holm for all metrics that are judged, is under 0.05 and the change is
 * at least 3 %: two runs of one program on one machine differ by that much through nothing that resampling within the
 * runs can see (addresses, placement of files, the machine's other work). docs/diff.md says more. */
#ifndef WT_READ_DIFF_H
#define WT_READ_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "read/bootstrap.h"
#include "read/gate.h"
#include "read/limits.h"
#include "read/metric.h"
#include "read/part.h"
#include "read/slices.h"

#define WT_DIFF_LEVEL 0.05
#define WT_DIFF_CONFIDENCE 0.95
#define WT_DIFF_FLOOR 0.03 /* a smaller change counts as none */

enum {
	WT_DIFF_RESAMPLES = 4000, /* of each kind */
	WT_DIFF_TAIL = 20,        /* values beyond a percentile that it takes to judge it */
	WT_DIFF_SEED = 1,
	WT_DIFF_COLUMNS = WT_METRICS + WT_PARTS, /* the metrics, then the parts */
};

struct wt_change {
	bool judged;                 /* both runs have what it takes to compare it */
	bool changed;                /* and it did, by more than noise */
	bool worse;                  /* if it changed: for the one who waits */
	double a, b;                 /* nanoseconds; throughput: flushes a second */
	double change;               /* share of a; of a part: share of a's mean commit. Infinite: a is 0 */
	struct wt_interval interval; /* of the change */
	double p;                    /* adjusted */
};

enum wt_diff_verdict {
	WT_DIFF_SAME,   /* no difference beyond noise */
	WT_DIFF_OTHER,  /* no slower and no faster, but parts or fsyncs changed */
	WT_DIFF_FASTER, /* nothing got slower */
	WT_DIFF_SLOWER, /* nothing got faster */
	WT_DIFF_MIXED,  /* some of it slower, some faster */
};

enum wt_gate_state { WT_GATE_HELD, WT_GATE_BROKEN, WT_GATE_UNDECIDED };

struct wt_gate_result {
	enum wt_gate_state state;
	double change, p; /* p: adjusted for all gates */
};

struct wt_diff {
	struct wt_change metric[WT_METRICS], part[WT_PARTS];
	double share[WT_PARTS]; /* of the change of the mean; add up to 1. 0 if there is none */
	enum wt_diff_verdict verdict;

	/* What explains the change of the mean, if the mean changed. */
	bool explained;
	enum wt_part cause;
	double cause_share;
	bool through_others; /* the cause is fsync, and some of its share is waiting for the fsyncs of others */

	struct wt_gate_result gate[WT_GATES_MAX];
	bool gate_broken;
	uint32_t slices[2];
	double slice_ns[2];
	uint64_t flushes[2], failed[2], syncs[2];
};

/* One sentence: what changed, by how much, and what explains it. */
void wt_diff_headline(const struct wt_diff *diff, char *out, size_t room);

/* 0 or -ENOMEM. At most WT_GATES_MAX gates. */
int wt_diff(struct wt_diff *diff, const struct wt_slices *slices, const struct wt_gate *gate, uint32_t gates,
            struct wt_err *err) WT_MUST_CHECK;

#endif
