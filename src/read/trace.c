/* SPDX-License-Identifier: MIT */
#include "read/trace.h"

#include <errno.h>
#include <stdlib.h>

#include "read/parse.h"

static void ignore(void *context, uint64_t line, enum wt_check check, const char *text)
{
	(void)context, (void)line, (void)check, (void)text;
}

struct reading {
	const struct wt_trace_reader *reader;
	struct wt_parser parser;
	struct wt_verify *verify;
	struct wt_line line;
	uint64_t lines; /* in the files before this one */
};

static int one_line(struct reading *r, const struct wt_raw *raw, struct wt_err *err)
{
	const struct wt_trace_reader *reader = r->reader;
	struct wt_line *line = &r->line;
	struct wt_err why = {0};
	int parsed = -EBADMSG;
	wt_verify_raw(r->verify, raw);
	if (raw->cut) wt_err_set(&why, -EBADMSG, "cut off");
	else parsed = wt_parse_line(&r->parser, raw->text, raw->n, line, &why);
	if (wt_verify_line(r->verify, raw, parsed ? NULL : line, why.text))
		return wt_err_set(err, -ENOMEM, "out of memory for the ids of a trace");
	if (raw->number == r->lines + 1 && (parsed || line->kind != WT_LINE_HEADER))
		return wt_err_set(err, -EBADMSG, "1: not a trace: its first line is no session_start (%s)",
		                  parsed ? why.text : "another line of a trace");
	if (parsed || !reader->line) return 0;
	int result = reader->line(reader->line_context, line, err);
	if (result) wt_err_wrap(err, "%llu", (unsigned long long)(raw->number - r->lines));
	return result;
}

/* Nothing behind such a line is looked for: there may be no end to it. */
static int too_long(const struct wt_raw *raw, uint64_t before, struct wt_err *err)
{
	if (raw->number == before + 1)
		return wt_err_set(err, -EBADMSG, "1: not a trace: no end of a line in its first %d MiB",
		                  WT_READ_LINE_MAX >> 20);
	return wt_err_set(err, -EBADMSG,
	                  "%llu: a line of over %d MiB, which no recorder writes: the file is damaged from here on",
	                  (unsigned long long)(raw->number - before), WT_READ_LINE_MAX >> 20);
}

static int one_file(struct reading *r, struct wt_err *err)
{
	struct wt_lines lines;
	struct wt_raw raw;
	int result;
	wt_lines_init(&lines, r->reader->read, r->reader->read_context);
	lines.number = r->lines;
	while ((result = wt_lines_next(&lines, &raw, err)) > 0) {
		result = one_line(r, &raw, err);
		if (result) break;
	}
	if (result == -EFBIG) result = too_long(&raw, r->lines, err);
	if (!result && lines.number == r->lines) result = wt_err_set(err, -EBADMSG, "1: not a trace: nothing in it");
	r->lines = lines.number;
	wt_lines_free(&lines);
	return result;
}

static int all_files(struct reading *r, struct wt_err *err)
{
	int result = one_file(r, err);
	while (!result && r->reader->next_file) {
		result = r->reader->next_file(r->reader->read_context, r->lines, err);
		if (result <= 0) break;
		result = wt_verify_next_file(r->verify);
		if (!result) result = one_file(r, err);
		else wt_err_set(err, result, "more than %d files of one trace", WT_SET_FILES_MAX);
	}
	return result;
}

int wt_trace_read(const struct wt_trace_reader *reader, struct wt_verdict *verdict, struct wt_err *err)
{
	struct reading *r = calloc(1, sizeof *r);
	int result = -ENOMEM;
	*verdict = (struct wt_verdict){0};
	if (!r) return wt_err_set(err, -ENOMEM, "out of memory");
	r->reader = reader;
	r->verify = wt_verify_new(reader->problem ? reader->problem : ignore, reader->problem_context);
	if (r->verify) {
		wt_parser_init(&r->parser);
		result = all_files(r, err);
		int ended = wt_verify_end(r->verify, verdict);
		if (ended && !result) result = wt_err_set(err, ended, "out of memory for the ids of a trace");
	} else {
		wt_err_set(err, -ENOMEM, "out of memory");
	}
	wt_verify_free(r->verify);
	free(r);
	return result;
}
