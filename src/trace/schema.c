/* SPDX-License-Identifier: MIT */
#include "trace/schema.h"

#define NAME(text) \
	{ \
		text, sizeof text - 1 \
	}

const struct wt_name wt_field_name[WALTRACE_FIELDS] = {
#define WT_FIELD(name, what) NAME(#name),
#include "trace/schema.def"
};

const char *const wt_field_meaning[WALTRACE_FIELDS] = {
#define WT_FIELD(name, what) what,
#include "trace/schema.def"
};

const struct wt_name wt_kind_name[WALTRACE_KINDS] = {
#define WT_KIND(name) NAME(#name),
#include "trace/schema.def"
};

const struct wt_name wt_word_text[WALTRACE_WORDS] = {
	NAME(""),
#define WT_WORD(id, text) NAME(text),
#include "trace/schema.def"
};

const struct wt_name wt_error_kind_name[WALTRACE_ERROR_KINDS] = {
	NAME(""),
#define WT_ERROR_KIND(name) NAME(#name),
#include "trace/schema.def"
};

const struct wt_name wt_string_key[WALTRACE_STRINGS] = {
	NAME("outcome"),
	NAME("trigger"),
	NAME("mode"),
	NAME("last_stage"),
	NAME("pending_commit_outcome"),
	NAME("batch_wait_outcome"),
};

const char *const wt_loss_name[WT_LOSSES] = {
#define WT_LOSS(name) #name,
#include "trace/schema.def"
};

/* The public enums and the lists must not drift apart. */
enum {
#define WT_FIELD(name, what) FIELD_##name,
#include "trace/schema.def"
	FIELDS,
#define WT_KIND(name) KIND_##name,
#include "trace/schema.def"
};
enum {
	WORD_EMPTY,
#define WT_WORD(id, text) WORD_##id,
#include "trace/schema.def"
	WORDS
};
#define WT_WORD(id, text) _Static_assert((int)WALTRACE_W_##id == (int)WORD_##id, text);
#include "trace/schema.def"
_Static_assert((int)WALTRACE_FIELDS == (int)FIELDS && FIELDS == 48, "48 fields");
_Static_assert((int)WALTRACE_TIMER_ID == (int)FIELD_timer_id && WALTRACE_START_NS == 0, "fields in order");
_Static_assert((int)WALTRACE_KIND_MAINTENANCE == (int)KIND_maintenance - FIELDS - 1, "kinds in order");
_Static_assert((int)WALTRACE_WORDS == (int)WORDS && WORDS < 255, "a word is one byte, 255 stands for a copied text");
_Static_assert((int)WALTRACE_ERROR_KINDS == (int)WT_ERROR_KINDS &&
                       (int)WALTRACE_E_UNCATEGORIZED == (int)WT_E_Uncategorized &&
                       (int)WALTRACE_E_FILE_TOO_LARGE == (int)WT_E_FileTooLarge,
               "error kinds in order");
