/* SPDX-License-Identifier: MIT */
/* A disk in memory that can crash. What an fsync or fdatasync of a file covered, and which names an fsync of their directory
 * covered, is there after a crash. Of everything else each piece is kept, lost or worse, by itself:
 *   - a write is kept, lost, cut short, kept in some of its sectors only, or its bytes are replaced by others; one that is
 *     lost may have made the file longer all the same, with zeros
 *   - a change of a file's length is kept or lost
 *   - new names, renames and removals of a directory are kept up to one of them, as a journal would, or each by itself; a
 *     rename is never half done
 * Never changed: bytes outside the ranges that were written since the last sync of their file.
 *
 * Any thread may call through `os`. The other functions are for one thread while nobody calls. */
#ifndef TESTS_DISK_OS_H
#define TESTS_DISK_OS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/os.h"

enum { DISK_FILES = 512, DISK_FDS = 64, DISK_PATH = 128 };

struct disk_file;

struct disk_name {
	char path[DISK_PATH];
	struct disk_file *file;
};

/* A change to a directory that no fsync has covered. */
struct disk_change {
	struct disk_change *next;
	char directory[DISK_PATH], from[DISK_PATH], to[DISK_PATH]; /* "": none of the two */
	struct disk_file *file;
};

struct disk_os {
	struct wt_os os; /* hand out &disk.os */
	pthread_mutex_t mutex;
	struct disk_name name[DISK_FILES];    /* as programs see them */
	struct disk_name durable[DISK_FILES]; /* as they are after a crash, but for `changes` */
	struct disk_change *changes, **last_change;
	struct disk_file *files; /* all there ever were */
	struct {
		struct disk_file *file;
		char path[DISK_PATH];
	} fd[DISK_FDS];
	uint64_t random;
	long countdown;   /* calls that change something until the power fails; 0 or less: it won't */
	bool dead;        /* every call fails */
	bool lies;        /* syncs return at once and cover nothing */
	uint64_t changed; /* calls that changed something */
};

/* An empty disk with a root directory. */
void disk_os_init(struct disk_os *disk, uint64_t seed);
void disk_os_free(struct disk_os *disk);

/* The power fails at the n-th call from now that changes something: whether that one still happens is left to chance. */
void disk_os_arm(struct disk_os *disk, long calls);
/* The power fails now, if it hasn't; then the disk is as whoever comes next finds it, and works again. */
void disk_os_crash(struct disk_os *disk);

#endif
