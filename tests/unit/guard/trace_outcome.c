/* SPDX-License-Identifier: MIT */
#include "trace_outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 1024, TRACE_BYTES = 1 << 20, WAIT_MS = 10000 };

int trace_failures;

static char directory[] = "/tmp/waltrace-guard.XXXXXX";
static char trace_directory[PATH_BYTES], wal_directory[PATH_BYTES];
static char trace[TRACE_BYTES];

static void give_up(const char *why)
{
	fprintf(stderr, "guard test: %s\n", why);
	exit(99);
}

struct waltrace_logger *trace_begin(void)
{
	if (!mkdtemp(directory)) give_up("no temporary directory");
	snprintf(trace_directory, sizeof trace_directory, "%s/trace", directory);
	snprintf(wal_directory, sizeof wal_directory, "%s/wal", directory);
	if (mkdir(trace_directory, 0700) || mkdir(wal_directory, 0700)) give_up("can't make directories");
	struct waltrace_config config;
	struct waltrace_error error;
	waltrace_config_init(&config);
	config.directory = trace_directory;
	config.run_id = "guard";
	if (waltrace_start(&config, &error)) give_up(error.message);
	struct waltrace_logger_config logger = {.wal_directory = wal_directory};
	struct waltrace_logger *registered = waltrace_logger_register(&logger);
	if (!registered) give_up("the logger was refused");
	return registered;
}

void trace_end(void)
{
	struct waltrace_report report;
	if (waltrace_shutdown(WAIT_MS, &report)) give_up("the session doesn't end: an operation is still open");
	if (!report.complete) give_up("the trace isn't complete");
	FILE *file = fopen(report.path, "re");
	if (!file) give_up("no trace");
	size_t bytes = fread(trace, 1, sizeof trace - 1, file);
	trace[bytes] = 0;
	fclose(file);
	if (bytes == sizeof trace - 1) give_up("the trace is longer than expected");
}

/* The line's outcome if it is of the record with this key; else NULL. */
static const char *outcome_in(const char *line, size_t bytes, const char *key)
{
	static const char word[] = "\"outcome\":\"";
	const char *at = memmem(line, bytes, key, strlen(key)), *outcome = memmem(line, bytes, word, sizeof word - 1);
	if (!at || !outcome) return NULL;
	char after = at[strlen(key)];
	return after == ',' || after == '}' ? outcome + sizeof word - 1 : NULL;
}

const char *trace_outcome(uint64_t uid)
{
	static char outcome[64];
	char key[64];
	int found = 0;
	snprintf(key, sizeof key, "\"log_uid\":%llu", (unsigned long long)uid);
	for (const char *line = trace; *line; line += strspn(line, "\n")) {
		size_t bytes = strcspn(line, "\n");
		const char *word = outcome_in(line, bytes, key);
		if (word && !found++) snprintf(outcome, sizeof outcome, "%.*s", (int)strcspn(word, "\""), word);
		line += bytes;
	}
	if (found > 1) return "several";
	return found ? outcome : "none";
}

void trace_expect(uint64_t uid, const char *outcome, const char *what)
{
	const char *found = trace_outcome(uid);
	if (!strcmp(found, outcome)) return;
	fprintf(stderr, "%s: outcome is \"%s\", expected \"%s\"\n", what, found, outcome);
	trace_failures++;
}

void trace_remove(void)
{
	unlink(waltrace_path());
	rmdir(trace_directory);
	rmdir(wal_directory);
	rmdir(directory);
}
