/* SPDX-License-Identifier: MIT */
/* Bytes as lower-case hexadecimal digits and back. */
#ifndef WT_BASE_HEX_H
#define WT_BASE_HEX_H

#include <stddef.h>

/* Writes 2 * n digits, no terminator; returns the place after them. */
char *wt_hex_put(char *out, const void *bytes, size_t n);

/* Reads n digits (either case) into n / 2 bytes; 0, or -1 if n is odd or a digit is none. */
int wt_hex_get(void *out, const char *digits, size_t n);

#endif
