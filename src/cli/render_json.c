/* SPDX-License-Identifier: MIT */
/* The report for programs. Keys are promised: docs/report-json.md names each; new ones are only added. */
#include "cli/json.h"
#include "cli/json_findings.h"
#include "cli/report.h"
#include "read/summarise.h"

enum { REPORT_VERSION = 1 };

static const char *word(uint8_t w) { return w < WALTRACE_WORDS ? wt_word_text[w].text : "other"; }

static void put_trace(struct wt_json *j, const struct wt_report_trace *trace)
{
	const struct wt_verdict *v = &trace->verdict;
	wt_json_open(j, NULL, '{');
	wt_json_text(j, "path", trace->path);
	wt_json_count(j, "files", trace->set.files);
	wt_json_flag(j, "complete", v->complete);
	wt_json_text(j, "why", v->why);
	wt_json_flag(j, "damaged", v->problems > 0);
	wt_json_count(j, "problems", v->problems);
	if (trace->damage[0]) wt_json_text(j, "damage", trace->damage);
	else wt_json_null(j, "damage");
	wt_json_count(j, "damage_line", trace->damage_line);
	wt_json_text(j, "session_id", v->session_id);
	wt_json_text(j, "run_id", v->run_id);
	if (v->build_id[0]) wt_json_text(j, "build_id", v->build_id);
	else wt_json_null(j, "build_id");
	wt_json_text(j, "writer_version", v->version);
	wt_json_count(j, "pid", v->pid);
	wt_json_count(j, "records", v->records);
	wt_json_count(j, "produced", v->produced);
	wt_json_count(j, "written", v->written);
	wt_json_count(j, "dropped", v->dropped);
	wt_json_count(j, "omitted", v->omitted);
	wt_json_count(j, "outstanding", v->outstanding);
	wt_json_count(j, "filtered", v->filtered);
	wt_json_count(j, "min_ns", v->min_ns);
	wt_json_real(j, "covered", wt_covered(v));
	wt_json_count(j, "observed_ns", v->end_ns);
	wt_json_count(j, "unknown_lines", v->unknown_lines);
	wt_json_count(j, "unknown_keys", v->unknown_keys);
	wt_json_close(j, '}');
}

static void put_dist(struct wt_json *j, const char *key, const struct wt_dist *d)
{
	wt_json_open(j, key, '{');
	wt_json_count(j, "n", d->n);
	wt_json_count(j, "sum", d->sum);
	wt_json_real(j, "mean", wt_dist_mean(d));
	wt_json_count(j, "p50", wt_dist_quantile(d, 0.5));
	wt_json_count(j, "p90", wt_dist_quantile(d, 0.9));
	wt_json_count(j, "p99", wt_dist_quantile(d, 0.99));
	wt_json_count(j, "p999", wt_dist_quantile(d, 0.999));
	wt_json_count(j, "max", d->max);
	wt_json_close(j, '}');
}

static void put_parts(struct wt_json *j, const char *key, const uint64_t *part_ns)
{
	wt_json_open(j, key, '{');
	for (int p = 0; p < WT_PARTS; p++) wt_json_count(j, wt_part_key[p], part_ns[p]);
	wt_json_close(j, '}');
}

static void put_quantile(struct wt_json *j, const struct wt_parted *parted, const char *key, double share)
{
	struct wt_parted_quantile q = wt_parted_quantile(parted, share);
	wt_json_open(j, key, '{');
	wt_json_count(j, "n", q.n);
	wt_json_count(j, "from_ns", q.low_ns);
	wt_json_count(j, "below_ns", q.high_ns);
	wt_json_count(j, "total_ns", q.value_ns);
	put_parts(j, "parts_ns", q.part_ns);
	wt_json_close(j, '}');
}

static void put_slow(struct wt_json *j, const struct wt_slow_flush *s)
{
	wt_json_open(j, NULL, '{');
	wt_json_count(j, "trace", s->trace);
	wt_json_count(j, "logger_id", s->logger_id);
	wt_json_count(j, "flush_id", s->id);
	wt_json_count(j, "log_uid", s->uid);
	wt_json_count(j, "start_ns", s->start_ns);
	wt_json_count(j, "total_ns", s->total_ns);
	put_parts(j, "parts_ns", s->split.part_ns);
	wt_json_count(j, "behind_others_ns", s->split.behind_others_ns);
	wt_json_text(j, "owner", wt_owner_key[s->owner]);
	wt_json_count(j, "owner_id", s->owner_id);
	wt_json_count(j, "commit_lock_id", s->lock_id);
	wt_json_count(j, "sync_call_id", s->sync_id);
	wt_json_count(j, "sync_call_ns", s->sync_ns);
	wt_json_count(j, "own_commit_lock_id", s->own_lock_id);
	wt_json_count(j, "earlier_fsyncs", s->others);
	wt_json_count(j, "last_earlier_sync_call_id", s->last_other_id);
	wt_json_close(j, '}');
}

static void put_commit(struct wt_json *j, const struct wt_tally *t)
{
	wt_json_open(j, "commit", '{');
	wt_json_count(j, "flushes", t->flush.total.n);
	wt_json_count(j, "failed", t->failed_flushes);
	wt_json_count(j, "untimed", t->untimed_flushes);
	wt_json_count(j, "duration_ns", t->duration_ns);
	wt_json_count(j, "total_ns", t->flush.total.sum);
	put_parts(j, "parts_ns", t->flush.sum);
	wt_json_real(j, "mean_ns", wt_dist_mean(&t->flush.total));
	wt_json_count(j, "max_ns", t->flush.total.max);
	wt_json_count(j, "behind_others_ns", t->behind_others_ns);
	wt_json_count(j, "queue_behind_others_ns", t->queue_behind_others_ns);
	wt_json_flag(j, "waits_for_others", wt_waits_for_others(t));
	wt_json_open(j, "quantiles", '{');
	put_quantile(j, &t->flush, "p50", 0.5);
	put_quantile(j, &t->flush, "p90", 0.9);
	put_quantile(j, &t->flush, "p99", 0.99);
	put_quantile(j, &t->flush, "p999", 0.999);
	wt_json_close(j, '}');
	wt_json_open(j, "slowest", '[');
	for (uint32_t i = 0; i < t->slows; i++) put_slow(j, &t->slow[i]);
	wt_json_close(j, ']');
	wt_json_close(j, '}');
}

static void put_group(struct wt_json *j, const struct wt_tally *t)
{
	wt_json_open(j, "group_commit", '{');
	wt_json_count(j, "fsyncs", wt_good_syncs(t));
	wt_json_count(j, "failed_fsyncs", t->failed_syncs);
	wt_json_real(j, "flushes_per_fsync", wt_flushes_per_fsync(t));
	wt_json_count(j, "block_bytes", t->block_bytes);
	wt_json_count(j, "written_bytes", t->written_bytes);
	wt_json_open(j, "fsyncs_by_trigger", '{');
	wt_json_count(j, "request", t->syncs[0]);
	wt_json_count(j, "timer", t->syncs[1]);
	wt_json_count(j, "checkpoint", t->syncs[2]);
	wt_json_count(j, "other", t->syncs[3]);
	wt_json_close(j, '}');
	wt_json_open(j, "flushes_by_owner", '{');
	for (int o = 0; o <= WT_OWNER_UNKNOWN; o++) wt_json_count(j, wt_owner_key[o], t->owners[o]);
	wt_json_close(j, '}');
	wt_json_count(j, "entry_fast_paths", t->entry_fast_paths);
	wt_json_open(j, "commit_lock_outcomes", '{');
	for (int w = 1; w < WALTRACE_WORDS; w++)
		if (t->lock_outcomes[w]) wt_json_count(j, wt_word_text[w].text, t->lock_outcomes[w]);
	wt_json_close(j, '}');
	put_dist(j, "batch_records", &t->batch_records);
	put_dist(j, "batch_wait_ns", &t->batch_wait);
	wt_json_open(j, "notify", '{');
	wt_json_count(j, "batches", t->notify_batches);
	wt_json_count(j, "total_ns", t->notify_ns);
	wt_json_count(j, "targets", t->notify_targets);
	wt_json_count(j, "completed", t->notify_completed);
	wt_json_count(j, "send_failed", t->notify_failed);
	wt_json_close(j, '}');
	wt_json_close(j, '}');
}

static void put_holder(struct wt_json *j, const struct wt_holder *h)
{
	wt_json_open(j, NULL, '{');
	wt_json_count(j, "trace", h->trace);
	wt_json_count(j, "logger_id", h->logger_id);
	wt_json_count(j, "commit_lock_id", h->id);
	wt_json_count(j, "acquired_ns", h->got_ns);
	wt_json_count(j, "hold_ns", h->hold_ns);
	wt_json_count(j, "sync_call_ns", h->sync_ns);
	wt_json_count(j, "rotation_ns", h->rotation_ns);
	wt_json_text(j, "trigger", word(h->trigger));
	wt_json_text(j, "outcome", word(h->outcome));
	wt_json_close(j, '}');
}

static void put_lock(struct wt_json *j, const struct wt_tally *t)
{
	wt_json_open(j, "commit_lock", '{');
	wt_json_real(j, "utilisation", t->lock_span_ns ? (double)t->lock_hold.sum / (double)t->lock_span_ns : 0);
	wt_json_count(j, "span_ns", t->lock_span_ns);
	put_dist(j, "wait_ns", &t->lock_wait);
	put_dist(j, "hold_ns", &t->lock_hold);
	wt_json_count(j, "peak_waiting", t->peak_waiting);
	wt_json_count(j, "peak_waiting_logger_id", t->peak_logger);
	wt_json_open(j, "longest_holds", '[');
	for (uint32_t i = 0; i < t->holders; i++) put_holder(j, &t->holder[i]);
	wt_json_close(j, ']');
	wt_json_close(j, '}');
}

static void put_fsync(struct wt_json *j, const struct wt_tally *t)
{
	static const char *const rhythm[] = {"too_few", "irregular", "periodic"};
	wt_json_open(j, "fsync", '{');
	put_dist(j, "time_ns", &t->fsync);
	wt_json_count(j, "bytes", t->fsync_bytes);
	wt_json_real(j, "bytes_per_second", t->fsync.sum ? (double)t->fsync_bytes * 1e9 / (double)t->fsync.sum : 0);
	wt_json_count(j, "outliers", t->outliers);
	wt_json_count(j, "outlier_medians", WT_OUTLIER_TIMES);
	wt_json_count(j, "bursts", t->bursts);
	wt_json_text(j, "rhythm", rhythm[t->rhythm]);
	wt_json_count(j, "period_ns", t->period_ns);
	wt_json_real(j, "period_spread", t->period_spread);
	wt_json_open(j, "longest", '[');
	for (uint32_t i = 0; i < t->outliers_shown; i++) {
		const struct wt_fsync_outlier *o = &t->outlier[i];
		wt_json_open(j, NULL, '{');
		wt_json_count(j, "trace", o->trace);
		wt_json_count(j, "sync_call_id", o->id);
		wt_json_count(j, "start_ns", o->start_ns);
		wt_json_count(j, "total_ns", o->total_ns);
		wt_json_count(j, "written_bytes", o->written_bytes);
		wt_json_close(j, '}');
	}
	wt_json_close(j, ']');
	wt_json_close(j, '}');
}

static void put_durability(struct wt_json *j, const struct wt_durability *d)
{
	wt_json_open(j, "durability", '{');
	wt_json_count(j, "acknowledgements", d->acknowledged);
	wt_json_count(j, "proven", d->proven);
	wt_json_count(j, "unproven", d->unproven);
	wt_json_count(j, "unknown", d->unknown);
	wt_json_open(j, "unproven_flushes", '[');
	for (uint32_t i = 0; i < d->kept; i++) {
		const struct wt_unproven *u = &d->first[i];
		wt_json_open(j, NULL, '{');
		wt_json_count(j, "trace", u->trace);
		wt_json_count(j, "flush_id", u->id);
		wt_json_count(j, "logger_id", u->logger_id);
		wt_json_count(j, "log_uid", u->uid);
		wt_json_count(j, "ended_ns", u->ended_ns);
		wt_json_count(j, "sync_call_id", u->sync_id);
		wt_json_count(j, "sync_ended_ns", u->sync_ended_ns);
		wt_json_close(j, '}');
	}
	wt_json_close(j, ']');
	wt_json_close(j, '}');
}

static void put_steps(struct wt_json *j, const char *key, const struct wt_steps *steps)
{
	wt_json_open(j, key, '{');
	wt_json_count(j, "n", steps->n);
	wt_json_count(j, "failed", steps->failed);
	put_dist(j, "time_ns", &steps->time);
	wt_json_close(j, '}');
}

static void put_checkpoints(struct wt_json *j, const struct wt_tally *t)
{
	const struct wt_checkpoints *c = &t->checkpoints;
	wt_json_open(j, "checkpoints", '{');
	put_steps(j, "rotations", &c->rotations);
	wt_json_open(j, "rotations_by_trigger", '{');
	for (int w = 1; w < WALTRACE_WORDS; w++)
		if (c->triggers[w]) wt_json_count(j, wt_word_text[w].text, c->triggers[w]);
	if (c->triggers[0]) wt_json_count(j, "other", c->triggers[0]);
	wt_json_close(j, '}');
	wt_json_count(j, "blocked_flushes", t->blocked_flushes);
	wt_json_count(j, "blocked_ns", t->flush.sum[WT_PART_ROTATION]);
	put_steps(j, "file_splits", &c->splits);
	put_steps(j, "backups", &c->backups);
	put_steps(j, "confirms", &c->confirms);
	put_steps(j, "replays", &c->replays);
	wt_json_count(j, "replayed_records", c->replayed_records);
	wt_json_count(j, "replayed_bytes", c->replayed_bytes);
	wt_json_close(j, '}');
}

static void put_over_time(struct wt_json *j, const struct wt_over_time *t, uint64_t trace)
{
	wt_json_open(j, NULL, '{');
	wt_json_count(j, "trace", trace);
	wt_json_count(j, "step_ns", t->step_ns);
	wt_json_open(j, "points", '[');
	for (uint32_t i = 0; i < t->steps; i++) {
		const struct wt_step *step = &t->step[i];
		double seconds = (double)t->step_ns / 1e9, n = (double)(step->flushes ? step->flushes : 1);
		wt_json_open(j, NULL, '{');
		wt_json_count(j, "start_ns", step->start_ns);
		wt_json_count(j, "flushes", step->flushes);
		wt_json_real(j, "flushes_per_second", (double)step->flushes / seconds);
		wt_json_real(j, "mean_ns", (double)step->sum_ns / n);
		wt_json_count(j, "p50_ns", step->p50_ns);
		wt_json_count(j, "p99_ns", step->p99_ns);
		wt_json_count(j, "max_ns", step->max_ns);
		wt_json_count(j, "fsyncs", step->fsyncs);
		wt_json_real(j, "fsync_mean_ns",
		             (double)step->fsync_sum_ns / (double)(step->fsyncs ? step->fsyncs : 1));
		wt_json_count(j, "fsync_max_ns", step->fsync_max_ns);
		wt_json_count(j, "written_bytes", step->written_bytes);
		wt_json_close(j, '}');
	}
	wt_json_close(j, ']');
	wt_json_close(j, '}');
}

void wt_render_json(const struct wt_report *report, FILE *out)
{
	struct wt_json json = {.out = out};
	const struct wt_tally *t = report->tally;
	char headline[WT_SUMMARY_TEXT];
	wt_headline(t, headline, sizeof headline);
	wt_json_open(&json, NULL, '{');
	wt_json_count(&json, "report_version", REPORT_VERSION);
	wt_json_flag(&json, "complete", wt_report_complete(report));
	wt_json_flag(&json, "damaged", wt_report_damaged(report));
	wt_json_text(&json, "headline", headline);
	wt_json_real(&json, "percentile_precision", 1.0 / WT_HIST_STEPS);
	wt_json_open(&json, "traces", '[');
	for (size_t i = 0; i < report->traces; i++) put_trace(&json, &report->trace[i]);
	wt_json_close(&json, ']');
	wt_json_open(&json, "lost_by_kind", '{');
	for (int k = 0; k < WALTRACE_KINDS; k++)
		if (t->lost[k]) wt_json_count(&json, wt_kind_name[k].text, t->lost[k]);
	if (t->lost_any) wt_json_count(&json, "unknown", t->lost_any);
	wt_json_close(&json, '}');
	put_commit(&json, t);
	put_group(&json, t);
	put_lock(&json, t);
	put_fsync(&json, t);
	put_checkpoints(&json, t);
	wt_json_open(&json, "over_time", '[');
	for (size_t i = 0; i < report->traces; i++) put_over_time(&json, &report->trace[i].over_time, i);
	wt_json_close(&json, ']');
	put_durability(&json, &t->durability);
	wt_json_findings(&json, t);
	wt_json_close(&json, '}');
}
