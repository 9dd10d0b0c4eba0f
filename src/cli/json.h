/* SPDX-License-Identifier: MIT */
/* Writes JSON, two blanks a level. The caller opens and closes in order; commas are put here. */
#ifndef WT_CLI_JSON_H
#define WT_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct wt_json {
	FILE *out;
	int depth;
	bool first;
};

/* `key` is NULL inside an array. */
void wt_json_open(struct wt_json *json, const char *key, char bracket);
void wt_json_close(struct wt_json *json, char bracket);
void wt_json_text(struct wt_json *json, const char *key, const char *text);
void wt_json_count(struct wt_json *json, const char *key, uint64_t n);
void wt_json_real(struct wt_json *json, const char *key, double value);
void wt_json_flag(struct wt_json *json, const char *key, bool value);
void wt_json_null(struct wt_json *json, const char *key);

#endif
