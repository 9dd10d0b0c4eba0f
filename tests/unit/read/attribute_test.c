/* SPDX-License-Identifier: MIT */
/* Where a flush's time goes, computed by hand for each part and way to commit. */
#include "rows.h"

enum {
	ROTATION = WT_PART_ROTATION,
	FSYNC = WT_PART_FSYNC,
	DELAY = WT_PART_DELAY,
	QUEUE = WT_PART_QUEUE,
	WOKEN = WT_PART_WOKEN,
	OTHERS = WT_PART_OTHER_FSYNC,
	OWN = WT_PART_OWN,
	UNKNOWN = WT_PART_UNKNOWN_OWNER,
	UNACCOUNTED = WT_PART_UNACCOUNTED,
};

#define EXPECT(id, who, ...) expect(id, who, (const uint64_t[WT_PARTS]){__VA_ARGS__})

static void expect(uint64_t id, enum wt_owner who, const uint64_t *part_ns)
{
	enum wt_owner owner;
	struct wt_split split = split_of(id, &owner);
	for (int p = 0; p < WT_PARTS; p++) {
		if (split.part_ns[p] != part_ns[p]) print_error("flush %d: %s\n", (int)id, wt_part_name[p]);
		assert_int_equal(split.part_ns[p], part_ns[p]);
	}
	assert_int_equal(owner, who);
}

/* ---- Each commits for itself -------------------------------------------------------------------------------- */

static void leader_has_own_steps_queue_and_fsync(void **state)
{
	(void)state;
	add_batch((struct batch){.lock = 2,
	                         .sync = 3,
	                         .parent = 1,
	                         .start = 110,
	                         .wait = 40,
	                         .hold = 500,
	                         .sync_start = 160,
	                         .sync_total = 450,
	                         .max = 1,
	                         .notify = 650});
	add_flush(1, 100, 600, 1);
	close_store();
	/* 100-110 own, 110-150 queue, 150-160 own, 160-610 fsync, 610-700 own */
	EXPECT(1, WT_OWNER_SELF, [QUEUE] = 40, [FSYNC] = 450, [OWN] = 110);
}

static void queue_tells_how_much_of_it_others_fsyncs_took(void **state)
{
	(void)state;
	add_batch((struct batch){.lock = 2,
	                         .sync = 3,
	                         .parent = 1,
	                         .start = 0,
	                         .wait = 0,
	                         .hold = 300,
	                         .sync_start = 20,
	                         .sync_total = 260,
	                         .max = 1,
	                         .notify = 300});
	add_flush(1, 0, 310, 1);
	add_batch((struct batch){.lock = 5,
	                         .sync = 6,
	                         .parent = 4,
	                         .start = 100,
	                         .wait = 220,
	                         .hold = 300,
	                         .sync_start = 330,
	                         .sync_total = 250,
	                         .before = 1,
	                         .max = 2,
	                         .notify = 620});
	add_flush(4, 100, 530, 2);
	close_store();
	EXPECT(4, WT_OWNER_SELF, [QUEUE] = 220, [FSYNC] = 250, [OWN] = 60);
	assert_int_equal(split_of(4, NULL).behind_others_ns, 180); /* 100 to 280 */
	assert_int_equal(split_of(1, NULL).behind_others_ns, 0);
}

static void durable_on_entry_is_all_own(void **state)
{
	(void)state;
	struct wt_record record = flush_row(1, 50, 7, 3);
	record.mask |= 1ull << WALTRACE_ENTRY_UID_FAST_PATH;
	record.value[WALTRACE_ENTRY_UID_FAST_PATH] = 1;
	add(record);
	close_store();
	EXPECT(1, WT_OWNER_NONE, [OWN] = 7);
}

static void covered_while_queueing_counts_the_covering_fsync(void **state)
{
	(void)state;
	add_batch((struct batch){.lock = 11,
	                         .sync = 12,
	                         .parent = 10,
	                         .start = 0,
	                         .hold = 200,
	                         .sync_start = 50,
	                         .sync_total = 140,
	                         .max = 5,
	                         .notify = 200});
	add_lock(2, 1, 20, 185, 3, WALTRACE_W_FAST_PATH);
	add_flush(1, 10, 205, 5);
	close_store();
	/* 10-20 own, 20-50 queue, 50-190 fsync, 190-205 queue, 205-215 own */
	EXPECT(1, WT_OWNER_FLUSH, [QUEUE] = 45, [FSYNC] = 140, [OWN] = 20);
}

/* ---- Without a timer ---------------------------------------------------------------------------------------- */

static void first_batch(void)
{
	add_batch((struct batch){.lock = 102,
	                         .sync = 103,
	                         .parent = 101,
	                         .start = 1000,
	                         .hold = 200,
	                         .sync_start = 1010,
	                         .sync_total = 180,
	                         .max = 1,
	                         .notify = 1205});
}

/* Led by flush 201, which was promoted at 1230. */
static void second_batch(void)
{
	add_batch((struct batch){.lock = 202,
	                         .sync = 203,
	                         .parent = 201,
	                         .start = 1230,
	                         .wait = 2,
	                         .hold = 300,
	                         .sync_start = 1240,
	                         .sync_total = 280,
	                         .before = 1,
	                         .max = 4,
	                         .notify = 1535});
	add_joiner(201, 1050, 550, 2, 1060, 170, WALTRACE_W_PROMOTED);
}

static void joiner_waits_for_the_batch_before_and_for_its_own(void **state)
{
	(void)state;
	first_batch();
	add_joiner(301, 1100, 460, 4, 1110, 440, WALTRACE_W_COVERED);
	second_batch(); /* after its joiner in the file */
	close_store();
	/* 1100-1110 own, 1110-1190 others, -1232 in line, -1240 unaccounted, -1520 fsync, -1535 unaccounted, -1550 woken,
	 * -1560 own */
	EXPECT(301, WT_OWNER_FLUSH, [OWN] = 20, [OTHERS] = 80, [QUEUE] = 42, [UNACCOUNTED] = 23, [FSYNC] = 280,
	       [WOKEN] = 15);
	assert_int_equal(split_of(301, NULL).behind_others_ns, 80);
}

static void promoted_joiner_queues_until_it_leads(void **state)
{
	(void)state;
	first_batch();
	second_batch();
	close_store();
	/* 1050-1060 own, -1190 others, -1232 queue, -1240 own, -1520 fsync, -1600 own */
	EXPECT(201, WT_OWNER_SELF, [OWN] = 98, [OTHERS] = 130, [QUEUE] = 42, [FSYNC] = 280);
}

/* ---- With a timer ------------------------------------------------------------------------------------------- */

static void waiter(uint64_t id, uint64_t uid)
{
	add_lock(id + 1, id, 105, 5, 10, WALTRACE_W_WAITER_REGISTERED);
	add_joiner(id, 100, 1600, uid, 125, 1570, WALTRACE_W_COVERED);
}

static void timer_batch(void)
{
	add_batch((struct batch){.lock = 51,
	                         .sync = 52,
	                         .parent = 50,
	                         .start = 1110,
	                         .wait = 90,
	                         .hold = 400,
	                         .sync_start = 1210,
	                         .sync_total = 380,
	                         .before = 0,
	                         .max = 3,
	                         .notify = 1610,
	                         .trigger = WALTRACE_W_TIMER});
	add_timer(50, 1105, 520);
}

static void waiter_of_a_timer_is_delayed_until_it_runs(void **state)
{
	(void)state;
	waiter(10, 3);
	timer_batch();
	close_store();
	/* 100-105 own, -110 queue, -125 own, -1105 delay, -1110 unaccounted, -1200 queue (the timer's), -1210 unaccounted,
	 * -1590 fsync, -1610 unaccounted, -1695 woken, -1700 own */
	EXPECT(10, WT_OWNER_TIMER, [OWN] = 25, [QUEUE] = 95, [DELAY] = 980, [UNACCOUNTED] = 35, [FSYNC] = 380,
	       [WOKEN] = 85);
}

static void size_owner_ends_the_delay(void **state)
{
	(void)state;
	waiter(10, 3);
	add_batch((struct batch){.lock = 61,
	                         .sync = 62,
	                         .parent = 60,
	                         .start = 900,
	                         .wait = 10,
	                         .hold = 400,
	                         .sync_start = 915,
	                         .sync_total = 380,
	                         .before = 0,
	                         .max = 4,
	                         .notify = 1310});
	add_flush(60, 890, 430, 4);
	close_store();
	/* 125-900 delay, -910 queue, -915 unaccounted, -1295 fsync, -1310 unaccounted, -1695 woken */
	EXPECT(10, WT_OWNER_FLUSH, [OWN] = 25, [QUEUE] = 15, [DELAY] = 775, [UNACCOUNTED] = 20, [FSYNC] = 380,
	       [WOKEN] = 385);
}

static void lost_timer_run_makes_its_delay_unknown(void **state)
{
	(void)state;
	waiter(10, 3);
	add_batch((struct batch){.lock = 51,
	                         .sync = 52,
	                         .parent = 50,
	                         .start = 1110,
	                         .wait = 90,
	                         .hold = 400,
	                         .sync_start = 1210,
	                         .sync_total = 380,
	                         .before = 0,
	                         .max = 3,
	                         .notify = 1610,
	                         .trigger = WALTRACE_W_TIMER});
	close_store();
	struct wt_split split = split_of(10, NULL);
	assert_int_equal(split.part_ns[DELAY], 0);
	assert_int_equal(split.part_ns[UNKNOWN], 980 + 35);
}

static void joiner_shares_its_owners_queue_only_from_joining_on(void **state)
{
	(void)state;
	/* The timer has been asking for the lock since 1000 when flush 20 comes at 1100 and joins at 1130. */
	add_batch((struct batch){.lock = 51,
	                         .sync = 52,
	                         .parent = 50,
	                         .start = 1000,
	                         .wait = 200,
	                         .hold = 100,
	                         .sync_start = 1200,
	                         .sync_total = 90,
	                         .max = 3,
	                         .notify = 1300,
	                         .trigger = WALTRACE_W_TIMER});
	add_timer(50, 990, 400);
	add_lock(21, 20, 1105, 5, 10, WALTRACE_W_WAITER_REGISTERED);
	add_joiner(20, 1100, 220, 3, 1130, 180, WALTRACE_W_COVERED);
	close_store();
	/* 1100-1105 own, -1110 queue, -1130 own, -1200 queue (the timer's), -1290 fsync, -1300 unaccounted, -1310 woken,
	 * -1320 own */
	EXPECT(20, WT_OWNER_TIMER, [OWN] = 35, [QUEUE] = 75, [FSYNC] = 90, [UNACCOUNTED] = 10, [WOKEN] = 10);
}

/* ---- Rotations ---------------------------------------------------------------------------------------------- */

static void rotation_comes_first_but_only_while_it_holds_the_lock(void **state)
{
	(void)state;
	/* Waits for the lock from 1000 to 1100 itself, holds it to 1400, its own commit's fsync in between. */
	add_batch((struct batch){.lock = 71,
	                         .sync = 72,
	                         .parent = 70,
	                         .start = 1000,
	                         .wait = 100,
	                         .hold = 300,
	                         .sync_start = 1110,
	                         .sync_total = 100,
	                         .max = 1,
	                         .notify = 1215,
	                         .trigger = WALTRACE_W_CHECKPOINT});
	add_rotation(WALTRACE_KIND_CHECKPOINT_ROTATION, 70, 0, 990, 450);
	add_batch((struct batch){.lock = 82,
	                         .sync = 83,
	                         .parent = 81,
	                         .start = 1050,
	                         .wait = 360,
	                         .hold = 100,
	                         .sync_start = 1415,
	                         .sync_total = 90,
	                         .before = 1,
	                         .max = 2,
	                         .notify = 1510});
	add_flush(81, 1040, 480, 2);
	close_store();
	/* 1040-1050 own, -1100 queue, -1400 rotation, -1410 queue, -1415 own, -1505 fsync, -1520 own */
	EXPECT(81, WT_OWNER_SELF, [OWN] = 30, [QUEUE] = 60, [ROTATION] = 300, [FSYNC] = 90);
	assert_int_equal(split_of(81, NULL).behind_others_ns, 0);
}

static void rotation_counts_no_longer_than_it_lasts(void **state)
{
	(void)state;
	add_batch((struct batch){.lock = 71,
	                         .sync = 72,
	                         .parent = 70,
	                         .start = 1000,
	                         .hold = 400,
	                         .sync_start = 1010,
	                         .sync_total = 5,
	                         .max = 1,
	                         .notify = 1215,
	                         .trigger = WALTRACE_W_CHECKPOINT});
	add_rotation(WALTRACE_KIND_CHECKPOINT_ROTATION, 70, 0, 1100, 200);
	add_batch((struct batch){.lock = 82,
	                         .sync = 83,
	                         .parent = 81,
	                         .start = 1050,
	                         .wait = 450,
	                         .hold = 100,
	                         .sync_start = 1500,
	                         .sync_total = 100,
	                         .before = 1,
	                         .max = 2,
	                         .notify = 1600});
	add_flush(81, 1050, 550, 2);
	close_store();
	EXPECT(81, WT_OWNER_SELF, [QUEUE] = 250, [ROTATION] = 200, [FSYNC] = 100);
}

static void split_inside_a_commit_is_rotation(void **state)
{
	(void)state;
	add_batch((struct batch){.lock = 2,
	                         .sync = 3,
	                         .parent = 1,
	                         .start = 10,
	                         .hold = 500,
	                         .sync_start = 20,
	                         .sync_total = 200,
	                         .max = 1,
	                         .notify = 230});
	add_rotation(WALTRACE_KIND_FILE_SPLIT, 4, 2, 240, 260);
	add_flush(1, 0, 520, 1);
	close_store();
	EXPECT(1, WT_OWNER_SELF, [OWN] = 60, [FSYNC] = 200, [ROTATION] = 260);
}

static void split_without_the_commit_lock_blocks_nobody(void **state)
{
	(void)state;
	add_rotation(WALTRACE_KIND_FILE_SPLIT, 4, 99, 240, 260);
	add_batch((struct batch){.lock = 2,
	                         .sync = 3,
	                         .parent = 1,
	                         .start = 10,
	                         .hold = 500,
	                         .sync_start = 20,
	                         .sync_total = 200,
	                         .max = 1,
	                         .notify = 230});
	add_flush(1, 0, 520, 1);
	close_store();
	EXPECT(1, WT_OWNER_SELF, [OWN] = 320, [FSYNC] = 200);
}

/* ---- Loss --------------------------------------------------------------------------------------------------- */

static void third_batch(void)
{
	add_batch((struct batch){.lock = 402,
	                         .sync = 403,
	                         .parent = 401,
	                         .start = 1540,
	                         .hold = 5,
	                         .sync_start = 1541,
	                         .sync_total = 2,
	                         .before = 4,
	                         .max = 9,
	                         .notify = 1546});
}

static void deleted_owner_makes_its_waiters_share_unknown(void **state)
{
	(void)state;
	first_batch();
	add_joiner(301, 1100, 460, 4, 1110, 440, WALTRACE_W_COVERED);
	third_batch(); /* ended before the joiner woke, but began with uid 4 durable: it can't have been the one */
	close_store();
	EXPECT(301, WT_OWNER_UNKNOWN, [OWN] = 20, [OTHERS] = 80, [UNKNOWN] = 360);
}

static void later_batch_is_no_owner_if_it_ended_after_the_flush(void **state)
{
	(void)state;
	add_joiner(301, 1100, 460, 4, 1110, 440, WALTRACE_W_COVERED);
	add_batch((struct batch){.lock = 402,
	                         .sync = 403,
	                         .parent = 401,
	                         .start = 1540,
	                         .hold = 50,
	                         .sync_start = 1541,
	                         .sync_total = 40,
	                         .before = 0,
	                         .max = 9,
	                         .notify = 1600});
	close_store();
	EXPECT(301, WT_OWNER_UNKNOWN, [OWN] = 20, [UNKNOWN] = 440);
}

static void leader_without_its_rows_is_unknown_as_a_whole(void **state)
{
	(void)state;
	add_flush(1, 100, 600, 1);
	add_joiner(2, 100, 600, 1, 150, 50, WALTRACE_W_PROMOTED);
	close_store();
	EXPECT(1, WT_OWNER_UNKNOWN, [UNKNOWN] = 600);
	EXPECT(2, WT_OWNER_UNKNOWN, [UNKNOWN] = 600);
}

static void other_loggers_batches_cover_nothing(void **state)
{
	(void)state;
	struct wt_record flush = flush_row(1, 1000, 400, 1);
	first_batch();
	flush.logger_id = 2;
	add(flush);
	close_store();
	EXPECT(1, WT_OWNER_UNKNOWN, [UNKNOWN] = 400);
}

/* ---- Failure ------------------------------------------------------------------------------------------------ */

static void failed_joiner_waited_for_the_batch_that_failed(void **state)
{
	(void)state;
	add_batch((struct batch){.lock = 102,
	                         .sync = 103,
	                         .parent = 101,
	                         .start = 1000,
	                         .hold = 200,
	                         .sync_start = 1010,
	                         .sync_total = 180,
	                         .max = 1,
	                         .notify = 1205,
	                         .failed = true});
	struct wt_record late = flush_row(401, 2000, 5, 9);
	late.word[WALTRACE_OUTCOME] = WALTRACE_W_ERROR;
	add(late);
	add_joiner(301, 1020, 200, 2, 1030, 185, WALTRACE_W_ERROR);
	store.flush[store.flushes - 1].good = false;
	store.flush[store.flushes - 1].failed = true;
	close_store();
	EXPECT(301, WT_OWNER_FLUSH, [OWN] = 5, [FSYNC] = 170, [UNACCOUNTED] = 15, [WOKEN] = 10);
	EXPECT(401, WT_OWNER_NONE, [OWN] = 5);
}

#define TEST(name) cmocka_unit_test_teardown(name, free_store)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(leader_has_own_steps_queue_and_fsync),
		TEST(queue_tells_how_much_of_it_others_fsyncs_took),
		TEST(durable_on_entry_is_all_own),
		TEST(covered_while_queueing_counts_the_covering_fsync),
		TEST(joiner_waits_for_the_batch_before_and_for_its_own),
		TEST(promoted_joiner_queues_until_it_leads),
		TEST(waiter_of_a_timer_is_delayed_until_it_runs),
		TEST(size_owner_ends_the_delay),
		TEST(lost_timer_run_makes_its_delay_unknown),
		TEST(joiner_shares_its_owners_queue_only_from_joining_on),
		TEST(rotation_counts_no_longer_than_it_lasts),
		TEST(rotation_comes_first_but_only_while_it_holds_the_lock),
		TEST(split_inside_a_commit_is_rotation),
		TEST(split_without_the_commit_lock_blocks_nobody),
		TEST(deleted_owner_makes_its_waiters_share_unknown),
		TEST(later_batch_is_no_owner_if_it_ended_after_the_flush),
		TEST(leader_without_its_rows_is_unknown_as_a_whole),
		TEST(other_loggers_batches_cover_nothing),
		TEST(failed_joiner_waited_for_the_batch_that_failed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
