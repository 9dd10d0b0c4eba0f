/* SPDX-License-Identifier: MIT */
/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing past U+10FFFF. */
#ifndef WT_BASE_UTF8_H
#define WT_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the sequence at `s`, of which n > 0 bytes are there, and its character; 0 if there is none. Reads no byte
 * behind the first that can't belong to it, so n may be SIZE_MAX for a text that ends with a zero byte. */
size_t wt_utf8(const char *s, size_t n, uint32_t *character);

#endif
