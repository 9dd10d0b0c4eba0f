/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/compiler.h"
#include "read/diff.h"
#include "read/units.h"

struct sentence {
	char *text;
	size_t room, used;
};

static void add(struct sentence *s, const char *format, ...) WT_PRINTF(2, 3);
static void add(struct sentence *s, const char *format, ...)
{
	va_list arguments;
	if (s->used >= s->room) return;
	va_start(arguments, format);
	int n = vsnprintf(s->text + s->used, s->room - s->used, format, arguments);
	va_end(arguments);
	if (n > 0) s->used += (size_t)n;
}

static struct wt_unit size_of(double change)
{
	struct wt_unit out = {"new"};
	if (isfinite(change))
		snprintf(out.text, sizeof out.text, "%.*f %%", fabs(change) < 0.9995 ? 1 : 0, 100 * fabs(change));
	return out;
}

static void add_metric(struct sentence *s, const struct wt_diff *diff, enum wt_metric m)
{
	const struct wt_change *change = &diff->metric[m];
	const char *way = change->change > 0 ? "higher" : "lower";
	if (m == WT_METRIC_THROUGHPUT)
		add(s, "throughput is %s %s (%.0f/s, then %.0f/s)", size_of(change->change).text, way, change->a,
		    change->b);
	else
		add(s, "%s is %s %s (%s, then %s)", wt_metric_about[m].name, size_of(change->change).text, way,
		    wt_ns(change->a).text, wt_ns(change->b).text);
}

static void add_cause(struct sentence *s, const struct wt_diff *diff)
{
	const struct wt_change *sync = &diff->metric[WT_METRIC_FSYNC_MEAN];
	if (!diff->explained) return;
	add(s, ": %s explains %s of it", wt_part_name[diff->cause], wt_share(diff->cause_share, 1).text);
	if (diff->cause == WT_PART_FSYNC && sync->changed)
		add(s, ", an fsync takes %s %s%s", size_of(sync->change).text, sync->change > 0 ? "longer" : "less",
		    diff->through_others ? " and commits wait for those of others too" : "");
}

/* The mean says it all; without it, what did change, the fewest words first. */
static void add_times(struct sentence *s, const struct wt_diff *diff)
{
	const struct wt_change *mean = &diff->metric[WT_METRIC_MEAN];
	const char *comma = "";
	if (mean->changed) {
		add(s, "commits take %s %s (mean %s, then %s)", size_of(mean->change).text,
		    mean->change > 0 ? "longer" : "less", wt_ns(mean->a).text, wt_ns(mean->b).text);
		add_cause(s, diff);
		comma = "; but ";
	}
	for (int m = 0; m < WT_METRICS; m++) {
		const struct wt_change *change = &diff->metric[m];
		if (!change->changed || wt_metric_about[m].of_syncs || m == WT_METRIC_MEAN) continue;
		if (mean->changed && change->worse == mean->worse) continue;
		add(s, "%s", comma);
		add_metric(s, diff, (enum wt_metric)m);
		comma = ", ";
	}
	if (!mean->changed) add(s, "; the mean is the same to within noise");
}

static void add_others(struct sentence *s, const struct wt_diff *diff)
{
	const char *comma = ": ";
	add(s, "commits take as long as before, but not in the same way");
	for (int p = 0; p < WT_PARTS; p++) {
		const struct wt_change *change = &diff->part[p];
		if (!change->changed) continue;
		add(s, "%s%s %s", comma, wt_part_name[p], wt_signed_ns(change->b - change->a).text);
		comma = ", ";
	}
	for (int m = 0; m < WT_METRICS; m++) {
		if (!diff->metric[m].changed) continue;
		add(s, "%s", comma);
		add_metric(s, diff, (enum wt_metric)m);
		comma = ", ";
	}
}

void wt_diff_headline(const struct wt_diff *diff, char *out, size_t room)
{
	struct sentence s = {out, room, 0};
	if (diff->verdict == WT_DIFF_SAME) add(&s, "no difference beyond noise");
	else if (diff->verdict == WT_DIFF_OTHER) add_others(&s, diff);
	else add_times(&s, diff);
	add(&s, ".");
	if (room && out[0] >= 'a' && out[0] <= 'z') out[0] = (char)(out[0] - 'a' + 'A');
}
