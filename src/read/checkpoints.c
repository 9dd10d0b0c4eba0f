/* SPDX-License-Identifier: MIT */
#include "read/checkpoints.h"

static void add(struct wt_steps *steps, const struct wt_record *r)
{
	steps->n++;
	steps->failed += r->word[WALTRACE_OUTCOME] != WALTRACE_W_SUCCESS;
	if (wt_has(r, WALTRACE_TOTAL_NS)) wt_dist_add(&steps->time, wt_get(r, WALTRACE_TOTAL_NS));
}

static void add_rotation(struct wt_checkpoints *c, const struct wt_record *r)
{
	uint8_t trigger = r->word[WALTRACE_TRIGGER];
	c->triggers[trigger < WALTRACE_WORDS ? trigger : WALTRACE_W_NONE]++;
	add(&c->rotations, r);
}

static void add_replay(struct wt_checkpoints *c, const struct wt_record *r)
{
	c->replayed_records += wt_get(r, WALTRACE_RETURNED_RECORDS);
	c->replayed_bytes += wt_get(r, WALTRACE_RETURNED_BYTES);
	add(&c->replays, r);
}

void wt_checkpoints_add(struct wt_checkpoints *c, const struct wt_record *r)
{
	switch (r->kind) {
	case WALTRACE_KIND_CHECKPOINT_ROTATION: add_rotation(c, r); break;
	case WALTRACE_KIND_FILE_SPLIT: add(&c->splits, r); break;
	case WALTRACE_KIND_BACKUP_RENAME: add(&c->backups, r); break;
	case WALTRACE_KIND_ROOT_CONFIRM: add(&c->confirms, r); break;
	case WALTRACE_KIND_REPLAY: add_replay(c, r); break;
	default: break;
	}
}
