/* SPDX-License-Identifier: MIT */
#include "read/ranks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { STEPS = 1 << WT_RANKS_SUB_BITS };

/* As in base/hist.h, with finer steps. */
static uint32_t step_of(uint64_t v)
{
	if (v < STEPS) return (uint32_t)v;
	uint32_t shift = 63u - (uint32_t)__builtin_clzll(v) - WT_RANKS_SUB_BITS;
	return (shift + 1) * STEPS + ((uint32_t)(v >> shift) - STEPS);
}

static double low_of(uint32_t step)
{
	if (step < STEPS) return step;
	return ldexp(step % STEPS + STEPS, (int)(step / STEPS) - 1);
}

void wt_ranks_mark(struct wt_ranks *ranks, uint64_t value) { ranks->row_of[step_of(value)] = 1; }

int wt_ranks_room(struct wt_ranks *ranks, uint32_t blocks)
{
	ranks->rows = 0;
	for (uint32_t i = 0; i < WT_RANKS_STEPS; i++)
		if (ranks->row_of[i]) ranks->row_of[i] = (uint16_t)++ranks->rows;
	ranks->blocks = blocks;
	ranks->step = calloc(ranks->rows + 1, sizeof *ranks->step);
	ranks->count = calloc((size_t)(ranks->rows + 1) * blocks, sizeof *ranks->count);
	if (!ranks->step || !ranks->count) return -ENOMEM;
	for (uint32_t i = 0; i < WT_RANKS_STEPS; i++)
		if (ranks->row_of[i]) ranks->step[ranks->row_of[i] - 1] = i;
	return 0;
}

void wt_ranks_add(struct wt_ranks *ranks, uint64_t value, uint32_t block)
{
	ranks->count[(size_t)(ranks->row_of[step_of(value)] - 1) * ranks->blocks + block]++;
}

void wt_ranks_close(struct wt_ranks *ranks)
{
	for (size_t i = ranks->blocks; i < (size_t)ranks->rows * ranks->blocks; i++)
		ranks->count[i] += ranks->count[i - ranks->blocks];
}

void wt_ranks_free(struct wt_ranks *ranks)
{
	free(ranks->count);
	free(ranks->step);
	*ranks = (struct wt_ranks){0};
}

static uint64_t up_to(const struct wt_ranks *ranks, const uint32_t *weight, uint32_t row)
{
	const uint32_t *count = ranks->count + (size_t)row * ranks->blocks;
	uint64_t n = 0;
	for (uint32_t i = 0; i < ranks->blocks; i++) n += (uint64_t)weight[i] * count[i];
	return n;
}

uint64_t wt_ranks_n(const struct wt_ranks *ranks, const uint32_t *weight)
{
	return ranks->rows ? up_to(ranks, weight, ranks->rows - 1) : 0;
}

double wt_ranks_quantile(const struct wt_ranks *ranks, const uint32_t *weight, double share)
{
	double target = share * (double)wt_ranks_n(ranks, weight);
	uint64_t before = 0, to = 0;
	uint32_t low = 0, high = ranks->rows; /* the rows before `low` are below the target, those from `high` aren't */
	if (!(target > 0)) return 0;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if ((double)up_to(ranks, weight, middle) < target) low = middle + 1;
		else high = middle;
	}
	if (low == ranks->rows) low--;
	if (low) before = up_to(ranks, weight, low - 1);
	to = up_to(ranks, weight, low);
	double from = low_of(ranks->step[low]), width = low_of(ranks->step[low] + 1) - from;
	return to > before ? from + width * (target - (double)before) / (double)(to - before) : from;
}
