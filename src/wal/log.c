/* SPDX-License-Identifier: MIT */
/* The public calls, each of a few lines; what they do lies in the files that they call. */
#include "commitlog.h"

#include <errno.h>
#include <stdio.h>

#include "base/compiler.h"
#include "wal/async.h"
#include "wal/commit.h"
#include "wal/delay.h"
#include "wal/inspect.h"
#include "wal/log.h"
#include "wal/repair.h"
#include "wal/replay.h"
#include "wal/rotate.h"
#include "wal/rows.h"
#include "wal/scan.h"

static void give_error(struct commitlog_error *error, const struct wt_err *err)
{
	if (!error) return;
	error->code = err->code;
	snprintf(error->message, sizeof error->message, "%s", err->text);
}

WT_EXPORT int commitlog_open(const char *directory, const struct commitlog_options *options,
                             struct commitlog_error *error, struct commitlog **log)
{
	struct wt_err err = {0};
	int result = cl_open(&wt_os_posix, directory, options, &err, log);
	give_error(error, &err);
	return result;
}

static int append(struct commitlog *log, struct commitlog_cid cid, const void *payload, size_t bytes, uint64_t *handle,
                  struct cl_append_rows *rows)
{
	pthread_mutex_lock(&log->checkpoint_lock);
	waltrace_span_mark(&rows->root, WALTRACE_CHECKPOINT_ACQUIRED_NS);
	int result = cl_table_reserve(&log->checkpoints.table);
	if (!result) result = cl_block_append(log, cid, payload, bytes, handle, rows);
	if (!result) {
		cl_checkpoints_register(&log->checkpoints, cid);
		waltrace_span_mark(&rows->root, WALTRACE_REGISTRATION_END_NS);
		cl_rows_append_path(rows, log);
	}
	pthread_mutex_unlock(&log->checkpoint_lock);
	return result;
}

WT_EXPORT int commitlog_append(struct commitlog *log, struct commitlog_cid cid, const void *payload, size_t bytes,
                               uint64_t *handle)
{
	struct cl_append_rows rows;
	uint64_t given = 0;
	if (handle) *handle = 0;
	if (bytes > COMMITLOG_MAX_PAYLOAD) return -EMSGSIZE;
	if (!bytes) return 0;
	cl_rows_append_begin(&rows, log->logger, cid, bytes);
	int result = append(log, cid, payload, bytes, &given, &rows);
	cl_rows_append_end(&rows, given, result);
	if (!result && handle) *handle = given;
	return result;
}

/* One that waits must be counted before it looks at anything that close takes away. */
static int flush_slowly(struct commitlog *log, uint64_t handle, struct cl_flush_rows *rows)
{
	cl_add(&log->inside, 1);
	int result = log->timers ? cl_flush_delayed(log, handle, rows) : cl_flush_leading(log, handle, rows);
	atomic_fetch_sub_explicit(&log->inside, 1, memory_order_release);
	return result;
}

WT_EXPORT int commitlog_flush(struct commitlog *log, uint64_t handle)
{
	struct cl_flush_rows rows;
	int result = 0;
	if (handle > cl_read(&log->appended)) return -EINVAL;
	if (!handle) return 0;
	cl_rows_flush_begin(&rows, log->logger, handle);
	bool covered = cl_durable(log) >= handle;
	cl_rows_flush_fast(&rows, covered);
	if (!covered) result = flush_slowly(log, handle, &rows);
	cl_rows_flush_end(&rows, result);
	return result;
}

WT_EXPORT int commitlog_flush_async(struct commitlog *log, uint64_t handle, commitlog_flushed *callback, void *context)
{
	return handle > cl_read(&log->appended) ? -EINVAL : cl_flush_async(log, handle, callback, context);
}

WT_EXPORT int commitlog_confirm(struct commitlog *log, struct commitlog_cid cid) { return cl_confirm(log, cid); }

WT_EXPORT int commitlog_replay(struct commitlog *log, commitlog_visit *visit, void *context,
                               struct commitlog_replay_summary *summary)
{
	struct wt_err err = {0};
	struct commitlog_replay_summary sum = {0};
	int result = cl_replay(log, visit, context, &sum, &err);
	if (summary) {
		*summary = sum;
		give_error(&summary->error, &err);
	}
	return result;
}

WT_EXPORT int commitlog_append_replay(struct commitlog *log, const struct commitlog_entry *entry, uint64_t *handle)
{
	if (handle) *handle = 0;
	return cl_append_replay(log, entry);
}

WT_EXPORT int commitlog_flush_replay(struct commitlog *log, uint64_t handle)
{
	(void)log;
	return handle ? -EINVAL : 0;
}

WT_EXPORT int commitlog_confirm_replay(struct commitlog *log, struct commitlog_cid cid)
{
	return cl_confirm_replay(log, cid);
}

WT_EXPORT int commitlog_finish_replay(struct commitlog *log) { return cl_finish_replay(log); }

WT_EXPORT int commitlog_checkpoint(struct commitlog *log, uint64_t *file_index)
{
	return cl_checkpoint(log, file_index);
}

WT_EXPORT int commitlog_checkpoint_of(struct commitlog *log, struct commitlog_cid cid, uint64_t *file_index)
{
	pthread_mutex_lock(&log->checkpoint_lock);
	const struct cl_live *live = cl_table_find(&log->checkpoints.table, cid);
	if (live) *file_index = live->newest;
	pthread_mutex_unlock(&log->checkpoint_lock);
	return live ? 0 : -ENOENT;
}

WT_EXPORT uint64_t commitlog_current_checkpoint(struct commitlog *log)
{
	pthread_mutex_lock(&log->checkpoint_lock);
	uint64_t next = (uint64_t)cl_checkpoints_current(&log->checkpoints)->index + 1;
	pthread_mutex_unlock(&log->checkpoint_lock);
	return next;
}

WT_EXPORT uint64_t commitlog_waiting_confirm_count(struct commitlog *log)
{
	pthread_mutex_lock(&log->checkpoint_lock);
	uint64_t count = log->checkpoints.table.count;
	pthread_mutex_unlock(&log->checkpoint_lock);
	return count;
}

WT_EXPORT uint64_t commitlog_append_total(struct commitlog *log) { return cl_read(&log->appended); }
WT_EXPORT uint64_t commitlog_confirm_total(struct commitlog *log) { return cl_read(&log->confirmed); }

static bool needs_replay(struct commitlog *log)
{
	pthread_mutex_lock(&log->checkpoint_lock);
	bool needs = log->checkpoints.unreplayed;
	pthread_mutex_unlock(&log->checkpoint_lock);
	return needs;
}

WT_EXPORT void commitlog_stats(struct commitlog *log, struct commitlog_stats *stats)
{
	*stats = (struct commitlog_stats){
		.options = log->options,
		.fallbacks = log->fallbacks,
		.failed = cl_failed(log),
		.appended = cl_read(&log->appended),
		.durable = cl_durable(log),
		.confirmed = cl_read(&log->confirmed),
		.waiting_confirm = commitlog_waiting_confirm_count(log),
		.batches = cl_read(&log->batches),
		.commit_syncs = cl_read(&log->syncs.commit),
		.other_syncs = cl_read(&log->syncs.other),
		.entry_bytes = cl_read(&log->entry_bytes),
		.written_bytes = cl_read(&log->written_bytes),
		.rotations = cl_read(&log->rotations),
		.backups = cl_read(&log->backups),
		.found_files = log->found.files,
		.found_blocks = log->found.blocks,
		.found_records = log->found.records,
		.torn_bytes = log->found.torn_bytes,
		.needs_replay = needs_replay(log),
	};
}

WT_EXPORT int commitlog_scan(const char *directory, enum commitlog_scan_files files, commitlog_visit *visit,
                             void *context, struct commitlog_scan_summary *summary, struct commitlog_error *error)
{
	struct wt_err err = {0};
	struct commitlog_scan_summary sum;
	int result = cl_scan(&wt_os_posix, directory, files, visit, context, &sum, &err);
	if (summary) *summary = sum;
	give_error(error, &err);
	return result;
}

WT_EXPORT int commitlog_inspect(const char *directory, enum commitlog_scan_files files, commitlog_visit_file *visit,
                                void *context, struct commitlog_error *error)
{
	struct wt_err err = {0};
	int result = cl_inspect(&wt_os_posix, directory, files, visit, context, &err);
	give_error(error, &err);
	return result;
}

WT_EXPORT int commitlog_repair(const char *from, const char *to, commitlog_visit_loss *visit, void *context,
                               struct commitlog_repair_summary *summary, struct commitlog_error *error)
{
	struct wt_err err = {0};
	struct commitlog_repair_summary sum;
	int result = cl_repair(&wt_os_posix, from, to, visit, context, &sum, &err);
	if (summary) *summary = sum;
	give_error(error, &err);
	return result;
}
