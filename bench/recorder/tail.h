/* SPDX-License-Identifier: MIT */
/* Reads a trace while it grows and checks that each thread's records are there, all of them and in order. */
#ifndef BENCH_RECORDER_TAIL_H
#define BENCH_RECORDER_TAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "bench.h"

struct tail {
	int fd;
	uint64_t offset; /* of the first byte that isn't checked */
	char *bytes;
	uint64_t records[MAX_THREADS]; /* checked so far, in order; three an operation */
};

void tail_open(struct tail *tail, const char *path);

/* Checks every whole line that is there and not checked yet; a record out of place ends the process. */
void tail_read(struct tail *tail);

/* Whether the first `ops` operations of each of `threads` are checked. */
bool tail_has(const struct tail *tail, int threads, uint64_t ops);

/* Number of the last operation in the file if its end holds one, else 0: costs one short read, checks nothing. */
uint64_t tail_peek(const struct tail *tail);

void tail_close(struct tail *tail);

#endif
