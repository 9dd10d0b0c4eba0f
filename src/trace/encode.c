/* SPDX-License-Identifier: MIT */
#include "trace/encode.h"

#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/utf8.h"

/* Text that is copied in one piece of fixed size, whatever its length: what is copied too much is overwritten next. */
struct piece {
	char text[32];
	uint32_t bytes;
};
#define PIECE(t) \
	{ \
		t, sizeof t - 1 \
	}

static const struct piece field_key[WALTRACE_FIELDS] = {
#define WT_FIELD(name, what) PIECE(",\"" #name "\":"),
#include "trace/schema.def"
};
static const struct piece payload_key = PIECE(",\"payload_bytes\":");

/* ,"outcome":" is part of the head's end; the word with its closing quote: */
static const struct piece word_text[WALTRACE_WORDS] = {
	PIECE("\""),
#define WT_WORD(id, text) PIECE(text "\""),
#include "trace/schema.def"
};
static const struct piece string_key[WALTRACE_STRINGS] = {
	PIECE(",\"outcome\":\""),
	PIECE(",\"trigger\":\""),
	PIECE(",\"mode\":\""),
	PIECE(",\"last_stage\":\""),
	PIECE(",\"pending_commit_outcome\":\""),
	PIECE(",\"batch_wait_outcome\":\""),
};
static const struct piece operation_key = PIECE(",\"operation_id\":");

static inline char *put_piece(char *to, const struct piece *p)
{
	memcpy(to, p->text, sizeof p->text);
	return to + p->bytes;
}

static const char two_digits[201] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
				    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";

static const uint64_t power_of_10[20] = {
	1ull,
	10ull,
	100ull,
	1000ull,
	10000ull,
	100000ull,
	1000000ull,
	10000000ull,
	100000000ull,
	1000000000ull,
	10000000000ull,
	100000000000ull,
	1000000000000ull,
	10000000000000ull,
	100000000000000ull,
	1000000000000000ull,
	10000000000000000ull,
	100000000000000000ull,
	1000000000000000000ull,
	10000000000000000000ull,
};

/* 1233 / 4096 is just above log10(2): the estimate is right or one too high. */
static inline uint32_t digits_of(uint64_t v)
{
	uint32_t bits = 64u - (uint32_t)__builtin_clzll(v | 1), guess = bits * 1233 >> 12;
	return guess + (v >= power_of_10[guess]);
}

char *wt_put_u64(char *to, uint64_t v)
{
	uint32_t n = digits_of(v);
	if (!n) n = 1; /* v is 0 */
	char *at = to + n;
	while (v >= 10000) { /* four at a time: half as many divisions that wait for one another */
		uint32_t four = (uint32_t)(v % 10000);
		v /= 10000;
		at -= 4;
		memcpy(at, &two_digits[four / 100 * 2], 2);
		memcpy(at + 2, &two_digits[four % 100 * 2], 2);
	}
	if (v >= 100) {
		at -= 2;
		memcpy(at, &two_digits[v % 100 * 2], 2);
		v /= 100;
	}
	if (v >= 10) memcpy(at - 2, &two_digits[v * 2], 2);
	else at[-1] = (char)('0' + v);
	return to + n;
}

static char *put_escaped(char *to, unsigned char c)
{
	static const char digit[] = "0123456789abcdef";
	*to++ = '\\';
	switch (c) {
	case '"': *to++ = '"'; break;
	case '\\': *to++ = '\\'; break;
	case '\n': *to++ = 'n'; break;
	case '\r': *to++ = 'r'; break;
	case '\t': *to++ = 't'; break;
	default:
		memcpy(to, "u00", 3);
		to[3] = digit[c >> 4];
		to[4] = digit[c & 15];
		to += 5;
	}
	return to;
}

static char *put_string_body(char *to, const char *text, size_t n)
{
	const char *s = text;
	while (n) {
		uint32_t c;
		size_t part = wt_utf8(s, n, &c);
		if (!part) {
			memcpy(to, "\xef\xbf\xbd", 3);
			to += 3;
			part = 1;
		} else if (part == 1 && (c < 0x20 || c == '"' || c == '\\')) {
			to = put_escaped(to, (unsigned char)c);
		} else {
			memcpy(to, s, part);
			to += part;
		}
		s += part;
		n -= part;
	}
	return to;
}

char *wt_put_string(char *to, const char *text, size_t n)
{
	*to++ = '"';
	to = put_string_body(to, text, n);
	*to++ = '"';
	return to;
}

void wt_encoder_init(struct wt_encoder *e, const char *session_id)
{
	snprintf(e->session, sizeof e->session, ",\"session_id\":\"%s\"", session_id);
	for (int kind = 0; kind < WALTRACE_KINDS; kind++)
		e->head[kind].bytes =
			(uint32_t)snprintf(e->head[kind].text, WT_HEAD_MAX,
		                           "{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"%s\"%s,\"logger_id\":",
		                           wt_kind_name[kind].text, e->session);
}

static char *put_strings(const struct wt_row *row, const struct wt_row_view *view, char *to)
{
	for (int i = 0; i < WALTRACE_STRINGS; i++) {
		if (!row->word[i] && i != WALTRACE_OUTCOME) continue; /* the outcome's key is always there */
		to = put_piece(to, &string_key[i]);
		if (row->word[i] != WT_WORD_TEXT) {
			to = put_piece(to, &word_text[row->word[i]]);
			continue;
		}
		to = put_string_body(to, view->string[i].text, view->string[i].bytes);
		*to++ = '"';
	}
	return to;
}

static char *put_commit_uid(char *to, uint64_t high, uint64_t low)
{
	uint64_t big_endian[2] = {__builtin_bswap64(high), __builtin_bswap64(low)};
	static const struct piece key = PIECE(",\"commit_uid\":\"");
	to = wt_hex_put(put_piece(to, &key), big_endian, sizeof big_endian);
	*to++ = '"';
	return to;
}
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "commit_uid is printed high byte first");

char *wt_encode_record(const struct wt_encoder *e, const struct wt_row *row, const struct wt_row_view *view, char *to)
{
	memcpy(to, e->head[row->kind].text, WT_HEAD_MAX);
	to = wt_put_u64(to + e->head[row->kind].bytes, row->logger_id);
	to = wt_put_u64(put_piece(to, &operation_key), row->id);
	to = put_strings(row, view, to);
	const uint64_t both = 1ull << WALTRACE_CID_LO | 1ull << WALTRACE_CID_HI, *value = row->value;
	uint64_t cid[2] = {0, 0};
	for (uint64_t left = row->mask & WT_ROW_FIELDS; left; left &= left - 1, value++) {
		int field = __builtin_ctzll(left);
		if (wt_unlikely(1ull << field & both)) {
			cid[field - WALTRACE_CID_LO] = *value;
			continue;
		}
		const struct piece *key = &field_key[field];
		if (wt_unlikely(field == WALTRACE_BLOCK_BYTES) && row->kind == WALTRACE_KIND_ROOT_APPEND)
			key = &payload_key;
		to = wt_put_u64(put_piece(to, key), *value);
	}
	if ((row->mask & both) == both) to = put_commit_uid(to, cid[1], cid[0]);
	if (row->error_kind) {
		static const struct piece key = PIECE(",\"error_kind\":\"");
		to = put_piece(to, &key);
		memcpy(to, wt_error_kind_name[row->error_kind].text, wt_error_kind_name[row->error_kind].bytes);
		to += wt_error_kind_name[row->error_kind].bytes;
		*to++ = '"';
	}
	return to;
}
