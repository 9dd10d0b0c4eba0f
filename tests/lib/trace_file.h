/* SPDX-License-Identifier: MIT */
/* Looking into a trace from a test, without the reader: keys are found by their text. */
#ifndef WT_TESTS_TRACE_FILE_H
#define WT_TESTS_TRACE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The unsigned number behind the first "key": of a line; 0 if the key isn't there. */
static inline uint64_t number_in(const char *line, const char *key)
{
	char quoted[64];
	snprintf(quoted, sizeof quoted, "\"%s\":", key);
	const char *at = strstr(line, quoted);
	return at ? strtoull(at + strlen(quoted), NULL, 10) : 0;
}

static inline bool is_event(const char *line, const char *event)
{
	char quoted[64];
	snprintf(quoted, sizeof quoted, "\"event\":\"%s\",\"session_id\"", event);
	return strstr(line, quoted) != NULL;
}

/* Calls `each` with every line, its newline included. */
static inline void each_line(const char *path, void (*each)(const char *line))
{
	char *line = NULL;
	size_t room = 0;
	FILE *file = fopen(path, "r");
	while (file && getline(&line, &room, file) > 0) each(line);
	if (file) fclose(file);
	free(line);
}

#endif
