/* SPDX-License-Identifier: MIT */
/* A program outside the project that commits to an installed libcommitlog and records it with an installed libwaltrace.
 * It exits 0 if the commit is durable, read back, and its trace complete. */
#include <commitlog.h>
#include <waltrace.h>

#include <stdio.h>
#include <string.h>

static int failed(const char *what, const char *detail)
{
	fprintf(stderr, "consumer_log.c: %s: %s\n", what, detail);
	return 1;
}

static int same_payload(void *context, const struct commitlog_entry *entry)
{
	return entry->value_bytes == strlen(context) && !memcmp(entry->value, context, entry->value_bytes) ? 0 : 1;
}

static int commit(const char *directory, char *payload)
{
	struct commitlog *log;
	struct commitlog_error error;
	struct commitlog_options options;
	struct commitlog_scan_summary summary;
	struct commitlog_cid cid = {0, 1};
	uint64_t handle;
	commitlog_options_init(&options);
	options.trace = COMMITLOG_TRACE_ON;
	if (commitlog_open(directory, &options, &error, &log)) return failed("open", error.message);
	if (commitlog_append(log, cid, payload, strlen(payload), &handle)) return failed("append", payload);
	if (commitlog_flush(log, handle)) return failed("flush", payload);
	if (commitlog_close(log)) return failed("close", directory);
	if (commitlog_scan(directory, COMMITLOG_SCAN_ALL, same_payload, payload, &summary, &error))
		return failed("scan", error.message);
	return summary.records == 1 ? 0 : failed("scan", "not one record");
}

int main(int argc, char **argv)
{
	char wal[512], trace[512], payload[] = "a record";
	struct waltrace_config config;
	struct waltrace_error error;
	struct waltrace_report report;
	if (argc != 2) return failed("usage", "consumer DIRECTORY, with wal and trace in it");
	snprintf(wal, sizeof wal, "%s/wal", argv[1]);
	snprintf(trace, sizeof trace, "%s/trace", argv[1]);
	waltrace_config_init(&config);
	config.directory = trace;
	config.run_id = "consumer";
	if (waltrace_start(&config, &error)) return failed(error.message, error.detail);
	if (commit(wal, payload)) return 1;
	if (waltrace_shutdown(10000, &report)) return failed("shutdown", "no report");
	if (!report.complete) return failed("report", report.reason);
	puts(report.path);
	return 0;
}
