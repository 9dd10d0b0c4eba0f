/* SPDX-License-Identifier: MIT */
/* Losses told apart by logger, kind and cause, for the loss lines. The counters that decide about completeness are those
 * of the shards; whoever counts there notes it here too. */
#ifndef WT_TRACE_LOSS_H
#define WT_TRACE_LOSS_H

#include "trace/layout.h"

/* The places of the causes alone, which are used when there is no other. Before anyone else knows the table. */
void wt_losses_init(struct wt_loss_place *places);

/* `logger` 0: none; `kind` as in a key: kind + 1, or WT_LOSS_NO_KIND. Any thread. */
void wt_loss_note(struct wt_loss_place *places, uint64_t logger, uint32_t kind, enum wt_loss cause, uint64_t n);

#endif
