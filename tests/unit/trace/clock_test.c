/* SPDX-License-Identifier: MIT */
#include "trace/clock.h"

#include <time.h>

#include "waltrace.h"

#include "../../lib/cm.h"

static uint64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void the_clock_keeps_pace_and_never_goes_back(void **state)
{
	(void)state;
	wt_clock_start(&wt_os_posix);
	uint64_t origin = monotonic_ns(), before = 0;
	wt_clock_calibrate();
	while (monotonic_ns() - origin < 2500u * 1000 * 1000) { /* over two corrections */
		uint64_t now = waltrace_now();
		assert_true(now >= before);
		before = now;
		wt_clock_check();
	}
	int64_t off = (int64_t)(waltrace_now() - (monotonic_ns() - origin));
	assert_in_range(off + 1000 * 1000, 0,
	                2 * 1000 * 1000); /* far off would be a wrong rate; close is the bench's matter */
}

static void without_ticks_it_is_the_system_clock(void **state)
{
	(void)state;
	static const struct waltrace__clock none;
	const struct waltrace__clock *usual = waltrace__clock;
	waltrace__clock = &none;
	uint64_t a = waltrace_now(), b = waltrace_now();
	assert_true(b >= a && b - a < 1000u * 1000 * 1000);
	assert_string_equal(wt_clock_name(), "monotonic");
	waltrace__clock = usual;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_keeps_pace_and_never_goes_back),
		cmocka_unit_test(without_ticks_it_is_the_system_clock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
