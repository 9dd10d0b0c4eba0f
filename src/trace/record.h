/* SPDX-License-Identifier: MIT */
/* Rows: packing what a span filled in, looking into what was packed, and putting rows into their operation. */
#ifndef WT_TRACE_RECORD_H
#define WT_TRACE_RECORD_H

#include <stddef.h>
#include <string.h>

#include "trace/admission.h"
#include "trace/path.h"

/* Causes of an operation's own omissions: places in waltrace_op.lost. */
enum wt_op_loss {
	WT_OP_OMIT,
	WT_OP_ROWS,
	WT_OP_HELPER_ROWS,
	WT_OP_CHANNEL,
	WT_OP_UNMERGED,
	WT_OP_PATHS,
	WT_OP_STRINGS
};

/* Strings and paths of a packed row. */
struct wt_row_view {
	struct {
		const char *text; /* NULL for a word of the schema */
		uint32_t bytes;
	} string[WALTRACE_STRINGS];
	struct wt_row_path path[2];
};

static inline void wt_row_begin(struct waltrace__row *row, uint64_t id, enum waltrace_kind kind,
                                enum waltrace_word trigger)
{
	row->id = id;
	row->mask = 0;
	row->words = (uint64_t)WALTRACE_W_CANCELLED << 8 * WALTRACE_OUTCOME |
	             (uint64_t)trigger << 8 * WALTRACE_TRIGGER | (uint64_t)kind << 48;
}
_Static_assert(WALTRACE_STRINGS == 6 && offsetof(struct wt_row, kind) == offsetof(struct wt_row, word) + 6 &&
                       __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "words, kind and error kind are one number in a row that is filled in, and bytes in a packed one");

static inline unsigned wt_row_word(const struct waltrace__row *row, unsigned which)
{
	return (unsigned)(row->words >> 8 * which) & 255;
}
static inline enum waltrace_kind wt_row_kind(const struct waltrace__row *row)
{
	return (enum waltrace_kind)(row->words >> 48 & 255);
}

/* Copies the head and the values that are set; returns the place behind them. */
static inline void *wt_row_pack_values(const struct waltrace__row *row, uint64_t logger_id, struct wt_row *to)
{
	uint64_t left = row->mask & WT_ROW_FIELDS, *value = to->value;
	to->logger_id = (uint32_t)logger_id;
	to->id = row->id;
	to->mask = row->mask;
	memcpy(to->word, &row->words, 8);
	for (; left; left &= left - 1) *value++ = row->value[__builtin_ctzll(left)];
	return value;
}

/* Bytes that the row takes when packed. */
uint32_t wt_row_bytes(const struct waltrace__row *row);

/* Packs it into `to`, which has room for wt_row_bytes. */
void wt_row_pack(const struct waltrace__row *row, uint64_t logger_id, uint32_t bytes, struct wt_row *to);

void wt_row_look(const struct wt_row *row, struct wt_row_view *view);

/* All rows of the slot, and the slot empty again. */
const void *wt_spilled(const struct wt_slot *slot);
void wt_unspill(struct wt_slot *slot);
static inline const void *wt_staged(const struct wt_slot *slot)
{
	return wt_likely(!slot->spill) ? slot->row : wt_spilled(slot);
}
static inline void wt_unstage(struct wt_slot *slot)
{
	if (wt_unlikely(slot->spill)) wt_unspill(slot);
	slot->rows = slot->bytes = 0;
}

/* Bytes of the largest row without texts and paths. */
enum { WT_PLAIN_ROW_BYTES = sizeof(struct wt_row) + WALTRACE_FIELDS * 8 };

/* The row joins its operation or helper, or is lost. */
void wt_op_push_slowly(struct waltrace_op *op, struct waltrace__row *row);

static inline void wt_op_push(struct waltrace_op *op, struct waltrace__row *row, bool unwinding)
{
	struct wt_slot *slot = op->slot;
	if (wt_unlikely(unwinding) && wt_row_word(row, WALTRACE_OUTCOME) == WALTRACE_W_CANCELLED)
		waltrace__row_word(row, WALTRACE_OUTCOME, WALTRACE_W_UNWIND);
	if (wt_likely(slot && !(row->mask & ~WT_ROW_FIELDS) && slot->bytes <= WT_SLOT_ROW_BYTES - WT_PLAIN_ROW_BYTES &&
	              slot->rows < WALTRACE_MAX_ROWS && !slot->spill)) {
		struct wt_row *to = (void *)((char *)slot->row + slot->bytes);
		char *end = wt_row_pack_values(row, op->logger->id, to);
		to->bytes = (uint32_t)(end - (char *)to);
		slot->bytes += to->bytes;
		slot->rows++;
		return;
	}
	wt_op_push_slowly(op, row);
}

/* A packed row joins an operation that has a slot, or is lost. */
void wt_op_push_packed(struct waltrace_op *op, const struct wt_row *row);

/* Of the rows that were to be handed over, `in` were: the others are counted as lost already, and released here. */
void wt_give_up_rows(const void *row, uint32_t rows, uint32_t in);
void wt_refuse_rows(const void *row, uint32_t rows);

/* A row that the queue gave up: noted and counted in its histogram. For wt_queue.lost. */
void wt_row_lost(enum wt_loss cause, const struct wt_row *row);

/* Hands `rows` packed rows over to the writer; those that don't go in are counted and released. */
static inline void wt_hand_over(struct wt_thread *thread, const void *row, uint32_t rows, uint32_t bytes)
{
	enum wt_gate gate = wt_gate_now();
	if (wt_likely(gate == WT_GATE_OPEN || gate == WT_GATE_CLOSING)) {
		uint32_t in = wt_queue_push(&wt_session.queue, thread->shard, row, rows, bytes);
		if (wt_unlikely(in < rows)) wt_give_up_rows(row, rows, in);
	} else {
		wt_refuse_rows(row, rows);
	}
}

#endif
