/* SPDX-License-Identifier: MIT */
/* The peer `floor`: what handing records to one background thread costs at the least on this machine. */
#ifndef BENCH_RECORDER_FLOOR_H
#define BENCH_RECORDER_FLOOR_H

#include <stdint.h>

#include "bench.h"

enum floor_kind { FLOOR_SYNC, FLOOR_LOCK, FLOOR_FLUSH, FLOOR_KINDS };
enum { FLOOR_VALUES = 14 };

/* Times are raw ticks; the back end converts them. */
struct floor_record {
	uint64_t id;
	uint64_t kind;
	uint64_t value[FLOOR_VALUES]; /* in the order in which a line prints them */
};
_Static_assert(sizeof(struct floor_record) == 128, "two cache lines a record");

/* floor_json.c: the floor of a writer: the longest line, templates for the given threads, and one line. */
enum { FLOOR_LINE_BYTES = 1024 };
void floor_json_open(int threads);
char *floor_json_line(char *out, int thread, const struct floor_record *record);

#endif
