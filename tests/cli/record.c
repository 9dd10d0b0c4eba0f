/* SPDX-License-Identifier: MIT */
/* A real trace for verify.py, closed properly: commits under one lock, every seventh slow, as PI_STORE_WAL_TRACE_… say.
 *
 *   record OPERATIONS   prints the trace's path */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "waltrace.h"

static void commit(struct waltrace_logger *logger, bool slow)
{
	struct waltrace_op op;
	struct waltrace_span root, lock;
	const struct timespec pause = {0, 3000000};
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_open(&lock, &op, WALTRACE_KIND_COMMIT_LOCK, waltrace_span_id(&root), WALTRACE_W_REQUEST);
	waltrace_span_wait_commit(&lock);
	waltrace_span_acquired(&lock, true);
	if (slow) nanosleep(&pause, NULL);
	waltrace_span_releasing(&lock);
	waltrace_span_end(&lock);
	waltrace_span_finish(&root, WALTRACE_W_SUCCESS);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
}

int main(int argc, char **argv)
{
	struct waltrace_report report;
	const struct waltrace_logger_config config = {.wal_directory = "."};
	int n = argc > 1 ? atoi(argv[1]) : 100;
	struct waltrace_logger *logger = waltrace_logger_register(&config);
	for (int i = 0; i < n; i++) commit(logger, i % 7 == 0 && i < 70);
	if (!logger || !waltrace_path()) return 1;
	puts(waltrace_path());
	return waltrace_shutdown(10000, &report) ? 1 : 0;
}
