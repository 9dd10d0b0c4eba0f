/* SPDX-License-Identifier: MIT */
#include "trace/stderr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* A path in quotes as the reference prints it: what can't be shown is escaped (\n, \u{7f}, and \xFF for bytes that
 * aren't UTF-8), so that a line stays a line. Room: 8 bytes a byte of the path. */
static bool printable(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = {{0, 0x1f},          {0x7f, 0xa0},       {0xad, 0xad},       {0x600, 0x605},
	              {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x1680, 0x1680},
	              {0x180e, 0x180e},   {0x2000, 0x200f},   {0x2028, 0x202f},   {0x205f, 0x206f},
	              {0x3000, 0x3000},   {0xd800, 0xf8ff},   {0xfeff, 0xfeff},   {0xfff0, 0xfffb},
	              {0xfffe, 0xffff},   {0x110bd, 0x110bd}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
	              {0xe0000, 0xe0fff}, {0xf0000, 0x10ffff}};
	for (size_t i = 0; i < WT_COUNT(hidden); i++)
		if (c >= hidden[i].first && c <= hidden[i].last) return false;
	return true;
}

static void print_quoted(FILE *to, const char *path)
{
	const char *s = path;
	fputc('"', to);
	while (*s) {
		uint32_t c;
		size_t n = wt_utf8(s, SIZE_MAX, &c);
		if (!n) fprintf(to, "\\x%02X", (unsigned char)*s);
		else if (c == '"' || c == '\\') fprintf(to, "\\%c", (char)c);
		else if (c == '\n' || c == '\r' || c == '\t')
			fprintf(to, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
		else if (!printable(c)) fprintf(to, "\\u{%x}", c);
		else fwrite(s, 1, n, to);
		s += n ? n : 1;
	}
	fputc('"', to);
}

/* One write a line, so that lines of several processes don't mix. */
static void print_line(const char *before, const char *path, const char *after)
{
	char *text = NULL;
	size_t bytes = 0;
	if (wt_environment_quiet()) return;
	FILE *line = open_memstream(&text, &bytes);
	if (!line) return;
	fputs(before, line);
	if (path) print_quoted(line, path);
	fputs(after, line);
	if (!fclose(line)) fwrite(text, 1, bytes, stderr);
	free(text);
}

void wt_stderr_start(const struct wt_session *s)
{
	char after[128];
	snprintf(after, sizeof after, " window_ms=%llu max_bytes=%llu\n", (unsigned long long)s->config.window_ms,
	         (unsigned long long)s->config.max_bytes);
	print_line("PI_STORE_WAL_TRACE event=session_start path=", s->path, after);
}

void wt_stderr_stop(const struct waltrace_report *report)
{
	char before[128];
	snprintf(before, sizeof before,
	         "PI_STORE_WAL_TRACE event=session_stop reason=%s complete=%s path=", report->reason,
	         report->complete ? "true" : "false");
	print_line(before, report->path, "\n");
}

void wt_stderr_start_error(const char *fixed, const char *detail)
{
	char line[1024];
	snprintf(line, sizeof line, "PI_STORE_WAL_TRACE event=start_error error=%s\n", fixed);
	print_line(line, NULL, "");
	if (!detail[0]) return;
	snprintf(line, sizeof line, "waltrace: recording stays off: %s\n", detail);
	print_line(line, NULL, "");
}

void wt_stderr_recovered(void *unused, const char *segment, int result, const struct waltrace_report *report,
                         const struct waltrace_error *error)
{
	(void)unused, (void)segment, (void)error;
	if (!result) print_line("waltrace: finished the trace of a process that is gone: ", report->path, "\n");
}
