/* SPDX-License-Identifier: MIT */
/* Resampling of two samples of blocks, and what follows from the resamples. Values in, values out; the same seed gives
 * the same numbers anywhere.
 *
 * Sources: B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7(1), 1979 (the bootstrap and
 * its percentile interval); E. Carlstein, "The use of subseries values for estimating the variance of a general statistic
 * from a stationary sequence", Annals of Statistics 14(3), 1986 (blocks that don't overlap); E. J. G. Pitman,
 * "Significance tests which may be applied to samples from any populations", Supplement to the Journal of the Royal
 * Statistical Society 4(1), 1937 (permutation test); S. Holm, "A simple sequentially rejective multiple test procedure",
 * Scandinavian Journal of Statistics 6(2), 1979; G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014 (SplitMix64). */
#ifndef WT_READ_BOOTSTRAP_H
#define WT_READ_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

enum { WT_HOLM_MAX = 64 };

struct wt_random {
	uint64_t state; /* any value is a seed */
};

struct wt_interval {
	double low, high;
};

/* How often each block counts for the first sample and for the second. The blocks of both lie in one array, n[0] of the
 * first before n[1] of the second; weight[s] has room for all of them. */
struct wt_draw {
	uint32_t n[2];
	uint32_t *weight[2];
};

/* The samples as they are. */
void wt_draw_observed(struct wt_draw *draw);
/* Each sample drawn from its own blocks with replacement. */
void wt_draw_bootstrap(struct wt_draw *draw, struct wt_random *random);
/* All blocks dealt out anew to both samples. `order` has room for all of them. */
void wt_draw_permutation(struct wt_draw *draw, struct wt_random *random, uint32_t *order);

/* The values of one statistic over the resamples, none of them NaN: sorts them. `share`: 0.95 leaves 2.5 % on each
 * side. */
struct wt_interval wt_interval_of(double *value, size_t n, double share);
/* Two-sided: how well the bootstrap's values agree with `none` being true. Agrees with the interval: below 0.05 if and
 * only if the 95 % interval leaves out `none`, but for a resample or two. */
double wt_bootstrap_p(const double *value, size_t n, double none);
/* Two-sided: how often a permutation gives a value at least as far from 0 as the observed one. */
double wt_permutation_p(const double *value, size_t n, double observed);
/* Makes of n p-values, at most WT_HOLM_MAX, those that may be compared with one level whatever n is. */
void wt_holm(double *p, size_t n);

#endif
