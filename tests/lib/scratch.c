/* SPDX-License-Identifier: MIT */
#include "scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(bool ok, const char *path)
{
	if (ok) return;
	perror(path);
	abort();
}

void scratch_make(char path[SCRATCH_PATH_BYTES])
{
	const char *base = getenv("TMPDIR");
	snprintf(path, SCRATCH_PATH_BYTES, "%s/waltrace-test.XXXXXX", base && *base ? base : "/tmp");
	must(mkdtemp(path) != NULL, path);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)type, (void)where;
	return remove(path);
}

void scratch_remove(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

void scratch_join(char path[SCRATCH_PATH_BYTES], const char *directory, const char *name)
{
	int n = snprintf(path, SCRATCH_PATH_BYTES, "%s/%s", directory, name);
	must(n > 0 && n < SCRATCH_PATH_BYTES, directory);
}

bool scratch_has(const char *directory, const char *name)
{
	char path[SCRATCH_PATH_BYTES];
	scratch_join(path, directory, name);
	return !access(path, F_OK);
}

uint8_t *scratch_read(const char *directory, const char *name, size_t *n)
{
	char path[SCRATCH_PATH_BYTES];
	struct stat st;
	scratch_join(path, directory, name);
	FILE *file = fopen(path, "rb");
	must(file != NULL, path);
	must(!fstat(fileno(file), &st), path);
	*n = (size_t)st.st_size;
	uint8_t *bytes = malloc(*n + 1);
	must(bytes && fread(bytes, 1, *n, file) == *n, path);
	fclose(file);
	return bytes;
}

static void put(const char *directory, const char *name, const char *mode, const void *bytes, size_t n)
{
	char path[SCRATCH_PATH_BYTES];
	scratch_join(path, directory, name);
	FILE *file = fopen(path, mode);
	must(file && fwrite(bytes, 1, n, file) == n && !fclose(file), path);
}

void scratch_write(const char *directory, const char *name, const void *bytes, size_t n)
{
	put(directory, name, "wb", bytes, n);
}

void scratch_append(const char *directory, const char *name, const void *bytes, size_t n)
{
	put(directory, name, "ab", bytes, n);
}
