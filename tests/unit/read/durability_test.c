/* SPDX-License-Identifier: MIT */
/* Which acknowledgements a trace proves. */
#include "read/durability.h"
#include "rows.h"

/* A leader's flush, 1 … 700, whose fsync of everything up to `uid` ends at 610. */
static void add_leader_after(uint64_t before, uint64_t uid, bool failed)
{
	add_batch((struct batch){.lock = 2,
	                         .sync = 3,
	                         .parent = 1,
	                         .start = 110,
	                         .wait = 40,
	                         .hold = 500,
	                         .sync_start = 160,
	                         .sync_total = 450,
	                         .before = before,
	                         .max = uid,
	                         .notify = 650,
	                         .failed = failed});
}

static void add_leader(uint64_t uid, bool failed) { add_leader_after(0, uid, failed); }

static struct wt_durability audit_of(bool gaps)
{
	struct wt_durability audit = {0};
	store.gaps = gaps;
	close_store();
	assert_int_equal(wt_audit(&audit, &store, 7), 0);
	assert_int_equal(audit.acknowledged, audit.proven + audit.unproven + audit.unknown);
	return audit;
}

static void an_fsync_that_covered_the_uid_and_ended_in_time_proves_it(void **state)
{
	(void)state;
	add_leader(5, false);
	add_flush(1, 100, 600, 5);
	add_joiner(4, 120, 490, 3, 130, 480, WALTRACE_W_COVERED); /* ends as the fsync does */
	struct wt_durability audit = audit_of(false);
	assert_int_equal(audit.acknowledged, 2);
	assert_int_equal(audit.proven, 2);
}

static void a_flush_that_returned_a_nanosecond_before_its_fsync_ended_is_named(void **state)
{
	(void)state;
	add_leader(5, false);
	add_flush(1, 100, 600, 5);
	add_joiner(4, 120, 489, 3, 130, 479, WALTRACE_W_COVERED);
	struct wt_durability audit = audit_of(false);
	assert_int_equal(audit.proven, 1);
	assert_int_equal(audit.unproven, 1);
	assert_int_equal(audit.kept, 1);
	assert_int_equal(audit.first[0].trace, 7);
	assert_int_equal(audit.first[0].id, 4);
	assert_int_equal(audit.first[0].uid, 3);
	assert_int_equal(audit.first[0].ended_ns, 609);
	assert_int_equal(audit.first[0].sync_id, 3);
	assert_int_equal(audit.first[0].sync_ended_ns, 610);
}

static void a_later_fsync_that_ended_first_proves_it_too(void **state)
{
	(void)state;
	add_leader(5, false);
	add_batch((struct batch){.lock = 8,
	                         .sync = 9,
	                         .parent = 7,
	                         .start = 110,
	                         .wait = 0,
	                         .hold = 90,
	                         .sync_start = 120,
	                         .sync_total = 80,
	                         .max = 6});
	add_flush(4, 100, 150, 3);
	assert_int_equal(audit_of(false).proven, 1);
}

static void an_fsync_that_failed_or_covered_less_proves_nothing(void **state)
{
	(void)state;
	add_leader(5, true);
	add_flush(1, 100, 600, 5);
	struct wt_durability audit = audit_of(false);
	assert_int_equal(audit.unproven, 1);
	assert_int_equal(audit.first[0].sync_id, 0);
	wt_store_free(&store);
	store = (struct wt_store){0};
	add_leader(5, false);
	add_flush(1, 100, 600, 6);
	assert_int_equal(audit_of(false).unproven, 1);
}

static void where_records_may_be_missing_only_what_was_not_durable_at_its_batchs_begin_is_unproven(void **state)
{
	(void)state;
	add_leader(5, false);
	add_flush(1, 100, 600, 6); /* its fsync may be missing */
	add_flush(4, 100, 200, 5); /* not durable before 610: committed_at_acquire is 0 */
	add_flush(6, 100, 600, 5);
	struct wt_durability audit = audit_of(true);
	assert_int_equal(audit.unknown, 1);
	assert_int_equal(audit.proven, 1);
	assert_int_equal(audit.unproven, 1);
	assert_int_equal(audit.first[0].id, 4);
}

static void what_was_durable_on_entry_before_the_first_fsync_is_unknown_and_behind_it_proven(void **state)
{
	(void)state;
	add_leader_after(4, 5, false);
	for (uint64_t end = 609; end <= 610; end++) {
		struct wt_record record = flush_row(end, 100, end - 100, 4);
		record.mask |= 1ull << WALTRACE_ENTRY_UID_FAST_PATH;
		record.value[WALTRACE_ENTRY_UID_FAST_PATH] = 1;
		add(record);
	}
	struct wt_durability audit = audit_of(false);
	assert_int_equal(audit.unknown, 1);
	assert_int_equal(audit.proven, 1);
}

static void flushes_of_nothing_and_failed_ones_acknowledge_nothing(void **state)
{
	(void)state;
	add_flush(1, 100, 600, 0);
	struct wt_record record = flush_row(2, 100, 600, 5);
	record.word[WALTRACE_OUTCOME] = WALTRACE_W_ERROR;
	add(record);
	assert_int_equal(audit_of(false).acknowledged, 0);
}

static void only_the_first_are_kept_and_all_are_counted(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= WT_UNPROVEN_KEPT + 1; i++) add_flush(i, 100 * i, 50, i);
	struct wt_durability audit = audit_of(false);
	assert_int_equal(audit.unproven, WT_UNPROVEN_KEPT + 1);
	assert_int_equal(audit.kept, WT_UNPROVEN_KEPT);
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
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, free_store)
		TEST(an_fsync_that_covered_the_uid_and_ended_in_time_proves_it),
		TEST(a_flush_that_returned_a_nanosecond_before_its_fsync_ended_is_named),
		TEST(a_later_fsync_that_ended_first_proves_it_too),
		TEST(an_fsync_that_failed_or_covered_less_proves_nothing),
		TEST(where_records_may_be_missing_only_what_was_not_durable_at_its_batchs_begin_is_unproven),
		TEST(what_was_durable_on_entry_before_the_first_fsync_is_unknown_and_behind_it_proven),
		TEST(flushes_of_nothing_and_failed_ones_acknowledge_nothing),
		TEST(only_the_first_are_kept_and_all_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
