/* SPDX-License-Identifier: MIT */
/* The simulated disk itself: what it must keep at a crash, and what it may lose. */
#include "cm.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "disk_os.h"

enum { SEEDS = 200 };

static struct disk_os disk;

static int make(const char *path)
{
	int fd = disk.os.open(&disk.os, path, O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	return fd;
}

static void sync_root(void)
{
	int fd = disk.os.open(&disk.os, "/", O_RDONLY | O_DIRECTORY, 0);
	assert_int_equal(disk.os.fsync(&disk.os, fd), 0);
	disk.os.close(&disk.os, fd);
}

static ssize_t read_file(const char *path, char *to, size_t room)
{
	int fd = disk.os.open(&disk.os, path, O_RDONLY, 0);
	if (fd < 0) return fd;
	ssize_t n = disk.os.pread(&disk.os, fd, to, room, 0);
	disk.os.close(&disk.os, fd);
	return n;
}

static void what_a_sync_covered_is_there_and_a_write_behind_it_may_be_anything(void **state)
{
	int whole = 0, gone = 0, other = 0;
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		char bytes[32] = "";
		disk_os_init(&disk, seed);
		int fd = make("/a");
		assert_int_equal(disk.os.pwrite(&disk.os, fd, "synced", 6, 0), 6);
		assert_int_equal(disk.os.fdatasync(&disk.os, fd), 0);
		sync_root();
		assert_int_equal(disk.os.pwrite(&disk.os, fd, "pending", 7, 6), 7);
		disk_os_crash(&disk);
		ssize_t n = read_file("/a", bytes, sizeof bytes);
		assert_true(n >= 6 && n <= 13);
		assert_memory_equal(bytes, "synced", 6);
		if (n == 6) gone++;
		else if (n == 13 && !memcmp(bytes + 6, "pending", 7)) whole++;
		else other++;
		disk_os_free(&disk);
	}
	assert_true(whole && gone && other);
}

static void a_name_is_there_once_its_directory_was_synced_and_a_rename_is_never_half_done(void **state)
{
	int renamed = 0, nameless = 0;
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		char bytes[8];
		disk_os_init(&disk, seed);
		disk.os.close(&disk.os, make("/a"));
		sync_root();
		disk.os.close(&disk.os, make("/new"));
		assert_int_equal(disk.os.rename(&disk.os, "/a", "/b"), 0);
		disk_os_crash(&disk);
		bool a = read_file("/a", bytes, 8) >= 0, b = read_file("/b", bytes, 8) >= 0;
		assert_true(a != b);
		renamed += b;
		nameless += read_file("/new", bytes, 8) == -ENOENT;
		disk_os_free(&disk);
	}
	assert_true(renamed && renamed < SEEDS && nameless && nameless < SEEDS);
}

static void when_the_power_is_gone_nothing_happens_any_more(void **state)
{
	(void)state;
	disk_os_init(&disk, 1);
	int fd = make("/a");
	disk_os_arm(&disk, 2);
	assert_int_equal(disk.os.pwrite(&disk.os, fd, "x", 1, 0), 1);
	assert_int_equal(disk.os.fsync(&disk.os, fd), -EIO);
	assert_int_equal(disk.os.pwrite(&disk.os, fd, "x", 1, 1), -EIO);
	assert_int_equal(disk.os.open(&disk.os, "/a", O_RDONLY, 0), -EIO);
	disk_os_crash(&disk);
	assert_true(disk.os.open(&disk.os, "/", O_RDONLY | O_DIRECTORY, 0) >= 0);
	disk_os_free(&disk);
}

static void a_seed_repeats_what_a_crash_leaves(void **state)
{
	char first[64] = "", again[64] = "";
	ssize_t n = 0;
	(void)state;
	for (int run = 0; run < 2; run++) {
		disk_os_init(&disk, 42);
		int fd = make("/a");
		sync_root();
		for (uint64_t i = 0; i < 8; i++) disk.os.pwrite(&disk.os, fd, "12345678", 8, 8 * i);
		disk_os_crash(&disk);
		ssize_t now = read_file("/a", run ? again : first, 64);
		if (run) assert_int_equal(now, n);
		n = now;
		disk_os_free(&disk);
	}
	assert_memory_equal(first, again, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_sync_covered_is_there_and_a_write_behind_it_may_be_anything),
		cmocka_unit_test(a_name_is_there_once_its_directory_was_synced_and_a_rename_is_never_half_done),
		cmocka_unit_test(when_the_power_is_gone_nothing_happens_any_more),
		cmocka_unit_test(a_seed_repeats_what_a_crash_leaves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
