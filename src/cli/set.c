/* SPDX-License-Identifier: MIT */
#include "cli/set.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/input.h"
#include "read/limits.h"
#include "read/lines.h"
#include "read/parse.h"

/* ---- Which files belong together ------------------------------------------------------------------------------ */

struct head {
	char *path;
	char session[64]; /* "": no file of a rotated trace */
	uint64_t part;
	size_t first; /* place among the arguments of the trace's first one */
	size_t place; /* of this one */
};

/* A pipe gives its bytes once: it is not looked at. */
static bool is_regular(const char *path)
{
	struct stat about;
	return strcmp(path, "-") != 0 && !stat(path, &about) && S_ISREG(about.st_mode);
}

static void take_header(const struct wt_line *line, struct head *head)
{
	const struct wt_header *h = &line->header;
	if (line->kind != WT_LINE_HEADER || h->on_limit.n != 6 || memcmp(h->on_limit.bytes, "rotate", 6) != 0) return;
	if (line->session_id.n >= sizeof head->session) return;
	memcpy(head->session, line->session_id.bytes, line->session_id.n);
	head->part = h->part;
}

static void look(struct head *head)
{
	struct wt_input input;
	struct wt_lines lines;
	struct wt_raw raw;
	struct wt_err err;
	struct {
		struct wt_parser parser;
		struct wt_line line;
	} *work = calloc(1, sizeof *work);
	if (!work || wt_input_open(&input, head->path, &err)) {
		free(work);
		return;
	}
	wt_parser_init(&work->parser);
	wt_lines_init(&lines, wt_input_read, &input);
	if (wt_lines_next(&lines, &raw, &err) > 0 && !raw.cut &&
	    !wt_parse_line(&work->parser, raw.text, raw.n, &work->line, &err))
		take_header(&work->line, head);
	wt_lines_free(&lines);
	wt_input_close(&input);
	free(work);
}

static int in_order(const void *a, const void *b)
{
	const struct head *x = a, *y = b;
	if (x->first != y->first) return x->first < y->first ? -1 : 1;
	if (x->part != y->part) return x->part < y->part ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static size_t each_its_own(char **path, size_t n, struct wt_set *set)
{
	for (size_t i = 0; i < n; i++) set[i] = (struct wt_set){&path[i], 1};
	return n;
}

size_t wt_sets_of(char **path, size_t n, struct wt_set *set)
{
	struct head *head = n > 1 ? calloc(n, sizeof *head) : NULL;
	size_t sets = 0;
	if (!head) return each_its_own(path, n, set);
	for (size_t i = 0; i < n; i++) {
		head[i] = (struct head){.path = path[i], .first = i, .place = i};
		if (is_regular(path[i])) look(&head[i]);
		for (size_t j = 0; j < i && head[i].session[0] && head[i].first == i; j++)
			if (!strcmp(head[i].session, head[j].session)) head[i].first = head[j].first;
	}
	qsort(head, n, sizeof *head, in_order);
	for (size_t i = 0; i < n; i++) {
		path[i] = head[i].path;
		if (i && head[i].first == head[i - 1].first) set[sets - 1].files++;
		else set[sets++] = (struct wt_set){&path[i], 1};
	}
	free(head);
	return sets;
}

/* ---- Reading one ---------------------------------------------------------------------------------------------- */

struct source {
	const struct wt_set *set;
	const struct wt_set_reader *reader;
	struct wt_input input;
	size_t at;                         /* the file that is open */
	uint64_t before[WT_SET_FILES_MAX]; /* lines in the files before each */
};

static ssize_t read_bytes(void *context, void *bytes, size_t n, struct wt_err *err)
{
	struct source *s = context;
	return wt_input_read(&s->input, bytes, n, err);
}

static int next_file(void *context, uint64_t lines, struct wt_err *err)
{
	struct source *s = context;
	if (s->at + 1 == s->set->files) return 0;
	wt_input_close(&s->input);
	s->at++;
	if (s->at < WT_SET_FILES_MAX) s->before[s->at] = lines;
	int result = wt_input_open(&s->input, s->set->path[s->at], err);
	return result ? result : 1;
}

static void say(void *context, uint64_t line, enum wt_check check, const char *text)
{
	struct source *s = context;
	size_t file = s->at < WT_SET_FILES_MAX ? s->at : WT_SET_FILES_MAX - 1;
	while (file && line <= s->before[file]) file--;
	s->reader->problem(s->reader->problem_context, s->set->path[file], line ? line - s->before[file] : 0, check,
	                   text);
}

int wt_set_read(const struct wt_set_reader *reader, const struct wt_set *set, struct wt_verdict *verdict,
                struct wt_err *err)
{
	struct source *s = calloc(1, sizeof *s);
	*verdict = (struct wt_verdict){0};
	if (!s) return wt_err_set(err, -ENOMEM, "out of memory");
	s->set = set;
	s->reader = reader;
	int result = wt_input_open(&s->input, set->path[0], err);
	if (!result) {
		const struct wt_trace_reader trace = {.read = read_bytes,
		                                      .read_context = s,
		                                      .line = reader->line,
		                                      .line_context = reader->line_context,
		                                      .problem = reader->problem ? say : NULL,
		                                      .problem_context = s,
		                                      .next_file = next_file};
		result = wt_trace_read(&trace, verdict, err);
		if (s->input.fd >= 0) {
			wt_input_close(&s->input);
			if (result) wt_input_blame(err, set->path[s->at]);
		}
	}
	free(s);
	return result;
}
