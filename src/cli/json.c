/* SPDX-License-Identifier: MIT */
#include "cli/json.h"

#include <inttypes.h>

#include "base/utf8.h"

/* Paths needn't be UTF-8; a byte that can't be part of it becomes U+FFFD. */
static void put_text(FILE *out, const char *text)
{
	const char *s = text;
	fputc('"', out);
	while (*s) {
		uint32_t c;
		size_t n = wt_utf8(s, SIZE_MAX, &c);
		if (!n) fputs("\\ufffd", out);
		else if (c == '"' || c == '\\') fprintf(out, "\\%c", (char)c);
		else if (c < 0x20) fprintf(out, "\\u%04x", c);
		else fwrite(s, 1, n, out);
		s += n ? n : 1;
	}
	fputc('"', out);
}

static void begin(struct wt_json *json, const char *key)
{
	if (json->depth) fprintf(json->out, "%s\n%*s", json->first ? "" : ",", 2 * json->depth, "");
	json->first = false;
	if (!key) return;
	put_text(json->out, key);
	fputs(": ", json->out);
}

void wt_json_open(struct wt_json *json, const char *key, char bracket)
{
	begin(json, key);
	fputc(bracket, json->out);
	json->depth++;
	json->first = true;
}

void wt_json_close(struct wt_json *json, char bracket)
{
	json->depth--;
	if (!json->first) fprintf(json->out, "\n%*s", 2 * json->depth, "");
	json->first = false;
	fputc(bracket, json->out);
	if (!json->depth) fputc('\n', json->out);
}

void wt_json_text(struct wt_json *json, const char *key, const char *text)
{
	begin(json, key);
	put_text(json->out, text);
}

void wt_json_count(struct wt_json *json, const char *key, uint64_t n)
{
	begin(json, key);
	fprintf(json->out, "%" PRIu64, n);
}

void wt_json_real(struct wt_json *json, const char *key, double value)
{
	begin(json, key);
	fprintf(json->out, "%.15g", value);
}

void wt_json_flag(struct wt_json *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->out);
}

void wt_json_null(struct wt_json *json, const char *key)
{
	begin(json, key);
	fputs("null", json->out);
}
