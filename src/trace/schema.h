/* SPDX-License-Identifier: MIT */
/* Names of schema.def as tables, for whoever prints or reads a trace. */
#ifndef WT_TRACE_SCHEMA_H
#define WT_TRACE_SCHEMA_H

#include <stddef.h>

#include "waltrace.h"

struct wt_name {
	const char *text;
	size_t bytes;
};

extern const struct wt_name wt_field_name[WALTRACE_FIELDS];
extern const char *const wt_field_meaning[WALTRACE_FIELDS];
extern const struct wt_name wt_kind_name[WALTRACE_KINDS];
extern const struct wt_name wt_word_text[WALTRACE_WORDS];
extern const struct wt_name wt_error_kind_name[WALTRACE_ERROR_KINDS];

/* Keys of the strings of a record, in order. */
extern const struct wt_name wt_string_key[WALTRACE_STRINGS];

/* Error kinds by the names of the schema; the values are those of enum waltrace_error_kind. */
enum wt_error_kind {
	WT_E_none,
#define WT_ERROR_KIND(name) WT_E_##name,
#include "trace/schema.def"
	WT_ERROR_KINDS
};

enum wt_loss {
#define WT_LOSS(name) WT_LOSS_##name,
#include "trace/schema.def"
	WT_LOSSES
};
extern const char *const wt_loss_name[WT_LOSSES];

#endif
