/* SPDX-License-Identifier: MIT */
/* Percentiles of any weighted choice of blocks, quickly: how many values of each block lie at or below each step.
 * A step is 1/512 of a power of two, and a percentile is interpolated inside it: so it is known to better than 0.2 %.
 *
 * Filled twice with the same values: wt_ranks_mark finds the steps that occur, wt_ranks_room makes room for them,
 * wt_ranks_add counts, wt_ranks_close adds up; then it is asked. */
#ifndef WT_READ_RANKS_H
#define WT_READ_RANKS_H

#include <stdint.h>

#include "base/compiler.h"

enum { WT_RANKS_SUB_BITS = 9, WT_RANKS_STEPS = (64 - WT_RANKS_SUB_BITS + 1) << WT_RANKS_SUB_BITS };

struct wt_ranks {
	uint32_t *count; /* [row][block]: values of the block up to the end of the row's step */
	uint32_t *step;  /* [row], ascending */
	uint32_t rows, blocks;
	uint16_t row_of[WT_RANKS_STEPS]; /* 0: the step doesn't occur; else its row + 1 */
};
_Static_assert(WT_RANKS_STEPS < 65536, "a row fits");

void wt_ranks_mark(struct wt_ranks *ranks, uint64_t value);
int wt_ranks_room(struct wt_ranks *ranks, uint32_t blocks) WT_MUST_CHECK;
void wt_ranks_add(struct wt_ranks *ranks, uint64_t value, uint32_t block);
void wt_ranks_close(struct wt_ranks *ranks);
void wt_ranks_free(struct wt_ranks *ranks);

/* How many values there are; each block counts weight[block] times. */
uint64_t wt_ranks_n(const struct wt_ranks *ranks, const uint32_t *weight);
/* The value at or below which `share` of them lie; 0 if there are none. */
double wt_ranks_quantile(const struct wt_ranks *ranks, const uint32_t *weight, double share);

#endif
