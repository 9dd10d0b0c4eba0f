/* SPDX-License-Identifier: MIT */
/* One ring a thread with one producer and one consumer: a record costs its values, one copy of 128 bytes and one
 * store; an operation reads the clock nine times, at the places where the recorder does.
 *
 *   head   written by the producer (release: the record is there before it), read by the consumer (acquire)
 *   tail   written by the consumer (release: it has read the record), read by the producer when its copy says "full"
 *
 * The consumer rests as long as the recorder's writer does when there is nothing to take. */
#include "floor.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OUT_BYTES = 1 << 16, WAIT_US = 50 };

static struct ring {
	/* the producer's */
	_Alignas(128) _Atomic uint64_t head;
	uint64_t known_tail, lost, start_ticks;
	struct floor_record *slot;
	struct floor_record staged[FLOOR_KINDS];
	/* the consumer's */
	_Alignas(128) _Atomic uint64_t tail;
	uint64_t misplaced, sum;
} rings[MAX_THREADS];

static struct load load;
static pthread_t consumer;
static atomic_bool closing;
static char *out;
static size_t out_used;
static int file = -1;
static char path[4096];

/* ---- producer ---- */

static WT_NOINLINE bool make_room(struct ring *ring, uint64_t head)
{
	for (;;) {
		ring->known_tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
		if (head - ring->known_tail < QUEUE_RECORDS) return true;
		if (!load.block) return false;
		usleep(WAIT_US);
	}
}

static inline void push(struct ring *ring, const struct floor_record *record)
{
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	if (wt_unlikely(head - ring->known_tail >= QUEUE_RECORDS) && !make_room(ring, head)) {
		ring->lost++;
		return;
	}
	memcpy(&ring->slot[head % QUEUE_RECORDS], record, sizeof *record);
	atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

static inline void operation(struct ring *ring, uint64_t uid)
{
	struct floor_record *sync = &ring->staged[FLOOR_SYNC], *lock = &ring->staged[FLOOR_LOCK],
			    *flush = &ring->staged[FLOOR_FLUSH];
	uint64_t base = ring->start_ticks, id = uid * RECORDS_PER_OP;
	uint64_t begin = ticks(), wait = ticks();
	CALLER_WORKS();
	uint64_t acquired = ticks(), sync_begin = ticks();
	CALLER_WORKS();
	uint64_t sync_end = ticks(), notify_begin = ticks();
	CALLER_WORKS();
	uint64_t notify_end = ticks(), releasing = ticks();
	CALLER_WORKS();
	*sync = (struct floor_record){
		id + 1, FLOOR_SYNC, {sync_begin - base, sync_end - sync_begin, id + 2, 8192, uid, 8208, 1}};
	*lock = (struct floor_record){id + 2,
	                              FLOOR_LOCK,
	                              {wait - base, uid, id + 3, acquired - wait, releasing - acquired, uid, uid,
	                               uid + 1, notify_begin - base, notify_end - notify_begin, 2, 2, 0}};
	*flush = (struct floor_record){id + 3, FLOOR_FLUSH, {begin - base, ticks() - begin, uid}};
	push(ring, sync);
	push(ring, lock);
	push(ring, flush);
}

void bench_floor_run(int thread, uint64_t first, uint64_t n);
__attribute__((noinline)) void bench_floor_run(int thread, uint64_t first, uint64_t n)
{
	uint64_t uid = (uint64_t)thread << UID_THREAD_SHIFT | first;
	for (uint64_t i = 0; i < n; i++) operation(&rings[thread], uid + i);
}

/* ---- consumer ---- */

static void write_out(void)
{
	for (size_t done = 0; done < out_used;) {
		ssize_t n = write(file, out + done, out_used - done);
		if (n < 0) die("%s: %s", path, strerror(errno));
		done += (size_t)n;
	}
	out_used = 0;
}

static void take(struct ring *ring, int thread, const struct floor_record *record, uint64_t place)
{
	if (load.to_file) {
		out_used = (size_t)(floor_json_line(out + out_used, thread, record) - out);
		if (out_used > OUT_BYTES - FLOOR_LINE_BYTES) write_out();
		return;
	}
	uint64_t uid = (uint64_t)thread << UID_THREAD_SHIFT | place / RECORDS_PER_OP;
	ring->misplaced +=
		record->kind != place % RECORDS_PER_OP || record->id != uid * RECORDS_PER_OP + record->kind + 1;
	ring->sum += record->value[FLOOR_VALUES - 1];
}

static bool take_all(void)
{
	bool any = false;
	for (int i = 0; i < load.threads; i++) {
		uint64_t head = atomic_load_explicit(&rings[i].head, memory_order_acquire);
		uint64_t tail = atomic_load_explicit(&rings[i].tail, memory_order_relaxed);
		any |= tail < head;
		for (; tail < head; tail++) {
			take(&rings[i], i, &rings[i].slot[tail % QUEUE_RECORDS], tail);
			if (tail % 64 == 63) atomic_store_explicit(&rings[i].tail, tail + 1, memory_order_release);
		}
		atomic_store_explicit(&rings[i].tail, tail, memory_order_release);
	}
	return any;
}

static void *consume(void *unused)
{
	for (;;) {
		bool last = atomic_load(&closing);
		if (take_all()) continue;
		if (out_used) write_out();
		if (last) return unused;
		usleep(load.block ? WAIT_US : BACK_END_IDLE_MS * 1000);
	}
}

/* ---- the peer ---- */

static void open_floor(const struct load *how)
{
	load = *how;
	for (int i = 0; i < load.threads; i++) {
		rings[i].slot = mmap(NULL, QUEUE_RECORDS * sizeof(struct floor_record), PROT_READ | PROT_WRITE,
		                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (rings[i].slot == MAP_FAILED) die("no memory for a ring");
		rings[i].start_ticks = ticks();
	}
	if (load.to_file) {
		floor_json_open(load.threads);
		snprintf(path, sizeof path, "%s/floor.jsonl", load.directory);
		file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		out = malloc(OUT_BYTES);
		if (file < 0 || !out) die("%s: %s", path, strerror(errno));
	}
	if (pthread_create(&consumer, NULL, consume, NULL)) die("no thread for the floor's back end");
}

static void drain_floor(uint64_t ops)
{
	for (int i = 0; i < load.threads; i++)
		while (atomic_load(&rings[i].tail) < ops * RECORDS_PER_OP - rings[i].lost) usleep(1000);
	usleep(2000);
}

static void throttle_floor(uint64_t ops) { (void)ops; }

static uint64_t close_floor(uint64_t ops)
{
	atomic_store(&closing, true);
	pthread_join(consumer, NULL);
	uint64_t lost = 0;
	for (int i = 0; i < load.threads; i++) {
		lost += rings[i].lost;
		if (rings[i].misplaced)
			die("floor: thread %d: %llu records reordered", i, (unsigned long long)rings[i].misplaced);
		if (atomic_load(&rings[i].tail) != ops * RECORDS_PER_OP)
			die("floor: thread %d: records are missing", i);
	}
	return lost;
}

/* Apart from close_floor, so that reading the file back isn't in the writer's time. */
static void verify_floor(uint64_t ops)
{
	if (load.to_file) verify_file(path, load.threads, ops);
}

const struct peer peer_floor = {.name = "floor",
                                .open = open_floor,
                                .run = bench_floor_run,
                                .drain = drain_floor,
                                .throttle = throttle_floor,
                                .close = close_floor,
                                .verify = verify_floor};
