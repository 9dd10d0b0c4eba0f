/* SPDX-License-Identifier: MIT */
#include "read/part.h"

const char *const wt_part_key[WT_PARTS] = {
#define WT_PART(id, key, name, meaning) key,
	WT_PARTS_LIST(WT_PART)
#undef WT_PART
};

const char *const wt_part_name[WT_PARTS] = {
#define WT_PART(id, key, name, meaning) name,
	WT_PARTS_LIST(WT_PART)
#undef WT_PART
};

const char *const wt_part_meaning[WT_PARTS] = {
#define WT_PART(id, key, name, meaning) meaning,
	WT_PARTS_LIST(WT_PART)
#undef WT_PART
};
