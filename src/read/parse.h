/* SPDX-License-Identifier: MIT */
/* One line of a trace into values. Pure: no allocation, no clock, no disk, no state but guesses that save time.
 *
 * Lines as the recorders write them take the short way: keys in order, each guessed from the one before it. Any other
 * order, spaces, and keys that nobody knows are read too, and said in the line (known_order, unknown_keys).
 * An error is anything that makes the values doubtful: bad JSON or UTF-8, a key twice or missing, a wrong type. */
#ifndef WT_READ_PARSE_H
#define WT_READ_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/err.h"
#include "read/limits.h"
#include "read/model.h"

enum { WT_SHAPES = 22, WT_WORD_SLOTS = 256 };

struct wt_parser {
	uint8_t next[WT_SHAPES][WT_SHAPE_KEYS_MAX + 1]; /* key that last came after this one */
	uint64_t needed[WT_SHAPES];                     /* keys that a line must have, a bit each */
	uint8_t word[WT_WORD_SLOTS];                    /* well-known words by their hash */
	struct wt_text unknown[WT_UNKNOWN_KEYS];        /* of the line that is being parsed */
};

void wt_parser_init(struct wt_parser *parser);

/* Parses text[0 … n) and fills *line; text[n] must be writable. Escapes are undone in place, so the text is no longer
 * the line afterwards. 0, or -EBADMSG and a message that names the column. */
int wt_parse_line(struct wt_parser *parser, char *text, size_t n, struct wt_line *line,
                  struct wt_err *err) WT_MUST_CHECK;

#endif
