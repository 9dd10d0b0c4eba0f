/* SPDX-License-Identifier: MIT */
/* The writer's side of the queue; the picture is in queue.h. */
#include <string.h>

#include "trace/queue.h"

void wt_reader_init(struct wt_reader *r, struct wt_queue *q, struct wt_chunk_reader *chunk)
{
	memset(r, 0, sizeof *r);
	r->queue = q;
	r->chunk = chunk;
	r->generation = 1;
	r->retired = WT_NO_CHUNK;
	for (uint32_t i = 0; i < WT_SHARDS_MAX; i++) r->oldest[i] = r->newest[i] = WT_NO_CHUNK;
}

/* Puts the chunks that came since the last look behind `newest`, following prev from the current one. The walk ends:
 * `newest` isn't final, so it was never freed and can't have been installed anew. */
static void link_new_chunks(struct wt_reader *r, uint32_t s, uint32_t current)
{
	uint32_t known = r->newest[s], next = WT_NO_CHUNK, entries = 0;
	for (uint32_t c = current; c != known; c = wt_queue_chunk(r->queue, c)->prev) {
		r->chunk[c] = (struct wt_chunk_reader){.next = next, .entries = entries, .final = next != WT_NO_CHUNK};
		entries = wt_queue_chunk(r->queue, c)->prev_entries;
		next = c;
	}
	if (known == WT_NO_CHUNK) {
		r->oldest[s] = next;
	} else {
		r->chunk[known].next = next;
		r->chunk[known].entries = entries;
		r->chunk[known].final = true;
	}
	r->newest[s] = current;
}

void wt_reader_snapshot(struct wt_reader *r)
{
	for (uint32_t s = 0; s < r->queue->shards; s++) {
		/* Acquire: the chunk's prev and prev_entries, written before the CAS that installed it. */
		uint64_t tail = atomic_load_explicit(&r->queue->shard[s].tail, memory_order_acquire);
		uint32_t current = WT_TAIL_CHUNK(tail), entries = WT_TAIL_ENTRIES(tail);
		if (current == WT_NO_CHUNK) continue;
		if (current != r->newest[s]) link_new_chunks(r, s, current);
		r->chunk[current].entries = entries < WT_CHUNK_ENTRIES ? entries : WT_CHUNK_ENTRIES;
	}
}

static void take_rows(struct wt_chunk *chunk, uint64_t entry, void (*take)(void *, const struct wt_row *),
                      void *context)
{
	const char *at = (const char *)&chunk->data[WT_ENTRY_FIRST(entry)];
	for (uint32_t i = 0; i < WT_ENTRY_ROWS(entry); i++) {
		const struct wt_row *row = (const void *)at;
		take(context, row);
		at += row->bytes;
	}
}

/* Reads a chunk's entries; true if none of those it has (so far) is left. */
static bool read_chunk(struct wt_reader *r, uint32_t c, void (*take)(void *, const struct wt_row *), void *context)
{
	struct wt_chunk *chunk = wt_queue_chunk(r->queue, c);
	struct wt_chunk_reader *state = &r->chunk[c];
	bool whole = true;
	for (uint32_t i = state->from; i < state->entries; i++) {
		if (atomic_load_explicit(&chunk->written[i], memory_order_relaxed)) continue;
		uint64_t entry = atomic_load_explicit(&chunk->entry[i], memory_order_acquire);
		if (!entry) {
			if (whole) state->from = i;
			whole = false;
			r->passed_over++;
			continue;
		}
		take_rows(chunk, entry, take, context);
		r->credits += WT_ENTRY_ROWS(entry);
		atomic_store_explicit(&chunk->written[i], r->generation, memory_order_relaxed);
		if (wt_unlikely(r->entry_done != NULL)) r->entry_done();
	}
	if (whole) state->from = state->entries;
	return whole;
}

void wt_reader_pass(struct wt_reader *r, void (*take)(void *context, const struct wt_row *row), void *context)
{
	r->passed_over = 0;
	for (uint32_t s = 0; s < r->queue->shards; s++) {
		uint32_t before = WT_NO_CHUNK;
		for (uint32_t c = r->oldest[s]; c != WT_NO_CHUNK;) {
			struct wt_chunk_reader *state = &r->chunk[c];
			uint32_t next = state->next;
			if (read_chunk(r, c, take, context) && state->final) {
				if (before == WT_NO_CHUNK) r->oldest[s] = next;
				else r->chunk[before].next = next;
				state->next = r->retired;
				r->retired = c;
				if (r->retire) r->retire();
			} else {
				before = c;
			}
			c = next;
		}
	}
}

void wt_reader_release(struct wt_reader *r)
{
	while (r->retired != WT_NO_CHUNK) {
		uint32_t c = r->retired;
		struct wt_chunk *chunk = wt_queue_chunk(r->queue, c);
		uint32_t entries = r->chunk[c].entries;
		r->retired = r->chunk[c].next;
		memset(chunk->entry, 0, entries * sizeof chunk->entry[0]);
		memset(chunk->written, 0, entries * sizeof chunk->written[0]);
		chunk->owner = 0;
		wt_pool_give(&r->queue->pool, c); /* release: the next user finds the entries zero */
	}
	if (r->credits) atomic_fetch_add_explicit(r->queue->credit, (int64_t)r->credits, memory_order_relaxed);
	r->credits = 0;
	r->generation++;
}
