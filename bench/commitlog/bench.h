/* SPDX-License-Identifier: MIT */
/* Parts of bench-commitlog: the load on the log, the yardstick `limit` as a child process, the table. */
#ifndef BENCH_COMMITLOG_H
#define BENCH_COMMITLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct figures {
	double commits_per_s, p50_us, p99_us, commits_per_fsync, cpu_us_per_commit;
	uint64_t commits, lost;
	uint64_t fsyncs; /* of blocks; ours only */
};

struct load {
	const char *directory; /* made for the run, removed after it */
	unsigned threads;
	size_t payload_bytes;
	double seconds;
	uint64_t delay_ms;
	uint64_t prefill_bytes; /* 0: the log's defaults for files */
};

/* Runs a closed loop of append, flush, confirm in each thread, closes the log, reads it back and compares. Says what is
 * wrong on stderr. 0 or -1. */
int run_load(const struct load *load, struct figures *figures);

/* Runs `limit` with this many threads (0: raw) in `directory`. 0 or -1. */
int run_limit(const char *directory, unsigned threads, size_t payload_bytes, double seconds, struct figures *figures);

#endif
