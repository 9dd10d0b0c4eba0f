/* SPDX-License-Identifier: MIT */
/* What verify remembers between lines; for its own files only. */
#ifndef WT_READ_VERIFY_STATE_H
#define WT_READ_VERIFY_STATE_H

#include "read/index.h"
#include "read/verify.h"

/* A record, for what can be looked at only once all are known. */
struct wt_seen {
	uint64_t id, parent_id, start_ns, end_ns;
	uint32_t line; /* the largest number stands for all above it */
	uint16_t logger;
	uint8_t kind;
	bool has_start : 1, has_end : 1;
};

/* A number in one record that must be another's id. */
struct wt_seen_link {
	uint64_t id;
	uint32_t line;
	uint8_t kind; /* the other's */
};

/* An acquisition of a commit lock. */
struct wt_seen_lock {
	uint64_t logger_id, seq, got_ns, freed_ns;
	uint32_t line;
	bool has_hold;
};

struct wt_seen_logger {
	uint64_t id, peak;
	uint64_t line;       /* of its metadata in the newest file that had it; 0: none so far */
	uint32_t first_line; /* that speaks of it */
};

struct wt_sums {
	uint64_t count[WALTRACE_KINDS], errors[WALTRACE_KINDS], syncs[3], sync_bytes[3], waiters, notified;
};

struct wt_verify {
	wt_problem_fn *problem;
	void *context;
	struct wt_verdict verdict;
	bool ours; /* written by this project's recorder, which promises more than the reference */
	bool has_header, footer_complete;
	bool has_losses;  /* the trace's loss lines must add up */
	bool left_out;    /* extra lines were left out */
	char session[64]; /* as it stands in the header */
	size_t session_bytes;
	uint64_t footer_line, cut_line, losses, max_bytes;

	/* Of a rotated trace. */
	bool rotated;
	bool joined;                /* the window now read began in a file that wasn't given */
	bool gap;                   /* a file between two others wasn't given */
	uint64_t part, newest_part; /* of the first file and of this one */
	uint64_t deleted;           /* records in files that the recorder deleted, by the newest header */
	uint64_t before;            /* records in files that weren't given */
	uint64_t earlier_bytes;     /* in the files before this one */
	uint64_t announced;         /* loggers, in this file */
	uint64_t first_line[WT_SET_FILES_MAX];

	uint64_t capacity;

	struct wt_seen *seen;
	size_t seens, seens_room;
	struct wt_index by_id; /* of those; at the end */
	struct wt_seen_link *link;
	size_t links, links_room;
	struct wt_seen_lock *lock;
	size_t locks, locks_room;
	struct wt_seen_logger *logger;
	size_t loggers, loggers_room;
	uint16_t place[WALTRACE_MAX_LOGGERS + 1]; /* of a logger with so small an id, plus 1 */

	/* Since the last window line, and of it. */
	struct wt_sums sums;
	uint64_t since_records, latest_ns, latest_line;
	uint64_t late_ns, late_line; /* a record of the last window that ends after it, if `late` */
	bool late;
	struct wt_window_line window;
	uint64_t in_flight;

	uint32_t crc, crc_before; /* since the last recorder line; the same when the line now read is one */
};

/* Says a problem and counts it. */
void wt_verify_say(struct wt_verify *v, uint64_t line, enum wt_check check, const char *format, ...) WT_PRINTF(4, 5);

/* The first line of the file that is being read. */
static inline uint64_t wt_verify_first_line(const struct wt_verify *v) { return v->first_line[v->verdict.files - 1]; }

struct wt_where {
	char text[64];
};
/* "line 12", or "line 12 of file 3". */
struct wt_where wt_verify_where(const struct wt_verify *v, uint64_t line);

/* The place of a logger, added if it is new; negative errno. */
int wt_verify_logger(struct wt_verify *v, uint64_t id, uint64_t line);

int wt_verify_record(struct wt_verify *v, const struct wt_record *r, uint64_t line) WT_MUST_CHECK;
void wt_verify_window(struct wt_verify *v, const struct wt_window_line *w, const struct wt_raw *raw);
void wt_verify_footer(struct wt_verify *v, const struct wt_footer *f, uint64_t line);
/* At the end. `explained`: records are missing, and the trace says so. 0, or -ENOMEM. */
int wt_verify_links(struct wt_verify *v, bool explained) WT_MUST_CHECK;
void wt_verify_locks(struct wt_verify *v, bool explained);

#endif
