/* SPDX-License-Identifier: MIT */
/* Salvage: the valid blocks of one directory into another. Nothing here writes to the directory that is read. */
#include "wal/repair.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "wal/names.h"
#include "wal/scan.h"
#include "wal/walk.h"

struct repair {
	const struct wt_os *os;
	const char *from, *to;
	commitlog_visit_loss *visit;
	void *context;
	struct commitlog_repair_summary *sum;
	int fd;           /* of the copy */
	uint64_t written; /* to it */
	int visited;      /* what `visit` ended it with */
};

static int say(struct wt_err *err, int result, const char *directory, const char *name, const char *what)
{
	return wt_err_set(err, result, "%s/%s: can't %s: %s", directory, name, what, strerror(-result));
}

static int copy_block(void *context, struct cl_view *view, const struct cl_found *block)
{
	struct repair *r = context;
	uint64_t n = block->entry_bytes + CL_TRAILER_BYTES;
	int result = cl_view_copy(view, block->offset, n, r->fd, r->written);
	if (result) return result;
	r->written += n;
	r->sum->blocks++;
	r->sum->records += block->records;
	r->sum->bytes += n;
	return 0;
}

static int tell_loss(struct repair *r, const char *name, const struct cl_walk *walk, uint64_t to)
{
	struct commitlog_loss loss = {.file = name, .from = walk->true_bytes, .to = to, .reason = walk->reason};
	r->sum->losses++;
	r->sum->lost_bytes += to - loss.from;
	if (r->visit) r->visited = r->visit(r->context, &loss);
	return r->visited ? -ECANCELED : 0;
}

/* Walks on behind each damage. */
static int copy_blocks(struct repair *r, struct cl_view *view, const char *name)
{
	struct cl_walk walk = {0};
	for (;;) {
		int result = cl_walk_on(view, &walk, copy_block, r);
		if (result || walk.tail == CL_TAIL_NONE || walk.tail == CL_TAIL_ZEROS) return result;
		bool more = walk.tail == CL_TAIL_DAMAGED;
		result = tell_loss(r, name, &walk, more ? walk.next_block : walk.true_bytes + walk.torn_bytes);
		if (result || !more) return result;
		walk = (struct cl_walk){
			.true_bytes = walk.next_block, .data_end = walk.data_end, .effort = walk.effort};
	}
}

static int copy_to(struct repair *r, struct cl_view *view, const char *name, struct wt_err *err)
{
	char path[CL_PATH_BYTES];
	cl_path(path, r->to, name);
	r->written = 0;
	r->fd = r->os->open(r->os, path, O_WRONLY | O_CREAT | O_EXCL, 0644);
	if (r->fd < 0) return say(err, r->fd, r->to, name, "create it");
	int result = copy_blocks(r, view, name);
	if (!result) result = r->os->fsync(r->os, r->fd);
	r->os->close(r->os, r->fd);
	return result && !r->visited ? say(err, result, r->to, name, "copy to it") : result;
}

static int repair_file(struct repair *r, const char *name, struct wt_err *err)
{
	char path[CL_PATH_BYTES];
	cl_path(path, r->from, name);
	int fd = r->os->open(r->os, path, CL_OPEN_TO_READ, 0);
	if (fd < 0) return say(err, fd, r->from, name, "open it");
	struct cl_view view;
	int result = cl_view_open(&view, r->os, fd);
	if (result) say(err, result, r->from, name, "read it");
	else result = copy_to(r, &view, name, err);
	cl_view_close(&view);
	r->os->close(r->os, fd);
	if (!result) r->sum->files++;
	return result;
}

static void count_name(void *context, const char *name)
{
	(void)name;
	++*(size_t *)context;
}

static int make_target(const struct wt_os *os, const char *to, struct wt_err *err)
{
	size_t count = 0;
	if (strlen(to) > COMMITLOG_MAX_DIRECTORY)
		return wt_err_set(err, -ENAMETOOLONG, "the directory's name is longer than %d bytes",
		                  COMMITLOG_MAX_DIRECTORY);
	int result = os->mkdir(os, to, 0755);
	if (result == -EEXIST) {
		result = os->list(os, to, count_name, &count);
		if (!result && count) return wt_err_set(err, -ENOTEMPTY, "%s: isn't empty: name a new directory", to);
	}
	return result ? wt_err_set(err, result, "%s: can't make the directory: %s", to, strerror(-result)) : 0;
}

/* The log's lock, if it has a lock file: a log that is written changes under the reader. *fd: -1, or to be closed. */
static int lock(const struct wt_os *os, const char *from, int *fd, struct wt_err *err)
{
	char path[CL_PATH_BYTES];
	cl_path(path, from, CL_LOCK_NAME);
	*fd = os->open(os, path, CL_OPEN_TO_READ, 0);
	if (*fd < 0) return 0;
	int result = os->lock(os, *fd);
	if (result == -EWOULDBLOCK) return wt_err_set(err, result, "%s: the log is open: close it first", from);
	return 0;
}

int cl_repair(const struct wt_os *os, const char *from, const char *to, commitlog_visit_loss *visit, void *context,
              struct commitlog_repair_summary *sum, struct wt_err *err)
{
	struct repair r = {.os = os, .from = from, .to = to, .visit = visit, .context = context, .sum = sum};
	struct cl_names names;
	int lock_fd = -1;
	*sum = (struct commitlog_repair_summary){0};
	int result = cl_list_files(os, from, COMMITLOG_SCAN_ALL, &names, err);
	if (!result) result = lock(os, from, &lock_fd, err);
	if (!result) result = make_target(os, to, err);
	for (size_t i = 0; !result && i < names.count; i++) result = repair_file(&r, names.list[i].text, err);
	if (!result) {
		result = cl_sync_directory(os, to);
		if (!result) result = cl_sync_parent(os, to);
		if (result) say(err, result, to, ".", "make it durable");
	}
	if (lock_fd >= 0) os->close(os, lock_fd);
	cl_names_free(&names);
	return r.visited ? r.visited : result;
}
