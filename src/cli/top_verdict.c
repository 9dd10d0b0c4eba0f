/* SPDX-License-Identifier: MIT */
/* What comes first: can these numbers be believed, and does something hang. Nothing that was lost is passed over: each
 * cause says which numbers lack it. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/top.h"
#include "read/units.h"

enum { HANG_NS = 1000000000, LATE_NS = 1000000000 }; /* a lock held, a writer behind for so long is worth a sentence */

const char *const wt_touch_key[5] = {"trace", "rates", "lock", "texts", "loggers"};

unsigned wt_loss_touches(int cause)
{
	const unsigned trace = 1u << WT_TOUCH_TRACE, rates = 1u << WT_TOUCH_RATES;
	switch (cause) {
	case WT_LOSS_queue_full: /* counted in the histograms by whoever gave them up */
	case WT_LOSS_stopped:
	case WT_LOSS_rotated: return trace;
	case WT_LOSS_slots: return trace | rates | 1u << WT_TOUCH_LOCK; /* the operation's spans publish nothing */
	case WT_LOSS_paths:
	case WT_LOSS_strings: return 1u << WT_TOUCH_TEXTS;
	case WT_LOSS_loggers: return trace | rates | 1u << WT_TOUCH_LOCK | 1u << WT_TOUCH_LOGGERS;
	default: return trace | rates;
	}
}

const char *wt_stage_name(uint64_t stage)
{
	static const char *const name[] = {"none", "acquired", "syncing", "waking", "after_sync"};
	static char number[24];
	if (stage < WT_COUNT(name)) return name[stage];
	snprintf(number, sizeof number, "%" PRIu64, stage);
	return number;
}

static void say(struct wt_top_verdict *v, enum wt_ink ink, const char *format, ...) WT_PRINTF(3, 4);
static void say(struct wt_top_verdict *v, enum wt_ink ink, const char *format, ...)
{
	va_list arguments;
	if (v->n == WT_VERDICT_SENTENCES) return;
	va_start(arguments, format);
	vsnprintf(v->text[v->n], sizeof v->text[v->n], format, arguments);
	va_end(arguments);
	v->ink[v->n++] = ink;
}

/* "queue_full 1,234, rows 3": of the causes that touch exactly `touches`. Returns how many were lost. */
static uint64_t name_causes(const struct wt_snapshot *s, unsigned touches, char *text, size_t room)
{
	uint64_t n[WT_LOSSES] = {0}, sum = 0;
	size_t at = 0;
	text[0] = 0;
	for (uint32_t i = 0; i < s->losses; i++) n[wt_loss_cause(&s->loss[i])] += s->loss[i].n;
	for (int cause = 0; cause < WT_LOSSES; cause++) {
		if (!n[cause] || wt_loss_touches(cause) != touches) continue;
		sum += n[cause];
		int more = snprintf(text + at, room - at, "%s%s %s", at ? ", " : "", wt_loss_name[cause],
		                    wt_count(n[cause]).text);
		if (more > 0 && at + (size_t)more < room) at += (size_t)more;
	}
	return sum;
}

static void say_losses(struct wt_top_verdict *v, const struct wt_snapshot *s)
{
	static const struct {
		int cause; /* one of those that touch the same */
		const char *what;
	} group[] = {
		{WT_LOSS_queue_full, "missing in the trace's file only (%s): rates and percentiles here count them"},
		{WT_LOSS_rows, "never recorded (%s): rates, counts and percentiles miss them, as the trace does"},
		{WT_LOSS_slots,
	         "not admitted (%s): rates, percentiles, waiters and owners miss them, as the trace does"},
		{WT_LOSS_paths, "cut or without a path (%s): texts in the trace, no number here"},
		{WT_LOSS_loggers, "refused (%s): nothing of those logs is shown here"},
	};
	static const char *const unit[] = {"record", "record", "operation", "text", "logger"};
	for (size_t i = 0; i < WT_COUNT(group); i++) {
		char causes[256], what[WT_VERDICT_TEXT];
		uint64_t n = name_causes(s, wt_loss_touches(group[i].cause), causes, sizeof causes);
		if (!n) continue;
		snprintf(what, sizeof what, group[i].what, causes);
		say(v, WT_INK_WARN, "%s %s%s %s", wt_count(n).text, unit[i], n == 1 ? "" : "s", what);
	}
	if (s->unplaced)
		say(v, WT_INK_WARN, "%s records are in no histogram, since all %d are in use: percentiles miss them",
		    wt_count(s->unplaced).text, WALTRACE_SHM_HISTOGRAMS);
}

/* The lock that was held longest. */
static void say_hang(struct wt_top_verdict *v, const struct wt_snapshot *s)
{
	const struct wt_top_logger *worst = NULL;
	uint64_t longest = HANG_NS;
	for (uint32_t i = 0; i < s->loggers; i++) {
		const struct wt_top_logger *l = &s->logger[i];
		if (!l->owner_known || !l->owner.id || wt_age_ns(s, l->owner.since_ns) < longest) continue;
		longest = wt_age_ns(s, l->owner.since_ns);
		worst = l;
	}
	if (!worst) return;
	say(v, WT_INK_BAD,
	    "logger %ld: operation %" PRIu64 " has held the commit lock for %s (stage: %s); %s wait for it",
	    (long)(worst - s->logger) + 1, worst->owner.id, wt_ns((double)longest).text,
	    wt_stage_name(worst->owner.stage), wt_count(worst->waiters).text);
}

static const char *life_text(enum wt_life life)
{
	switch (life) {
	case WT_LIFE_RUNNING: return "running";
	case WT_LIFE_STOPPED: return "stopped";
	case WT_LIFE_ENDED: return "its session has ended";
	case WT_LIFE_DEAD: return "dead";
	case WT_LIFE_UNKNOWN: break;
	}
	return "in another pid namespace: whether it lives can't be told";
}

static void say_first(struct wt_top_verdict *v, const struct wt_view *view)
{
	const struct wt_snapshot *s = view->now;
	bool losses = s->dropped || s->omitted || s->rotated;
	say(v, losses || s->life == WT_LIFE_DEAD ? WT_INK_BAD : WT_INK_GOOD,
	    "process %" PRIu64 " (%s), recorded for %s: %s", view->target->head.pid, life_text(s->life),
	    wt_ns((double)s->now_ns).text,
	    losses                     ? "incomplete: something was lost"
	    : s->life == WT_LIFE_DEAD  ? "incomplete: its trace isn't finished"
	    : s->life == WT_LIFE_ENDED ? "nothing was lost"
	                               : "complete so far: nothing was lost");
}

void wt_top_verdict(const struct wt_view *view, struct wt_top_verdict *v)
{
	const struct wt_snapshot *s = view->now;
	v->n = 0;
	if (!s->whole) {
		say(v, WT_INK_BAD, "%s was cut or removed while it was looked at: nothing in it can be read any more",
		    view->target->name);
		return;
	}
	say_first(v, view);
	if (s->life == WT_LIFE_DEAD) say(v, WT_INK_BAD, "finish its trace: waltrace recover %s", view->target->name);
	say_losses(v, s);
	say_hang(v, s);
	if (s->life == WT_LIFE_RUNNING && wt_writer_lag_ns(s) > LATE_NS + view->target->head.drain_ms * 1000000 &&
	    view->target->head.drain_ms)
		say(v, WT_INK_WARN, "the recorder's writer is %s behind: its disk is slow, or the machine is busy",
		    wt_ns((double)wt_writer_lag_ns(s)).text);
	if (view->target->head.min_ns)
		say(v, WT_INK_NONE,
		    "operations faster than %s leave no records (min_ns): percentiles and flushes/s count "
		    "them, produced doesn't",
		    wt_ns((double)view->target->head.min_ns).text);
}

int wt_top_status(const struct wt_snapshot *s)
{
	if (!s->whole) return WT_EXIT_DAMAGED;
	return wt_lost_something(s) ? WT_EXIT_INCOMPLETE : WT_EXIT_GOOD;
}
