/* SPDX-License-Identifier: MIT */
#include "read/summarise.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "read/units.h"

static double share_of(const struct wt_tally *t, double ns)
{
	return t->flush.total.sum ? ns / (double)t->flush.total.sum : 0;
}

bool wt_waits_for_others(const struct wt_tally *tally)
{
	return share_of(tally, (double)tally->behind_others_ns) >= WT_CONVOY_SHARE;
}

static enum wt_part largest(const struct wt_tally *t)
{
	enum wt_part best = WT_PART_ROTATION;
	for (enum wt_part p = 0; p < WT_PARTS; p++)
		if (t->flush.sum[p] > t->flush.sum[best]) best = p;
	return best;
}

static const char *phrase(enum wt_part part)
{
	switch (part) {
	case WT_PART_ROTATION: return "waiting for checkpoint rotations";
	case WT_PART_FSYNC: return "its own batch's fsync";
	case WT_PART_DELAY: return "the delay timer";
	case WT_PART_QUEUE: return "queueing for the commit lock";
	case WT_PART_WOKEN: return "being woken after the fsync";
	case WT_PART_OTHER_FSYNC: return "waiting while earlier batches are written";
	case WT_PART_OWN: return "its own code";
	case WT_PART_UNKNOWN_OWNER: return "waiting for batches whose records are missing";
	default: return "unaccounted for";
	}
}

void wt_headline(const struct wt_tally *t, char *out, size_t room)
{
	double mean_ns = wt_dist_mean(&t->flush.total);
	enum wt_part part = largest(t);
	if (!t->flush.total.n) {
		snprintf(out, room, "No flush in this trace: nothing to say about commits.");
		return;
	}
	int n = snprintf(out, room, "%s of a commit's %s is %s",
	                 wt_share((double)t->flush.sum[part], (double)t->flush.total.sum).text, wt_ns(mean_ns).text,
	                 phrase(part));
	if (n < 0 || (size_t)n >= room) return;
	bool convoy = wt_waits_for_others(t) && (part == WT_PART_QUEUE || part == WT_PART_OTHER_FSYNC);
	snprintf(out + n, room - (size_t)n, convoy ? ": commits wait for one another's fsyncs." : ".");
}

uint64_t wt_good_syncs(const struct wt_tally *t) { return t->syncs[0] + t->syncs[1] + t->syncs[2] + t->syncs[3]; }

double wt_flushes_per_fsync(const struct wt_tally *t)
{
	uint64_t syncs = wt_good_syncs(t), flushes = t->flush.total.n - t->failed_flushes;
	flushes = flushes > t->entry_fast_paths ? flushes - t->entry_fast_paths : 0;
	return syncs ? (double)flushes / (double)syncs : 0;
}

static void summarise_flushes(const struct wt_tally *t, struct wt_summary *out)
{
	const struct wt_dist *total = &t->flush.total;
	double n = total->n ? (double)total->n : 1;
	out->flushes = total->n;
	out->failed_flushes = t->failed_flushes;
	out->duration_ns = t->duration_ns;
	out->flushes_per_second = t->duration_ns ? (double)total->n * 1e9 / (double)t->duration_ns : 0;
	out->mean_ns = wt_dist_mean(total);
	out->p50_ns = wt_parted_quantile(&t->flush, 0.5).value_ns;
	out->p99_ns = wt_parted_quantile(&t->flush, 0.99).value_ns;
	out->p999_ns = wt_parted_quantile(&t->flush, 0.999).value_ns;
	out->max_ns = total->max;
	out->total_ns = total->sum;
	for (int p = 0; p < WT_PARTS; p++) {
		out->part_sum_ns[p] = t->flush.sum[p];
		out->part_mean_ns[p] = (double)t->flush.sum[p] / n;
	}
	out->behind_others_ns = (double)t->behind_others_ns / n;
}

void wt_summarise(const struct wt_tally *t, const struct wt_verdict *verdict, struct wt_summary *out)
{
	*out = (struct wt_summary){.complete = verdict->complete};
	snprintf(out->incomplete, sizeof out->incomplete, "%.*s", (int)sizeof out->incomplete - 1, verdict->why);
	wt_headline(t, out->headline, sizeof out->headline);
	summarise_flushes(t, out);
	out->fsyncs = wt_good_syncs(t);
	out->failed_fsyncs = t->failed_syncs;
	out->flushes_per_fsync = wt_flushes_per_fsync(t);
	out->fsync_mean_ns = wt_dist_mean(&t->fsync);
	out->fsync_p50_ns = wt_dist_quantile(&t->fsync, 0.5);
	out->fsync_p99_ns = wt_dist_quantile(&t->fsync, 0.99);
	out->fsync_max_ns = t->fsync.max;
}
