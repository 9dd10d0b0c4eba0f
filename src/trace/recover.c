/* SPDX-License-Identifier: MIT */
/* Finishes the trace of a process that is gone. Only the trace is written, and always from the published offset on, so
 * that it can be interrupted anywhere and begun again; the segment goes last. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/lines.h"
#include "trace/parts.h"
#include "trace/remains.h"

#define SEGMENT_PREFIX "waltrace-"
enum { FIRST_LINE_BYTES = 4096 };

struct recovery {
	struct wt_remains remains;
	struct wt_out out;
	struct wt_encoder encoder;
	struct wt_window window;
	uint64_t newest_ns; /* latest moment that a record tells of */
	uint64_t operations;
	int fd;
};

/* ---- The trace ------------------------------------------------------------------------------------------------------ */

/* The first line must name this session: the path alone could lead to another file by now. */
static bool is_trace_of(int fd, const char *session_id)
{
	char line[FIRST_LINE_BYTES + 1], want[128];
	ssize_t n = pread(fd, line, FIRST_LINE_BYTES, 0);
	if (n <= 0) return false;
	line[n] = 0;
	char *end = strchr(line, '\n');
	if (end) *end = 0;
	snprintf(want, sizeof want, "\"event\":\"session_start\",\"schema_version\":2,\"session_id\":\"%s\"",
	         session_id);
	return strstr(line, want) != NULL;
}

/* Files of a rotated set that the publication doesn't know of yet: what they hold is still in the queue. */
static void delete_unpublished_parts(const struct recovery *r)
{
	for (uint64_t part = r->remains.published.part + 1; part <= r->remains.published.part + WT_PARTS; part++) {
		char path[WT_PART_PATH_BYTES];
		wt_part_path(path, r->remains.segment->trace_path, part);
		int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0) return;
		struct stat st;
		bool ours = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		            (!st.st_size || is_trace_of(fd, r->remains.segment->session_id));
		close(fd);
		if (ours) unlink(path);
	}
}

static int open_trace(struct recovery *r, struct wt_err *err)
{
	char path[WT_PART_PATH_BYTES];
	struct stat st;
	wt_part_path(path, r->remains.segment->trace_path, r->remains.published.part);
	r->fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (r->fd < 0) return wt_err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (fstat(r->fd, &st)) return wt_err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode)) return wt_err_set(err, -EBADMSG, "%s is no regular file", path);
	if (st.st_uid != geteuid()) return wt_err_set(err, -EPERM, "%s belongs to another user", path);
	if (flock(r->fd, LOCK_EX | LOCK_NB))
		return wt_err_set(err, -EBUSY, "%s is being recovered by another process", path);
	if (!is_trace_of(r->fd, r->remains.segment->session_id))
		return wt_err_set(err, -EBADMSG, "%s is the trace of another session", path);
	if ((uint64_t)st.st_size < r->remains.published.file_bytes)
		return wt_err_set(err, -EBADMSG,
		                  "%s is shorter (%lld bytes) than what was written to it (%llu): it is left as it is",
		                  path, (long long)st.st_size, (unsigned long long)r->remains.published.file_bytes);
	delete_unpublished_parts(r);
	if (ftruncate(r->fd, (off_t)r->remains.published.file_bytes))
		return wt_err_set(err, -errno, "%s: can't cut it: %s", path, strerror(errno));
	return 0;
}

/* ---- Its last lines --------------------------------------------------------------------------------------------------- */

static void saw(struct recovery *r, uint64_t ns)
{
	if (ns > r->newest_ns) r->newest_ns = ns;
}

static void take_row(void *context, const struct wt_row *row)
{
	struct recovery *r = context;
	if (!wt_line_record(&r->out, &r->encoder, row)) return;
	r->window.written++;
	wt_sum_up(&r->window.sums, row);
	uint64_t end;
	if ((row->mask & 3) == 3 && !__builtin_add_overflow(row->value[0], row->value[1], &end)) saw(r, end);
}
_Static_assert(WALTRACE_START_NS == 0 && WALTRACE_TOTAL_NS == 1, "the first two values of a row that has both");

static void take_operation(void *context, const struct wt_slot *slot)
{
	struct recovery *r = context;
	r->operations++;
	saw(r, slot->since_ns);
	wt_line_in_flight(&r->out, &r->encoder, slot);
}

static void write_loggers(struct recovery *r)
{
	const struct waltrace_logger *logger = wt_remains_part(&r->remains, r->remains.segment->loggers_at);
	uint32_t n = wt_remains_loggers(&r->remains);
	for (uint64_t i = r->remains.published.loggers; i < n; i++)
		if (!wt_line_logger(&r->out, &r->encoder, &logger[i])) return;
}

static uint64_t omitted(const struct recovery *r)
{
	uint64_t sum = 0;
	for (int cause = WT_LOSS_rows; cause < WT_LOSSES; cause++)
		if (cause != WT_LOSS_rotated) sum += wt_remains_lost(&r->remains, (enum wt_loss)cause);
	return sum;
}

static void write_window(struct recovery *r)
{
	struct wt_window *w = &r->window;
	w->number = r->remains.published.window + 1;
	w->start_ns = r->remains.published.window_end_ns;
	w->end_ns = r->newest_ns > w->start_ns ? r->newest_ns : w->start_ns;
	w->produced = wt_remains_tried(&r->remains);
	if (w->produced < w->written) w->produced = w->written; /* only in a damaged segment */
	w->dropped_full = wt_remains_lost(&r->remains, WT_LOSS_queue_full);
	if (w->dropped_full > w->produced - w->written) w->dropped_full = w->produced - w->written;
	w->dropped_stopped = w->produced - w->written - w->dropped_full; /* what was being handed over, too */
	w->omitted = omitted(r);
	w->outstanding = r->operations + wt_remains_helpers(&r->remains);
	wt_line_window(&r->out, &r->encoder, w);
}

static int write_end(struct recovery *r, struct waltrace_report *report, struct wt_err *err)
{
	const struct wt_window *w = &r->window;
	const char *path = r->remains.segment->trace_path;
	memset(report, 0, sizeof *report);
	report->produced = w->produced;
	report->written = w->written;
	report->dropped = w->produced - w->written;
	report->omitted = w->omitted;
	report->outstanding = w->outstanding;
	strcpy(report->reason, "recovered");
	if (wt_out_flush(&r->out) && wt_line_footer(&r->out, &r->encoder, report) && !fdatasync(r->fd)) return 0;
	int error = r->out.error && r->out.error != WT_OUT_LIMIT ? r->out.error : -errno;
	return wt_err_set(err, error, "%s: %s: make room and recover it again", path, strerror(-error));
}

static int finish_trace(struct recovery *r, struct waltrace_report *report, struct wt_err *err)
{
	const struct wt_segment *g = r->remains.segment;
	int error = wt_out_open(&r->out, &wt_os_posix, r->fd, g->max_bytes);
	if (error) return wt_err_set(err, error, "no memory");
	r->out.bytes = r->out.flushed = r->remains.published.file_bytes;
	r->window.written = r->remains.published.written;
	r->window.sums = r->remains.published.sums;
	r->newest_ns = r->remains.published.newest_ns;
	wt_encoder_init(&r->encoder, g->session_id);
	r->encoder.path_block = wt_remains_part(&r->remains, g->path_blocks_at);
	r->encoder.logger_text = wt_remains_part(&r->remains, g->logger_text_at);
	r->encoder.capacity = g->capacity;
	write_loggers(r);
	wt_remains_rows(&r->remains, take_row, r);
	wt_remains_operations(&r->remains, take_operation, r);
	write_window(r);
	error = write_end(r, report, err);
	free(r->out.buffer);
	return error;
}

/* A report's path lives as long as the process: those of recoveries are kept here. */
struct kept {
	struct kept *before;
	char path[];
};
static _Atomic(struct kept *) newest_kept;

static const char *keep(const char *path)
{
	struct kept *k = malloc(sizeof *k + strlen(path) + 1);
	if (!k) return NULL;
	strcpy(k->path, path);
	k->before = atomic_load(&newest_kept);
	while (!atomic_compare_exchange_weak(&newest_kept, &k->before, k))
		;
	return k->path;
}

/* ---- Whole ----------------------------------------------------------------------------------------------------------- */

static int recover_open(const char *name, struct recovery *r, struct waltrace_report *report, struct wt_err *err)
{
	bool ended = atomic_load(&r->remains.segment->ended);
	int error = wt_remains_gone(&r->remains, err);
	if (error) return error;
	if (!ended) error = open_trace(r, err);
	if (!error && !ended) error = finish_trace(r, report, err);
	if (!error && ended)
		error = wt_err_set(err, -ENOENT, "%s: its trace was finished: nothing is left to do", name);
	if (!error || error == -ENOENT) shm_unlink(name);
	if (!error) {
		char path[WT_PART_PATH_BYTES];
		wt_part_path(path, r->remains.segment->trace_path, r->remains.published.part);
		report->path = keep(path);
	}
	return error;
}

static bool is_segment_name(const char *name)
{
	const char *rest = name + 1 + strlen(SEGMENT_PREFIX);
	return !strncmp(name, "/" SEGMENT_PREFIX, strlen("/" SEGMENT_PREFIX)) && strlen(name) < NAME_MAX &&
	       rest[strspn(rest, "0123456789-")] == 0 && *rest;
}

static int recover(const char *name, const char *directory, struct waltrace_report *report, struct wt_err *err)
{
	struct recovery *r = calloc(1, sizeof *r);
	if (!r) return wt_err_set(err, -ENOMEM, "no memory");
	r->fd = -1;
	int error = wt_remains_open(name, &r->remains, err);
	if (!error) {
		size_t n = directory ? strlen(directory) : 0;
		const char *path = r->remains.segment->trace_path;
		if (directory &&
		    (strncmp(path, directory, n) != 0 || strcspn(path + n, "/") != 0 || strchr(path + n + 1, '/')))
			error = wt_err_set(err, -EAGAIN, "%s belongs to another directory", name);
		else error = recover_open(name, r, report, err);
		wt_remains_close(&r->remains);
	} else if (directory) {
		error = -EAGAIN; /* what can't be read may be anyone's */
	}
	if (r->fd >= 0) close(r->fd);
	free(r);
	return error;
}

static int pass_on(struct waltrace_error *to, int code, const struct wt_err *err)
{
	if (!to || !code) return code;
	to->code = code;
	snprintf(to->message, sizeof to->message, "%s", strerror(-code));
	snprintf(to->detail, sizeof to->detail, "%s", err->text);
	return code;
}

int waltrace_recover(const char *segment, struct waltrace_report *report, struct waltrace_error *error)
{
	struct wt_err err = {0};
	if (!is_segment_name(segment)) {
		wt_err_set(&err, -EINVAL, "\"%.64s\" is no segment's name: it looks like /waltrace-<pid>-<time>",
		           segment);
		return pass_on(error, -EINVAL, &err);
	}
	return pass_on(error, recover(segment, NULL, report, &err), &err);
}

int waltrace_recover_all(const char *directory,
                         void (*each)(void *context, const char *segment, int result,
                                      const struct waltrace_report *report, const struct waltrace_error *error),
                         void *context)
{
	int saved = errno, n = 0;
	char *whole = directory ? realpath(directory, NULL) : NULL;
	if (directory && !whole) return -errno;
	DIR *shm = opendir("/dev/shm"); /* where Linux keeps what shm_open makes; elsewhere there is no list of it */
	for (struct dirent *entry; shm && (entry = readdir(shm));) {
		struct waltrace_report report = {0};
		struct waltrace_error error = {0};
		struct wt_err err = {0};
		char name[NAME_MAX + 2];
		snprintf(name, sizeof name, "/%s", entry->d_name);
		if (!is_segment_name(name)) continue;
		int result = recover(name, whole, &report, &err);
		if (result == -EAGAIN || result == -EPERM) continue;
		n++;
		pass_on(&error, result, &err);
		if (each) each(context, name, result, &report, &error);
	}
	if (shm) closedir(shm);
	free(whole);
	errno = saved;
	return n;
}
