/* SPDX-License-Identifier: MIT */
/* Spans, and the live state of the commit lock that they publish. */
#include <string.h>

#include "trace/admission.h"
#include "trace/record.h"

enum { WAITING = 1, OWNER = 2, ACQUIRED = 4 };
enum { PEAK_TRIES = 16 };

static bool off(void) { return wt_unlikely(wt_gate_now() == WT_GATE_OFF); }

void waltrace__span_open(struct waltrace_span *span, struct waltrace_op *op, enum waltrace_kind kind,
                         uint64_t parent_id, enum waltrace_word trigger)
{
	span->op = op;
	span->state = 0;
	span->row = &span->own;
	wt_row_begin(span->row, wt_new_id(wt_this_thread()), kind, trigger);
	if (parent_id) waltrace__row_set(span->row, WALTRACE_PARENT_ID, parent_id);
}

/* Only upward. Gives up after a few lost races: others raised it then. */
static void raise_peak(struct waltrace_logger *logger, uint64_t n)
{
	uint64_t old = atomic_load_explicit(&logger->peak, memory_order_relaxed);
	for (int i = 0; old < n && i < PEAK_TRIES; i++)
		if (atomic_compare_exchange_weak_explicit(&logger->peak, &old, n, memory_order_relaxed,
		                                          memory_order_relaxed))
			return;
}

void waltrace__span_wait_commit(struct waltrace_span *span)
{
	struct waltrace_logger *logger = span->op->logger;
	if (off()) return;
	if (!(span->state & WAITING)) {
		uint64_t old = atomic_fetch_add_explicit(&logger->waiters, 1, memory_order_relaxed);
		span->state |= WAITING;
		raise_peak(logger, WT_WAITERS(old) + 1);
	}
	waltrace_span_begin(span);
}

/* The caller holds the commit lock: nobody else writes owner, since and stage now. */
static void own(struct waltrace_span *span, uint64_t now)
{
	struct waltrace_logger *logger = span->op->logger;
	uint64_t step = 1ull << WT_WAITERS_BITS;
	if (span->state & WAITING) step--; /* one acquisition more, one waiter less */
	uint64_t old = atomic_fetch_add_explicit(&logger->waiters, step, memory_order_relaxed);
	span->state = (uint8_t)((span->state & ~WAITING) | OWNER);
	waltrace__row_set(span->row, WALTRACE_LOCK_SEQ, WT_ACQUISITIONS(old) + 1);
	/* Release: who sees one of the first two from outside doesn't take the last owner for theirs, and who sees the id
	 * sees them. */
	atomic_store_explicit(&logger->owner_since_ns, now, memory_order_release);
	atomic_store_explicit(&logger->owner_stage, WALTRACE_STAGE_ACQUIRED, memory_order_release);
	atomic_store_explicit(&logger->owner, span->row->id, memory_order_release);
}

static void leave_waiters(struct waltrace_span *span)
{
	if (!(span->state & WAITING)) return;
	atomic_fetch_sub_explicit(&span->op->logger->waiters, 1, memory_order_relaxed);
	span->state &= (uint8_t)~WAITING;
}

void waltrace__span_acquired(struct waltrace_span *span, bool commit)
{
	if (off()) return;
	uint64_t now = waltrace_now(), start = span->row->value[WALTRACE_START_NS];
	span->acquired_ns = now;
	span->state |= ACQUIRED;
	if (span->row->mask & 1ull << WALTRACE_START_NS)
		waltrace__row_set(span->row, WALTRACE_LOCK_WAIT_NS, now > start ? now - start : 0);
	if (commit) own(span, now);
	else leave_waiters(span);
}

void waltrace__span_stage(struct waltrace_span *span, uint64_t stage)
{
	if (off()) return;
	atomic_store_explicit(&span->op->logger->owner_stage, stage, memory_order_release);
	if (span->op->slot) __atomic_store_n(&span->op->slot->stage, (uint32_t)stage, __ATOMIC_RELEASE);
}

/* Before the caller's unlock, so that it can't clear the next owner; and only what is its own. */
void waltrace__span_disown(struct waltrace_span *span)
{
	struct waltrace_logger *logger = span->op->logger;
	if (off()) return;
	span->state &= (uint8_t)~OWNER;
	if (atomic_load_explicit(&logger->owner, memory_order_relaxed) != span->row->id) return;
	atomic_store_explicit(&logger->owner, 0, memory_order_relaxed);
	atomic_store_explicit(&logger->owner_stage, WALTRACE_STAGE_NONE, memory_order_release);
}

static void take_over_flush(const struct waltrace_op *op, struct waltrace__row *row)
{
	if (op->flush_set & 1) waltrace__row_set(row, WALTRACE_ENTRY_UID_FAST_PATH, op->flush_fast);
	if (op->flush_set & 2) waltrace__row_set(row, WALTRACE_BATCH_WAIT_START_NS, op->flush_start_ns);
	if (op->flush_set & 4) waltrace__row_set(row, WALTRACE_BATCH_WAIT_NS, op->flush_ns);
	waltrace__row_word(row, WALTRACE_BATCH_WAIT_OUTCOME, op->flush_word);
	if (op->flush_word != WT_WORD_TEXT) return;
	row->mask |= WT_ROW_TEXT;
	row->text_bytes[WALTRACE_BATCH_WAIT_OUTCOME] = op->flush_text_bytes;
	memcpy(row->text[WALTRACE_BATCH_WAIT_OUTCOME], op->flush_text, op->flush_text_bytes);
}

void waltrace__span_end(struct waltrace_span *span, bool unwinding)
{
	struct waltrace__row *row = span->row;
	span->row = NULL;
	if (off()) return;
	if (wt_unlikely(span->state & WAITING)) leave_waiters(span);
	if (wt_row_kind(row) == WALTRACE_KIND_ROOT_FLUSH) take_over_flush(span->op, row);
	wt_op_push(span->op, row, unwinding);
}
