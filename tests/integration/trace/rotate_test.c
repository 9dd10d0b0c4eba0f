/* SPDX-License-Identifier: MIT */
/* Flight-recorder mode: eight files, of which the oldest goes. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

#include "waltrace.h"

#include "../../lib/child.h"
#include "../../lib/trace_file.h"

enum { PARTS = 8, MAX_BYTES = 8 * 65536 };

static struct waltrace_report report;
static struct waltrace_logger *logger;

static void start(void)
{
	struct waltrace_config config;
	mkdir("wal", 0700);
	waltrace_config_init(&config);
	config.directory = ".";
	config.run_id = "rotate";
	config.max_bytes = MAX_BYTES;
	config.on_limit = WALTRACE_ON_LIMIT_ROTATE;
	config.window_ms = 20;
	CHECK(!waltrace_start(&config, NULL));
	struct waltrace_logger_config wal = {.wal_directory = "wal"};
	logger = waltrace_logger_register(&wal);
	CHECK(logger);
}

static void operate(uint64_t uid)
{
	struct waltrace_op op;
	struct waltrace_span root, call;
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace_op_root(&op, &root);
	waltrace_span_open(&call, &op, WALTRACE_KIND_SYNC_CALL, waltrace_span_id(&root), WALTRACE_W_REQUEST);
	waltrace_span_set(&call, WALTRACE_LOG_UID, uid);
	waltrace_span_end(&call);
	waltrace_span_set(&root, WALTRACE_LOG_UID, uid);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
}

static void part_path(char *to, size_t room, const char *trace, unsigned part)
{
	snprintf(to, room, part ? "%s.%u" : "%s", trace, part);
}

static uint64_t records, headers, loggers, footers, deleted, last_uid, most_bytes;
static bool in_order;

static void look(const char *line)
{
	uint64_t uid = number_in(line, "log_uid");
	records += uid != 0;
	if (is_event(line, "root_flush")) {
		if (last_uid && uid != last_uid + 1) in_order = false;
		last_uid = uid;
	}
	if (strstr(line, "\"event\":\"session_start\"")) {
		headers++;
		deleted = number_in(line, "deleted_records");
	}
	loggers += is_event(line, "root_logger_ready");
	footers += is_event(line, "session_end");
	if (is_event(line, "recorder") && number_in(line, "bytes") > most_bytes) most_bytes = number_in(line, "bytes");
}

/* The newest part that is there, and all that is in the parts up to it. */
static unsigned look_at_parts(const char *trace, bool recovered)
{
	unsigned newest = 0, there = 0;
	records = headers = loggers = footers = last_uid = most_bytes = 0;
	in_order = true;
	for (unsigned part = 0; part < 10000; part++) {
		char path[4096];
		struct stat st;
		part_path(path, sizeof path, trace, part);
		if (stat(path, &st)) {
			if (there) break;
			continue;
		}
		CHECK(recovered ||
		      st.st_size <= MAX_BYTES / PARTS); /* a recovery puts what was queued into the last file */
		there++;
		newest = part;
		each_line(path, look);
	}
	CHECK(there <= PARTS && headers == there && loggers == there);
	return newest;
}

static void rotate(void)
{
	enum { OPERATIONS = 20000 };
	start();
	for (uint64_t i = 1; i <= OPERATIONS; i++) {
		operate(i);
		if (i % 500 == 0) usleep(2000);
	}
	CHECK(!waltrace_shutdown(20000, &report));
	CHECK(report.produced == 2 * OPERATIONS && report.written == report.produced && !report.dropped &&
	      !report.omitted);
	CHECK(!report.complete && !strcmp(report.reason, "rotated"));
	unsigned newest = look_at_parts(report.path, false);
	CHECK(newest > 2 * PARTS); /* so that files were deleted, also ones after the first */
	CHECK(footers == 1 && in_order && last_uid == OPERATIONS);
	CHECK(records + deleted == report.written);       /* what is gone is said in the newest header */
	CHECK(most_bytes && most_bytes < 64 * MAX_BYTES); /* a window's, whichever files they went into */
}

static void the_newest_records_are_kept_and_what_is_gone_is_said(void **state)
{
	(void)state;
	in_child(rotate);
}

static void stay_whole(void)
{
	start();
	for (uint64_t i = 1; i <= 500; i++) operate(i); /* several files, none deleted */
	CHECK(!waltrace_shutdown(20000, &report));
	CHECK(report.complete && !strcmp(report.reason, "shutdown"));
	CHECK(look_at_parts(report.path, false) > 0 && records == 1000 && footers == 1);
}

static void as_long_as_nothing_was_deleted_the_trace_is_complete(void **state)
{
	(void)state;
	in_child(stay_whole);
}

static void refuse_small(void)
{
	struct waltrace_config config;
	struct waltrace_error error;
	waltrace_config_init(&config);
	config.directory = ".";
	config.run_id = "small";
	config.on_limit = WALTRACE_ON_LIMIT_ROTATE;
	config.max_bytes = MAX_BYTES - 1;
	CHECK(waltrace_start(&config, &error) == -EINVAL && strstr(error.detail, "rotation"));
}

static void eight_files_of_less_than_the_smallest_trace_are_refused(void **state)
{
	(void)state;
	in_child(refuse_small);
}

/* Killed while it rotates all the time: every operation that ended is there or in a file that was deleted. */
static void kill_and_recover(void)
{
	int names[2];
	CHECK(!pipe(names));
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		start();
		CHECK(write(names[1], waltrace_path(), strlen(waltrace_path())) > 0);
		for (uint64_t i = 1;; i++) {
			operate(i);
			if (i % 500 == 0) usleep(1000);
		}
	}
	char trace[4096] = "", segment[128];
	CHECK(read(names[0], trace, sizeof trace - 1) > 0);
	usleep(150000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	snprintf(segment, sizeof segment, "/waltrace-%s", strstr(trace, "wal-trace-") + 10);
	*strstr(segment, ".jsonl") = 0;
	CHECK(!waltrace_recover(segment, &report, NULL));
	unsigned newest = look_at_parts(trace, true);
	char path[4096];
	part_path(path, sizeof path, trace, newest);
	CHECK(!strcmp(report.path, path));
	CHECK(footers == 1 && in_order && newest > PARTS);
	/* A file that was begun after the last publication had cost the oldest one; no header tells of that. */
	CHECK(records && records + deleted <= report.written && !report.complete);
}

static void a_kill_between_two_files_loses_and_doubles_nothing(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) in_child(kill_and_recover);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_records_are_kept_and_what_is_gone_is_said),
		cmocka_unit_test(as_long_as_nothing_was_deleted_the_trace_is_complete),
		cmocka_unit_test(eight_files_of_less_than_the_smallest_trace_are_refused),
		cmocka_unit_test(a_kill_between_two_files_loses_and_doubles_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
