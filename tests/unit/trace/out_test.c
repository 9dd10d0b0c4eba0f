/* SPDX-License-Identifier: MIT */
/* The trace file over a disk that is a piece of memory and fails when told to. */
#include "trace/lines.h"
#include "trace/out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/cm.h"

struct memory_disk {
	struct wt_os os;
	char *bytes;
	uint64_t size, room; /* a write past `room` gives ENOSPC, after what fits */
	int interrupts;      /* so many EINTR first */
	size_t most;         /* bytes a write, 0: all */
};

static ssize_t write_memory(const struct wt_os *os, int fd, const void *bytes, size_t n, uint64_t offset)
{
	struct memory_disk *disk = (void *)(uintptr_t)os;
	(void)fd;
	if (disk->interrupts && disk->interrupts--) return -EINTR;
	if (disk->most && n > disk->most) n = disk->most;
	if (offset >= disk->room) return -ENOSPC;
	if (offset + n > disk->room) n = disk->room - offset;
	memcpy(disk->bytes + offset, bytes, n);
	if (offset + n > disk->size) disk->size = offset + n;
	return (ssize_t)n;
}

static int cut_memory(const struct wt_os *os, int fd, uint64_t bytes)
{
	struct memory_disk *disk = (void *)(uintptr_t)os;
	(void)fd;
	disk->size = bytes;
	return 0;
}

static struct memory_disk disk;
static struct wt_out out;

static void open_disk(uint64_t room, uint64_t limit)
{
	disk = (struct memory_disk){.os = {.pwrite = write_memory, .ftruncate = cut_memory}, .room = room};
	disk.bytes = calloc(1, 4 * WT_MIB);
	assert_int_equal(wt_out_open(&out, &disk.os, 3, limit), 0);
}

static void close_disk(void)
{
	free(disk.bytes);
	free(out.buffer);
}

static bool line(char c, size_t n)
{
	memset(wt_out_at(&out), c, n - 1);
	wt_out_at(&out)[n - 1] = '\n';
	return wt_out_line(&out, wt_out_at(&out) + n, true);
}

static void lines_arrive_through_short_and_interrupted_writes(void **state)
{
	(void)state;
	open_disk(4 * WT_MIB, 1 << 30);
	disk.interrupts = 3;
	disk.most = 777;
	for (int i = 0; i < 3000; i++) assert_true(line((char)('a' + i % 26), 400));
	assert_true(wt_out_flush(&out));
	assert_int_equal(disk.size, 3000 * 400);
	for (int i = 0; i < 3000; i++) assert_int_equal(disk.bytes[i * 400 + 398], 'a' + i % 26);
	close_disk();
}

static void the_last_line_under_the_limit_goes_in_and_the_next_does_not(void **state)
{
	(void)state;
	open_disk(4 * WT_MIB, 2 * 1000 + WT_FOOTER_RESERVE);
	assert_true(line('a', 1000));
	assert_true(line('b', 1000));
	assert_false(line('c', 1));
	assert_int_equal(out.error, WT_OUT_LIMIT);
	assert_true(wt_out_footer(&out, "end\n", 4)); /* what the reserve is for */
	assert_int_equal(disk.size, 2004);
	assert_memory_equal(disk.bytes + 1999, "\nend\n", 5);
	close_disk();
}

static void a_full_disk_leaves_whole_lines_only_and_tells_how_many_are_missing(void **state)
{
	(void)state;
	open_disk(1500, 1 << 30);
	assert_true(line('a', 1000));
	assert_true(wt_out_flush(&out));
	assert_true(line('b', 400));
	assert_true(line('c', 400));
	assert_false(wt_out_flush(&out));
	assert_int_equal(out.error, -ENOSPC);
	assert_int_equal(out.records, 2);
	assert_int_equal(disk.size, 1000);
	assert_false(line('d', 10));
	assert_true(wt_out_footer(&out, "end\n", 4)); /* there is room for it again */
	assert_int_equal(disk.size, 1004);
	close_disk();
}

static void a_line_longer_than_the_buffer_is_written_in_pieces_and_cut_off_whole(void **state)
{
	(void)state;
	static char path[WT_OUT_BYTES];
	memset(path, 0xab, sizeof path);
	open_disk(4 * WT_MIB, 1 << 30);
	assert_true(line('a', 100));
	assert_true(wt_out_may(&out, 2 + 2 * sizeof path));
	wt_out_put(&out, "{", 1);
	wt_out_put_hex(&out, path, sizeof path);
	wt_out_put(&out, "\n", 1);
	assert_true(wt_out_flush(&out));
	assert_int_equal(disk.size, 102 + 2 * sizeof path);
	assert_memory_equal(disk.bytes + 99, "\n{abab", 6);
	disk.room = disk.size + 1000;
	assert_true(wt_out_may(&out, 2 + 2 * sizeof path));
	wt_out_put_hex(&out, path, sizeof path);
	wt_out_flush(&out);
	assert_int_equal(out.error, -ENOSPC);
	assert_int_equal(disk.size, 102 + 2 * sizeof path);
	close_disk();
}

static bool next_file(struct wt_out *full)
{
	wt_out_next(full, 4);
	disk.size = 0;
	return true;
}

/* However much room the file before has left. */
static void a_window_line_says_where_it_begins_in_the_file_that_it_is_in(void **state)
{
	(void)state;
	enum { LIMIT = 65536 };
	static struct wt_encoder encoder;
	const struct wt_window window = {.number = 1};
	wt_encoder_init(&encoder, "1-2");
	for (size_t left = WT_FOOTER_RESERVE; left < WT_FOOTER_RESERVE + 5000; left += 100) {
		open_disk(4 * WT_MIB, LIMIT);
		out.full = next_file;
		while (LIMIT - out.bytes > left + 1000) assert_true(line('a', 1000));
		if (LIMIT - out.bytes > left) assert_true(line('b', LIMIT - out.bytes - left));
		assert_true(wt_line_window(&out, &encoder, &window));
		assert_true(wt_out_flush(&out));
		disk.bytes[disk.size] = 0;
		const char *begin = strstr(disk.bytes, "{\"keyword\""), *says = strstr(disk.bytes, "summary\":");
		assert_non_null(says);
		assert_int_equal(strtoull(says + strlen("summary\":"), NULL, 10), begin - disk.bytes);
		close_disk();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_arrive_through_short_and_interrupted_writes),
		cmocka_unit_test(the_last_line_under_the_limit_goes_in_and_the_next_does_not),
		cmocka_unit_test(a_full_disk_leaves_whole_lines_only_and_tells_how_many_are_missing),
		cmocka_unit_test(a_line_longer_than_the_buffer_is_written_in_pieces_and_cut_off_whole),
		cmocka_unit_test(a_window_line_says_where_it_begins_in_the_file_that_it_is_in),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
