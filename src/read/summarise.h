/* SPDX-License-Identifier: MIT */
/* From a tally to the few numbers and the sentence that stand at the top. */
#ifndef WT_READ_SUMMARISE_H
#define WT_READ_SUMMARISE_H

#include <stdbool.h>
#include <stddef.h>

#include "read/summary.h"
#include "read/tally.h"
#include "read/verify.h"

/* A quarter of the time behind other batches' fsyncs: more than that, and fewer fsyncs would help more than any other
 * single thing could. */
#define WT_CONVOY_SHARE 0.25

bool wt_waits_for_others(const struct wt_tally *tally);
void wt_headline(const struct wt_tally *tally, char *out, size_t room);
uint64_t wt_good_syncs(const struct wt_tally *tally);
double wt_flushes_per_fsync(const struct wt_tally *tally);
void wt_summarise(const struct wt_tally *tally, const struct wt_verdict *verdict, struct wt_summary *out);

#endif
