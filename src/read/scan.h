/* SPDX-License-Identifier: MIT */
/* The tokens of JSON in one line that ends in '\n', which no token may contain: so nothing looks for the end. */
#ifndef WT_READ_SCAN_H
#define WT_READ_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "read/model.h"

struct wt_scan {
	char *at;
	char *start, *end; /* *end is '\n' */
	bool spaced;       /* there were spaces, which the format has not */
	const char *wrong; /* what is wrong at `at`, once a call returned false */
};

static inline bool wt_scan_fail(struct wt_scan *s, const char *what)
{
	s->wrong = what;
	return false;
}

static inline size_t wt_scan_left(const struct wt_scan *s) { return (size_t)(s->end - s->at); }

void wt_scan_spaces(struct wt_scan *s);

/* Passes over one character, and over spaces around it. */
static inline bool wt_scan_if(struct wt_scan *s, char c)
{
	if (wt_unlikely((unsigned char)*s->at <= ' ')) wt_scan_spaces(s);
	if (*s->at != c) return false;
	s->at++;
	if (wt_unlikely((unsigned char)*s->at <= ' ')) wt_scan_spaces(s);
	return true;
}

/* Passes over a text that is expected just so. */
static inline bool wt_scan_text(struct wt_scan *s, const char *text, size_t n)
{
	if (wt_scan_left(s) < n || memcmp(s->at, text, n) != 0) return false;
	s->at += n;
	return true;
}

/* The same for a text of at least 8 bytes, without a call: the last 8 may be compared twice. */
static inline bool wt_scan_long_text(struct wt_scan *s, const char *text, size_t n)
{
	uint64_t is, wanted;
	if (wt_scan_left(s) < n) return false;
	for (size_t i = 0;; i = i + 16 < n ? i + 8 : n - 8) {
		memcpy(&is, s->at + i, 8);
		memcpy(&wanted, text + i, 8);
		if (is != wanted) return false;
		if (i == n - 8) break;
	}
	s->at += n;
	return true;
}

/* A string of ASCII without escapes. False, and nothing is passed over, for anything else. */
bool wt_scan_plain(struct wt_scan *s, struct wt_text *text);
/* A string; escapes are undone in place. */
bool wt_scan_string(struct wt_scan *s, struct wt_text *text);
/* A whole number from 0 to 2^64 - 1, without leading zeros. */
bool wt_scan_any_u64(struct wt_scan *s, uint64_t *value);

/* How many digits begin these 8 characters, the first in the lowest byte; *value is what they stand for. */
static inline unsigned wt_eight_digits(const char *at, uint64_t *value)
{
	const uint64_t each = 0x0101010101010101;
	uint64_t v;
	memcpy(&v, at, 8);
	v ^= each * '0';
	uint64_t others = (v | (v + each * (0x80 - 10))) & each * 0x80; /* right up to the first that is no digit */
	unsigned n = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
	if (!n) return 0;
	v <<= 64 - 8 * n; /* zeros before the first */
	v = v * 10 + (v >> 8);
	*value =
		((v & 0xff000000ff) * (100 + (1000000ull << 32)) + (v >> 16 & 0xff000000ff) * (1 + (10000ull << 32))) >>
		32;
	return n;
}
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first of eight characters is the lowest byte");

/* The same: the short way is for up to 15 digits that a comma or brace ends. */
static inline bool wt_scan_u64(struct wt_scan *s, uint64_t *value)
{
	static const uint64_t ten[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
	const char *at = s->at;
	uint64_t v, rest;
	if (wt_scan_left(s) < 17) return wt_scan_any_u64(s, value);
	unsigned n = wt_eight_digits(at, &v);
	if (n == 8) {
		unsigned more = wt_eight_digits(at + 8, &rest);
		if (more == 8) return wt_scan_any_u64(s, value);
		if (more) v = v * ten[more] + rest;
		n += more;
	}
	if (!n || (*at == '0' && n > 1) || (at[n] != ',' && at[n] != '}')) return wt_scan_any_u64(s, value);
	*value = v;
	s->at += n;
	return true;
}
/* Any value, nested at most WT_DEPTH_MAX deep. Changes nothing in the line. */
bool wt_scan_any(struct wt_scan *s);

#endif
