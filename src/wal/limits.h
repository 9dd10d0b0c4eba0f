/* SPDX-License-Identifier: MIT */
/* Every number that bounds the commit log, in one place. What a caller can see is in commitlog.h. */
#ifndef CL_LIMITS_H
#define CL_LIMITS_H

#include "commitlog.h"

#define CL_KIB (1ull << 10)
#define CL_MIB (1ull << 20)
#define CL_GIB (1ull << 30)

/* Ranges of the options and what they fall back to. */
#define CL_BLOCK_LIMIT_MIN (2 * CL_KIB)
#define CL_BLOCK_LIMIT_MAX (32 * CL_MIB)
#define CL_BLOCK_LIMIT_DEFAULT (8 * CL_KIB)
#define CL_DELAY_MS_MAX 10ull
#define CL_DELAY_MS_FALLBACK 1ull
#define CL_CHECKPOINT_LIMIT_MIN (2 * CL_MIB)
#define CL_CHECKPOINT_LIMIT_MAX (2 * CL_GIB)
#define CL_CHECKPOINT_LIMIT_DEFAULT (32 * CL_MIB)
#define CL_COLLECT_MS_MIN 5000ull
#define CL_COLLECT_MS_MAX 300000ull
#define CL_COLLECT_MS_DEFAULT 10000ull
#define CL_PREFILL_MIN (64 * CL_KIB)
#define CL_PREFILL_MAX (2 * CL_GIB)
#define CL_PREFILL_DEFAULT (32 * CL_MIB)

/* The search for a valid block behind a bad one, in entries followed (about 10 s); what is read or summed up counts by its
 * bytes. Bytes that happen to look like blocks everywhere would cost the square of their number. */
#define CL_EFFORT_MAX (2 * CL_GIB)
#define CL_EFFORT_BYTES 64

enum {
	CL_FIRST_INDEX = 1,
	CL_LAST_INDEX = 999999999, /* nine digits */
	CL_NAME_BYTES = 32,        /* a log file's name, NUL included */
	CL_PATH_BYTES = 4096,      /* directory + '/' + name, NUL included */
	CL_EXTEND_BYTES = 4 << 20, /* zeros written ahead when a file outgrows its prefill */
	CL_FILL_SLICE_BYTES =
		1 << 20, /* a spare is synced after each slice, so that no commit queues behind a big one */
	CL_READ_CHUNK_BYTES = 1 << 20,
	CL_READ_ENTRY_MAX = 64 << 20,  /* largest entry that a reader holds in memory */
	CL_BLOCK_KEEP_BYTES = 8 << 20, /* a block's memory is kept for the next batch up to this size */
	CL_BLOCK_START_BYTES = 64 << 10,
	CL_TIMERS_MAX = 64,       /* delay timers under way; past it a committer commits at once */
	CL_DELAY_RETRIES_MAX = 8, /* of joining a delayed commit; then the committer commits by itself */
	CL_BACKUPS_AT_ONCE = 16,  /* renames an operation, so that their records fit into it */
	CL_YIELDS_MAX = 8,        /* of a leader while the queue grows */
	CL_YIELD_BYTES_MAX = 64 << 10
};

_Static_assert(CL_BACKUPS_AT_ONCE + 8 <= 32, "records of an operation: its own, a rotation's and the backups'");
_Static_assert(2 * CL_DELAY_RETRIES_MAX + 8 <= 32, "records of an operation: each retry's, and the commit's");
_Static_assert(COMMITLOG_MAX_DIRECTORY + 1 + CL_NAME_BYTES <= CL_PATH_BYTES, "every path fits");
_Static_assert(COMMITLOG_MAX_PAYLOAD < COMMITLOG_MAX_UNFLUSHED, "the largest payload can be appended");
_Static_assert(COMMITLOG_MAX_PAYLOAD + 64 <= CL_READ_ENTRY_MAX, "what was appended can be read");

#endif
