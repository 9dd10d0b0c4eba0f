/* SPDX-License-Identifier: MIT */
#include "read/trace.h"

#include <errno.h>
#include <stdlib.h>

#include "read/parse.h"

static void ignore(void *context, uint64_t line, enum wt_check check, const char *text)
{
	(void)context, (void)line, (void)check, (void)text;
}

static int one_line(const struct wt_trace_reader *reader, struct wt_parser *parser, struct wt_verify *verify,
                    const struct wt_raw *raw, struct wt_line *line, struct wt_err *err)
{
	struct wt_err why = {0};
	int parsed = -EBADMSG;
	wt_verify_raw(verify, raw);
	if (raw->cut) wt_err_set(&why, -EBADMSG, "cut off");
	else parsed = wt_parse_line(parser, raw->text, raw->n, line, &why);
	if (wt_verify_line(verify, raw, parsed ? NULL : line, why.text))
		return wt_err_set(err, -ENOMEM, "out of memory for the ids of a trace");
	if (raw->number == 1 && (parsed || line->kind != WT_LINE_HEADER))
		return wt_err_set(err, -EBADMSG, "1: not a trace: its first line is no session_start (%s)",
		                  parsed ? why.text : "another line of a trace");
	if (parsed || !reader->line) return 0;
	int result = reader->line(reader->line_context, line, err);
	if (result) wt_err_wrap(err, "%llu", (unsigned long long)raw->number);
	return result;
}

/* Nothing behind such a line is looked for: there may be no end to it. */
static int too_long(const struct wt_raw *raw, struct wt_err *err)
{
	if (raw->number == 1)
		return wt_err_set(err, -EBADMSG, "1: not a trace: no end of a line in its first %d MiB",
		                  WT_READ_LINE_MAX >> 20);
	return wt_err_set(err, -EBADMSG,
	                  "%llu: a line of over %d MiB, which no recorder writes: the file is damaged from here on",
	                  (unsigned long long)raw->number, WT_READ_LINE_MAX >> 20);
}

static int all_lines(const struct wt_trace_reader *reader, struct wt_verify *verify, struct wt_line *line,
                     struct wt_err *err)
{
	struct wt_lines lines;
	struct wt_raw raw;
	struct wt_parser parser;
	int result;
	wt_parser_init(&parser);
	wt_lines_init(&lines, reader->read, reader->read_context);
	while ((result = wt_lines_next(&lines, &raw, err)) > 0) {
		result = one_line(reader, &parser, verify, &raw, line, err);
		if (result) break;
	}
	if (result == -EFBIG) result = too_long(&raw, err);
	wt_lines_free(&lines);
	return result;
}

int wt_trace_read(const struct wt_trace_reader *reader, struct wt_verdict *verdict, struct wt_err *err)
{
	struct wt_verify *verify = wt_verify_new(reader->problem ? reader->problem : ignore, reader->problem_context);
	struct wt_line *line = calloc(1, sizeof *line);
	int result = -ENOMEM;
	*verdict = (struct wt_verdict){0};
	if (verify && line) {
		result = all_lines(reader, verify, line, err);
		int ended = wt_verify_end(verify, verdict);
		if (ended && !result) result = wt_err_set(err, ended, "out of memory for the ids of a trace");
	} else {
		wt_err_set(err, -ENOMEM, "out of memory");
	}
	if (!result && !verdict->lines) result = wt_err_set(err, -EBADMSG, "1: not a trace: nothing in it");
	free(line);
	wt_verify_free(verify);
	return result;
}
