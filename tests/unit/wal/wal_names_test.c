/* SPDX-License-Identifier: MIT */
/* Which names in a directory are the log's: a file taken for one by mistake would be read, or a good one left out. */
#include "cm.h"

#include <string.h>

#include "wal/names.h"

static void names_of_the_log_are_told_from_others(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool ours, backup, compacted;
		uint32_t index, generation;
	} expected[] = {
		{"000000001", true, false, false, 1, 0},
		{"999999999", true, false, false, 999999999, 0},
		{"000000012.bak", true, true, false, 12, 0},
		{"000000012.3", true, false, true, 12, 3},
		{"000000012.0", true, false, true, 12, 0},
		{"000000012.03", true, false, true, 12, 3},
		{"000000012.3.bak", true, true, true, 12, 3},
		{"000000012.999999999.bak", true, true, true, 12, 999999999},
		{"000000000", false, false, false, 0, 0},
		{"00000001", false, false, false, 0, 0},
		{"0000000001", false, false, false, 0, 0},
		{"000000001.", false, false, false, 0, 0},
		{"000000001.bak.3", false, false, false, 0, 0},
		{"000000001..bak", false, false, false, 0, 0},
		{"000000001.bak.bak", false, false, false, 0, 0},
		{"000000001bak", false, false, false, 0, 0},
		{"000000001x3", false, false, false, 0, 0},
		{"000000001.tmp", false, false, false, 0, 0},
		{"000000001.torn", false, false, false, 0, 0},
		{"000000001.1234567890", false, false, false, 0, 0},
		{"000000001.-1", false, false, false, 0, 0},
		{"00000001a", false, false, false, 0, 0},
		{".bak", false, false, false, 0, 0},
		{"", false, false, false, 0, 0},
		{"commitlog.lock", false, false, false, 0, 0},
		{"000000001.00000000000000000000000", false, false, false, 0, 0},
	};
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		struct cl_name name;
		bool ours = cl_name_parse(expected[i].text, &name);
		if (ours != expected[i].ours) fail_msg("%s: %d", expected[i].text, ours);
		if (!ours) continue;
		assert_string_equal(name.text, expected[i].text);
		assert_int_equal(name.backup, expected[i].backup);
		assert_int_equal(name.compacted, expected[i].compacted);
		assert_int_equal(name.index, expected[i].index);
		assert_int_equal(name.generation, expected[i].generation);
	}
}

static int list_names(const struct wt_os *os, const char *path, void (*each)(void *context, const char *name),
                      void *context)
{
	(void)os;
	(void)path;
	static const char *const name[] = {"000000003", "000000001.2", "lost+found",  "000000002.bak", "000000001.10",
	                                   "000000001", "notes",       "000000001.0", "000000003.bak", "000000010"};
	for (size_t i = 0; i < sizeof name / sizeof *name; i++) each(context, name[i]);
	return 0;
}

static void files_are_ordered_by_number_then_generation(void **state)
{
	(void)state;
	static const char *const expected[] = {"000000001",     "000000001.0",   "000000001.2", "000000001.10",
	                                       "000000002.bak", "000000003.bak", "000000003",   "000000010"};
	struct wt_os os = {.list = list_names};
	struct cl_names names;
	struct wt_err err;
	assert_int_equal(cl_names_read(&os, "directory", &names, &err), 0);
	assert_int_equal(names.count, sizeof expected / sizeof *expected);
	for (size_t i = 0; i < names.count; i++) assert_string_equal(names.list[i].text, expected[i]);
	assert_int_equal(names.highest, 10);
	cl_names_free(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_the_log_are_told_from_others),
		cmocka_unit_test(files_are_ordered_by_number_then_generation),
	};
	return cmocka_run_group_tests_name("wal names", tests, NULL, NULL);
}
