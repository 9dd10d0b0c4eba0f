/* SPDX-License-Identifier: MIT */
/* The lines of a trace that aren't records. Writer thread only. */
#ifndef WT_TRACE_LINES_H
#define WT_TRACE_LINES_H

#include "trace/encode.h"
#include "trace/latency.h"
#include "trace/out.h"

/* What a window line sums up: the first members since the session began, the others since the window before. */
struct wt_window {
	uint64_t number, start_ns, end_ns, write_elapsed_ns;
	uint64_t produced, written, dropped_full, dropped_stopped, omitted, outstanding, inflight, depth, paths;
	struct wt_sums sums;
};

/* Adds a record to the sums. */
void wt_sum_up(struct wt_sums *sums, const struct wt_row *row);

/* Each returns false if the line isn't in the file: past its limit, or it can't be written (see out->error). */
/* `part` counts the files of a rotated set from 0; `deleted`: records in those that are gone. */
bool wt_line_header(struct wt_out *out, const struct wt_session *s, uint64_t part, uint64_t deleted);
bool wt_line_logger(struct wt_out *out, const struct wt_encoder *e, const struct waltrace_logger *logger);
bool wt_line_window(struct wt_out *out, const struct wt_encoder *e, const struct wt_window *w);
bool wt_line_progress(struct wt_out *out, const struct wt_encoder *e, struct waltrace_logger *logger,
                      const struct wt_window *w);
bool wt_line_in_flight(struct wt_out *out, const struct wt_encoder *e, const struct wt_slot *slot);
bool wt_line_footer(struct wt_out *out, const struct wt_encoder *e, const struct waltrace_report *report);

/* Lines that the reference doesn't have. Each is left out, and counted, where the file nears its limit. */
struct wt_own_cost {
	uint64_t window, filtered, writer_cpu_ns, bytes, lag_ns, queue_peak, producer_ns, producer_samples, left_out;
};
void wt_line_histogram(struct wt_out *out, const struct wt_encoder *e, uint64_t window, uint64_t logger,
                       enum waltrace_kind kind, const struct wt_latency_share *share);
void wt_line_loss(struct wt_out *out, const struct wt_encoder *e, uint64_t window, uint64_t key, uint64_t n);
bool wt_line_recorder(struct wt_out *out, const struct wt_encoder *e, const struct wt_own_cost *cost);

/* A record's line; blocks on nothing but the file. */
bool wt_line_record(struct wt_out *out, const struct wt_encoder *e, const struct wt_row *row);

#endif
