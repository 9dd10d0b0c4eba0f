/* SPDX-License-Identifier: MIT */
#include "wal/rows.h"

#include <string.h>

void cl_rows_append_begin(struct cl_append_rows *rows, struct waltrace_logger *logger, struct commitlog_cid cid,
                          size_t bytes)
{
	waltrace_op_begin(&rows->op, logger, WALTRACE_KIND_ROOT_APPEND);
	waltrace_op_root(&rows->op, &rows->root);
	if (!waltrace_op_active(&rows->op)) return;
	uint64_t now = waltrace_now();
	waltrace_span_set(&rows->root, WALTRACE_START_NS, now);
	waltrace_span_set(&rows->root, WALTRACE_CALL_START_NS, now);
	waltrace_span_set(&rows->root, WALTRACE_FIRST_POLL_NS, now);
	waltrace_span_set(&rows->root, WALTRACE_CHECKPOINT_WAIT_START_NS, now);
	waltrace_span_set(&rows->root, WALTRACE_BLOCK_BYTES, bytes);
	waltrace_span_cid(&rows->root, cid.high, cid.low);
}

void cl_rows_append_end(struct cl_append_rows *rows, uint64_t handle, int result)
{
	if (!waltrace_op_active(&rows->op)) return;
	if (!result) waltrace_span_set(&rows->root, WALTRACE_LOG_UID, handle);
	waltrace_span_result(&rows->root, result);
	waltrace_span_end(&rows->root);
	waltrace_op_end(&rows->op);
}

void cl_rows_flush_begin(struct cl_flush_rows *rows, struct waltrace_logger *logger, uint64_t handle)
{
	rows->waiting = false;
	waltrace_op_begin(&rows->op, logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace_op_root(&rows->op, &rows->root);
	rows->start_ns = waltrace_op_now(&rows->op);
	waltrace_span_set(&rows->root, WALTRACE_START_NS, rows->start_ns);
	waltrace_span_set(&rows->root, WALTRACE_LOG_UID, handle);
}

void cl_rows_flush_fast(struct cl_flush_rows *rows, bool fast) { waltrace_op_flush_fast(&rows->op, fast); }

void cl_rows_wait_begin(struct cl_flush_rows *rows)
{
	if (rows->waiting) return;
	rows->waiting = true;
	rows->wait_start_ns = waltrace_op_now(&rows->op);
	waltrace_op_batch_wait_start(&rows->op, rows->wait_start_ns);
}

void cl_rows_wait_end(struct cl_flush_rows *rows, enum waltrace_word outcome)
{
	if (!rows->waiting) return;
	rows->waiting = false;
	if (!waltrace_op_active(&rows->op)) return;
	waltrace_op_batch_wait(&rows->op, waltrace_now() - rows->wait_start_ns);
	waltrace_op_batch_wait_outcome(&rows->op, outcome);
}

void cl_rows_flush_end(struct cl_flush_rows *rows, int result)
{
	waltrace_span_result(&rows->root, result);
	waltrace_span_end(&rows->root);
	waltrace_op_end(&rows->op);
}

void cl_rows_lock_open(struct waltrace_span *lock, struct waltrace_op *op, uint64_t parent_id,
                       const struct commitlog *log, enum waltrace_word trigger, uint64_t handle)
{
	waltrace_span_open(lock, op, WALTRACE_KIND_COMMIT_LOCK, parent_id, trigger);
	if (handle) waltrace_span_set(lock, WALTRACE_LOG_UID, handle);
	waltrace_span_set(lock, WALTRACE_COMMITTED_BEFORE, cl_durable(log));
	waltrace_span_wait_commit(lock);
}

void cl_rows_lock_wait(struct waltrace_span *lock, struct waltrace_span *parent, const struct commitlog *log,
                       enum waltrace_word trigger, uint64_t handle)
{
	cl_rows_lock_open(lock, parent->op, waltrace_span_id(parent), log, trigger, handle);
}

void cl_rows_lock_since(struct waltrace_span *lock, const struct cl_flush_rows *rows, uint64_t free_ns)
{
	waltrace_span_set(lock, WALTRACE_START_NS, free_ns > rows->start_ns ? free_ns : rows->start_ns);
}

void cl_rows_lock_acquired(struct waltrace_span *lock, const struct commitlog *log)
{
	waltrace_span_acquired(lock, true);
	waltrace_span_set(lock, WALTRACE_COMMITTED_AT_ACQUIRE, cl_durable(log));
}

void cl_rows_lock_end(struct waltrace_span *lock, enum waltrace_word outcome, int error)
{
	waltrace_span_finish(lock, outcome);
	if (error) {
		waltrace_span_error(lock, -error);
		waltrace_span_word(lock, WALTRACE_OUTCOME, outcome);
	}
	waltrace_span_end(lock);
}

void cl_rows_timer_spawn(struct cl_flush_rows *rows, const struct waltrace_op *timer, uint64_t delay_ms, int result,
                         uint64_t *spawn_id)
{
	struct waltrace_span spawn;
	waltrace_span_child(&spawn, &rows->root, WALTRACE_KIND_TIMER_SPAWN, WALTRACE_W_REQUEST, WALTRACE_FIELDS);
	waltrace_span_begin(&spawn);
	if (!result) waltrace_span_set(&spawn, WALTRACE_TIMER_ID, waltrace_op_id(timer));
	waltrace_span_set(&spawn, WALTRACE_REQUESTED_DELAY_MS, delay_ms);
	waltrace_span_result(&spawn, result);
	*spawn_id = waltrace_span_id(&spawn);
	waltrace_span_end(&spawn);
}

void cl_rows_append_path(struct cl_append_rows *rows, const struct commitlog *log)
{
	if (waltrace_op_active(&rows->op)) waltrace_span_path(&rows->root, 0, log->file.path, strlen(log->file.path));
}
