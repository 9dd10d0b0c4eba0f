/* SPDX-License-Identifier: MIT */
#include "cli/page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool wt_wants_colour(FILE *out)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
	if (none && none[0]) return false;
	return isatty(fileno(out)) && !(terminal && !strcmp(terminal, "dumb"));
}

/* Columns that n bytes take: those that continue a character take none. */
static int columns_of(const char *text, size_t n)
{
	int columns = 0;
	for (size_t i = 0; i < n; i++) columns += (text[i] & 0xc0) != 0x80;
	return columns;
}

static int columns_of_all(const char *text) { return columns_of(text, strlen(text)); }

void wt_page_ink(const struct wt_page *page, enum wt_ink ink, const char *text)
{
	static const char *const code[] = {"", "\033[1m", "\033[2m", "\033[1;32m", "\033[1;31m", "\033[33m"};
	if (page->colour && ink) fprintf(page->out, "%s%s\033[0m", code[ink], text);
	else fputs(text, page->out);
}

static void blanks(const struct wt_page *page, int n) { fprintf(page->out, "%*s", n > 0 ? n : 0, ""); }

void wt_page_right(const struct wt_page *page, const char *text, int columns)
{
	blanks(page, columns - columns_of_all(text));
	fputs(text, page->out);
}

void wt_page_left(const struct wt_page *page, const char *text, int columns)
{
	fputs(text, page->out);
	blanks(page, columns - columns_of_all(text));
}

/* A number and its unit belong on one line. */
static size_t word_bytes(const char *text)
{
	static const char *const units[] = {"ns", "µs", "ms", "s", "B", "KiB", "MiB", "GiB", "%"};
	size_t n = strcspn(text, " ");
	if (text[0] < '0' || text[0] > '9' || text[n] != ' ') return n;
	for (size_t i = 0; i < WT_COUNT(units); i++) {
		size_t unit = strlen(units[i]);
		if (!strncmp(text + n + 1, units[i], unit) && strchr(" ,;:.)/", text[n + 1 + unit]))
			return n + 1 + strcspn(text + n + 1, " ");
	}
	return n;
}

void wt_page_wrap(const struct wt_page *page, const char *text, int at, int indent)
{
	bool first = true;
	while (*text) {
		size_t n = word_bytes(text);
		int columns = columns_of(text, n);
		if (!first && at + 1 + columns > WT_PAGE_COLUMNS) {
			fputc('\n', page->out);
			blanks(page, indent);
			at = indent;
		} else if (!first) {
			fputc(' ', page->out);
			at++;
		}
		fwrite(text, 1, n, page->out);
		at += columns;
		first = false;
		text += n;
		while (*text == ' ') text++;
	}
	fputc('\n', page->out);
}

void wt_page_heading(const struct wt_page *page, const char *title, const char *remark)
{
	fputc('\n', page->out);
	wt_page_ink(page, WT_INK_BOLD, title);
	blanks(page, WT_PAGE_COLUMNS - columns_of_all(title) - columns_of_all(remark));
	wt_page_ink(page, WT_INK_DIM, remark);
	fputc('\n', page->out);
	if (page->colour) fputs("\033[2m", page->out);
	for (int i = 0; i < WT_PAGE_COLUMNS; i++) fputs("─", page->out);
	fputs(page->colour ? "\033[0m\n" : "\n", page->out);
}

void wt_page_row(const struct wt_page *page, const char *label, const char *format, ...)
{
	char text[WT_PAGE_TEXT];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	fputs("  ", page->out);
	wt_page_left(page, label, WT_PAGE_LABEL);
	wt_page_wrap(page, text, WT_PAGE_LABEL + 2, WT_PAGE_LABEL + 2);
}

void wt_page_note(const struct wt_page *page, const char *format, ...)
{
	char text[WT_PAGE_TEXT];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (page->colour) fputs("\033[2m", page->out);
	fputs("  ", page->out);
	wt_page_wrap(page, text, 2, 2);
	if (page->colour) fputs("\033[0m", page->out);
}

void wt_page_bar(const struct wt_page *page, double share, int columns)
{
	static const char *const eighth[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	int n = share < 1 ? (int)(share * columns * 8 + 0.5) : columns * 8;
	if (!n && share > 0) n = 1;
	for (int i = 0; i < n / 8; i++) fputs("█", page->out);
	fputs(eighth[n % 8], page->out);
	blanks(page, columns - (n + 7) / 8);
}

void wt_page_coloured_bar(const struct wt_page *page, double share, int columns, int colour)
{
	if (page->colour) fprintf(page->out, "\033[%dm", colour);
	wt_page_bar(page, share, columns);
	if (page->colour) fputs("\033[0m", page->out);
}
