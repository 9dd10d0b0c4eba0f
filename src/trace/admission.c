/* SPDX-License-Identifier: MIT */
/* A slot is taken with one CAS on its word, and that is the admission: there is no other count of operations. Each
 * thread looks where it found one last, so that threads don't share cache lines; words of different homes are 64
 * bytes apart.
 *
 * Closing: the shutdown stores CLOSING and then looks at the words; an operation takes its word and then looks at the
 * gate. Both are sequentially consistent, so one of the two sees the other: no operation slips in unseen. Children are
 * admitted while closing, so "all words are free" alone could miss one that moved from a word not yet looked at to one
 * already passed. `children` counts them: unchanged over the look means that none was born, and then what is alive at
 * the end was alive, in the same place, all along. */
#include "trace/admission.h"

#include "trace/loss.h"

WT_TLS struct wt_thread wt_thread;

static _Atomic uint32_t threads_known;

enum { WORDS_A_LINE = WT_CACHE_LINE / sizeof(uint32_t) };

void wt_thread_introduce(void)
{
	uint32_t n = atomic_fetch_add_explicit(&threads_known, 1, memory_order_relaxed);
	wt_thread.shard = n % wt_session.queue.shards;
	wt_thread.slot = (n * WORDS_A_LINE + n / (WALTRACE_MAX_OPERATIONS / WORDS_A_LINE)) % WALTRACE_MAX_OPERATIONS;
	wt_thread.known = 1;
}

uint64_t wt_new_ids(struct wt_thread *thread)
{
	if (wt_gate_now() == WT_GATE_OFF) return 0; /* a child of fork */
	uint64_t first = atomic_fetch_add_explicit(&wt_session.segment->next_id, WT_ID_BLOCK, memory_order_relaxed);
	thread->next_id = first + 1;
	thread->end_id = first + WT_ID_BLOCK;
	return first;
}

_Atomic uint32_t wt_slots_full;

enum { LOOK_AGAIN_AFTER = 256 };

/* A thread that finds all slots taken says so, and for a while nobody searches. A slot that is freed at that very moment
 * may not take the sign away again; hence the look after some tries all the same. */
WT_NOINLINE bool wt_find_slot(struct wt_thread *thread, uint64_t logger, uint32_t kind)
{
	if (atomic_load_explicit(&wt_slots_full, memory_order_relaxed) && ++thread->tries % LOOK_AGAIN_AFTER) {
		wt_lose(WT_LOSS_slots, logger, kind, 1);
		return false;
	}
	for (uint32_t i = 1; i < WALTRACE_MAX_OPERATIONS; i++) {
		uint32_t slot = (thread->slot + i) % WALTRACE_MAX_OPERATIONS;
		if (!wt_take_slot(slot)) continue;
		thread->slot = slot;
		return true;
	}
	atomic_store_explicit(&wt_slots_full, 1, memory_order_relaxed);
	wt_lose(WT_LOSS_slots, logger, kind, 1);
	return false;
}

bool wt_admit_helper(void)
{
	if (!wt_allows(true)) return false;
	atomic_fetch_add(&wt_session.segment->children, 1);
	atomic_fetch_add(&wt_own_shard()->helpers_begun, 1);
	return true;
}

void wt_release_helper(void) { atomic_fetch_add(&wt_own_shard()->helpers_ended, 1); }

/* Never too low: those that ended are counted first, so what ends meanwhile still counts as under way. */
static uint64_t helpers(void)
{
	uint64_t ended = 0, begun = 0;
	for (uint32_t i = 0; i < wt_session.queue.shards; i++)
		ended += atomic_load(&wt_session.queue.shard[i].helpers_ended);
	for (uint32_t i = 0; i < wt_session.queue.shards; i++)
		begun += atomic_load(&wt_session.queue.shard[i].helpers_begun);
	return begun - ended;
}

uint64_t wt_outstanding(void)
{
	uint64_t taken = 0;
	for (uint32_t i = 0; i < WALTRACE_MAX_OPERATIONS; i++) taken += atomic_load(&wt_session.state[i]);
	return taken + helpers();
}

bool wt_nothing_outstanding(void)
{
	uint64_t born = atomic_load(&wt_session.segment->children);
	return !wt_outstanding() && atomic_load(&wt_session.segment->children) == born;
}

void wt_lose(enum wt_loss cause, uint64_t logger, uint32_t kind, uint64_t n)
{
	wt_loss_note(wt_session.losses, logger, kind, cause, n);
	atomic_fetch_add_explicit(&wt_own_shard()->lost[cause], n, memory_order_relaxed);
}

uint64_t wt_lost(enum wt_loss cause)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < wt_session.queue.shards; i++)
		sum += atomic_load_explicit(&wt_session.queue.shard[i].lost[cause], memory_order_relaxed);
	return sum;
}

uint64_t wt_omitted(void)
{
	uint64_t sum = 0;
	for (int cause = WT_LOSS_rows; cause < WT_LOSSES; cause++)
		if (cause != WT_LOSS_rotated) sum += wt_lost((enum wt_loss)cause);
	return sum;
}
