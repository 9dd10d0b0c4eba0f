/* SPDX-License-Identifier: MIT */
/* Of the records that charts show: no more than the limit, and those that make the picture. */
#include "read/charts.h"

#include "rows.h"

static struct wt_charts charts;

static void make(size_t limit)
{
	assert_int_equal(wt_store_close(&store, NULL), 0);
	assert_int_equal(wt_charts_of(&charts, &store, 0, limit), 0);
}

static void add_fsync(uint64_t id, uint64_t start, uint64_t total)
{
	add(RECORD(WALTRACE_KIND_SYNC_CALL, id, WALTRACE_W_SUCCESS, WALTRACE_W_REQUEST, {WALTRACE_START_NS, start},
	           {WALTRACE_TOTAL_NS, total}));
}

static void add_hold(uint64_t id, uint64_t start, uint64_t hold)
{
	add(RECORD(WALTRACE_KIND_COMMIT_LOCK, id, WALTRACE_W_OWNER_SUCCESS, WALTRACE_W_REQUEST,
	           {WALTRACE_START_NS, start}, {WALTRACE_LOCK_WAIT_NS, 0}, {WALTRACE_LOCK_HOLD_NS, hold}));
}

static void an_empty_trace_has_none(void **state)
{
	(void)state;
	make(10);
	assert_int_equal(charts.fsyncs + charts.holds, 0);
}

static void nothing_is_chosen_if_nothing_may_be(void **state)
{
	(void)state;
	add_fsync(1, 1, 1);
	add_hold(2, 1, 1);
	make(0);
	assert_int_equal(charts.fsyncs + charts.holds, 0);
}

static void up_to_the_limit_all_fsyncs_are_there(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 10; i++) add_fsync(i + 1, i * 100, 10 + i % 2);
	make(10);
	assert_int_equal(charts.fsyncs, 10);
	assert_int_equal(charts.all_fsyncs, 10);
	for (uint64_t i = 0; i < 10; i++) assert_int_equal(charts.fsync[i].id, i + 1);
}

static void past_the_limit_outliers_stay_and_the_others_are_thinned_evenly(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 1000; i++) add_fsync(i + 1, i * 100, i == 17 || i == 800 ? 500 : 10);
	make(10);
	assert_int_equal(charts.fsyncs, 10);
	assert_int_equal(charts.all_outliers, 2);
	uint64_t outliers = 0, last = 0;
	for (size_t i = 0; i < charts.fsyncs; i++) {
		const struct wt_chart_fsync *f = &charts.fsync[i];
		outliers += f->outlier;
		if (f->outlier) assert_true(f->id == 18 || f->id == 801);
		else if (last) assert_in_range(f->id - last, 120, 130);
		if (!f->outlier) last = f->id;
	}
	assert_int_equal(outliers, 2);
}

static void of_too_many_outliers_the_longest_of_each_slice_stays(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 1000; i++) add_fsync(i + 1, i * 100, i < 600 ? 10 : i == 850 ? 9000 : 500 + i);
	make(20);
	assert_in_range(charts.fsyncs, 10, 20);
	bool longest = false, last = false;
	for (size_t i = 0; i < charts.fsyncs; i++) {
		longest |= charts.fsync[i].total_ns == 9000;
		last |= charts.fsync[i].id == 1000;
	}
	assert_true(longest && last);
}

static void of_too_many_holds_the_longest_of_each_slice_stays(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 1000; i++) add_hold(i + 1, i * 100, i % 100 == 42 ? 90 : 10);
	make(10);
	assert_int_equal(charts.holds, 10);
	assert_int_equal(charts.all_holds, 1000);
	for (size_t i = 0; i < charts.holds; i++) {
		assert_int_equal(charts.hold[i].hold_ns, 90);
		assert_int_equal(charts.hold[i].id, i * 100 + 43);
	}
}

static void times_up_to_the_largest_number_have_a_slice(void **state)
{
	(void)state;
	add_hold(1, 0, 1);
	add_hold(2, UINT64_MAX - 1, UINT64_MAX);
	add_fsync(3, 0, 1);
	add_fsync(4, UINT64_MAX, UINT64_MAX);
	make(3);
	assert_int_equal(charts.holds, 2);
	assert_in_range(charts.fsyncs, 1, 3);
}

static int begin(void **state)
{
	(void)state;
	store = (struct wt_store){0};
	return 0;
}

static int end(void **state)
{
	wt_charts_free(&charts);
	return free_store(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_empty_trace_has_none, begin, end),
		cmocka_unit_test_setup_teardown(nothing_is_chosen_if_nothing_may_be, begin, end),
		cmocka_unit_test_setup_teardown(up_to_the_limit_all_fsyncs_are_there, begin, end),
		cmocka_unit_test_setup_teardown(past_the_limit_outliers_stay_and_the_others_are_thinned_evenly, begin,
	                                        end),
		cmocka_unit_test_setup_teardown(of_too_many_outliers_the_longest_of_each_slice_stays, begin, end),
		cmocka_unit_test_setup_teardown(of_too_many_holds_the_longest_of_each_slice_stays, begin, end),
		cmocka_unit_test_setup_teardown(times_up_to_the_largest_number_have_a_slice, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
