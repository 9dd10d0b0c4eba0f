/* SPDX-License-Identifier: MIT */
/* The ways of measuring a peer. Producers are threads of their own; the thread that measures waits meanwhile. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "bench.h"

enum { WRITER_STEP_OPS = 1000 };

static const struct peer *peer;
static const struct load *load;
static enum mode mode;
static struct samples *sample;

static pthread_barrier_t before, after;
static atomic_int at_start;
static atomic_bool finished;
static atomic_uint_fast64_t burst_first; /* number of a thread's first operation of the burst */

static struct producer {
	_Alignas(128) pthread_t thread;
	int index;
	uint64_t elapsed_ticks;
	uint32_t *op_ticks; /* paced only: of each operation */
} producers[MAX_THREADS];

/* All producers have a processor and begin at once. */
static void line_up(void)
{
	atomic_fetch_add(&at_start, 1);
	while (atomic_load(&at_start) < load->threads) {
	}
}

static void run_burst(struct producer *p)
{
	uint64_t first = atomic_load(&burst_first);
	line_up();
	uint64_t begin = ticks();
	peer->run(p->index, first, load->ops);
	p->elapsed_ticks = ticks() - begin;
}

static void run_paced(struct producer *p)
{
	uint64_t pace = (uint64_t)(PACE_NS / ns_per_tick);
	line_up();
	uint64_t next = ticks();
	for (uint64_t i = 0; i < load->ops; i++, next += pace) {
		while (ticks() < next) {
		}
		uint64_t begin = ticks();
		peer->run(p->index, i, 1);
		p->op_ticks[i] = (uint32_t)(ticks() - begin);
	}
}

static void run_writer(struct producer *p)
{
	for (uint64_t i = 0; i < load->ops; i += WRITER_STEP_OPS) {
		peer->throttle(i);
		peer->run(p->index, i, load->ops - i < WRITER_STEP_OPS ? load->ops - i : WRITER_STEP_OPS);
	}
}

static void *produce(void *argument)
{
	static void (*const run[])(struct producer *) = {
		[MODE_BURST] = run_burst, [MODE_PACED] = run_paced, [MODE_WRITER] = run_writer};
	for (;;) {
		pthread_barrier_wait(&before);
		if (atomic_load(&finished)) return NULL;
		run[mode](argument);
		pthread_barrier_wait(&after);
	}
}

static void start_producers(void)
{
	pthread_barrier_init(&before, NULL, (unsigned)load->threads + 1);
	pthread_barrier_init(&after, NULL, (unsigned)load->threads + 1);
	for (int i = 0; i < load->threads; i++) {
		struct producer *p = &producers[i];
		p->index = i;
		if (mode == MODE_PACED && !(p->op_ticks = calloc(load->ops, sizeof *p->op_ticks))) die("no memory");
		if (pthread_create(&p->thread, NULL, produce, p)) die("can't start %d threads", load->threads);
	}
}

static void run_producers(void)
{
	atomic_store(&at_start, 0);
	pthread_barrier_wait(&before);
	pthread_barrier_wait(&after);
}

static void end_producers(void)
{
	atomic_store(&finished, true);
	pthread_barrier_wait(&before);
	for (int i = 0; i < load->threads; i++) pthread_join(producers[i].thread, NULL);
}

/* A burst's sample is the mean of its threads: what a record costs the thread that produces it. */
static void measure_bursts(void)
{
	for (uint64_t b = 0; b < load->bursts; b++) {
		atomic_store(&burst_first, b * load->ops);
		run_producers();
		double sum = 0;
		for (int i = 0; i < load->threads; i++) sum += (double)producers[i].elapsed_ticks;
		samples_add(sample, sum * ns_per_tick / (double)(load->ops * RECORDS_PER_OP * (uint64_t)load->threads));
		peer->drain((b + 1) * load->ops);
	}
}

static void measure_paced(void)
{
	run_producers();
	for (int i = 0; i < load->threads; i++)
		for (uint64_t k = 0; k < load->ops; k++)
			samples_add(sample, (double)producers[i].op_ticks[k] * ns_per_tick);
}

void measure(const struct peer *who, enum mode how, const struct load *what, struct samples *out)
{
	peer = who;
	mode = how;
	load = what;
	sample = out;
	peer->open(load);
	start_producers();
	uint64_t begin = monotonic_ns(), ops = load->ops;
	if (mode == MODE_BURST) measure_bursts();
	if (mode == MODE_PACED) measure_paced();
	if (mode == MODE_WRITER) run_producers();
	if (mode == MODE_BURST) ops *= load->bursts;
	out->lost += peer->close(ops);
	if (mode == MODE_WRITER)
		samples_add(out, (double)(ops * RECORDS_PER_OP) * 1e9 / (double)(monotonic_ns() - begin));
	peer->verify(ops);
	end_producers();
}
