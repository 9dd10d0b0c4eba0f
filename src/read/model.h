/* SPDX-License-Identifier: MIT */
/* A line of a trace as values. What it points to lives until the next line is parsed; whoever needs it longer copies.
 * Pure data: filled in by parse, looked at by verify, attribute and the exporters. */
#ifndef WT_READ_MODEL_H
#define WT_READ_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/schema.h"

struct wt_text {
	const char *bytes; /* without quotes, escapes undone; NULL if the key wasn't there */
	size_t n;
};

enum wt_line_kind {
	WT_LINE_HEADER, /* session_start */
	WT_LINE_LOGGER, /* root_logger_ready */
	WT_LINE_RECORD, /* one of the 12 kinds */
	WT_LINE_WINDOW,
	WT_LINE_PROGRESS,
	WT_LINE_FOOTER, /* session_end */
	WT_LINE_HISTOGRAM,
	WT_LINE_LOSS,
	WT_LINE_RECORDER,
	WT_LINE_IN_FLIGHT,
	WT_LINE_UNKNOWN, /* passed over and counted */
};

struct wt_record {
	enum waltrace_kind kind;
	uint64_t logger_id, id;
	uint64_t mask; /* bit f: value[f] is set */
	uint64_t value[WALTRACE_FIELDS];
	struct wt_text string[WALTRACE_STRINGS];
	uint8_t word[WALTRACE_STRINGS];      /* enum waltrace_word of the string, or WT_WORD_OTHER */
	enum waltrace_error_kind error_kind; /* NONE if the key wasn't there; ERROR_KINDS if the name isn't known */
	struct wt_text path[2];              /* hexadecimal digits as they stand in the line */
};
enum { WT_WORD_OTHER = 255 };

static inline bool wt_has(const struct wt_record *r, enum waltrace_field f) { return r->mask >> f & 1; }
static inline uint64_t wt_get(const struct wt_record *r, enum waltrace_field f)
{
	return wt_has(r, f) ? r->value[f] : 0;
}

struct wt_header {
	uint64_t schema_version, pid, window_ms, capacity, max_bytes, drain_ms, min_ns, part, deleted_records;
	struct wt_text epoch_ns, run_id, version, build_id, on_limit, clock, segment;
};

struct wt_logger_line {
	uint64_t id, runtime_id, block_limit, delay_ms, checkpoint_limit, collect_interval_ms;
	struct wt_text wal_path, initial_file; /* hexadecimal digits */
};

struct wt_window_line {
	uint64_t number, start_ns, end_ns, write_elapsed_ns, produced, written, dropped_full, dropped_stopped, omitted,
		outstanding, inflight, depth, capacity, paths, file_bytes, waiters, notified;
	uint64_t count[WALTRACE_KINDS], errors[WALTRACE_KINDS];
	uint64_t syncs[3], sync_bytes[3]; /* request, timer, checkpoint */
};

struct wt_progress_line {
	uint64_t logger_id, window, at_ns, waiting, peak, owner_id, owner_since_ns, owner_stage;
};

struct wt_footer {
	struct wt_text reason;
	uint64_t produced, written, dropped, omitted, outstanding;
	bool complete;
};

struct wt_loss_line {
	uint64_t window, logger_id, n;
	struct wt_text kind, cause;
};

struct wt_recorder_line {
	uint64_t window, filtered, writer_cpu_ns, bytes, lag_ns, queue_peak, producer_ns, producer_samples, left_out,
		crc32;
	bool has_crc32;
};

struct wt_histogram_line {
	uint64_t window, logger_id, count, errors, sum_ns, max_ns, sub_bits;
	struct wt_text kind, buckets; /* buckets: the array's JSON text, brackets included */
};

struct wt_in_flight_line {
	uint64_t logger_id, operation_id, since_ns, stage, rows;
	struct wt_text kind;
};

struct wt_line {
	enum wt_line_kind kind;
	struct wt_text event, session_id;
	uint32_t unknown_keys; /* passed over */
	bool known_order;      /* keys in the format's order, no spaces: as the recorders write it */
	union {
		struct wt_header header;
		struct wt_logger_line logger;
		struct wt_record record;
		struct wt_window_line window;
		struct wt_progress_line progress;
		struct wt_footer footer;
		struct wt_histogram_line histogram;
		struct wt_loss_line loss;
		struct wt_recorder_line recorder;
		struct wt_in_flight_line in_flight;
	};
};

#endif
