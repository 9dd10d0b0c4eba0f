/* SPDX-License-Identifier: MIT */
#include "trace/loss.h"

void wt_losses_init(struct wt_loss_place *places)
{
	for (int cause = 0; cause < WT_LOSSES; cause++) places[cause].key = WT_LOSS_KEY(0, WT_LOSS_NO_KIND, cause);
}

static struct wt_loss_place *find(struct wt_loss_place *places, uint64_t key, enum wt_loss cause)
{
	uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 40);
	if (key == WT_LOSS_KEY(0, WT_LOSS_NO_KIND, cause)) return &places[cause];
	for (uint32_t i = 0; i < WT_LOSS_PROBES; i++) {
		struct wt_loss_place *place = &places[WT_LOSSES + (at + i) % (WT_LOSS_PLACES - WT_LOSSES)];
		uint64_t there = atomic_load_explicit(&place->key, memory_order_relaxed);
		if (!there && atomic_compare_exchange_strong(&place->key, &there, key)) return place;
		if (there == key) return place;
	}
	return &places[cause];
}

void wt_loss_note(struct wt_loss_place *places, uint64_t logger, uint32_t kind, enum wt_loss cause, uint64_t n)
{
	struct wt_loss_place *place = find(places, WT_LOSS_KEY(logger, kind, cause), cause);
	atomic_fetch_add_explicit(&place->n, n, memory_order_relaxed);
}
