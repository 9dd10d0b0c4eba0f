/* SPDX-License-Identifier: MIT */
/* Puts a report into the page. What a trace says, and what its files are called, is only ever data there: it stands in
 * scripts that are no scripts (application/json), and nothing in it looks like a tag. */
#include <errno.h>
#include <stdlib.h>

#include "cli/html.h"

typedef void put_fn(const struct wt_report *report, FILE *out);

static void put_text(const struct wt_report *report, FILE *out) { wt_render_text(report, out, false); }

/* In a script element: '<' stands only inside of strings in JSON, and so do the two line ends that JavaScript knows and
 * JSON doesn't (U+2028, U+2029: E2 80 A8, E2 80 A9). */
static void put_json_bytes(const char *bytes, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		const unsigned char *c = (const unsigned char *)&bytes[i];
		if (*c == '<' || *c == '>' || *c == '&') fprintf(out, "\\u%04x", *c);
		else if (n - i >= 3 && c[0] == 0xe2 && c[1] == 0x80 && (c[2] & 0xfe) == 0xa8) {
			fprintf(out, "\\u20%02x", c[2] - 0x80);
			i += 2;
		} else putc(*c, out);
	}
}

static void put_text_bytes(const char *bytes, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		switch (bytes[i]) {
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '&': fputs("&amp;", out); break;
		default: putc(bytes[i], out);
		}
	}
}

static int embed(const struct wt_report *report, put_fn *put, void (*put_bytes)(const char *, size_t, FILE *),
                 FILE *out)
{
	char *bytes = NULL;
	size_t n = 0;
	FILE *memory = open_memstream(&bytes, &n);
	if (!memory) return -ENOMEM;
	put(report, memory);
	int failed = ferror(memory);
	if (fclose(memory)) failed = 1;
	if (!failed) put_bytes(bytes, n, out);
	free(bytes);
	return failed ? -ENOMEM : 0;
}

static void put_piece(int i, FILE *out) { fwrite(wt_html_piece[i].bytes, 1, wt_html_piece[i].n, out); }

int wt_render_html(const struct wt_report *report, FILE *out)
{
	put_piece(0, out);
	int result = embed(report, put_text, put_text_bytes, out);
	put_piece(1, out);
	if (!result) result = embed(report, wt_render_json, put_json_bytes, out);
	put_piece(2, out);
	if (!result) result = embed(report, wt_put_charts, put_json_bytes, out);
	put_piece(3, out);
	return result;
}
