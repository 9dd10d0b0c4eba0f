/* SPDX-License-Identifier: MIT */
/*
 * Replay: what open found is given to the caller, who says what is still needed.
 *
 *   none -> running -> read -> finished      commitlog_replay takes it to `read`, commitlog_finish_replay from there
 *            |  ^                            to `finished`. A replay that fails leaves `none`, and can be begun anew.
 *            v  |
 *            none
 *
 * The files that are read lie below log->first_own: nobody writes them, and none of them can become a .bak before
 * finish. So they are read without any lock; the callback may use the log, and others may append meanwhile. Only one
 * window of one file is in memory. The state, registrations and buffered confirms are under the checkpoint lock.
 */
#include "wal/replay.h"

#include <errno.h>
#include <string.h>

#include "wal/names.h"
#include "wal/retire.h"
#include "wal/rotate.h"
#include "wal/scan.h"

/* ---- Reading ------------------------------------------------------------------------------------------------ */

/* What was appended before the replay lies in an older file than what is appended during it. */
static bool has_own_records(const struct commitlog *log)
{
	return cl_read(&log->file_bytes) || cl_read(&log->appended) > cl_durable(log);
}

static int begin(struct commitlog *log, struct waltrace_op *op, struct waltrace_span *root, struct wt_err *err)
{
	if (log->replay == CL_REPLAY_RUNNING)
		return wt_err_set(err, -EBUSY, "%s: a replay is under way", log->directory);
	if (log->replay == CL_REPLAY_FINISHED)
		return wt_err_set(err, -EALREADY, "%s: the replay was finished: open the log anew", log->directory);
	if (!cl_failed(log) && has_own_records(log)) {
		int result = cl_rotate_for_replay(log, op, root);
		if (result)
			return wt_err_set(err, result, "%s: can't begin a file: %s", log->directory, strerror(-result));
	}
	log->replay = CL_REPLAY_RUNNING;
	log->checkpoints.unreplayed = true; /* files without records, too, stay while they are read */
	return 0;
}

static void end(struct commitlog *log, int result)
{
	pthread_mutex_lock(&log->checkpoint_lock);
	log->replay = result ? CL_REPLAY_NONE : CL_REPLAY_READ;
	log->checkpoints.unreplayed = log->found.records > 0;
	pthread_mutex_unlock(&log->checkpoint_lock);
}

struct reading {
	commitlog_visit *visit;
	void *context;
	struct commitlog_replay_summary *sum;
};

static int give(void *context, const struct commitlog_entry *entry)
{
	struct reading *reading = context;
	reading->sum->records++;
	reading->sum->bytes += entry->value_bytes + COMMITLOG_REPLAY_RECORD_BYTES;
	return reading->visit ? reading->visit(reading->context, entry) : 0;
}

/* *visited: what the callback ended it with. */
static int read_file(struct commitlog *log, const struct cl_name *name, struct reading *reading, int *visited,
                     struct wt_err *err)
{
	struct cl_walk walk;
	int result = cl_scan_file(log->os, log->directory, name, give, reading, &walk, visited, err);
	if (result) return result;
	reading->sum->files++;
	bool bad = walk.tail == CL_TAIL_DAMAGED || walk.tail == CL_TAIL_TORN; /* it was whole when the log was opened */
	return bad ? cl_say_damage(err, log->directory, name->text, &walk) : 0;
}

static int read_all(struct commitlog *log, struct reading *reading, struct wt_err *err)
{
	struct cl_names names;
	int visited = 0, result = cl_names_read(log->os, log->directory, &names, err);
	for (size_t i = 0; !result && i < names.count; i++) {
		const struct cl_name *name = &names.list[i];
		if (!name->backup && name->index < log->first_own)
			result = read_file(log, name, reading, &visited, err);
	}
	cl_names_free(&names);
	return visited ? visited : result;
}

int cl_replay(struct commitlog *log, commitlog_visit *visit, void *context, struct commitlog_replay_summary *sum,
              struct wt_err *err)
{
	struct waltrace_op op;
	struct waltrace_span root;
	struct reading reading = {.visit = visit, .context = context, .sum = sum};
	waltrace_op_begin(&op, log->logger, WALTRACE_KIND_REPLAY);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_word(&root, WALTRACE_MODE, visit ? WALTRACE_W_READ_EXT : WALTRACE_W_READ);
	pthread_mutex_lock(&log->checkpoint_lock);
	int result = begin(log, &op, &root, err);
	pthread_mutex_unlock(&log->checkpoint_lock);
	if (!result) {
		result = read_all(log, &reading, err);
		end(log, result);
	}
	waltrace_span_set(&root, WALTRACE_RETURNED_RECORDS, sum->records);
	waltrace_span_set(&root, WALTRACE_RETURNED_BYTES, sum->bytes);
	if (result > 0) waltrace_span_error_kind(&root, WALTRACE_E_OTHER);
	else waltrace_span_result(&root, result);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
	return result;
}

/* ---- What is still needed ----------------------------------------------------------------------------------- */

/* Checkpoint lock held. */
static bool takes_replayed(const struct commitlog *log)
{
	return log->replay == CL_REPLAY_RUNNING || log->replay == CL_REPLAY_READ;
}

int cl_append_replay(struct commitlog *log, const struct commitlog_entry *entry)
{
	if (entry->key_bytes != CL_CID_BYTES || entry->file_index >= log->first_own) return -EINVAL;
	pthread_mutex_lock(&log->checkpoint_lock);
	int result = takes_replayed(log) ? cl_table_reserve(&log->checkpoints.table) : -EINVAL;
	if (!result && !cl_checkpoints_register_found(&log->checkpoints, entry->cid, (uint32_t)entry->file_index))
		result = -EINVAL;
	pthread_mutex_unlock(&log->checkpoint_lock);
	return result;
}

int cl_confirm_replay(struct commitlog *log, struct commitlog_cid cid)
{
	struct waltrace_op op;
	struct waltrace_span root;
	waltrace_op_begin(&op, log->logger, WALTRACE_KIND_ROOT_CONFIRM);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_cid(&root, cid.high, cid.low);
	waltrace_span_word(&root, WALTRACE_MODE, WALTRACE_W_REPLAY_BUFFERED);
	pthread_mutex_lock(&log->checkpoint_lock);
	int result = takes_replayed(log) ? 0 : -EINVAL;
	bool found = !result && cl_checkpoints_buffer_confirm(&log->checkpoints, cid);
	pthread_mutex_unlock(&log->checkpoint_lock);
	if (!result) waltrace_span_set(&root, WALTRACE_REGISTRATION_FOUND, found);
	waltrace_span_result(&root, result);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
	return result;
}

/* ---- Finish ------------------------------------------------------------------------------------------------- */

/* Checkpoint lock held. */
static int finish(struct commitlog *log, struct waltrace_op *op, struct waltrace_span *root)
{
	struct cl_checkpoints *cp = &log->checkpoints;
	if (log->replay == CL_REPLAY_RUNNING) return -EBUSY;
	if (log->replay == CL_REPLAY_NONE) return -EINVAL;
	waltrace_span_set(root, WALTRACE_BUFFERED_AT_START, cp->confirming);
	uint64_t applied = cl_checkpoints_apply_confirms(cp);
	waltrace_span_set(root, WALTRACE_CONFIRM_OK_COUNT, applied);
	cl_add(&log->confirmed, applied);
	log->replay = CL_REPLAY_FINISHED;
	cp->unreplayed = false;
	return cl_retire(log, op, waltrace_span_id(root), WALTRACE_W_REPLAY_EMPTY_CLEANUP);
}

/* Renames what the finish had no more room for in its own operation. */
static int retire_rest(struct commitlog *log)
{
	int result = 0;
	bool more = true;
	while (!result && more) {
		struct waltrace_op op;
		op.logger = NULL;
		pthread_mutex_lock(&log->checkpoint_lock);
		more = cl_checkpoints_drained(&log->checkpoints) > 0;
		if (more) {
			waltrace_op_begin(&op, log->logger, WALTRACE_KIND_MAINTENANCE);
			result = cl_retire(log, &op, 0, WALTRACE_W_REPLAY_EMPTY_CLEANUP);
		}
		pthread_mutex_unlock(&log->checkpoint_lock);
		waltrace_op_end(&op);
	}
	return result;
}

int cl_finish_replay(struct commitlog *log)
{
	struct waltrace_op op;
	struct waltrace_span root;
	waltrace_op_begin(&op, log->logger, WALTRACE_KIND_REPLAY);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_word(&root, WALTRACE_MODE, WALTRACE_W_FINISH);
	pthread_mutex_lock(&log->checkpoint_lock);
	int result = finish(log, &op, &root);
	pthread_mutex_unlock(&log->checkpoint_lock);
	waltrace_span_result(&root, result);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
	return result ? result : retire_rest(log);
}
