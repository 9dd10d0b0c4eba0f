/* SPDX-License-Identifier: MIT */
/* Lines of text, cut at the reader's width. A character is taken for one column. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/top.h"

/* Bytes of the first so many columns. */
static size_t bytes_of(const char *text, int columns)
{
	size_t i = 0;
	for (int n = 0; text[i]; i++)
		if ((text[i] & 0xc0) != 0x80 && n++ == columns) break;
	return i;
}

static int columns_of(const char *text)
{
	int n = 0;
	for (; *text; text++) n += (*text & 0xc0) != 0x80;
	return n;
}

static struct wt_top_line *next(struct wt_top_lines *lines)
{
	if (lines->n == lines->room) {
		uint32_t room = lines->room ? 2 * lines->room : 64;
		struct wt_top_line *more = realloc(lines->line, room * sizeof *more);
		if (!more) return NULL;
		lines->line = more;
		lines->room = room;
	}
	return &lines->line[lines->n++];
}

void wt_top_lines_add(struct wt_top_lines *lines, enum wt_ink ink, const char *format, ...)
{
	struct wt_top_line *line = next(lines);
	va_list arguments;
	if (!line) return;
	line->ink = ink;
	line->chosen = false;
	va_start(arguments, format);
	vsnprintf(line->text, sizeof line->text, format, arguments);
	va_end(arguments);
	line->text[bytes_of(line->text, lines->columns)] = 0;
}

void wt_top_lines_wrap(struct wt_top_lines *lines, enum wt_ink ink, const char *text)
{
	int indent = 0;
	while (*text) {
		int width = lines->columns - indent;
		size_t n = bytes_of(text, width < 10 ? 10 : width);
		if (text[n]) {
			size_t whole = n;
			while (whole && text[whole] != ' ') whole--;
			if (whole) n = whole;
		}
		wt_top_lines_add(lines, ink, "%*s%.*s", indent, "", (int)n, text);
		text += n;
		while (*text == ' ') text++;
		indent = 2;
	}
}

void wt_top_lines_free(struct wt_top_lines *lines)
{
	free(lines->line);
	lines->line = NULL;
	lines->n = lines->room = 0;
}

static struct wt_cell cell(const char *text, int columns, bool right)
{
	struct wt_cell out;
	int blanks = columns - columns_of(text);
	if (blanks < 0) blanks = 0;
	if (right) snprintf(out.text, sizeof out.text, "%*s%s", blanks, "", text);
	else snprintf(out.text, sizeof out.text, "%s%*s", text, blanks, "");
	return out;
}

struct wt_cell wt_right(const char *text, int columns) { return cell(text, columns, true); }
struct wt_cell wt_left(const char *text, int columns) { return cell(text, columns, false); }
