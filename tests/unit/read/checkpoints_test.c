/* SPDX-License-Identifier: MIT */
/* Rotations, splits, backups, confirms and replays as they are counted. */
#include "read/checkpoints.h"
#include "rows.h"

static struct wt_checkpoints checkpoints;

static void count(struct wt_record record) { wt_checkpoints_add(&checkpoints, &record); }

static void each_kind_is_counted_with_its_time_and_outcome(void **state)
{
	(void)state;
	checkpoints = (struct wt_checkpoints){0};
	count(RECORD(WALTRACE_KIND_CHECKPOINT_ROTATION, 1, WALTRACE_W_SUCCESS, WALTRACE_W_CONFIRM_SIZE_LIMIT,
	             {WALTRACE_TOTAL_NS, 1000}));
	count(RECORD(WALTRACE_KIND_CHECKPOINT_ROTATION, 2, WALTRACE_W_ERROR, WALTRACE_W_CONFIRM_SIZE_LIMIT,
	             {WALTRACE_TOTAL_NS, 3000}));
	count(RECORD(WALTRACE_KIND_CHECKPOINT_ROTATION, 3, WALTRACE_W_SUCCESS, (enum waltrace_word)WT_WORD_OTHER,
	             {WALTRACE_START_NS, 1}));
	count(RECORD(WALTRACE_KIND_FILE_SPLIT, 4, WALTRACE_W_SUCCESS, WALTRACE_W_NONE, {WALTRACE_TOTAL_NS, 7}));
	count(RECORD(WALTRACE_KIND_BACKUP_RENAME, 5, WALTRACE_W_ERROR, WALTRACE_W_NONE, {WALTRACE_TOTAL_NS, 8}));
	count(RECORD(WALTRACE_KIND_ROOT_CONFIRM, 6, WALTRACE_W_SUCCESS, WALTRACE_W_NONE, {WALTRACE_TOTAL_NS, 9}));
	count(RECORD(WALTRACE_KIND_ROOT_FLUSH, 7, WALTRACE_W_SUCCESS, WALTRACE_W_NONE, {WALTRACE_TOTAL_NS, 10}));
	assert_int_equal(checkpoints.rotations.n, 3);
	assert_int_equal(checkpoints.rotations.failed, 1);
	assert_int_equal(checkpoints.rotations.time.n, 2);
	assert_int_equal(checkpoints.rotations.time.sum, 4000);
	assert_int_equal(checkpoints.triggers[WALTRACE_W_CONFIRM_SIZE_LIMIT], 2);
	assert_int_equal(checkpoints.triggers[WALTRACE_W_NONE], 1);
	assert_int_equal(checkpoints.splits.time.max, 7);
	assert_int_equal(checkpoints.backups.failed, 1);
	assert_int_equal(checkpoints.confirms.n, 1);
	assert_int_equal(checkpoints.replays.n, 0);
}

static void replays_add_up_what_they_returned(void **state)
{
	(void)state;
	checkpoints = (struct wt_checkpoints){0};
	for (uint64_t i = 1; i <= 3; i++)
		count(RECORD(WALTRACE_KIND_REPLAY, i, WALTRACE_W_SUCCESS, WALTRACE_W_NONE,
		             {WALTRACE_RETURNED_RECORDS, 10 * i}, {WALTRACE_RETURNED_BYTES, 100 * i}));
	assert_int_equal(checkpoints.replays.n, 3);
	assert_int_equal(checkpoints.replayed_records, 60);
	assert_int_equal(checkpoints.replayed_bytes, 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_is_counted_with_its_time_and_outcome),
		cmocka_unit_test(replays_add_up_what_they_returned),
	};
	(void)free_store;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
