/* SPDX-License-Identifier: MIT */
/* What the libraries ask of the operating system, behind one table of calls, so that a test can put faults, a
 * simulated disk or its own clock underneath. Every call takes the table itself first: a test embeds it in a larger
 * struct and finds its state from there. Calls return a result or a negative errno, never -1; short writes and
 * -EINTR reach the caller, whose business they are. Any thread may call. */
#ifndef WT_BASE_OS_H
#define WT_BASE_OS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct wt_os {
	int (*open)(const struct wt_os *os, const char *path, int flags, unsigned mode); /* fd; O_CLOEXEC is added */
	int (*close)(const struct wt_os *os, int fd);
	ssize_t (*pread)(const struct wt_os *os, int fd, void *bytes, size_t n, uint64_t offset);
	ssize_t (*pwrite)(const struct wt_os *os, int fd, const void *bytes, size_t n, uint64_t offset);
	int (*fdatasync)(const struct wt_os *os, int fd);
	int (*fsync)(const struct wt_os *os, int fd);
	int (*ftruncate)(const struct wt_os *os, int fd, uint64_t bytes);
	int64_t (*size)(const struct wt_os *os, int fd);
	int (*rename)(const struct wt_os *os, const char *from, const char *to);
	int (*link)(const struct wt_os *os, const char *from, const char *to);
	int (*unlink)(const struct wt_os *os, const char *path);
	int (*mkdir)(const struct wt_os *os, const char *path, unsigned mode);
	int (*lock)(const struct wt_os *os, int fd); /* exclusive, without waiting, until fd is closed: -EWOULDBLOCK */
	/* Calls `each` with every name in a directory but "." and "..", in no order. */
	int (*list)(const struct wt_os *os, const char *path, void (*each)(void *context, const char *name),
	            void *context);
	uint64_t (*monotonic_ns)(const struct wt_os *os);
	uint64_t (*wall_ms)(const struct wt_os *os);
};

/* The real thing. */
extern const struct wt_os wt_os_posix;

#endif
