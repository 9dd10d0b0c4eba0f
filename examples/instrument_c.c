/* SPDX-License-Identifier: MIT */
/* How to instrument a write-ahead log of your own: a toy log (append to a file and fdatasync, under a mutex), four
 * threads that commit 100 records, and the recorder around it.
 *
 *     instrument_c DIRECTORY        makes DIRECTORY/toy-wal and DIRECTORY/trace; then: waltrace report TRACE
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <waltrace.h>

enum { THREADS = 4, COMMITS = 100 };

struct toy_wal {
	pthread_mutex_t mutex;
	int fd;            /* mutex */
	uint64_t last_uid; /* of the newest durable record; mutex */
	struct waltrace_logger *logger;
};

/* 0 or a negative errno. */
static int write_and_sync(int fd, const char *record, size_t bytes)
{
	ssize_t written = write(fd, record, bytes);
	if (written < 0) return -errno;
	if ((size_t)written < bytes) return -ENOSPC;
	return fdatasync(fd) ? -errno : 0;
}

/* [begin] */
static int commit(struct toy_wal *wal, const char *record, size_t bytes)
{
	struct waltrace_op op;
	struct waltrace_span flush, lock, sync;
	waltrace_op_begin(&op, wal->logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace_op_root(&op, &flush); /* the record of the whole commit */
	waltrace_span_begin(&flush);

	waltrace_span_child(&lock, &flush, WALTRACE_KIND_COMMIT_LOCK, WALTRACE_W_REQUEST, WALTRACE_FIELDS);
	waltrace_span_wait_commit(&lock);
	pthread_mutex_lock(&wal->mutex);
	waltrace_span_acquired(&lock, true);
	uint64_t uid = wal->last_uid + 1;
	waltrace_span_set(&flush, WALTRACE_LOG_UID, uid);
	waltrace_span_set(&lock, WALTRACE_LOG_UID, uid);

	waltrace_span_child(&sync, &lock, WALTRACE_KIND_SYNC_CALL, WALTRACE_W_REQUEST, WALTRACE_FIELDS);
	waltrace_span_stage(&lock, WALTRACE_STAGE_SYNCING);
	waltrace_span_begin(&sync);
	int result = write_and_sync(wal->fd, record, bytes);
	waltrace_span_result(&sync, result);
	waltrace_span_set(&sync, WALTRACE_BATCH_MAX_LOG_UID, uid); /* all records up to this one are durable */
	waltrace_span_set(&sync, WALTRACE_BLOCK_BYTES, bytes);
	waltrace_span_end(&sync);

	if (!result) wal->last_uid = uid;
	waltrace_span_word(&lock, WALTRACE_OUTCOME, result ? WALTRACE_W_SYNC_ERROR : WALTRACE_W_OWNER_SUCCESS);
	waltrace_span_releasing(&lock);
	pthread_mutex_unlock(&wal->mutex);
	waltrace_span_end(&lock);
	waltrace_span_result(&flush, result);
	waltrace_span_end(&flush);
	waltrace_op_end(&op); /* hands the records over: after the unlock */
	return result;
}
/* [end] */

static void *work(void *argument)
{
	struct toy_wal *wal = argument;
	char record[256];
	memset(record, 'r', sizeof record);
	for (int i = 0; i < COMMITS / THREADS; i++) {
		int result = commit(wal, record, sizeof record);
		if (result) fprintf(stderr, "commit: %s\n", strerror(-result));
	}
	return NULL;
}

static int open_log(struct toy_wal *wal)
{
	static const char path[] = "toy-wal/000000001";
	wal->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (wal->fd < 0) return -errno;
	struct waltrace_logger_config config = {.wal_directory = "toy-wal",
	                                        .initial_file = path,
	                                        .initial_file_bytes = sizeof path - 1,
	                                        .block_limit = 256};
	wal->logger = waltrace_logger_register(&config); /* NULL is fine: nothing is recorded then */
	return 0;
}

static int start_recorder(void)
{
	struct waltrace_config config;
	struct waltrace_error error;
	waltrace_config_init(&config);
	config.directory = "trace";
	config.run_id = "instrument_c";
	int result = waltrace_start(&config, &error);
	if (result) fprintf(stderr, "recorder: %s: %s\n", error.message, error.detail);
	return result;
}

static int stop_recorder(void)
{
	struct waltrace_report report;
	int result = waltrace_shutdown(5000, &report);
	if (result) {
		fprintf(stderr, "recorder: shutdown: %s\n", strerror(-result));
		return result;
	}
	printf("records: %llu written of %llu, %llu dropped, %llu omitted; complete: %s\ntrace: %s\n",
	       (unsigned long long)report.written, (unsigned long long)report.produced,
	       (unsigned long long)report.dropped, (unsigned long long)report.omitted, report.complete ? "yes" : "no",
	       report.path);
	return report.complete ? 0 : -EIO;
}

static int make_directory(const char *name) { return mkdir(name, 0755) && errno != EEXIST ? -errno : 0; }

int main(int argc, char **argv)
{
	static struct toy_wal wal = {.mutex = PTHREAD_MUTEX_INITIALIZER};
	pthread_t thread[THREADS];
	if (argc != 2) {
		fputs("usage: instrument_c DIRECTORY\n", stderr);
		return 3;
	}
	if (chdir(argv[1]) || make_directory("toy-wal") || make_directory("trace")) {
		fprintf(stderr, "%s: %s: name a directory that exists and is yours to write in\n", argv[1],
		        strerror(errno));
		return 1;
	}
	if (start_recorder()) return 1;
	int result = open_log(&wal);
	if (result) {
		fprintf(stderr, "toy-wal: %s\n", strerror(-result));
		return 1;
	}
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, &wal)) abort();
	for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
	close(wal.fd);
	return stop_recorder() ? 1 : 0;
}
