/* SPDX-License-Identifier: MIT */
#ifndef BENCH_RECORDER_OPTIONS_H
#define BENCH_RECORDER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct options {
	bool quick, json, once, shared_logger;
	int threads;          /* 0: one, then two */
	const char *mode;     /* NULL: all */
	const char *peer;     /* NULL: all */
	const char *dir;      /* on tmpfs */
	const char *disk_dir; /* on a disk */
	uint64_t ops;         /* 0: the mode's own */
	uint64_t bursts, rounds;
};

/* Exits with 3 and a message if the command line is wrong, with 0 after --help. */
void parse_options(int argc, char **argv, struct options *options);

#endif
