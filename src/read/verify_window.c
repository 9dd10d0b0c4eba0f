/* SPDX-License-Identifier: MIT */
/* Window lines and the footer against the records before them. */
#include <inttypes.h>
#include <string.h>

#include "read/verify_state.h"

/* `what` may name a part of `of`; "" if it is the whole. */
static void equal(struct wt_verify *v, uint64_t line, enum wt_check check, const char *what, const char *of,
                  uint64_t said, uint64_t is)
{
	v->verdict.checked[check]++;
	if (said == is) return;
	wt_verify_say(v, line, check, "%s%s: the line says %" PRIu64 ", the records before it %" PRIu64, what, of, said,
	              is);
}

static void compare_sums(struct wt_verify *v, const struct wt_window_line *w, uint64_t line)
{
	static const char *const trigger[3] = {"request", "timer", "checkpoint"};
	const struct wt_sums *is = &v->sums;
	if (v->joined) {
		v->before = w->written - v->verdict.records;
		return;
	}
	for (int kind = 0; kind < WALTRACE_KINDS; kind++) {
		const char *name = wt_kind_name[kind].text;
		equal(v, line, WT_CHECK_WINDOWS, "completed_records of ", name, w->count[kind], is->count[kind]);
		equal(v, line, WT_CHECK_WINDOWS, "errors of ", name, w->errors[kind], is->errors[kind]);
	}
	for (int i = 0; i < 3; i++) {
		equal(v, line, WT_CHECK_WINDOWS, "sync calls by ", trigger[i], w->syncs[i], is->syncs[i]);
		equal(v, line, WT_CHECK_WINDOWS, "sync block_bytes by ", trigger[i], w->sync_bytes[i],
		      is->sync_bytes[i]);
	}
	equal(v, line, WT_CHECK_WINDOWS, "waiter_registered", "", w->waiters, is->waiters);
	equal(v, line, WT_CHECK_WINDOWS, "notify_completed", "", w->notified, is->notified);
	equal(v, line, WT_CHECK_WINDOWS, "event_written", "", w->written, v->before + v->verdict.records);
}

static void never_less(struct wt_verify *v, uint64_t line, uint64_t now, uint64_t before, const char *what)
{
	v->verdict.checked[WT_CHECK_COUNTERS]++;
	if (now < before)
		wt_verify_say(v, line, WT_CHECK_COUNTERS, "%s fell from %" PRIu64 " to %" PRIu64, what, before, now);
}

static void compare_counters(struct wt_verify *v, const struct wt_window_line *w, uint64_t line)
{
	const struct wt_window_line *last = &v->window;
	never_less(v, line, w->produced, last->produced, "event_produced");
	never_less(v, line, w->written, last->written, "event_written");
	never_less(v, line, w->dropped_full, last->dropped_full, "dropped_full");
	never_less(v, line, w->dropped_stopped, last->dropped_stopped, "dropped_stopped");
	never_less(v, line, w->omitted, last->omitted, "omitted");
	if (w->produced < w->written)
		wt_verify_say(v, line, WT_CHECK_COUNTERS,
		              "event_produced %" PRIu64 " is less than event_written %" PRIu64, w->produced,
		              w->written);
}

static void compare_place(struct wt_verify *v, const struct wt_window_line *w, const struct wt_raw *raw)
{
	const struct wt_window_line *last = &v->window;
	uint64_t line = raw->number;
	if (w->number != last->number + 1 && !v->joined)
		wt_verify_say(v, line, WT_CHECK_WINDOWS, "window %" PRIu64 " follows window %" PRIu64, w->number,
		              last->number);
	if (w->file_bytes != raw->offset)
		wt_verify_say(v, line, WT_CHECK_WINDOWS,
		              "file_bytes_before_summary is %" PRIu64 ", but the line begins at byte %" PRIu64,
		              w->file_bytes, raw->offset);
	if (v->has_header && w->capacity != v->capacity)
		wt_verify_say(v, line, WT_CHECK_WINDOWS, "queue_capacity %" PRIu64 " isn't the header's %" PRIu64,
		              w->capacity, v->capacity);
	if (last->number && !v->joined && w->start_ns != last->end_ns)
		wt_verify_say(v, line, WT_CHECK_TIMES,
		              "the window begins at %" PRIu64 " ns, but the one before it ended at %" PRIu64 " ns",
		              w->start_ns, last->end_ns);
	if (w->end_ns < w->start_ns)
		wt_verify_say(v, line, WT_CHECK_TIMES, "the window ends %" PRIu64 " ns before it begins",
		              w->start_ns - w->end_ns);
	v->verdict.checked[WT_CHECK_TIMES] += 2;
	v->late = v->latest_ns > w->end_ns && v->latest_ns - w->end_ns > w->write_elapsed_ns;
	v->late_ns = v->latest_ns;
	v->late_line = v->latest_line;
}

/* Of the last window. One that a recovery wrote ends before the records that the dead process wrote in its time. */
static void say_late(struct wt_verify *v)
{
	const struct wt_window_line *w = &v->window;
	if (!v->late) return;
	wt_verify_say(v, v->late_line, WT_CHECK_TIMES,
	              "the record ends at %" PRIu64 " ns, after the window it is in was written (%" PRIu64 " + %" PRIu64
	              " ns)",
	              v->late_ns, w->end_ns, w->write_elapsed_ns);
	v->late = false;
}

void wt_verify_window(struct wt_verify *v, const struct wt_window_line *w, const struct wt_raw *raw)
{
	say_late(v);
	compare_sums(v, w, raw->number);
	compare_counters(v, w, raw->number);
	compare_place(v, w, raw);
	v->window = *w;
	v->joined = false;
	v->sums = (struct wt_sums){0};
	v->since_records = v->latest_ns = v->latest_line = 0;
	v->verdict.windows++;
	v->verdict.end_ns = w->end_ns;
}

static bool is_reason(const struct wt_text *reason, const char *name)
{
	return reason->n == strlen(name) && !memcmp(reason->bytes, name, reason->n);
}

static void compare_complete(struct wt_verify *v, const struct wt_footer *f, uint64_t line)
{
	bool whole = is_reason(&f->reason, "shutdown") && f->produced == f->written && !f->dropped && !f->omitted &&
	             !f->outstanding;
	v->verdict.checked[WT_CHECK_COMPLETE]++;
	if (f->complete == whole) return;
	wt_verify_say(v, line, WT_CHECK_COMPLETE, "complete is %s, but by its own numbers it must be %s",
	              f->complete ? "true" : "false", whole ? "true" : "false");
}

/* An operation without a slot is outstanding and has no line. */
static void at_most(struct wt_verify *v, uint64_t line, uint64_t in_flight, uint64_t outstanding)
{
	v->verdict.checked[WT_CHECK_FOOTER]++;
	if (in_flight > outstanding)
		wt_verify_say(v, line, WT_CHECK_FOOTER,
		              "outstanding is %" PRIu64 ", but there are %" PRIu64 " in_flight lines", outstanding,
		              in_flight);
}

/* The recorder leaves them out of the last sixteenth of a trace's bytes; half as much again is left for what it held
 * back when it decided that. */
static bool extra_lines_fit(const struct wt_verify *v) { return v->verdict.bytes < v->max_bytes / 32 * 29; }

void wt_verify_footer(struct wt_verify *v, const struct wt_footer *f, uint64_t line)
{
	const struct wt_window_line *w = &v->window;
	if (!is_reason(&f->reason, "recovered")) say_late(v);
	if (!v->joined)
		equal(v, line, WT_CHECK_FOOTER, "event_written", "", f->written, v->before + v->verdict.records);
	never_less(v, line, f->produced, w->produced, "event_produced");
	never_less(v, line, f->dropped, w->dropped_full + w->dropped_stopped, "event_dropped");
	never_less(v, line, f->omitted, w->omitted, "omitted");
	if (v->ours && f->produced != f->written + f->dropped)
		wt_verify_say(v, line, WT_CHECK_FOOTER,
		              "event_produced %" PRIu64 " isn't event_written %" PRIu64 " + event_dropped %" PRIu64,
		              f->produced, f->written, f->dropped);
	if (is_reason(&f->reason, "shutdown") && v->since_records)
		wt_verify_say(v, line, WT_CHECK_WINDOWS, "%" PRIu64 " records after the last window line",
		              v->since_records);
	if (is_reason(&f->reason, "recovered")) at_most(v, line, v->in_flight, f->outstanding);
	if (is_reason(&f->reason, "shutdown") && v->has_losses && !v->left_out && extra_lines_fit(v))
		equal(v, line, WT_CHECK_FOOTER, "event_dropped + omitted", " (loss lines)", f->dropped + f->omitted,
		      v->losses);
	compare_complete(v, f, line);
	v->footer_line = line;
	v->footer_complete = f->complete;
	v->verdict.has_footer = true;
	v->verdict.produced = f->produced;
	v->verdict.written = f->written;
	v->verdict.dropped = f->dropped;
	v->verdict.omitted = f->omitted;
	v->verdict.outstanding = f->outstanding;
}
