/* SPDX-License-Identifier: MIT */
/* Life of an operation: admitted, its rows staged in its slot, handed over at its end. */
#include <string.h>

#include "trace/admission.h"
#include "trace/helper.h"
#include "trace/latency.h"
#include "trace/record.h"

static inline void clear(struct waltrace_op *op)
{
	memset(op->lost, 0, sizeof op->lost);
	op->flush_set = 0;
	op->flush_word = WALTRACE_W_NONE;
	op->helper = NULL;
}

static inline bool begin(struct waltrace_op *op, struct waltrace_logger *logger, enum waltrace_kind kind, bool child)
{
	struct wt_thread *thread = wt_this_thread();
	struct wt_slot *slot = wt_admit(thread, child, logger, kind);
	op->logger = NULL;
	if (wt_unlikely(!slot)) return false;
	clear(op);
	op->logger = logger;
	op->slot = slot;
	op->primary_waiting = kind != WALTRACE_KIND_MAINTENANCE;
	uint64_t id = 0;
	if (op->primary_waiting) {
		id = wt_new_id(thread);
		wt_row_begin(&op->primary, id, kind, WALTRACE_W_NONE);
	}
	/* Release: see struct wt_slot. */
	__atomic_store_n(&slot->since_ns, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->stage, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->logger_id, (uint32_t)logger->id, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->kind, (uint8_t)kind, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->operation_id, id, __ATOMIC_RELEASE);
	return true;
}

bool waltrace__op_begin(struct waltrace_op *op, struct waltrace_logger *logger, enum waltrace_kind kind)
{
	return begin(op, logger, kind, false);
}

bool waltrace__op_timer(struct waltrace_op *timer, const struct waltrace_op *parent)
{
	return begin(timer, parent->logger, WALTRACE_KIND_TIMER_RUN, true);
}

void waltrace__op_since(const struct waltrace_op *op, uint64_t start_ns)
{
	if (wt_unlikely(wt_gate_now() == WT_GATE_OFF)) return;
	__atomic_store_n(&op->slot->since_ns, start_ns, __ATOMIC_RELEASE);
}

void waltrace__helper_begin(struct waltrace_helper *helper, const struct waltrace_op *parent)
{
	if (!wt_admit_helper()) return;
	clear(&helper->op);
	helper->op.logger = parent->logger;
	helper->op.slot = NULL;
	helper->op.helper = helper;
	helper->op.primary_waiting = false;
	helper->rows = 0;
	helper->bytes = 0;
}

/* Causes in the order of enum wt_op_loss. */
static const enum wt_loss cause_of[] = {WT_LOSS_omit,     WT_LOSS_rows,  WT_LOSS_helper_rows, WT_LOSS_channel,
                                        WT_LOSS_unmerged, WT_LOSS_paths, WT_LOSS_strings};

static void count_losses(const struct waltrace_op *op, uint32_t kind)
{
	uint64_t any[4];
	_Static_assert(sizeof any == sizeof op->lost, "looked at in four words");
	memcpy(any, op->lost, sizeof any);
	if (wt_likely(!(any[0] | any[1] | any[2] | any[3]))) return;
	for (size_t i = 0; i < WT_COUNT(cause_of); i++)
		if (op->lost[i]) wt_lose(cause_of[i], op->logger->id, kind, op->lost[i]);
}

static void end_helper(struct waltrace_op *op)
{
	wt_helper_drop_rows(op->helper);
	count_losses(op, WT_LOSS_NO_KIND);
	wt_release_helper();
}

/* ---- The always-on mode ---------------------------------------------------------------------------------------------- */

/* Faster than min_ns, and nothing in it that others waited for. An operation without a duration is kept. */
static bool is_filtered(const struct wt_slot *slot)
{
	const char *at = wt_staged(slot);
	bool fast = false;
	for (uint32_t i = 0; i < slot->rows; i++) {
		const struct wt_row *row = (const void *)at;
		uint64_t ns;
		if (row->kind == WALTRACE_KIND_SYNC_CALL) return false;
		if (row->id == slot->operation_id && wt_row_duration(row, &ns)) fast = ns < wt_session.config.min_ns;
		at += row->bytes;
	}
	return fast;
}

static void filter(const struct wt_slot *slot)
{
	const char *at = wt_staged(slot);
	for (uint32_t i = 0; i < slot->rows; i++) {
		const struct wt_row *row = (const void *)at;
		wt_latency_count(wt_session.latencies, row);
		wt_path_release(row);
		at += row->bytes;
	}
	atomic_fetch_add_explicit(&wt_own_shard()->filtered, slot->rows, memory_order_relaxed);
}

/* ---- The end --------------------------------------------------------------------------------------------------------- */

static WT_NOINLINE void hand_over_measured(struct wt_thread *thread, struct wt_slot *slot)
{
	uint64_t begin = waltrace_now();
	wt_hand_over(thread, wt_staged(slot), slot->rows, slot->bytes);
	struct wt_shard *shard = wt_own_shard();
	atomic_fetch_add_explicit(&shard->producer_ns, waltrace_now() - begin, memory_order_relaxed);
	atomic_fetch_add_explicit(&shard->producer_samples, 1, memory_order_relaxed);
}

static inline void hand_over(struct wt_slot *slot)
{
	struct wt_thread *thread = wt_this_thread();
	if (wt_unlikely(wt_session.config.min_ns) && is_filtered(slot)) filter(slot);
	else if (wt_unlikely(slot->operation_id % WT_COST_SAMPLE == 1)) hand_over_measured(thread, slot);
	else wt_hand_over(thread, wt_staged(slot), slot->rows, slot->bytes);
}

void waltrace__op_end(struct waltrace_op *op, bool unwinding)
{
	bool helper = op->helper != NULL;
	if (wt_unlikely(wt_gate_now() == WT_GATE_OFF)) { /* a child of fork: the slot is its parent's */
		op->logger = NULL;
		return;
	}
	if (op->primary_waiting) wt_op_push(op, &op->primary, unwinding);
	if (wt_unlikely(helper)) {
		end_helper(op);
	} else {
		struct wt_slot *slot = op->slot;
		if (wt_unlikely(slot->channels)) wt_channels_drain(op);
		if (wt_likely(slot->rows)) hand_over(slot);
		wt_unstage(slot);
		count_losses(op, slot->kind + 1u);
		__atomic_store_n(&slot->operation_id, 0, __ATOMIC_RELAXED);
		wt_release(slot);
	}
	op->logger = NULL;
}
