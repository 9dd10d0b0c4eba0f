/* SPDX-License-Identifier: MIT */
/* The hand-over queue: many producers, one writer, no producer ever waits.
 *
 * Threads are spread over shards. A shard fills chunks, one after another: a producer reserves an entry and its bytes
 * with one fetch_add on the shard's tail, copies its rows, and publishes the entry. Whoever finds the chunk full takes
 * a free one and installs it with a CAS on the same word. How many records may be in the queue is exact over all
 * shards: a record needs a credit; shards draw credits from the common pot in batches and, when that is empty, take
 * each other's.
 *
 *            producer A            producer B (same shard)      writer
 *   reserve  tail fetch_add        tail fetch_add: disjoint     reads tail (acquire): sees chunk, entries
 *   copy     its own units         its own units                not before the entry is published
 *   publish  entry store, release  entry store, release         entry load, acquire: rows are whole
 *   stopped  entry stays 0         not affected                 passes over it, comes back for it
 *   install  CAS tail to the new   CAS fails: the chunk is      follows prev from the tail's chunk; prev and
 *            chunk, prev set       there, gives its own back    prev_entries were written before the CAS
 *   reuse    takes a chunk from the pool only after the writer has published the file and emptied it
 *
 * Order: a thread belongs to one shard for good, a shard's chunks and entries are read in order, so what one thread
 * hands over stays in order, whatever CPU it runs on. (An entry that was passed over belongs to a thread that has not
 * returned from that hand-over, so nothing of its own can overtake it.) */
#ifndef WT_TRACE_QUEUE_H
#define WT_TRACE_QUEUE_H

#include <stdbool.h>
#include <string.h>

#include "trace/layout.h"
#include "trace/pool.h"

enum { WT_PREFETCH_LINES = 8 };

struct wt_queue {
	struct wt_shard *shard;
	uint32_t shards;
	uint32_t chunks;
	uint64_t capacity;
	_Atomic int64_t *credit; /* the common pot */
	struct wt_pool pool;     /* of chunks */
	unsigned char *chunk;
	void (*grown)(void); /* called by a producer that installed a chunk; may be NULL */
	void (*lost)(enum wt_loss cause, const struct wt_row *row); /* for each row that is given up; may be NULL */
};

static inline struct wt_chunk *wt_queue_chunk(const struct wt_queue *q, uint32_t index)
{
	return (struct wt_chunk *)(void *)(q->chunk + (size_t)index * WT_CHUNK_BYTES);
}

/* Shards and chunks for a capacity on a machine with this many CPUs. */
uint32_t wt_queue_shards(uint64_t capacity, uint32_t cpus);
uint32_t wt_queue_chunks(uint64_t capacity, uint32_t shards);

/* Empty queue in zeroed memory. Before anyone else knows it. */
void wt_queue_init(struct wt_queue *q);

/* For a test: called by a producer that has reserved and not published. NULL otherwise. */
extern void (*wt_queue_test_stop)(void);

static inline bool wt_queue_fits(uint64_t tail, uint32_t units)
{
	return WT_TAIL_UNITS(tail) + units <= WT_CHUNK_UNITS && WT_TAIL_ENTRIES(tail) < WT_CHUNK_ENTRIES &&
	       !(tail & WT_TAIL_CLOSED);
}

/* Copies the rows to where `tail` says that they were reserved, and publishes them. */
static inline void wt_queue_fill(const struct wt_queue *q, uint64_t tail, const void *row, uint32_t rows,
                                 uint32_t units)
{
	struct wt_chunk *chunk = wt_queue_chunk(q, WT_TAIL_CHUNK(tail));
	if (wt_unlikely(wt_queue_test_stop)) wt_queue_test_stop();
	char *to = (char *)&chunk->data[WT_TAIL_UNITS(tail)];
	memcpy(to, row, (size_t)units * 8);
	/* The place of the next operation, which the writer had last: fetched now, it doesn't hold up the locked
	 * instructions with which that one begins. */
	for (uint32_t line = 0; line < WT_PREFETCH_LINES; line++)
		__builtin_prefetch(to + (size_t)units * 8 + (size_t)line * WT_CACHE_LINE, 1);
	/* Release: the writer that sees the entry sees whole rows. */
	atomic_store_explicit(&chunk->entry[WT_TAIL_ENTRIES(tail)], WT_ENTRY(units, WT_TAIL_UNITS(tail), rows),
	                      memory_order_release);
}

/* The rest of a push: `credit` is what the shard's credit was before the rows were taken from it. */
uint32_t wt_queue_push_slowly(struct wt_queue *q, uint32_t shard, const void *row, uint32_t rows, uint64_t credit);

/* A reservation behind the chunk's end: the writer needn't wait for it. */
void wt_queue_leave_void(const struct wt_queue *q, uint64_t tail);

/* Hands over `rows` rows, `bytes` in all, one behind the other, in order. Returns how many went in: the others are
 * counted as queue_full, or as stopped once the queue is closed, and stay the caller's to release. */
static inline uint32_t wt_queue_push(struct wt_queue *q, uint32_t s, const void *row, uint32_t rows, uint32_t bytes)
{
	struct wt_shard *shard = &q->shard[s];
	/* Tried + rows, credit − rows. The bias keeps the low half above zero, so it borrows nothing from the high one. */
	uint64_t credit =
		atomic_fetch_add_explicit(&shard->credit, ((uint64_t)rows << 32) - rows, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&shard->tail, memory_order_relaxed);
	if (wt_likely(WT_CREDIT_LEFT(credit) >= rows && wt_queue_fits(tail, bytes / 8))) {
		/* Acquire: the chunk is empty as the writer left it. */
		tail = atomic_fetch_add_explicit(&shard->tail, WT_TAIL_STEP(bytes / 8), memory_order_acquire);
		if (wt_likely(wt_queue_fits(tail, bytes / 8))) {
			wt_queue_fill(q, tail, row, rows, bytes / 8);
			return rows;
		}
		wt_queue_leave_void(q, tail);
	}
	return wt_queue_push_slowly(q, s, row, rows, credit);
}

/* Rows that are tried while nothing is taken any more. */
void wt_queue_refuse(struct wt_queue *q, uint32_t shard, const void *row, uint32_t rows);

/* Records reserved and not yet returned by the writer. */
uint64_t wt_queue_depth(const struct wt_queue *q);

/* Records tried since the beginning. Writer only. */
uint64_t wt_queue_tried(struct wt_queue *q);

/* Nothing goes in any more; what is being handed over at this moment may still be published. */
void wt_queue_close(struct wt_queue *q);

/* ---- The writer's side: one thread, private memory --------------------------------------------------------------- */

struct wt_chunk_reader {
	uint32_t next;    /* chunk after it in its shard (or among those to be freed), WT_NO_CHUNK at the end */
	uint32_t entries; /* how many it had when the pass began */
	uint32_t from;    /* entries below are done */
	bool final;       /* it isn't the shard's current chunk any more: `entries` stays */
};

struct wt_reader {
	struct wt_queue *queue;
	struct wt_chunk_reader *chunk; /* an element a chunk of the queue, the caller's memory */
	uint32_t oldest[WT_SHARDS_MAX], newest[WT_SHARDS_MAX];
	uint32_t generation;  /* of the publication that will cover what is read now */
	uint32_t retired;     /* chunks to be freed with it */
	uint64_t credits;     /* records to be allowed again with it */
	uint64_t passed_over; /* entries of the last pass that weren't published */
	/* Called in a pass between two entries, and when a chunk could be freed; may call wt_reader_release; may be NULL. */
	void (*entry_done)(void);
	void (*retire)(void);
};

void wt_reader_init(struct wt_reader *r, struct wt_queue *q, struct wt_chunk_reader *chunk);

/* Fixes what the next pass reads: what is reserved now, so that steady production can't hold the writer for ever. */
void wt_reader_snapshot(struct wt_reader *r);

/* Calls `take` for every row of the snapshot, shard by shard, in order. */
void wt_reader_pass(struct wt_reader *r, void (*take)(void *context, const struct wt_row *row), void *context);

/* What the passes read is in the file and published: its space and credits may be used again. */
void wt_reader_release(struct wt_reader *r);

#endif
