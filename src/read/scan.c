/* SPDX-License-Identifier: MIT */
#include "read/scan.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/utf8.h"
#include "read/parse.h"

void wt_scan_spaces(struct wt_scan *s)
{
	while (*s->at == ' ' || *s->at == '\t' || (*s->at == '\r' && s->at + 1 < s->end)) {
		s->at++;
		s->spaced = true;
	}
}

/* ---- Strings ------------------------------------------------------------------------------------------------ */

/* Characters that end the plain run of a string: quote, backslash, control characters, and what isn't ASCII. */
static bool plain(unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

/* From `at` to the first character that isn't plain; the line's end isn't. */
static inline char *plain_end(char *at, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), space = _mm_set1_epi8(' ');
	for (; end - at >= 16; at += 16) {
		__m128i c = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i ends = _mm_or_si128(_mm_cmpeq_epi8(c, quote), _mm_cmpeq_epi8(c, backslash));
		ends = _mm_or_si128(ends, _mm_cmplt_epi8(c, space)); /* signed: also what isn't ASCII */
		unsigned found = (unsigned)_mm_movemask_epi8(ends);
		if (found) return at + __builtin_ctz(found);
	}
#else
	(void)end;
#endif
	while (plain((unsigned char)*at)) at++;
	return at;
}

/* Four hexadecimal digits; -1 if there are none. */
static int32_t four(const char *s)
{
	int32_t value = 0;
	for (int i = 0; i < 4; i++) {
		char c = s[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
		            : c >= 'a' && c <= 'f' ? c - 'a' + 10
		            : c >= 'A' && c <= 'F' ? c - 'A' + 10
		                                   : -1;
		if (digit < 0) return -1;
		value = value << 4 | digit;
	}
	return value;
}

static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*to++ = (char)(0xe0 | c >> 12);
		} else {
			*to++ = (char)(0xf0 | c >> 18);
			*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

/* Length of the escape at s (a backslash), and the character it stands for; 0 if it is none. */
static size_t escape(const char *s, uint32_t *c)
{
	static const char name[] = "\"\\/bfnrt", is[] = "\"\\/\b\f\n\r\t";
	const char *at = s[1] ? strchr(name, s[1]) : NULL;
	if (at) {
		*c = (unsigned char)is[at - name];
		return 2;
	}
	int32_t high = s[1] == 'u' ? four(s + 2) : -1;
	if (high < 0 || (high >= 0xdc00 && high < 0xe000)) return 0;
	*c = (uint32_t)high;
	if (high < 0xd800 || high >= 0xe000) return 6;
	int32_t low = s[6] == '\\' && s[7] == 'u' ? four(s + 8) : -1;
	if (low < 0xdc00 || low >= 0xe000) return 0;
	*c = 0x10000 + (((uint32_t)high - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
	return 12;
}

/* From the first character that isn't plain. `to` is where undone text goes; NULL: leave the line as it is. */
static bool string_rest(struct wt_scan *s, char **to)
{
	char *p = s->at, *out = to ? *to : NULL;
	while (*p != '"') {
		size_t n = 1;
		uint32_t c;
		if (*p == '\\') {
			if (!(n = escape(p, &c))) return s->at = p, wt_scan_fail(s, "an escape that JSON doesn't know");
			if (out) out = put_utf8(out, c);
		} else if (!plain((unsigned char)*p)) {
			if (p >= s->end) return s->at = p, wt_scan_fail(s, "a string without its closing quote");
			if ((unsigned char)*p < 0x20)
				return s->at = p, wt_scan_fail(s, "a control character inside a string");
			if (!(n = wt_utf8(p, (size_t)(s->end - p), &c)))
				return s->at = p, wt_scan_fail(s, "bytes that aren't UTF-8");
			if (out) memmove(out, p, n), out += n;
		} else if (out) {
			*out++ = *p;
		}
		p += n;
	}
	if (to) *to = out;
	s->at = p + 1;
	return true;
}

bool wt_scan_plain(struct wt_scan *s, struct wt_text *text)
{
	if (*s->at != '"') return false;
	char *from = s->at + 1, *end = plain_end(from, s->end);
	if (*end != '"') return false;
	*text = (struct wt_text){from, (size_t)(end - from)};
	s->at = end + 1;
	return true;
}

bool wt_scan_string(struct wt_scan *s, struct wt_text *text)
{
	if (wt_likely(wt_scan_plain(s, text))) return true;
	if (*s->at != '"') return wt_scan_fail(s, "a string is expected here");
	char *from = ++s->at, *to = from;
	if (!string_rest(s, &to)) return false;
	*text = (struct wt_text){from, (size_t)(to - from)};
	return true;
}

static bool pass_string(struct wt_scan *s)
{
	s->at++;
	return string_rest(s, NULL);
}

/* ---- Numbers ------------------------------------------------------------------------------------------------ */

static bool digit(char c) { return (unsigned char)(c - '0') < 10; }

bool wt_scan_any_u64(struct wt_scan *s, uint64_t *value)
{
	const char *p = s->at;
	uint64_t v = 0;
	if (!digit(*p) || (*p == '0' && digit(p[1]))) return wt_scan_fail(s, "a whole number from 0 is expected here");
	for (int i = 0; digit(*p) && i < 19; i++) v = v * 10 + (uint64_t)(*p++ - '0');
	for (; digit(*p); p++)
		if (__builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return wt_scan_fail(s, "a number over 2^64 - 1");
	if (*p == '.' || *p == 'e' || *p == 'E') return wt_scan_fail(s, "a whole number from 0 is expected here");
	*value = v;
	s->at += p - s->at;
	return true;
}

static bool pass_digits(struct wt_scan *s)
{
	if (!digit(*s->at)) return wt_scan_fail(s, "a digit is expected here");
	while (digit(*s->at)) s->at++;
	return true;
}

static bool pass_number(struct wt_scan *s)
{
	if (*s->at == '-') s->at++;
	if (*s->at == '0' && digit(s->at[1])) return wt_scan_fail(s, "a number with a leading zero");
	if (!pass_digits(s)) return false;
	if (*s->at == '.') {
		s->at++;
		if (!pass_digits(s)) return false;
	}
	if (*s->at != 'e' && *s->at != 'E') return true;
	s->at++;
	if (*s->at == '+' || *s->at == '-') s->at++;
	return pass_digits(s);
}

/* ---- Any value ---------------------------------------------------------------------------------------------- */

static bool pass_scalar(struct wt_scan *s)
{
	switch (*s->at) {
	case '"': return pass_string(s);
	case 't': return wt_scan_text(s, "true", 4) || wt_scan_fail(s, "a value is expected here");
	case 'f': return wt_scan_text(s, "false", 5) || wt_scan_fail(s, "a value is expected here");
	case 'n': return wt_scan_text(s, "null", 4) || wt_scan_fail(s, "a value is expected here");
	default:
		if (*s->at == '-' || digit(*s->at)) return pass_number(s);
		return wt_scan_fail(s, "a value is expected here");
	}
}

/* The name of an object's member and its colon. */
static bool pass_name(struct wt_scan *s)
{
	if (*s->at != '"') return wt_scan_fail(s, "a key is expected here");
	return pass_string(s) && (wt_scan_if(s, ':') || wt_scan_fail(s, "a colon is expected here"));
}

bool wt_scan_any(struct wt_scan *s)
{
	char closing[WT_DEPTH_MAX];
	int depth = 0;
	for (;;) {
		bool object = wt_scan_if(s, '{');
		if (object || wt_scan_if(s, '[')) {
			if (depth == WT_DEPTH_MAX) return wt_scan_fail(s, "nested too deep");
			closing[depth++] = object ? '}' : ']';
			if (*s->at != closing[depth - 1]) {
				if (object && !pass_name(s)) return false;
				continue;
			}
		} else if (!pass_scalar(s)) {
			return false;
		}
		while (depth && wt_scan_if(s, closing[depth - 1])) depth--;
		if (!depth) return true;
		if (!wt_scan_if(s, ',')) return wt_scan_fail(s, "a comma or a closing bracket is expected here");
		if (closing[depth - 1] == '}' && !pass_name(s)) return false;
	}
}
