/* SPDX-License-Identifier: MIT */
/* The part of the peer `lttng` that is linked with LTTng-UST. A module of its own, loaded where it is measured: the
 * library starts threads in whatever process it is loaded into. */
#define TRACEPOINT_CREATE_PROBES
#define TRACEPOINT_DEFINE
#include "lttng_events.h"

#include "bench.h"

__attribute__((visibility("default"))) void bench_lttng_run(int thread, uint64_t first, uint64_t n);

/* As its users would, it reads CLOCK_MONOTONIC. */
static inline void operation(uint64_t uid)
{
	uint64_t id = uid * RECORDS_PER_OP;
	uint64_t begin = monotonic_ns(), wait = monotonic_ns();
	CALLER_WORKS();
	uint64_t acquired = monotonic_ns(), sync_begin = monotonic_ns();
	CALLER_WORKS();
	uint64_t sync_end = monotonic_ns();
	struct lttng_sync sync = {id + 1, sync_begin, sync_end - sync_begin, id + 2, 8192, uid, 8208, 1};
	tracepoint(bench_recorder, sync_call, &sync);
	uint64_t notify_begin = monotonic_ns();
	CALLER_WORKS();
	uint64_t notify_end = monotonic_ns(), releasing = monotonic_ns();
	CALLER_WORKS();
	struct lttng_lock lock = {id + 2, wait, uid,     id + 3,       acquired - wait,           releasing - acquired,
	                          uid,    uid,  uid + 1, notify_begin, notify_end - notify_begin, 2,
	                          2,      0};
	tracepoint(bench_recorder, commit_lock, &lock);
	struct lttng_flush flush = {id + 3, begin, monotonic_ns() - begin, uid};
	tracepoint(bench_recorder, root_flush, &flush);
}

void bench_lttng_run(int thread, uint64_t first, uint64_t n)
{
	uint64_t uid = (uint64_t)thread << UID_THREAD_SHIFT | first;
	for (uint64_t i = 0; i < n; i++) operation(uid + i);
}
