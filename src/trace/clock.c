/* SPDX-License-Identifier: MIT */
/* Ticks become nanoseconds by one multiplication with constants that are never changed in place: a correction fills the
 * next of a ring of constants and then publishes its address, so a thread always works with a whole set. A set is used
 * again only after KEPT corrections, of which there is at most one a second. */
#include "trace/clock.h"

#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/compiler.h"
#include "waltrace.h"

enum { KEPT = 1024 };
enum { CALIBRATION_NS = 5 * 1000 * 1000, PAIR_TRIES = 9 };
enum { CHECK_NS = 1000 * 1000 * 1000, TOLERATED_NS = 500, JUMP_NS = 1000 * 1000 };

static const struct waltrace__clock no_ticks;
static struct waltrace__clock kept[KEPT];
static uint32_t corrections;

WT_EXPORT const struct waltrace__clock *waltrace__clock = &no_ticks;

static const struct wt_os *system_clock;
static uint64_t origin_ns; /* CLOCK_MONOTONIC at time 0 */

/* Ticks and CLOCK_MONOTONIC at the same moment. */
struct pair {
	int64_t ticks;
	uint64_t ns;
};
static struct pair first, last;

WT_EXPORT uint64_t waltrace__now_slow(void)
{
	const struct wt_os *os = system_clock;
	return os ? os->monotonic_ns(os) - origin_ns : 0;
}

#if defined(__x86_64__)
static int64_t ticks_now(void) { return (int64_t)__builtin_ia32_rdtsc(); }

/* Constant rate in all states (CPUID 8000_0007h, EDX bit 8), and the kernel didn't find it unusable. */
static bool ticks_are_good(void)
{
	unsigned a, b, c, d;
	if (!__get_cpuid(0x80000007u, &a, &b, &c, &d) || !(d & 1u << 8)) return false;
	char name[64] = "";
	FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
	if (!file) return true;
	bool read = fgets(name, sizeof name, file) != NULL;
	fclose(file);
	return !read || !strncmp(name, "tsc", 3) || !strncmp(name, "kvm-clock", 9) || !strncmp(name, "hyperv", 6);
}
#else
static int64_t ticks_now(void) { return 0; }
static bool ticks_are_good(void) { return false; }
#endif

/* The pair whose two tick readings lie closest together is the least disturbed. */
static struct pair look(void)
{
	struct pair best = {0, 0};
	int64_t narrowest = INT64_MAX;
	for (int i = 0; i < PAIR_TRIES; i++) {
		int64_t before = ticks_now();
		uint64_t ns = system_clock->monotonic_ns(system_clock);
		int64_t width = ticks_now() - before;
		if (width >= narrowest) continue;
		narrowest = width;
		best = (struct pair){before + width / 2, ns};
	}
	return best;
}

static uint64_t rate(struct pair from, struct pair to)
{
	if (to.ticks <= from.ticks) return 0;
	__extension__ typedef unsigned __int128 wide;
	return (uint64_t)(((wide)(to.ns - from.ns) << 32) / (uint64_t)(to.ticks - from.ticks));
}

static void publish(int64_t base_ticks, int64_t base_ns, uint64_t mult)
{
	struct waltrace__clock *c = &kept[corrections++ % KEPT];
	*c = (struct waltrace__clock){base_ticks, base_ns, mult};
	/* Release: whoever finds the address finds the set whole. */
	__atomic_store_n(&waltrace__clock, c, __ATOMIC_RELEASE);
}

void wt_clock_start(const struct wt_os *os)
{
	system_clock = os;
	origin_ns = os->monotonic_ns(os);
	if (ticks_are_good()) first = look();
}

void wt_clock_calibrate(void)
{
	if (!first.ticks) return;
	do last = look();
	while (last.ns - first.ns < CALIBRATION_NS);
	uint64_t mult = rate(first, last);
	if (mult) publish(first.ticks, (int64_t)(first.ns - origin_ns), mult);
}

/* Runs on from the time it shows now, at a rate that meets CLOCK_MONOTONIC in about a second. */
static void correct(struct pair now, int64_t shown, int64_t ahead)
{
	uint64_t mult = rate(first, now);
	int64_t slew = -ahead;
	if (slew > CHECK_NS / 1000) slew = CHECK_NS / 1000;
	if (slew < -CHECK_NS / 1000) slew = -CHECK_NS / 1000;
	if (ahead < -JUMP_NS) shown -= ahead; /* far behind (the machine slept): forward at once */
	mult = (uint64_t)((int64_t)mult + (int64_t)((double)mult * (double)slew / CHECK_NS));
	publish(now.ticks, shown, mult);
}

void wt_clock_check(void)
{
	if (!first.ticks || !waltrace__clock->mult) return;
	struct pair now = look();
	if (now.ns - last.ns < CHECK_NS) return;
	last = now;
	const struct waltrace__clock *c = waltrace__clock;
	__extension__ typedef __int128 wide;
	int64_t shown = c->base_ns + (int64_t)(((wide)(now.ticks - c->base_ticks) * (wide)c->mult) >> 32);
	int64_t ahead = shown - (int64_t)(now.ns - origin_ns);
	if (ahead > TOLERATED_NS || ahead < -TOLERATED_NS) correct(now, shown, ahead);
}

uint64_t wt_clock_origin_ns(void) { return origin_ns; }

const char *wt_clock_name(void) { return waltrace__clock->mult ? "tsc" : "monotonic"; }
