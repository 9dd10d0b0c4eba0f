/* SPDX-License-Identifier: MIT */
/*
 * The recorder's segment as an outside reader finds it: shared memory "/waltrace-<pid>-<epoch ns>" (POSIX shm, mode
 * 0600), named in the first line of the trace ("segment") and gone after a clean end.
 *
 * Map it read only. The process goes on while you look: read each number once, with an atomic load where your language
 * has one (they are naturally aligned, and x86-64 and AArch64 never tear them), and take a set of numbers for roughly,
 * not exactly, of one moment. Where numbers must belong together (an owner and its age, an operation and its kind, what
 * the file holds), the functions at the end read them so that they do, or say that they couldn't. Counters run from the
 * beginning and never fall: what came in an interval is a difference. All times are nanoseconds since the session began;
 * now is CLOCK_MONOTONIC less `clock_origin_ns`.
 *
 * Check `magic` and `version` first. Within a version, offsets and meanings stay; parts are found by the offsets in the
 * head. What isn't described here (rows, queue, path blocks) is private and may change with any version of the library:
 * waltrace_recover reads it. A segment is valid if and only if (1) magic and version match, (2) `bytes` is the size of
 * the shared memory, (3) every part lies inside it.
 */
#ifndef WALTRACE_SHM_H
#define WALTRACE_SHM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WALTRACE_SHM_MAGIC 0x314543415254574cull /* the bytes "LWTRACE1" */
enum {
	WALTRACE_SHM_VERSION = 2,
	WALTRACE_SHM_SHARDS = 64, /* at most */
	WALTRACE_SHM_SHARD_STRIDE = 256,
	WALTRACE_SHM_SLOTS = 1024,
	WALTRACE_SHM_SLOT_STRIDE = 8192,
	WALTRACE_SHM_LOGGERS = 1024,
	WALTRACE_SHM_LOGGER_STRIDE = 128,
	WALTRACE_SHM_LOGGER_TEXT_BYTES = 2097152,
	WALTRACE_SHM_LOSSES = 512,
	WALTRACE_SHM_SERIES = 13,
	WALTRACE_SHM_HISTOGRAMS = 128,
	WALTRACE_SHM_HISTOGRAM_STRIDE = 15424,
	WALTRACE_SHM_BUCKETS = 1920,
	WALTRACE_SHM_PATH_BYTES = 4352
};

enum {
	WALTRACE_SHM_LOCK_WAIT = 12,      /* series of the waits for the commit lock; below: an enum waltrace_kind */
	WALTRACE_SHM_NO_HISTOGRAM = 65535 /* there was none left */
};

/* At offset 0. */
struct waltrace_shm_head {
	uint64_t magic;
	uint32_t version;
	uint32_t head_bytes;
	uint64_t bytes;
	char session_id[64]; /* "<pid>-<epoch ns>" */
	uint64_t pid;
	uint64_t pid_start;     /* field 22 of /proc/<pid>/stat: with the pid it names the process for good */
	uint64_t pid_namespace; /* inode of /proc/<pid>/ns/pid */
	char boot_id[40];
	uint64_t capacity;  /* records that the queue holds */
	uint64_t max_bytes; /* of the trace */
	uint32_t shard_count, chunk_count;
	uint64_t shards_at;      /* shard_count × struct waltrace_shm_shard */
	uint64_t losses_at;      /* WALTRACE_SHM_LOSSES × struct waltrace_shm_loss */
	uint64_t latencies_at;   /* struct waltrace_shm_latencies */
	uint64_t states_at;      /* WALTRACE_SHM_SLOTS × uint32_t: not 0: the slot is taken */
	uint64_t slots_at;       /* WALTRACE_SHM_SLOTS × struct waltrace_shm_slot */
	uint64_t spills_at;      /* private */
	uint64_t loggers_at;     /* WALTRACE_SHM_LOGGERS × struct waltrace_shm_logger, of which `loggers` are in use */
	uint64_t logger_text_at; /* WALTRACE_SHM_LOGGER_TEXT_BYTES */
	uint64_t path_links_at, path_blocks_at, chunk_links_at, chunks_at; /* private */
	uint32_t ended;                                                    /* 1: the trace has its footer */
	uint32_t loggers;
	uint32_t private_1;
	uint64_t clock_origin_ns; /* CLOCK_MONOTONIC at the session's time 0 */
	uint64_t window_ms, drain_ms, min_ns;
	uint64_t credit_at;     /* int64_t: records that the queue has room for, beside those that shards hold ready */
	uint64_t published_at;  /* 2 × struct waltrace_shm_publication */
	uint64_t histograms_at; /* WALTRACE_SHM_HISTOGRAMS × struct waltrace_shm_histogram */
	uint64_t trace_path_at; /* WALTRACE_SHM_PATH_BYTES, ended by 0 */
};

/* A group of threads. Their sums: tried = records handed over or given up. Records in the queue: `capacity` less the
 * credit of the head and that of all shards. */
struct waltrace_shm_shard {
	uint64_t
		credit; /* low half − 0x80000000: records that the shard may still hand over; high half: tried, 32 bits */
	uint64_t tail;  /* private */
	uint64_t tried; /* as of the writer's last look, 64 bits */
};

/* What was lost, told apart by logger, kind and cause as far as there is room; else by cause alone. */
struct waltrace_shm_loss {
	uint64_t key; /* logger id (0: none) << 16 | enum waltrace_kind + 1 (0: unknown) << 8 | cause + 1; 0: unused */
	uint64_t n;
};

/* What the trace's file holds. */
struct waltrace_shm_published {
	uint64_t generation;
	uint64_t file_bytes;
	uint64_t written; /* records */
	uint64_t window, window_end_ns;
	uint64_t newest_ns; /* latest moment that a record in the file tells of */
	uint64_t loggers;
	uint64_t part, deleted_records; /* of a rotated trace */
	uint64_t taken_ns;              /* what was handed over before this moment is in the file */
	uint64_t private_1[32];
};
struct waltrace_shm_publication {
	uint32_t generation; /* 0 while it is being written */
	uint32_t check;      /* FNV-1a of `what`, 64 bits, folded */
	struct waltrace_shm_published what;
};

/* Durations of all records, whether they were written, lost or filtered: which histogram a logger's series is in. */
struct waltrace_shm_latencies {
	uint32_t used, private_1;
	uint64_t unplaced; /* records that no histogram had room for */
	uint16_t place[WALTRACE_SHM_LOGGERS]
		      [WALTRACE_SHM_SERIES]; /* [logger id − 1]: 0: none yet; else its number + 1 */
};

/* Bucket of v < 32 is v; above, with e = floor(log2 v): (e − 4) × 32 + ((v >> (e − 5)) − 32). A record counts in
 * `valueless` or in one bucket. */
struct waltrace_shm_histogram {
	uint64_t valueless; /* records without a duration */
	uint64_t errors;    /* records of an error */
	uint64_t private_1[2];
	uint64_t bucket[WALTRACE_SHM_BUCKETS];
};

/* An operation that has not ended, if its state is not 0. */
struct waltrace_shm_slot {
	uint64_t operation_id; /* of its primary record; 0: it has none, or begins or ends at this moment */
	uint64_t since_ns;     /* when its primary span began; 0: not yet */
	uint32_t logger_id;
	uint32_t index;
	uint32_t stage; /* enum waltrace_stage, last published as owner of a commit lock */
	uint32_t rows;  /* finished so far */
	uint32_t private_1[3];
	uint16_t private_2[8];
	uint8_t kind; /* enum waltrace_kind */
};

struct waltrace_shm_logger {
	uint64_t waiters;        /* low 20 bits: threads waiting for the commit lock; above: acquisitions so far */
	uint64_t peak;           /* most threads that ever waited */
	uint64_t owner;          /* record id of the span that holds the commit lock, 0: nobody */
	uint64_t owner_since_ns; /* when it (or the last owner) got it */
	uint64_t owner_stage;    /* enum waltrace_stage */
	uint64_t unused[3];
	uint64_t id; /* from here on: constant */
	uint64_t runtime_id, block_limit, delay_ms, checkpoint_limit, collect_interval_ms;
	uint32_t text; /* offset in the logger text: WAL path, then initial file, without terminators */
	uint32_t wal_bytes, file_bytes, reserved;
};

static inline uint64_t waltrace_shm_waiting(const struct waltrace_shm_logger *logger)
{
	return logger->waiters & ((1u << 20) - 1);
}

static inline uint64_t waltrace_shm_acquisitions(const struct waltrace_shm_logger *logger)
{
	return logger->waiters >> 20;
}

/* ---- Numbers that belong together. They change under the reader, so each is looked at a few times ----------------- */

enum { WALTRACE_SHM_TRIES = 64 };

/* Records handed over or given up by a shard's threads. */
static inline uint64_t waltrace_shm_tried(const struct waltrace_shm_shard *shard)
{
	/* The low half of `tried` is what `credit` said at the writer's last look. */
	uint64_t tried = __atomic_load_n(&shard->tried, __ATOMIC_ACQUIRE);
	uint64_t credit = __atomic_load_n(&shard->credit, __ATOMIC_RELAXED);
	return tried + (uint32_t)((uint32_t)(credit >> 32) - (uint32_t)tried);
}

struct waltrace_shm_owner {
	uint64_t id; /* record id; 0: nobody */
	uint64_t since_ns, stage;
};

/* Who holds the commit lock; false: it changed hands all the time. */
static inline bool waltrace_shm_read_owner(const struct waltrace_shm_logger *logger, struct waltrace_shm_owner *owner)
{
	for (int i = 0; i < WALTRACE_SHM_TRIES; i++) {
		owner->id = __atomic_load_n(&logger->owner, __ATOMIC_ACQUIRE);
		owner->since_ns = __atomic_load_n(&logger->owner_since_ns, __ATOMIC_ACQUIRE);
		owner->stage = __atomic_load_n(&logger->owner_stage, __ATOMIC_ACQUIRE);
		if (!owner->id || __atomic_load_n(&logger->owner, __ATOMIC_ACQUIRE) == owner->id) return true;
	}
	return false;
}

struct waltrace_shm_operation {
	uint64_t id; /* 0: it has none, or begins or ends at this moment; then nothing else is known */
	uint64_t since_ns;
	uint32_t logger_id, kind, stage, rows;
};

/* What a slot holds that is taken (its state isn't 0); false: it changed all the time. */
static inline bool waltrace_shm_read_slot(const struct waltrace_shm_slot *slot,
                                          struct waltrace_shm_operation *operation)
{
	for (int i = 0; i < WALTRACE_SHM_TRIES; i++) {
		operation->id = __atomic_load_n(&slot->operation_id, __ATOMIC_ACQUIRE);
		operation->since_ns = __atomic_load_n(&slot->since_ns, __ATOMIC_ACQUIRE);
		operation->logger_id = __atomic_load_n(&slot->logger_id, __ATOMIC_ACQUIRE);
		operation->kind = __atomic_load_n(&slot->kind, __ATOMIC_ACQUIRE);
		operation->stage = __atomic_load_n(&slot->stage, __ATOMIC_ACQUIRE);
		operation->rows = __atomic_load_n(&slot->rows, __ATOMIC_ACQUIRE); /* roughly */
		if (__atomic_load_n(&slot->operation_id, __ATOMIC_ACQUIRE) == operation->id) return true;
	}
	return false;
}

static inline uint32_t waltrace_shm_check(const struct waltrace_shm_published *what)
{
	const unsigned char *byte = (const unsigned char *)what;
	uint64_t h = 0xcbf29ce484222325ull;
	for (unsigned i = 0; i < sizeof *what; i++) h = (h ^ byte[i]) * 0x100000001b3ull;
	return (uint32_t)(h ^ h >> 32);
}

/* The newer of the two places that is whole; false: neither was, all the time. */
static inline bool waltrace_shm_read_published(const struct waltrace_shm_publication place[2],
                                               struct waltrace_shm_published *what)
{
	struct waltrace_shm_published seen;
	bool found = false;
	for (int i = 0; i < WALTRACE_SHM_TRIES && !found; i++) {
		for (int n = 0; n < 2; n++) {
			uint32_t generation = __atomic_load_n(&place[n].generation, __ATOMIC_ACQUIRE);
			memcpy(&seen, &place[n].what, sizeof seen);
			if (!generation || seen.generation != generation || waltrace_shm_check(&seen) != place[n].check)
				continue;
			if (found && (int32_t)(generation - (uint32_t)what->generation) < 0) continue;
			*what = seen;
			found = true;
		}
	}
	return found;
}

#ifdef __cplusplus
}
#endif

#endif
