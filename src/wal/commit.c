/* SPDX-License-Identifier: MIT */
/*
 * Batches: how records become durable, many with one fdatasync.
 *
 * Two blocks take turns: appends fill one while the other is written. Who writes is who holds the commit lock, a flag
 * under batch_mutex; nobody else touches log->file. What may wait for what:
 *
 *   checkpoint_lock   held by append (short), confirm and rotation (as long as its I/O). Never asked for by a flush.
 *   commit lock       held over write + fdatasync; a rotation holds it inside checkpoint_lock.
 *   batch_mutex       held for a copy into the block or a few assignments, never over I/O or a wake-up's system call.
 *   turn              the word on which flushes sleep, without any lock. A sleeper reads it under batch_mutex together
 *                     with the state that makes it wait; whoever changes that state changes the word under the same
 *                     mutex before waking. So a wake-up between unlock and sleep isn't lost: the word differs.
 *
 * Without a timer a flush that finds the commit lock taken joins its batch and sleeps; the leader, when its batch is
 * durable, frees the lock, wakes one joiner of the next batch, who leads it, and then its own batch. A newcomer may
 * take the free lock before that joiner runs: the disk needn't idle while a thread is being woken, and the joiner's
 * record is in the newcomer's batch. Progress: every release wakes one who waits for the lock or else one joiner.
 *
 * durable is stored (release) before the batch is woken, so a flush that sees its handle covered needs no lock.
 * After a failed write or sync `failed` is set before anybody is woken, and never cleared: nothing becomes durable any
 * more. A handle that was durable before stays so.
 */
#include "wal/commit.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "wal/collector.h"
#include "wal/wake.h"

/* ---- Appending ---------------------------------------------------------------------------------------------- */

static int make_room(struct cl_block *block, size_t n)
{
	size_t need = block->used + n + CL_TRAILER_BYTES;
	if (need <= block->capacity) return 0;
	size_t capacity = block->capacity ? block->capacity : CL_BLOCK_START_BYTES;
	while (capacity < need) capacity *= 2;
	uint8_t *bytes = realloc(block->bytes, capacity);
	if (!bytes) return -ENOMEM;
	block->bytes = bytes;
	block->capacity = capacity;
	return 0;
}

static int append_entry(struct commitlog *log, struct commitlog_cid cid, const void *payload, size_t n,
                        uint64_t *handle)
{
	struct cl_block *block = log->filling;
	size_t entry_bytes = CL_COMMIT_OVERHEAD + n;
	int result = cl_failed(log);
	if (result) return result;
	if (block->used + log->writing->used + entry_bytes > COMMITLOG_MAX_UNFLUSHED) return -EAGAIN;
	result = make_room(block, entry_bytes);
	if (result) return result;
	cl_put_commit(block->bytes + block->used, cid, payload, n);
	block->used += entry_bytes;
	*handle = cl_read(&log->appended) + 1;
	block->last = *handle;
	atomic_store_explicit(&log->appended, *handle, memory_order_relaxed);
	return 0;
}

int cl_block_append(struct commitlog *log, struct commitlog_cid cid, const void *payload, size_t n, uint64_t *handle,
                    struct cl_append_rows *rows)
{
	uint64_t asked_ns = waltrace_op_now(&rows->op);
	waltrace_span_set(&rows->root, WALTRACE_APPEND_START_NS, asked_ns);
	pthread_mutex_lock(&log->batch_mutex);
	uint64_t locked_ns = waltrace_op_now(&rows->op);
	int result = append_entry(log, cid, payload, n, handle);
	uint64_t end_ns = waltrace_op_now(&rows->op);
	pthread_mutex_unlock(&log->batch_mutex);
	waltrace_span_set(&rows->root, WALTRACE_CURRENT_LOCK_WAIT_NS, locked_ns - asked_ns);
	waltrace_span_set(&rows->root, WALTRACE_MEMORY_APPEND_NS, end_ns - locked_ns);
	waltrace_span_set(&rows->root, WALTRACE_APPEND_END_NS, end_ns);
	return result;
}

/* ---- The commit lock ---------------------------------------------------------------------------------------- */

/* Whom to wake once batch_mutex is free. */
struct wake {
	bool lock_waiter;
	bool next;           /* a joiner of the next batch, to lead it */
	uint32_t batch_bits; /* groups whose batch has ended; 0: none */
	uint32_t next_bits;
};

void cl_commit_lock(struct commitlog *log)
{
	while (log->commit_locked) {
		log->lock_waiters++;
		pthread_cond_wait(&log->lock_free, &log->batch_mutex);
		log->lock_waiters--;
	}
	log->commit_locked = true;
}

static void pass_turn(struct commitlog *log) { atomic_fetch_add_explicit(&log->turn, 1, memory_order_relaxed); }

/* Batch mutex held. In timer mode no joiner leads: the timer or a size owner comes. */
static void release(struct commitlog *log, struct wake *wake)
{
	log->commit_locked = false;
	if (log->logger) log->free_ns = waltrace_now();
	pass_turn(log);
	wake->lock_waiter = log->lock_waiters > 0;
	wake->next = !wake->lock_waiter && !log->timers && log->filling->joiners > 0;
	wake->next_bits = cl_group_bit(log->generation);
}

static void wake_up(struct commitlog *log, const struct wake *wake)
{
	if (wake->lock_waiter) pthread_cond_signal(&log->lock_free);
	if (wake->next) cl_wake(&log->turn, 1, wake->next_bits);
	if (wake->batch_bits) cl_wake(&log->turn, CL_WAKE_ALL, wake->batch_bits);
}

void cl_commit_unlock(struct commitlog *log)
{
	struct wake wake = {0};
	pthread_mutex_lock(&log->batch_mutex);
	release(log, &wake);
	pthread_mutex_unlock(&log->batch_mutex);
	wake_up(log, &wake);
}

/* ---- Committing a block ------------------------------------------------------------------------------------- */

struct cl_block *cl_take_filled(struct commitlog *log)
{
	struct cl_block *block = log->filling;
	if (cl_failed(log) || !block->used) return NULL;
	log->filling = log->writing;
	log->writing = block;
	log->generation++;
	log->taken = block->last;
	log->delay.active = false; /* its handle can only be in this block */
	return block;
}

static int write_block(struct commitlog *log, struct cl_block *block, struct waltrace_span *lock,
                       enum waltrace_word trigger)
{
	struct waltrace_span sync;
	size_t n = block->used + CL_TRAILER_BYTES;
	uint64_t polls = 0;
	waltrace_span_child(&sync, lock, WALTRACE_KIND_SYNC_CALL, trigger, WALTRACE_FIELDS);
	waltrace_span_stage(lock, WALTRACE_STAGE_SYNCING);
	waltrace_span_begin(&sync);
	cl_put_trailer(block->bytes, block->used, log->os->wall_ms(log->os));
	int result = cl_file_write(log->os, &log->file, block->bytes, n, &polls, &log->syncs);
	waltrace_span_result(&sync, result);
	waltrace_span_set(&sync, WALTRACE_BLOCK_BYTES, block->used);
	waltrace_span_set(&sync, WALTRACE_BATCH_MAX_LOG_UID, block->last);
	waltrace_span_set(&sync, WALTRACE_WRITTEN_BYTES, n);
	waltrace_span_set(&sync, WALTRACE_POLL_COUNT, polls);
	waltrace_span_end(&sync);
	if (result) return result;
	atomic_store_explicit(&log->file_bytes, log->file.bytes, memory_order_relaxed);
	cl_add(&log->batches, 1);
	cl_add(&log->entry_bytes, block->used);
	cl_add(&log->written_bytes, n);
	cl_collector_file_grew(log);
	return 0;
}

/* Ends the batch: from here on its flushes return. Batch mutex held. Returns how many there are. */
static uint32_t settle(struct commitlog *log, struct cl_block *block, int result, struct wake *wake)
{
	uint32_t joiners = block->joiners;
	if (result) {
		atomic_store_explicit(&log->failed, result, memory_order_release);
		wake->batch_bits = CL_WAKE_EVERY_GROUP;
	} else {
		atomic_store_explicit(&log->durable, block->last, memory_order_release);
		wake->batch_bits = joiners ? cl_group_bit(log->generation - 1) : 0;
	}
	pass_turn(log);
	block->used = 0;
	block->joiners = 0;
	if (block->capacity > CL_BLOCK_KEEP_BYTES) {
		free(block->bytes);
		block->bytes = NULL;
		block->capacity = 0;
	}
	log->last_joiners = joiners;
	return joiners;
}

static void finish_batch(struct commitlog *log, struct cl_block *block, int result, struct waltrace_span *lock,
                         bool unlock)
{
	struct wake wake = {0};
	uint64_t start_ns = waltrace_span_id(lock) ? waltrace_now() : 0;
	waltrace_span_stage(lock, WALTRACE_STAGE_WAKING);
	if (unlock) waltrace_span_releasing(lock);
	pthread_mutex_lock(&log->batch_mutex);
	uint32_t joiners = settle(log, block, result, &wake);
	if (unlock) release(log, &wake);
	pthread_mutex_unlock(&log->batch_mutex);
	wake_up(log, &wake);
	if (!waltrace_span_id(lock)) return;
	waltrace_span_set(lock, WALTRACE_NOTIFY_START_NS, start_ns);
	waltrace_span_set(lock, WALTRACE_NOTIFY_TOTAL_NS, waltrace_now() - start_ns);
	waltrace_span_set(lock, WALTRACE_NOTIFY_TARGET_COUNT, joiners);
	waltrace_span_set(lock, WALTRACE_NOTIFY_COMPLETED_COUNT, joiners);
	waltrace_span_set(lock, WALTRACE_NOTIFY_SEND_FAILED_COUNT, 0);
}

int cl_commit_block(struct commitlog *log, struct cl_block *block, struct waltrace_span *lock,
                    enum waltrace_word trigger, bool unlock, enum waltrace_word *outcome)
{
	if (!block) {
		int result = cl_failed(log);
		if (unlock) {
			waltrace_span_releasing(lock);
			cl_commit_unlock(log);
		}
		*outcome = result ? WALTRACE_W_SYNC_ERROR : WALTRACE_W_EMPTY_OWNER;
		return result;
	}
	int result = write_block(log, block, lock, trigger);
	finish_batch(log, block, result, lock, unlock);
	*outcome = result ? WALTRACE_W_SYNC_ERROR : WALTRACE_W_OWNER_SUCCESS;
	return result;
}

/* ---- Flushing ----------------------------------------------------------------------------------------------- */

bool cl_settled(const struct commitlog *log, uint64_t handle, int *result)
{
	*result = 0;
	if (cl_durable(log) >= handle) return true;
	*result = cl_failed(log);
	return *result != 0;
}

uint32_t cl_join(struct commitlog *log, uint64_t handle)
{
	bool is_taken = handle <= log->taken;
	struct cl_block *block = is_taken ? log->writing : log->filling;
	block->joiners++;
	return is_taken ? log->generation - 1 : log->generation;
}

/* Sleeps until something happened that may concern `generation`. Batch mutex held; returns without. */
static void sleep_a_turn(struct commitlog *log, uint32_t generation)
{
	uint32_t seen = atomic_load_explicit(&log->turn, memory_order_relaxed);
	pthread_mutex_unlock(&log->batch_mutex);
	cl_wait(&log->turn, seen, cl_group_bit(generation));
}

static enum waltrace_word wait_outcome(int result) { return result ? WALTRACE_W_ERROR : WALTRACE_W_COVERED; }

int cl_wait_batch(struct commitlog *log, uint64_t handle, uint32_t generation, struct cl_flush_rows *rows)
{
	int result;
	cl_rows_wait_begin(rows);
	pthread_mutex_lock(&log->batch_mutex);
	while (!cl_settled(log, handle, &result)) {
		sleep_a_turn(log, generation);
		pthread_mutex_lock(&log->batch_mutex);
	}
	pthread_mutex_unlock(&log->batch_mutex);
	cl_rows_wait_end(rows, wait_outcome(result));
	return result;
}

/* With others about to come, giving them a moment makes the batch larger; alone, it would only cost. A large batch
 * needs no others. last_joiners belongs to the commit lock's holder. */
static void let_queue_grow(struct commitlog *log)
{
	if (log->last_joiners < 2) return;
	uint64_t before, now = cl_read(&log->appended);
	int yields = 0;
	do {
		before = now;
		sched_yield();
		now = cl_read(&log->appended);
	} while (now > before && ++yields < CL_YIELDS_MAX);
}

/* Leads a batch. Commit lock held since `free_ns` or later. Until the block is taken, waking up and giving others a
 * moment included, the leader counts as waiting for the lock: nothing is being written yet, and its batch waits, too. */
static int lead(struct commitlog *log, uint64_t handle, bool small, uint64_t free_ns, struct cl_flush_rows *rows)
{
	struct waltrace_span lock;
	enum waltrace_word outcome;
	cl_rows_lock_wait(&lock, &rows->root, log, WALTRACE_W_REQUEST, handle);
	if (free_ns) cl_rows_lock_since(&lock, rows, free_ns);
	if (small) let_queue_grow(log);
	pthread_mutex_lock(&log->batch_mutex);
	struct cl_block *block = cl_take_filled(log);
	pthread_mutex_unlock(&log->batch_mutex);
	cl_rows_lock_acquired(&lock, log);
	int result = cl_commit_block(log, block, &lock, WALTRACE_W_REQUEST, true, &outcome);
	cl_rows_lock_end(&lock, outcome, result);
	return result;
}

/* Takes the lead if it is free. Batch mutex held. */
static bool try_lead(struct commitlog *log)
{
	if (log->commit_locked || log->lock_waiters) return false;
	log->commit_locked = true;
	return true;
}

int cl_flush_leading(struct commitlog *log, uint64_t handle, struct cl_flush_rows *rows)
{
	int result;
	bool joined = false;
	uint32_t generation = 0;
	pthread_mutex_lock(&log->batch_mutex);
	while (!cl_settled(log, handle, &result)) {
		if (try_lead(log)) {
			/* Nothing is being written and the handle isn't durable: it is in the block to be taken. */
			if (joined) log->filling->joiners--;
			bool small = log->filling->used < CL_YIELD_BYTES_MAX;
			uint64_t free_ns = log->free_ns;
			pthread_mutex_unlock(&log->batch_mutex);
			cl_rows_wait_end(rows, WALTRACE_W_PROMOTED);
			result = lead(log, handle, small, free_ns, rows);
			goto out;
		}
		if (!joined) {
			generation = cl_join(log, handle);
			joined = true;
			cl_rows_wait_begin(rows);
		}
		sleep_a_turn(log, generation);
		if (cl_durable(log) >= handle) {
			result = 0;
			goto out;
		}
		pthread_mutex_lock(&log->batch_mutex);
	}
	pthread_mutex_unlock(&log->batch_mutex);
out:
	cl_rows_wait_end(rows, wait_outcome(result));
	return result;
}

void cl_blocks_free(struct commitlog *log)
{
	free(log->block[0].bytes);
	free(log->block[1].bytes);
}
