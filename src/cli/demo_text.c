/* SPDX-License-Identifier: MIT */
#include "cli/demo_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct wt_page wt_stdout_page(void)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
	bool colour = isatty(1) && !(none && *none) && term && *term && strcmp(term, "dumb") != 0;
	return (struct wt_page){.out = stdout, .colour = colour};
}

void wt_say(const struct wt_page *page, int indent, const char *format, ...)
{
	char text[WT_PAGE_TEXT];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fprintf(page->out, "%*s", indent, "");
	wt_page_wrap(page, text, indent, indent);
}

void wt_progress(const char *text)
{
	if (!isatty(2)) return;
	fflush(stdout);
	fprintf(stderr, "\r\033[K%s", text ? text : "");
	fflush(stderr);
}
