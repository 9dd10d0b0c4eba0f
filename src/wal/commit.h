/* SPDX-License-Identifier: MIT */
#ifndef CL_COMMIT_H
#define CL_COMMIT_H

#include "wal/log.h"
#include "wal/rows.h"

/* Appends an entry to the block that is being filled. Checkpoint lock held, so that record and registration go to the
 * same file. */
int cl_block_append(struct commitlog *log, struct commitlog_cid cid, const void *payload, size_t n, uint64_t *handle,
                    struct cl_append_rows *rows);

/* Flush without a timer. */
int cl_flush_leading(struct commitlog *log, uint64_t handle, struct cl_flush_rows *rows);

/* Waits until the flush of `handle`, which cl_join counted in `generation`, is over. No lock held. */
int cl_wait_batch(struct commitlog *log, uint64_t handle, uint32_t generation, struct cl_flush_rows *rows);

/* Takes the commit lock, waiting for it. Batch mutex held. */
void cl_commit_lock(struct commitlog *log);

/* Gives it back, and wakes who comes next. Batch mutex not held. */
void cl_commit_unlock(struct commitlog *log);

/* Takes the block that is being filled for writing; NULL if it is empty or the log has failed. Commit lock and batch
 * mutex held. */
struct cl_block *cl_take_filled(struct commitlog *log);

/* Writes a taken block (NULL: nothing to do) and wakes its joiners. Commit lock held, batch mutex not; with `unlock` the
 * lock is given back before they are woken. `lock` records it. Returns 0 or the log's failure; *outcome is what the
 * commit_lock row is to say. */
int cl_commit_block(struct commitlog *log, struct cl_block *block, struct waltrace_span *lock,
                    enum waltrace_word trigger, bool unlock, enum waltrace_word *outcome);

/* Whether the flush of `handle` is over, with *result. Batch mutex held. */
bool cl_settled(const struct commitlog *log, uint64_t handle, int *result);

/* Counts a flush as waiting for the block that holds `handle`; returns its generation. Batch mutex held. */
uint32_t cl_join(struct commitlog *log, uint64_t handle);

void cl_blocks_free(struct commitlog *log);

#endif
