/* SPDX-License-Identifier: MIT */
/* A page of text, 80 columns wide, with colour if its reader wants it. */
#ifndef WT_CLI_PAGE_H
#define WT_CLI_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/compiler.h"

enum { WT_PAGE_COLUMNS = 80, WT_PAGE_LABEL = 20, WT_PAGE_TEXT = 1024 };

enum wt_ink { WT_INK_NONE, WT_INK_BOLD, WT_INK_DIM, WT_INK_GOOD, WT_INK_BAD, WT_INK_WARN };

struct wt_page {
	FILE *out;
	bool colour;
};

/* On a terminal, unless NO_COLOR is set. */
bool wt_wants_colour(FILE *out);
void wt_page_ink(const struct wt_page *page, enum wt_ink ink, const char *text);
/* Right-aligned in `columns`. */
void wt_page_right(const struct wt_page *page, const char *text, int columns);
void wt_page_left(const struct wt_page *page, const char *text, int columns);
/* Words, wrapped, `indent` columns from the left; the first line begins where the page stands, at column `at`. */
void wt_page_wrap(const struct wt_page *page, const char *text, int at, int indent);
/* A heading with a remark at the right edge ("": none). */
void wt_page_heading(const struct wt_page *page, const char *title, const char *remark);
/* "  label    words, wrapped under themselves". */
void wt_page_row(const struct wt_page *page, const char *label, const char *format, ...) WT_PRINTF(3, 4);
/* A remark in small print. */
void wt_page_note(const struct wt_page *page, const char *format, ...) WT_PRINTF(2, 3);
/* A bar of `share` (0 to 1) of so many columns. */
void wt_page_bar(const struct wt_page *page, double share, int columns);
/* The same in a colour of the terminal's (its SGR code). */
void wt_page_coloured_bar(const struct wt_page *page, double share, int columns, int colour);

#endif
