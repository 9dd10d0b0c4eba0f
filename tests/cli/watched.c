/* SPDX-License-Identifier: MIT */
/* A process to be looked at by top.py: does what the lines of its standard input say and answers each with "ok".
 *
 *   watched DIR     opens a log in DIR/wal and registers another logger, DIR/other
 *
 *   commit N        N durable commits, from four threads
 *   hang, release   four threads commit, and fdatasync doesn't return until the release
 *   rows N          N operations of one record each, of the other logger
 *   spin N          two threads take the other logger's commit lock from each other, at most N times each; answers at once
 *   halt            ends that
 *   fill            begins one operation more than there are slots
 *   end             closes everything properly and answers with the trace's path */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "commitlog.h"
#include "waltrace.h"

enum { THREADS = 4, SPINNERS = 2, SPIN_NS = 50000, ENOUGH_MS = 60000 };

static struct commitlog *commits;
static struct waltrace_logger *other;
static atomic_bool hanging, hung, spinning;
static _Atomic uint64_t next_cid = 1;
static pthread_t committer[THREADS], spinner[SPINNERS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct waltrace_op held[WALTRACE_MAX_OPERATIONS + 1];

static void pause_ms(long ms)
{
	const struct timespec t = {0, ms * 1000000};
	nanosleep(&t, NULL);
}

/* The log's, too: a program's own symbol comes first. */
WT_EXPORT int fdatasync(int fd)
{
	for (; atomic_load(&hanging); pause_ms(1)) atomic_store(&hung, true);
	return (int)syscall(SYS_fdatasync, fd);
}

static void *commit(void *count)
{
	char record[100] = "record";
	for (long n = *(const long *)count; n; n--) {
		uint64_t handle;
		struct commitlog_cid cid = {.low = atomic_fetch_add(&next_cid, 1)};
		if (commitlog_append(commits, cid, record, sizeof record, &handle) || commitlog_flush(commits, handle))
			abort();
	}
	return NULL;
}

static void begin_commits(const long *count)
{
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&committer[i], NULL, commit, (void *)(uintptr_t)count)) abort();
}

static void join_commits(void)
{
	for (int i = 0; i < THREADS; i++) pthread_join(committer[i], NULL);
}

static void hang(void)
{
	static const long one = 1;
	atomic_store(&hung, false);
	atomic_store(&hanging, true);
	begin_commits(&one);
	while (!atomic_load(&hung)) pause_ms(1);
}

static void record_one(void)
{
	struct waltrace_op op;
	struct waltrace_span root;
	waltrace_op_begin(&op, other, WALTRACE_KIND_ROOT_APPEND);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_finish(&root, WALTRACE_W_SUCCESS);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
}

static void take_lock(void)
{
	struct waltrace_op op;
	struct waltrace_span root, row;
	waltrace_op_begin(&op, other, WALTRACE_KIND_ROOT_FLUSH);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_open(&row, &op, WALTRACE_KIND_COMMIT_LOCK, waltrace_span_id(&root), WALTRACE_W_REQUEST);
	waltrace_span_wait_commit(&row);
	pthread_mutex_lock(&lock);
	waltrace_span_acquired(&row, true);
	for (uint64_t end = waltrace_now() + SPIN_NS; waltrace_now() < end;)
		;
	waltrace_span_releasing(&row);
	pthread_mutex_unlock(&lock);
	waltrace_span_end(&row);
	waltrace_span_finish(&root, WALTRACE_W_SUCCESS);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
}

static void *spin(void *count)
{
	for (long n = *(const long *)count; n && atomic_load(&spinning); n--) take_lock();
	return NULL;
}

static void begin_spinning(long *count)
{
	atomic_store(&spinning, true);
	for (int i = 0; i < SPINNERS; i++) pthread_create(&spinner[i], NULL, spin, count);
}

static void stop_spinning(void)
{
	atomic_store(&spinning, false);
	for (int i = 0; i < SPINNERS; i++) pthread_join(spinner[i], NULL);
}

static void fill(void)
{
	for (size_t i = 0; i < WT_COUNT(held); i++) waltrace_op_begin(&held[i], other, WALTRACE_KIND_ROOT_CONFIRM);
}

static int end(void)
{
	struct waltrace_report report;
	for (size_t i = 0; i < WT_COUNT(held); i++)
		if (held[i].logger) waltrace_op_end(&held[i]);
	if (commitlog_close(commits) || waltrace_shutdown(ENOUGH_MS, &report)) return 1;
	puts(report.path);
	return 0;
}

static void obey(const char *word, long n)
{
	static long count;
	if (strcmp(word, "halt") != 0 && strcmp(word, "release") != 0) count = n;
	if (!strcmp(word, "commit")) begin_commits(&count), join_commits();
	else if (!strcmp(word, "hang")) hang();
	else if (!strcmp(word, "release")) atomic_store(&hanging, false), join_commits();
	else if (!strcmp(word, "fill")) fill();
	else if (!strcmp(word, "rows"))
		for (; n; n--) record_one();
	else if (!strcmp(word, "spin")) begin_spinning(&count);
	else if (!strcmp(word, "halt")) stop_spinning();
	puts("ok");
	fflush(stdout);
}

static int open_all(const char *directory)
{
	char path[4096];
	struct commitlog_options options;
	struct commitlog_error error;
	commitlog_options_init(&options);
	options.prefill_bytes = 0;
	snprintf(path, sizeof path, "%s/wal", directory);
	if (commitlog_open(path, &options, &error, &commits)) return fprintf(stderr, "%s\n", error.message);
	snprintf(path, sizeof path, "%s/other", directory);
	mkdir(path, 0700);
	other = waltrace_logger_register(&(struct waltrace_logger_config){.wal_directory = path});
	return !other;
}

int main(int argc, char **argv)
{
	char line[64], word[64];
	if (argc != 2 || open_all(argv[1])) return 1;
	puts("ok");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		long n = 0;
		if (sscanf(line, "%63s %ld", word, &n) < 1) continue;
		if (!strcmp(word, "end")) return end();
		obey(word, n);
	}
	return 1;
}
