/* SPDX-License-Identifier: MIT */
/*
 * Flush with a delay timer, as the family of logs does it.
 *
 * Whoever finds no delayed commit pending becomes its owner and starts a timer for it. Then everyone, the owner too,
 * asks for the commit lock and decides there: covered meanwhile; the delayed commit it saw has ended (start again); the
 * block is at its limit (commit it: size owner); else wait for the batch. The delayed commit ends when the block that
 * holds its handle is taken, whoever takes it. Its timer still runs out later, finds its handle covered, and does
 * nothing: it goes by the handle, so it can't push out a younger batch.
 */
#include "wal/delay.h"

#include "wal/commit.h"
#include "wal/timer.h"

/* What a flush does once it has the commit lock. */
enum decision { COVERED, FAILED, RETRY, COMMIT, WAIT };

/* The delayed commit to join, started if there is none. Only for a handle that is still in the block being filled: so a
 * pending delayed commit always ends when that block is taken, and its timer never has to end it. Returns whether the
 * caller must commit by itself, because no timer could be started. */
static bool join_delay(struct commitlog *log, uint64_t handle, struct cl_flush_rows *rows, uint64_t *id)
{
	pthread_mutex_lock(&log->batch_mutex);
	bool owner = !log->delay.active && handle > log->taken && !cl_failed(log);
	if (owner) {
		log->delay.active = true;
		log->delay.id++;
	}
	*id = log->delay.id;
	pthread_mutex_unlock(&log->batch_mutex);
	return owner && cl_timer_start(log, handle, rows);
}

/* Commit lock and batch mutex held. */
static enum decision decide(const struct commitlog *log, uint64_t handle, uint64_t delay_id, bool force, int *result)
{
	if (cl_settled(log, handle, result)) return *result ? FAILED : COVERED;
	if (force) return COMMIT;
	if (!log->delay.active || log->delay.id != delay_id) return RETRY;
	return log->filling->used >= log->options.block_limit_bytes ? COMMIT : WAIT;
}

static enum waltrace_word word_of(enum decision decision)
{
	switch (decision) {
	case COVERED: return WALTRACE_W_FAST_PATH;
	case RETRY: return WALTRACE_W_RETRY_DELAY_OWNER_CHANGED;
	case WAIT: return WALTRACE_W_WAITER_REGISTERED;
	default: return WALTRACE_W_SYNC_ERROR;
	}
}

/* One attempt. Returns the decision; with WAIT the wait is over and *result is known. */
static enum decision attempt(struct commitlog *log, uint64_t handle, bool force, struct cl_flush_rows *rows,
                             int *result)
{
	uint64_t delay_id;
	struct waltrace_span lock;
	enum waltrace_word outcome;
	force |= join_delay(log, handle, rows, &delay_id);
	cl_rows_lock_wait(&lock, &rows->root, log, WALTRACE_W_REQUEST, handle);
	pthread_mutex_lock(&log->batch_mutex);
	cl_commit_lock(log);
	cl_rows_lock_acquired(&lock, log);
	enum decision decision = decide(log, handle, delay_id, force, result);
	/* Joined before the lock is free, so that the batch can't be committed without its joiner. */
	uint32_t generation = decision == WAIT ? cl_join(log, handle) : 0;
	struct cl_block *block = decision == COMMIT ? cl_take_filled(log) : NULL;
	pthread_mutex_unlock(&log->batch_mutex);
	if (decision == COMMIT) {
		*result = cl_commit_block(log, block, &lock, WALTRACE_W_REQUEST, true, &outcome);
		cl_rows_lock_end(&lock, outcome, *result);
		return decision;
	}
	waltrace_span_releasing(&lock);
	cl_commit_unlock(log);
	cl_rows_lock_end(&lock, word_of(decision), decision == FAILED ? *result : 0);
	if (decision == WAIT) *result = cl_wait_batch(log, handle, generation, rows);
	return decision;
}

int cl_flush_delayed(struct commitlog *log, uint64_t handle, struct cl_flush_rows *rows)
{
	int result;
	for (int retries = 0;; retries++)
		if (attempt(log, handle, retries >= CL_DELAY_RETRIES_MAX, rows, &result) != RETRY) return result;
}

int cl_delayed_commit(struct commitlog *log, uint64_t handle, struct waltrace_span *timer)
{
	struct waltrace_span lock;
	enum waltrace_word outcome = WALTRACE_W_FAST_PATH;
	int result;
	if (cl_durable(log) >= handle) return 0;
	cl_rows_lock_wait(&lock, timer, log, WALTRACE_W_TIMER, handle);
	pthread_mutex_lock(&log->batch_mutex);
	cl_commit_lock(log);
	cl_rows_lock_acquired(&lock, log);
	bool over = cl_settled(log, handle, &result);
	struct cl_block *block = over ? NULL : cl_take_filled(log);
	pthread_mutex_unlock(&log->batch_mutex);
	if (over) {
		waltrace_span_releasing(&lock);
		cl_commit_unlock(log);
		if (result) outcome = WALTRACE_W_SYNC_ERROR;
	} else {
		result = cl_commit_block(log, block, &lock, WALTRACE_W_TIMER, true, &outcome);
	}
	cl_rows_lock_end(&lock, outcome, result);
	return result;
}
