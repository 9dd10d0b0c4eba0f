/* SPDX-License-Identifier: MIT */
#include "fault_os.h"

#include <errno.h>
#include <fcntl.h>

static bool fires(const struct wt_os *os, bool write, bool sync)
{
	struct fault_os *fault = (struct fault_os *)(uintptr_t)os;
	if (fault->kind == FAULT_SHORT && !write) return false;
	if (fault->kind == FAULT_INTERRUPT && !write && !sync) return false;
	if (fault->kind == FAULT_SYNC && !sync) return false;
	long left = atomic_fetch_sub(&fault->countdown, 1);
	if (left != 1 && !(left < 1 && atomic_load(&fault->lasting))) return false;
	atomic_fetch_add(&fault->fired, 1);
	return true;
}

static int code_of(const struct wt_os *os)
{
	const struct fault_os *fault = (const struct fault_os *)os;
	return fault->kind == FAULT_INTERRUPT ? -EINTR : fault->code;
}

static int open_file(const struct wt_os *os, const char *path, int flags, unsigned mode)
{
	if (flags & O_CREAT && fires(os, false, false)) return code_of(os);
	return wt_os_posix.open(os, path, flags, mode);
}

static ssize_t write_at(const struct wt_os *os, int fd, const void *bytes, size_t n, uint64_t offset)
{
	if (!fires(os, true, false)) return wt_os_posix.pwrite(os, fd, bytes, n, offset);
	if (((const struct fault_os *)os)->kind == FAULT_SHORT && n > 1) n /= 2;
	else if (((const struct fault_os *)os)->kind != FAULT_SHORT) return code_of(os);
	return wt_os_posix.pwrite(os, fd, bytes, n, offset);
}

static int sync_data(const struct wt_os *os, int fd)
{
	return fires(os, false, true) ? code_of(os) : wt_os_posix.fdatasync(os, fd);
}

static int sync_all(const struct wt_os *os, int fd)
{
	const struct fault_os *fault = (const struct fault_os *)os;
	if (fault->kind == FAULT_INTERRUPT) return wt_os_posix.fsync(os, fd);
	return fires(os, false, true) ? code_of(os) : wt_os_posix.fsync(os, fd);
}

static int cut(const struct wt_os *os, int fd, uint64_t bytes)
{
	return fires(os, false, false) ? code_of(os) : wt_os_posix.ftruncate(os, fd, bytes);
}

static int rename_file(const struct wt_os *os, const char *from, const char *to)
{
	return fires(os, false, false) ? code_of(os) : wt_os_posix.rename(os, from, to);
}

static int link_file(const struct wt_os *os, const char *from, const char *to)
{
	return fires(os, false, false) ? code_of(os) : wt_os_posix.link(os, from, to);
}

static int unlink_file(const struct wt_os *os, const char *path)
{
	return fires(os, false, false) ? code_of(os) : wt_os_posix.unlink(os, path);
}

static int make_directory(const struct wt_os *os, const char *path, unsigned mode)
{
	return fires(os, false, false) ? code_of(os) : wt_os_posix.mkdir(os, path, mode);
}

void fault_os_init(struct fault_os *fault, enum fault_kind kind, int code, long countdown)
{
	*fault = (struct fault_os){.os = wt_os_posix, .kind = kind, .code = code, .countdown = countdown};
	fault->os.open = open_file;
	fault->os.pwrite = write_at;
	fault->os.fdatasync = sync_data;
	fault->os.fsync = sync_all;
	fault->os.ftruncate = cut;
	fault->os.rename = rename_file;
	fault->os.link = link_file;
	fault->os.unlink = unlink_file;
	fault->os.mkdir = make_directory;
}
