/* SPDX-License-Identifier: MIT */
/* Producers' side of the queue; the picture is in queue.h. */
#include "trace/queue.h"

#include <string.h>

enum { CREDIT_BATCH = 64 }; /* records that a shard draws ahead while there are plenty */

uint32_t wt_queue_shards(uint64_t capacity, uint32_t cpus)
{
	uint32_t n = 1;
	while (n < cpus && n < WT_SHARDS_MAX && capacity / (2 * n) >= WT_SHARD_RECORDS_MIN) n *= 2;
	return n;
}

/* A shard's newest chunk may be nearly empty while another needs it, hence the one more for each. */
uint32_t wt_queue_chunks(uint64_t capacity, uint32_t shards)
{
	uint64_t bytes = capacity * WT_QUEUE_RECORD_BYTES + WT_QUEUE_EXTRA_BYTES;
	return (uint32_t)((bytes + WT_CHUNK_UNITS * 8 - 1) / (WT_CHUNK_UNITS * 8)) + shards;
}

void wt_queue_init(struct wt_queue *q)
{
	wt_pool_fill(&q->pool, q->chunks);
	for (uint32_t i = 0; i < q->shards; i++) {
		atomic_store_explicit(&q->shard[i].credit, WT_CREDIT_BIAS, memory_order_relaxed);
		/* No chunk yet, and full: the first producer installs one. */
		atomic_store_explicit(&q->shard[i].tail, WT_TAIL(WT_NO_CHUNK, WT_CHUNK_ENTRIES, WT_CHUNK_UNITS),
		                      memory_order_relaxed);
	}
	atomic_store_explicit(q->credit, (int64_t)q->capacity, memory_order_release);
}

/* The one place where a row is counted as given up. Returns the place behind the n rows. */
static const char *lose(struct wt_queue *q, uint32_t s, enum wt_loss cause, const char *row, uint32_t n)
{
	if (!n) return row;
	atomic_fetch_add_explicit(&q->shard[s].lost[cause], n, memory_order_relaxed);
	for (; n; n--) {
		const struct wt_row *r = (const void *)row;
		if (q->lost) q->lost(cause, r);
		row += r->bytes;
	}
	return row;
}

/* Takes up to n from the pot. Exact: each caller's range of the counter either lies above zero or is given back. */
static uint32_t draw(struct wt_queue *q, uint32_t n)
{
	int64_t old = atomic_fetch_sub_explicit(q->credit, n, memory_order_relaxed);
	uint32_t got = old <= 0 ? 0 : old < n ? (uint32_t)old : n;
	if (got < n) atomic_fetch_add_explicit(q->credit, n - got, memory_order_relaxed);
	return got;
}

/* Takes up to n credits that another shard holds unused. */
static uint32_t steal(struct wt_shard *victim, uint32_t n)
{
	uint64_t old = atomic_load_explicit(&victim->credit, memory_order_relaxed);
	for (int i = 0; i < WT_HANDOVER_TRIES; i++) {
		int64_t left = WT_CREDIT_LEFT(old);
		if (left <= 0) return 0;
		uint32_t part = left < n ? (uint32_t)left : n;
		if (atomic_compare_exchange_weak_explicit(&victim->credit, &old, old - part, memory_order_relaxed,
		                                          memory_order_relaxed))
			return part;
	}
	return 0;
}

static WT_NOINLINE uint32_t take_credit_slowly(struct wt_queue *q, uint32_t s, uint32_t n, uint32_t own)
{
	struct wt_shard *shard = &q->shard[s];
	uint32_t missing = n - own;
	atomic_fetch_add_explicit(&shard->credit, missing, memory_order_relaxed); /* they weren't there */
	missing -= draw(q, missing);
	/* Ahead only while there is far more than all shards could hold back: near the end every credit counts. */
	if (!missing &&
	    atomic_load_explicit(q->credit, memory_order_relaxed) > (int64_t)(q->shards + 1) * 4 * CREDIT_BATCH)
		atomic_fetch_add_explicit(&shard->credit, draw(q, CREDIT_BATCH), memory_order_relaxed);
	for (uint32_t i = 0; missing && i < q->shards; i++) missing -= steal(&q->shard[i], missing);
	return n - missing;
}

/* How many of n rows, which were taken from a shard with this credit, may go in. */
static uint32_t allowed(struct wt_queue *q, uint32_t s, uint32_t n, uint64_t credit)
{
	int64_t left = WT_CREDIT_LEFT(credit);
	if (left >= n) return n;
	return take_credit_slowly(q, s, n, left > 0 ? (uint32_t)left : 0);
}

void (*wt_queue_test_stop)(void);

void wt_queue_leave_void(const struct wt_queue *q, uint64_t tail)
{
	if (tail & WT_TAIL_CLOSED || WT_TAIL_ENTRIES(tail) >= WT_CHUNK_ENTRIES) return;
	atomic_store_explicit(&wt_queue_chunk(q, WT_TAIL_CHUNK(tail))->entry[WT_TAIL_ENTRIES(tail)], WT_ENTRY_VOID,
	                      memory_order_release);
}

/* Atomic, since the chunk may just be getting its next number as another's. */
static uint64_t number_of(const struct wt_queue *q, uint32_t chunk)
{
	return __atomic_load_n(&wt_queue_chunk(q, chunk)->number, __ATOMIC_RELAXED);
}

/* Installs `spare` behind the full chunk of *tail with this reservation already in it; false if someone was faster. */
static bool install(struct wt_queue *q, uint32_t s, uint64_t tail, uint32_t spare, uint32_t units)
{
	struct wt_chunk *chunk = wt_queue_chunk(q, spare);
	uint32_t entries = WT_TAIL_ENTRIES(tail);
	chunk->prev = WT_TAIL_CHUNK(tail);
	chunk->prev_entries = entries < WT_CHUNK_ENTRIES ? entries : WT_CHUNK_ENTRIES;
	chunk->owner = s + 1;
	/* If prev was replaced and given back meanwhile, its number is another's, and the CAS fails. */
	__atomic_store_n(&chunk->number, chunk->prev == WT_NO_CHUNK ? 1 : number_of(q, chunk->prev) + 1,
	                 __ATOMIC_RELAXED);
	/* Release: whoever finds the chunk in the tail finds prev and prev_entries set and the entries zero. */
	return atomic_compare_exchange_strong_explicit(&q->shard[s].tail, &tail, WT_TAIL(spare, 1, units),
	                                               memory_order_acq_rel, memory_order_relaxed);
}

enum put { PUT_IN, PUT_FULL, PUT_CLOSED };

static enum put put(struct wt_queue *q, uint32_t s, const void *row, uint32_t rows, uint32_t units)
{
	_Atomic uint64_t *tail = &q->shard[s].tail;
	uint32_t spare = WT_POOL_NONE;
	enum put result = PUT_FULL;
	for (int i = 0; i < WT_HANDOVER_TRIES; i++) {
		uint64_t seen = atomic_load_explicit(tail, memory_order_relaxed);
		if (wt_unlikely(seen & WT_TAIL_CLOSED)) {
			result = PUT_CLOSED;
			break;
		}
		if (wt_queue_fits(seen, units)) {
			/* Acquire: the chunk is empty as the writer left it. */
			seen = atomic_fetch_add_explicit(tail, WT_TAIL_STEP(units), memory_order_acquire);
			if (wt_queue_fits(seen, units)) {
				if (spare != WT_POOL_NONE) wt_pool_give(&q->pool, spare);
				wt_queue_fill(q, seen, row, rows, units);
				return PUT_IN;
			}
			wt_queue_leave_void(q, seen);
			continue;
		}
		if (spare == WT_POOL_NONE) spare = wt_pool_take(&q->pool);
		if (spare == WT_POOL_NONE) break;
		if (install(q, s, seen, spare, units)) {
			wt_queue_fill(q, WT_TAIL(spare, 0, 0), row, rows, units);
			if (q->grown) q->grown();
			return PUT_IN;
		}
	}
	if (spare != WT_POOL_NONE) wt_pool_give(&q->pool, spare);
	return result;
}

/* Rows from `row` on that fit into `units` together; *bytes is their size. */
static uint32_t prefix(const void *row, uint32_t rows, uint32_t units, uint32_t *bytes)
{
	uint32_t n = 0, size = 0;
	for (; n < rows; n++) {
		const struct wt_row *r = (const void *)((const char *)row + size);
		if (size + r->bytes > units * 8) break;
		size += r->bytes;
	}
	*bytes = size;
	return n;
}

uint32_t wt_queue_push_slowly(struct wt_queue *q, uint32_t s, const void *row, uint32_t rows, uint64_t credit)
{
	uint32_t may = allowed(q, s, rows, credit), in = 0;
	enum put result = PUT_IN;
	const char *at = row;
	while (in < may) {
		uint32_t bytes, n = prefix(at, may - in, WT_CHUNK_UNITS, &bytes);
		result = put(q, s, at, n, bytes / 8);
		if (result != PUT_IN) break;
		in += n;
		at += bytes;
	}
	if (in < may) atomic_fetch_add_explicit(&q->shard[s].credit, may - in, memory_order_relaxed);
	at = lose(q, s, result == PUT_CLOSED ? WT_LOSS_stopped : WT_LOSS_queue_full, at, may - in);
	lose(q, s, WT_LOSS_queue_full, at, rows - may);
	return in;
}

void wt_queue_refuse(struct wt_queue *q, uint32_t s, const void *row, uint32_t rows)
{
	atomic_fetch_add_explicit(&q->shard[s].credit, (uint64_t)rows << 32, memory_order_relaxed);
	lose(q, s, WT_LOSS_stopped, row, rows);
}

uint64_t wt_queue_depth(const struct wt_queue *q)
{
	int64_t left = atomic_load_explicit(q->credit, memory_order_relaxed);
	for (uint32_t i = 0; i < q->shards; i++)
		left += WT_CREDIT_LEFT(atomic_load_explicit(&q->shard[i].credit, memory_order_relaxed));
	return left < 0 ? q->capacity : left < (int64_t)q->capacity ? q->capacity - (uint64_t)left : 0;
}

uint64_t wt_queue_tried(struct wt_queue *q)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < q->shards; i++) {
		struct wt_shard *shard = &q->shard[i];
		uint32_t now = WT_CREDIT_TRIED(atomic_load_explicit(&shard->credit, memory_order_acquire));
		shard->tried +=
			(uint32_t)(now - shard->tried_seen); /* wraps after 4 G records, far more than a window's */
		shard->tried_seen = now;
		sum += shard->tried;
	}
	return sum;
}

void wt_queue_close(struct wt_queue *q)
{
	for (uint32_t i = 0; i < q->shards; i++)
		atomic_fetch_or_explicit(&q->shard[i].tail, WT_TAIL_CLOSED, memory_order_acq_rel);
}
