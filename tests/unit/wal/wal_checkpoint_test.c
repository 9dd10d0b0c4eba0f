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
			live->oldest = n + 1;
			live->newest = (n + 1) & 0xffff;
			count++;
		}
		in[n] = !in[n];
		assert_int_equal(table.count, count);
	}
	cl_table_free(&table);
}

static void find(struct cl_checkpoints *cp, uint32_t index, const char *name)
{
	assert_int_equal(cl_checkpoints_reserve(cp), 0);
	cl_checkpoints_found(cp, index, name);
}

static bool enter_found(struct cl_checkpoints *cp, uint64_t n, uint32_t index)
{
	assert_int_equal(cl_table_reserve(&cp->table), 0);
	return cl_checkpoints_register_found(cp, id(n), index);
}

static void compacted_files_of_one_number_wait_with_the_first(void **state)
{
	(void)state;
	struct cl_checkpoints cp = {0};
	find(&cp, 3, "000000003");
	find(&cp, 3, "000000003.1");
	find(&cp, 7, "000000007");
	begin(&cp, 8);
	assert_true(enter_found(&cp, 1, 3));
	assert_false(enter_found(&cp, 2, 5));
	assert_int_equal(cp.table.count, 1);
	assert_int_equal(cl_checkpoints_drained(&cp), 0);
	assert_true(confirm(&cp, 1));
	assert_int_equal(cl_checkpoints_drained(&cp), 3);
	assert_string_equal(cp.files[0].name, "000000003");
	cl_checkpoints_drop_oldest(&cp);
	assert_int_equal(cl_checkpoints_drained(&cp), 3);
	assert_string_equal(cp.files[0].name, "000000003.1");
	cl_checkpoints_free(&cp);
}

/* Which file an id waits for, and whether its confirm is buffered, beside what the table says. */
struct model {
	uint32_t oldest[300];
	bool confirming[300];
};

static void step(struct cl_checkpoints *cp, struct model *m, uint32_t random)
{
	uint32_t n = random % 300, index = 1 + random / 300 % 5;
	switch (random / 1500 % 4) {
	case 0:
	case 1:
		assert_true(enter_found(cp, n, index));
		if (!m->oldest[n] || index < m->oldest[n]) m->oldest[n] = index;
		m->confirming[n] = false;
		break;
	case 2:
		assert_int_equal(cl_checkpoints_buffer_confirm(cp, id(n)), m->oldest[n] && !m->confirming[n]);
		m->confirming[n] = m->oldest[n] != 0;
		break;
	default:
		assert_int_equal(confirm(cp, n), m->oldest[n] != 0);
		m->oldest[n] = 0;
		m->confirming[n] = false;
	}
}

static void check_counts(const struct cl_checkpoints *cp, const struct model *m)
{
	uint64_t waiting[6] = {0};
	size_t confirming = 0;
	for (uint32_t n = 0; n < 300; n++) {
		assert_int_equal(cl_table_find(&cp->table, id(n)) != NULL, m->oldest[n] != 0);
		if (m->oldest[n]) waiting[m->oldest[n]]++;
		confirming += m->confirming[n];
	}
	for (uint32_t i = 1; i <= 5; i++) assert_int_equal(cp->files[i - 1].count, waiting[i]);
	assert_int_equal(cp->confirming, confirming);
}

static void buffered_confirms_take_out_exactly_their_ids(void **state)
{
	(void)state;
	uint32_t seed = 3;
	for (int round = 0; round < 200; round++) {
		struct cl_checkpoints cp = {0};
		struct model m = {.oldest = {0}};
		for (uint32_t i = 1; i <= 5; i++) begin(&cp, i);
		for (int i = 0; i < 1000; i++) {
			seed = seed * 1664525u + 1013904223u;
			step(&cp, &m, seed >> 8);
		}
		check_counts(&cp, &m);
		uint64_t expected = 0;
		for (uint32_t n = 0; n < 300; n++) {
			expected += m.confirming[n];
			if (m.confirming[n]) m.oldest[n] = 0;
			m.confirming[n] = false;
		}
		assert_int_equal(cl_checkpoints_apply_confirms(&cp), expected);
		check_counts(&cp, &m);
		cl_checkpoints_free(&cp);
	}
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
		cmocka_unit_test(compacted_files_of_one_number_wait_with_the_first),
		cmocka_unit_test(buffered_confirms_take_out_exactly_their_ids),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
