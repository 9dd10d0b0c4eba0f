/* SPDX-License-Identifier: MIT */
#include "trace/record.h"

#include <errno.h>
#include <string.h>

#include "trace/admission.h"
#include "trace/latency.h"
#include "trace/loss.h"

static uint32_t round_up(uint32_t bytes) { return (bytes + 7) & ~7u; }

/* Bytes of a path in a packed row: its length, its first block, and itself if it is short. */
static uint32_t packed_path_bytes(uint32_t bytes) { return 8 + (bytes <= WALTRACE_MAX_TEXT ? bytes : 0); }

uint32_t wt_row_bytes(const struct waltrace__row *row)
{
	uint32_t bytes =
		(uint32_t)(sizeof(struct wt_row) + 8 * (uint32_t)__builtin_popcountll(row->mask & WT_ROW_FIELDS));
	if (wt_likely(!(row->mask & ~WT_ROW_FIELDS))) return bytes;
	if (row->mask & WT_ROW_TEXT)
		for (int i = 0; i < WALTRACE_STRINGS; i++)
			if (wt_row_word(row, (unsigned)i) == WT_WORD_TEXT) bytes += 1u + row->text_bytes[i];
	for (int slot = 0; slot < 2; slot++)
		if (row->mask & WT_ROW_PATH(slot)) bytes += packed_path_bytes(row->path_bytes[slot]);
	return round_up(bytes);
}

static void pack_strings(const struct waltrace__row *row, unsigned char *to)
{
	for (int i = 0; i < WALTRACE_STRINGS && row->mask & WT_ROW_TEXT; i++) {
		if (wt_row_word(row, (unsigned)i) != WT_WORD_TEXT) continue;
		*to++ = row->text_bytes[i];
		memcpy(to, row->text[i], row->text_bytes[i]);
		to += row->text_bytes[i];
	}
	for (int slot = 0; slot < 2; slot++) {
		if (!(row->mask & WT_ROW_PATH(slot))) continue;
		uint32_t bytes = row->path_bytes[slot];
		memcpy(to, &bytes, 4);
		memcpy(to + 4, &row->path_block[slot], 4);
		if (bytes <= WALTRACE_MAX_TEXT) memcpy(to + 8, row->path[slot], bytes);
		to += packed_path_bytes(bytes);
	}
}

void wt_row_pack(const struct waltrace__row *row, uint64_t logger_id, uint32_t bytes, struct wt_row *to)
{
	unsigned char *end = wt_row_pack_values(row, logger_id, to);
	to->bytes = bytes;
	if (row->mask & ~WT_ROW_FIELDS) pack_strings(row, end);
}

void wt_row_look(const struct wt_row *row, struct wt_row_view *view)
{
	const char *at = (const char *)(row->value + __builtin_popcountll(row->mask & WT_ROW_FIELDS));
	for (int i = 0; i < WALTRACE_STRINGS; i++) {
		view->string[i].text = NULL;
		if (!(row->mask & WT_ROW_TEXT) || row->word[i] != WT_WORD_TEXT) continue;
		view->string[i].bytes = (unsigned char)*at;
		view->string[i].text = at + 1;
		at += 1 + view->string[i].bytes;
	}
	for (int slot = 0; slot < 2; slot++) {
		if (!(row->mask & WT_ROW_PATH(slot))) continue;
		struct wt_row_path *path = &view->path[slot];
		memcpy(&path->bytes, at, 4);
		memcpy(&path->block, at + 4, 4);
		path->text = at + 8;
		at += packed_path_bytes(path->bytes);
	}
}

/* ---- Staging ----------------------------------------------------------------------------------------------------- */

static char *spill_at(uint32_t index)
{
	return (char *)wt_session.segment + wt_session.segment->spills_at + (size_t)index * WT_SPILL_BYTES;
}

const void *wt_spilled(const struct wt_slot *slot) { return spill_at(slot->spill - 1); }

/* Moves the slot's rows into a buffer that holds any 32. */
static bool spill(struct wt_slot *slot)
{
	_Atomic uint32_t *map = &wt_session.segment->spill_map;
	uint32_t old = atomic_load_explicit(map, memory_order_relaxed), bit;
	do {
		if (old == UINT32_MAX) return false;
		bit = (uint32_t)__builtin_ctz(~old);
	} while (!atomic_compare_exchange_weak_explicit(map, &old, old | 1u << bit, memory_order_acquire,
	                                                memory_order_relaxed));
	memcpy(spill_at(bit), slot->row, slot->bytes);
	slot->spill = bit + 1;
	return true;
}
_Static_assert(WT_SPILLS == 32, "a bit each");

/* Room for `bytes` more in the slot's rows, or NULL: 32 rows are there, or no memory for more. */
static struct wt_row *stage(struct wt_slot *slot, uint32_t bytes)
{
	if (wt_unlikely(slot->rows == WALTRACE_MAX_ROWS)) return NULL;
	if (wt_unlikely(slot->bytes + bytes > WT_SLOT_ROW_BYTES) && !slot->spill && !spill(slot)) return NULL;
	struct wt_row *row = (void *)((slot->spill ? spill_at(slot->spill - 1) : (char *)slot->row) + slot->bytes);
	slot->bytes += bytes;
	slot->rows++;
	return row;
}

void wt_unspill(struct wt_slot *slot)
{
	atomic_fetch_and_explicit(&wt_session.segment->spill_map, ~(1u << (slot->spill - 1)), memory_order_release);
	slot->spill = 0;
}

static bool stage_in_helper(struct waltrace_helper *helper, struct waltrace__row *row)
{
	if (helper->rows == WALTRACE_MAX_HELPER_ROWS) return false;
	uint32_t bytes = wt_row_bytes(row);
	wt_row_pack(row, helper->op.logger->id, bytes, (void *)(helper->row + helper->bytes));
	helper->bytes = (uint16_t)(helper->bytes + bytes);
	helper->rows++;
	return true;
}

void wt_op_push_slowly(struct waltrace_op *op, struct waltrace__row *row)
{
	if (op->helper) {
		if (stage_in_helper(op->helper, row)) return;
		op->lost[WT_OP_HELPER_ROWS]++;
	} else {
		uint32_t bytes = wt_row_bytes(row);
		struct wt_row *to = stage(op->slot, bytes);
		if (to) {
			wt_row_pack(row, op->logger->id, bytes, to);
			return;
		}
		op->lost[WT_OP_ROWS]++;
	}
	wt_path_drop(row);
}

void wt_op_push_packed(struct waltrace_op *op, const struct wt_row *row)
{
	struct wt_row *to = stage(op->slot, row->bytes);
	if (to) {
		memcpy(to, row, row->bytes);
		return;
	}
	op->lost[WT_OP_ROWS]++;
	wt_path_release(row);
}

void wt_give_up_rows(const void *row, uint32_t rows, uint32_t in)
{
	const char *at = row;
	for (uint32_t i = 0; i < rows; i++) {
		const struct wt_row *r = (const void *)at;
		if (i >= in) wt_path_release(r);
		at += r->bytes;
	}
}

void wt_row_lost(enum wt_loss cause, const struct wt_row *row)
{
	wt_loss_note(wt_session.losses, row->logger_id, row->kind + 1u, cause, 1);
	wt_latency_count(wt_session.latencies, row);
}

void wt_refuse_rows(const void *row, uint32_t rows)
{
	enum wt_gate gate = wt_gate_now();
	if (gate == WT_GATE_OFF) return; /* a child of fork */
	if (gate == WT_GATE_FAILED) wt_queue_refuse(&wt_session.queue, wt_this_thread()->shard, row, rows);
	wt_give_up_rows(row, rows, 0);
}

/* ---- Strings ------------------------------------------------------------------------------------------------------ */

/* At most `limit` bytes, and no UTF-8 sequence cut in two. */
static size_t cut(const char *text, size_t bytes, size_t limit)
{
	if (bytes <= limit) return bytes;
	while (limit && ((unsigned char)text[limit] & 0xc0) == 0x80) limit--;
	return limit;
}

void waltrace__row_text(struct waltrace_op *op, struct waltrace__row *row, enum waltrace_string which, const char *text,
                        size_t bytes)
{
	if (bytes > WALTRACE_MAX_TEXT) op->lost[WT_OP_STRINGS]++;
	bytes = cut(text, bytes, WALTRACE_MAX_TEXT);
	waltrace__row_word(row, which, bytes ? WT_WORD_TEXT : WALTRACE_W_NONE);
	if (!bytes) return;
	memcpy(row->text[which], text, bytes);
	row->text_bytes[which] = (uint8_t)bytes;
	row->mask |= WT_ROW_TEXT;
}

void waltrace_op_batch_wait_outcome_text(struct waltrace_op *op, const char *text, size_t bytes)
{
	if (!op->logger) return;
	if (bytes > WALTRACE_MAX_TEXT) op->lost[WT_OP_STRINGS]++;
	bytes = cut(text, bytes, WALTRACE_MAX_TEXT);
	op->flush_word = bytes ? WT_WORD_TEXT : WALTRACE_W_NONE;
	if (bytes) memcpy(op->flush_text, text, bytes);
	op->flush_text_bytes = (uint8_t)bytes;
}

void waltrace__row_path(struct waltrace_op *op, struct waltrace__row *row, int slot, const void *path, size_t bytes)
{
	if (wt_gate_now() == WT_GATE_OFF) return;
	if (!wt_path_set(row, slot != 0, path, bytes)) op->lost[WT_OP_PATHS]++;
}

enum waltrace_error_kind waltrace_error_kind_of(int os_code)
{
	switch (os_code) {
/* clang-format off */
#define WT_ERRNO(code, name) \
	case code: return (enum waltrace_error_kind)WT_E_##name;
#include "trace/schema.def"
	/* clang-format on */
	default: return WALTRACE_E_UNCATEGORIZED;
	}
}
