/* SPDX-License-Identifier: MIT */
/* Clock, samples and the way out. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

double ns_per_tick = 1, ns_a_read;

uint64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void ticks_calibrate(void)
{
	uint64_t ns = monotonic_ns(), t = ticks();
	while (monotonic_ns() - ns < 50 * 1000 * 1000) {
	}
	uint64_t ns_end = monotonic_ns(), t_end = ticks();
	ns_per_tick = (double)(ns_end - ns) / (double)(t_end - t);
	enum { READS = 100 * 1000 };
	t = ticks();
	for (int i = 1; i < READS; i++) (void)ticks();
	ns_a_read = (double)(ticks() - t) * ns_per_tick / READS;
}

void samples_add(struct samples *s, double value)
{
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 256;
		s->value = realloc(s->value, s->room * sizeof *s->value);
		if (!s->value) die("no memory for %zu samples", s->room);
	}
	s->value[s->n++] = value;
}

void samples_free(struct samples *s)
{
	free(s->value);
	*s = (struct samples){0};
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double samples_quantile(struct samples *s, double share)
{
	if (!s->n) return 0;
	qsort(s->value, s->n, sizeof *s->value, ascending);
	size_t rank = (size_t)(share * (double)s->n);
	return s->value[rank < s->n ? rank : s->n - 1];
}

void die(const char *format, ...)
{
	va_list args;
	fputs("bench-recorder: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}
