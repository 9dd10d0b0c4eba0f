/* SPDX-License-Identifier: MIT */
/* Creates the segment and fills in its head and the session's pointers into it. */
#ifndef WT_TRACE_SEGMENT_H
#define WT_TRACE_SEGMENT_H

#include "trace/session.h"

/* Shared memory named after the session, or private memory where that can't be had (then s->segment_name is empty).
 * All of it is reserved and touched. 0 or a negative errno. May block. */
int wt_segment_create(struct wt_session *s, uint64_t capacity, struct wt_err *err);

/* Where everything lies for a capacity and a number of shards; fills in the offsets of a zeroed head. */
void wt_segment_lay_out(struct wt_segment *head, uint64_t capacity, uint32_t shards);

/* Takes the name away; the memory stays mapped, since threads may still be on their way out of it. */
void wt_segment_unlink(struct wt_session *s);

#endif
