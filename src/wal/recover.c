/* SPDX-License-Identifier: MIT */
/* Open's first step. Two passes, so that a damaged file anywhere leaves all of them as they are. */
#include "wal/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wal/scan.h"

struct checked {
	const struct cl_name *name;
	uint64_t size;
	struct cl_walk walk;
};

static int say(struct wt_err *err, int result, const char *path, const char *what)
{
	return wt_err_set(err, result, "%s: can't %s: %s", path, what, strerror(-result));
}

static int check_file(const struct wt_os *os, const char *directory, struct checked *file, bool last,
                      struct wt_err *err)
{
	char path[CL_PATH_BYTES];
	cl_path(path, directory, file->name->text);
	int fd = os->open(os, path, CL_OPEN_TO_READ, 0);
	if (fd < 0) return say(err, fd, path, "open it");
	struct cl_view view;
	int result = cl_view_open(&view, os, fd);
	if (!result) {
		file->size = view.size;
		result = cl_walk_file(&view, &file->walk, NULL, NULL);
		cl_view_close(&view);
	}
	os->close(os, fd);
	if (result) return say(err, result, path, "read it");
	bool bad = file->walk.tail == CL_TAIL_DAMAGED || file->walk.tail == CL_TAIL_TORN;
	if (!bad || (last && file->walk.tail == CL_TAIL_TORN)) return 0;
	return cl_say_damage(err, directory, file->name->text, &file->walk);
}

/* Copies the torn bytes to NAME.torn. The copy is durable before anything is cut. */
static int keep_torn(const struct wt_os *os, const char *directory, const struct checked *file, int fd,
                     struct wt_err *err)
{
	char path[CL_PATH_BYTES], name[CL_NAME_BYTES + 8];
	snprintf(name, sizeof name, "%s.torn", file->name->text);
	cl_path(path, directory, name);
	int copy = os->open(os, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (copy < 0) return say(err, copy, path, "create it");
	struct cl_view view;
	int result = cl_view_open(&view, os, fd);
	if (!result) result = cl_view_copy(&view, file->walk.true_bytes, file->walk.torn_bytes, copy, 0);
	cl_view_close(&view);
	if (!result) result = os->fsync(os, copy);
	os->close(os, copy);
	if (!result) result = cl_sync_directory(os, directory);
	return result ? say(err, result, path, "keep the torn tail") : 0;
}

/* Cuts off what doesn't belong to the file. One that is whole is synced nevertheless: a process that was killed may
 * have left blocks in memory only, and what is found counts as durable. */
static int settle_file(const struct wt_os *os, const char *directory, const struct checked *file, struct wt_err *err)
{
	char path[CL_PATH_BYTES];
	if (!file->size) return 0;
	cl_path(path, directory, file->name->text);
	bool cuts = file->walk.true_bytes < file->size;
	int fd = os->open(os, path, cuts ? O_RDWR : CL_OPEN_TO_READ, 0);
	if (fd < 0) return say(err, fd, path, "open it for cutting its tail");
	int result = file->walk.tail == CL_TAIL_TORN ? keep_torn(os, directory, file, fd, err) : 0;
	if (!result) {
		if (cuts) result = os->ftruncate(os, fd, file->walk.true_bytes);
		if (!result) result = os->fsync(os, fd);
		if (result) say(err, result, path, "cut its tail");
	}
	os->close(os, fd);
	return result;
}

static void add_up(struct cl_recovered *found, const struct checked *file)
{
	found->files++;
	found->blocks += file->walk.blocks;
	found->records += file->walk.records;
	if (file->walk.tail == CL_TAIL_TORN) found->torn_bytes = file->walk.torn_bytes;
	const struct cl_name *name = file->name;
	if (name->index == found->last_index) found->last_empty = !name->compacted && !file->walk.true_bytes;
}

int cl_recover(const struct wt_os *os, const char *directory, const struct cl_names *names, struct cl_recovered *found,
               struct wt_err *err)
{
	*found = (struct cl_recovered){.last_index = names->highest};
	struct checked *files = calloc(names->count + 1, sizeof *files);
	if (!files) return wt_err_set(err, -ENOMEM, "%s: no memory to check %zu files", directory, names->count);
	const struct cl_name *last = cl_last_live(names);
	size_t n = 0;
	int result = 0;
	for (size_t i = 0; !result && i < names->count; i++) {
		if (names->list[i].backup) continue;
		files[n].name = &names->list[i];
		result = check_file(os, directory, &files[n], files[n].name == last, err);
		n++;
	}
	for (size_t i = 0; !result && i < n; i++) {
		result = settle_file(os, directory, &files[i], err);
		add_up(found, &files[i]);
	}
	free(files);
	return result;
}
