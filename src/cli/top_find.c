/* SPDX-License-Identifier: MIT */
/* Which segment is meant: by a PID, a name, a path, a trace, or because there is only one live. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/top.h"
#include "read/shown.h"
#include "read/units.h"

#define PREFIX "waltrace-"
#define TRACE_PREFIX "wal-trace-"

enum { LISTED_MAX = 1024, NAME_BYTES = NAME_MAX + 2 };

/* Segments of /dev/shm, newest name last. */
struct listed {
	char (*name)[NAME_BYTES]; /* "/waltrace-…" */
	uint32_t n;
};

static int complain(const char *what)
{
	fprintf(stderr, "waltrace: top: %s\n", what);
	return WT_EXIT_DAMAGED;
}

static bool is_segment_name(const char *name)
{
	size_t n = strlen(PREFIX);
	return !strncmp(name, PREFIX, n) && name[n] && !name[n + strspn(name + n, "0123456789-")] &&
	       strlen(name) < NAME_MAX;
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* Those of one process if `pid` isn't empty. */
static struct listed list(const char *pid)
{
	struct listed found = {calloc(LISTED_MAX, NAME_BYTES), 0};
	DIR *shm = opendir("/dev/shm");
	size_t n = strlen(pid);
	for (struct dirent *e; shm && found.name && found.n < LISTED_MAX && (e = readdir(shm));) {
		const char *rest = e->d_name + strlen(PREFIX);
		if (!is_segment_name(e->d_name) || (n && (strncmp(rest, pid, n) != 0 || rest[n] != '-'))) continue;
		snprintf(found.name[found.n++], NAME_BYTES, "/%s", e->d_name);
	}
	if (shm) closedir(shm);
	if (found.name) qsort(found.name, found.n, NAME_BYTES, by_name);
	return found;
}

static int tell_dead(const struct wt_target *t)
{
	fprintf(stderr,
	        "waltrace: top: process %llu is dead and its trace isn't finished: waltrace recover %s, then waltrace "
	        "report\n",
	        (unsigned long long)t->head.pid, t->name);
	return WT_EXIT_DAMAGED;
}

static int open_this(struct wt_target *t, const char *which)
{
	struct wt_err err = {0};
	if (wt_target_open(t, which, &err)) return complain(err.text);
	if (wt_target_life(t) != WT_LIFE_DEAD) return WT_EXIT_GOOD;
	int status = tell_dead(t);
	wt_target_close(t);
	return status;
}

/* ---- Without an argument ----------------------------------------------------------------------------------------------- */

struct census {
	uint32_t live, dead, odd;
	uint32_t index; /* of a live one */
	struct wt_err err;
};

static bool is_alive(struct wt_target *t)
{
	enum wt_life life = wt_target_life(t);
	return life == WT_LIFE_RUNNING || life == WT_LIFE_STOPPED || life == WT_LIFE_UNKNOWN;
}

static struct census count(const struct listed *all, struct wt_target *t)
{
	struct census c = {0};
	for (uint32_t i = 0; i < all->n; i++) {
		struct wt_err err = {0};
		int error = wt_target_open(t, all->name[i], &err);
		if (error == -EBADMSG) c.odd++, c.err = err;
		if (error) continue;
		if (is_alive(t)) c.live++, c.index = i;
		else if (wt_target_life(t) == WT_LIFE_DEAD) c.dead++;
		wt_target_close(t);
	}
	return c;
}

static void list_live(const struct listed *all, struct wt_target *t)
{
	for (uint32_t i = 0; i < all->n; i++) {
		struct wt_err err = {0};
		char trace[512];
		if (wt_target_open(t, all->name[i], &err)) continue;
		wt_shown(trace, sizeof trace, t->trace, strlen(t->trace));
		if (is_alive(t)) fprintf(stderr, "  %-8llu %s\n", (unsigned long long)t->head.pid, trace);
		wt_target_close(t);
	}
}

static int choose(const struct listed *all, struct wt_target *t)
{
	const struct census c = count(all, t);
	if (c.live == 1) return open_this(t, all->name[c.index]);
	if (c.live) {
		fprintf(stderr,
		        "waltrace: top: %u processes are being recorded: name one: waltrace top PID\n\n  %-8s %s\n",
		        c.live, "PID", "trace");
		list_live(all, t);
		return WT_EXIT_USAGE;
	}
	if (c.odd) complain(c.err.text);
	if (c.dead)
		fprintf(stderr,
		        "waltrace: top: %u process%s died and left an unfinished trace: waltrace recover --all\n",
		        c.dead, c.dead == 1 ? "" : "es");
	return complain("no process of this user is being recorded: start one with PI_STORE_WAL_TRACE_DIR set, or see "
	                "waltrace(7)");
}

/* ---- With one ------------------------------------------------------------------------------------------------------------- */

static int no_segment(const char *pid)
{
	char path[64], what[256];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%.20s", pid);
	if (stat(path, &st))
		snprintf(what, sizeof what,
		         "there is no process %.20s, and it left no segment: a trace that it ended properly is read by "
		         "waltrace report",
		         pid);
	else
		snprintf(
			what, sizeof what,
			"process %.20s has no segment: it isn't being recorded, its session has ended, or it runs without "
			"shared memory (\"segment\" in its trace's first line is empty)",
			pid);
	return complain(what);
}

/* A pid may have been used before: the live one, else the newest. */
static int open_pid(struct wt_target *t, const char *pid)
{
	struct listed all = list(pid);
	int status;
	struct census c = count(&all, t);
	if (!all.n) status = no_segment(pid);
	else status = open_this(t, all.name[c.live ? c.index : all.n - 1]);
	free(all.name);
	return status;
}

/* "…/wal-trace-<session>.jsonl", also with the number of a part: the segment's name is in it. */
static bool segment_of_trace(const char *path, char name[NAME_BYTES])
{
	const char *base = strrchr(path, '/');
	base = base ? base + 1 : path;
	if (strncmp(base, TRACE_PREFIX, strlen(TRACE_PREFIX)) != 0) return false;
	base += strlen(TRACE_PREFIX);
	size_t n = strspn(base, "0123456789-");
	if (!n || n > 100 || strncmp(base + n, ".jsonl", 6) != 0) return false;
	snprintf(name, NAME_BYTES, "/" PREFIX "%.*s", (int)n, base);
	return true;
}

int wt_top_find(struct wt_target *t, const char *argument)
{
	char name[NAME_BYTES], shown[256];
	if (!argument) {
		struct listed all = list("");
		int status = choose(&all, t);
		free(all.name);
		return status;
	}
	size_t n = strlen(argument);
	if (n && n <= 10 && strspn(argument, "0123456789") == n) return open_pid(t, argument);
	if (segment_of_trace(argument, name)) return open_this(t, name);
	if (is_segment_name(argument)) {
		snprintf(name, sizeof name, "/%s", argument);
		return open_this(t, name);
	}
	if (strchr(argument, '/') && n < WT_TARGET_NAME) return open_this(t, argument);
	wt_shown(shown, sizeof shown, argument, n);
	fprintf(stderr, "waltrace: top: %s is no PID, segment or path: see waltrace top --help\n", shown);
	return WT_EXIT_USAGE;
}
