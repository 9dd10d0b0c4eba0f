/* SPDX-License-Identifier: MIT */
/* An error is 0 or a negative errno plus a fixed-size message, wrapped outward: "context: cause: detail". */
#ifndef WT_BASE_ERR_H
#define WT_BASE_ERR_H

#include "base/compiler.h"

enum { WT_ERR_BYTES = 512 };

struct wt_err {
	int code; /* 0 or a negative errno */
	char text[WT_ERR_BYTES];
};

/* Sets code and message and returns code. `err` may be NULL. A message that is too long is cut. */
int wt_err_set(struct wt_err *err, int code, const char *format, ...) WT_PRINTF(3, 4);

/* Puts "context: " before the message that is there; the code stays. `err` may be NULL. */
void wt_err_wrap(struct wt_err *err, const char *format, ...) WT_PRINTF(2, 3);

#endif
