/* SPDX-License-Identifier: MIT */
#include "base/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int checked(int result) { return result < 0 ? -errno : result; }

static int open_file(const struct wt_os *os, const char *path, int flags, unsigned mode)
{
	(void)os;
	return checked(open(path, flags | O_CLOEXEC, (mode_t)mode));
}

static int close_file(const struct wt_os *os, int fd)
{
	(void)os;
	return checked(close(fd));
}

static ssize_t read_at(const struct wt_os *os, int fd, void *bytes, size_t n, uint64_t offset)
{
	(void)os;
	ssize_t got = pread(fd, bytes, n, (off_t)offset);
	return got < 0 ? -errno : got;
}

/* A limit on file sizes (RLIMIT_FSIZE) is an error, as a full file system is, and must not end the program by its signal.
 * One that the thread had blocked itself stays pending, as it may have been before. */
static ssize_t write_at(const struct wt_os *os, int fd, const void *bytes, size_t n, uint64_t offset)
{
	(void)os;
	sigset_t xfsz, before;
	const struct timespec now = {0, 0};
	sigemptyset(&xfsz);
	sigaddset(&xfsz, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &xfsz, &before);
	ssize_t put = pwrite(fd, bytes, n, (off_t)offset);
	ssize_t result = put < 0 ? -errno : put;
	if (result == -EFBIG && !sigismember(&before, SIGXFSZ)) sigtimedwait(&xfsz, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result;
}

static int sync_data(const struct wt_os *os, int fd)
{
	(void)os;
	return checked(fdatasync(fd));
}

static int sync_all(const struct wt_os *os, int fd)
{
	(void)os;
	return checked(fsync(fd));
}

static int cut(const struct wt_os *os, int fd, uint64_t bytes)
{
	(void)os;
	return checked(ftruncate(fd, (off_t)bytes));
}

static int64_t size_of(const struct wt_os *os, int fd)
{
	(void)os;
	struct stat st;
	return fstat(fd, &st) ? -errno : (int64_t)st.st_size;
}

static int rename_file(const struct wt_os *os, const char *from, const char *to)
{
	(void)os;
	return checked(rename(from, to));
}

static int link_file(const struct wt_os *os, const char *from, const char *to)
{
	(void)os;
	return checked(link(from, to));
}

static int unlink_file(const struct wt_os *os, const char *path)
{
	(void)os;
	return checked(unlink(path));
}

static int make_directory(const struct wt_os *os, const char *path, unsigned mode)
{
	(void)os;
	return checked(mkdir(path, (mode_t)mode));
}

static int lock_file(const struct wt_os *os, int fd)
{
	(void)os;
	return checked(flock(fd, LOCK_EX | LOCK_NB));
}

static int list_directory(const struct wt_os *os, const char *path, void (*each)(void *context, const char *name),
                          void *context)
{
	(void)os;
	DIR *directory = opendir(path);
	if (!directory) return -errno;
	struct dirent *entry;
	while (errno = 0, (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) each(context, entry->d_name);
	int result = -errno;
	closedir(directory);
	return result;
}

static uint64_t monotonic_ns(const struct wt_os *os)
{
	(void)os;
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t wall_ms(const struct wt_os *os)
{
	(void)os;
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

const struct wt_os wt_os_posix = {
	.open = open_file,
	.close = close_file,
	.pread = read_at,
	.pwrite = write_at,
	.fdatasync = sync_data,
	.fsync = sync_all,
	.ftruncate = cut,
	.size = size_of,
	.rename = rename_file,
	.link = link_file,
	.unlink = unlink_file,
	.mkdir = make_directory,
	.lock = lock_file,
	.list = list_directory,
	.monotonic_ns = monotonic_ns,
	.wall_ms = wall_ms,
};
