/* SPDX-License-Identifier: MIT */
/* The log's state. Lock order: checkpoint_lock > commit lock > batch_mutex > the mutexes of timers, collector and
 * completions. Each member says under which of them it is read and written. */
#ifndef CL_LOG_H
#define CL_LOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/os.h"
#include "commitlog.h"
#include "wal/block.h"
#include "wal/checkpoint.h"
#include "wal/file.h"
#include "wal/recover.h"
#include "waltrace.h"

/* A batch: entries on their way to the file. */
struct cl_block {
	uint8_t *bytes; /* room for a trailer behind `used` */
	size_t used, capacity;
	uint64_t last;    /* newest handle in it */
	uint32_t joiners; /* flushes that wait for it */
};

/* The delayed commit that is pending, timer mode only. */
struct cl_delay {
	bool active;
	uint64_t id; /* of this one; counts up */
};

/* How far the replay of what open found has come. */
enum cl_replay_state { CL_REPLAY_NONE, CL_REPLAY_RUNNING, CL_REPLAY_READ, CL_REPLAY_FINISHED };

struct cl_async;
struct cl_timers;
struct cl_collector;

struct commitlog {
	/* Set by open, constant afterwards. */
	const struct wt_os *os;
	struct commitlog_options options;
	uint32_t fallbacks;
	struct cl_recovered found;
	struct waltrace_logger *logger;
	struct cl_timers *timers; /* NULL: no timer */
	struct cl_collector *collector;
	struct cl_async *async;
	uint32_t first_own; /* index of the first file that this log writes: what lies below was found */
	int lock_fd;
	char directory[COMMITLOG_MAX_DIRECTORY + 1];

	/* checkpoint_lock: one of append, confirm and rotation at a time. */
	pthread_mutex_t checkpoint_lock;
	struct cl_checkpoints checkpoints;
	enum cl_replay_state replay;

	/* The commit lock: the right to write the file. Not a mutex but a flag under batch_mutex, so that a leader can
	 * hand it on and a joiner needn't wait for it. */
	struct cl_file file;
	uint32_t last_joiners; /* how many waited for the last batch */
	bool spare_asked;      /* for the file after this one */

	/* batch_mutex */
	pthread_mutex_t batch_mutex;
	pthread_cond_t lock_free; /* the commit lock is free, for those who wait for it */
	bool commit_locked;
	uint32_t lock_waiters;
	uint64_t free_ns; /* recorder's time of the commit lock's last release; 0: not recorded */
	struct cl_block block[2];
	struct cl_block *filling; /* appends go here */
	struct cl_block *writing; /* the other one; being written if `commit_locked`, else empty */
	uint32_t generation;      /* of `filling`; that of `writing` is one less */
	uint64_t taken;           /* newest handle that isn't in `filling` any more */
	struct cl_delay delay;

	/* Written under batch_mutex, read without: a value seen is never newer than what it says. */
	_Atomic uint64_t appended; /* newest handle given out */
	_Atomic uint64_t durable;  /* release: whoever sees a handle covered also sees its file contents written */
	_Atomic int failed;        /* 0, or the errno for good */
	_Atomic uint32_t turn;     /* futex word: grows at each release of the commit lock and each end of a batch */

	/* Counters: any order, any thread reads. */
	_Atomic uint64_t inside; /* flushes past their fast path: close lets them leave first */
	_Atomic uint64_t file_bytes, confirmed, batches, entry_bytes, written_bytes, rotations, backups;
	struct cl_sync_count syncs;
};

/* commitlog_open on any operating system: tests put faults underneath. */
int cl_open(const struct wt_os *os, const char *directory, const struct commitlog_options *options, struct wt_err *err,
            struct commitlog **log);

static inline uint64_t cl_durable(const struct commitlog *log)
{
	return atomic_load_explicit(&log->durable, memory_order_acquire);
}

static inline int cl_failed(const struct commitlog *log)
{
	return atomic_load_explicit(&log->failed, memory_order_acquire);
}

static inline void cl_add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static inline uint64_t cl_read(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Starts a thread that takes no signals. 0 or a negative errno. */
int cl_thread_start(pthread_t *thread, void *(*work)(void *), void *argument);

#endif
