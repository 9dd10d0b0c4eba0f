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

static int value_of(char c)
{
	if (c >= '0' && c <= '9') return c - '0';
	if (c >= 'a' && c <= 'f') return c - 'a' + 10;
	if (c >= 'A' && c <= 'F') return c - 'A' + 10;
	return -1;
}

int wt_hex_get(void *out, const char *digits, size_t n)
{
	unsigned char *b = out;
	if (n % 2) return -1;
	for (size_t i = 0; i < n; i += 2) {
		int high = value_of(digits[i]), low = value_of(digits[i + 1]);
		if (high < 0 || low < 0) return -1;
		*b++ = (unsigned char)(high << 4 | low);
	}
	return 0;
}
