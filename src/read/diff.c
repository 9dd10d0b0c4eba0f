/* SPDX-License-Identifier: MIT */
#include "read/diff.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* One choice of slices, summed up. */
struct sums {
	double span_ns, flushes, total_ns, part_ns[WT_PARTS], behind_others_ns, syncs, sync_ns;
};

struct work {
	const struct wt_slices *slices;
	struct wt_draw draw;
	uint32_t *order;
	double mean_a_ns;  /* of the first run, as observed: what parts are a share of */
	double *bootstrap; /* [column][resample]; a metric's: the logarithm of b / a; a part's: the change */
	double *permutation;
};

/* ---- One draw ------------------------------------------------------------------------------------------------- */

static struct sums sum_up(const struct work *w, int side)
{
	struct sums s = {0};
	for (uint32_t i = 0; i < w->draw.n[0] + w->draw.n[1]; i++) {
		const struct wt_slice *slice = &w->slices->at[i];
		double weight = w->draw.weight[side][i];
		if (!(weight > 0)) continue;
		s.span_ns += weight * slice->span_ns;
		s.flushes += weight * (double)slice->flushes;
		s.total_ns += weight * (double)slice->total_ns;
		s.behind_others_ns += weight * (double)slice->behind_others_ns;
		s.syncs += weight * (double)slice->syncs;
		s.sync_ns += weight * (double)slice->sync_ns;
		for (int p = 0; p < WT_PARTS; p++) s.part_ns[p] += weight * (double)slice->part_ns[p];
	}
	return s;
}

static double per(double sum, double n) { return n > 0 ? sum / n : 0; }

/* What is known of a side: the metrics, then the parts' means. */
static void look(const struct work *w, int side, const bool *wanted, double value[WT_DIFF_COLUMNS])
{
	const uint32_t *weight = w->draw.weight[side];
	struct sums s = sum_up(w, side);
	for (int m = 0; m < WT_METRICS; m++) {
		const struct wt_metric_about *about = &wt_metric_about[m];
		value[m] = 0;
		if (about->share > 0 && wanted[m])
			value[m] = wt_ranks_quantile(about->of_syncs ? &w->slices->sync : &w->slices->flush, weight,
			                             about->share);
	}
	value[WT_METRIC_MEAN] = per(s.total_ns, s.flushes);
	value[WT_METRIC_THROUGHPUT] = per(s.flushes * 1e9, s.span_ns);
	value[WT_METRIC_FSYNC_MEAN] = per(s.sync_ns, s.syncs);
	for (int p = 0; p < WT_PARTS; p++) value[WT_METRICS + p] = per(s.part_ns[p], s.flushes);
}

/* Never NaN: what is 0 on both sides hasn't changed. */
static double logarithm(double a, double b)
{
	if (!(a > 0)) return b > 0 ? INFINITY : 0;
	return b > 0 ? log(b / a) : -INFINITY;
}

static void compare(const struct work *w, const bool *wanted, double change[WT_DIFF_COLUMNS])
{
	double a[WT_DIFF_COLUMNS], b[WT_DIFF_COLUMNS];
	look(w, 0, wanted, a);
	look(w, 1, wanted, b);
	for (int c = 0; c < WT_METRICS; c++) change[c] = logarithm(a[c], b[c]);
	for (int c = WT_METRICS; c < WT_DIFF_COLUMNS; c++) change[c] = per(b[c] - a[c], w->mean_a_ns);
}

/* ---- All of them ---------------------------------------------------------------------------------------------- */

static void resample(struct work *w, const bool *wanted)
{
	struct wt_random random = {WT_DIFF_SEED};
	double change[WT_DIFF_COLUMNS];
	for (size_t i = 0; i < WT_DIFF_RESAMPLES; i++) {
		wt_draw_bootstrap(&w->draw, &random);
		compare(w, wanted, change);
		for (size_t c = 0; c < WT_DIFF_COLUMNS; c++) w->bootstrap[c * WT_DIFF_RESAMPLES + i] = change[c];
		wt_draw_permutation(&w->draw, &random, w->order);
		compare(w, wanted, change);
		for (size_t c = 0; c < WT_DIFF_COLUMNS; c++) w->permutation[c * WT_DIFF_RESAMPLES + i] = change[c];
	}
}

static bool enough(const struct work *w, int metric)
{
	const struct wt_metric_about *about = &wt_metric_about[metric];
	for (int side = 0; side < 2; side++) {
		const struct wt_ranks *ranks = about->of_syncs ? &w->slices->sync : &w->slices->flush;
		double n = (double)wt_ranks_n(ranks, w->draw.weight[side]);
		if (!(n > 0)) return false;
		if (about->share > 0 && n * (1 - about->share) < WT_DIFF_TAIL * (1 - 1e-9)) return false;
	}
	return true;
}

static struct wt_change *column(struct wt_diff *diff, int c)
{
	return c < WT_METRICS ? &diff->metric[c] : &diff->part[c - WT_METRICS];
}

/* With the draw as observed. Percentiles that can't be judged are told all the same. */
static void observe(struct wt_diff *diff, struct work *w, bool *wanted)
{
	double a[WT_DIFF_COLUMNS], b[WT_DIFF_COLUMNS];
	for (int m = 0; m < WT_METRICS; m++) wanted[m] = true;
	look(w, 0, wanted, a);
	look(w, 1, wanted, b);
	w->mean_a_ns = a[WT_METRIC_MEAN];
	for (int c = 0; c < WT_DIFF_COLUMNS; c++) {
		struct wt_change *change = column(diff, c);
		*change = (struct wt_change){.a = a[c], .b = b[c], .p = 1};
		if (c < WT_METRICS) {
			change->judged = wanted[c] = enough(w, c);
			change->change = expm1(logarithm(a[c], b[c]));
		} else {
			change->judged = a[c] > 0 || b[c] > 0;
			change->change = per(b[c] - a[c], w->mean_a_ns);
		}
	}
}

static double p_of(const struct work *w, int c, double observed)
{
	const double *bootstrap = w->bootstrap + (size_t)c * WT_DIFF_RESAMPLES;
	const double *permutation = w->permutation + (size_t)c * WT_DIFF_RESAMPLES;
	double p = wt_bootstrap_p(bootstrap, WT_DIFF_RESAMPLES, 0);
	double q = wt_permutation_p(permutation, WT_DIFF_RESAMPLES, observed);
	return p > q ? p : q;
}

static void judge(struct wt_diff *diff, struct work *w)
{
	double p[WT_DIFF_COLUMNS];
	uint32_t n = 0;
	for (int c = 0; c < WT_DIFF_COLUMNS; c++) {
		struct wt_change *change = column(diff, c);
		if (!change->judged) continue;
		p[n++] = p_of(w, c, c < WT_METRICS ? logarithm(change->a, change->b) : change->change);
		change->interval = wt_interval_of(w->bootstrap + (size_t)c * WT_DIFF_RESAMPLES, WT_DIFF_RESAMPLES,
		                                  WT_DIFF_CONFIDENCE);
		if (c >= WT_METRICS) continue;
		change->interval.low = expm1(change->interval.low);
		change->interval.high = expm1(change->interval.high);
	}
	wt_holm(p, n);
	for (int c = WT_DIFF_COLUMNS; c--;) {
		struct wt_change *change = column(diff, c);
		if (!change->judged) continue;
		change->p = p[--n];
		change->changed = change->p < WT_DIFF_LEVEL && fabs(change->change) >= WT_DIFF_FLOOR;
		change->worse = change->changed && (change->change > 0) != (c == WT_METRIC_THROUGHPUT);
	}
}

/* ---- What it comes to ----------------------------------------------------------------------------------------- */

static enum wt_diff_verdict verdict_of(const struct wt_diff *diff)
{
	bool slower = false, faster = false, other = false;
	for (int m = 0; m < WT_METRICS; m++) {
		const struct wt_change *change = &diff->metric[m];
		if (!change->changed) continue;
		if (wt_metric_about[m].of_syncs) other = true;
		else if (change->worse) slower = true;
		else faster = true;
	}
	for (int p = 0; p < WT_PARTS; p++) other |= diff->part[p].changed;
	if (slower) return faster ? WT_DIFF_MIXED : WT_DIFF_SLOWER;
	return faster ? WT_DIFF_FASTER : other ? WT_DIFF_OTHER : WT_DIFF_SAME;
}

/* If the wait for others' fsyncs grew because each fsync did, the fsync is the cause. */
static void explain(struct wt_diff *diff, double behind_change_ns)
{
	const struct wt_change *mean = &diff->metric[WT_METRIC_MEAN], *sync = &diff->metric[WT_METRIC_FSYNC_MEAN];
	double whole = mean->b - mean->a;
	if (!mean->changed) return;
	for (int p = 0; p < WT_PARTS; p++) {
		diff->share[p] = (diff->part[p].b - diff->part[p].a) / whole;
		if (diff->share[p] > diff->share[diff->cause]) diff->cause = (enum wt_part)p;
	}
	diff->explained = true;
	diff->cause_share = diff->share[diff->cause];
	if (!sync->changed || sync->worse != mean->worse) return;
	double behind = behind_change_ns / whole;
	bool waits = diff->cause == WT_PART_QUEUE || diff->cause == WT_PART_OTHER_FSYNC;
	if (diff->cause != WT_PART_FSYNC && !(waits && behind >= diff->cause_share / 2)) return;
	diff->cause = WT_PART_FSYNC;
	diff->cause_share = diff->share[WT_PART_FSYNC];
	if (behind < WT_DIFF_FLOOR) return;
	diff->through_others = true;
	diff->cause_share += behind;
}

/* A gate that demands an improvement is broken only by a change that is surely less; any other, by one that is no noise. */
static double p_beyond(const struct work *w, const struct wt_gate *gate, const struct wt_change *change)
{
	double none = gate->below == (gate->limit < 0) ? gate->limit : 0;
	if (!(fabs(none) > 0)) return p_of(w, (int)gate->metric, logarithm(change->a, change->b));
	return wt_bootstrap_p(w->bootstrap + (size_t)gate->metric * WT_DIFF_RESAMPLES, WT_DIFF_RESAMPLES,
	                      none > -1 ? log1p(none) : -INFINITY);
}

static void decide(struct wt_diff *diff, const struct work *w, const struct wt_gate *gate, uint32_t gates)
{
	double p[WT_GATES_MAX];
	for (uint32_t i = 0; i < gates; i++) {
		const struct wt_gate *g = &gate[i];
		const struct wt_change *change = &diff->metric[g->metric];
		diff->gate[i].change = change->change;
		p[i] = change->judged ? p_beyond(w, g, change) : 1;
	}
	wt_holm(p, gates);
	for (uint32_t i = 0; i < gates; i++) {
		const struct wt_gate *g = &gate[i];
		struct wt_gate_result *result = &diff->gate[i];
		bool beyond = g->below ? result->change >= g->limit : result->change <= g->limit;
		result->p = p[i];
		if (!diff->metric[g->metric].judged) result->state = WT_GATE_UNDECIDED;
		else if (beyond && p[i] < WT_DIFF_LEVEL) result->state = WT_GATE_BROKEN;
		diff->gate_broken |= result->state == WT_GATE_BROKEN;
	}
}

static void count(struct wt_diff *diff, const struct work *w)
{
	for (int side = 0; side < 2; side++) {
		struct sums s = sum_up(w, side);
		diff->slices[side] = w->draw.n[side];
		diff->slice_ns[side] = s.span_ns / w->draw.n[side];
		diff->flushes[side] = (uint64_t)s.flushes;
		diff->syncs[side] = (uint64_t)s.syncs;
		diff->failed[side] = w->slices->failed[side];
	}
}

static bool begin(struct work *w, const struct wt_slices *slices)
{
	size_t all = (size_t)slices->n[0] + slices->n[1];
	*w = (struct work){.slices = slices, .draw.n = {slices->n[0], slices->n[1]}};
	w->draw.weight[0] = calloc(all, sizeof *w->draw.weight[0]);
	w->draw.weight[1] = calloc(all, sizeof *w->draw.weight[1]);
	w->order = calloc(all, sizeof *w->order);
	w->bootstrap = calloc((size_t)WT_DIFF_COLUMNS * WT_DIFF_RESAMPLES, sizeof *w->bootstrap);
	w->permutation = calloc((size_t)WT_DIFF_COLUMNS * WT_DIFF_RESAMPLES, sizeof *w->permutation);
	return w->draw.weight[0] && w->draw.weight[1] && w->order && w->bootstrap && w->permutation;
}

static void end(struct work *w)
{
	free(w->draw.weight[0]);
	free(w->draw.weight[1]);
	free(w->order);
	free(w->bootstrap);
	free(w->permutation);
}

static double behind_change_ns(const struct work *w)
{
	struct sums a = sum_up(w, 0), b = sum_up(w, 1);
	return per(b.behind_others_ns, b.flushes) - per(a.behind_others_ns, a.flushes);
}

int wt_diff(struct wt_diff *diff, const struct wt_slices *slices, const struct wt_gate *gate, uint32_t gates,
            struct wt_err *err)
{
	struct work w;
	bool wanted[WT_METRICS];
	int result = 0;
	assert(gates <= WT_GATES_MAX);
	*diff = (struct wt_diff){0};
	if (begin(&w, slices)) {
		wt_draw_observed(&w.draw);
		observe(diff, &w, wanted);
		count(diff, &w);
		double behind_ns = behind_change_ns(&w);
		resample(&w, wanted);
		decide(diff, &w, gate, gates);
		judge(diff, &w);
		diff->verdict = verdict_of(diff);
		explain(diff, behind_ns);
	} else {
		result = wt_err_set(err, -ENOMEM, "out of memory for a comparison");
	}
	end(&w);
	return result;
}
