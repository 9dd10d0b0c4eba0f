/* SPDX-License-Identifier: MIT */
#include "base/hex.h"

char *wt_hex_put(char *out, const void *bytes, size_t n)
{
	static const char digit[] = "0123456789abcdef";
	const unsigned char *b = bytes;
	for (size_t i = 0; i < n; i++) {
		*out++ = digit[b[i] >> 4];
		*out++ = digit[b[i] & 15];
	}
	return out;
}

static unsigned is_digit(unsigned char c)
{
	return ((unsigned char)(c - '0') < 10) | ((unsigned char)((c | 0x20) - 'a') < 6);
}

static unsigned value_of(unsigned char c) { return (c & 15u) + 9u * (c >> 6); }

/* Without a way out of the loop, so that the compiler can take many digits at a time. */
int wt_hex_get(void *out, const char *digits, size_t n)
{
	const unsigned char *d = (const unsigned char *)digits;
	unsigned char *b = out;
	unsigned good = 1;
	if (n % 2) return -1;
	for (size_t i = 0; i < n; i += 2) {
		good &= is_digit(d[i]) & is_digit(d[i + 1]);
		*b++ = (unsigned char)(value_of(d[i]) << 4 | value_of(d[i + 1]));
	}
	return good ? 0 : -1;
}
