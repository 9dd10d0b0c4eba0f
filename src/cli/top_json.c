/* SPDX-License-Identifier: MIT */
/* A snapshot for programs; docs/top-json.md says what each key means. */
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/top.h"

enum { TOP_VERSION = 1 };

static const char *life_key(enum wt_life life)
{
	static const char *const key[] = {"running", "stopped", "ended", "dead", "unknown"};
	return key[life];
}

/* Not ended by 0, and any bytes. */
static void put_bytes(struct wt_json *json, const char *key, const char *bytes, size_t n)
{
	char *text = malloc(n + 1);
	if (text) memcpy(text, bytes, n), text[n] = 0;
	wt_json_text(json, key, text ? text : "");
	free(text);
}

static void put_verdict(struct wt_json *json, const struct wt_view *view)
{
	struct wt_top_verdict v;
	wt_top_verdict(view, &v);
	wt_json_count(json, "top_version", TOP_VERSION);
	wt_json_flag(json, "complete", view->now->whole && !wt_lost_something(view->now));
	wt_json_open(json, "verdict", '[');
	for (uint32_t i = 0; i < v.n; i++) wt_json_text(json, NULL, v.text[i]);
	wt_json_close(json, ']');
}

static void put_process(struct wt_json *json, const struct wt_view *view)
{
	const struct waltrace_shm_head *h = &view->target->head;
	wt_json_open(json, "process", '{');
	wt_json_count(json, "pid", h->pid);
	wt_json_text(json, "state", life_key(view->now->life));
	wt_json_text(json, "session_id", h->session_id);
	wt_json_text(json, "segment", view->target->name);
	wt_json_text(json, "trace", view->target->trace);
	wt_json_count(json, "window_ms", h->window_ms);
	wt_json_count(json, "drain_ms", h->drain_ms);
	wt_json_count(json, "min_ns", h->min_ns);
	wt_json_close(json, '}');
	wt_json_count(json, "now_ns", view->now->now_ns);
	if (view->before) wt_json_count(json, "interval_ns", view->now->now_ns - view->before->now_ns);
	else wt_json_null(json, "interval_ns");
}

static void put_recorder(struct wt_json *json, const struct wt_view *view)
{
	const struct wt_snapshot *s = view->now;
	const struct wt_rates r = wt_view_rates(view);
	wt_json_open(json, "recorder", '{');
	wt_json_count(json, "produced", s->produced);
	if (s->file_known) wt_json_count(json, "written", s->file.written);
	else wt_json_null(json, "written");
	wt_json_count(json, "dropped", s->dropped);
	wt_json_count(json, "omitted", s->omitted);
	wt_json_count(json, "rotated", s->rotated);
	wt_json_count(json, "unplaced", s->unplaced);
	wt_json_count(json, "queue_depth", s->in_queue);
	wt_json_count(json, "queue_capacity", view->target->head.capacity);
	wt_json_count(json, "writer_lag_ns", wt_writer_lag_ns(s));
	if (s->file_known) wt_json_count(json, "file_bytes", s->file.file_bytes);
	else wt_json_null(json, "file_bytes");
	wt_json_count(json, "max_bytes", view->target->head.max_bytes);
	wt_json_close(json, '}');
	wt_json_open(json, "rates", '{');
	wt_json_real(json, "over_s", wt_view_seconds(view));
	wt_json_real(json, "records_per_s", r.records);
	wt_json_real(json, "written_per_s", r.written);
	wt_json_real(json, "dropped_per_s", r.dropped);
	wt_json_real(json, "flushes_per_s", r.flushes);
	wt_json_real(json, "syncs_per_s", r.syncs);
	wt_json_real(json, "locks_per_s", r.locks);
	wt_json_close(json, '}');
}

static void put_losses(struct wt_json *json, const struct wt_snapshot *s)
{
	wt_json_open(json, "losses", '[');
	for (uint32_t i = 0; i < s->losses; i++) {
		const struct waltrace_shm_loss *loss = &s->loss[i];
		unsigned touches = wt_loss_touches(wt_loss_cause(loss));
		wt_json_open(json, NULL, '{');
		wt_json_text(json, "cause", wt_loss_name[wt_loss_cause(loss)]);
		wt_json_count(json, "logger_id", wt_loss_logger(loss));
		wt_json_text(json, "kind", wt_loss_kind(loss) < 0 ? "" : wt_kind_name[wt_loss_kind(loss)].text);
		wt_json_count(json, "n", loss->n);
		wt_json_open(json, "touches", '[');
		for (size_t bit = 0; bit < WT_COUNT(wt_touch_key); bit++)
			if (touches & 1u << bit) wt_json_text(json, NULL, wt_touch_key[bit]);
		wt_json_close(json, ']');
		wt_json_close(json, '}');
	}
	wt_json_close(json, ']');
}

static void put_quantile(struct wt_json *json, const char *key, const struct wt_times *t, uint64_t ns)
{
	if (t->timed) wt_json_count(json, key, ns);
	else wt_json_null(json, key);
}

static void put_times(struct wt_json *json, const char *key, const struct wt_times *t)
{
	wt_json_open(json, key, '{');
	wt_json_count(json, "n", t->n);
	wt_json_count(json, "errors", t->errors);
	put_quantile(json, "p50_ns", t, t->p50_ns);
	put_quantile(json, "p99_ns", t, t->p99_ns);
	put_quantile(json, "p999_ns", t, t->p999_ns);
	wt_json_close(json, '}');
}

static void put_series(struct wt_json *json, const struct wt_view *view, uint32_t logger,
                       const struct wt_series *series)
{
	struct wt_times all, interval;
	wt_view_times(view, logger, series->series, false, &all);
	wt_view_times(view, logger, series->series, true, &interval);
	if (all.none_left) {
		wt_json_null(json, series->key);
		return;
	}
	wt_json_open(json, series->key, '{');
	put_times(json, "since_start", &all);
	if (view->before) put_times(json, "interval", &interval);
	else wt_json_null(json, "interval");
	wt_json_close(json, '}');
}

static void put_owner(struct wt_json *json, const struct wt_snapshot *s, const struct wt_top_logger *l)
{
	wt_json_flag(json, "owner_known", l->owner_known);
	if (!l->owner_known || !l->owner.id) {
		wt_json_null(json, "owner");
		return;
	}
	wt_json_open(json, "owner", '{');
	wt_json_count(json, "operation_id", l->owner.id);
	wt_json_count(json, "since_ns", l->owner.since_ns);
	wt_json_count(json, "age_ns", wt_age_ns(s, l->owner.since_ns));
	wt_json_text(json, "stage", wt_stage_name(l->owner.stage));
	wt_json_close(json, '}');
}

static void put_loggers(struct wt_json *json, const struct wt_view *view)
{
	wt_json_open(json, "loggers", '[');
	for (uint32_t i = 0; i < view->now->loggers; i++) {
		const struct wt_top_logger *l = &view->now->logger[i];
		const struct wt_rates r = wt_view_logger_rates(view, i);
		wt_json_open(json, NULL, '{');
		wt_json_count(json, "logger_id", i + 1);
		put_bytes(json, "directory", l->path, l->path_bytes);
		put_owner(json, view->now, l);
		wt_json_count(json, "waiters", l->waiters);
		wt_json_count(json, "peak_waiters", l->peak);
		wt_json_count(json, "acquisitions", l->acquisitions);
		wt_json_real(json, "flushes_per_s", r.flushes);
		wt_json_real(json, "syncs_per_s", r.syncs);
		wt_json_real(json, "locks_per_s", r.locks);
		for (size_t k = 0; k < WT_COUNT(wt_series_shown); k++) put_series(json, view, i, &wt_series_shown[k]);
		wt_json_close(json, '}');
	}
	wt_json_close(json, ']');
}

static void put_operations(struct wt_json *json, const struct wt_snapshot *s)
{
	wt_json_count(json, "in_flight", s->under_way);
	wt_json_open(json, "operations", '[');
	for (uint32_t i = 0; i < s->operations; i++) {
		const struct waltrace_shm_operation *o = &s->operation[i];
		wt_json_open(json, NULL, '{');
		wt_json_count(json, "operation_id", o->id);
		wt_json_count(json, "logger_id", o->logger_id);
		wt_json_text(json, "kind", wt_kind_name[o->kind].text);
		if (o->since_ns) {
			wt_json_count(json, "since_ns", o->since_ns);
			wt_json_count(json, "age_ns", wt_age_ns(s, o->since_ns));
		} else {
			wt_json_null(json, "since_ns");
			wt_json_null(json, "age_ns");
		}
		wt_json_text(json, "stage", wt_stage_name(o->stage));
		wt_json_count(json, "rows", o->rows);
		wt_json_close(json, '}');
	}
	wt_json_close(json, ']');
}

void wt_top_json(FILE *out, const struct wt_view *view)
{
	struct wt_json json = {.out = out, .first = true};
	wt_json_open(&json, NULL, '{');
	put_verdict(&json, view);
	put_process(&json, view);
	if (view->now->whole) {
		put_recorder(&json, view);
		put_losses(&json, view->now);
		put_loggers(&json, view);
		put_operations(&json, view->now);
	}
	wt_json_close(&json, '}');
}
