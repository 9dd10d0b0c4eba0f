/* SPDX-License-Identifier: MIT */
/* The segment: one piece of memory that holds everything the recorder needs to outlive the process.
 *
 *   head        8 KiB          who this is, where each part lies, what has been published to the file
 *   shards      64 × 256 B     queue ends and counters of a group of threads
 *   losses      512 × 16 B     what was lost, by logger, kind and cause
 *   latencies   128 × 15 KiB   histograms
 *   states      1024 × 4 B     a word a slot: free or taken
 *   slots       1024 × 8 KiB   rows of operations that have not ended
 *   spills      32 × 80 KiB    for operations with more rows than a slot holds
 *   loggers     1024 × 192 B   live state and description
 *   logger text 2 MiB          their paths
 *   path links, path blocks    long paths of rows
 *   chunks      n × 16 KiB     the queue
 *
 * Parts are found by the offsets in the head, never by address: another process maps it elsewhere. Everything is
 * reserved at the start. Who may write what stands at each member; "producer" is a caller's thread. */
#ifndef WT_TRACE_LAYOUT_H
#define WT_TRACE_LAYOUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/hist.h"
#include "trace/limits.h"
#include "trace/schema.h"

#define WT_SEGMENT_MAGIC 0x314543415254574cull /* "LWTRACE1" */
enum { WT_SEGMENT_VERSION = 2, WT_CACHE_LINE = 64 };

/* ---- Rows as they are staged, queued and read: head, set values in order, texts, paths; a multiple of 8 bytes --- */

enum { WT_ROW_PATH_SHIFT = 48, WT_ROW_TEXT_SHIFT = 50, WT_WORD_TEXT = 255 };
#define WT_ROW_FIELDS ((1ull << WALTRACE_FIELDS) - 1)
#define WT_ROW_PATH(slot) (1ull << (WT_ROW_PATH_SHIFT + (slot)))
#define WT_ROW_TEXT (1ull << WT_ROW_TEXT_SHIFT) /* at least one word is WT_WORD_TEXT */

struct wt_row {
	uint32_t bytes; /* all of it */
	uint32_t logger_id;
	uint64_t id;
	uint64_t mask;
	uint8_t word[WALTRACE_STRINGS], kind, error_kind;
	uint64_t value[]; /* one a set bit; behind them for each word WT_WORD_TEXT {length u8, bytes}, for each path
	                     {length u32, first block u32} and, up to WALTRACE_MAX_TEXT bytes, the path itself */
};
_Static_assert(sizeof(struct wt_row) == 32, "row head");

/* A field's value, 0 if the row hasn't it. */
static inline uint64_t wt_row_value(const struct wt_row *row, enum waltrace_field field)
{
	uint64_t bit = 1ull << field;
	return row->mask & bit ? row->value[__builtin_popcountll(row->mask & (bit - 1))] : 0;
}

_Static_assert(sizeof(struct wt_row) + WALTRACE_FIELDS * 8 + WALTRACE_STRINGS * (WALTRACE_MAX_TEXT + 1) +
                                       2 * (8 + WALTRACE_MAX_TEXT) <=
                               WALTRACE__ROW_MAX &&
                       WALTRACE__ROW_MAX % 8 == 0,
               "largest row");

/* ---- Queue ----------------------------------------------------------------------------------------------------- */

/* A run of the queue, owned by one shard from when it is installed until the writer has published all of it.
 * prev and prev_entries are written by the producer that installs it, before its CAS on the shard's tail. */
struct wt_chunk {
	uint32_t prev; /* chunk before it in the shard, WT_NO_CHUNK for none */
	uint32_t prev_entries;
	uint64_t number; /* of the chunk in its shard: 1 more than that of prev */
	uint32_t owner;  /* shard + 1; 0: free, by the writer */
	uint32_t unused[11];
	_Atomic uint64_t entry[WT_CHUNK_ENTRIES];   /* producer, once (release): rows are whole; writer: zero */
	_Atomic uint32_t written[WT_CHUNK_ENTRIES]; /* writer: generation of the publication that covers it */
	uint64_t data[];                            /* producer that reserved the units */
};
enum {
	WT_CHUNK_UNITS = (WT_CHUNK_BYTES - sizeof(struct wt_chunk)) / 8,
	WT_NO_CHUNK = 0xffff,
};
_Static_assert(sizeof(struct wt_chunk) % 8 == 0 && WT_CHUNK_UNITS * 8 > 4 * WALTRACE__ROW_MAX, "chunk");

/* An entry: units (16 bits) | first unit (16) | rows (8) | void (1). Zero: reserved and not (yet) filled in. */
#define WT_ENTRY(units, first, rows) ((uint64_t)(units) | (uint64_t)(first) << 16 | (uint64_t)(rows) << 32)
#define WT_ENTRY_VOID (1ull << 40) /* the reservation lay past the chunk's end */
#define WT_ENTRY_UNITS(e) ((uint32_t)(e)&0xffff)
#define WT_ENTRY_FIRST(e) ((uint32_t)((e) >> 16) & 0xffff)
#define WT_ENTRY_ROWS(e) ((uint32_t)((e) >> 32) & 0xff)

/* A shard's tail: units (24 bits) | entries (16) | chunk (16) | closed (1). One fetch_add of WT_TAIL_STEP reserves. */
#define WT_TAIL(chunk, entries, units) ((uint64_t)(units) | (uint64_t)(entries) << 24 | (uint64_t)(chunk) << 40)
#define WT_TAIL_STEP(units) ((uint64_t)(units) | 1ull << 24)
#define WT_TAIL_UNITS(t) ((uint32_t)(t)&0xffffff)
#define WT_TAIL_ENTRIES(t) ((uint32_t)((t) >> 24) & 0xffff)
#define WT_TAIL_CHUNK(t) ((uint32_t)((t) >> 40) & 0xffff)
#define WT_TAIL_CLOSED (1ull << 63)

/* A shard's credit: records tried so far (high half, wraps) | records it may still hand over + WT_CREDIT_BIAS. */
#define WT_CREDIT_BIAS 0x80000000u
#define WT_CREDIT_LEFT(c) ((int64_t)(uint32_t)(c) - (int64_t)WT_CREDIT_BIAS)
#define WT_CREDIT_TRIED(c) ((uint32_t)((c) >> 32))

struct wt_shard {
	_Atomic uint64_t credit WT_ALIGNED(128); /* producers of the shard (fetch_add), thieves (CAS) */
	_Atomic uint64_t tail;                   /* producers of the shard (fetch_add, CAS), writer once: closed */
	uint64_t tried;                          /* writer: records tried, 64 bits wide */
	uint32_t tried_seen;                     /* writer: WT_CREDIT_TRIED when it last looked */
	_Atomic uint64_t lost[WT_LOSSES] WT_ALIGNED(64); /* producers, writer: fetch_add when something is lost */
	_Atomic uint64_t helpers_begun;
	_Atomic uint64_t helpers_ended;
	_Atomic uint64_t filtered;    /* rows of operations faster than min_ns */
	_Atomic uint64_t producer_ns; /* of hand-overs, one operation in WT_COST_SAMPLE */
	_Atomic uint64_t producer_samples;
};
_Static_assert(sizeof(struct wt_shard) == 256, "two pairs of cache lines, so that shards don't share one");

/* ---- Operations and loggers ------------------------------------------------------------------------------------- */

/* Rows of an operation that has not ended. Written by the operation's thread only. The id is 0 before anything else of
 * the next operation is stored and set after it, so that who looks from outside and finds the same id before and after
 * has found what belongs to it. */
struct wt_slot {
	uint64_t operation_id; /* of its primary record, 0 if it has none */
	uint64_t since_ns;     /* when its primary span began, 0 if it hasn't */
	uint32_t logger_id;
	uint32_t index;
	uint32_t stage; /* last stage it published as owner of a commit lock */
	uint32_t rows;
	uint32_t bytes;
	uint32_t spill; /* buffer + 1, 0: none */
	uint32_t channels;
	uint16_t channel[WALTRACE_MAX_CHANNELS];
	uint8_t kind, spare[3];
	uint64_t unused[7];
	uint64_t row[];
};
_Static_assert(sizeof(struct wt_slot) == 120, "slot head");
enum { WT_SLOT_ROW_BYTES = WT_SLOT_BYTES - sizeof(struct wt_slot) };

/* waiters counts threads waiting for the commit lock (low 20 bits) and acquisitions so far (44 bits), so that an
 * acquisition is one fetch_add. 2^44 acquisitions are 200 days at a million a second. */
enum { WT_WAITERS_BITS = 20 };
#define WT_WAITERS(w) ((w) & ((1u << WT_WAITERS_BITS) - 1))
#define WT_ACQUISITIONS(w) ((w) >> WT_WAITERS_BITS)

/* owner, owner_since_ns and owner_stage are stored with release: the owner after the other two when the lock is got,
 * before them when it is given back. An id is an owner once, so who finds the same one before and after reading the
 * other two has found its own. */
struct waltrace_logger {
	_Atomic uint64_t waiters WT_ALIGNED(64); /* producers: fetch_add */
	_Atomic uint64_t peak;                   /* producers: CAS to a larger value */
	_Atomic uint64_t owner;                  /* the span that holds the commit lock; cleared by it */
	_Atomic uint64_t owner_since_ns;         /* by the owner */
	_Atomic uint64_t owner_stage;            /* by the owner */
	uint64_t id WT_ALIGNED(64);              /* from here on: written at registration, before `loggers` counts it */
	uint64_t runtime_id, block_limit, delay_ms, checkpoint_limit, collect_interval_ms;
	uint32_t text; /* offset in the logger text: WAL path, then initial file */
	uint32_t wal_bytes, file_bytes, reserved;
};
_Static_assert(sizeof(struct waltrace_logger) == 128, "logger");

/* ---- What is known of all rows, also of those that are in no file ------------------------------------------------- */

/* Latencies of a logger's rows of one kind since the beginning; wt_hist_index tells the bucket. Writer and producers
 * only add; the writer remembers what it has printed. Sum and maximum are those since the last line: it takes them out. */
struct wt_latency {
	_Atomic uint64_t valueless WT_ALIGNED(64); /* rows without a duration */
	_Atomic uint64_t errors, sum_ns, max_ns;
	_Atomic uint64_t bucket[WT_HIST_BUCKETS];
};

/* What a logger has histograms of: each kind of row, and, for a look from outside, how long its commit lock was waited
 * for, which is in no line. */
enum { WT_SERIES_LOCK_WAIT = WALTRACE_KINDS, WT_SERIES };

/* place[logger − 1][series]: histogram + 1; 0: none yet; WT_NO_LATENCY: there was none left. Set once, by CAS. */
struct wt_latencies {
	_Atomic uint32_t used;
	_Atomic uint64_t unplaced; /* rows that no histogram had room for */
	_Atomic uint16_t place[WALTRACE_MAX_LOGGERS][WT_SERIES];
	struct wt_latency latency[WT_HISTOGRAMS];
};
enum { WT_NO_LATENCY = 0xffff };

/* Losses told apart: key is logger (16 bits) | kind + 1 (8) | cause + 1 (8), set once by CAS; 0: free. The first
 * WT_LOSSES places are those of the causes alone. */
struct wt_loss_place {
	_Atomic uint64_t key;
	_Atomic uint64_t n;
};
#define WT_LOSS_KEY(logger, kind, cause) ((uint64_t)(logger) << 16 | (uint64_t)(kind) << 8 | ((uint64_t)(cause) + 1))
enum { WT_LOSS_NO_KIND = 0 };

/* ---- Free lists, and the head ------------------------------------------------------------------------------------ */

/* A stack of free indices: tag (32 bits) | index + 1. The tag makes a reused index look new (no ABA). */
struct wt_pool_head {
	_Atomic uint64_t top WT_ALIGNED(64);
	_Atomic int64_t free;
};

/* What a window line sums up since the window before. */
struct wt_sums {
	uint64_t waiters, notified;
	uint64_t count[WALTRACE_KINDS], errors[WALTRACE_KINDS];
	uint64_t syncs[3], sync_bytes[3]; /* by trigger: request (and any other), timer, checkpoint */
};

/* What the file holds, published after every write to it, in two alternating places: a killed process has at least
 * one whole one. An entry whose written[] is newer than the newest whole publication is not in the file. */
struct wt_published {
	uint64_t generation; /* the same as outside */
	uint64_t file_bytes;
	uint64_t written;
	uint64_t window;
	uint64_t window_end_ns;
	uint64_t newest_ns; /* latest moment that a record in the file tells of */
	uint64_t loggers;
	uint64_t part; /* which file of a rotated set file_bytes speaks of */
	uint64_t deleted_records;
	uint64_t taken_ns;   /* what was handed over before this moment is in the file */
	struct wt_sums sums; /* of records in the file behind the last window line */
};
struct wt_publication {
	_Atomic uint32_t generation; /* 0 while it is being written */
	uint32_t check;              /* wt_published_check of `what` */
	struct wt_published what;
};

struct wt_segment {
	uint64_t magic;
	uint32_t version, head_bytes;
	uint64_t bytes;
	char session_id[64];
	uint64_t pid, pid_start, pid_namespace;
	char boot_id[40];
	uint64_t capacity, max_bytes;
	uint32_t shard_count, chunk_count;
	uint64_t shards_at, losses_at, latencies_at, states_at, slots_at, spills_at, loggers_at, logger_text_at,
		path_links_at, path_blocks_at, chunk_links_at, chunks_at;
	_Atomic uint32_t ended;     /* writer: the footer is in the file, nothing is left to recover */
	_Atomic uint32_t loggers;   /* registration (mutex): release after the logger is filled in */
	uint32_t logger_text_bytes; /* registration */
	uint64_t clock_origin_ns;   /* CLOCK_MONOTONIC at the session's time 0 */
	uint64_t window_ms, drain_ms, min_ns;
	uint64_t credit_at, published_at, histograms_at,
		trace_path_at;                 /* of members below, and of the first histogram */
	_Atomic uint64_t next_id;              /* producers: fetch_add a block */
	_Atomic uint64_t children;             /* producers: operations begun on behalf of another */
	_Atomic uint64_t retained_paths;       /* producers, writer */
	_Atomic int64_t credit WT_ALIGNED(64); /* records that no shard has been given; producers (rarely), writer */
	struct wt_pool_head chunk_pool;        /* producers pop, writer pushes */
	struct wt_pool_head path_pool;         /* producers pop, writer and producers push */
	_Atomic uint32_t spill_map;            /* bit set: taken */
	struct wt_publication published[2] WT_ALIGNED(64); /* writer */
	char trace_path[4352];
};
enum { WT_HEAD_BYTES = 8192 };
_Static_assert(sizeof(struct wt_segment) <= WT_HEAD_BYTES, "the head fits into its place");

static inline uint32_t wt_published_check(const struct wt_published *p)
{
	const unsigned char *b = (const unsigned char *)p;
	uint64_t h = 0xcbf29ce484222325ull; /* FNV-1a, 64 bits, folded */
	for (size_t i = 0; i < sizeof *p; i++) h = (h ^ b[i]) * 0x100000001b3ull;
	return (uint32_t)(h ^ h >> 32);
}

#endif
