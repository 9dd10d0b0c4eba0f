/* SPDX-License-Identifier: MIT */
#include "read/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/shown.h"
#include "read/verify_state.h"

const char *const wt_check_key[WT_CHECKS] = {
#define WT_CHECK(id, key, what, mend) key,
	WT_CHECKS_LIST(WT_CHECK)
#undef WT_CHECK
};

const char *const wt_check_what[WT_CHECKS] = {
#define WT_CHECK(id, key, what, mend) what,
	WT_CHECKS_LIST(WT_CHECK)
#undef WT_CHECK
};

const char *const wt_check_mend[WT_CHECKS] = {
#define WT_CHECK(id, key, what, mend) mend,
	WT_CHECKS_LIST(WT_CHECK)
#undef WT_CHECK
};

struct wt_verify *wt_verify_new(wt_problem_fn *problem, void *context)
{
	struct wt_verify *v = calloc(1, sizeof *v);
	if (!v) return NULL;
	v->problem = problem;
	v->context = context;
	v->verdict.files = 1;
	v->first_line[0] = 1;
	return v;
}

int wt_verify_next_file(struct wt_verify *v)
{
	if (v->verdict.files == WT_SET_FILES_MAX) return -E2BIG;
	if (v->verdict.cut)
		wt_verify_say(v, v->cut_line, WT_CHECK_FORMAT, "cut off, though another file of the trace follows");
	v->verdict.cut = false;
	v->first_line[v->verdict.files++] = v->verdict.lines + 1;
	v->earlier_bytes = v->verdict.bytes;
	v->announced = 0;
	v->crc = 0;
	return 0;
}

struct wt_where wt_verify_where(const struct wt_verify *v, uint64_t line)
{
	struct wt_where where;
	uint64_t file = v->verdict.files - 1;
	while (file && v->first_line[file] > line) file--;
	int n = snprintf(where.text, sizeof where.text, "line %" PRIu64, line - v->first_line[file] + 1);
	if (v->verdict.files > 1)
		snprintf(where.text + n, sizeof where.text - (size_t)n, " of file %" PRIu64, file + 1);
	return where;
}

void wt_verify_free(struct wt_verify *v)
{
	if (!v) return;
	free(v->seen);
	wt_index_free(&v->by_id);
	free(v->link);
	free(v->lock);
	free(v->logger);
	free(v);
}

void wt_verify_say(struct wt_verify *v, uint64_t line, enum wt_check check, const char *format, ...)
{
	char text[WT_ERR_BYTES];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	v->verdict.problems++;
	v->verdict.failed[check]++;
	v->problem(v->context, line, check, text);
}

void wt_verify_raw(struct wt_verify *v, const struct wt_raw *raw)
{
	static const char recorder[] = "{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"recorder\"";
	v->verdict.lines++;
	v->verdict.bytes = v->earlier_bytes + raw->offset + raw->n + !raw->cut;
	if (raw->n >= sizeof recorder && !memcmp(raw->text, recorder, sizeof recorder - 1)) {
		v->crc_before = v->crc;
		v->crc = 0; /* the next sum begins with this line */
	}
	v->crc = libdeflate_crc32(v->crc, raw->text, raw->n);
	if (!raw->cut) v->crc = libdeflate_crc32(v->crc, "\n", 1);
}

/* ---- One line ----------------------------------------------------------------------------------------------- */

/* Control characters would let a trace write to the terminal of who reads it. */
static void keep(char *to, size_t room, const struct wt_text *text)
{
	wt_shown(to, room, text->bytes, text->bytes ? text->n : 0);
}

/* Which file of a rotated trace this is. */
static void header_of_part(struct wt_verify *v, const struct wt_header *h, uint64_t number)
{
	bool first = v->verdict.files == 1;
	v->rotated = h->on_limit.n == 6 && !memcmp(h->on_limit.bytes, "rotate", 6);
	v->deleted = h->deleted_records;
	if (first) v->part = h->part;
	if (!first && h->part <= v->newest_part)
		wt_verify_say(v, number, WT_CHECK_FRAME, "part %" PRIu64 " of the trace follows its part %" PRIu64,
		              h->part, v->newest_part);
	v->gap |= !first && h->part > v->newest_part + 1;
	v->joined |= first ? h->part != 0 : h->part != v->newest_part + 1;
	v->newest_part = h->part;
}

static void header(struct wt_verify *v, const struct wt_line *line, uint64_t number)
{
	const struct wt_header *h = &line->header;
	struct wt_verdict *verdict = &v->verdict;
	if (number != wt_verify_first_line(v)) {
		wt_verify_say(v, number, WT_CHECK_FRAME, "a session_start that isn't the first line");
		return;
	}
	v->has_header = true;
	v->ours = h->on_limit.bytes != NULL;
	v->capacity = h->capacity;
	header_of_part(v, h, number);
	v->max_bytes = h->max_bytes;
	v->has_losses = h->drain_ms && h->on_limit.n == 4 && !memcmp(h->on_limit.bytes, "stop", 4);
	v->session_bytes = line->session_id.n;
	if (line->session_id.n <= sizeof v->session) memcpy(v->session, line->session_id.bytes, line->session_id.n);
	keep(verdict->segment, sizeof verdict->segment, &h->segment);
	verdict->min_ns = h->min_ns;
	verdict->window_ms = h->window_ms;
	verdict->pid = h->pid;
	verdict->is_trace = h->schema_version == 2;
	keep(verdict->session_id, sizeof verdict->session_id, &line->session_id);
	keep(verdict->run_id, sizeof verdict->run_id, &h->run_id);
	keep(verdict->build_id, sizeof verdict->build_id, &h->build_id);
	keep(verdict->version, sizeof verdict->version, &h->version);
	if (h->schema_version != 2)
		wt_verify_say(v, number, WT_CHECK_FRAME, "schema version %" PRIu64 ": this program reads version 2",
		              h->schema_version);
}

static int logger_line(struct wt_verify *v, const struct wt_logger_line *l, uint64_t number)
{
	int place = wt_verify_logger(v, l->id, number);
	v->verdict.checked[WT_CHECK_LOGGERS]++;
	if (place == -ENOMEM) return place;
	if (place < 0) {
		wt_verify_say(v, number, WT_CHECK_LOGGERS, "more loggers than the %d a session can have",
		              WALTRACE_MAX_LOGGERS);
	} else if (v->logger[place].line >= wt_verify_first_line(v)) {
		wt_verify_say(v, number, WT_CHECK_LOGGERS, "logger %" PRIu64 " was announced before, in %s", l->id,
		              wt_verify_where(v, v->logger[place].line).text);
	} else {
		v->logger[place].line = number;
		if (l->id != ++v->announced)
			wt_verify_say(v, number, WT_CHECK_LOGGERS, "logger %" PRIu64 " where %" PRIu64 " is next",
			              l->id, v->announced);
		if (v->announced > v->verdict.loggers) v->verdict.loggers = v->announced;
	}
	return 0;
}

static int progress(struct wt_verify *v, const struct wt_progress_line *p, uint64_t number)
{
	int place = wt_verify_logger(v, p->logger_id, number);
	if (place == -ENOMEM) return place;
	if (place < 0 || !v->logger[place].line) {
		wt_verify_say(v, number, WT_CHECK_LOGGERS,
		              "progress of logger %" PRIu64 ", which nothing has announced", p->logger_id);
		return 0;
	}
	struct wt_seen_logger *logger = &v->logger[place];
	v->verdict.checked[WT_CHECK_COUNTERS]++;
	if (p->peak < logger->peak)
		wt_verify_say(v, number, WT_CHECK_COUNTERS, "waiting_peak_lifetime fell from %" PRIu64 " to %" PRIu64,
		              logger->peak, p->peak);
	logger->peak = p->peak;
	if (p->window != v->window.number)
		wt_verify_say(v, number, WT_CHECK_WINDOWS, "progress of window %" PRIu64 " after window %" PRIu64,
		              p->window, v->window.number);
	return 0;
}

static void recorder(struct wt_verify *v, const struct wt_recorder_line *r, uint64_t number)
{
	v->verdict.filtered = r->filtered > v->verdict.filtered ? r->filtered : v->verdict.filtered;
	v->left_out |= r->left_out != 0;
	if (!r->has_crc32) return;
	v->verdict.checked[WT_CHECK_CRC]++;
	if (r->crc32 != v->crc_before)
		wt_verify_say(v, number, WT_CHECK_CRC,
		              "crc32 %" PRIu64 " isn't that of the lines since the last recorder line (%" PRIu32 ")",
		              r->crc32, v->crc_before);
}

static int by_kind(struct wt_verify *v, const struct wt_raw *raw, const struct wt_line *line)
{
	switch (line->kind) {
	case WT_LINE_RECORD: return wt_verify_record(v, &line->record, raw->number);
	case WT_LINE_HEADER: header(v, line, raw->number); break;
	case WT_LINE_LOGGER: return logger_line(v, &line->logger, raw->number);
	case WT_LINE_WINDOW: wt_verify_window(v, &line->window, raw); break;
	case WT_LINE_PROGRESS: return progress(v, &line->progress, raw->number);
	case WT_LINE_RECORDER: recorder(v, &line->recorder, raw->number); break;
	case WT_LINE_IN_FLIGHT: v->in_flight++; break;
	case WT_LINE_UNKNOWN: v->verdict.unknown_lines++; break;
	case WT_LINE_FOOTER:
		keep(v->verdict.reason, sizeof v->verdict.reason, &line->footer.reason);
		wt_verify_footer(v, &line->footer, raw->number);
		break;
	case WT_LINE_LOSS: v->losses += line->loss.n; break;
	case WT_LINE_HISTOGRAM: break;
	}
	return 0;
}

int wt_verify_line(struct wt_verify *v, const struct wt_raw *raw, const struct wt_line *line, const char *why)
{
	v->verdict.checked[WT_CHECK_FRAME]++;
	if (v->footer_line)
		wt_verify_say(v, raw->number, WT_CHECK_FRAME, "something after the session_end of %s",
		              wt_verify_where(v, v->footer_line).text);
	if (raw->cut && !line) {
		v->verdict.cut = true;
		v->cut_line = raw->number;
		return 0;
	}
	v->verdict.checked[WT_CHECK_FORMAT]++;
	if (!line) {
		wt_verify_say(v, raw->number, WT_CHECK_FORMAT, "%s", why);
		return 0;
	}
	v->verdict.checked[WT_CHECK_ORDER]++;
	v->verdict.unknown_keys += line->unknown_keys;
	if (!line->known_order)
		wt_verify_say(v, raw->number, WT_CHECK_ORDER, "keys out of order, or spaces between them");
	if (raw->number == wt_verify_first_line(v) && line->kind != WT_LINE_HEADER)
		wt_verify_say(v, raw->number, WT_CHECK_FRAME, "the first line is no session_start");
	if (v->has_header && v->session_bytes <= sizeof v->session &&
	    (line->session_id.n != v->session_bytes ||
	     memcmp(line->session_id.bytes, v->session, v->session_bytes) != 0))
		wt_verify_say(v, raw->number, WT_CHECK_FRAME, "a line of another session than %s",
		              v->verdict.session_id);
	return by_kind(v, raw, line);
}

/* ---- The end ------------------------------------------------------------------------------------------------ */

static void check_loggers(struct wt_verify *v, bool explained)
{
	for (size_t i = 0; i < v->loggers && !explained; i++)
		if (!v->logger[i].line && !v->ours)
			wt_verify_say(v, v->logger[i].first_line, WT_CHECK_LOGGERS,
			              "logger %" PRIu64 " has no root_logger_ready", v->logger[i].id);
}

static void why_ended(const struct wt_verify *v, struct wt_verdict *d)
{
	if (!strcmp(d->reason, "recovered"))
		snprintf(d->why, sizeof d->why, "the process died; recovered with %" PRIu64 " operations in flight",
		         d->outstanding);
	else if (!strcmp(d->reason, "rotated"))
		snprintf(d->why, sizeof d->why, "%" PRIu64 " records are in files that the recorder deleted",
		         v->before);
	else
		snprintf(d->why, sizeof d->why,
		         "ended by %s: %" PRIu64 " records dropped, %" PRIu64 " omitted, %" PRIu64
		         " operations outstanding",
		         d->reason, d->dropped, d->omitted, d->outstanding);
}

static const char *mend_ended(const struct wt_verdict *d)
{
	if (!strcmp(d->reason, "byte_limit")) return "raise max_bytes, or set min_ns";
	if (!strcmp(d->reason, "rotated")) return "raise max_bytes to keep more";
	if (!strcmp(d->reason, "io_error")) return "look at the disk that the trace was written to";
	if (!strcmp(d->reason, "recovered")) return "";
	if (d->dropped) return "raise capacity, or drain more often (drain_ms)";
	if (d->omitted) return "the trace's loss lines say which limit was met";
	return d->outstanding ? "end all operations before the session is shut down" : "";
}

/* Records are in files that exist, or did when the session ended. After a recovery no header is sure to know. */
static bool not_given(const struct wt_verify *v)
{
	const struct wt_verdict *d = &v->verdict;
	bool ended = !strcmp(d->reason, "rotated") || !strcmp(d->reason, "shutdown");
	return v->gap || (v->part && d->has_footer && ended && v->before > v->deleted);
}

static void say_mend(const struct wt_verify *v, struct wt_verdict *d)
{
	static const char all[] = "give all files of the trace at once (TRACE*)";
	if (d->problems) return;
	if (not_given(v) || (v->rotated && !d->has_footer && d->files == 1))
		snprintf(d->mend, sizeof d->mend, "%s", all);
	else if (d->has_footer) snprintf(d->mend, sizeof d->mend, "%s", mend_ended(d));
	else if (d->segment[0])
		snprintf(d->mend, sizeof d->mend, "if its process died, finish it by waltrace recover %s", d->segment);
}

static void say_why(const struct wt_verify *v, struct wt_verdict *d)
{
	if (d->problems) snprintf(d->why, sizeof d->why, "damaged");
	else if (d->cut)
		snprintf(d->why, sizeof d->why, "%s is cut off: the end of the trace is missing",
		         wt_verify_where(v, v->cut_line).text);
	else if (v->gap) snprintf(d->why, sizeof d->why, "a file in the middle of the rotated trace isn't given");
	else if (not_given(v))
		snprintf(d->why, sizeof d->why,
		         "part %" PRIu64 " of a rotated trace: %" PRIu64 " records are in parts that aren't given",
		         v->part, v->before - v->deleted);
	else if (!d->has_footer)
		snprintf(d->why, sizeof d->why, "no session_end: the process was killed, or still records");
	else if (!v->footer_complete) why_ended(v, d);
	else if (v->part)
		snprintf(d->why, sizeof d->why, "part %" PRIu64 " of a rotated trace: what was before is in others",
		         v->part);
	if (d->why[0]) say_mend(v, d);
}

int wt_verify_end(struct wt_verify *v, struct wt_verdict *verdict)
{
	struct wt_verdict *d = &v->verdict;
	if (!d->has_footer) {
		d->produced = v->window.produced;
		d->written = d->records;
		d->dropped = v->window.dropped_full + v->window.dropped_stopped;
		d->omitted = v->window.omitted;
		d->outstanding = v->window.outstanding;
	}
	/* An operation below min_ns is left out as a whole; what others name of it isn't there. */
	bool explained = !d->has_footer || d->cut || d->dropped || d->omitted || d->outstanding || d->min_ns ||
	                 v->part || v->gap || strcmp(d->reason, "shutdown") != 0;
	check_loggers(v, explained);
	int result = wt_verify_links(v, explained);
	wt_verify_locks(v, explained);
	say_why(v, d);
	d->complete = !d->why[0];
	*verdict = *d;
	return result;
}
