/* SPDX-License-Identifier: MIT */
/* The three records of an operation as tracepoints. Included several times over by lttng/tracepoint-event.h. */
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER bench_recorder
#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "lttng_events.h"

#if !defined(BENCH_LTTNG_EVENTS_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

#ifndef BENCH_LTTNG_RECORDS
#define BENCH_LTTNG_RECORDS
struct lttng_sync {
	uint64_t id, start_ns, total_ns, parent_id, block_bytes, batch_max_log_uid, written_bytes, poll_count;
};
struct lttng_lock {
	uint64_t id, start_ns, log_uid, parent_id, lock_wait_ns, lock_hold_ns, committed_before, committed_at_acquire,
		lock_seq, notify_start_ns, notify_total_ns, target, completed, failed;
};
struct lttng_flush {
	uint64_t id, start_ns, total_ns, log_uid;
};
#endif

#define U64(name) ctf_integer(uint64_t, name, r->name)

TRACEPOINT_EVENT(bench_recorder, sync_call, TP_ARGS(const struct lttng_sync *, r),
                 TP_FIELDS(U64(id) U64(start_ns) U64(total_ns) U64(parent_id) U64(block_bytes) U64(batch_max_log_uid)
                                   U64(written_bytes) U64(poll_count)))

TRACEPOINT_EVENT(bench_recorder, commit_lock, TP_ARGS(const struct lttng_lock *, r),
                 TP_FIELDS(U64(id) U64(start_ns) U64(log_uid) U64(parent_id) U64(lock_wait_ns) U64(lock_hold_ns)
                                   U64(committed_before) U64(committed_at_acquire) U64(lock_seq) U64(notify_start_ns)
                                           U64(notify_total_ns) U64(target) U64(completed) U64(failed)))

TRACEPOINT_EVENT(bench_recorder, root_flush, TP_ARGS(const struct lttng_flush *, r),
                 TP_FIELDS(U64(id) U64(start_ns) U64(total_ns) U64(log_uid)))

#endif

#include <lttng/tracepoint-event.h>
