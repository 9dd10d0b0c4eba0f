/* SPDX-License-Identifier: MIT */
/* The peer `ours`: libwaltrace through its public header, as an instrumented log would use it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "tail.h"
#include "waltrace.h"

enum {
	/* Not yet in the file, for the writer to have work at all times. Under half the queue: a writer may free what it
	 * took only when it has written all of it, and so much comes in meanwhile again. */
	IN_FLIGHT_OPS = QUEUE_RECORDS / RECORDS_PER_OP * 45 / 100,
	SHUTDOWN_MS = 60000,
	INACTIVE_OPS = 200 * 1000,
	INACTIVE_ROUNDS = 10
};

static struct load load;
static struct waltrace_logger *logger_of[MAX_THREADS];
static struct tail tail;

static struct waltrace_logger *add_logger(int number)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/wal-%d", load.directory, number);
	if (mkdir(path, 0700)) die("%s: %s", path, strerror(errno));
	struct waltrace_logger_config config = {.wal_directory = path, .runtime_id = 1, .block_limit = 8192};
	struct waltrace_logger *logger = waltrace_logger_register(&config);
	if (!logger) die("the logger of %s was refused", path);
	return logger;
}

static void start(void)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/trace", load.directory);
	if (mkdir(path, 0700)) die("%s: %s", path, strerror(errno));
	setenv("PI_STORE_WAL_TRACE_QUIET", "1", 1);
	struct waltrace_config config;
	struct waltrace_error error;
	waltrace_config_init(&config);
	config.directory = path;
	config.run_id = "bench-recorder";
	config.capacity = QUEUE_RECORDS;
	config.max_bytes = 16ull << 30;
	config.drain_ms = BACK_END_IDLE_MS;
	if (waltrace_start(&config, &error)) die("start: %s: %s", error.message, error.detail);
}

static void open_ours(const struct load *how)
{
	load = *how;
	start();
	for (int i = 0; i < load.threads; i++) logger_of[i] = load.shared_logger && i ? logger_of[0] : add_logger(i);
	tail_open(&tail, waltrace_path());
}

/* The calls of a flush that finds the lock free: three records, nine clock reads by the recorder. */
static inline void operation(struct waltrace_logger *logger, uint64_t uid)
{
	struct waltrace_op op;
	struct waltrace_span flush, lock, sync;
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace_op_set(&op, WALTRACE_LOG_UID, uid);
	waltrace_op_root(&op, &flush);
	waltrace_span_begin(&flush);

	waltrace_span_open(&lock, &op, WALTRACE_KIND_COMMIT_LOCK, waltrace_span_id(&flush), WALTRACE_W_REQUEST);
	waltrace_span_set(&lock, WALTRACE_LOG_UID, uid);
	waltrace_span_set(&lock, WALTRACE_COMMITTED_BEFORE, uid);
	waltrace_span_wait_commit(&lock);
	CALLER_WORKS();
	waltrace_span_acquired(&lock, true);
	waltrace_span_set(&lock, WALTRACE_COMMITTED_AT_ACQUIRE, uid);

	waltrace_span_open(&sync, &op, WALTRACE_KIND_SYNC_CALL, waltrace_span_id(&lock), WALTRACE_W_REQUEST);
	waltrace_span_set(&sync, WALTRACE_BLOCK_BYTES, 8192);
	waltrace_span_set(&sync, WALTRACE_BATCH_MAX_LOG_UID, uid);
	waltrace_span_begin(&sync);
	CALLER_WORKS();
	waltrace_span_finish(&sync, WALTRACE_W_SUCCESS);
	waltrace_span_set(&sync, WALTRACE_POLL_COUNT, 1);
	waltrace_span_set(&sync, WALTRACE_WRITTEN_BYTES, 8208);
	waltrace_span_end(&sync);

	uint64_t notify_start = waltrace_op_now(&op);
	waltrace_span_set(&lock, WALTRACE_NOTIFY_START_NS, notify_start);
	CALLER_WORKS();
	waltrace_span_set(&lock, WALTRACE_NOTIFY_TARGET_COUNT, 2);
	waltrace_span_set(&lock, WALTRACE_NOTIFY_COMPLETED_COUNT, 2);
	waltrace_span_set(&lock, WALTRACE_NOTIFY_SEND_FAILED_COUNT, 0);
	waltrace_span_set(&lock, WALTRACE_NOTIFY_TOTAL_NS, waltrace_op_now(&op) - notify_start);
	waltrace_span_word(&lock, WALTRACE_OUTCOME, WALTRACE_W_OWNER_SUCCESS);
	waltrace_span_releasing(&lock);
	CALLER_WORKS();
	waltrace_span_end(&lock);

	waltrace_span_finish(&flush, WALTRACE_W_SUCCESS);
	waltrace_span_end(&flush);
	waltrace_op_end(&op);
}

/* Not static and not inlined: callgrind counts what is inside it (--toggle-collect=bench_ours_run). */
void bench_ours_run(int thread, uint64_t first, uint64_t n);
__attribute__((noinline)) void bench_ours_run(int thread, uint64_t first, uint64_t n)
{
	struct waltrace_logger *logger = logger_of[thread];
	uint64_t uid = (uint64_t)thread << UID_THREAD_SHIFT | first;
	for (uint64_t i = 0; i < n; i++) operation(logger, uid + i);
}

/* What is in the file has left the queue; nothing else that is public says so. */
static void drain_ours(uint64_t ops)
{
	uint64_t limit = monotonic_ns() + SHUTDOWN_MS * 1000000ull;
	for (tail_read(&tail); !tail_has(&tail, load.threads, ops); tail_read(&tail)) {
		if (monotonic_ns() > limit)
			die("ours: %d s after a burst its records aren't in the file", SHUTDOWN_MS / 1000);
		usleep(2000);
	}
	usleep(2000);
}

static void throttle_ours(uint64_t ops)
{
	while (ops > IN_FLIGHT_OPS && tail_peek(&tail) < ops - IN_FLIGHT_OPS) usleep(200);
}

static struct waltrace_report stop(void)
{
	struct waltrace_report report;
	int result = waltrace_shutdown(SHUTDOWN_MS, &report);
	if (result) die("shutdown: %s", strerror(-result));
	return report;
}

static uint64_t close_ours(uint64_t ops)
{
	struct waltrace_report r = stop();
	uint64_t expected = ops * (uint64_t)load.threads * RECORDS_PER_OP;
	if (r.produced != expected || r.written != r.produced || !r.complete)
		die("ours: %llu records, produced %llu, written %llu, dropped %llu, omitted %llu, complete %d, reason %s",
		    (unsigned long long)expected, (unsigned long long)r.produced, (unsigned long long)r.written,
		    (unsigned long long)r.dropped, (unsigned long long)r.omitted, r.complete, r.reason);
	return r.dropped + r.omitted + r.outstanding;
}

/* From its beginning once more, by whoever reads the other peers' files. */
static void verify_ours(uint64_t ops)
{
	tail_close(&tail);
	verify_file(waltrace_path(), load.threads, ops);
}

const struct peer peer_ours = {.name = "ours",
                               .open = open_ours,
                               .run = bench_ours_run,
                               .drain = drain_ours,
                               .throttle = throttle_ours,
                               .close = close_ours,
                               .verify = verify_ours};

static double time_operations(void)
{
	double best = 0;
	for (int round = 0; round < INACTIVE_ROUNDS; round++) {
		uint64_t begin = ticks();
		bench_ours_run(0, 0, INACTIVE_OPS);
		double ns = (double)(ticks() - begin) * ns_per_tick / INACTIVE_OPS;
		if (!round || ns < best) best = ns;
	}
	return best;
}

void measure_inactive(const struct load *how, struct samples *out)
{
	static struct waltrace_op held[WALTRACE_MAX_OPERATIONS];
	load = *how;
	samples_add(out, time_operations());

	start();
	logger_of[0] = add_logger(0);
	for (int i = 0; i < WALTRACE_MAX_OPERATIONS; i++)
		if (!waltrace_op_begin(&held[i], logger_of[0], WALTRACE_KIND_MAINTENANCE))
			die("slot %d was refused", i);
	samples_add(out, time_operations());

	struct waltrace_report report;
	if (waltrace_shutdown(0, &report) != -ETIMEDOUT)
		die("shutdown didn't wait for %d operations", WALTRACE_MAX_OPERATIONS);
	samples_add(out, time_operations());

	for (int i = 0; i < WALTRACE_MAX_OPERATIONS; i++) waltrace_op_end(&held[i]);
	report = stop();
	uint64_t refused = (uint64_t)INACTIVE_ROUNDS * INACTIVE_OPS;
	if (report.produced || report.omitted != refused || report.outstanding)
		die("inactive: produced %llu, omitted %llu of %llu refused", (unsigned long long)report.produced,
		    (unsigned long long)report.omitted, (unsigned long long)refused);
}
