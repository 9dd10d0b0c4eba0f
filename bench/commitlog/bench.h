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
	uint64_t trace_records, trace_lost;
};

enum engine { ENGINE_OURS, ENGINE_LEVELDB, ENGINE_ROCKSDB, ENGINE_SQLITE, ENGINES };

struct load {
	enum engine engine;
	const char *directory; /* made for the run, removed after it */
	unsigned threads;
	size_t payload_bytes;
	double seconds;
	uint64_t delay_ms;
	uint64_t prefill_bytes; /* 0: the log's defaults for files */

	/* Ours only. */
	const char *trace_directory; /* NULL: not recorded */
	uint64_t min_ns;
};

/* Runs a closed loop of append, flush, confirm in each thread, closes the log, reads it back and compares; in a process of
 * its own, whose processor time is all counted, the recorder's writer included. Other engines put a record durably and
 * aren't read back. Says what is wrong on stderr. 0 or -1. */
int run_load(const struct load *load, struct figures *figures);

/* Another engine; NULL if this program was built without it. */
struct store;
struct store_type {
	const char *name;
	struct store *(*open)(const char *directory); /* NULL: it failed, and said why */
	int (*put)(struct store *store, const void *key, size_t key_bytes, const void *value, size_t value_bytes);
	void (*close)(struct store *store);
};
extern const struct store_type *const store_types[ENGINES];

/* With all that is in it. Best effort. */
void remove_directory(const char *directory);

/* Beside limit: other engines at N = 64, and what the recorder costs in the log. 0 or -1. */
int run_contests(const char *directory, unsigned rounds, double seconds, bool quick);
void print_contests(bool json);

/* How fast a closed log is replayed: prints it. 0 or -1. */
int bench_replay(const char *directory, bool quick, bool json);

/* Runs `limit` with this many threads (0: raw) in `directory`. 0 or -1. */
int run_limit(const char *directory, unsigned threads, size_t payload_bytes, double seconds, struct figures *figures);

#endif
