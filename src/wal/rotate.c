/* SPDX-License-Identifier: MIT */
/*
 * Rotation. Under checkpoint_lock nothing is appended or confirmed, so that these are one step for everyone:
 * the pending block goes to the old file, the new file is made, the old one is cut to its true length, transactions
 * register with the new one. The new file's name is durable before the old file is cut: should anything fail before
 * that, the old file goes on as if nothing had been. A crash in between leaves an empty last file behind a whole one.
 */
#include "wal/rotate.h"

#include <errno.h>
#include <string.h>

#include "wal/collector.h"
#include "wal/commit.h"
#include "wal/names.h"
#include "wal/retire.h"
#include "wal/rows.h"

uint64_t cl_fill_bytes(const struct commitlog *log)
{
	const struct commitlog_options *o = &log->options;
	uint64_t fill = o->prefill_bytes < o->checkpoint_limit_bytes ? o->prefill_bytes : o->checkpoint_limit_bytes;
	/* A file passes its limit by the last batch, for which it needn't be extended. */
	return fill ? fill + CL_FILL_SLICE_BYTES : 0;
}

static int make_next(struct commitlog *log, uint32_t index, struct cl_file *next)
{
	bool prefill = log->options.prefill_bytes > 0;
	uint64_t fill;
	if (index > CL_LAST_INDEX) return -EOVERFLOW;
	int fd = cl_collector_take_spare(log, &fill);
	if (fd >= 0) return cl_spare_link(log->os, log->directory, index, fd, fill, prefill, next, &log->syncs);
	return cl_file_create(log->os, log->directory, index, prefill, next, &log->syncs);
}

/* The failure of a sync or cut of a file with acknowledged records is for good. Commit lock held. */
static void fail(struct commitlog *log, int result)
{
	pthread_mutex_lock(&log->batch_mutex);
	if (!cl_failed(log)) atomic_store_explicit(&log->failed, result, memory_order_release);
	pthread_mutex_unlock(&log->batch_mutex);
}

static int split(struct commitlog *log)
{
	struct cl_file next;
	int result = cl_checkpoints_reserve(&log->checkpoints);
	if (!result) result = make_next(log, log->file.index + 1, &next);
	if (result) return result;
	result = cl_file_finish(log->os, &log->file, &log->syncs);
	if (result) {
		fail(log, result);
		cl_file_discard(log->os, &next);
		return result;
	}
	log->file = next;
	log->spare_asked = false;
	atomic_store_explicit(&log->file_bytes, 0, memory_order_relaxed);
	return 0;
}

static int recorded_split(struct commitlog *log, struct waltrace_span *parent, enum waltrace_word trigger)
{
	struct waltrace_span row;
	uint32_t old_index = log->file.index;
	waltrace_span_child(&row, parent, WALTRACE_KIND_FILE_SPLIT, trigger, WALTRACE_FIELDS);
	waltrace_span_path(&row, 0, log->file.path, strlen(log->file.path));
	waltrace_span_begin(&row);
	int result = split(log);
	waltrace_span_result(&row, result);
	if (!result) waltrace_span_path(&row, 1, log->file.path, strlen(log->file.path));
	waltrace_span_set(&row, WALTRACE_OLD_FILE_INDEX, old_index);
	waltrace_span_set(&row, WALTRACE_NEW_FILE_INDEX, old_index + 1);
	waltrace_span_set(&row, WALTRACE_MARK_OLD_CONFIRMED, !cl_checkpoints_current(&log->checkpoints)->count);
	waltrace_span_end(&row);
	return result;
}

/* Commits the pending block under the commit lock, which stays taken. */
static int commit_pending(struct commitlog *log, struct waltrace_span *rotation, struct waltrace_span *lock,
                          enum waltrace_word *outcome)
{
	cl_rows_lock_wait(lock, rotation, log, WALTRACE_W_CHECKPOINT, 0);
	pthread_mutex_lock(&log->batch_mutex);
	cl_commit_lock(log);
	cl_rows_lock_acquired(lock, log);
	struct cl_block *block = cl_take_filled(log);
	pthread_mutex_unlock(&log->batch_mutex);
	uint64_t start_ns = waltrace_span_id(rotation) ? waltrace_now() : 0, pending = block ? block->last : 0;
	int result = cl_commit_block(log, block, lock, WALTRACE_W_CHECKPOINT, false, outcome);
	if (!waltrace_span_id(rotation)) return result;
	if (pending) waltrace_span_set(rotation, WALTRACE_PENDING_LOG_UID, pending);
	waltrace_span_set(rotation, WALTRACE_PENDING_COMMIT_NS, waltrace_now() - start_ns);
	waltrace_span_word(rotation, WALTRACE_PENDING_COMMIT_OUTCOME, *outcome);
	return result;
}

/* Checkpoint lock held. `rotation` was opened by the caller, and is inactive if `parent` is another span. */
static int rotate_inside(struct commitlog *log, struct waltrace_span *rotation, struct waltrace_span *parent,
                         enum waltrace_word trigger)
{
	struct waltrace_span lock;
	enum waltrace_word outcome;
	waltrace_span_set(rotation, WALTRACE_CHECKPOINT_PENDING_BEFORE,
	                  cl_checkpoints_current(&log->checkpoints)->count);
	waltrace_span_set(rotation, WALTRACE_OLD_FILE_INDEX, log->file.index);
	waltrace_span_word(rotation, WALTRACE_LAST_STAGE, WALTRACE_W_PENDING_COMMIT);
	int result = commit_pending(log, rotation, &lock, &outcome);
	if (!result) {
		waltrace_span_stage(&lock, WALTRACE_STAGE_AFTER_SYNC);
		waltrace_span_word(rotation, WALTRACE_LAST_STAGE, WALTRACE_W_SPLIT);
		result = recorded_split(log, parent, trigger);
		if (result) outcome = WALTRACE_W_ROTATE_ERROR;
	}
	if (!result) {
		waltrace_span_word(rotation, WALTRACE_LAST_STAGE, WALTRACE_W_PUBLISH_CHECKPOINT);
		cl_checkpoints_begin(&log->checkpoints, log->file.index);
		waltrace_span_set(rotation, WALTRACE_NEW_FILE_INDEX, log->file.index);
		cl_add(&log->rotations, 1);
	}
	waltrace_span_releasing(&lock);
	cl_commit_unlock(log);
	cl_rows_lock_end(&lock, outcome, result);
	waltrace_span_result(rotation, result);
	return result;
}

static int rotate(struct commitlog *log, struct waltrace_span *rotation, enum waltrace_word trigger)
{
	return rotate_inside(log, rotation, rotation, trigger);
}

int cl_rotate_for_replay(struct commitlog *log, struct waltrace_op *op, struct waltrace_span *root)
{
	struct waltrace_span none;
	waltrace_op_root(op, &none); /* opened before: inactive */
	return rotate_inside(log, &none, root, WALTRACE_W_REPLAY);
}

static bool over_limit(const struct commitlog *log)
{
	return cl_read(&log->file_bytes) >= log->options.checkpoint_limit_bytes && !cl_failed(log);
}

/* A rotation that nobody's confirm asked for: a maintenance operation of its own. Checkpoint lock held. */
static int rotate_alone(struct commitlog *log, struct waltrace_op *op, enum waltrace_word trigger)
{
	struct waltrace_span rotation;
	waltrace_span_open(&rotation, op, WALTRACE_KIND_CHECKPOINT_ROTATION, 0, trigger);
	waltrace_span_begin(&rotation);
	int result = rotate(log, &rotation, trigger);
	uint64_t id = waltrace_span_id(&rotation);
	waltrace_span_end(&rotation);
	if (!result) cl_retire(log, op, id, WALTRACE_W_CONFIRM_CLEANUP);
	return result;
}

int cl_checkpoint(struct commitlog *log, uint64_t *file_index)
{
	struct waltrace_op op;
	int result = cl_failed(log);
	if (result) return result;
	waltrace_op_begin(&op, log->logger, WALTRACE_KIND_MAINTENANCE);
	pthread_mutex_lock(&log->checkpoint_lock);
	result = rotate_alone(log, &op, WALTRACE_W_EXPLICIT_APPEND_CHECKPOINT);
	if (!result && file_index) *file_index = cl_checkpoints_current(&log->checkpoints)->index;
	pthread_mutex_unlock(&log->checkpoint_lock);
	waltrace_op_end(&op);
	return result;
}

void cl_collect(struct commitlog *log)
{
	struct waltrace_op op;
	op.logger = NULL;
	pthread_mutex_lock(&log->checkpoint_lock);
	bool rotates = over_limit(log), retires = cl_checkpoints_drained(&log->checkpoints) > 0;
	if (rotates || retires) waltrace_op_begin(&op, log->logger, WALTRACE_KIND_MAINTENANCE);
	/* An error shows in the record, and to the next who asks for a checkpoint. */
	if (rotates) rotate_alone(log, &op, WALTRACE_W_BACKGROUND_SIZE_LIMIT);
	else if (retires) cl_retire(log, &op, 0, WALTRACE_W_CONFIRM_CLEANUP);
	pthread_mutex_unlock(&log->checkpoint_lock);
	waltrace_op_end(&op);
}

static int rotate_for_confirm(struct commitlog *log, struct waltrace_span *root)
{
	struct waltrace_span rotation;
	bool drained = !cl_checkpoints_current(&log->checkpoints)->count;
	enum waltrace_word trigger = drained ? WALTRACE_W_CONFIRM_CHECKPOINT_DRAINED : WALTRACE_W_CONFIRM_SIZE_LIMIT;
	waltrace_span_child(&rotation, root, WALTRACE_KIND_CHECKPOINT_ROTATION, trigger, WALTRACE_ROTATION_ID_1);
	waltrace_span_begin(&rotation);
	int result = rotate(log, &rotation, trigger);
	waltrace_span_end(&rotation);
	return result;
}

static int confirm_locked(struct commitlog *log, struct commitlog_cid cid, struct waltrace_op *op,
                          struct waltrace_span *root)
{
	uint64_t before;
	bool found = cl_checkpoints_confirm(&log->checkpoints, cid, &before);
	waltrace_span_set(root, WALTRACE_REGISTRATION_FOUND, found);
	if (!found) return 0;
	waltrace_span_set(root, WALTRACE_CHECKPOINT_PENDING_BEFORE, before);
	cl_add(&log->confirmed, 1);
	int result = over_limit(log) ? rotate_for_confirm(log, root) : 0;
	if (!cl_checkpoints_drained(&log->checkpoints)) return result;
	int retired = cl_retire(log, op, waltrace_span_id(root), WALTRACE_W_CONFIRM_CLEANUP);
	return result ? result : retired;
}

int cl_confirm(struct commitlog *log, struct commitlog_cid cid)
{
	struct waltrace_op op;
	struct waltrace_span root;
	waltrace_op_begin(&op, log->logger, WALTRACE_KIND_ROOT_CONFIRM);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_cid(&root, cid.high, cid.low);
	waltrace_span_word(&root, WALTRACE_MODE, WALTRACE_W_NORMAL);
	pthread_mutex_lock(&log->checkpoint_lock);
	int result = confirm_locked(log, cid, &op, &root);
	pthread_mutex_unlock(&log->checkpoint_lock);
	waltrace_span_result(&root, result);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
	return result;
}
