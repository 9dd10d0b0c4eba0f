/* SPDX-License-Identifier: MIT */
/* The file that records are written to, and the spare that will be the next. */
#ifndef CL_FILE_H
#define CL_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/os.h"
#include "wal/limits.h"

/* Written by the holder of the commit lock only. */
struct cl_file {
	uint32_t index;
	int fd;          /* -1: none */
	bool prefill;    /* write zeros ahead when the filled part is used up */
	uint64_t bytes;  /* true length: whole blocks */
	uint64_t filled; /* the file is on disk, with zeros, up to here; at least `bytes` */
	char path[CL_PATH_BYTES];
};

struct cl_sync_count {
	_Atomic uint64_t commit, other;
};

/* Writes `n` bytes at the end and makes them durable. *polls grows by how often write and sync had to be driven.
 * After an error the file's contents past `bytes` are unknown, and it must not be written again. */
int cl_file_write(const struct wt_os *os, struct cl_file *file, const uint8_t *bytes, size_t n, uint64_t *polls,
                  struct cl_sync_count *syncs);

/* Cuts the file to its true length, makes that durable and closes it. */
int cl_file_finish(const struct wt_os *os, struct cl_file *file, struct cl_sync_count *syncs);

/* Makes an empty file under the spare's name, with `fill` bytes of zeros, durable; returns its descriptor. With
 * `slice` it is synced every CL_FILL_SLICE_BYTES. *stop, if given, ends it early with -ECANCELED. If zeros can't be
 * written for want of space the file is made without them. */
int cl_spare_make(const struct wt_os *os, const char *directory, uint64_t *fill, bool slice, const atomic_bool *stop,
                  struct cl_sync_count *syncs);

/* Gives the spare its number, durably, and fills in *file. On an error the spare is gone and fd closed. */
int cl_spare_link(const struct wt_os *os, const char *directory, uint32_t index, int fd, uint64_t fill, bool prefill,
                  struct cl_file *file, struct cl_sync_count *syncs);

/* Makes the file itself, durably, with nothing written ahead: for when no spare is ready. */
int cl_file_create(const struct wt_os *os, const char *directory, uint32_t index, bool prefill, struct cl_file *file,
                   struct cl_sync_count *syncs);

/* Removes a file that no block was written to. */
void cl_file_discard(const struct wt_os *os, struct cl_file *file);

/* Takes an empty file with a number as the one to be written, and fills it ahead. */
int cl_file_reuse(const struct wt_os *os, const char *directory, uint32_t index, uint64_t fill, struct cl_file *file,
                  struct cl_sync_count *syncs);

#endif
