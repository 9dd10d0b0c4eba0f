/* SPDX-License-Identifier: MIT */
/* A snapshot in lines of text: for a file or pipe all of it, for the screen what fits. */
#include <inttypes.h>
#include <string.h>

#include "cli/top.h"
#include "read/shown.h"
#include "read/units.h"

enum { OPERATIONS_SHOWN = 20 };

static struct wt_unit per_second(double rate)
{
	struct wt_unit out;
	if (rate >= 99.95) return wt_count((uint64_t)(rate + 0.5));
	snprintf(out.text, sizeof out.text, "%.*f", rate > 0 && rate < 9.95 ? 2 : rate > 0 ? 1 : 0, rate);
	return out;
}

/* The end of a path says more than its beginning. */
static void path_tail(char to[WT_LINE_BYTES], const char *path, size_t bytes, int columns)
{
	char whole[WT_LINE_BYTES];
	size_t cut = bytes > sizeof whole / 4 - 1 ? bytes - (sizeof whole / 4 - 1) : 0;
	wt_shown(whole, sizeof whole, path + cut, bytes - cut);
	int n = 0;
	for (const char *c = whole; *c; c++) n += (*c & 0xc0) != 0x80;
	const char *from = whole;
	if (columns < 2) columns = 2;
	for (int over = n - columns + 1; n > columns && over > 0; over--) do
			from++;
		while ((*from & 0xc0) == 0x80);
	snprintf(to, WT_LINE_BYTES, "%s%.*s", n > columns ? "…" : "", WT_LINE_BYTES - 4, from);
}

/* ---- Verdict and sums -------------------------------------------------------------------------------------------------- */

static void add_sums(struct wt_top_lines *lines, const struct wt_view *view)
{
	const struct wt_snapshot *s = view->now;
	const struct waltrace_shm_head *h = &view->target->head;
	const struct wt_rates r = wt_view_rates(view);
	char when[64] = "on average", path[WT_LINE_BYTES];
	if (view->before) snprintf(when, sizeof when, "last %s", wt_ns(wt_view_seconds(view) * 1e9).text);
	wt_top_lines_add(lines, WT_INK_NONE, "rates     %s records/s, %s flushes/s, %s fsyncs/s (%s)",
	                 per_second(r.records).text, per_second(r.flushes).text, per_second(r.syncs).text, when);
	wt_top_lines_add(lines, WT_INK_NONE, "records   %s produced, %s written, %s dropped, %s omitted",
	                 wt_count(s->produced).text, s->file_known ? wt_count(s->file.written).text : "?",
	                 wt_count(s->dropped).text, wt_count(s->omitted).text);
	wt_top_lines_add(lines, WT_INK_NONE, "queue     %s of %s records, writer %s behind", wt_count(s->in_queue).text,
	                 wt_count(h->capacity).text, wt_ns((double)wt_writer_lag_ns(s)).text);
	path_tail(path, view->target->trace, strlen(view->target->trace), lines->columns - 36);
	wt_top_lines_add(lines, WT_INK_NONE, "trace     %s of %s: %s",
	                 s->file_known ? wt_bytes((double)s->file.file_bytes).text : "?",
	                 wt_bytes((double)h->max_bytes).text, path);
}

void wt_top_head(struct wt_top_lines *lines, const struct wt_view *view)
{
	struct wt_top_verdict v;
	wt_top_verdict(view, &v);
	for (uint32_t i = 0; i < v.n; i++) wt_top_lines_wrap(lines, v.ink[i], v.text[i]);
	if (view->now->whole) add_sums(lines, view);
}

/* ---- Loggers -------------------------------------------------------------------------------------------------------------- */

static void add_logger(struct wt_top_lines *lines, const struct wt_view *view, uint32_t i, bool chosen)
{
	const struct wt_top_logger *l = &view->now->logger[i];
	const struct wt_rates r = wt_view_logger_rates(view, i);
	char owner[32] = "-", age[WT_UNIT_TEXT] = "-", path[WT_LINE_BYTES];
	const char *stage = "-";
	if (!l->owner_known) {
		snprintf(owner, sizeof owner, "changing");
	} else if (l->owner.id) {
		uint64_t held_ns = wt_age_ns(view->now, l->owner.since_ns);
		snprintf(owner, sizeof owner, "%" PRIu64, l->owner.id);
		snprintf(age, sizeof age, "%s", wt_ns((double)held_ns).text);
		stage = wt_stage_name(l->owner.stage);
	}
	uint32_t before = lines->n;
	path_tail(path, l->path, l->path_bytes, lines->columns - 71);
	wt_top_lines_add(lines, WT_INK_NONE, "%6u %10s %s %-10s %5" PRIu64 " %5" PRIu64 " %9s %9s %s", i + 1, owner,
	                 wt_right(age, 8).text, stage, l->waiters, l->peak, per_second(r.flushes).text,
	                 per_second(r.locks).text, path);
	if (lines->n > before) lines->line[before].chosen = chosen;
}

void wt_top_loggers(struct wt_top_lines *lines, const struct wt_view *view, const uint32_t *order, uint32_t from,
                    uint32_t count, uint32_t chosen)
{
	wt_top_lines_add(lines, WT_INK_BOLD, "%6s %10s %8s %-10s %5s %5s %9s %9s %s", "logger", "owner", "held",
	                 "stage", "wait", "peak", "flushes/s", "locks/s", "directory");
	for (uint32_t i = from; i < from + count && i < view->now->loggers; i++)
		add_logger(lines, view, order[i], order[i] == chosen);
	if (!view->now->loggers) wt_top_lines_add(lines, WT_INK_DIM, "  no logger has registered yet");
}

/* ---- Latencies ----------------------------------------------------------------------------------------------------------- */

enum { TIMES_BYTES = 5 * WT_CELL_BYTES, TIMES_COLUMNS = 33 };

static void print_times(char to[TIMES_BYTES], const struct wt_times *t)
{
	struct wt_cell n = wt_right(wt_count(t->n).text, 9);
	if (t->none_left) n = wt_left("no histogram left", TIMES_COLUMNS);
	else if (!t->timed) n = wt_left(n.text, TIMES_COLUMNS);
	if (t->none_left || !t->timed) snprintf(to, TIMES_BYTES, "%s", n.text);
	else
		snprintf(to, TIMES_BYTES, "%s%s%s%s", n.text, wt_right(wt_ns((double)t->p50_ns).text, 8).text,
		         wt_right(wt_ns((double)t->p99_ns).text, 8).text,
		         wt_right(wt_ns((double)t->p999_ns).text, 8).text);
}

static void add_series(struct wt_top_lines *lines, const struct wt_view *view, uint32_t logger,
                       const struct wt_series *series)
{
	struct wt_times times;
	char all[TIMES_BYTES], interval[TIMES_BYTES] = "";
	wt_view_times(view, logger, series->series, false, &times);
	print_times(all, &times);
	wt_view_times(view, logger, series->series, true, &times);
	if (view->before) print_times(interval, &times);
	wt_top_lines_add(lines, WT_INK_NONE, "%s%s %s", wt_left(series->label, 10).text, all, interval);
}

void wt_top_times(struct wt_top_lines *lines, const struct wt_view *view, uint32_t logger)
{
	static const char columns[] = "     p50     p99   p99.9";
	char when[64] = "";
	if (view->before) snprintf(when, sizeof when, "in %s", wt_ns(wt_view_seconds(view) * 1e9).text);
	wt_top_lines_add(lines, WT_INK_BOLD, "%s%s%s %s%s", wt_left("latency", 10).text, "      all", columns,
	                 view->before ? wt_right(when, 9).text : "", view->before ? columns : "");
	for (size_t i = 0; i < WT_COUNT(wt_series_shown); i++) add_series(lines, view, logger, &wt_series_shown[i]);
}

/* ---- In flight ---------------------------------------------------------------------------------------------------------- */

void wt_top_operations(struct wt_top_lines *lines, const struct wt_view *view, uint32_t most)
{
	const struct wt_snapshot *s = view->now;
	wt_top_lines_add(lines, WT_INK_BOLD, "%10s %6s %-19s %8s %-10s %5s   %" PRIu32 " in flight", "operation",
	                 "logger", "kind", "age", "stage", "rows", s->under_way);
	for (uint32_t i = 0; i < s->operations && i < most; i++) {
		const struct waltrace_shm_operation *o = &s->operation[i];
		const struct wt_unit age = wt_ns((double)wt_age_ns(s, o->since_ns));
		wt_top_lines_add(lines, WT_INK_NONE, "%10" PRIu64 " %6u %-19s %s %-10s %5u", o->id, o->logger_id,
		                 wt_kind_name[o->kind].text, wt_right(o->since_ns ? age.text : "-", 8).text,
		                 o->stage ? wt_stage_name(o->stage) : "-", o->rows);
	}
	if (s->operations > most)
		wt_top_lines_add(lines, WT_INK_DIM, "  and %u more", (unsigned)(s->operations - most));
	if (s->under_way > s->operations)
		wt_top_lines_add(lines, WT_INK_DIM, "  and %u without an id: maintenance, or just beginning or ending",
		                 (unsigned)(s->under_way - s->operations));
}

/* ---- All of it ------------------------------------------------------------------------------------------------------------ */

static bool has_times(const struct wt_snapshot *s, uint32_t logger)
{
	for (size_t i = 0; i < WT_COUNT(wt_series_shown); i++)
		if (s->place[logger][wt_series_shown[i].series]) return true;
	return false;
}

static void add_all_times(struct wt_top_lines *lines, const struct wt_view *view)
{
	char path[WT_LINE_BYTES];
	for (uint32_t i = 0; i < view->now->loggers; i++) {
		if (!has_times(view->now, i)) continue;
		wt_top_lines_add(lines, WT_INK_NONE, "%s", "");
		path_tail(path, view->now->logger[i].path, view->now->logger[i].path_bytes, WT_TOP_COLUMNS - 14);
		wt_top_lines_add(lines, WT_INK_NONE, "logger %u  %s", i + 1, path);
		wt_top_times(lines, view, i);
	}
}

static void print(FILE *out, const struct wt_top_lines *lines)
{
	const struct wt_page page = {out, wt_wants_colour(out)};
	for (uint32_t i = 0; i < lines->n; i++) {
		char *text = (char *)lines->line[i].text;
		size_t n = strlen(text);
		while (n && text[n - 1] == ' ') text[--n] = 0;
		wt_page_ink(&page, n ? lines->line[i].ink : WT_INK_NONE, text);
		fputc('\n', out);
	}
}

void wt_top_text(FILE *out, const struct wt_view *view)
{
	struct wt_top_lines lines = {.columns = WT_TOP_COLUMNS};
	uint32_t order[WALTRACE_SHM_LOGGERS];
	for (uint32_t i = 0; i < WALTRACE_SHM_LOGGERS; i++) order[i] = i;
	wt_top_head(&lines, view);
	if (view->now->whole) {
		wt_top_lines_add(&lines, WT_INK_NONE, "%s", "");
		wt_top_loggers(&lines, view, order, 0, view->now->loggers, UINT32_MAX);
		add_all_times(&lines, view);
		wt_top_lines_add(&lines, WT_INK_NONE, "%s", "");
		wt_top_operations(&lines, view, OPERATIONS_SHOWN);
	}
	print(out, &lines);
	wt_top_lines_free(&lines);
}
