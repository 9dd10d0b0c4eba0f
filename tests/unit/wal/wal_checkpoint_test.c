/* SPDX-License-Identifier: MIT */
/* Which file waits for whom: a file that holds an unconfirmed record never counts as drained. */
#include "cm.h"

#include "wal/checkpoint.h"

static struct commitlog_cid id(uint64_t n) { return (struct commitlog_cid){.high = n * 7, .low = n}; }

static void begin(struct cl_checkpoints *cp, uint32_t index)
{
	assert_int_equal(cl_checkpoints_reserve(cp), 0);
	cl_checkpoints_begin(cp, index);
}

static void enter(struct cl_checkpoints *cp, uint64_t n)
{
	assert_int_equal(cl_table_reserve(&cp->table), 0);
	cl_checkpoints_register(cp, id(n));
}

static bool confirm(struct cl_checkpoints *cp, uint64_t n)
{
	uint64_t before;
	return cl_checkpoints_confirm(cp, id(n), &before);
}

static void current_file_is_never_drained(void **state)
{
	(void)state;
	struct cl_checkpoints cp = {0};
	begin(&cp, 1);
	assert_int_equal(cl_checkpoints_drained(&cp), 0);
	begin(&cp, 2);
	assert_int_equal(cl_checkpoints_drained(&cp), 1);
	cl_checkpoints_free(&cp);
}

static void younger_file_waits_for_older(void **state)
{
	(void)state;
	struct cl_checkpoints cp = {0};
	begin(&cp, 1);
	enter(&cp, 1);
	begin(&cp, 2);
	enter(&cp, 2);
	begin(&cp, 3);
	assert_true(confirm(&cp, 2));
	assert_int_equal(cl_checkpoints_drained(&cp), 0);
	assert_true(confirm(&cp, 1));
	assert_int_equal(cl_checkpoints_drained(&cp), 1);
	cl_checkpoints_drop_oldest(&cp);
	assert_int_equal(cl_checkpoints_drained(&cp), 2);
	cl_checkpoints_free(&cp);
}

static void reregistered_id_holds_its_first_file_until_confirmed(void **state)
{
	(void)state;
	struct cl_checkpoints cp = {0};
	begin(&cp, 1);
	enter(&cp, 1);
	begin(&cp, 2);
	enter(&cp, 1);
	assert_int_equal(cl_table_find(&cp.table, id(1))->newest, 2);
	assert_int_equal(cl_checkpoints_drained(&cp), 0);
	assert_int_equal(cp.table.count, 1);
	assert_true(confirm(&cp, 1));
	assert_int_equal(cl_checkpoints_drained(&cp), 1);
	cl_checkpoints_free(&cp);
}

static void unknown_and_repeated_confirms_change_nothing(void **state)
{
	(void)state;
	struct cl_checkpoints cp = {0};
	begin(&cp, 1);
	assert_false(confirm(&cp, 1));
	enter(&cp, 1);
	assert_true(confirm(&cp, 1));
	assert_false(confirm(&cp, 1));
	assert_int_equal(cl_checkpoints_current(&cp)->count, 0);
	cl_checkpoints_free(&cp);
}

static void unreplayed_records_hold_every_file(void **state)
{
	(void)state;
	struct cl_checkpoints cp = {.unreplayed = true};
	begin(&cp, 4);
	begin(&cp, 5);
	assert_int_equal(cl_checkpoints_drained(&cp), 0);
	cl_checkpoints_free(&cp);
}

/* Random puts and removes against a plain array: linear probing must find all that is in, and nothing else. */
static void table_agrees_with_an_array(void **state)
{
	(void)state;
	enum { IDS = 500, STEPS = 100000 };
	bool in[IDS] = {false};
	size_t count = 0;
	struct cl_table table = {0};
	uint32_t seed = 1;
	for (int step = 0; step < STEPS; step++) {
		seed = seed * 1664525u + 1013904223u;
		uint32_t n = (seed >> 8) % IDS;
		struct cl_live *live = cl_table_find(&table, id(n));
		assert_int_equal(live != NULL, in[n]);
		if (live) {
			assert_int_equal(live->newest, n + 1);
			cl_table_remove(&table, live);
			count--;
		} else {
			assert_int_equal(cl_table_reserve(&table), 0);
			live = cl_table_put(&table, id(n));
			live->oldest = live->newest = n + 1;
			count++;
		}
		in[n] = !in[n];
		assert_int_equal(table.count, count);
	}
	cl_table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(current_file_is_never_drained),
		cmocka_unit_test(younger_file_waits_for_older),
		cmocka_unit_test(reregistered_id_holds_its_first_file_until_confirmed),
		cmocka_unit_test(unknown_and_repeated_confirms_change_nothing),
		cmocka_unit_test(unreplayed_records_hold_every_file),
		cmocka_unit_test(table_agrees_with_an_array),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
