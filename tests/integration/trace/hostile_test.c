/* SPDX-License-Identifier: MIT */
/* Threads that stop or die at the worst moment, and file systems that are full, read only or not there. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/stat.h>

#include "trace/queue.h"
#include "waltrace.h"

#include "../../lib/mounts.h"
#include "../../lib/trace_file.h"

static struct waltrace_report report;
static struct waltrace_logger *logger;

static int try_start(const char *directory, struct waltrace_error *error)
{
	struct waltrace_config config;
	mkdir("wal", 0700);
	waltrace_config_init(&config);
	config.directory = directory;
	config.run_id = "hostile";
	config.drain_ms = 2;
	config.window_ms = 50;
	return waltrace_start(&config, error);
}

static void start(const char *directory)
{
	struct waltrace_error error;
	if (try_start(directory, &error)) fprintf(stderr, "%s: %s\n", error.message, error.detail);
	struct waltrace_logger_config wal = {.wal_directory = "wal"};
	logger = waltrace_logger_register(&wal);
	CHECK(logger);
}

static void operate(uint64_t uid)
{
	struct waltrace_op op;
	struct waltrace_span root;
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_set(&root, WALTRACE_LOG_UID, uid);
	waltrace_span_finish(&root, WALTRACE_W_SUCCESS);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
}

/* ---- Stopped in the middle of a hand-over --------------------------------------------------------------------------------- */

enum { STOPPED_UID = 1000000, OTHERS = 5000 };

static sem_t arrived, go_on;
static _Thread_local bool stops_here;

static void stop_here(void)
{
	if (!stops_here) return;
	stops_here = false;
	sem_post(&arrived);
	while (sem_wait(&go_on)) /* interrupted */
		;
}

static void *operate_and_stop(void *unused)
{
	stops_here = true;
	operate(STOPPED_UID);
	return unused;
}

static uint64_t flushes, of_the_stopped, in_flight;

static void count(const char *line)
{
	flushes += is_event(line, "root_flush");
	of_the_stopped += is_event(line, "root_flush") && number_in(line, "log_uid") == STOPPED_UID;
	in_flight += is_event(line, "in_flight");
}

static void look(const char *path)
{
	flushes = of_the_stopped = in_flight = 0;
	each_line(path, count);
}

static pthread_t stop_one_and_go_on(void)
{
	pthread_t stopped;
	sem_init(&arrived, 0, 0);
	sem_init(&go_on, 0, 0);
	wt_queue_test_stop = stop_here;
	CHECK(!pthread_create(&stopped, NULL, operate_and_stop, NULL));
	sem_wait(&arrived);
	for (uint64_t i = 1; i <= OTHERS; i++) operate(i);
	return stopped;
}

static void stop_and_resume(void)
{
	start(".");
	pthread_t stopped = stop_one_and_go_on();
	for (int i = 0; i < 1000 && flushes < OTHERS; i++) {
		usleep(10000);
		look(waltrace_path());
	}
	CHECK(flushes == OTHERS && !of_the_stopped); /* the others' are in the file, his is not */
	CHECK(waltrace_shutdown(100, &report) == -ETIMEDOUT);
	sem_post(&go_on);
	pthread_join(stopped, NULL);
	CHECK(!waltrace_shutdown(20000, &report));
	CHECK(report.complete && report.written == OTHERS + 1);
	look(report.path);
	CHECK(flushes == OTHERS + 1 && of_the_stopped == 1);
}

static void a_thread_stopped_in_a_hand_over_holds_up_only_the_shutdown(void **state)
{
	(void)state;
	in_child(stop_and_resume);
}

static void stop_and_die(void)
{
	int names[2];
	CHECK(!pipe(names));
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		start(".");
		stop_one_and_go_on();
		CHECK(write(names[1], waltrace_path(), strlen(waltrace_path())) > 0);
		kill(getpid(), SIGKILL);
	}
	char trace[4096] = "", segment[128];
	CHECK(read(names[0], trace, sizeof trace - 1) > 0);
	waitpid(pid, NULL, 0);
	snprintf(segment, sizeof segment, "/waltrace-%s", strstr(trace, "wal-trace-") + 10);
	*strstr(segment, ".jsonl") = 0;
	CHECK(!waltrace_recover(segment, &report, NULL));
	look(trace);
	CHECK(flushes == OTHERS && !of_the_stopped && in_flight == 1);
	CHECK(report.written == OTHERS && report.produced == OTHERS + 1 && report.outstanding == 1 && !report.complete);
}

static void a_thread_killed_in_a_hand_over_was_in_flight(void **state)
{
	(void)state;
	in_child(stop_and_die);
}

/* ---- Threads ------------------------------------------------------------------------------------------------------------------ */

static void *operate_once(void *unused)
{
	operate(1);
	return unused;
}

static void ten_thousand(void)
{
	enum { THREADS = 10000 };
	start(".");
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;
		CHECK(!pthread_create(&thread, NULL, operate_once, NULL));
		pthread_join(thread, NULL);
	}
	CHECK(!waltrace_shutdown(20000, &report));
	CHECK(report.complete && report.written == THREADS);
}

static void ten_thousand_threads_one_after_another_leave_nothing_behind(void **state)
{
	(void)state;
	in_child(ten_thousand);
}

/* ---- File systems --------------------------------------------------------------------------------------------------------------- */

static void full_file_system(void)
{
	mkdir("small", 0700);
	own_mounts();
	CHECK(!mount("tmpfs", "small", "tmpfs", 0, "size=256k"));
	start("small");
	for (uint64_t i = 0; i < 20000; i++) {
		errno = 0;
		operate(i);
		CHECK(errno == 0);
		if (i % 1000 == 0) usleep(1000);
	}
	CHECK(!waltrace_shutdown(20000, &report));
	CHECK(!strcmp(report.reason, "io_error") && !report.complete);
	CHECK(report.written > 0 && report.produced == report.written + report.dropped);
	look(report.path);
	CHECK(flushes == report.written); /* whole lines only */
}

static void read_only_directory(void)
{
	struct waltrace_error error;
	mkdir("fixed", 0700);
	own_mounts();
	CHECK(!mount("tmpfs", "fixed", "tmpfs", 0, "size=256k"));
	CHECK(!mount("tmpfs", "fixed", "tmpfs", MS_REMOUNT | MS_RDONLY, "size=256k"));
	CHECK(try_start("fixed", &error) == -EROFS);
	CHECK(strstr(error.detail, "fixed/wal-trace-"));
}

static bool in_private_memory;
static void look_for_segment(const char *line)
{
	if (strstr(line, "\"event\":\"session_start\"")) in_private_memory = strstr(line, "\"segment\":null") != NULL;
}

static void record_without_shm(void)
{
	start(".");
	operate(1);
	CHECK(!waltrace_shutdown(20000, &report));
	CHECK(report.complete && report.written == 1);
	each_line(report.path, look_for_segment);
	CHECK(in_private_memory);
}

static void full_shm(void)
{
	own_mounts();
	CHECK(!mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=1m"));
	record_without_shm();
}

static void no_shm(void)
{
	own_mounts();
	CHECK(!mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=4k,nr_inodes=1")); /* not one file fits */
	record_without_shm();
}

static void a_full_or_read_only_file_system_reaches_no_caller(void **state)
{
	(void)state;
	in_child(full_file_system);
	in_child(read_only_directory);
}

static void with_shared_memory_full_or_absent_private_memory_is_used(void **state)
{
	(void)state;
	in_child(full_shm);
	in_child(no_shm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_stopped_in_a_hand_over_holds_up_only_the_shutdown),
		cmocka_unit_test(a_thread_killed_in_a_hand_over_was_in_flight),
		cmocka_unit_test(ten_thousand_threads_one_after_another_leave_nothing_behind),
		cmocka_unit_test(a_full_or_read_only_file_system_reaches_no_caller),
		cmocka_unit_test(with_shared_memory_full_or_absent_private_memory_is_used),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
