/* SPDX-License-Identifier: MIT */
/* What waltrace_recover does with segments that are alive, damaged, somebody else's or nobody's any more. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "trace/layout.h"
#include "waltrace.h"

#include "../../lib/child.h"

enum { OPERATIONS = 300, DAMAGES = 200 };

static char segment[128], path[4096];

static struct waltrace_logger *start_here(void)
{
	struct waltrace_config config;
	struct waltrace_error error;
	mkdir("wal", 0700);
	mkdir("trace", 0700);
	waltrace_config_init(&config);
	config.directory = "trace";
	config.run_id = "remains";
	config.capacity = 1024;
	config.drain_ms = 0; /* everything is still in the queue when the process dies */
	config.window_ms = 60000;
	CHECK(!waltrace_start(&config, &error));
	struct waltrace_logger_config wal = {.wal_directory = "wal", .initial_file = "f", .initial_file_bytes = 1};
	return waltrace_logger_register(&wal);
}

static void record(struct waltrace_logger *logger)
{
	static char long_path[1000];
	struct waltrace_op op;
	struct waltrace_span root;
	memset(long_path, 'p', sizeof long_path);
	waltrace_op_begin(&op, logger, WALTRACE_KIND_FILE_SPLIT);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_text(&root, WALTRACE_MODE, "some text", 9);
	waltrace_span_path(&root, 0, long_path, sizeof long_path);
	waltrace_span_path(&root, 1, "short", 5);
	waltrace_span_finish(&root, WALTRACE_W_SUCCESS);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
}

static void name_segment(const char *trace)
{
	snprintf(path, sizeof path, "%s", trace);
	snprintf(segment, sizeof segment, "/waltrace-%s", strstr(trace, "wal-trace-") + 10);
	*strstr(segment, ".jsonl") = 0;
}

/* A process that records, leaves one operation open, and dies. The segment's and the trace's names come back. */
static void die_with_records(void)
{
	int names[2];
	CHECK(!pipe(names));
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		struct waltrace_op open;
		struct waltrace_span root;
		struct waltrace_logger *logger = start_here();
		for (int i = 0; i < OPERATIONS; i++) record(logger);
		waltrace_op_begin(&open, logger, WALTRACE_KIND_ROOT_FLUSH);
		waltrace_op_root(&open, &root);
		waltrace_span_begin(&root);
		CHECK(write(names[1], waltrace_path(), strlen(waltrace_path())) > 0);
		kill(getpid(), SIGKILL);
	}
	close(names[1]);
	char trace[4096];
	ssize_t n = read(names[0], trace, sizeof trace - 1);
	CHECK(n > 0);
	trace[n] = 0;
	close(names[0]);
	waitpid(pid, NULL, 0);
	name_segment(trace);
}

static int count_lines(const char *what)
{
	static char line[1 << 16];
	FILE *file = fopen(path, "r");
	int n = 0;
	CHECK(file);
	while (fgets(line, sizeof line, file)) n += strstr(line, what) != NULL;
	fclose(file);
	return n;
}

static void recover_once(void)
{
	struct waltrace_report report;
	struct waltrace_error error;
	die_with_records();
	CHECK(count_lines("file_split\",\"session") == 0);
	CHECK(!waltrace_recover(segment, &report, &error));
	CHECK(!strcmp(report.path, path));
	CHECK(report.written == OPERATIONS && report.produced == OPERATIONS && report.outstanding == 1 &&
	      !report.complete);
	CHECK(count_lines("\"event\":\"root_logger_ready\"") == 1);
	CHECK(count_lines("file_split\",\"session") == OPERATIONS);
	CHECK(count_lines("\"event\":\"in_flight\"") == 1);
	CHECK(count_lines("\"kind\":\"root_flush\"") == 1);
	CHECK(count_lines("\"event\":\"window\"") == 1);
	CHECK(count_lines("\"reason\":\"recovered\"") == 1);
	CHECK(waltrace_recover(segment, &report, &error) == -ENOENT); /* it is done, and the segment is gone */
}

static void what_was_handed_over_is_written_after_a_kill(void **state)
{
	(void)state;
	in_child(recover_once);
}

static void leave_the_living_alone(void)
{
	struct waltrace_report report;
	struct waltrace_error error;
	struct waltrace_logger *logger = start_here();
	name_segment(waltrace_path());
	record(logger);
	CHECK(waltrace_recover(segment, &report, &error) == -EBUSY);
	CHECK(strstr(error.detail, "still runs"));
	CHECK(!waltrace_shutdown(10000, &report));
	CHECK(report.complete && report.written == 1);
}

static void a_process_that_runs_is_left_alone(void **state)
{
	(void)state;
	in_child(leave_the_living_alone);
}

static int called, recovered;
static void count(void *context, const char *name, int result, const struct waltrace_report *report,
                  const struct waltrace_error *error)
{
	(void)context, (void)name, (void)report, (void)error;
	called++;
	recovered += result == 0;
}

static void recover_directory(void)
{
	die_with_records();
	mkdir("elsewhere", 0700);
	CHECK(waltrace_recover_all("elsewhere", count, NULL) == 0 && !called);
	CHECK(waltrace_recover_all("trace", count, NULL) == 1 && called == 1 && recovered == 1);
	CHECK(count_lines("\"reason\":\"recovered\"") == 1);
	die_with_records();
	start_here(); /* finishes the dead of its own directory */
	CHECK(count_lines("\"reason\":\"recovered\"") == 1);
	struct waltrace_report report;
	CHECK(!waltrace_shutdown(10000, &report));
}

static void a_start_finishes_the_dead_of_its_directory_and_no_other(void **state)
{
	(void)state;
	in_child(recover_directory);
}

static void refuse_odd_things(void)
{
	struct waltrace_report report;
	struct waltrace_error error;
	CHECK(waltrace_recover("/etc/passwd", &report, &error) == -EINVAL);
	CHECK(waltrace_recover("/waltrace-../x", &report, &error) == -EINVAL);
	CHECK(waltrace_recover("/waltrace-1-1", &report, NULL) == -ENOENT);
	die_with_records();
	CHECK(!rename(path, "moved"));
	CHECK(!symlink("moved", path)); /* somebody put a link there */
	CHECK(waltrace_recover(segment, &report, &error) == -ELOOP);
	CHECK(!unlink(path));
	FILE *other = fopen(path, "w");
	CHECK(other && fputs("{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"session_start\"}\n", other) > 0 &&
	      !fclose(other));
	CHECK(waltrace_recover(segment, &report, &error) == -EBADMSG); /* another session's */
	CHECK(strstr(error.detail, "another session"));
	CHECK(!truncate("moved", 10) && !rename("moved", path));
	CHECK(waltrace_recover(segment, &report, &error) == -EBADMSG);
	CHECK(!unlink(path));
	CHECK(waltrace_recover(segment, &report, &error) ==
	      -ENOENT); /* no trace: nothing to finish, the segment goes */
	CHECK(shm_open(segment, O_RDONLY, 0) < 0 && errno == ENOENT);
}

static void links_and_other_files_in_the_place_of_the_trace_are_refused(void **state)
{
	(void)state;
	in_child(refuse_odd_things);
}

static uint64_t seed = 7;
static uint64_t random_below(uint64_t n)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed % n;
}

/* In a process of its own, so that a crash is seen. It must end, well or with a reason. */
static void recover_damaged(void)
{
	fflush(NULL);
	pid_t pid = fork();
	int status;
	if (!pid) {
		struct waltrace_report report;
		struct waltrace_error error = {0};
		alarm(20);
		int result = waltrace_recover(segment, &report, &error);
		_exit(result && !error.detail[0] ? 1 : 0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Where a byte hurts most: the head, the shards, the words and slots, the loggers, chunks that hold something. */
static uint64_t place_to_damage(const struct wt_segment *g, int i)
{
	if (i < 100) return random_below(sizeof *g);
	switch (i % 5) {
	case 0: return g->shards_at + random_below(g->shard_count * sizeof(struct wt_shard));
	case 1: return g->slots_at + random_below(WT_SLOT_BYTES);
	case 2: return g->loggers_at + random_below(sizeof(struct waltrace_logger));
	case 3: return g->path_blocks_at + random_below(64 * 1024);
	default: return g->chunks_at + random_below(3 * WT_CHUNK_BYTES);
	}
}

static void damage_everywhere(void)
{
	struct stat st;
	die_with_records();
	int fd = shm_open(segment, O_RDWR, 0);
	CHECK(fd >= 0 && !fstat(fd, &st));
	size_t bytes = (size_t)st.st_size;
	unsigned char *copy = malloc(bytes), line[8192];
	CHECK(copy && pread(fd, copy, bytes, 0) == (ssize_t)bytes);
	close(fd);
	FILE *trace = fopen(path, "r");
	size_t trace_bytes = fread(line, 1, sizeof line, trace);
	fclose(trace);
	for (int i = 0; i < DAMAGES; i++) {
		uint64_t at = place_to_damage((const void *)copy, i);
		fd = shm_open(segment, O_RDWR | O_CREAT, 0600);
		CHECK(fd >= 0 && pwrite(fd, copy, bytes, 0) == (ssize_t)bytes);
		for (uint64_t n = at & ~63ull; n < (at | 63) + 1 && n < bytes;
		     n += i % 3 ? 64 : 8) { /* one byte, or eight of a line */
			unsigned char c = (unsigned char)(copy[n] ^ (1 + random_below(255)));
			CHECK(pwrite(fd, &c, 1, (off_t)n) == 1);
		}
		close(fd);
		trace = fopen(path, "w");
		CHECK(fwrite(line, 1, trace_bytes, trace) == trace_bytes && !fclose(trace));
		recover_damaged();
	}
	for (int first = 0; first < 64; first += 9) { /* and one byte in each 64, from end to end, all at once */
		unsigned char *all = malloc(bytes);
		CHECK(all);
		memcpy(all, copy, bytes);
		for (size_t n = (size_t)first; n < bytes; n += 64) all[n] ^= (unsigned char)(1 + random_below(255));
		if (first % 2)
			memcpy(all, copy, sizeof(struct wt_segment)); /* with a whole head, so that the rest is read */
		fd = shm_open(segment, O_RDWR | O_CREAT, 0600);
		CHECK(fd >= 0 && pwrite(fd, all, bytes, 0) == (ssize_t)bytes);
		close(fd);
		free(all);
		trace = fopen(path, "w");
		CHECK(fwrite(line, 1, trace_bytes, trace) == trace_bytes && !fclose(trace));
		recover_damaged();
	}
	shm_unlink(segment);
	free(copy);
}

static void a_damaged_segment_never_crashes_or_hangs_the_recovery(void **state)
{
	(void)state;
	in_child(damage_everywhere);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_handed_over_is_written_after_a_kill),
		cmocka_unit_test(a_process_that_runs_is_left_alone),
		cmocka_unit_test(a_start_finishes_the_dead_of_its_directory_and_no_other),
		cmocka_unit_test(links_and_other_files_in_the_place_of_the_trace_are_refused),
		cmocka_unit_test(a_damaged_segment_never_crashes_or_hangs_the_recovery),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
