/* SPDX-License-Identifier: MIT */
/* Each rule at its bound and past it; what loss does to them; their order. */
#include "judged.h"
#include "read/units.h"

static void nothing_is_found_and_nothing_judged_in_a_trace_of_nothing(void **state)
{
	(void)state;
	wt_find(tally, &findings);
	assert_int_equal(findings.n, 0);
	assert_int_equal(findings.withhelds, 0);
	assert_true(findings.judged < WT_FINDINGS);
}

/* ---- Batches ------------------------------------------------------------------------------------------------ */

static void delay_that_is_half_of_a_commit_is_found(void **state)
{
	(void)state;
	tally->delayed_flushes = 100;
	tally->signs.timer_batches = tally->signs.size_batches = 10;
	tally->signs.delay_ms = 3;
	flushes(100, WT_PART_DELAY, 500);
	const struct wt_finding *f = found(WT_FINDING_DELAY_DOMINATES);
	assert_int_equal(f->cost_ns, 50000);
	assert_true(f->cost_share == 0.5);
	assert_true(evidence_of(f, "delay_setting") == 3);
	assert_true(evidence_of(f, "commits_under_way") == 10);
	assert_non_null(strstr(f->suggestion, "delay_ms"));
	tally->signs.size_batches = 11; /* most blocks fill up before the timer */
	assert_null(judge(WT_FINDING_DELAY_DOMINATES));
}

static void delay_below_half_of_a_commit_is_none(void **state)
{
	(void)state;
	tally->delayed_flushes = 100;
	tally->signs.timer_batches = 10;
	flushes(100, WT_PART_DELAY, 499);
	assert_null(judge(WT_FINDING_DELAY_DOMINATES));
	assert_false(withheld(WT_FINDING_DELAY_DOMINATES));
}

static void convoy_begins_at_a_quarter_of_the_time(void **state)
{
	(void)state;
	flushes(100, WT_PART_QUEUE, 300);
	tally->lock_hold.n = 100;
	tally->queue_behind_others_ns = 24999;
	assert_null(judge(WT_FINDING_LOCK_CONVOY));
	tally->queue_behind_others_ns = 25000;
	tally->holders = 7;
	tally->holder[0].id = 77;
	const struct wt_finding *f = found(WT_FINDING_LOCK_CONVOY);
	assert_int_equal(f->cost_ns, 25000);
	assert_int_equal(f->records, WT_SIGNS_KEPT);
	assert_int_equal(f->record[0].id, 77);
	assert_int_equal(f->record[0].kind, WALTRACE_KIND_COMMIT_LOCK);
}

static void blocks_are_small_if_most_batches_fill_them_and_flushes_queue(void **state)
{
	(void)state;
	flushes(100, WT_PART_QUEUE, 250);
	tally->signs.block_limit = 2048;
	tally->block_bytes = 100 * 300;
	tally->signs.timer_batches = tally->signs.size_batches = 10;
	const struct wt_finding *f = found(WT_FINDING_SMALL_BLOCKS);
	assert_int_equal(f->cost_ns, 25000);
	/* Ten under way, 300 bytes each, and as much again. */
	assert_non_null(strstr(f->suggestion, wt_bytes(6000).text));
	tally->signs.timer_batches++;
	assert_null(judge(WT_FINDING_SMALL_BLOCKS));
	tally->signs.timer_batches = 9; /* nineteen batches say nothing */
	assert_null(judge(WT_FINDING_SMALL_BLOCKS));
}

static void blocks_that_fill_up_without_a_queue_are_not_small(void **state)
{
	(void)state;
	flushes(100, WT_PART_QUEUE, 249);
	tally->signs.size_batches = 100;
	assert_null(judge(WT_FINDING_SMALL_BLOCKS));
}

static void storm_takes_a_fifth_of_the_time_and_eight_waiters_a_batch(void **state)
{
	(void)state;
	flushes(100, WT_PART_WOKEN, 200);
	tally->notify_batches = 10;
	tally->notify_targets = 80;
	tally->notify_ns = 800;
	wt_sign_keep(&tally->signs.notifies, 0, 5, 90);
	const struct wt_finding *f = found(WT_FINDING_WAKEUP_STORM);
	assert_int_equal(f->cost_ns, 20000);
	assert_true(evidence_of(f, "waking_per_waiter") == 10);
	assert_int_equal(f->record[0].id, 5);
	tally->notify_targets = 79;
	assert_null(judge(WT_FINDING_WAKEUP_STORM));
}

static void waking_below_a_fifth_is_no_storm(void **state)
{
	(void)state;
	flushes(100, WT_PART_WOKEN, 199);
	tally->notify_batches = 10;
	tally->notify_targets = 1000;
	assert_null(judge(WT_FINDING_WAKEUP_STORM));
}

/* ---- Fsyncs ------------------------------------------------------------------------------------------------- */

static void fsyncs(uint64_t n, uint64_t ns)
{
	for (uint64_t i = 0; i < n; i++) wt_dist_add(&tally->fsync, ns);
}

static void fsync_that_is_half_of_a_commit_is_found(void **state)
{
	(void)state;
	fsyncs(100, 500);
	flushes(100, WT_PART_FSYNC, 500);
	const struct wt_finding *f = found(WT_FINDING_FSYNC_DOMINATES);
	assert_int_equal(f->cost_ns, 50000);
	assert_true(evidence_of(f, "fsyncs") == 100);
	flushes(1, WT_PART_FSYNC, 499);
	assert_null(judge(WT_FINDING_FSYNC_DOMINATES));
}

static void pipeline_is_busy_from_nine_tenths_on(void **state)
{
	(void)state;
	fsyncs(900, 1000000);
	tally->signs.sync_span_ns = 1000000000;
	const struct wt_finding *f = found(WT_FINDING_PIPELINE_BUSY);
	assert_true(evidence_of(f, "fsyncs_per_second") == 900);
	assert_int_equal(f->cost_ns, 0);
	tally->signs.sync_span_ns++;
	assert_null(judge(WT_FINDING_PIPELINE_BUSY));
}

static void pipeline_of_slow_outliers_is_not_fine(void **state)
{
	(void)state;
	fsyncs(900, 1000000);
	tally->signs.sync_span_ns = 900000000;
	tally->outliers = 9;
	found(WT_FINDING_PIPELINE_BUSY);
	tally->outliers = 10;
	assert_null(judge(WT_FINDING_PIPELINE_BUSY));
}

static void fsyncs_are_too_fast_if_more_than_half_are(void **state)
{
	(void)state;
	fsyncs(100, 4000);
	tally->signs.fast_syncs = 50;
	assert_null(judge(WT_FINDING_FSYNC_TOO_FAST));
	tally->signs.fast_syncs = 51;
	const struct wt_finding *f = found(WT_FINDING_FSYNC_TOO_FAST);
	assert_true(evidence_of(f, "too_fast") == 0.51);
	assert_non_null(strstr(f->suggestion, "tmpfs"));
}

static void ninety_nine_fsyncs_say_nothing_of_the_device(void **state)
{
	(void)state;
	fsyncs(99, 4000);
	tally->signs.sync_span_ns = 99 * 4000;
	tally->signs.fast_syncs = 99;
	assert_null(judge(WT_FINDING_FSYNC_TOO_FAST));
	assert_null(judge(WT_FINDING_PIPELINE_BUSY));
}

static void bound_of_a_fast_fsync_grows_with_its_bytes(void **state)
{
	(void)state;
	assert_true(wt_fsync_is_too_fast(14999, 0));
	assert_false(wt_fsync_is_too_fast(15000, 0));
	assert_true(wt_fsync_is_too_fast(115000 - 1, 1400000));
	assert_false(wt_fsync_is_too_fast(115000, 1400000));
}

/* ---- The trace ---------------------------------------------------------------------------------------------- */

static void incomplete_trace_is_found_and_says_why(void **state)
{
	(void)state;
	struct wt_verdict verdict = {.complete = true, .records = 100, .produced = 100, .written = 100};
	wt_signs_verdict(&tally->signs, &verdict);
	assert_null(judge(WT_FINDING_INCOMPLETE_TRACE));
	verdict = (struct wt_verdict){.why = "there is no footer", .records = 99, .produced = 100, .dropped = 1};
	wt_signs_verdict(&tally->signs, &verdict);
	tally->traces = 2;
	const struct wt_finding *f = found(WT_FINDING_INCOMPLETE_TRACE);
	assert_non_null(strstr(f->title, "1 of 2 traces is incomplete"));
	assert_non_null(strstr(f->suggestion, "there is no footer"));
	assert_true(evidence_of(f, "dropped") == 1);
}

/* ---- Loss --------------------------------------------------------------------------------------------------- */

static void finding_says_that_records_are_missing(void **state)
{
	(void)state;
	fsyncs(100, 500);
	flushes(100, WT_PART_FSYNC, 500);
	assert_string_equal(found(WT_FINDING_FSYNC_DOMINATES)->caveat, "");
	wt_signs_verdict(&tally->signs, &(struct wt_verdict){.records = 96, .produced = 100, .dropped = 4});
	const struct wt_finding *f = found(WT_FINDING_FSYNC_DOMINATES);
	assert_non_null(strstr(f->caveat, "4.0 % of the records are missing"));
	wt_signs_verdict(&tally->signs, &(struct wt_verdict){.records = 100, .produced = 100, .problems = 1});
	f = found(WT_FINDING_FSYNC_DOMINATES);
	assert_non_null(strstr(f->caveat, "damaged"));
}

static void silence_of_a_trace_that_lacks_a_tenth_is_no_answer(void **state)
{
	(void)state;
	fsyncs(100, 500);
	flushes(100, WT_PART_FSYNC, 100);
	wt_signs_verdict(&tally->signs, &(struct wt_verdict){.records = 90, .produced = 100, .dropped = 10});
	assert_false(withheld(WT_FINDING_FSYNC_DOMINATES));
	wt_signs_verdict(&tally->signs, &(struct wt_verdict){.records = 89, .produced = 100, .dropped = 11});
	assert_true(withheld(WT_FINDING_FSYNC_DOMINATES));
	assert_true(withheld(WT_FINDING_LOCK_CONVOY));
	assert_int_equal(findings.n + findings.withhelds, WT_FINDINGS);
}

static void part_that_unknown_owners_could_lift_over_its_bound_is_withheld(void **state)
{
	(void)state;
	fsyncs(100, 500);
	flushes(100, WT_PART_FSYNC, 600);
	flushes(50, WT_PART_UNKNOWN_OWNER, 200); /* fsync 40 %, unknown 7 % */
	assert_false(withheld(WT_FINDING_FSYNC_DOMINATES));
	flushes(1, WT_PART_OWN, 0);
	tally->flush.sum[WT_PART_FSYNC] -= 12000;
	tally->flush.sum[WT_PART_UNKNOWN_OWNER] += 28000; /* fsync 32 %, unknown 25 % */
	assert_true(withheld(WT_FINDING_FSYNC_DOMINATES));
}

static void most_costly_comes_first_and_what_costs_nothing_last(void **state)
{
	(void)state;
	fsyncs(200, 4000);
	tally->signs.fast_syncs = 200;
	tally->lock_hold.n = 1;
	flushes(100, WT_PART_FSYNC, 500);
	tally->queue_behind_others_ns = 60000;
	judge(WT_FINDING_LOCK_CONVOY);
	assert_int_equal(findings.n, 3);
	assert_int_equal(findings.found[0].code, WT_FINDING_LOCK_CONVOY);
	assert_int_equal(findings.found[1].code, WT_FINDING_FSYNC_DOMINATES);
	assert_int_equal(findings.found[2].code, WT_FINDING_FSYNC_TOO_FAST);
}

static void heaviest_records_are_kept_in_order(void **state)
{
	(void)state;
	struct wt_sign_list list = {.n = 0};
	for (uint64_t i = 1; i <= 20; i++) wt_sign_keep(&list, 0, i, i * 7 % 20);
	assert_int_equal(list.n, WT_SIGNS_KEPT);
	for (uint32_t i = 0; i < WT_SIGNS_KEPT; i++) assert_int_equal(list.at[i].weight, 19 - i);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_tally, free_tally)
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_found_and_nothing_judged_in_a_trace_of_nothing),
		TEST(delay_that_is_half_of_a_commit_is_found),
		TEST(delay_below_half_of_a_commit_is_none),
		TEST(convoy_begins_at_a_quarter_of_the_time),
		TEST(blocks_are_small_if_most_batches_fill_them_and_flushes_queue),
		TEST(blocks_that_fill_up_without_a_queue_are_not_small),
		TEST(storm_takes_a_fifth_of_the_time_and_eight_waiters_a_batch),
		TEST(waking_below_a_fifth_is_no_storm),
		TEST(fsync_that_is_half_of_a_commit_is_found),
		TEST(pipeline_is_busy_from_nine_tenths_on),
		TEST(pipeline_of_slow_outliers_is_not_fine),
		TEST(fsyncs_are_too_fast_if_more_than_half_are),
		TEST(ninety_nine_fsyncs_say_nothing_of_the_device),
		TEST(bound_of_a_fast_fsync_grows_with_its_bytes),
		TEST(incomplete_trace_is_found_and_says_why),
		TEST(finding_says_that_records_are_missing),
		TEST(silence_of_a_trace_that_lacks_a_tenth_is_no_answer),
		TEST(part_that_unknown_owners_could_lift_over_its_bound_is_withheld),
		TEST(most_costly_comes_first_and_what_costs_nothing_last),
		TEST(heaviest_records_are_kept_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
