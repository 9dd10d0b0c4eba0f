/* SPDX-License-Identifier: MIT */
/* Two runs cut into slices of time, and what happened in each: the blocks that a comparison resamples.
 *
 * A slice is at least as long as a window if there are enough windows, and long enough that what happens in one says
 * little of the next: slices are made twice as long while the means of neighbours resemble each other. Those of both runs
 * are of one length (to within half a slice over the whole run), so that they can be exchanged. A flush or sync_call
 * belongs to the slice in which it ends. */
#ifndef WT_READ_SLICES_H
#define WT_READ_SLICES_H

#include <stdint.h>

#include "base/err.h"
#include "read/part.h"
#include "read/ranks.h"
#include "read/store.h"

struct wt_slice {
	double span_ns;
	uint64_t flushes, total_ns, part_ns[WT_PARTS], behind_others_ns; /* see attribute.h */
	uint64_t syncs, sync_ns;
};

/* A large value: allocate it. */
struct wt_slices {
	uint32_t n[2];
	struct wt_slice *at; /* those of the first run, then those of the second */
	struct wt_ranks flush, sync;
	uint64_t failed[2]; /* flushes */
};

/* Cuts two closed stores, which were recorded with windows of this length. 0; -ENODATA if a run is too short, or they
 * are too different in length, with a message that says which and why; -ENOMEM. To be freed in every case. */
int wt_slices_cut(struct wt_slices *slices, const struct wt_store *const run[2], const uint64_t window_ns[2],
                  struct wt_err *err) WT_MUST_CHECK;
void wt_slices_free(struct wt_slices *slices);

#endif
