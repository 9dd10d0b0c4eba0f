/* SPDX-License-Identifier: MIT */
/* Can a trace be trusted: every check of a trace, fed line by line. Pure values, no disk; memory grows with the number
 * of records (72 bytes each: ids and links are resolved at the end). */
#ifndef WT_READ_VERIFY_H
#define WT_READ_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "read/lines.h"
#include "read/model.h"

/* WT_CHECK(id, key in JSON, what is checked, how to mend what it finds) */
#define WT_CHECKS_LIST(WT_CHECK) \
	WT_CHECK(FORMAT, "format", "each line is well formed, its keys known in type and number", \
	         "the line was changed or overwritten; take the file from its origin again") \
	WT_CHECK(ORDER, "order", "keys in the format's order", \
	         "another program rewrote it; verify the file as it was recorded") \
	WT_CHECK(FRAME, "frame", "one header, first; one footer, last; one session", \
	         "files were joined or cut; verify each trace by itself, whole") \
	WT_CHECK(LOGGERS, "loggers", "each logger announced once", \
	         "lines are missing or were changed; take the file from its origin again") \
	WT_CHECK(IDS, "ids", "ids positive and given once", \
	         "lines were doubled or changed; take the file from its origin again") \
	WT_CHECK(LINKS, "links", "parents, timers and rotations are there", \
	         "lines are missing or were changed; take the file from its origin again") \
	WT_CHECK(LOCK_SEQ, "lock_seq", "commit-lock acquisitions numbered without a gap", \
	         "lines are missing or doubled; take the file from its origin again") \
	WT_CHECK(LOCK_HOLDS, "lock_holds", "nobody holds a commit lock that another has", \
	         "set acquired and releasing inside the lock, where it is instrumented") \
	WT_CHECK(TIMES, "times", "times inside the session, children inside their parents", \
	         "set start and end of spans from one clock, children inside their parents") \
	WT_CHECK(WINDOWS, "windows", "counts and sums of each window equal its records", \
	         "lines are missing or were changed; take the file from its origin again") \
	WT_CHECK(COUNTERS, "counters", "cumulative counters never fall", \
	         "lines were changed or exchanged; take the file from its origin again") \
	WT_CHECK(FOOTER, "footer", "the footer agrees with the file", \
	         "lines are missing or were changed; take the file from its origin again") \
	WT_CHECK(COMPLETE, "complete", "complete is what the rule says", \
	         "session_end was changed; take the file from its origin again") \
	WT_CHECK(CRC, "crc32", "checksums of the recorder lines", \
	         "bytes between the two lines were changed; take the file from its origin again")

enum wt_check {
#define WT_CHECK(id, key, what, mend) WT_CHECK_##id,
	WT_CHECKS_LIST(WT_CHECK)
#undef WT_CHECK
		WT_CHECKS
};
extern const char *const wt_check_key[WT_CHECKS];
extern const char *const wt_check_what[WT_CHECKS];
extern const char *const wt_check_mend[WT_CHECKS];

struct wt_verdict {
	bool is_trace;               /* its first line is a header of schema version 2 */
	bool complete;               /* whole, undamaged, and its footer says that nothing is missing */
	bool cut;                    /* the last line is cut off */
	char why[WT_VERDICT_TEXT];   /* why it isn't complete; "" if it is */
	char mend[WT_VERDICT_TEXT];  /* what to do about it; "" if nothing can be said */
	uint64_t problems;           /* what is wrong, not merely missing */
	uint64_t checked[WT_CHECKS]; /* how often each check was made */
	uint64_t failed[WT_CHECKS];  /* how often it found something */
	uint64_t lines, bytes, records, loggers, unknown_lines, unknown_keys;
	uint64_t files;           /* of a rotated trace; else 1 */
	uint64_t windows, end_ns; /* end of the last window: how long the session was observed */
	bool has_footer;
	uint64_t produced, written, dropped, omitted, outstanding; /* of the footer, else of the last window */
	uint64_t filtered; /* operations below min_ns, not in the trace and not lost */
	uint64_t min_ns, window_ms, pid;
	char reason[32];
	char session_id[64], segment[128], run_id[WT_VERDICT_TEXT], build_id[WT_VERDICT_TEXT], version[64];
};

/* Says one problem. `line` counts from 1; 0: of the file as a whole. */
typedef void wt_problem_fn(void *context, uint64_t line, enum wt_check check, const char *text);

struct wt_verify;

/* NULL without memory. */
struct wt_verify *wt_verify_new(wt_problem_fn *problem, void *context);
/* Before a line is parsed: counts its bytes. */
void wt_verify_raw(struct wt_verify *verify, const struct wt_raw *raw);
/* After: `line` is NULL if it couldn't be parsed, and `why` says why. 0, or -ENOMEM. */
int wt_verify_line(struct wt_verify *verify, const struct wt_raw *raw, const struct wt_line *line,
                   const char *why) WT_MUST_CHECK;
/* The lines that follow are those of the next file of a rotated trace; line numbers go on, offsets begin anew. 0, or
 * -E2BIG past WT_SET_FILES_MAX. */
int wt_verify_next_file(struct wt_verify *verify) WT_MUST_CHECK;
/* Once, after the last line. 0, or -ENOMEM. */
int wt_verify_end(struct wt_verify *verify, struct wt_verdict *verdict) WT_MUST_CHECK;
void wt_verify_free(struct wt_verify *verify);

#endif
