/* SPDX-License-Identifier: MIT */
/* Numbers for people: three digits and a unit. */
#ifndef WT_READ_UNITS_H
#define WT_READ_UNITS_H

#include <stdint.h>

enum { WT_UNIT_TEXT = 32 };

/* A number as text, to be used at once: wt_ns(…).text. */
struct wt_unit {
	char text[WT_UNIT_TEXT];
};

struct wt_unit wt_ns(double ns);                    /* 1.31 ms */
struct wt_unit wt_bytes(double bytes);              /* 8.02 KiB */
struct wt_unit wt_count(uint64_t n);                /* 1,284,551 */
struct wt_unit wt_share(double part, double whole); /* 81 % */

/* Of changes, with their sign. */
struct wt_unit wt_signed_ns(double ns);
struct wt_unit wt_signed_share(double share); /* +9.8 %; infinite: new */

#endif
