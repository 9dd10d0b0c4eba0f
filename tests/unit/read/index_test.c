/* SPDX-License-Identifier: MIT */
#include "cm.h"

#include "read/index.h"

enum { MANY = 20000 };

static uint64_t next(uint64_t *state) { return *state = *state * 6364136223846793005ull + 1442695040888963407ull; }

static void assert_in_order(const struct wt_index *index, size_t n)
{
	assert_true(index->n == n);
	for (size_t i = 1; i < n; i++) {
		const struct wt_index_entry *a = &index->at[i - 1], *b = &index->at[i];
		assert_true(a->key < b->key || (a->key == b->key && a->place < b->place));
	}
}

/* Keys of few bits are often equal, those of 64 differ in every digit; the shift leaves low digits all the same. */
static void many_keys_of_any_size_come_into_order(void **state)
{
	(void)state;
	for (unsigned bits = 1; bits <= 64; bits += 7) {
		for (int backwards = 0; backwards < 2; backwards++) {
			struct wt_index index = {0};
			uint64_t random = bits, sum = 0;
			for (uint32_t i = 0; i < MANY; i++) {
				uint64_t key = next(&random) >> (64 - bits) << (bits < 32 ? 17 : 0);
				assert_int_equal(wt_index_add(&index, key, backwards ? MANY - i : i), 0);
				sum += key ^ (backwards ? MANY - i : i);
			}
			wt_index_close(&index);
			assert_in_order(&index, MANY);
			for (size_t i = 0; i < MANY; i++) sum -= index.at[i].key ^ index.at[i].place;
			assert_true(sum == 0);
			wt_index_free(&index);
		}
	}
}

static void a_key_is_found_at_its_first_place_or_nowhere(void **state)
{
	struct wt_index index = {0};
	(void)state;
	wt_index_close(&index);
	assert_true(wt_index_find(&index, 1) == WT_NOWHERE);
	for (uint32_t i = 0; i < MANY; i++) assert_int_equal(wt_index_add(&index, (MANY - i) / 2 * 3, i), 0);
	wt_index_close(&index);
	assert_in_order(&index, MANY);
	assert_int_equal(wt_index_find(&index, MANY / 2 * 3), 0);
	assert_int_equal(wt_index_find(&index, 30), MANY - 21);
	assert_true(wt_index_find(&index, 31) == WT_NOWHERE);
	assert_true(wt_index_find(&index, UINT64_MAX) == WT_NOWHERE);
	wt_index_free(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_keys_of_any_size_come_into_order),
		cmocka_unit_test(a_key_is_found_at_its_first_place_or_nowhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
