/* SPDX-License-Identifier: MIT */
/* A program outside the project: it sees the installed header and library alone, through pkg-config. It records one
 * flush into the directory argv[1] and exits 0 if the trace is complete. */
#include <waltrace.h>

#include <stdio.h>
#include <string.h>

static int failed(const char *what, const char *detail)
{
	fprintf(stderr, "consumer.c: %s: %s\n", what, detail);
	return 1;
}

static void flush(struct waltrace_logger *logger)
{
	struct waltrace_op op;
	struct waltrace_span root, lock, sync;
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_child(&lock, &root, WALTRACE_KIND_COMMIT_LOCK, WALTRACE_W_REQUEST, WALTRACE_FIELDS);
	waltrace_span_wait_commit(&lock);
	waltrace_span_acquired(&lock, true);
	waltrace_span_child(&sync, &lock, WALTRACE_KIND_SYNC_CALL, WALTRACE_W_REQUEST, WALTRACE_FIELDS);
	waltrace_span_begin(&sync);
	waltrace_span_set(&sync, WALTRACE_BLOCK_BYTES, 4096);
	waltrace_span_result(&sync, 0);
	waltrace_span_end(&sync);
	waltrace_span_releasing(&lock);
	waltrace_span_word(&lock, WALTRACE_OUTCOME, WALTRACE_W_OWNER_SUCCESS);
	waltrace_span_end(&lock);
	waltrace_span_result(&root, 0);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
}

int main(int argc, char **argv)
{
	char wal[512], trace[512];
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
	struct waltrace_logger_config log = {.wal_directory = wal, .runtime_id = 1};
	struct waltrace_logger *logger = waltrace_logger_register(&log);
	if (!logger) return failed("register", wal);
	flush(logger);
	if (waltrace_shutdown(10000, &report)) return failed("shutdown", "no report");
	if (!report.complete || report.written != 3) return failed("report", report.reason);
	puts(report.path);
	return 0;
}
