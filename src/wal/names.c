/* SPDX-License-Identifier: MIT */
#include "wal/names.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_DIGITS = 9, GENERATION_DIGITS_MAX = 9 };

static bool parse_digits(const char *at, size_t n, uint32_t *value)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		if (at[i] < '0' || at[i] > '9') return false;
		sum = sum * 10 + (uint32_t)(at[i] - '0');
	}
	*value = sum;
	return true;
}

bool cl_name_parse(const char *text, struct cl_name *name)
{
	size_t n = strlen(text), suffix = strlen(CL_BACKUP_SUFFIX);
	*name = (struct cl_name){0};
	if (n < INDEX_DIGITS || n >= CL_NAME_BYTES || !parse_digits(text, INDEX_DIGITS, &name->index)) return false;
	if (name->index < CL_FIRST_INDEX) return false;
	memcpy(name->text, text, n + 1);
	name->backup = n >= INDEX_DIGITS + suffix && !strcmp(text + n - suffix, CL_BACKUP_SUFFIX);
	if (name->backup) n -= suffix;
	name->compacted = n > INDEX_DIGITS;
	if (!name->compacted) return true;
	size_t digits = n - INDEX_DIGITS - 1;
	return text[INDEX_DIGITS] == '.' && digits > 0 && digits <= GENERATION_DIGITS_MAX &&
	       parse_digits(text + INDEX_DIGITS + 1, digits, &name->generation);
}

void cl_name_of(char text[CL_NAME_BYTES], uint32_t index, bool backup)
{
	assert(index >= CL_FIRST_INDEX && index <= CL_LAST_INDEX);
	snprintf(text, CL_NAME_BYTES, "%09u%s", index, backup ? CL_BACKUP_SUFFIX : "");
}

static void add_name(void *context, const char *text)
{
	struct cl_names *names = context;
	struct cl_name name;
	if (!cl_name_parse(text, &name)) return;
	if (names->count == names->capacity) {
		size_t capacity = names->capacity ? names->capacity * 2 : 64;
		struct cl_name *list = realloc(names->list, capacity * sizeof *list);
		if (!list) {
			names->no_memory = true;
			return;
		}
		names->list = list;
		names->capacity = capacity;
	}
	names->list[names->count++] = name;
	if (name.index > names->highest) names->highest = name.index;
}

static int compare_names(const void *a, const void *b)
{
	const struct cl_name *x = a, *y = b;
	if (x->index != y->index) return x->index < y->index ? -1 : 1;
	if (x->compacted != y->compacted) return (int)x->compacted - (int)y->compacted;
	if (x->generation != y->generation) return x->generation < y->generation ? -1 : 1;
	return (int)y->backup - (int)x->backup;
}

int cl_names_read(const struct wt_os *os, const char *directory, struct cl_names *names, struct wt_err *err)
{
	*names = (struct cl_names){0};
	int result = os->list(os, directory, add_name, names);
	if (!result && names->no_memory) result = -ENOMEM;
	if (result) {
		cl_names_free(names);
		return wt_err_set(err, result, "%s: can't list the directory: %s", directory, strerror(-result));
	}
	if (names->count) qsort(names->list, names->count, sizeof *names->list, compare_names);
	return 0;
}

void cl_names_free(struct cl_names *names)
{
	free(names->list);
	*names = (struct cl_names){0};
}

void cl_path(char path[CL_PATH_BYTES], const char *directory, const char *name)
{
	int n = snprintf(path, CL_PATH_BYTES, "%s/%s", directory, name);
	assert(n > 0 && n < CL_PATH_BYTES);
	(void)n;
}

int cl_sync_directory(const struct wt_os *os, const char *directory)
{
	int fd = os->open(os, directory, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0) return fd;
	int result = os->fsync(os, fd);
	os->close(os, fd);
	return result;
}

int cl_sync_parent(const struct wt_os *os, const char *directory)
{
	char parent[COMMITLOG_MAX_DIRECTORY + 1];
	strcpy(parent, directory);
	size_t n = strlen(parent);
	while (n > 1 && parent[n - 1] == '/') parent[--n] = 0;
	char *slash = strrchr(parent, '/');
	if (!slash) return cl_sync_directory(os, ".");
	slash[slash == parent] = 0;
	return cl_sync_directory(os, parent);
}
