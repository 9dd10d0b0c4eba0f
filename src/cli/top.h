/* SPDX-License-Identifier: MIT */
/* waltrace top: a process's recorder, looked at from outside through its segment. Nothing is written there, no lock is
 * taken, and the process is sent nothing: it can't tell that it is watched, and may as well be stopped or hang. */
#ifndef WT_CLI_TOP_H
#define WT_CLI_TOP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "cli/page.h"
#include "trace/schema.h"
#include "waltrace_shm.h"

enum { WT_TARGET_NAME = 320, WT_TOP_COLUMNS = 80 };

/* ---- The segment (top_target.c); which one (top_find.c) ------------------------------------------------------------ */

enum wt_life {
	WT_LIFE_RUNNING,
	WT_LIFE_STOPPED, /* by a signal or a debugger */
	WT_LIFE_ENDED,   /* the trace has its footer */
	WT_LIFE_DEAD,    /* the process is gone, its trace not finished */
	WT_LIFE_UNKNOWN, /* of another pid namespace */
};

struct wt_target {
	const char *memory; /* read only; it changes while it is read */
	uint64_t bytes;
	int fd;
	struct waltrace_shm_head head; /* as it was checked: what doesn't change is read here */
	char name[WT_TARGET_NAME];     /* of the segment, or the path that was given */
	char trace[WALTRACE_SHM_PATH_BYTES];
};

/* `which` is a segment's name ("/waltrace-…") or a path. 0, or a negative errno: -EPERM: another user's. */
int wt_target_open(struct wt_target *target, const char *which, struct wt_err *err);
void wt_target_close(struct wt_target *target);
enum wt_life wt_target_life(const struct wt_target *target);
/* Whether all of it is still there: reading behind the end of a file that was cut would be fatal. */
bool wt_target_is_whole(const struct wt_target *target);

static inline const void *wt_target_part(const struct wt_target *target, uint64_t at) { return target->memory + at; }

/* Opens what the argument names: a PID, a segment, a path of one or of its trace; NULL: the only live one. Returns an
 * exit status, after saying why on stderr. */
int wt_top_find(struct wt_target *target, const char *argument);

/* ---- What it holds at one moment (top_snapshot.c) -------------------------------------------------------------------- */

struct wt_top_logger {
	uint64_t waiters, peak, acquisitions;
	struct waltrace_shm_owner owner;
	bool owner_known; /* false: the lock changed hands faster than it could be read */
	const char *path; /* of the WAL directory, in the segment: it doesn't change */
	uint32_t path_bytes;
};

struct wt_snapshot {
	uint64_t now_ns;
	enum wt_life life;
	bool whole; /* false: the segment was cut, and nothing else is set */
	uint64_t produced, in_queue, dropped, omitted, rotated;
	struct waltrace_shm_published file;
	bool file_known;
	uint64_t unplaced;
	uint32_t loggers, losses, operations;
	uint32_t under_way; /* operations, those without an id too */
	struct wt_top_logger logger[WALTRACE_SHM_LOGGERS];
	struct waltrace_shm_loss loss[WALTRACE_SHM_LOSSES];
	struct waltrace_shm_operation operation[WALTRACE_SHM_SLOTS]; /* oldest first */
	uint16_t place[WALTRACE_SHM_LOGGERS][WALTRACE_SHM_SERIES];
	struct waltrace_shm_histogram histogram[WALTRACE_SHM_HISTOGRAMS];
};

void wt_snapshot_take(struct wt_snapshot *snapshot, const struct wt_target *target);

/* Of a loss's key. */
static inline uint64_t wt_loss_logger(const struct waltrace_shm_loss *loss) { return loss->key >> 16; }
static inline int wt_loss_kind(const struct waltrace_shm_loss *loss) { return (int)(loss->key >> 8 & 255) - 1; }
static inline int wt_loss_cause(const struct waltrace_shm_loss *loss) { return (int)(loss->key & 255) - 1; }

static inline uint64_t wt_age_ns(const struct wt_snapshot *snapshot, uint64_t since_ns)
{
	return snapshot->now_ns > since_ns ? snapshot->now_ns - since_ns : 0;
}

/* 0 unless something waits to be written: at most so much is missing at the end of the file. */
uint64_t wt_writer_lag_ns(const struct wt_snapshot *snapshot);

static inline bool wt_lost_something(const struct wt_snapshot *snapshot)
{
	return snapshot->dropped || snapshot->omitted || snapshot->rotated || snapshot->life == WT_LIFE_DEAD;
}

/* ---- Two of them compared (top_rates.c) ------------------------------------------------------------------------------ */

/* What is shown of one logger's series, all of it or what came between two snapshots. */
struct wt_times {
	uint64_t n, errors;
	uint64_t timed; /* of n, those with a duration */
	uint64_t p50_ns, p99_ns, p999_ns;
	bool none_left; /* no histogram was left for it: nothing is known */
};

/* What is shown: `before` NULL: since the start. */
struct wt_view {
	const struct wt_target *target;
	const struct wt_snapshot *now, *before;
};

void wt_view_times(const struct wt_view *view, uint32_t logger, uint32_t series, bool interval, struct wt_times *times);

/* Seconds that rates are over. */
double wt_view_seconds(const struct wt_view *view);

/* A second, over the interval if there is one, else since the start. */
struct wt_rates {
	double records, written, dropped, flushes, syncs, locks;
};
struct wt_rates wt_view_rates(const struct wt_view *view);
/* Of one logger: only the last three are set. */
struct wt_rates wt_view_logger_rates(const struct wt_view *view, uint32_t logger);

extern const struct wt_series {
	uint32_t series;
	const char *key, *label;
} wt_series_shown[3];

/* ---- What a loss touches (top_verdict.c) ------------------------------------------------------------------------------ */

enum wt_touch { WT_TOUCH_TRACE, WT_TOUCH_RATES, WT_TOUCH_LOCK, WT_TOUCH_TEXTS, WT_TOUCH_LOGGERS };

/* Bits of 1 << enum wt_touch. */
unsigned wt_loss_touches(int cause);
extern const char *const wt_touch_key[5];

/* The first sentence, and further ones (NULL-terminated by an empty text); each fits. */
enum { WT_VERDICT_SENTENCES = 8, WT_VERDICT_TEXT = 512 };
struct wt_top_verdict {
	char text[WT_VERDICT_SENTENCES][WT_VERDICT_TEXT];
	enum wt_ink ink[WT_VERDICT_SENTENCES];
	uint32_t n;
};
void wt_top_verdict(const struct wt_view *view, struct wt_top_verdict *verdict);
/* Exit status after showing it. */
int wt_top_status(const struct wt_snapshot *snapshot);

/* acquired, syncing …; a number if it isn't known. */
const char *wt_stage_name(uint64_t stage);

/* ---- Lines for people (top_lines.c, top_text.c) ------------------------------------------------------------------------- */

enum { WT_LINE_BYTES = 1024 };

struct wt_top_line {
	enum wt_ink ink;
	bool chosen;
	char text[WT_LINE_BYTES];
};

struct wt_top_lines {
	struct wt_top_line *line;
	uint32_t n, room;
	int columns; /* what is longer is cut */
};

/* Without memory the line is missing. */
void wt_top_lines_add(struct wt_top_lines *lines, enum wt_ink ink, const char *format, ...) WT_PRINTF(3, 4);
/* Words, the second line and those after it indented. */
void wt_top_lines_wrap(struct wt_top_lines *lines, enum wt_ink ink, const char *text);
void wt_top_lines_free(struct wt_top_lines *lines);
/* A short text right- or left-aligned in so many columns, to be used at once. */
enum { WT_CELL_BYTES = 64 };
struct wt_cell {
	char text[WT_CELL_BYTES];
};
struct wt_cell wt_right(const char *text, int columns);
struct wt_cell wt_left(const char *text, int columns);

void wt_top_head(struct wt_top_lines *lines, const struct wt_view *view);
/* `order` has a logger's index a place; `count` of them from `from` on. */
void wt_top_loggers(struct wt_top_lines *lines, const struct wt_view *view, const uint32_t *order, uint32_t from,
                    uint32_t count, uint32_t chosen);
void wt_top_times(struct wt_top_lines *lines, const struct wt_view *view, uint32_t logger);
void wt_top_operations(struct wt_top_lines *lines, const struct wt_view *view, uint32_t most);

/* ---- Three ways to show it --------------------------------------------------------------------------------------------- */

void wt_top_text(FILE *out, const struct wt_view *view);
void wt_top_json(FILE *out, const struct wt_view *view);
/* Whether the terminal's description is there (top_terminal.c, since its header takes words like "lines" away). */
bool wt_top_terminal_is_known(void);
/* Until q; the last snapshot's status, or -ENOTTY if the terminal can't do it, -ENOMEM. */
int wt_top_screen(const struct wt_target *target, double interval_s);

#endif
