/* SPDX-License-Identifier: MIT */
/* Gives a text in memory to a reader, a few bytes at a time. */
#ifndef TESTS_READ_FEED_H
#define TESTS_READ_FEED_H

#include <string.h>
#include <sys/types.h>

#include "base/err.h"

struct feed {
	const char *bytes;
	size_t n, step; /* step 0: as much as is asked for */
};

static inline ssize_t feed_read(void *context, void *bytes, size_t n, struct wt_err *err)
{
	struct feed *feed = context;
	(void)err;
	if (feed->step && n > feed->step) n = feed->step;
	if (n > feed->n) n = feed->n;
	if (n) memcpy(bytes, feed->bytes, n);
	feed->bytes += n;
	feed->n -= n;
	return (ssize_t)n;
}

#endif
