/* SPDX-License-Identifier: MIT */
/* From split flushes to a report's numbers: percentiles and their parts, the slowest, outliers' rhythm, the headline. */
#include "read/summarise.h"
#include "read/units.h"
#include "rows.h"

static struct wt_tally *tally;

static int setup(void **state)
{
	(void)state;
	tally = calloc(1, sizeof *tally);
	return !tally;
}

static int teardown(void **state)
{
	free(tally);
	return free_store(state);
}

static void close_trace(void)
{
	struct wt_err err = {0};
	close_store();
	assert_int_equal(wt_tally_trace(tally, &store, &err), 0);
}

/* ---- Distributions ------------------------------------------------------------------------------------------ */

static void percentile_is_within_a_32nd_and_never_above_the_largest(void **state)
{
	(void)state;
	struct wt_dist *dist = &tally->fsync;
	assert_int_equal(wt_dist_quantile(dist, 0.5), 0);
	for (uint64_t v = 1; v <= 10000; v++) wt_dist_add(dist, v * 1000);
	static const double shares[] = {0.5, 0.9, 0.99, 0.999};
	for (size_t i = 0; i < WT_COUNT(shares); i++) {
		double exact = shares[i] * 10000 * 1000, got = (double)wt_dist_quantile(dist, shares[i]);
		assert_true(got > exact * 31 / 32 && got < exact * 33 / 32);
	}
	assert_true(wt_dist_quantile(dist, 1) <= 10000 * 1000);
	assert_int_equal(dist->max, 10000 * 1000);
}

static void one_value_is_its_own_percentile(void **state)
{
	(void)state;
	wt_dist_add(&tally->fsync, 1000001);
	assert_true(wt_dist_quantile(&tally->fsync, 0.5) <= 1000001);
	wt_dist_add(&tally->lock_wait, 0);
	assert_int_equal(wt_dist_quantile(&tally->lock_wait, 0.99), 0);
}

static void parts_of_a_percentile_are_those_of_its_bucket_and_add_up(void **state)
{
	(void)state;
	struct wt_split fast = {0}, slow = {0};
	fast.part_ns[WT_PART_OWN] = 100;
	slow.part_ns[WT_PART_QUEUE] = 700001;
	slow.part_ns[WT_PART_FSYNC] = 300001;
	for (int i = 0; i < 97; i++) wt_parted_add(&tally->flush, 100, &fast);
	for (int i = 0; i < 2; i++) wt_parted_add(&tally->flush, 1000002, &slow);
	slow.part_ns[WT_PART_OWN] = 5;
	wt_parted_add(&tally->flush, 1000007, &slow);
	struct wt_parted_quantile q = wt_parted_quantile(&tally->flush, 0.5);
	assert_int_equal(q.n, 97);
	assert_int_equal(q.part_ns[WT_PART_OWN], 100);
	q = wt_parted_quantile(&tally->flush, 0.99);
	assert_int_equal(q.n, 3);
	assert_true(q.low_ns <= 1000002 && 1000007 < q.high_ns);
	uint64_t sum = 0;
	for (int p = 0; p < WT_PARTS; p++) sum += q.part_ns[p];
	assert_int_equal(sum, q.value_ns);
	assert_int_equal(q.value_ns, 1000003); /* 3000011 / 3 */
	assert_in_range(q.part_ns[WT_PART_QUEUE], 700001, 700002);
}

/* ---- A trace ------------------------------------------------------------------------------------------------ */

/* A commit by itself: id, id + 1, id + 2. */
static void commit_alone(uint64_t id, uint64_t uid, uint64_t start, uint64_t wait, uint64_t sync)
{
	add_batch((struct batch){.lock = id + 1,
	                         .sync = id + 2,
	                         .parent = id,
	                         .start = start + 10,
	                         .wait = wait,
	                         .hold = sync + 20,
	                         .sync_start = start + 20 + wait,
	                         .sync_total = sync,
	                         .before = uid - 1,
	                         .max = uid,
	                         .notify = start + wait + sync + 30});
	add_flush(id, start, wait + sync + 40, uid);
}

static void ten_slowest_are_kept_in_order_with_their_chain(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 40; i++) commit_alone(10 * i, i, 100000 * i, 0, 1000 + (i * 7) % 41);
	close_trace();
	assert_int_equal(tally->slows, WT_SLOWEST);
	for (uint32_t i = 0; i < WT_SLOWEST; i++) {
		const struct wt_slow_flush *slow = &tally->slow[i];
		assert_int_equal(slow->total_ns, 1040 + 40 - i);
		assert_int_equal(slow->owner, WT_OWNER_SELF);
		assert_int_equal(slow->lock_id, slow->id + 1);
		assert_int_equal(slow->sync_id, slow->id + 2);
		assert_int_equal(slow->others, 0);
	}
	assert_int_equal(tally->flush.total.n, 40);
	assert_int_equal(tally->holder[0].sync_ns, 1040);
}

static void convoy_is_said_and_the_fsyncs_before_are_named(void **state)
{
	(void)state;
	char text[WT_SUMMARY_TEXT];
	/* Each asks while three others are being written: 300 a fsync, at 0, 400, 800 … */
	for (uint64_t i = 4; i < 100; i++) commit_alone(10 * i, i, 400 * (i - 3), 1180, 300);
	close_trace();
	wt_headline(tally, text, sizeof text);
	assert_true(wt_waits_for_others(tally));
	assert_non_null(strstr(text, "queueing for the commit lock: commits wait for one another's fsyncs."));
	assert_true(tally->queue_behind_others_ns * 100 > tally->flush.sum[WT_PART_QUEUE] * 70);
	assert_int_equal(tally->slow[5].others, 3);
	assert_int_equal(tally->slow[5].last_other_id, tally->slow[5].sync_id - 10);
}

static void fsync_that_runs_when_a_flush_comes_is_one_of_those_before(void **state)
{
	(void)state;
	commit_alone(10, 1, 0, 0, 1000);    /* its fsync from 20 to 1020 */
	commit_alone(20, 2, 500, 600, 200); /* comes at 500 */
	close_trace();
	const struct wt_slow_flush *second = &tally->slow[tally->slow[0].id == 10];
	assert_int_equal(second->id, 20);
	assert_int_equal(second->others, 1);
	assert_int_equal(second->last_other_id, 12);
	assert_int_equal(second->split.behind_others_ns, 510);
}

static void fsync_alone_is_no_convoy(void **state)
{
	(void)state;
	char text[WT_SUMMARY_TEXT];
	for (uint64_t i = 1; i < 100; i++) commit_alone(10 * i, i, 10000 * i, 0, 5000);
	close_trace();
	wt_headline(tally, text, sizeof text);
	assert_false(wt_waits_for_others(tally));
	assert_string_equal(text, "99 % of a commit's 5.04 µs is its own batch's fsync.");
}

static void no_flush_is_said(void **state)
{
	(void)state;
	char text[WT_SUMMARY_TEXT];
	close_trace();
	wt_headline(tally, text, sizeof text);
	assert_non_null(strstr(text, "No flush"));
}

static void several_traces_add_up(void **state)
{
	(void)state;
	for (int trace = 0; trace < 2; trace++) {
		for (uint64_t i = 1; i <= 10; i++) commit_alone(10 * i, i, 10000 * i, 0, 5000);
		close_trace();
		wt_store_free(&store);
	}
	assert_int_equal(tally->flush.total.n, 20);
	assert_int_equal(tally->duration_ns, 2 * (90000 + 5040));
	assert_int_equal(tally->slow[0].trace + tally->slow[9].trace, 0); /* equal ones: the first come stay */
}

static void summary_parts_add_up_to_the_mean(void **state)
{
	(void)state;
	struct wt_verdict verdict = {.complete = true};
	struct wt_summary summary;
	for (uint64_t i = 1; i < 30; i++) commit_alone(10 * i, i, 10000 * i, i * 13, 5000 + i);
	close_trace();
	wt_summarise(tally, &verdict, &summary);
	double sum = 0;
	uint64_t sum_ns = 0;
	for (int p = 0; p < WT_PARTS; p++) {
		sum += summary.part_mean_ns[p];
		sum_ns += summary.part_sum_ns[p];
	}
	assert_int_equal(sum_ns, summary.total_ns);
	assert_true(sum > summary.mean_ns - 0.001 && sum < summary.mean_ns + 0.001);
	assert_true(summary.complete);
}

/* ---- fsync -------------------------------------------------------------------------------------------------- */

static void syncs(uint32_t slow_ones, uint64_t (*gap_ms)(uint32_t i))
{
	uint64_t at_ns = 0, id = 1;
	for (uint32_t i = 0; i < slow_ones; i++) {
		uint64_t next_ns = at_ns + gap_ms(i) * 1000000;
		for (uint64_t t = at_ns; t < next_ns; t += 1000000, id++) {
			/* A burst of two. */
			uint64_t total = t <= at_ns + 1000000 ? 500000 : 100000;
			add(RECORD(WALTRACE_KIND_SYNC_CALL, id, WALTRACE_W_SUCCESS, WALTRACE_W_REQUEST,
			           {WALTRACE_START_NS, t}, {WALTRACE_TOTAL_NS, total}, {WALTRACE_WRITTEN_BYTES, 100}));
		}
		at_ns = next_ns;
	}
}

static uint64_t about_50_ms(uint32_t i) { return 48 + i % 5; }
static uint64_t anything(uint32_t i) { return 15 + (i * i * 37) % 150; }

static void regular_outliers_are_periodic(void **state)
{
	(void)state;
	syncs(12, about_50_ms);
	close_trace();
	assert_int_equal(tally->outliers, 24);
	assert_int_equal(tally->bursts, 12);
	assert_int_equal(tally->rhythm, WT_RHYTHM_PERIODIC);
	assert_in_range(tally->period_ns, 49000000, 51000000);
}

static void scattered_outliers_are_not(void **state)
{
	(void)state;
	syncs(30, anything);
	close_trace();
	assert_int_equal(tally->bursts, 30);
	assert_int_equal(tally->rhythm, WT_RHYTHM_IRREGULAR);
	assert_true(tally->period_spread > 0.25);
}

static void few_outliers_say_nothing(void **state)
{
	(void)state;
	syncs(WT_BURSTS_MIN - 1, about_50_ms);
	close_trace();
	assert_int_equal(tally->bursts, WT_BURSTS_MIN - 1);
	assert_int_equal(tally->rhythm, WT_RHYTHM_FEW);
}

static void as_few_as_it_takes_say_something(void **state)
{
	(void)state;
	syncs(WT_BURSTS_MIN, about_50_ms);
	close_trace();
	assert_int_equal(tally->rhythm, WT_RHYTHM_PERIODIC);
}

/* ---- Numbers for people ------------------------------------------------------------------------------------- */

static void numbers_have_three_digits_and_a_unit(void **state)
{
	(void)state;
	assert_string_equal(wt_ns(0).text, "0 ns");
	assert_string_equal(wt_ns(999).text, "999 ns");
	assert_string_equal(wt_ns(999.6).text, "1.00 µs");
	assert_string_equal(wt_ns(1310000).text, "1.31 ms");
	assert_string_equal(wt_ns(99960).text, "100 µs");
	assert_string_equal(wt_ns(2.5e9).text, "2.50 s");
	assert_string_equal(wt_ns(9999e9).text, "9999 s");
	assert_string_equal(wt_ns(36000e9).text, "10.0 h");
	assert_string_equal(wt_ns((double)UINT64_MAX).text, "213504 d");
	assert_string_equal(wt_bytes(8192).text, "8.00 KiB");
	assert_string_equal(wt_count(1284551).text, "1,284,551");
	assert_string_equal(wt_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
	assert_string_equal(wt_share(1, 3).text, "33 %");
	assert_string_equal(wt_share(1, 100000).text, "<0.1 %");
	assert_string_equal(wt_share(0, 0).text, "0 %");
	assert_string_equal(wt_share(1e19, 1).text, ">999 %");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(percentile_is_within_a_32nd_and_never_above_the_largest),
		TEST(one_value_is_its_own_percentile),
		TEST(parts_of_a_percentile_are_those_of_its_bucket_and_add_up),
		TEST(ten_slowest_are_kept_in_order_with_their_chain),
		TEST(convoy_is_said_and_the_fsyncs_before_are_named),
		TEST(fsync_that_runs_when_a_flush_comes_is_one_of_those_before),
		TEST(fsync_alone_is_no_convoy),
		TEST(no_flush_is_said),
		TEST(several_traces_add_up),
		TEST(summary_parts_add_up_to_the_mean),
		TEST(regular_outliers_are_periodic),
		TEST(scattered_outliers_are_not),
		TEST(few_outliers_say_nothing),
		TEST(as_few_as_it_takes_say_something),
		TEST(numbers_have_three_digits_and_a_unit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
