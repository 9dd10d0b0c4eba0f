/* SPDX-License-Identifier: MIT */
/* A durable load on a commit log: N committers in a closed loop, in a process of its own, read back at the end. */
#ifndef WT_CLI_LOAD_H
#define WT_CLI_LOAD_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hist.h"
#include "commitlog.h"

/* Every number that bounds demo and bench. Sizes in bytes. */
enum {
	WT_LOAD_COMMITTERS_MAX = 512,
	WT_LOAD_PAYLOAD_MIN = 16,
	WT_LOAD_PAYLOAD_MAX = 64 << 10,
	WT_LOAD_DELAY_MS_MAX = 10,
	WT_LOAD_BLOCK_MIN = 2 << 10,
	WT_LOAD_BLOCK_MAX = 32 << 20,
	WT_LOAD_SECONDS_MAX = 600, /* of bench */
	WT_DEMO_SECONDS_MAX = 10,  /* of each run of the demo */
	WT_LOAD_PATH = 4096,       /* a path, NUL included */
	WT_LOAD_DIRECTORY = 2048,  /* what --dir takes, so that every name below it fits */
	WT_LOAD_CAPACITY = 262144, /* of the recorder's queue, records */
	WT_LOAD_TICK_MS = 10,      /* how often a run looks whether it is over */
	WT_LOAD_GRACE_S = 120,     /* for opening, closing and reading back, before a run is killed */
	WT_LOAD_BATCH_MAX = 1024   /* batches are counted by size up to here */
};
/* A run ends early when its trace or its log has reached this. The trace's own limit is higher by what the queue may
 * still hold, so that it stays complete. */
#define WT_DEMO_TRACE_BYTES (512ull << 20)
#define WT_DEMO_WAL_BYTES (512ull << 20)
#define WT_BENCH_TRACE_BYTES (8ull << 30)
#define WT_BENCH_WAL_BYTES (8ull << 30)
#define WT_LOAD_TRACE_MARGIN (512ull << 20)
#define WT_LOAD_FREE_BYTES (256ull << 20) /* a run doesn't begin on a disk with less than this left */

_Static_assert((uint64_t)WT_LOAD_COMMITTERS_MAX *(WT_LOAD_PAYLOAD_MAX + 64) < COMMITLOG_MAX_UNFLUSHED,
               "every committer can have a record under way");
_Static_assert(WT_LOAD_COMMITTERS_MAX < WT_LOAD_BATCH_MAX, "a batch of one record a committer has its own count");
_Static_assert(WT_LOAD_CAPACITY * 1024ull <= WT_LOAD_TRACE_MARGIN, "what the queue holds fits behind the limit");

struct wt_load {
	char wal_directory[WT_LOAD_PATH];
	char trace_directory[WT_LOAD_PATH]; /* "": not recorded */
	char trace_path[WT_LOAD_PATH];      /* what the trace is renamed to at the end; "": as it is */
	char run_id[64];
	unsigned committers, payload_bytes, seconds;
	uint64_t delay_ms, block_limit_bytes; /* block limit 0: the log's default */
	uint64_t trace_limit_bytes, wal_limit_bytes;
};

struct wt_load_trace {
	bool complete;
	char reason[16];
	uint64_t written, lost; /* records; lost: dropped, omitted and outstanding */
	uint64_t bytes;
	char path[WT_LOAD_PATH];
};

/* What the log's files hold, against what was acknowledged. */
struct wt_load_check {
	uint64_t acknowledged, missing;                    /* missing: of those acknowledged */
	uint64_t records;                                  /* found */
	uint64_t wrong;                                    /* found with other bytes, twice, or never appended */
	uint64_t batches, batch_p50, batch_p99, batch_max; /* records a block */
};

struct wt_load_result {
	struct wt_err err; /* code 0: the run went through and was read back */
	bool full;         /* ended early: the trace or the log reached its limit */
	uint64_t elapsed_ns, cpu_ns, rss_bytes;
	uint64_t commits, max_ns;       /* acknowledged; slowest flush */
	uint64_t hist[WT_HIST_BUCKETS]; /* flush times */
	struct commitlog_stats log;
	struct wt_load_check check;
	struct wt_load_trace trace;
};

static inline double wt_load_rate(const struct wt_load_result *r)
{
	return r->elapsed_ns ? (double)r->commits * 1e9 / (double)r->elapsed_ns : 0;
}
static inline double wt_load_per_fsync(const struct wt_load_result *r)
{
	return r->log.commit_syncs ? (double)r->commits / (double)r->log.commit_syncs : 0;
}
static inline uint64_t wt_load_quantile(const struct wt_load_result *r, double share)
{
	uint64_t ns = wt_hist_quantile(r->hist, r->commits, share);
	return ns < r->max_ns ? ns : r->max_ns; /* the middle of the last bucket may lie past the maximum */
}
/* Nothing acknowledged is missing and nothing found is wrong. */
static inline bool wt_load_sound(const struct wt_load_result *r)
{
	return !r->err.code && !r->check.missing && !r->check.wrong;
}

/* Set by the signals of wt_load_catch_signals; a run under way then ends itself in good order. */
extern volatile sig_atomic_t wt_load_signal;

/* ---- load.c: the process that runs it ---- */

/* Runs the load here. Starts the recorder's session, of which a process has one: so once a process, and in a child. */
void wt_load_run(const struct wt_load *load, struct wt_load_result *result);

/* ---- load_child.c: the process that asks for it ---- */

/* Runs the load in a child process, which must be forked from a process without threads. Waits. Returns
 * result->err.code. */
int wt_load_in_child(const struct wt_load *load, struct wt_load_result *result);

/* SIGINT, SIGTERM and SIGHUP end the run under way instead of the process. */
void wt_load_catch_signals(void);

/* To be called when there is nothing left to tidy up: ends the process by the signal that came, if one did. */
void wt_load_obey_signal(void);

/* ---- load_check.c: payloads and reading back ---- */

/* Fills in the payload of a committer's record. */
void wt_load_payload(uint8_t *bytes, size_t n, uint64_t committer, uint64_t number);

struct wt_load_committer; /* below */

/* Reads the log's directory front to back. `acknowledged` and `appended`: newest record number of each committer;
 * numbers count from 1. 0 or negative errno with a message. */
int wt_load_read_back(const struct wt_load *load, const struct wt_load_committer *committers,
                      struct wt_load_check *check, struct wt_err *err);

/* One committer; its own thread writes it, others read it when that has ended. */
struct wt_load_committer {
	_Alignas(64) pthread_t thread;
	struct wt_load_process *process;
	uint64_t number; /* from 0 */
	uint64_t appended, max_ns;
	_Atomic uint64_t acknowledged; /* this is the commit's publication */
	uint64_t hist[WT_HIST_BUCKETS];
};

#endif
