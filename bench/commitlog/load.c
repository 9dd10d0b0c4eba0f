/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hist.h"
#include "commitlog.h"
#include "waltrace.h"

struct worker {
	_Alignas(64) pthread_t thread;
	struct run *run;
	uint32_t number;
	uint64_t acknowledged;
	int error;
	uint64_t seen; /* when the log is read back: newest sequence number of this worker */
	uint64_t histogram[WT_HIST_BUCKETS];
};

struct run {
	struct commitlog *log;
	const struct store_type *type; /* NULL: ours */
	struct store *store;
	const struct load *load;
	struct worker *workers;
	_Atomic unsigned ready;
	atomic_bool go, stop;
	uint64_t wrong; /* records read back that weren't the next of their worker */
};

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static double cpu_seconds(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static int commit(const struct run *run, struct commitlog_cid cid, const uint8_t *payload, size_t n)
{
	uint64_t handle;
	if (run->type) return run->type->put(run->store, &cid, sizeof cid, payload, n);
	int result = commitlog_append(run->log, cid, payload, n, &handle);
	if (!result) result = commitlog_flush(run->log, handle);
	return result ? result : commitlog_confirm(run->log, cid);
}

static void *work(void *argument)
{
	struct worker *w = argument;
	size_t n = w->run->load->payload_bytes;
	uint8_t *payload = malloc(n);
	if (!payload) abort();
	memset(payload, 7, n);
	atomic_fetch_add(&w->run->ready, 1);
	while (!atomic_load(&w->run->go)) usleep(500);
	while (!atomic_load_explicit(&w->run->stop, memory_order_relaxed) && !w->error) {
		struct commitlog_cid cid = {.high = w->number + 1, .low = w->acknowledged + 1};
		uint64_t begin = now_ns();
		memcpy(payload, &cid.low, sizeof cid.low);
		w->error = commit(w->run, cid, payload, n);
		if (w->error) break;
		w->histogram[wt_hist_index(now_ns() - begin)]++;
		w->acknowledged++;
	}
	free(payload);
	return NULL;
}

static int see_entry(void *context, const struct commitlog_entry *entry)
{
	struct run *run = context;
	uint64_t number = entry->cid.high - 1, low;
	if (entry->value_bytes != run->load->payload_bytes || number >= run->load->threads) {
		run->wrong++;
		return 0;
	}
	memcpy(&low, entry->value, sizeof low);
	struct worker *w = &run->workers[number];
	if (low != entry->cid.low || low != w->seen + 1) run->wrong++;
	w->seen = low;
	return 0;
}

/* Acknowledged commits that aren't in the files, in order, plus records that nobody acknowledged. */
static int read_back(struct run *run, struct figures *f)
{
	struct commitlog_error error;
	if (commitlog_scan(run->load->directory, COMMITLOG_SCAN_ALL, see_entry, run, NULL, &error)) {
		fprintf(stderr, "bench-commitlog: %s\n", error.message);
		return -1;
	}
	for (unsigned i = 0; i < run->load->threads; i++) {
		const struct worker *w = &run->workers[i];
		f->lost += w->seen > w->acknowledged ? w->seen - w->acknowledged : w->acknowledged - w->seen;
	}
	f->lost += run->wrong;
	return 0;
}

static int start_workers(struct run *run)
{
	for (unsigned i = 0; i < run->load->threads; i++) {
		run->workers[i].run = run;
		run->workers[i].number = i;
		if (pthread_create(&run->workers[i].thread, NULL, work, &run->workers[i])) return -1;
	}
	while (atomic_load(&run->ready) < run->load->threads) usleep(500);
	return 0;
}

/* The recorder shares the run's processor time to its last line. */
static int end_trace(struct figures *f)
{
	struct waltrace_report report;
	if (waltrace_shutdown(60000, &report)) return -1;
	f->trace_lost = report.dropped + report.omitted;
	f->trace_records = report.written;
	if (report.complete) return 0;
	fprintf(stderr, "bench-commitlog: the trace isn't complete: %s, %llu dropped, %llu omitted\n", report.reason,
	        (unsigned long long)report.dropped, (unsigned long long)report.omitted);
	return -1;
}

static int start_trace(const struct load *load)
{
	struct waltrace_config config;
	struct waltrace_error error;
	setenv("PI_STORE_WAL_TRACE_QUIET", "1", 1);
	waltrace_config_init(&config);
	config.directory = load->trace_directory;
	config.run_id = "bench-commitlog";
	if (mkdir(load->trace_directory, 0700)) return -1;
	config.max_bytes = 16ull << 30;
	config.min_ns = load->min_ns;
	int result = waltrace_start(&config, &error);
	if (result) fprintf(stderr, "bench-commitlog: trace: %s\n", error.message);
	return result;
}

static int measure(struct run *run, struct figures *f)
{
	if (start_workers(run)) return -1;
	double cpu = cpu_seconds();
	uint64_t begin = now_ns();
	atomic_store(&run->go, true);
	usleep((useconds_t)(run->load->seconds * 1e6));
	atomic_store(&run->stop, true);
	int error = 0;
	uint64_t counts[WT_HIST_BUCKETS] = {0};
	for (unsigned i = 0; i < run->load->threads; i++) {
		struct worker *w = &run->workers[i];
		pthread_join(w->thread, NULL);
		if (w->error) error = w->error;
		f->commits += w->acknowledged;
		for (int b = 0; b < WT_HIST_BUCKETS; b++) counts[b] += w->histogram[b];
	}
	double elapsed = (double)(now_ns() - begin) / 1e9; /* the commits that ended after the stop are counted, too */
	if (error) fprintf(stderr, "bench-commitlog: a commit failed: %s\n", strerror(-error));
	if (run->load->trace_directory && end_trace(f)) error = -EIO;
	cpu = cpu_seconds() - cpu;
	f->commits_per_s = (double)f->commits / elapsed;
	if (!run->type) {
		struct commitlog_stats stats;
		commitlog_stats(run->log, &stats);
		f->fsyncs = stats.commit_syncs;
		f->commits_per_fsync = (double)f->commits / (double)(stats.commit_syncs ? stats.commit_syncs : 1);
	}
	f->cpu_us_per_commit = cpu * 1e6 / (double)(f->commits ? f->commits : 1);
	f->p50_us = (double)wt_hist_quantile(counts, f->commits, .5) / 1000;
	f->p99_us = (double)wt_hist_quantile(counts, f->commits, .99) / 1000;
	return error ? -1 : 0;
}

void remove_directory(const char *directory)
{
	DIR *d = opendir(directory);
	struct dirent *entry;
	char path[4096];
	while (d && (entry = readdir(d))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
		snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
		if (unlink(path) && errno == EISDIR) remove_directory(path);
	}
	if (d) closedir(d);
	rmdir(directory);
}

static int open_ours(struct run *run)
{
	const struct load *load = run->load;
	struct commitlog_options options;
	struct commitlog_error error;
	if (load->trace_directory && start_trace(load)) return -1;
	commitlog_options_init(&options);
	options.trace = load->trace_directory ? COMMITLOG_TRACE_ON : COMMITLOG_TRACE_OFF;
	options.delay_ms = load->delay_ms;
	if (load->prefill_bytes) {
		options.checkpoint_limit_bytes = 2ull << 30;
		options.prefill_bytes = load->prefill_bytes;
	}
	if (!commitlog_open(load->directory, &options, &error, &run->log)) return 0;
	fprintf(stderr, "bench-commitlog: %s\n", error.message);
	return -1;
}

static int close_ours(struct run *run, int result, struct figures *figures)
{
	int closed = commitlog_close(run->log);
	if (closed) fprintf(stderr, "bench-commitlog: close: %s\n", strerror(-closed));
	if (result || closed) return -1;
	return read_back(run, figures);
}

static int run_here(const struct load *load, struct figures *figures)
{
	struct run run = {.load = load, .type = store_types[load->engine]};
	if (run.type ? !(run.store = run.type->open(load->directory)) : open_ours(&run)) return -1;
	run.workers = aligned_alloc(64, load->threads * sizeof *run.workers);
	if (!run.workers) abort();
	memset(run.workers, 0, load->threads * sizeof *run.workers);
	int result = measure(&run, figures);
	if (run.type) run.type->close(run.store);
	else result = close_ours(&run, result, figures);
	free(run.workers);
	return result;
}

int run_load(const struct load *load, struct figures *figures)
{
	int pipe_fd[2], status = -1;
	*figures = (struct figures){0};
	if (pipe(pipe_fd)) return -1;
	fflush(NULL);
	pid_t child = fork();
	if (child < 0) return -1;
	if (!child) {
		bool good = !run_here(load, figures);
		_exit(!good || write(pipe_fd[1], figures, sizeof *figures) != sizeof *figures);
	}
	close(pipe_fd[1]);
	bool got = read(pipe_fd[0], figures, sizeof *figures) == sizeof *figures;
	close(pipe_fd[0]);
	waitpid(child, &status, 0);
	remove_directory(load->directory);
	if (load->trace_directory) remove_directory(load->trace_directory);
	return got && WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -1;
}
