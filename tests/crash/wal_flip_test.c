/* SPDX-License-Identifier: MIT */
/* One byte of a closed log of three files is flipped. In the last block of the last file that is a torn tail: it is cut,
 * kept aside and reported. Anywhere else acknowledged commits lie behind it: open refuses with file and offset, and
 * changes nothing.
 *
 *   wal-flip-test FLIPS [SEED] */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commitlog.h"

#include "../lib/scratch.h"

enum { FILES = 3, COMMITS_A_FILE = 25, PAYLOAD = 300 };

static uint64_t seed = 88172645463325252ull;
static int problems;

static uint64_t random_below(uint64_t n)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed % n;
}

static struct image {
	char name[32];
	uint8_t *bytes;
	size_t n;
	uint64_t last_block; /* offset of the last block */
	uint64_t commits_before_it;
} image[FILES];
static uint64_t commits;

static void complain(const char *what, const struct image *file, uint64_t at)
{
	if (problems++ < 10) fprintf(stderr, "%s: byte %llu of %s flipped\n", what, (unsigned long long)at, file->name);
}

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(2);
}

static int note(void *context, const struct commitlog_entry *entry)
{
	struct image *file = &image[entry->file_index - 1];
	(void)context;
	if (entry->block_offset != file->last_block || !commits) file->commits_before_it = commits;
	file->last_block = entry->block_offset;
	commits++;
	return 0;
}

static void make_log(const char *directory)
{
	struct commitlog *log;
	struct commitlog_error error;
	if (commitlog_open(directory, NULL, &error, &log)) fail(error.message);
	for (uint64_t i = 0; i < FILES * COMMITS_A_FILE; i++) {
		uint8_t payload[PAYLOAD];
		uint64_t handle;
		memset(payload, (int)i, sizeof payload);
		size_t n = 1 + i * 37 % PAYLOAD;
		if (commitlog_append(log, (struct commitlog_cid){1, i}, payload, n, &handle) ||
		    (i % 3 == 2 && commitlog_flush(log, handle)))
			fail("append");
		if (i % COMMITS_A_FILE == COMMITS_A_FILE - 1 && i + 1 < FILES * COMMITS_A_FILE &&
		    commitlog_checkpoint(log, NULL))
			fail("checkpoint");
	}
	commitlog_close(log);
	if (commitlog_scan(directory, COMMITLOG_SCAN_ALL, note, NULL, NULL, &error)) fail(error.message);
	for (int i = 0; i < FILES; i++) {
		snprintf(image[i].name, sizeof image[i].name, "%09d", i + 1);
		image[i].bytes = scratch_read(directory, image[i].name, &image[i].n);
	}
}

static int count(void *context, const struct commitlog_entry *entry)
{
	(void)entry;
	++*(uint64_t *)context;
	return 0;
}

static uint64_t readable(const char *directory)
{
	uint64_t n = 0;
	commitlog_scan(directory, COMMITLOG_SCAN_ALL, count, &n, NULL, NULL);
	return n;
}

static void check_cut(const char *directory, const struct image *file, uint64_t at, int result, struct commitlog *log)
{
	char torn[64];
	struct commitlog_stats stats;
	if (result) {
		complain("a torn tail is refused", file, at);
		return;
	}
	commitlog_stats(log, &stats);
	if (!stats.torn_bytes || stats.torn_bytes > file->n - file->last_block)
		complain("the cut isn't reported", file, at);
	commitlog_close(log);
	snprintf(torn, sizeof torn, "%s.torn", file->name);
	if (!scratch_has(directory, torn)) complain("no copy is kept", file, at);
	if (readable(directory) != file->commits_before_it)
		complain("more or less than the last block is cut", file, at);
}

static void check_refused(const char *directory, const struct image *file, uint64_t at, int result,
                          struct commitlog *log, const char *message)
{
	if (!result) {
		commitlog_close(log);
		complain("damage is opened", file, at);
		return;
	}
	if (result != -EBADMSG || !strstr(message, file->name) ||
	    !strpbrk(strstr(message, file->name) + 9, "0123456789")) {
		fprintf(stderr, "%d: %s\n", result, message);
		complain("the refusal doesn't say where", file, at);
	}
	for (int i = 0; i < FILES; i++) {
		size_t n;
		uint8_t *now = scratch_read(directory, image[i].name, &n);
		if (n != image[i].n || (&image[i] != file && memcmp(now, image[i].bytes, n) != 0))
			complain("a refused log was changed", file, at);
		free(now);
	}
}

static void flip(const char *directory)
{
	struct image *file = &image[random_below(FILES)];
	uint64_t at = random_below(file->n);
	bool torn = file == &image[FILES - 1] && at >= file->last_block;
	struct commitlog *log = NULL;
	struct commitlog_error error = {0};
	uint8_t was = file->bytes[at];
	scratch_remove(directory);
	char command[SCRATCH_PATH_BYTES + 16];
	snprintf(command, sizeof command, "mkdir -p %s", directory);
	if (system(command)) fail("mkdir");
	file->bytes[at] = (uint8_t)(was ^ (1 + random_below(255)));
	for (int i = 0; i < FILES; i++) scratch_write(directory, image[i].name, image[i].bytes, image[i].n);
	int result = commitlog_open(directory, NULL, &error, &log);
	if (torn) check_cut(directory, file, at, result, log);
	else check_refused(directory, file, at, result, log, error.message);
	file->bytes[at] = was;
}

int main(int argc, char **argv)
{
	int flips = argc > 1 ? atoi(argv[1]) : 300;
	if (argc > 2) seed = strtoull(argv[2], NULL, 10) * 2 + 1;
	char directory[SCRATCH_PATH_BYTES];
	scratch_make(directory);
	make_log(directory);
	if (commits != FILES * COMMITS_A_FILE) fail("not all commits are there before anything was flipped");
	for (int i = 0; i < flips && !problems; i++) flip(directory);
	scratch_remove(directory);
	printf("%d flips, %d problems\n", flips, problems);
	return problems ? 1 : 0;
}
