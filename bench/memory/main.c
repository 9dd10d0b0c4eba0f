/* SPDX-License-Identifier: MIT */
/* bench-memory [--json] [DIR]: what the recorder keeps in memory at its defaults, idle and after a million operations: the
 * segment, and what is private to it (resident set beyond that of the process before the start). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "waltrace.h"
#include "waltrace_shm.h"

enum { OPERATIONS = 1000000 };

/* A number of /proc/self/status in kB. */
static double status_mb(const char *key)
{
	char line[256];
	unsigned long kb = 0;
	FILE *file = fopen("/proc/self/status", "r");
	while (file && fgets(line, sizeof line, file))
		if (!strncmp(line, key, strlen(key))) kb = strtoul(line + strlen(key), NULL, 10);
	if (file) fclose(file);
	return (double)kb * 1024 / 1e6;
}

static void operate(struct waltrace_logger *logger)
{
	struct waltrace_op op;
	struct waltrace_span root;
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_finish(&root, WALTRACE_W_SUCCESS);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
}

static void tell(bool json, const char *mode, double shared, double private)
{
	printf(json ? "{\"bench\":\"recorder\",\"peer\":\"ours\",\"mode\":\"memory_%s\",\"rss_mb\":%.1f,\"segment_mb\":%.1f,"
	              "\"private_mb\":%.1f}\n"
	            : "%-12s %5.1f MB: segment %.1f, private %.1f   goal <= 40\n",
	       mode, shared + private, shared, private);
}

int main(int argc, char **argv)
{
	bool json = argc > 1 && !strcmp(argv[1], "--json");
	const char *directory = argc > 1 + json ? argv[1 + json] : "/dev/shm";
	char place[4096], wal[4200], command[4300];
	snprintf(place, sizeof place, "%s/bench-memory.XXXXXX", directory);
	if (!mkdtemp(place)) return perror(place), 2;
	snprintf(wal, sizeof wal, "%s/wal", place);
	mkdir(wal, 0700);
	setenv("PI_STORE_WAL_TRACE_QUIET", "1", 1);
	struct waltrace_config config;
	struct waltrace_error error;
	struct waltrace_report report;
	waltrace_config_init(&config);
	config.directory = place;
	config.run_id = "memory";
	double anon = status_mb("RssAnon:"), shared = status_mb("RssShmem:");
	if (waltrace_start(&config, &error)) return fprintf(stderr, "%s: %s\n", error.message, error.detail), 2;
	struct waltrace_logger_config log = {.wal_directory = wal};
	struct waltrace_logger *logger = waltrace_logger_register(&log);
	tell(json, "idle", status_mb("RssShmem:") - shared, status_mb("RssAnon:") - anon);
	for (int i = 0; i < OPERATIONS; i++) {
		operate(logger);
		if (i % 10000 == 0) usleep(5000);
	}
	tell(json, "loaded", status_mb("RssShmem:") - shared, status_mb("RssAnon:") - anon);
	int result = waltrace_shutdown(60000, &report);
	snprintf(command, sizeof command, "rm -rf %s", place);
	if (result || system(command)) return 2;
	if (report.produced != OPERATIONS) return fprintf(stderr, "bench-memory: not all was recorded\n"), 1;
	return 0;
}
