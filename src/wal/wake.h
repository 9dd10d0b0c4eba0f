/* SPDX-License-Identifier: MIT */
/* Waiting for a turn: many threads sleep on one word, each with a bit of its group, and a wake-up reaches just the
 * group that is meant. */
#ifndef CL_WAKE_H
#define CL_WAKE_H

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>

#define CL_WAKE_ALL INT_MAX
#define CL_WAKE_EVERY_GROUP UINT32_MAX

static inline uint32_t cl_group_bit(uint32_t group) { return 1u << (group & 31); }

/* Sleeps if *word still is `seen`; returns when woken, at once if it isn't, and now and then for no reason. */
void cl_wait(_Atomic uint32_t *word, uint32_t seen, uint32_t bits);

/* Wakes up to `count` sleepers that share a bit. The word was changed before. */
void cl_wake(_Atomic uint32_t *word, int count, uint32_t bits);

#endif
