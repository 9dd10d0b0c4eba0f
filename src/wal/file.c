/* SPDX-License-Identifier: MIT */
/* Zeros are written ahead because a write into blocks that the file already has needs no journal commit at its sync.
 * A spare never held a block, so that a stale block can't come back to life in a new file. */
#include "wal/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "wal/names.h"

enum { ZEROS_BYTES = 1 << 20 };
static const uint8_t zeros[ZEROS_BYTES];

static int write_all(const struct wt_os *os, int fd, const uint8_t *bytes, size_t n, uint64_t at, uint64_t *polls)
{
	for (size_t done = 0; done < n;) {
		ssize_t put = os->pwrite(os, fd, bytes + done, n - done, at + done);
		++*polls;
		if (put == -EINTR) continue;
		if (put <= 0) return put ? (int)put : -EIO;
		done += (size_t)put;
	}
	return 0;
}

static int write_zeros(const struct wt_os *os, int fd, uint64_t from, uint64_t to)
{
	uint64_t polls = 0;
	while (from < to) {
		size_t n = to - from < ZEROS_BYTES ? (size_t)(to - from) : ZEROS_BYTES;
		int result = write_all(os, fd, zeros, n, from, &polls);
		if (result) return result;
		from += n;
	}
	return 0;
}

/* The zeros become durable with the block that made them necessary. Without them it's only slower: no error. */
static void extend(const struct wt_os *os, struct cl_file *file, uint64_t end)
{
	if (!file->prefill) return;
	uint64_t target = end + CL_EXTEND_BYTES;
	file->prefill = !write_zeros(os, file->fd, end, target);
	if (file->prefill) file->filled = target;
}

int cl_file_write(const struct wt_os *os, struct cl_file *file, const uint8_t *bytes, size_t n, uint64_t *polls,
                  struct cl_sync_count *syncs)
{
	uint64_t end = file->bytes + n;
	int result = write_all(os, file->fd, bytes, n, file->bytes, polls);
	if (result) return result;
	if (end > file->filled) extend(os, file, end);
	do {
		result = os->fdatasync(os, file->fd);
		if (result == -EINTR) ++*polls;
	} while (result == -EINTR);
	atomic_fetch_add_explicit(&syncs->commit, 1, memory_order_relaxed);
	if (result) return result;
	file->bytes = end;
	if (file->filled < end) file->filled = end;
	return 0;
}

static int sync_file(const struct wt_os *os, int fd, struct cl_sync_count *syncs)
{
	atomic_fetch_add_explicit(&syncs->other, 1, memory_order_relaxed);
	return os->fsync(os, fd);
}

static int sync_names(const struct wt_os *os, const char *directory, struct cl_sync_count *syncs)
{
	atomic_fetch_add_explicit(&syncs->other, 1, memory_order_relaxed);
	return cl_sync_directory(os, directory);
}

int cl_file_finish(const struct wt_os *os, struct cl_file *file, struct cl_sync_count *syncs)
{
	int result = os->ftruncate(os, file->fd, file->bytes);
	if (!result) result = sync_file(os, file->fd, syncs);
	os->close(os, file->fd);
	file->fd = -1;
	return result;
}

static int fill_ahead(const struct wt_os *os, int fd, uint64_t *fill, bool slice, const atomic_bool *stop,
                      struct cl_sync_count *syncs)
{
	uint64_t step = slice ? CL_FILL_SLICE_BYTES : *fill, done = 0;
	int result = 0;
	while (!result && done < *fill) {
		if (stop && atomic_load_explicit(stop, memory_order_relaxed)) return -ECANCELED;
		uint64_t next = *fill - done < step ? *fill : done + step;
		result = write_zeros(os, fd, done, next);
		done = next;
		if (!result && slice) result = sync_file(os, fd, syncs);
	}
	if (result == -ENOSPC || result == -EDQUOT || result == -EFBIG) {
		*fill = 0;
		result = os->ftruncate(os, fd, 0);
	}
	return result ? result : sync_file(os, fd, syncs);
}

int cl_spare_make(const struct wt_os *os, const char *directory, uint64_t *fill, bool slice, const atomic_bool *stop,
                  struct cl_sync_count *syncs)
{
	char path[CL_PATH_BYTES];
	cl_path(path, directory, CL_SPARE_NAME);
	/* Unlinked, not emptied: after a crash it may be a second name of a file that was just linked in. */
	int result = os->unlink(os, path);
	if (result && result != -ENOENT) return result;
	int fd = os->open(os, path, O_RDWR | O_CREAT | O_EXCL, 0644);
	if (fd < 0) return fd;
	result = fill_ahead(os, fd, fill, slice, stop, syncs);
	if (!result) return fd;
	os->close(os, fd);
	os->unlink(os, path);
	return result;
}

int cl_spare_link(const struct wt_os *os, const char *directory, uint32_t index, int fd, uint64_t fill, bool prefill,
                  struct cl_file *file, struct cl_sync_count *syncs)
{
	char spare[CL_PATH_BYTES], name[CL_NAME_BYTES];
	*file = (struct cl_file){.index = index, .fd = fd, .prefill = prefill, .filled = fill};
	cl_path(spare, directory, CL_SPARE_NAME);
	cl_name_of(name, index, false);
	cl_path(file->path, directory, name);
	int result = os->link(os, spare, file->path); /* unlike rename it replaces nothing */
	if (!result) {
		result = os->unlink(os, spare);
		if (!result) result = sync_names(os, directory, syncs);
		if (result) os->unlink(os, file->path);
	}
	if (!result) return 0;
	os->unlink(os, spare);
	os->close(os, fd);
	file->fd = -1;
	return result;
}

int cl_file_create(const struct wt_os *os, const char *directory, uint32_t index, bool prefill, struct cl_file *file,
                   struct cl_sync_count *syncs)
{
	char name[CL_NAME_BYTES];
	*file = (struct cl_file){.index = index, .prefill = prefill};
	cl_name_of(name, index, false);
	cl_path(file->path, directory, name);
	file->fd = os->open(os, file->path, O_RDWR | O_CREAT | O_EXCL, 0644);
	if (file->fd < 0) return file->fd;
	int result = sync_file(os, file->fd, syncs);
	if (!result) result = sync_names(os, directory, syncs);
	if (result) cl_file_discard(os, file);
	return result;
}

void cl_file_discard(const struct wt_os *os, struct cl_file *file)
{
	os->unlink(os, file->path);
	os->close(os, file->fd);
	file->fd = -1;
}

int cl_file_reuse(const struct wt_os *os, const char *directory, uint32_t index, uint64_t fill, struct cl_file *file,
                  struct cl_sync_count *syncs)
{
	char name[CL_NAME_BYTES];
	*file = (struct cl_file){.index = index, .fd = -1, .prefill = fill > 0};
	cl_name_of(name, index, false);
	cl_path(file->path, directory, name);
	int fd = os->open(os, file->path, O_RDWR, 0);
	if (fd < 0) return fd;
	int result = fill_ahead(os, fd, &fill, false, NULL, syncs);
	if (result) {
		os->close(os, fd);
		return result;
	}
	file->fd = fd;
	file->filled = fill;
	return 0;
}
