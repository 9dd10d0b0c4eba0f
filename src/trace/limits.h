/* SPDX-License-Identifier: MIT */
/* Every limit of the recorder that isn't in the public header, with what happens at it. */
#ifndef WT_TRACE_LIMITS_H
#define WT_TRACE_LIMITS_H

#include "waltrace.h"

#define WT_MIB (1024u * 1024u)

/* Configuration; out of range is an error of the start. */
enum { WT_WINDOW_MS_MIN = 10, WT_WINDOW_MS_MAX = 60000, WT_WINDOW_MS = 1000 };
enum { WT_CAPACITY_MIN = 16, WT_CAPACITY_MAX = 262144, WT_CAPACITY = 65536 };
#define WT_MAX_BYTES_MIN 65536ull
#define WT_MAX_BYTES_MAX (16ull << 30)
#define WT_MAX_BYTES (2ull << 30)
enum { WT_DRAIN_MS_MAX = 60000, WT_DRAIN_MS = 10 };
enum { WT_ID_BYTES_MAX = 128 }; /* run id, build id */

/* Rotation: so many files, each max_bytes / WT_PARTS and at least WT_MAX_BYTES_MIN. */
enum { WT_PARTS = 8 };
#define WT_ROTATE_BYTES_MIN (WT_PARTS * WT_MAX_BYTES_MIN)

/* The file: what is kept free for the footer. */
enum { WT_FOOTER_RESERVE = 4096 };

/* Queue: bytes a record on average, plus a constant in which one largest operation fits. Full: queue_full. */
enum { WT_QUEUE_RECORD_BYTES = 128, WT_QUEUE_EXTRA_BYTES = 65536 };
enum { WT_CHUNK_BYTES = 16384, WT_CHUNK_ENTRIES = 192 };
enum { WT_SHARDS_MAX = 64, WT_SHARD_RECORDS_MIN = 4096 }; /* fewer shards when the queue is small */
enum { WT_HANDOVER_TRIES = 64 };                          /* lost races for a chunk before a row counts as queue_full */

/* Staging: bytes of an operation's rows inside its slot; more go to one of the spill buffers. None left: rows. */
enum { WT_SLOT_BYTES = 8192, WT_SPILLS = 32, WT_SPILL_BYTES = WALTRACE_MAX_ROWS * WALTRACE__ROW_MAX };

/* Paths: up to WALTRACE_MAX_TEXT bytes they stand in the row, longer ones in blocks of the path pool. The pool holds
 * the whole budget of path bytes in the worst case: 256-byte paths, each in three blocks. */
enum { WT_BLOCK_BYTES = 128, WT_BLOCK_PAYLOAD = WT_BLOCK_BYTES - 4 };
enum { WT_PATH_BLOCKS = WALTRACE_MAX_PATH_BYTES / 256 * 3 + 1 };
_Static_assert(WALTRACE_MAX_TEXT + 1 == 256 && 2 * WT_BLOCK_PAYLOAD < 256 && 3 * WT_BLOCK_PAYLOAD >= 256,
               "no path in the pool takes more than three blocks for each 256 bytes");

/* Helpers: channels at once; bytes of all packets under way. None left: channel. */
enum { WT_CHANNELS = WALTRACE_MAX_OPERATIONS * WALTRACE_MAX_CHANNELS, WT_PACKET_BLOCKS = 8192 };

/* Paths of all loggers, together. None left: loggers. */
enum { WT_LOGGER_TEXT_BYTES = 2 * WT_MIB };

/* Latency histograms, one a logger and kind that has records, one more a logger whose commit lock is waited for. None
 * left: its rows are counted nowhere, and the recorder lines say so (left_out). Places that tell losses apart by logger, kind and cause; none left: only by cause. */
enum { WT_HISTOGRAMS = 128, WT_LOSS_PLACES = 512, WT_LOSS_PROBES = 16 };

/* Lines beyond the reference's are left out in the last part of the file, so that they take no record's place. */
enum { WT_EXTRA_LINES_PART = 16 };

/* One operation in so many has the cost of its hand-over measured. */
enum { WT_COST_SAMPLE = 1024 };

/* Record ids are taken from the session in blocks, a thread. */
enum { WT_ID_BLOCK = 256 };

/* Buffer of the trace file; any line without a long path fits well. */
enum { WT_OUT_BYTES = 256 * 1024, WT_LINE_MAX = 16384 };

#endif
