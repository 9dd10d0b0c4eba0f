/* SPDX-License-Identifier: MIT */
/* bench-recorder: what the parts share. A measurement runs in a process of its own (child.c), because a process has
 * one session in its life; there measure.c drives a peer through struct peer, and the samples go back by a pipe. */
#ifndef BENCH_RECORDER_H
#define BENCH_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum {
	MAX_THREADS = 64,
	RECORDS_PER_OP = 3,
	QUEUE_RECORDS = 262144, /* ours: the queue of all threads; floor: each thread's ring */
	BACK_END_IDLE_MS = 10,  /* how long an idle back end sleeps: the recorder's default drain_ms, the floor's too */
	PACE_NS = 20000,
	CHILD_LIMIT_S = 300,
	/* A record carries thread << UID_THREAD_SHIFT | number of the operation, so that a reader can tell its place. */
	UID_THREAD_SHIFT = 40
};

/* One measurement. */
struct load {
	const char *directory; /* in the peer: an empty one of its own */
	int threads;
	uint64_t ops;    /* a burst and thread, or all of them */
	uint64_t bursts; /* burst only */
	bool shared_logger;
	bool to_file; /* the floor encodes lines and writes them too */
	bool block;   /* a full floor ring makes its producer wait instead of losing */
};

/* Something that records. One measurement a process, so that its state is static. Failures end the process (die). */
struct peer {
	const char *name;
	bool guest; /* another project's: only burst and paced, not with --quick unless named, no failure of the bench's */
	void (*open)(const struct load *load);
	/* Operations first … first + n − 1 of `thread`; any number of threads at once, one for each index. */
	void (*run)(int thread, uint64_t first, uint64_t n);
	/* Returns when the first `ops` operations of every thread have left the queue. */
	void (*drain)(uint64_t ops);
	/* Returns when thread 0, which has run `ops` operations, may run a few thousand more without a loss. */
	void (*throttle)(uint64_t ops);
	/* Ends it when all is written, each thread having run `ops` operations; returns how many records were lost. */
	uint64_t (*close)(uint64_t ops);
	/* Afterwards: checks that what was kept is all there and in order. */
	void (*verify)(uint64_t ops);
};

extern const struct peer peer_ours, peer_floor;
extern const struct peer peer_lttng, peer_spdlog; /* where meson found them */

/* ---- What a measurement yields: samples in the unit of its mode ---- */
struct samples {
	double *value;
	size_t n, room;
	uint64_t lost;
};
void samples_add(struct samples *s, double value);
void samples_free(struct samples *s);
/* The smallest value that `share` (0 … 1) of the samples don't exceed; sorts them. 0 if there are none. */
double samples_quantile(struct samples *s, double share);

enum mode { MODE_BURST, MODE_PACED, MODE_WRITER, MODE_INACTIVE };
/* What the samples of MODE_INACTIVE are, in order. */
enum inactive { INACTIVE_NULL, INACTIVE_NO_SLOT, INACTIVE_CLOSING, INACTIVES };

/* measure.c: burst: ns a record, a sample a burst; paced: ns an operation, a sample each; writer: records a second. */
void measure(const struct peer *peer, enum mode mode, const struct load *load, struct samples *out);
/* ours.c: the shortest ns an operation of each enum inactive. */
void measure_inactive(const struct load *load, struct samples *out);

/* child.c: runs one measurement in a child, in a new directory below load->directory, and adds its
 * samples to `out`; false (and said why) if it failed. */
bool measure_in_child(const struct peer *peer, enum mode mode, const struct load *load, struct samples *out);
/* The same in this process, whose only measurement it then is: for valgrind, and for a debugger. */
void measure_here(const struct peer *peer, enum mode mode, const struct load *load, struct samples *out);

/* tail.c: ends the process unless each thread's `ops` operations are in the file, whole and in order. */
void verify_file(const char *path, int threads, uint64_t ops);

/* ---- Clock: raw ticks, of the time-stamp counter where there is one ---- */
void ticks_calibrate(void);
extern double ns_per_tick, ns_a_read; /* a read: of ticks() */
uint64_t monotonic_ns(void);
static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return monotonic_ns();
#endif
}

/* Ends the process with a message: a bench has nothing to print that it couldn't measure. */
__attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...);

/* Where the instrumented program would take its lock, sync or wake: the compiler may not look across it. */
#define CALLER_WORKS() __asm__ volatile("" ::: "memory")

#endif
