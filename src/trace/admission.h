/* SPDX-License-Identifier: MIT */
/* Who may record: slots, the children of operations, and every loss that isn't the queue's. */
#ifndef WT_TRACE_ADMISSION_H
#define WT_TRACE_ADMISSION_H

#include "trace/session.h"

/* What a thread keeps for itself. Threads are never counted out: the place of one that ended is simply not used. */
struct wt_thread {
	uint32_t known; /* 0 until its first operation */
	uint32_t shard;
	uint32_t slot;  /* where it looks for a free slot first */
	uint32_t tries; /* while all slots seemed taken */
	uint64_t next_id, end_id;
};
extern WT_TLS struct wt_thread wt_thread;

void wt_thread_introduce(void);

static inline struct wt_thread *wt_this_thread(void)
{
	if (wt_unlikely(!wt_thread.known)) wt_thread_introduce();
	return &wt_thread;
}

uint64_t wt_new_ids(struct wt_thread *thread);

/* A new record id, unique in the session. */
static inline uint64_t wt_new_id(struct wt_thread *thread)
{
	if (wt_unlikely(thread->next_id == thread->end_id)) return wt_new_ids(thread);
	return thread->next_id++;
}

/* Set when a thread found every slot taken, so that others don't look in vain; cleared by whoever frees one. */
extern _Atomic uint32_t wt_slots_full;

static inline bool wt_allows(bool child)
{
	enum wt_gate gate = wt_gate_in_order();
	return gate == WT_GATE_OPEN || (child && gate == WT_GATE_CLOSING);
}

static inline struct wt_slot *wt_slot_at(uint32_t index)
{
	return (struct wt_slot *)(void *)(wt_session.slots + (size_t)index * WT_SLOT_BYTES);
}

static inline bool wt_take_slot(uint32_t slot)
{
	uint32_t free = 0;
	_Atomic uint32_t *word = &wt_session.state[slot];
	if (atomic_load_explicit(word, memory_order_relaxed)) return false;
	/* Sequentially consistent: before the look at the gate. Acquire: the slot is as its last user left it. */
	return atomic_compare_exchange_strong(word, &free, 1);
}

bool wt_find_slot(struct wt_thread *thread, uint64_t logger, uint32_t kind);

static inline void wt_release(struct wt_slot *slot)
{
	/* Release: what the operation handed over is seen by whoever finds its slot free. */
	atomic_store_explicit(&wt_session.state[slot->index], 0, memory_order_release);
	if (wt_unlikely(atomic_load_explicit(&wt_slots_full, memory_order_relaxed)))
		atomic_store_explicit(&wt_slots_full, 0, memory_order_relaxed);
}

/* A free slot for an operation, or NULL; `child`: on behalf of one that hasn't ended. */
static inline struct wt_slot *wt_admit(struct wt_thread *thread, bool child, const struct waltrace_logger *logger,
                                       enum waltrace_kind kind)
{
	if (child) {
		if (!wt_allows(true)) return NULL;
		atomic_fetch_add(&wt_session.segment->children, 1);
	}
	if (wt_unlikely(!wt_take_slot(thread->slot)) && !wt_find_slot(thread, logger->id, (uint32_t)kind + 1))
		return NULL;
	struct wt_slot *slot = wt_slot_at(thread->slot);
	if (wt_likely(wt_allows(child))) return slot;
	wt_release(slot);
	return NULL;
}

/* The thread's own shard. */
static inline struct wt_shard *wt_own_shard(void) { return &wt_session.queue.shard[wt_this_thread()->shard]; }

/* A helper counts as an operation under way, without a slot. */
bool wt_admit_helper(void);
void wt_release_helper(void);

/* Operations and helpers that have not ended, and whether there are none and will be none (only while closing). */
uint64_t wt_outstanding(void);
bool wt_nothing_outstanding(void);

/* Counts a loss. Causes from WT_LOSS_rows on make up `omitted`. `logger` 0 and WT_LOSS_NO_KIND: not known; else the
 * kind + 1. */
void wt_lose(enum wt_loss cause, uint64_t logger, uint32_t kind, uint64_t n);
uint64_t wt_lost(enum wt_loss cause);
uint64_t wt_omitted(void);

#endif
