/* SPDX-License-Identifier: MIT */
#include "read/bootstrap.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_random(struct wt_random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* 0 … n - 1, each as likely as any other to within n / 2^64; n is at least 1. */
static uint32_t below(struct wt_random *random, uint32_t n)
{
	return (uint32_t)((next_random(random) >> 32) * n >> 32);
}

static void clear(struct wt_draw *draw)
{
	size_t bytes = ((size_t)draw->n[0] + draw->n[1]) * sizeof *draw->weight[0];
	memset(draw->weight[0], 0, bytes);
	memset(draw->weight[1], 0, bytes);
}

void wt_draw_observed(struct wt_draw *draw)
{
	clear(draw);
	for (uint32_t i = 0; i < draw->n[0]; i++) draw->weight[0][i] = 1;
	for (uint32_t i = 0; i < draw->n[1]; i++) draw->weight[1][draw->n[0] + i] = 1;
}

void wt_draw_bootstrap(struct wt_draw *draw, struct wt_random *random)
{
	clear(draw);
	for (uint32_t i = 0; i < draw->n[0]; i++) draw->weight[0][below(random, draw->n[0])]++;
	for (uint32_t i = 0; i < draw->n[1]; i++) draw->weight[1][draw->n[0] + below(random, draw->n[1])]++;
}

void wt_draw_permutation(struct wt_draw *draw, struct wt_random *random, uint32_t *order)
{
	uint32_t all = draw->n[0] + draw->n[1];
	clear(draw);
	for (uint32_t i = 0; i < all; i++) order[i] = i;
	for (uint32_t i = 0; i < draw->n[0]; i++) {
		uint32_t other = i + below(random, all - i), block = order[other];
		order[other] = order[i];
		order[i] = block;
	}
	for (uint32_t i = 0; i < all; i++) draw->weight[i >= draw->n[0]][order[i]] = 1;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct wt_interval wt_interval_of(double *value, size_t n, double share)
{
	size_t beyond = (size_t)((1 - share) / 2 * (double)n);
	qsort(value, n, sizeof *value, ascending);
	return (struct wt_interval){value[beyond], value[n - 1 - beyond]};
}

double wt_bootstrap_p(const double *value, size_t n, double none)
{
	size_t below = 0, above = 0;
	for (size_t i = 0; i < n; i++) {
		below += value[i] <= none;
		above += value[i] >= none;
	}
	size_t fewer = below < above ? below : above;
	double p = 2 * (double)(fewer + 1) / (double)(n + 1);
	return p < 1 ? p : 1;
}

double wt_permutation_p(const double *value, size_t n, double observed)
{
	size_t as_far = 0;
	/* A sum in another order differs in its last digits: that is not nearer. */
	double far = fabs(observed) * (1 - 1e-9);
	for (size_t i = 0; i < n; i++) as_far += fabs(value[i]) >= far;
	return (double)(as_far + 1) / (double)(n + 1);
}

/* The k-th smallest of n is multiplied by n - k + 1, and none may be less than one before it. */
void wt_holm(double *p, size_t n)
{
	uint64_t done = 0; /* a bit each */
	double least = 0;
	assert(n <= WT_HOLM_MAX);
	for (size_t left = n; left; left--) {
		size_t next = 0;
		while (done >> next & 1) next++;
		for (size_t i = next + 1; i < n; i++)
			if (!(done >> i & 1) && p[i] < p[next]) next = i;
		done |= 1ull << next;
		double adjusted = p[next] * (double)left;
		if (adjusted > least) least = adjusted < 1 ? adjusted : 1;
		p[next] = least;
	}
}
