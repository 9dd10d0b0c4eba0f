/* SPDX-License-Identifier: MIT */
/* A set of instants as disjoint spans in order, that tells in O(log n) how much of it lies in an interval.
 * Filled in any order, then closed; only then measured. */
#ifndef WT_READ_SPANS_H
#define WT_READ_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct wt_span {
	uint64_t start_ns, end_ns; /* end_ns <= start_ns: empty */
};

struct wt_spans {
	struct wt_span *at;
	uint64_t *before_ns; /* how much lies before at[i] */
	size_t n, room;
};

/* Start plus length, at most the largest number. */
static inline uint64_t wt_end_ns(uint64_t start_ns, uint64_t length_ns)
{
	return length_ns > UINT64_MAX - start_ns ? UINT64_MAX : start_ns + length_ns;
}

int wt_spans_add(struct wt_spans *spans, struct wt_span span) WT_MUST_CHECK;
int wt_spans_close(struct wt_spans *spans) WT_MUST_CHECK;
/* `spans` may be NULL: the empty set. */
uint64_t wt_spans_in(const struct wt_spans *spans, uint64_t start_ns, uint64_t end_ns);
void wt_spans_free(struct wt_spans *spans);

#endif
