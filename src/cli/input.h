/* SPDX-License-Identifier: MIT */
/* A trace's bytes: a file, standard input ("-"), either of them compressed by zstd. */
#ifndef WT_CLI_INPUT_H
#define WT_CLI_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct wt_input {
	int fd;
	bool zstd, started, ended;
	bool inside, gave; /* in the middle of a frame; some of it was given out */
	void *stream;      /* ZSTD_DStream */
	char *packed;      /* what was read and isn't unpacked yet: [from, to) */
	size_t from, to;
	uint64_t taken, size;        /* bytes read of so many; size 0: unknown */
	uint64_t since_ns, shown_ns; /* progress, on a terminal */
	bool progress;
	const char *name;
};

/* 0; negative errno with a message that says what to do. The name must outlive the input. */
int wt_input_open(struct wt_input *input, const char *path, struct wt_err *err) WT_MUST_CHECK;
/* A wt_read_fn; `input` is a struct wt_input. */
ssize_t wt_input_read(void *input, void *bytes, size_t n, struct wt_err *err);
void wt_input_close(struct wt_input *input);

/* A file's name as messages show it: "-" is standard input, control characters are escaped. */
void wt_input_shown(char *to, size_t room, const char *path);
/* Puts the file's name before a message that may begin with a line's number: "FILE:LINE: …", "FILE: …". */
void wt_input_blame(struct wt_err *err, const char *path);

#endif
