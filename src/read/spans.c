/* SPDX-License-Identifier: MIT */
#include "read/spans.h"

#include <errno.h>
#include <stdlib.h>

#include "read/grow.h"

int wt_spans_add(struct wt_spans *spans, struct wt_span span)
{
	if (span.end_ns <= span.start_ns) return 0;
	if (spans->n == spans->room && wt_grow((void **)&spans->at, &spans->room, sizeof *spans->at)) return -ENOMEM;
	spans->at[spans->n++] = span;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct wt_span *x = a, *y = b;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

int wt_spans_close(struct wt_spans *spans)
{
	size_t kept = 0;
	if (!spans->n) return 0;
	qsort(spans->at, spans->n, sizeof *spans->at, by_start);
	for (size_t i = 1; i < spans->n; i++) {
		struct wt_span *last = &spans->at[kept], next = spans->at[i];
		if (next.start_ns > last->end_ns) spans->at[++kept] = next;
		else if (next.end_ns > last->end_ns) last->end_ns = next.end_ns;
	}
	spans->n = kept + 1;
	spans->before_ns = malloc(spans->n * sizeof *spans->before_ns);
	if (!spans->before_ns) return -ENOMEM;
	uint64_t sum = 0;
	for (size_t i = 0; i < spans->n; i++) {
		spans->before_ns[i] = sum;
		sum += spans->at[i].end_ns - spans->at[i].start_ns;
	}
	return 0;
}

/* How much lies before t. */
static uint64_t until(const struct wt_spans *spans, uint64_t t)
{
	size_t low = 0, high = spans->n; /* at[low - 1] begins before t, at[high] doesn't */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (spans->at[middle].start_ns < t) low = middle + 1;
		else high = middle;
	}
	if (!low) return 0;
	const struct wt_span *last = &spans->at[low - 1];
	uint64_t end = last->end_ns < t ? last->end_ns : t;
	return spans->before_ns[low - 1] + (end - last->start_ns);
}

uint64_t wt_spans_in(const struct wt_spans *spans, uint64_t start_ns, uint64_t end_ns)
{
	if (!spans || !spans->n || end_ns <= start_ns) return 0;
	return until(spans, end_ns) - until(spans, start_ns);
}

void wt_spans_free(struct wt_spans *spans)
{
	free(spans->at);
	free(spans->before_ns);
	*spans = (struct wt_spans){0};
}
