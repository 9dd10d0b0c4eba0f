/* SPDX-License-Identifier: MIT */
/* The comparison for programs. Keys are promised: docs/diff.md names each; new ones are only added. */
#include <math.h>

#include "cli/diff.h"
#include "cli/json.h"

enum { DIFF_VERSION = 1 };

const char *const wt_diff_verdict_key[WT_DIFF_MIXED + 1] = {"same", "other", "faster", "slower", "mixed"};
const char *const wt_gate_state_key[WT_GATE_UNDECIDED + 1] = {"held", "broken", "undecided"};

static void put_real(struct wt_json *j, const char *key, double value)
{
	if (isfinite(value)) wt_json_real(j, key, value);
	else wt_json_null(j, key);
}

static void put_run(struct wt_json *j, const char *key, const struct wt_comparison *c, int run)
{
	const struct wt_report_trace *trace = &c->trace[run];
	const struct wt_verdict *v = &trace->verdict;
	wt_json_open(j, key, '{');
	wt_json_text(j, "path", trace->path);
	wt_json_count(j, "files", trace->set.files);
	wt_json_text(j, "session_id", v->session_id);
	wt_json_text(j, "run_id", v->run_id);
	if (v->build_id[0]) wt_json_text(j, "build_id", v->build_id);
	else wt_json_null(j, "build_id");
	wt_json_flag(j, "complete", v->complete);
	wt_json_text(j, "why", v->why);
	wt_json_real(j, "covered", wt_covered(v));
	wt_json_count(j, "min_ns", v->min_ns);
	wt_json_count(j, "flushes", c->diff.flushes[run]);
	wt_json_count(j, "failed", c->diff.failed[run]);
	wt_json_count(j, "sync_calls", c->diff.syncs[run]);
	wt_json_count(j, "slices", c->diff.slices[run]);
	put_real(j, "slice_ns", c->diff.slice_ns[run]);
	wt_json_close(j, '}');
}

static void put_change(struct wt_json *j, const char *key, const struct wt_change *change, const double *share)
{
	wt_json_open(j, key, '{');
	put_real(j, "a", change->a);
	put_real(j, "b", change->b);
	put_real(j, "change", change->change);
	wt_json_flag(j, "judged", change->judged);
	put_real(j, "low", change->judged ? change->interval.low : NAN);
	put_real(j, "high", change->judged ? change->interval.high : NAN);
	put_real(j, "p", change->judged ? change->p : NAN);
	wt_json_flag(j, "changed", change->changed);
	wt_json_flag(j, "worse", change->worse);
	if (share) put_real(j, "share_of_change", *share);
	wt_json_close(j, '}');
}

static void put_cause(struct wt_json *j, const struct wt_diff *d)
{
	if (!d->explained) {
		wt_json_null(j, "explained_by");
		return;
	}
	wt_json_open(j, "explained_by", '{');
	wt_json_text(j, "part", wt_part_key[d->cause]);
	put_real(j, "share", d->cause_share);
	wt_json_flag(j, "through_others", d->through_others);
	wt_json_close(j, '}');
}

static void put_gates(struct wt_json *j, const struct wt_comparison *c)
{
	wt_json_open(j, "gates", '[');
	for (uint32_t i = 0; i < c->gates; i++) {
		const struct wt_gate_result *result = &c->diff.gate[i];
		wt_json_open(j, NULL, '{');
		wt_json_text(j, "gate", c->gate[i].text);
		wt_json_text(j, "metric", wt_metric_about[c->gate[i].metric].key);
		wt_json_real(j, "limit", c->gate[i].limit);
		wt_json_text(j, "state", wt_gate_state_key[result->state]);
		put_real(j, "change", result->change);
		wt_json_real(j, "p", result->p);
		wt_json_close(j, '}');
	}
	wt_json_close(j, ']');
}

static void put_method(struct wt_json *j)
{
	wt_json_open(j, "method", '{');
	wt_json_count(j, "resamples", WT_DIFF_RESAMPLES);
	wt_json_count(j, "seed", WT_DIFF_SEED);
	wt_json_real(j, "confidence", WT_DIFF_CONFIDENCE);
	wt_json_real(j, "level", WT_DIFF_LEVEL);
	wt_json_real(j, "floor", WT_DIFF_FLOOR);
	wt_json_count(j, "tail", WT_DIFF_TAIL);
	wt_json_close(j, '}');
}

void wt_diff_json(const struct wt_comparison *c, FILE *out)
{
	struct wt_json json = {.out = out};
	const struct wt_diff *d = &c->diff;
	char headline[WT_PROBLEM_TEXT];
	wt_diff_headline(d, headline, sizeof headline);
	wt_json_open(&json, NULL, '{');
	wt_json_count(&json, "diff_version", DIFF_VERSION);
	wt_json_text(&json, "verdict", wt_diff_verdict_key[d->verdict]);
	wt_json_flag(&json, "gate_broken", d->gate_broken);
	wt_json_text(&json, "headline", headline);
	put_cause(&json, d);
	put_run(&json, "a", c, 0);
	put_run(&json, "b", c, 1);
	wt_json_open(&json, "metrics", '{');
	for (int m = 0; m < WT_METRICS; m++) put_change(&json, wt_metric_about[m].key, &d->metric[m], NULL);
	wt_json_close(&json, '}');
	wt_json_open(&json, "parts", '{');
	for (int p = 0; p < WT_PARTS; p++) put_change(&json, wt_part_key[p], &d->part[p], &d->share[p]);
	wt_json_close(&json, '}');
	put_gates(&json, c);
	put_method(&json);
	wt_json_close(&json, '}');
}
