/* SPDX-License-Identifier: MIT */
#include "read/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define HOUR_NS 3600e9
#define DAY_NS (24 * HOUR_NS)

static struct wt_unit three_digits(double value, const char *unit)
{
	struct wt_unit out;
	int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
	snprintf(out.text, sizeof out.text, "%.*f %s", decimals, value, unit);
	return out;
}

struct wt_unit wt_ns(double ns)
{
	struct wt_unit out;
	if (ns >= 99.95 * DAY_NS) {
		snprintf(out.text, sizeof out.text, "%.0f d", ns / DAY_NS);
		return out;
	}
	if (ns >= 9999.5e9) return three_digits(ns / HOUR_NS, "h");
	if (ns >= 999.5e6) return three_digits(ns / 1e9, "s");
	if (ns >= 999.5e3) return three_digits(ns / 1e6, "ms");
	if (ns >= 999.5) return three_digits(ns / 1e3, "µs");
	snprintf(out.text, sizeof out.text, "%.0f ns", ns);
	return out;
}

struct wt_unit wt_bytes(double bytes)
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	struct wt_unit out;
	size_t i = 0;
	for (; bytes >= 999.5 && i + 1 < sizeof unit / sizeof *unit; i++) bytes /= 1024;
	if (i) return three_digits(bytes, unit[i]);
	snprintf(out.text, sizeof out.text, "%.0f B", bytes);
	return out;
}

struct wt_unit wt_count(uint64_t n)
{
	struct wt_unit out;
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, n), at = 0;
	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0) out.text[at++] = ',';
		out.text[at++] = digits[i];
	}
	out.text[at] = 0;
	return out;
}

struct wt_unit wt_share(double part, double whole)
{
	struct wt_unit out;
	double percent = whole > 0 ? 100 * part / whole : 0;
	if (percent > 0 && percent < 0.05) return (struct wt_unit){"<0.1 %"};
	if (!(percent > 0)) return (struct wt_unit){"0 %"};
	if (percent > 999) return (struct wt_unit){">999 %"}; /* only of sums that can't be */
	snprintf(out.text, sizeof out.text, "%.*f %%", percent < 9.95 ? 1 : 0, percent);
	return out;
}

struct wt_unit wt_signed_ns(double ns)
{
	struct wt_unit out, size = wt_ns(fabs(ns));
	const char *sign = fabs(ns) < 0.5 ? "" : ns < 0 ? "-" : "+";
	snprintf(out.text, sizeof out.text, "%s%.*s", sign, WT_UNIT_TEXT - 2, size.text);
	return out;
}

struct wt_unit wt_signed_share(double share)
{
	struct wt_unit out;
	double percent = 100 * share, size = fabs(percent);
	if (!isfinite(share)) return (struct wt_unit){"new"};
	if (percent > 999999) return (struct wt_unit){">999999 %"};
	if (size < 0.05) return (struct wt_unit){"0.0 %"};
	snprintf(out.text, sizeof out.text, "%+.*f %%", size < 99.95 ? 1 : 0, percent);
	return out;
}
