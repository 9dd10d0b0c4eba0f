/* SPDX-License-Identifier: MIT */
/* What each kind of line holds: its keys in order, the type of each, and where its value goes. */
#ifndef WT_READ_SHAPE_H
#define WT_READ_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/model.h"

enum wt_type {
	WT_T_KEYWORD,
	WT_T_EVENT,
	WT_T_TEXT,     /* struct wt_text */
	WT_T_NULLABLE, /* the same, or null */
	WT_T_U64,
	WT_T_BOOL,
	WT_T_PATH,   /* struct wt_text: the digits */
	WT_T_ANY,    /* checked, not kept */
	WT_T_ARRAY,  /* struct wt_text: checked and kept as it stands */
	WT_T_COUNTS, /* of a window */
	WT_T_SYNCS,
	WT_T_CRC,    /* of a recorder line */
	WT_T_FIELD,  /* `to` is the field */
	WT_T_STRING, /* `to` is enum waltrace_string */
	WT_T_UID,
	WT_T_ERROR_KIND,
	WT_T_RECORD_PATH, /* `to` is 0 or 1 */
};

struct wt_key {
	const char *text; /* as it stands after another: ,"name": */
	uint8_t bytes;    /* of the name; 0: a field that has no key of its own */
	uint8_t type;     /* enum wt_type */
	bool needed;
	uint16_t to; /* offset in struct wt_line, where nothing else is said */
};

static inline const char *wt_key_name(const struct wt_key *key) { return key->text + 2; }
/* Of its text. */
static inline size_t wt_key_bytes(const struct wt_key *key) { return key->bytes + 4u; }

struct wt_shape {
	const char *event;
	uint8_t event_bytes;
	uint8_t kind; /* enum wt_line_kind */
	uint8_t keys;
	const struct wt_key *key;
};

/* The record kinds in their order, then the other lines, and last what nobody knows. */
enum { WT_SHAPE_OTHERS = WALTRACE_KINDS, WT_SHAPE_UNKNOWN = WALTRACE_KINDS + 9, WT_SHAPE_COUNT };
extern const struct wt_shape wt_shape[WT_SHAPE_COUNT];

#endif
