/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int wt_err_set(struct wt_err *err, int code, const char *format, ...)
{
	if (!err) return code;
	va_list args;
	va_start(args, format);
	vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	err->code = code;
	return code;
}

void wt_err_wrap(struct wt_err *err, const char *format, ...)
{
	if (!err) return;
	char cause[WT_ERR_BYTES];
	memcpy(cause, err->text, sizeof cause);
	cause[sizeof cause - 1] = 0;
	va_list args;
	va_start(args, format);
	int n = vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof err->text) return;
	size_t room = sizeof err->text - 1 - (size_t)n, length = strlen(cause);
	if (room < 2) return;
	memcpy(err->text + n, ": ", 2);
	if (length > room - 2) length = room - 2;
	memcpy(err->text + n + 2, cause, length);
	err->text[(size_t)n + 2 + length] = 0;
}
