/* SPDX-License-Identifier: MIT */
/* Text from a file, or a file's name, as it may be shown: whoever wrote it doesn't get at the reader's terminal. */
#ifndef WT_READ_SHOWN_H
#define WT_READ_SHOWN_H

#include <stddef.h>

/* Copies n bytes with control characters (C0, DEL, C1) and what isn't UTF-8 as \xNN, a byte each; cut before what
 * doesn't fit, and ended by 0. */
void wt_shown(char *to, size_t room, const char *text, size_t n);

#endif
