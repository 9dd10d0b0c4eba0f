/* SPDX-License-Identifier: MIT */
/* What demo and bench need to talk besides a page. */
#ifndef WT_CLI_DEMO_TEXT_H
#define WT_CLI_DEMO_TEXT_H

#include "cli/page.h"

/* Standard output; coloured if that is a terminal and neither NO_COLOR nor TERM=dumb says otherwise. */
struct wt_page wt_stdout_page(void);

/* A paragraph, all of its lines indented. Too long a text is cut. */
void wt_say(const struct wt_page *page, int indent, const char *format, ...) WT_PRINTF(3, 4);

/* A line on stderr, if that is a terminal, that the next call replaces. NULL takes it away. */
void wt_progress(const char *text);

#endif
