/* SPDX-License-Identifier: MIT */
/* File systems of a test case's own, in a child of child.h. */
#ifndef WT_TESTS_MOUNTS_H
#define WT_TESTS_MOUNTS_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#include "child.h"

static inline bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0) close(fd);
	return good;
}

/* A user namespace in which the user is root, so that he owns what he mounts. */
static inline bool as_own_root(void)
{
	char users[64], groups[64];
	snprintf(users, sizeof users, "0 %u 1", (unsigned)geteuid());
	snprintf(groups, sizeof groups, "0 %u 1", (unsigned)getegid());
	return !unshare(CLONE_NEWUSER | CLONE_NEWNS) && write_text("/proc/self/setgroups", "deny") &&
	       write_text("/proc/self/uid_map", users) && write_text("/proc/self/gid_map", groups);
}

/* What the process mounts from here on is seen by itself alone and ends with it. Where the system doesn't allow that the
 * case can't be made: says so, and ends the child as not run. */
static inline void own_mounts(void)
{
	if ((!unshare(CLONE_NEWNS) || as_own_root()) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) return;
	not_run("no mounts of its own here: %s", strerror(errno));
}

#endif
