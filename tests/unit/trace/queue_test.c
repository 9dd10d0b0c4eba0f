/* SPDX-License-Identifier: MIT */
/* The hand-over queue without a session: its memory is the test's own. */
#include "trace/queue.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/cm.h"

enum { THREADS = 4 };

static struct wt_queue q;
static struct wt_reader reader;
static struct wt_pool_head pool_head;
static _Atomic int64_t credit;

static void make(uint64_t capacity, uint32_t shards)
{
	memset(&q, 0, sizeof q);
	q.capacity = capacity;
	q.shards = shards;
	q.chunks = wt_queue_chunks(capacity, shards);
	q.credit = &credit;
	assert_int_equal(posix_memalign((void **)&q.shard, 256, shards * sizeof *q.shard), 0);
	memset(q.shard, 0, shards * sizeof *q.shard);
	q.chunk = calloc(q.chunks, WT_CHUNK_BYTES);
	q.pool = (struct wt_pool){.head = &pool_head, .link = calloc(q.chunks, sizeof(uint32_t))};
	wt_queue_init(&q);
	wt_reader_init(&reader, &q, calloc(q.chunks, sizeof *reader.chunk));
}

static void unmake(void)
{
	free(q.shard);
	free(q.chunk);
	free(q.pool.link);
	free(reader.chunk);
}

static struct wt_row *row(void *at, uint64_t id, uint32_t bytes)
{
	struct wt_row *r = at;
	memset(r, 0, bytes);
	r->bytes = bytes;
	r->id = id;
	return r;
}

static uint32_t push(uint32_t shard, uint64_t id, uint32_t rows, uint32_t bytes)
{
	static _Thread_local _Alignas(8) char memory[WALTRACE_MAX_ROWS * WALTRACE__ROW_MAX];
	for (uint32_t i = 0; i < rows; i++) row(memory + i * bytes, id + i, bytes);
	return wt_queue_push(&q, shard, memory, rows, rows * bytes);
}

static uint64_t lost(enum wt_loss cause)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < q.shards; i++) sum += q.shard[i].lost[cause];
	return sum;
}

/* What the writer took: how many, and the last id of each thread (the id's high part), which must rise. */
static struct {
	uint64_t rows, last[64];
	bool in_order;
} taken;

static void take(void *context, const struct wt_row *r)
{
	(void)context;
	uint64_t thread = r->id >> 32;
	if (r->id <= taken.last[thread]) taken.in_order = false;
	taken.last[thread] = r->id;
	taken.rows++;
}

static void pass(void)
{
	wt_reader_snapshot(&reader);
	wt_reader_pass(&reader, take, NULL);
	wt_reader_release(&reader);
}

static int reset(void **state)
{
	(void)state;
	memset(&taken, 0, sizeof taken);
	taken.in_order = true;
	return 0;
}

static void capacity_is_exact(void **state)
{
	(void)state;
	static const uint64_t capacity[] = {16, 17, 1000, 65536};
	for (size_t i = 0; i < sizeof capacity / sizeof capacity[0]; i++) {
		uint64_t in = 0;
		reset(NULL);
		make(capacity[i], 1);
		for (uint64_t n = 0; n < capacity[i] + 50; n += 5) in += push(0, n + 1, 5, 64);
		assert_int_equal(in, capacity[i]);
		assert_int_equal(wt_queue_depth(&q), capacity[i]);
		assert_int_equal(wt_queue_tried(&q), in + lost(WT_LOSS_queue_full));
		pass();
		assert_int_equal(taken.rows, capacity[i]);
		assert_true(taken.in_order);
		assert_int_equal(wt_queue_depth(&q), 0);
		assert_int_equal(push(0, 1ull << 40, 1, 64), 1); /* there is room again */
		unmake();
	}
}

static void one_shard_can_use_what_another_has_drawn_ahead(void **state)
{
	(void)state;
	enum { CAPACITY = 8192 };
	uint64_t in = 0;
	make(CAPACITY, 4);
	for (uint32_t s = 0; s < 4; s++) in += push(s, s + 1, 1, 64); /* each now holds a batch of credits */
	while (push(3, ++in << 8, 1, 40)) assert_true(in < 2 * CAPACITY);
	assert_int_equal(wt_queue_depth(&q), CAPACITY);
	assert_int_equal(in - 1, CAPACITY);
	unmake();
}

static void an_operation_goes_in_as_far_as_it_fits(void **state)
{
	(void)state;
	make(16, 1);
	assert_int_equal(push(0, 1, 10, 64), 10);
	assert_int_equal(push(0, 11, 10, 64), 6);
	assert_int_equal(lost(WT_LOSS_queue_full), 4);
	pass();
	assert_int_equal(taken.rows, 16);
	assert_int_equal(taken.last[0], 16);
	unmake();
}

static void bytes_run_out_before_records(void **state)
{
	(void)state;
	uint64_t in = 0;
	uint32_t got;
	make(1000, 1);
	while ((got = push(0, in + 1, 4, 2400)) == 4) in += got;
	in += got;
	assert_true(in < 1000);
	assert_true(in * 2400 >= 1000 * WT_QUEUE_RECORD_BYTES); /* never less than was promised */
	assert_int_equal(wt_queue_tried(&q), in + lost(WT_LOSS_queue_full));
	pass();
	assert_int_equal(taken.rows, in);
	assert_int_equal(wt_queue_depth(&q), 0);
	unmake();
}

static void the_largest_operation_fits_into_the_smallest_queue(void **state)
{
	(void)state;
	make(WALTRACE_MAX_ROWS, 1);
	assert_int_equal(push(0, 1, 26, WALTRACE__ROW_MAX), 26); /* 64 KiB */
	pass();
	assert_int_equal(taken.rows, 26);
	assert_true(taken.in_order);
	unmake();
}

static void closed_takes_nothing_and_counts_it_as_stopped(void **state)
{
	(void)state;
	make(64, 1);
	push(0, 1, 3, 64);
	wt_queue_close(&q);
	assert_int_equal(push(0, 4, 2, 64), 0);
	_Alignas(8) char rows[5 * 64];
	for (uint32_t i = 0; i < 5; i++) row(rows + i * 64, 6 + i, 64);
	wt_queue_refuse(&q, 0, rows, 5);
	assert_int_equal(lost(WT_LOSS_stopped), 7);
	assert_int_equal(wt_queue_tried(&q), 10);
	pass();
	assert_int_equal(taken.rows, 3);
	unmake();
}

/* ---- Threads ------------------------------------------------------------------------------------------------------- */

enum { OPERATIONS = 20000, ROWS = 3 };

static void *produce(void *argument)
{
	uintptr_t n = (uintptr_t)argument;
	for (uint64_t i = 0; i < OPERATIONS; i++)
		push((uint32_t)n % q.shards, n << 32 | (i * ROWS + 1), ROWS, 40 + 8 * (uint32_t)(i % 9));
	return NULL;
}

/* A shard that ever handed something over keeps its newest chunk. */
static uint32_t chunks_in_use(void)
{
	uint32_t n = 0;
	for (uint32_t s = 0; s < q.shards; s++) n += WT_TAIL_CHUNK(q.shard[s].tail) != WT_NO_CHUNK;
	return n;
}

static void produce_while_reading(uint64_t capacity, uint32_t shards)
{
	pthread_t thread[THREADS];
	reset(NULL);
	make(capacity, shards);
	for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, produce, (void *)i);
	for (int i = 0; i < 200; i++) pass();
	for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
	pass();
	assert_true(taken.in_order);
	assert_int_equal(wt_queue_tried(&q), THREADS * OPERATIONS * ROWS);
	assert_int_equal(taken.rows + lost(WT_LOSS_queue_full), THREADS * OPERATIONS * ROWS);
	assert_int_equal(wt_queue_depth(&q), 0);
	assert_int_equal(pool_head.free + chunks_in_use(), q.chunks);
	unmake();
}

static void what_threads_hand_over_stays_in_order_and_adds_up(void **state)
{
	(void)state;
	produce_while_reading(262144, 4);
	produce_while_reading(262144, 1);
	produce_while_reading(1000, 1);
	produce_while_reading(8192, 2);
}

static void a_full_queue_is_exact_with_threads(void **state)
{
	(void)state;
	for (uint32_t shards = 1; shards <= 4; shards *= 4) {
		pthread_t thread[THREADS];
		reset(NULL);
		make(20000, shards);
		for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, produce, (void *)i);
		for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
		pass();
		assert_int_equal(taken.rows, 20000);
		assert_true(taken.in_order);
		unmake();
	}
}

static sem_t arrived, go_on;
static _Thread_local bool stops_here;

static void stop_here(void)
{
	if (!stops_here) return;
	stops_here = false;
	sem_post(&arrived);
	sem_wait(&go_on);
}

static void *stop_in_the_middle(void *unused)
{
	(void)unused;
	stops_here = true;
	push(0, 1ull << 32 | 1, 2, 64);
	return NULL;
}

static void a_producer_stopped_in_the_middle_holds_up_nobody(void **state)
{
	(void)state;
	pthread_t stopped;
	sem_init(&arrived, 0, 0);
	sem_init(&go_on, 0, 0);
	make(65536, 1);
	wt_queue_test_stop = stop_here;
	push(0, 1, 1, 64);
	pthread_create(&stopped, NULL, stop_in_the_middle, NULL);
	sem_wait(&arrived);
	for (uint64_t i = 0; i < 2000; i++) assert_int_equal(push(0, 2 + i, 1, 64), 1); /* over several chunks */
	pass();
	assert_int_equal(taken.rows, 2001);
	assert_int_equal(reader.passed_over, 1);
	assert_int_equal(wt_queue_depth(&q), 2);
	pass();
	assert_int_equal(taken.rows, 2001); /* nothing is taken twice */
	sem_post(&go_on);
	pthread_join(stopped, NULL);
	wt_queue_test_stop = NULL;
	pass();
	assert_int_equal(taken.rows, 2003);
	assert_int_equal(reader.passed_over, 0);
	assert_int_equal(pool_head.free + 1, q.chunks);
	unmake();
}

static void small_queues_have_one_shard_and_large_ones_no_more_than_cpus(void **state)
{
	(void)state;
	assert_int_equal(wt_queue_shards(16, 64), 1);
	assert_int_equal(wt_queue_shards(4096, 64), 1);
	assert_int_equal(wt_queue_shards(65536, 2), 2);
	assert_int_equal(wt_queue_shards(65536, 64), 16);
	assert_int_equal(wt_queue_shards(262144, 1000), WT_SHARDS_MAX);
	assert_int_equal(wt_queue_shards(262144, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(capacity_is_exact, reset),
		cmocka_unit_test_setup(one_shard_can_use_what_another_has_drawn_ahead, reset),
		cmocka_unit_test_setup(an_operation_goes_in_as_far_as_it_fits, reset),
		cmocka_unit_test_setup(bytes_run_out_before_records, reset),
		cmocka_unit_test_setup(the_largest_operation_fits_into_the_smallest_queue, reset),
		cmocka_unit_test_setup(closed_takes_nothing_and_counts_it_as_stopped, reset),
		cmocka_unit_test_setup(what_threads_hand_over_stays_in_order_and_adds_up, reset),
		cmocka_unit_test_setup(a_full_queue_is_exact_with_threads, reset),
		cmocka_unit_test_setup(a_producer_stopped_in_the_middle_holds_up_nobody, reset),
		cmocka_unit_test_setup(small_queues_have_one_shard_and_large_ones_no_more_than_cpus, reset),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
