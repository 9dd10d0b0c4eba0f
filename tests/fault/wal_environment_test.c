/* SPDX-License-Identifier: MIT */
/* The log among the system's own faults, none of them made up: devices and file systems that are full, limits on a
 * file's size, directories that vanish, are replaced or may not be written. What was acknowledged is there once the fault
 * is mended; what failed is never called durable. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "format_check.h"
#include "mounts.h"
#include "wal/log.h"

enum { COMMITTERS = 4, COMMITS_MAX = 2000, AFTER_FAILURE = 3 };

/* What became of each commit, by thread and number from 1. */
static _Atomic bool appended[COMMITTERS][COMMITS_MAX + 1], acknowledged[COMMITTERS][COMMITS_MAX + 1];
static struct commitlog *wal;

static struct commitlog_options options_of(uint64_t delay_ms, uint64_t prefill_bytes)
{
	struct commitlog_options options;
	commitlog_options_init(&options);
	options.delay_ms = delay_ms;
	options.prefill_bytes = prefill_bytes;
	options.checkpoint_limit_bytes = 2 << 20;
	options.trace = COMMITLOG_TRACE_OFF;
	return options;
}

static void open_log(const char *directory)
{
	struct commitlog_options options = options_of(0, 64 << 10);
	struct commitlog_error error;
	if (commitlog_open(directory, &options, &error, &wal)) fprintf(stderr, "%s\n", error.message);
	CHECK(wal);
}

static size_t bytes_of(uint64_t number) { return 1 + number * 7919 % 20000; }

static struct commitlog_cid id(uint64_t thread, uint64_t number)
{
	return (struct commitlog_cid){.high = thread, .low = number};
}

static struct commitlog_stats stats(void)
{
	struct commitlog_stats now;
	commitlog_stats(wal, &now);
	return now;
}

static int commit_of(uint64_t thread, uint64_t number)
{
	static const uint8_t payload[20001] = {7};
	uint64_t handle;
	int result = commitlog_append(wal, id(thread, number), payload, bytes_of(number), &handle);
	if (result) return result;
	appended[thread][number] = true;
	result = commitlog_flush(wal, handle);
	if (!result) acknowledged[thread][number] = true;
	else CHECK(handle > stats().durable);
	return result;
}

static int commit(uint64_t number) { return commit_of(0, number); }

/* ---- What is there ------------------------------------------------------------------------------------------ */

static bool found[COMMITTERS][COMMITS_MAX + 1];

static int see(void *context, const struct commitlog_entry *entry)
{
	(void)context;
	CHECK(entry->cid.high < COMMITTERS && entry->cid.low <= COMMITS_MAX);
	CHECK(appended[entry->cid.high][entry->cid.low]);
	CHECK(entry->value_bytes == bytes_of(entry->cid.low));
	found[entry->cid.high][entry->cid.low] = true;
	return 0;
}

/* Recovers, once the fault is mended; then all that was acknowledged is there, and nothing that wasn't appended. */
static void check_recovered(const char *directory)
{
	struct format_log log = {.files = NULL};
	open_log(directory);
	CHECK(!commitlog_close(wal));
	memset(found, 0, sizeof found);
	CHECK(!commitlog_scan(directory, COMMITLOG_SCAN_ALL, see, NULL, NULL, NULL));
	for (size_t t = 0; t < COMMITTERS; t++)
		for (size_t n = 1; n <= COMMITS_MAX; n++) CHECK(found[t][n] || !acknowledged[t][n]);
	CHECK(format_read_directory(&log, directory));
	format_free(&log);
}

/* The log has failed with `result`, for good. */
static void check_failed(int result, uint64_t fresh)
{
	CHECK(stats().failed == result);
	for (uint64_t n = fresh; n < fresh + AFTER_FAILURE; n++) CHECK(commit(n) == result);
	CHECK(commitlog_checkpoint(wal, NULL) == result);
	CHECK(commitlog_flush(wal, stats().appended) == result);
	CHECK(!stats().durable || !commitlog_flush(wal, stats().durable));
}

/* ---- A full device ------------------------------------------------------------------------------------------ */

/* The system with /dev/full under the log's files while `full` is set. */
static struct device_os {
	struct wt_os os;
	int fd;
	_Atomic bool full;
} device;

static ssize_t write_to_device(const struct wt_os *os, int fd, const void *bytes, size_t n, uint64_t offset)
{
	return wt_os_posix.pwrite(os, device.full ? device.fd : fd, bytes, n, offset);
}

static void commit_on_full_device(void)
{
	struct commitlog_options options = options_of(0, 0);
	struct wt_err err;
	device = (struct device_os){.os = wt_os_posix, .fd = open("/dev/full", O_WRONLY)};
	device.os.pwrite = write_to_device;
	if (device.fd < 0) not_run("/dev/full: %s", strerror(errno));
	CHECK(!cl_open(&device.os, "log", &options, &err, &wal));
	for (uint64_t n = 1; n <= 5; n++) CHECK(!commit(n));
	device.full = true;
	CHECK(commit(6) == -ENOSPC);
	device.full = false;
	check_failed(-ENOSPC, 7);
	CHECK(stats().durable == 5);
	CHECK(commitlog_close(wal) == -ENOSPC);
	check_recovered("log");
	CHECK(!found[0][6]);
}

static void full_device_fails_the_log_for_good(void **state)
{
	(void)state;
	in_child(commit_on_full_device);
}

static void open_what_is_a_device(void)
{
	struct commitlog_error error;
	struct stat st;
	CHECK(!mkdir("log", 0700) && !symlink("/dev/full", "log/000000001"));
	CHECK(commitlog_open("log", NULL, &error, &wal) < 0 && !wal);
	CHECK(strstr(error.message, "log/000000001: "));
	CHECK(!lstat("log/000000001", &st) && S_ISLNK(st.st_mode));
	CHECK(!unlink("log/000000001"));
	open_log("log");
	CHECK(!commitlog_close(wal));
}

static void log_file_that_is_a_device_is_refused_by_its_name(void **state)
{
	(void)state;
	in_child(open_what_is_a_device);
}

/* ---- A full file system ------------------------------------------------------------------------------------- */

static int failure;

static void *commit_until_full(void *argument)
{
	uint64_t thread = (uintptr_t)argument, n = 1;
	int result = 0;
	for (; !result; n++) {
		CHECK(n + AFTER_FAILURE < COMMITS_MAX);
		result = commit_of(thread, n);
		if (!result && thread == 0 && n % 50 == 0) commitlog_checkpoint(wal, NULL); /* which may fail, too */
	}
	CHECK(result == failure);
	for (int i = 0; i < AFTER_FAILURE; i++, n++) CHECK(commit_of(thread, n) == failure);
	return NULL;
}

static void fill_by_all(void)
{
	pthread_t threads[COMMITTERS];
	for (uintptr_t t = 0; t < COMMITTERS; t++)
		CHECK(!pthread_create(&threads[t], NULL, commit_until_full, (void *)t));
	for (size_t t = 0; t < COMMITTERS; t++) pthread_join(threads[t], NULL);
	CHECK(stats().failed == failure);
	CHECK(commitlog_close(wal) == failure);
}

/* On 4 MB; then, still full, it opens or says that it can't; then there is room again. */
static void fill_file_system(uint64_t delay_ms, uint64_t prefill_bytes)
{
	struct commitlog_options options = options_of(delay_ms, prefill_bytes);
	memset(appended, 0, sizeof appended);
	memset(acknowledged, 0, sizeof acknowledged);
	failure = -ENOSPC;
	CHECK(!mount("tmpfs", "small", "tmpfs", 0, "size=4m"));
	CHECK(!commitlog_open("small/log", &options, NULL, &wal));
	fill_by_all();
	int result = commitlog_open("small/log", &options, NULL, &wal);
	CHECK(result == 0 || result == -ENOSPC);
	if (!result) CHECK(!commitlog_close(wal));
	CHECK(!mount("tmpfs", "small", "tmpfs", MS_REMOUNT, "size=64m"));
	check_recovered("small/log");
	CHECK(!umount("small"));
}

static void fill_file_systems(void)
{
	mkdir("small", 0700);
	own_mounts();
	for (uint64_t delay_ms = 0; delay_ms <= 1; delay_ms++) {
		fill_file_system(delay_ms, 0);
		fill_file_system(delay_ms, 64 << 10);
		fill_file_system(delay_ms, 32 << 20);
	}
}

static void full_file_system_fails_the_log_for_good_and_loses_nothing(void **state)
{
	(void)state;
	in_child(fill_file_systems);
}

/* ---- A limit on the size of files --------------------------------------------------------------------------- */

static void pass_size_limit(void)
{
	struct rlimit limit = {1 << 20, RLIM_INFINITY};
	struct commitlog_options options = options_of(0, 32 << 20); /* more zeros than the limit allows */
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
	CHECK(!commitlog_open("log", &options, NULL, &wal));
	failure = -EFBIG;
	fill_by_all();
	limit.rlim_cur = RLIM_INFINITY;
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
	check_recovered("log");
	sigset_t pending;
	CHECK(!sigpending(&pending) && !sigismember(&pending, SIGXFSZ));
}

static void limit_on_file_sizes_is_an_error_and_no_signal(void **state)
{
	(void)state;
	in_child(pass_size_limit);
}

/* ---- A directory that changes under an open log ------------------------------------------------------------- */

/* Two finished files, of which nothing is confirmed, and the current one. */
static void begin_three_files(void)
{
	open_log("log");
	for (uint64_t n = 1; n <= 3; n++) {
		CHECK(!commit(n));
		if (n < 3) CHECK(!commitlog_checkpoint(wal, NULL));
	}
}

/* The open file goes on; what needs the directory says what is wrong, and changes nothing. */
static void check_without_directory(int result)
{
	CHECK(!commit(4));
	CHECK(commitlog_checkpoint(wal, NULL) == result);
	CHECK(commitlog_confirm(wal, id(0, 1)) == result);
	CHECK(!commit(5));
	CHECK(!stats().failed && stats().durable == 5 && !stats().backups);
}

static void replace_directory(void)
{
	begin_three_files();
	CHECK(!rename("log", "aside"));
	int fd = open("log", O_WRONLY | O_CREAT, 0600);
	CHECK(fd >= 0 && !close(fd));
	check_without_directory(-ENOTDIR);
	CHECK(!unlink("log") && !rename("aside", "log"));
	CHECK(!commitlog_confirm(wal, id(0, 2))); /* the first file's turn comes again, too */
	CHECK(stats().backups == 2 && !access("log/000000002.bak", F_OK));
	CHECK(!commitlog_checkpoint(wal, NULL));
	CHECK(!commitlog_close(wal));
	check_recovered("log");
}

static void directory_replaced_by_a_file_stops_rotations_until_it_is_back(void **state)
{
	(void)state;
	in_child(replace_directory);
}

static void remove_directory(void)
{
	begin_three_files();
	CHECK(!system("rm -rf log"));
	check_without_directory(-ENOENT);
	CHECK(!commitlog_close(wal));
	CHECK(access("log", F_OK)); /* it isn't made anew */
	open_log("log");
	CHECK(!stats().found_files && !stats().found_records);
	CHECK(!commit(6));
	CHECK(!commitlog_close(wal));
}

static void directory_that_vanishes_stops_rotations_and_leaves_nothing(void **state)
{
	(void)state;
	in_child(remove_directory);
}

static void change_own_directory(void)
{
	CHECK(!mkdir("other", 0700) && !mkdir("other/log", 0700));
	open_log("log");
	CHECK(!chdir("other"));
	CHECK(!commit(1));
	CHECK(!commitlog_checkpoint(wal, NULL));
	CHECK(!commitlog_confirm(wal, id(0, 1)));
	CHECK(!commit(2));
	CHECK(!commitlog_close(wal));
	CHECK(!chdir(".."));
	CHECK(!access("log/000000001.bak", F_OK) && !access("log/000000002", F_OK));
	CHECK(!rmdir("other/log")); /* nothing came to be there */
	check_recovered("log");
}

static void log_stays_where_it_is_when_the_program_goes_elsewhere(void **state)
{
	(void)state;
	in_child(change_own_directory);
}

/* ---- A directory that may not be written -------------------------------------------------------------------- */

/* Permissions don't hold root. */
static void be_nobody(void)
{
	CHECK(!chmod(".", 0777));
	if (geteuid()) return;
	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		not_run("can't be nobody: %s", strerror(errno));
}

static void check_not_opened(const char *directory, int result)
{
	struct commitlog_error error;
	CHECK(commitlog_open(directory, NULL, &error, &wal) == result && !wal);
	CHECK(strstr(error.message, directory) && strstr(error.message, strerror(-result)));
}

static void forbid_directory(void)
{
	be_nobody();
	begin_three_files();
	CHECK(!chmod("log", 0555));
	check_without_directory(-EACCES);
	CHECK(!commitlog_close(wal));
	check_not_opened("log", -EACCES);
	CHECK(!mkdir("new", 0555));
	check_not_opened("new", -EACCES);
	check_not_opened("new/log", -EACCES);
	CHECK(!chmod("log", 0755));
	check_recovered("log");
}

static void mount_read_only(void)
{
	mkdir("fixed", 0700);
	own_mounts();
	CHECK(!mount("tmpfs", "fixed", "tmpfs", 0, "size=4m"));
	open_log("fixed/log");
	CHECK(!commit(1));
	CHECK(!commitlog_close(wal));
	CHECK(!mount("tmpfs", "fixed", "tmpfs", MS_REMOUNT | MS_RDONLY, "size=4m"));
	check_not_opened("fixed/log", -EROFS);
	check_not_opened("fixed/new", -EROFS);
	CHECK(!commitlog_scan("fixed/log", COMMITLOG_SCAN_ALL, see, NULL, NULL, NULL)); /* reading needs no more */
	CHECK(found[0][1]);
	CHECK(!mount("tmpfs", "fixed", "tmpfs", MS_REMOUNT, "size=4m"));
	check_recovered("fixed/log");
}

static void directory_without_write_permission_stops_rotations_and_opening(void **state)
{
	(void)state;
	in_child(forbid_directory);
}

static void read_only_file_system_stops_opening_and_not_reading(void **state)
{
	(void)state;
	in_child(mount_read_only);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_device_fails_the_log_for_good),
		cmocka_unit_test(log_file_that_is_a_device_is_refused_by_its_name),
		cmocka_unit_test(full_file_system_fails_the_log_for_good_and_loses_nothing),
		cmocka_unit_test(limit_on_file_sizes_is_an_error_and_no_signal),
		cmocka_unit_test(directory_replaced_by_a_file_stops_rotations_until_it_is_back),
		cmocka_unit_test(directory_that_vanishes_stops_rotations_and_leaves_nothing),
		cmocka_unit_test(log_stays_where_it_is_when_the_program_goes_elsewhere),
		cmocka_unit_test(directory_without_write_permission_stops_rotations_and_opening),
		cmocka_unit_test(read_only_file_system_stops_opening_and_not_reading),
	};
	return cmocka_run_group_tests_name("wal environment", tests, NULL, NULL);
}
