/* SPDX-License-Identifier: MIT */
/* Flushes and fsyncs, each in the step in which it ended. */
#include "read/over_time.h"
#include "rows.h"

static struct wt_over_time over_time;

static void make(void)
{
	close_store();
	assert_int_equal(wt_over_time(&over_time, &store), 0);
}

static void nothing_has_no_steps(void **state)
{
	(void)state;
	make();
	assert_int_equal(over_time.steps, 0);
}

static void one_flush_is_one_step(void **state)
{
	(void)state;
	add_flush(1, 100, 600, 1);
	make();
	assert_int_equal(over_time.steps, 1);
	assert_int_equal(over_time.step[0].flushes, 1);
	assert_int_equal(over_time.step[0].max_ns, 600);
	assert_true(over_time.step[0].start_ns <= 700);
}

static void each_flush_and_fsync_is_counted_where_it_ended(void **state)
{
	(void)state;
	/* 1 to 400 ms, a flush each: those before the middle take 10 µs, those from there on 40. */
	for (uint64_t i = 1; i <= 400; i++) {
		uint64_t ns = i < 200 ? 10000 : 40000;
		add_flush(2 * i, i * 1000000 - ns, ns, i);
	}
	add_batch((struct batch){.lock = 5001,
	                         .sync = 5003,
	                         .start = 199000000,
	                         .sync_start = 199000000,
	                         .sync_total = 1000000,
	                         .hold = 1000000,
	                         .max = 600});
	make();
	assert_int_equal(over_time.step_ns, 10000000);
	assert_true(over_time.steps <= WT_STEPS_MAX);
	uint64_t flushes = 0, sum = 0;
	for (uint32_t i = 0; i < over_time.steps; i++) {
		const struct wt_step *step = &over_time.step[i];
		flushes += step->flushes;
		sum += step->sum_ns;
		assert_int_equal(step->fsyncs, step->start_ns == 200000000);
		assert_int_equal(step->max_ns, step->start_ns < 200000000 ? 10000 : 40000);
		assert_in_range(step->p99_ns, step->max_ns - step->max_ns / 32, step->max_ns + step->max_ns / 32);
	}
	assert_int_equal(flushes, 400);
	assert_int_equal(sum, 199 * 10000 + 201 * 40000);
	assert_int_equal(over_time.step[0].start_ns, 0);
	assert_int_equal(over_time.step[0].flushes, 9);
}

static void however_long_there_are_no_more_steps_than_the_limit(void **state)
{
	(void)state;
	add_flush(1, 0, 1, 1);
	add_flush(2, 1, UINT64_MAX - 10, 2);
	make();
	assert_true(over_time.steps >= 1 && over_time.steps <= WT_STEPS_MAX);
	assert_int_equal(over_time.step[over_time.steps - 1].flushes, 1);
	for (uint64_t span = 1; span < 1000000; span = span * 3 / 2 + 1) {
		wt_store_free(&store);
		store = (struct wt_store){0};
		add_flush(1, 998, 1, 1);
		add_flush(2, 998, 1 + span, 2);
		make();
		assert_true(over_time.steps >= 1 && over_time.steps <= WT_STEPS_MAX);
	}
}

static int begin(void **state)
{
	(void)state;
	store = (struct wt_store){0};
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_has_no_steps, begin, free_store),
		cmocka_unit_test_setup_teardown(one_flush_is_one_step, begin, free_store),
		cmocka_unit_test_setup_teardown(each_flush_and_fsync_is_counted_where_it_ended, begin, free_store),
		cmocka_unit_test_setup_teardown(however_long_there_are_no_more_steps_than_the_limit, begin, free_store),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
