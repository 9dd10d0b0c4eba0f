/* SPDX-License-Identifier: MIT */
/* The parts of a commit. Where two claim the same instant of a flush the earlier in this list has it. */
#ifndef WT_READ_PART_H
#define WT_READ_PART_H

/* WT_PART(id, key in JSON, name in text, what it is) */
#define WT_PARTS_LIST(WT_PART) \
	WT_PART(ROTATION, "rotation", "rotation", "a checkpoint rotation or file split held the commit lock") \
	WT_PART(FSYNC, "fsync", "fsync", "the write and fsync that made it durable") \
	WT_PART(DELAY, "delay", "delay timer", "joined, until the delay timer ran") \
	WT_PART(QUEUE, "queue", "queue", "waiting for the commit lock, itself or its owner") \
	WT_PART(WOKEN, "woken", "wake-up", "durable, until it ran again") \
	WT_PART(OTHER_FSYNC, "other_fsync", "others' fsync", "waiting while earlier batches were written") \
	WT_PART(OWN, "own", "own code", "the flush's own steps, waiting for nothing") \
	WT_PART(UNKNOWN_OWNER, "unknown_owner", "unknown owner", "waiting for a batch whose records are missing") \
	WT_PART(UNACCOUNTED, "unaccounted", "unaccounted", "what none of these explains")

enum wt_part {
#define WT_PART(id, key, name, meaning) WT_PART_##id,
	WT_PARTS_LIST(WT_PART)
#undef WT_PART
		WT_PARTS
};

extern const char *const wt_part_key[WT_PARTS];
extern const char *const wt_part_name[WT_PARTS];
extern const char *const wt_part_meaning[WT_PARTS];

#endif
