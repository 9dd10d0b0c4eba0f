/* SPDX-License-Identifier: MIT */
/* The load itself: open the log, let N threads commit in a closed loop, close, end the session, read back.
 * Committers write their own struct only; `log`, `load` stay as they are while they run; `error` and `stop` are atomic;
 * `go` is under `lock`. */
#include "cli/load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "waltrace.h"

enum go { GO_WAIT, GO_RUN, GO_HOME };

struct wt_load_process {
	const struct wt_load *load;
	struct wt_load_result *result;
	struct commitlog *log;
	struct wt_load_committer *committers;
	unsigned started;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum go go;
	atomic_bool stop;
	_Atomic int error; /* the first errno that a committer met */
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- A committer -------------------------------------------------------------------------------------------- */

static int commit(struct wt_load_committer *c, struct commitlog *log, uint8_t *payload, size_t n)
{
	struct commitlog_cid cid = {.high = c->number + 1, .low = c->appended + 1};
	uint64_t handle;
	wt_load_payload(payload, n, c->number, cid.low);
	int result = commitlog_append(log, cid, payload, n, &handle);
	if (result) return result;
	c->appended++;
	uint64_t begin = now_ns(CLOCK_MONOTONIC);
	result = commitlog_flush(log, handle);
	if (result) return result;
	uint64_t took = now_ns(CLOCK_MONOTONIC) - begin;
	c->hist[wt_hist_index(took)]++;
	if (took > c->max_ns) c->max_ns = took;
	atomic_store_explicit(&c->acknowledged, cid.low, memory_order_release);
	return commitlog_confirm(log, cid);
}

static bool wait_for_go(struct wt_load_process *p)
{
	pthread_mutex_lock(&p->lock);
	while (p->go == GO_WAIT) pthread_cond_wait(&p->changed, &p->lock);
	bool run = p->go == GO_RUN;
	pthread_mutex_unlock(&p->lock);
	return run;
}

static void say_go(struct wt_load_process *p, enum go go)
{
	pthread_mutex_lock(&p->lock);
	p->go = go;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

static void *run_committer(void *argument)
{
	struct wt_load_committer *c = argument;
	struct wt_load_process *p = c->process;
	size_t n = p->load->payload_bytes;
	uint8_t *payload = malloc(n);
	int result = payload ? 0 : -ENOMEM;
	if (!wait_for_go(p)) result = -ECANCELED;
	while (!result && !atomic_load_explicit(&p->stop, memory_order_relaxed)) result = commit(c, p->log, payload, n);
	if (result) {
		int none = 0;
		atomic_compare_exchange_strong(&p->error, &none, result);
		atomic_store(&p->stop, true);
	}
	free(payload);
	return NULL;
}

/* ---- The run ------------------------------------------------------------------------------------------------ */

static int start_committers(struct wt_load_process *p)
{
	for (unsigned i = 0; i < p->load->committers; i++) {
		struct wt_load_committer *c = &p->committers[i];
		c->process = p;
		c->number = i;
		int result = pthread_create(&c->thread, NULL, run_committer, c);
		if (result)
			return wt_err_set(&p->result->err, -result, "can't start committer %u of %u: %s: use fewer",
			                  i + 1, p->load->committers, strerror(result));
		p->started++;
	}
	return 0;
}

static void join_committers(struct wt_load_process *p)
{
	for (unsigned i = 0; i < p->started; i++) pthread_join(p->committers[i].thread, NULL);
}

static bool is_full(struct wt_load_process *p)
{
	struct commitlog_stats stats;
	commitlog_stats(p->log, &stats);
	if (stats.written_bytes >= p->load->wal_limit_bytes) return true;
	struct stat file;
	const char *path = waltrace_path();
	return path && !stat(path, &file) && (uint64_t)file.st_size >= p->load->trace_limit_bytes;
}

/* Until the time is up, the disk's share is used, a committer failed, a signal came or the parent is gone. */
static void watch(struct wt_load_process *p, uint64_t begin)
{
	const struct timespec tick = {.tv_nsec = WT_LOAD_TICK_MS * 1000000l};
	uint64_t end = begin + p->load->seconds * 1000000000ull;
	pid_t parent = getppid();
	while (now_ns(CLOCK_MONOTONIC) < end && !atomic_load(&p->stop)) {
		nanosleep(&tick, NULL);
		if (is_full(p)) {
			p->result->full = true;
			break;
		}
		if (getppid() == parent && !wt_load_signal) continue;
		wt_err_set(&p->result->err, -EINTR, "interrupted");
		break;
	}
	atomic_store(&p->stop, true);
}

static void add_up(struct wt_load_process *p)
{
	struct wt_load_result *r = p->result;
	for (unsigned i = 0; i < p->load->committers; i++) {
		const struct wt_load_committer *c = &p->committers[i];
		r->commits += c->acknowledged;
		if (c->max_ns > r->max_ns) r->max_ns = c->max_ns;
		for (unsigned b = 0; b < WT_HIST_BUCKETS; b++) r->hist[b] += c->hist[b];
	}
	int error = p->error;
	if (!error || r->err.code) return;
	wt_err_set(&r->err, error, "a commit failed after %" PRIu64 " good ones: %s%s", r->commits, strerror(-error),
	           error == -ENOSPC ? ": make room, or choose another disk with --dir" : "");
}

static void measure(struct wt_load_process *p)
{
	if (start_committers(p)) {
		say_go(p, GO_HOME);
		join_committers(p);
		return;
	}
	uint64_t cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID), begin = now_ns(CLOCK_MONOTONIC);
	say_go(p, GO_RUN);
	watch(p, begin);
	join_committers(p);
	p->result->elapsed_ns = now_ns(CLOCK_MONOTONIC) - begin;
	p->result->cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	add_up(p);
}

static void run_on_log(struct wt_load_process *p)
{
	struct commitlog_options options;
	struct commitlog_error error;
	struct wt_load_result *r = p->result;
	commitlog_options_init(&options);
	options.delay_ms = p->load->delay_ms;
	if (p->load->block_limit_bytes) options.block_limit_bytes = p->load->block_limit_bytes;
	options.trace = p->load->trace_directory[0] ? COMMITLOG_TRACE_ON : COMMITLOG_TRACE_OFF;
	int result = commitlog_open(p->load->wal_directory, &options, &error, &p->log);
	if (result) {
		wt_err_set(&r->err, result, "can't open the log: %s", error.message);
		return;
	}
	measure(p);
	commitlog_stats(p->log, &r->log);
	result = commitlog_close(p->log);
	if (result && !r->err.code) wt_err_set(&r->err, result, "closing the log: %s", strerror(-result));
}

/* ---- The session -------------------------------------------------------------------------------------------- */

static int start_session(const struct wt_load *load, struct wt_err *err)
{
	if (!load->trace_directory[0]) return 0;
	struct waltrace_config config;
	struct waltrace_error error;
	setenv("PI_STORE_WAL_TRACE_QUIET", "1", 1);
	waltrace_config_init(&config);
	config.directory = load->trace_directory;
	config.run_id = load->run_id;
	config.capacity = WT_LOAD_CAPACITY;
	config.max_bytes = load->trace_limit_bytes + WT_LOAD_TRACE_MARGIN;
	int result = waltrace_start(&config, &error);
	if (result) wt_err_set(err, result, "can't record: %s: %s", error.message, error.detail);
	return result;
}

static void name_trace(const struct wt_load *load, const char *path, struct wt_load_result *r)
{
	struct stat file;
	struct wt_load_trace *t = &r->trace;
	snprintf(t->path, sizeof t->path, "%s", path);
	if (load->trace_path[0]) {
		if (rename(path, load->trace_path) && !r->err.code)
			wt_err_set(&r->err, -errno, "can't rename %s to %s: %s", path, load->trace_path,
			           strerror(errno));
		else snprintf(t->path, sizeof t->path, "%s", load->trace_path);
	}
	if (!stat(t->path, &file)) t->bytes = (uint64_t)file.st_size;
}

static void end_session(const struct wt_load *load, struct wt_load_result *r)
{
	if (!load->trace_directory[0]) return;
	struct waltrace_report report;
	int result = waltrace_shutdown(WT_LOAD_GRACE_S / 2 * 1000, &report);
	if (result) {
		if (!r->err.code) wt_err_set(&r->err, result, "the recorder didn't end: %s", strerror(-result));
		return;
	}
	r->trace.complete = report.complete;
	r->trace.written = report.written;
	r->trace.lost = report.dropped + report.omitted + report.outstanding;
	snprintf(r->trace.reason, sizeof r->trace.reason, "%s", report.reason);
	name_trace(load, report.path, r);
}

static uint64_t peak_rss(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (uint64_t)u.ru_maxrss * 1024;
}

void wt_load_run(const struct wt_load *load, struct wt_load_result *result)
{
	struct wt_load_process p = {.load = load, .result = result};
	*result = (struct wt_load_result){0};
	pthread_mutex_init(&p.lock, NULL);
	pthread_cond_init(&p.changed, NULL);
	if (posix_memalign((void **)&p.committers, 64, load->committers * sizeof *p.committers)) {
		wt_err_set(&result->err, -ENOMEM, "not enough memory for %u committers", load->committers);
		return;
	}
	memset(p.committers, 0, load->committers * sizeof *p.committers);
	if (!start_session(load, &result->err)) {
		run_on_log(&p);
		result->rss_bytes = peak_rss(); /* before reading back, which isn't the load's */
		end_session(load, result);
		if (!result->err.code) wt_load_read_back(load, p.committers, &result->check, &result->err);
	}
	free(p.committers);
	pthread_cond_destroy(&p.changed);
	pthread_mutex_destroy(&p.lock);
}
