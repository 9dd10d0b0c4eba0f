/* SPDX-License-Identifier: MIT */
/* What the store and the sets of spans promise by themselves: limits, and for any records whatever that no part of a
 * flush is negative and that they add up to its total. */
#include "rows.h"

/* ---- Spans -------------------------------------------------------------------------------------------------- */

static void overlapping_spans_count_once(void **state)
{
	(void)state;
	struct wt_spans spans = {0};
	static const struct wt_span all[] = {{50, 60}, {5, 20}, {0, 10}, {7, 9}, {60, 70}, {90, 80}, {30, 30}};
	for (size_t i = 0; i < WT_COUNT(all); i++) assert_int_equal(wt_spans_add(&spans, all[i]), 0);
	assert_int_equal(wt_spans_close(&spans), 0);
	assert_int_equal(wt_spans_in(&spans, 0, 100), 40);
	assert_int_equal(wt_spans_in(&spans, 15, 55), 10);
	assert_int_equal(wt_spans_in(&spans, 20, 50), 0);
	assert_int_equal(wt_spans_in(&spans, 65, 65), 0);
	assert_int_equal(wt_spans_in(NULL, 0, 100), 0);
	wt_spans_free(&spans);
}

/* ---- Limits ------------------------------------------------------------------------------------------------- */

/* Asks for the lock every 100 ns, waits 50 for it; is covered meanwhile, between two of these waits. */
static void retries(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) add_lock(10 + i, 1, 100 * i, 50, 10, WALTRACE_W_RETRY_DELAY_OWNER_CHANGED);
	add_flush(1, 0, 100 * n, 1);
	add_batch((struct batch){.lock = 502,
	                         .sync = 503,
	                         .parent = 501,
	                         .start = 60,
	                         .hold = 35,
	                         .sync_start = 65,
	                         .sync_total = 20,
	                         .max = 1,
	                         .notify = 95});
	close_store();
}

static void as_many_own_locks_as_an_operation_has_rows_are_looked_at(void **state)
{
	(void)state;
	retries(WT_STORE_ROWS_MAX);
	assert_int_equal(split_of(1, NULL).part_ns[WT_PART_QUEUE], 50 * WT_STORE_ROWS_MAX);
}

static void more_own_locks_are_left_out(void **state)
{
	(void)state;
	retries(WT_STORE_ROWS_MAX + 1);
	assert_int_equal(split_of(1, NULL).part_ns[WT_PART_QUEUE], 50 * WT_STORE_ROWS_MAX);
}

static void one_logger_too_many_is_an_error(void **state)
{
	(void)state;
	struct wt_err err = {0};
	struct wt_record record = flush_row(1, 0, 1, 1);
	for (record.logger_id = 1; record.logger_id <= WT_STORE_LOGGERS_MAX; record.logger_id++)
		assert_int_equal(wt_store_record(&store, &record, &err), 0);
	assert_true(wt_store_record(&store, &record, &err) < 0);
	assert_non_null(strstr(err.text, "1024 loggers"));
}

/* ---- Any records whatever ----------------------------------------------------------------------------------- */

static uint64_t seed;

static uint64_t any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* Mostly times and ids that meet, now and then one that no clock ever showed. */
static uint64_t any_number(void) { return any(50) ? any(60) : UINT64_MAX - any(3); }

static void add_anything(void)
{
	static const enum waltrace_word words[] = {
		WALTRACE_W_SUCCESS,           WALTRACE_W_ERROR,      WALTRACE_W_OWNER_SUCCESS,
		WALTRACE_W_WAITER_REGISTERED, WALTRACE_W_FAST_PATH,  WALTRACE_W_TIMER,
		WALTRACE_W_REQUEST,           WALTRACE_W_CHECKPOINT, WALTRACE_W_PROMOTED};
	struct wt_record record = {
		.kind = (enum waltrace_kind)any(WALTRACE_KINDS), .logger_id = 1 + any(2), .id = 1 + any(60)};
	for (int s = 0; s < WALTRACE_STRINGS; s++) record.word[s] = (uint8_t)words[any(WT_COUNT(words))];
	for (int f = 0; f < WALTRACE_FIELDS; f++) {
		if (!any(8)) continue;
		record.mask |= 1ull << f;
		record.value[f] = any_number();
	}
	add(record);
}

static void parts_of_any_records_add_up(void **state)
{
	(void)state;
	uint64_t flushes = 0;
	for (uint64_t round = 1; round <= 3000; round++) {
		seed = round * 0x9e3779b97f4a7c15u;
		for (uint64_t i = any(80); i--;) add_anything();
		close_store();
		for (size_t i = 0; i < store.flushes; i++, flushes++) {
			struct wt_split split = split_at((uint32_t)i, NULL);
			for (int p = 0; p < WT_PARTS; p++) assert_true(split.part_ns[p] <= store.flush[i].total_ns);
			assert_true(split.behind_others_ns <=
			            split.part_ns[WT_PART_QUEUE] + split.part_ns[WT_PART_OTHER_FSYNC]);
		}
		wt_store_free(&store);
	}
	assert_true(flushes > 3000);
}

#define TEST(name) cmocka_unit_test_teardown(name, free_store)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(overlapping_spans_count_once), TEST(as_many_own_locks_as_an_operation_has_rows_are_looked_at),
		TEST(more_own_locks_are_left_out),  TEST(one_logger_too_many_is_an_error),
		TEST(parts_of_any_records_add_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
