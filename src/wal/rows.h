/* SPDX-License-Identifier: MIT */
/* The rows that the log gives the recorder, so that the code that does the work stays readable. With a NULL logger each
 * call is a few instructions. */
#ifndef CL_ROWS_H
#define CL_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "wal/log.h"
#include "waltrace.h"

/* A root_append. */
struct cl_append_rows {
	struct waltrace_op op;
	struct waltrace_span root;
};

void cl_rows_append_begin(struct cl_append_rows *rows, struct waltrace_logger *logger, struct commitlog_cid cid,
                          size_t bytes);
/* The file it is registered with. Checkpoint lock held. */
void cl_rows_append_path(struct cl_append_rows *rows, const struct commitlog *log);
void cl_rows_append_end(struct cl_append_rows *rows, uint64_t handle, int result);

/* A root_flush. */
struct cl_flush_rows {
	struct waltrace_op op;
	struct waltrace_span root;
	uint64_t start_ns, wait_start_ns;
	bool waiting;
};

void cl_rows_flush_begin(struct cl_flush_rows *rows, struct waltrace_logger *logger, uint64_t handle);
void cl_rows_flush_fast(struct cl_flush_rows *rows, bool fast);
void cl_rows_wait_begin(struct cl_flush_rows *rows);
void cl_rows_wait_end(struct cl_flush_rows *rows, enum waltrace_word outcome);
void cl_rows_flush_end(struct cl_flush_rows *rows, int result);

/* A commit_lock inside `parent`. `handle` 0: none. To be called before asking for the lock. */
void cl_rows_lock_wait(struct waltrace_span *lock, struct waltrace_span *parent, const struct commitlog *log,
                       enum waltrace_word trigger, uint64_t handle);
/* The same without a span around it. */
void cl_rows_lock_open(struct waltrace_span *lock, struct waltrace_op *op, uint64_t parent_id,
                       const struct commitlog *log, enum waltrace_word trigger, uint64_t handle);
/* Dates the wait back to when the lock was free, but not before the flush itself. */
void cl_rows_lock_since(struct waltrace_span *lock, const struct cl_flush_rows *rows, uint64_t free_ns);
void cl_rows_lock_acquired(struct waltrace_span *lock, const struct commitlog *log);
/* After its release, or before if the release is to be part of its time: total and outcome. */
void cl_rows_lock_end(struct waltrace_span *lock, enum waltrace_word outcome, int error);

/* A timer_spawn; `timer` was begun for the operation that `rows` records. */
void cl_rows_timer_spawn(struct cl_flush_rows *rows, const struct waltrace_op *timer, uint64_t delay_ms, int result,
                         uint64_t *spawn_id);

#endif
