/* SPDX-License-Identifier: MIT */
#include "read/shown.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

void wt_shown(char *to, size_t room, const char *text, size_t n)
{
	static const char digit[] = "0123456789abcdef";
	size_t at = 0;
	for (size_t i = 0; i < n;) {
		uint32_t c = 0;
		size_t bytes = wt_utf8(text + i, n - i, &c);
		if (c < 0x20 || (c >= 0x7f && c < 0xa0)) bytes = 0;
		if (at + (bytes ? bytes : 4) >= room) break;
		if (bytes) {
			memcpy(to + at, text + i, bytes);
			at += bytes;
			i += bytes;
		} else {
			unsigned char byte = (unsigned char)text[i++];
			memcpy(to + at, (char[]){'\\', 'x', digit[byte >> 4], digit[byte & 15]}, 4);
			at += 4;
		}
	}
	to[at] = 0;
}
