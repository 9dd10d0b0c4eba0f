/* SPDX-License-Identifier: MIT */
/* The report as one page that needs nothing from the network: the page's own parts and two libraries are put together when
 * waltrace is built (tools/make-page), a report's numbers are put in between. */
#ifndef WT_CLI_HTML_H
#define WT_CLI_HTML_H

#include <stddef.h>
#include <stdio.h>

#include "cli/report.h"

/* The page before, between and after what a report puts in, in this order: the text report, for readers without
 * JavaScript; the JSON report; the charts' records. */
enum { WT_HTML_PIECES = 4 };
struct wt_html_piece {
	const unsigned char *bytes;
	size_t n;
};
extern const struct wt_html_piece wt_html_piece[WT_HTML_PIECES];
/* Why there is no page in this program; NULL: there is one. */
extern const char *const wt_html_missing;

/* Records for charts, which the JSON report doesn't have. */
void wt_put_charts(const struct wt_report *report, FILE *out);

#endif
