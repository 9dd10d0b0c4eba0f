/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

size_t wt_utf8(const char *s, size_t n, uint32_t *character)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *b = (const unsigned char *)s;
	size_t want = b[0] < 0x80 ? 1 : b[0] < 0xc2 ? 0 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : b[0] < 0xf5 ? 4 : 0;
	if (!want || want > n) return 0;
	uint32_t c = want > 1 ? b[0] & (0xffu >> (want + 1)) : b[0];
	for (size_t i = 1; i < want; i++) {
		if ((b[i] & 0xc0) != 0x80) return 0;
		c = c << 6 | (b[i] & 0x3f);
	}
	if (c < least[want] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return 0;
	*character = c;
	return want;
}
