/* SPDX-License-Identifier: MIT */
#ifndef WT_TRACE_LOGGER_H
#define WT_TRACE_LOGGER_H

#include "trace/session.h"

/* Loggers registered so far; all of their members can be read. */
static inline uint32_t wt_loggers(void)
{
	return atomic_load_explicit(&wt_session.segment->loggers, memory_order_acquire);
}

#endif
