/* SPDX-License-Identifier: MIT */
/* A pass drains what the queue holds at its beginning; a window is a pass with a summary behind it. Between windows the
 * queue is drained each drain_ms, and when a producer finds it half full. Everything here belongs to the writer's
 * thread, except for what `bell` and `report` say. */
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trace/admission.h"
#include "trace/clock.h"
#include "trace/lines.h"
#include "trace/logger.h"
#include "trace/parts.h"
#include "trace/segment.h"
#include "trace/stderr.h"

enum { CLOSING_POLL_MS = 1 };
#define NS_PER_MS 1000000ull

static struct {
	struct wt_out out;
	struct wt_encoder encoder;
	struct wt_reader reader;
	struct wt_window window;
	uint32_t loggers;                  /* whose line is written */
	uint64_t reported[WT_LOSS_PLACES]; /* of each place, in loss lines */
	struct wt_own_cost cost;           /* since the last recorder line */
	struct wt_own_cost before;         /* running counters when that was written */
	uint64_t part, deleted_records;    /* of a rotated trace: the current file; records in files that are gone */
	uint64_t part_records[WT_PARTS];   /* in the newest files, by part modulo WT_PARTS */
	bool rotated;                      /* since the last publication */
	uint64_t newest_ns;                /* latest moment that any row told of */
	uint64_t oldest_ns;                /* latest moment that the oldest row of this pass tells of */
	uint64_t taken_ns;                 /* when the last whole pass began */
	pthread_t thread;
} writer;

/* Wakes the writer. `rung` is set by whoever posts, cleared by the writer before it looks for work: any number of
 * producers make one system call between two looks. */
static struct {
	sem_t sem;
	_Atomic bool rung, kicked;
} bell;

/* Set once, under the mutex. */
static struct {
	pthread_mutex_t mutex;
	pthread_cond_t there;
	bool set;
	struct waltrace_report report;
} outcome = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void ring(void)
{
	if (atomic_exchange_explicit(&bell.rung, true, memory_order_acq_rel)) return;
	int saved = errno;
	sem_post(&bell.sem);
	errno = saved;
}

/* By a producer that took a new chunk, so once in about a hundred records. */
static void wake_if_half_full(void)
{
	const struct wt_queue *q = &wt_session.queue;
	int64_t chunks = atomic_load_explicit(&q->pool.head->free, memory_order_relaxed);
	if (wt_queue_depth(q) * 2 >= q->capacity || chunks * 2 <= (int64_t)q->chunks) ring();
}

void wt_writer_kick(void)
{
	atomic_store(&bell.kicked, true);
	ring();
}

/* ---- A pass -------------------------------------------------------------------------------------------------------- */

/* Rows that come after a failure aren't written; what becomes of them shows in produced − written. */
static void take(void *context, const struct wt_row *row)
{
	(void)context;
	uint64_t end;
	if ((row->mask & 3) == 3 && !__builtin_add_overflow(row->value[0], row->value[1], &end)) {
		if (end < writer.oldest_ns) writer.oldest_ns = end;
		if (end > writer.newest_ns) writer.newest_ns = end;
	}
	wt_latency_count(wt_session.latencies, row);
	if (wt_likely(!writer.out.error) && wt_line_record(&writer.out, &writer.encoder, row)) {
		wt_sum_up(&writer.window.sums, row);
		writer.window.written++;
		writer.part_records[writer.part % WT_PARTS]++;
	}
	wt_path_release(row);
}

static void write_new_loggers(void)
{
	for (uint32_t n = wt_loggers(); writer.loggers < n; writer.loggers++)
		if (!wt_line_logger(&writer.out, &writer.encoder, &wt_session.logger[writer.loggers])) return;
}

/* What is in the file. The older of the two places is overwritten, its generation first taken away. */
static void publish(void)
{
	uint32_t generation = writer.reader.generation;
	struct wt_publication *p = &wt_session.segment->published[generation & 1];
	struct wt_published what = {.generation = generation,
	                            .file_bytes = writer.out.flushed,
	                            .written = writer.window.written,
	                            .window = writer.window.number,
	                            .window_end_ns = writer.window.end_ns,
	                            .newest_ns = writer.newest_ns,
	                            .loggers = writer.loggers,
	                            .part = writer.part,
	                            .deleted_records = writer.deleted_records,
	                            .taken_ns = writer.taken_ns,
	                            .sums = writer.window.sums};
	/* An exchange, whose acquire side keeps the stores below it: none of them is seen with the old generation. */
	atomic_exchange_explicit(&p->generation, 0, memory_order_acq_rel);
	p->what = what;
	p->check = wt_published_check(&what);
	atomic_store_explicit(&p->generation, generation, memory_order_release);
}

/* The snapshot comes first: a logger whose record is in it was registered before, so its line is written before. */
static void pass(void)
{
	struct wt_own_cost *c = &writer.cost;
	uint64_t now = waltrace_now(), depth = wt_queue_depth(&wt_session.queue);
	if (depth > c->queue_peak) c->queue_peak = depth;
	writer.oldest_ns = now;
	wt_reader_snapshot(&writer.reader);
	write_new_loggers();
	wt_reader_pass(&writer.reader, take, NULL);
	if (now - writer.oldest_ns > c->lag_ns) c->lag_ns = now - writer.oldest_ns;
	writer.taken_ns = now;
}

static void flush_and_release(void)
{
	wt_out_flush(&writer.out);
	if (!writer.out.error) publish();
	writer.rotated = false;
	wt_reader_release(&writer.reader);
}

/* ---- Rotation ---------------------------------------------------------------------------------------------------------- */

/* The publication still speaks of the file before, so that a recovery deletes the new one and finds what it holds in
 * the queue; the next one comes as soon as the operation whose records lie in both is through. */
static void publish_after_rotation(void)
{
	if (writer.rotated) flush_and_release();
}

static void delete_oldest_part(void)
{
	char path[WT_PART_PATH_BYTES];
	uint64_t oldest = writer.part - WT_PARTS, *records = &writer.part_records[oldest % WT_PARTS];
	wt_part_path(path, wt_session.path, oldest);
	wt_session.os->unlink(wt_session.os, path);
	writer.deleted_records += *records;
	wt_lose(WT_LOSS_rotated, 0, WT_LOSS_NO_KIND, *records);
	*records = 0;
}

/* The next file, with the header and all loggers that are known; the oldest goes first, so that there are never more. */
static bool begin_next_part(struct wt_out *out)
{
	static bool beginning; /* what doesn't fit into an empty file, doesn't fit */
	char path[WT_PART_PATH_BYTES];
	if (beginning) return false;
	writer.part++;
	if (writer.part >= WT_PARTS) delete_oldest_part();
	wt_part_path(path, wt_session.path, writer.part);
	int fd = wt_session.os->open(wt_session.os, path, O_WRONLY | O_CREAT | O_EXCL, 0666);
	if (fd < 0) {
		out->error = fd;
		return false;
	}
	wt_session.os->close(wt_session.os, out->fd);
	wt_session.fd = fd;
	wt_out_next(out, fd);
	writer.rotated = beginning = true;
	bool written = wt_line_header(out, &wt_session, writer.part, writer.deleted_records);
	for (uint32_t i = 0; written && i < writer.loggers; i++)
		written = wt_line_logger(out, &writer.encoder, &wt_session.logger[i]);
	beginning = false;
	return written;
}

/* In a long pass, space and credits go back as the file grows, not only at its end. */
static void release_on_the_way(void)
{
	if (writer.out.used >= WT_OUT_BYTES / 2) flush_and_release();
}

static void read_counters(struct wt_window *w)
{
	w->dropped_full = wt_lost(WT_LOSS_queue_full);
	w->dropped_stopped = wt_lost(WT_LOSS_stopped);
	w->omitted = wt_omitted();
	w->produced = wt_queue_tried(&wt_session.queue);
	w->outstanding = wt_outstanding();
	w->inflight = writer.reader.passed_over;
	w->depth = w->produced - w->written - w->dropped_full - w->dropped_stopped;
	w->paths = atomic_load_explicit(&wt_session.segment->retained_paths, memory_order_relaxed);
}

/* ---- A window -------------------------------------------------------------------------------------------------------- */

static void write_losses(uint64_t window)
{
	for (uint32_t i = 0; i < WT_LOSS_PLACES; i++) {
		const struct wt_loss_place *place = &wt_session.losses[i];
		uint64_t n = atomic_load_explicit(&place->n, memory_order_relaxed);
		if (n == writer.reported[i]) continue;
		wt_line_loss(&writer.out, &writer.encoder, window, atomic_load(&place->key), n - writer.reported[i]);
		writer.reported[i] = n;
	}
}

static void write_histograms(uint64_t window)
{
	static struct wt_latency_share share;
	for (uint32_t logger = 1; logger <= writer.loggers; logger++)
		for (int kind = 0; kind < WALTRACE_KINDS; kind++)
			if (wt_latency_take(wt_session.latencies, logger, (enum waltrace_kind)kind, &share))
				wt_line_histogram(&writer.out, &writer.encoder, window, logger,
				                  (enum waltrace_kind)kind, &share);
}

/* Counters that run from the beginning. */
static struct wt_own_cost read_running(void)
{
	struct wt_own_cost now = {.bytes = writer.out.earlier_bytes + writer.out.bytes,
	                          .left_out = writer.out.left_out};
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	now.writer_cpu_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	for (uint32_t i = 0; i < wt_session.queue.shards; i++) {
		struct wt_shard *shard = &wt_session.queue.shard[i];
		now.filtered += atomic_load_explicit(&shard->filtered, memory_order_relaxed);
		now.producer_ns += atomic_load_explicit(&shard->producer_ns, memory_order_relaxed);
		now.producer_samples += atomic_load_explicit(&shard->producer_samples, memory_order_relaxed);
	}
	now.left_out += atomic_load_explicit(&wt_session.latencies->unplaced, memory_order_relaxed);
	return now;
}

static void write_own_cost(uint64_t window)
{
	struct wt_own_cost now = read_running(), *c = &writer.cost, *before = &writer.before;
	c->window = window;
	c->filtered = now.filtered - before->filtered;
	c->writer_cpu_ns = now.writer_cpu_ns - before->writer_cpu_ns;
	c->bytes = now.bytes - before->bytes;
	c->producer_ns = now.producer_ns - before->producer_ns;
	c->producer_samples = now.producer_samples - before->producer_samples;
	c->left_out = now.left_out - before->left_out;
	if (!wt_line_recorder(&writer.out, &writer.encoder, c)) return;
	*before = now;
	before->bytes = writer.out.earlier_bytes + writer.out.bytes;
	memset(c, 0, sizeof *c);
}

/* Not with drain_ms 0, which asks for a trace just as the reference writes it. */
static void write_extra_lines(uint64_t window)
{
	write_losses(window);
	write_histograms(window);
	write_own_cost(window);
}

static void window(void)
{
	struct wt_window *w = &writer.window;
	uint64_t begin = waltrace_now();
	w->number++;
	pass();
	w->start_ns = w->end_ns;
	w->end_ns = begin;
	w->write_elapsed_ns = waltrace_now() - begin;
	read_counters(w);
	if (wt_line_window(&writer.out, &writer.encoder, w)) {
		memset(&w->sums, 0, sizeof w->sums);
		for (uint32_t i = 0; i < writer.loggers; i++)
			if (!wt_line_progress(&writer.out, &writer.encoder, &wt_session.logger[i], w)) break;
		if (wt_session.config.drain_ms) write_extra_lines(w->number);
	}
	flush_and_release();
	wt_clock_check();
}

/* ---- The thread ------------------------------------------------------------------------------------------------------ */

static void sleep_until(uint64_t deadline_ns)
{
	uint64_t now = waltrace_now();
	struct timespec t;
	if (deadline_ns <= now) return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	uint64_t ns = (uint64_t)t.tv_nsec + (deadline_ns - now);
	t.tv_sec += (time_t)(ns / 1000000000u);
	t.tv_nsec = (long)(ns % 1000000000u);
	sem_clockwait(&bell.sem, CLOCK_MONOTONIC, &t);
	atomic_store_explicit(&bell.rung, false, memory_order_release);
}

/* Until the session is closed and empty, or has failed. */
static void work(void)
{
	const struct wt_config *c = &wt_session.config;
	uint64_t window_at = waltrace_now() + c->window_ms * NS_PER_MS, drain_at = UINT64_MAX;
	if (c->drain_ms) drain_at = waltrace_now() + c->drain_ms * NS_PER_MS;
	while (!writer.out.error) {
		bool closing = wt_gate_now() == WT_GATE_CLOSING;
		uint64_t until = window_at < drain_at ? window_at : drain_at;
		uint64_t poll = waltrace_now() + CLOSING_POLL_MS * NS_PER_MS;
		sleep_until(closing && poll < until ? poll : until);
		/* Before the pass: what ended before it has handed everything over. */
		bool last = wt_gate_now() == WT_GATE_CLOSING && wt_nothing_outstanding();
		uint64_t now = waltrace_now();
		if (now >= window_at || last || atomic_exchange(&bell.kicked, false)) {
			window();
			if (last && !writer.reader.passed_over && !writer.out.error) return;
			window_at = waltrace_now() + c->window_ms * NS_PER_MS;
		} else if (c->drain_ms && !closing) {
			pass();
			flush_and_release();
		}
		if (c->drain_ms) drain_at = waltrace_now() + c->drain_ms * NS_PER_MS;
	}
}

/* Nothing more goes in; what is there is given up. */
static void stop_after_failure(void)
{
	wt_gate_set(WT_GATE_FAILED);
	wt_queue_close(&wt_session.queue);
	wt_reader_snapshot(&writer.reader);
	wt_reader_pass(&writer.reader, take, NULL);
	wt_reader_release(&writer.reader);
}

static void fill_report(struct waltrace_report *r)
{
	int error = writer.out.error;
	const struct wt_window *w = &writer.window;
	memset(r, 0, sizeof *r);
	r->path = wt_session.path;
	r->produced = wt_queue_tried(&wt_session.queue);
	r->written = w->written;
	r->written -= writer.out.records; /* counted when they went into the buffer, which could not be written */
	r->omitted = wt_omitted();
	r->outstanding = wt_outstanding();
	/* After a failure a producer may still be about to count what it could not hand over: count by difference. */
	r->dropped = error ? r->produced - r->written : wt_lost(WT_LOSS_queue_full) + wt_lost(WT_LOSS_stopped);
	strcpy(r->reason, !error                  ? (writer.deleted_records ? "rotated" : "shutdown")
	                  : error == WT_OUT_LIMIT ? "byte_limit"
	                                          : "io_error");
	r->complete = !error && !writer.deleted_records && r->produced == r->written && !r->dropped && !r->omitted &&
	              !r->outstanding;
}

static void finish(void)
{
	struct waltrace_report report;
	if (writer.out.error) stop_after_failure();
	else wt_queue_close(&wt_session.queue);
	wt_out_flush(&writer.out);
	fill_report(&report);
	if (!wt_line_footer(&writer.out, &writer.encoder, &report)) {
		report.complete = false;
		strcpy(report.reason, "io_error");
	}
	wt_gate_set(WT_GATE_ENDED);
	atomic_store(&wt_session.segment->ended, 1);
	wt_session.os->close(wt_session.os, wt_session.fd);
	wt_segment_unlink(&wt_session);
	wt_stderr_stop(&report);
	pthread_mutex_lock(&outcome.mutex);
	outcome.report = report;
	outcome.set = true;
	pthread_cond_broadcast(&outcome.there);
	pthread_mutex_unlock(&outcome.mutex);
}

static void *run(void *unused)
{
	(void)unused;
#ifdef __linux__
	pthread_setname_np(pthread_self(), "waltrace-writer");
#endif
	work();
	finish();
	return NULL;
}

static int prepare(struct wt_err *err)
{
	struct wt_queue *q = &wt_session.queue;
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&outcome.there, &monotonic);
	pthread_condattr_destroy(&monotonic);
	sem_init(&bell.sem, 0, 0);
	struct wt_chunk_reader *chunk = calloc(q->chunks, sizeof *chunk);
	int error = wt_out_open(&writer.out, wt_session.os, wt_session.fd, wt_session.config.max_bytes);
	if (error || !chunk) return wt_err_set(err, -ENOMEM, "no memory for the writer's buffer");
	wt_reader_init(&writer.reader, q, chunk);
	writer.reader.retire = release_on_the_way;
	if (wt_session.config.rotate) {
		writer.out.limit /= WT_PARTS;
		writer.out.full = begin_next_part;
		writer.reader.entry_done = publish_after_rotation;
	}
	wt_encoder_init(&writer.encoder, wt_session.session_id);
	writer.encoder.path_block = wt_session.paths.block;
	writer.encoder.logger_text = wt_session.logger_text;
	writer.encoder.capacity = wt_session.config.capacity;
	if (wt_session.config.drain_ms) q->grown = wake_if_half_full;
	if (!wt_line_header(&writer.out, &wt_session, 0, 0) || !wt_out_flush(&writer.out))
		return wt_err_set(err, writer.out.error, "%s: can't write the header: %s", wt_session.path,
		                  strerror(-writer.out.error));
	publish();
	wt_reader_release(&writer.reader);
	return 0;
}

int wt_writer_start(struct wt_err *err)
{
	int error = prepare(err);
	if (error) return error;
	/* The program's signals are not for this thread, and what its own writes may raise (SIGXFSZ) is an error, no end. */
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&writer.thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) return wt_err_set(err, -error, "can't start the writer's thread: %s", strerror(error));
	pthread_detach(writer.thread);
	return 0;
}

bool wt_writer_report(uint64_t timeout_ms, struct waltrace_report *report)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	if (timeout_ms > UINT32_MAX) timeout_ms = UINT32_MAX; /* 49 days: as good as for ever */
	uint64_t ns = (uint64_t)t.tv_nsec + timeout_ms % 1000 * NS_PER_MS;
	t.tv_sec += (time_t)(timeout_ms / 1000 + ns / 1000000000u);
	t.tv_nsec = (long)(ns % 1000000000u);
	pthread_mutex_lock(&outcome.mutex);
	while (!outcome.set && pthread_cond_timedwait(&outcome.there, &outcome.mutex, &t) != ETIMEDOUT)
		;
	bool set = outcome.set;
	if (set) *report = outcome.report;
	pthread_mutex_unlock(&outcome.mutex);
	return set;
}
