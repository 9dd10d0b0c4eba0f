/* SPDX-License-Identifier: MIT */
/*
 * The recorder's segment as an outside reader finds it: shared memory "/waltrace-<pid>-<epoch ns>" (POSIX shm, mode
 * 0600), named in the first line of the trace ("segment") and gone after a clean end.
 *
 * Map it read only. The process goes on while you look: read each number once, with an atomic load where your language
 * has one (they are naturally aligned, and x86-64 and AArch64 never tear them), and take a set of numbers for roughly,
 * not exactly, of one moment. All times are nanoseconds since the session began.
 *
 * Check `magic` and `version` first. Within a version, offsets and meanings stay; parts are found by the offsets in the
 * head. What isn't described here (rows, queue, path blocks) is private and may change with any version of the library:
 * waltrace_recover reads it. A segment is valid if and only if (1) magic and version match, (2) `bytes` is the size of
 * the shared memory, (3) every part lies inside it.
 */
#ifndef WALTRACE_SHM_H
#define WALTRACE_SHM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WALTRACE_SHM_MAGIC 0x314543415254574cull /* the bytes "LWTRACE1" */
enum {
	WALTRACE_SHM_VERSION = 1,
	WALTRACE_SHM_SLOTS = 1024,
	WALTRACE_SHM_SLOT_STRIDE = 8192,
	WALTRACE_SHM_LOGGERS = 1024,
	WALTRACE_SHM_LOGGER_STRIDE = 128,
	WALTRACE_SHM_SHARD_STRIDE = 256
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
	uint64_t shards_at;    /* shard_count × struct waltrace_shm_shard */
	uint64_t losses_at;    /* private */
	uint64_t latencies_at; /* private */
	uint64_t states_at;    /* WALTRACE_SHM_SLOTS × uint32_t: not 0: the slot is taken */
	uint64_t slots_at;     /* WALTRACE_SHM_SLOTS × struct waltrace_shm_slot */
	uint64_t spills_at;    /* private */
	uint64_t loggers_at;   /* WALTRACE_SHM_LOGGERS × struct waltrace_shm_logger, of which `loggers` are in use */
	uint64_t logger_text_at;
	uint64_t path_links_at, path_blocks_at, chunk_links_at, chunks_at; /* private */
	uint32_t ended;                                                    /* 1: the trace has its footer */
	uint32_t loggers;
};

/* A group of threads. Their sums: tried = records handed over or given up. */
struct waltrace_shm_shard {
	uint64_t credit; /* low half − 0x80000000: records that the shard may still hand over without asking */
	uint64_t tail;   /* private */
	uint64_t tried;  /* as of the writer's last look */
};

/* An operation that has not ended, if its state is not 0. */
struct waltrace_shm_slot {
	uint64_t operation_id; /* of its primary record; 0: it has none */
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

#ifdef __cplusplus
}
#endif

#endif
