/* SPDX-License-Identifier: MIT */
/* The files of a rotated trace: TRACE, TRACE.1, TRACE.2 …, of which the newest WT_PARTS are kept. */
#ifndef WT_TRACE_PARTS_H
#define WT_TRACE_PARTS_H

#include <stdio.h>

#include "trace/session.h"

enum { WT_PART_PATH_BYTES = sizeof(((struct wt_session *)0)->path) + 24 };

static inline void wt_part_path(char *to, const char *trace, uint64_t part)
{
	if (part) snprintf(to, WT_PART_PATH_BYTES, "%s.%llu", trace, (unsigned long long)part);
	else snprintf(to, WT_PART_PATH_BYTES, "%s", trace);
}

#endif
