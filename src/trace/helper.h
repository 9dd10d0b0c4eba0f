/* SPDX-License-Identifier: MIT */
/* Channels between an operation and its helpers. */
#ifndef WT_TRACE_HELPER_H
#define WT_TRACE_HELPER_H

#include "trace/session.h"

/* Makes the pool of channels. Start of the session only; 0 or -ENOMEM. */
int wt_channels_create(void);

/* The operation ends: closes each channel that it hosts, then takes what is in it. */
void wt_channels_drain(struct waltrace_op *op);

/* The helper ends: rows that it did not send are omitted. */
void wt_helper_drop_rows(struct waltrace_helper *helper);

#endif
