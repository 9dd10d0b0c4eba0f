/* SPDX-License-Identifier: MIT */
#include "format_check.h"

#include <dirent.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"

enum { TRAILER = 16, SHORTEST_ENTRY = 3, INDEX_DIGITS = 9 };

/* What one way of reading found. */
struct reading {
	struct format_entry *entries;
	size_t entry_count, blocks, whole_bytes;
};

static void *grown(void *list, size_t count, size_t each)
{
	bool full = !(count & (count - 1)); /* 0 or a power of two */
	if (!full) return list;
	list = realloc(list, (count ? 2 * count : 1) * each);
	if (!list) abort();
	return list;
}

static bool refuse(struct format_log *log, const struct format_file *file, const char *what, size_t at)
{
	snprintf(log->reason, sizeof log->reason, "%s: %s at offset %zu", file->name, what, at);
	return false;
}

static uint64_t little(const uint8_t *at, unsigned n)
{
	uint64_t value = 0;
	while (n--) value = value << 8 | at[n];
	return value;
}

static size_t zeros_from(const struct format_file *file, size_t at)
{
	size_t end = at;
	while (end < file->size && !file->bytes[end]) end++;
	return end - at;
}

/* Do the 16 bytes at `at` end a block of `n` bytes of entries? */
static bool is_trailer(const struct format_file *file, size_t at, uint64_t n)
{
	const uint8_t *trailer = file->bytes + at;
	if (file->size - at < TRAILER || n < SHORTEST_ENTRY || n > at || little(trailer + 12, 4) != n) return false;
	return libdeflate_crc32(0, trailer - n, n + 8) == little(trailer + 8, 4);
}

/* The entry at `at`, which must end by `limit`; returns where it ends, 0 if it doesn't. */
static size_t parse_entry(const struct format_file *file, size_t at, size_t limit, struct format_entry *entry)
{
	const uint8_t *bytes = file->bytes;
	*entry = (struct format_entry){.file_index = file->index, .offset = at};
	if (limit - at < SHORTEST_ENTRY) return 0;
	entry->method = bytes[at];
	entry->key_bytes = (size_t)little(bytes + at + 1, 2);
	entry->key = bytes + at + 3;
	at += 3;
	if (entry->method > 1 || limit - at < entry->key_bytes) return 0;
	at += entry->key_bytes;
	if (!entry->method) return at;
	if (limit - at < 4) return 0;
	entry->value_bytes = (size_t)little(bytes + at, 4);
	at += 4;
	entry->value = bytes + at;
	return limit - at < entry->value_bytes ? 0 : at + entry->value_bytes;
}

static void add_entry(struct reading *reading, const struct format_entry *entry)
{
	reading->entries = grown(reading->entries, reading->entry_count, sizeof *entry);
	reading->entries[reading->entry_count++] = *entry;
}

static void end_block(struct reading *reading, const struct format_file *file, size_t first, size_t start, size_t end)
{
	for (size_t i = first; i < reading->entry_count; i++) {
		reading->entries[i].block_offset = start;
		reading->entries[i].time_ms = little(file->bytes + end, 8);
	}
	reading->blocks++;
}

/* ---- From the begin, by entries ----------------------------------------------------------------------------- */

static bool read_forward(struct format_log *log, const struct format_file *file, struct reading *reading)
{
	size_t at = 0;
	while (zeros_from(file, at) < file->size - at) {
		size_t start = at, first = reading->entry_count;
		do {
			struct format_entry entry;
			at = parse_entry(file, at, file->size, &entry);
			if (!at) return refuse(log, file, "read forward: no entry", entry.offset);
			add_entry(reading, &entry);
		} while (!is_trailer(file, at, at - start));
		end_block(reading, file, first, start, at);
		at += TRAILER;
	}
	reading->whole_bytes = at;
	return true;
}

/* ---- From the end, by trailers ------------------------------------------------------------------------------ */

static bool block_ends_at(const struct format_file *file, size_t end)
{
	return end >= TRAILER && end <= file->size && is_trailer(file, end - TRAILER, little(file->bytes + end - 4, 4));
}

/* Behind the last byte that isn't zero the trailer's length may still have up to three zero bytes. */
static size_t last_block_end(const struct format_file *file)
{
	size_t end = file->size;
	while (end && !file->bytes[end - 1]) end--;
	for (size_t zeros = 0; end && zeros < 4; zeros++)
		if (block_ends_at(file, end + zeros)) return end + zeros;
	return end;
}

static bool read_block(struct format_log *log, const struct format_file *file, size_t start, size_t end,
                       struct reading *reading)
{
	size_t first = reading->entry_count;
	for (size_t at = start; at < end;) {
		struct format_entry entry;
		at = parse_entry(file, at, end, &entry);
		if (!at) return refuse(log, file, "read backward: no entry", entry.offset);
		add_entry(reading, &entry);
	}
	end_block(reading, file, first, start, end);
	return true;
}

static bool read_backward(struct format_log *log, const struct format_file *file, struct reading *reading)
{
	size_t *starts = NULL, count = 0, end = last_block_end(file);
	bool good = true;
	reading->whole_bytes = end;
	while (good && end) {
		good = block_ends_at(file, end);
		if (!good) refuse(log, file, "read backward: no block's end", end);
		else {
			starts = grown(starts, count, sizeof *starts);
			end -= TRAILER + (size_t)little(file->bytes + end - 4, 4);
			starts[count++] = end;
		}
	}
	while (good && count--) {
		size_t next = count ? starts[count - 1] : reading->whole_bytes;
		good = read_block(log, file, starts[count], next - TRAILER, reading);
	}
	free(starts);
	return good;
}

/* ---- Both --------------------------------------------------------------------------------------------------- */

static bool same_entry(const struct format_entry *a, const struct format_entry *b)
{
	return a->offset == b->offset && a->block_offset == b->block_offset && a->time_ms == b->time_ms &&
	       a->method == b->method && a->key == b->key && a->key_bytes == b->key_bytes && a->value == b->value &&
	       a->value_bytes == b->value_bytes;
}

static bool agree(struct format_log *log, const struct format_file *file, const struct reading *a,
                  const struct reading *b)
{
	if (a->blocks != b->blocks || a->entry_count != b->entry_count || a->whole_bytes != b->whole_bytes)
		return refuse(log, file, "forward and backward end differently", b->whole_bytes);
	for (size_t i = 0; i < a->entry_count; i++)
		if (!same_entry(&a->entries[i], &b->entries[i]))
			return refuse(log, file, "forward and backward differ", a->entries[i].offset);
	return true;
}

static void take(struct format_log *log, struct format_file *file, const struct reading *reading)
{
	file->blocks = reading->blocks;
	file->entries = reading->entry_count;
	file->whole_bytes = reading->whole_bytes;
	log->files = grown(log->files, log->file_count, sizeof *file);
	log->files[log->file_count++] = *file;
	for (size_t i = 0; i < reading->entry_count; i++) {
		log->entries = grown(log->entries, log->entry_count, sizeof *log->entries);
		log->entries[log->entry_count++] = reading->entries[i];
	}
}

/* Takes the bytes over. */
static bool read_owned(struct format_log *log, const char *name, uint8_t *bytes, size_t n)
{
	struct format_file file = {.index = strtoull(name, NULL, 10), .bytes = bytes, .size = n};
	struct reading forward = {NULL, 0, 0, 0}, backward = {NULL, 0, 0, 0};
	snprintf(file.name, sizeof file.name, "%s", name);
	bool good = read_forward(log, &file, &forward) && read_backward(log, &file, &backward) &&
	            agree(log, &file, &forward, &backward);
	if (good) take(log, &file, &forward);
	else free(bytes);
	free(forward.entries);
	free(backward.entries);
	return good;
}

bool format_read_bytes(struct format_log *log, const char *name, const void *bytes, size_t n)
{
	uint8_t *copy = malloc(n + 1);
	if (!copy) abort();
	memcpy(copy, bytes, n);
	return read_owned(log, name, copy, n);
}

bool format_read_file(struct format_log *log, const char *directory, const char *name)
{
	size_t n;
	uint8_t *bytes = scratch_read(directory, name, &n);
	return read_owned(log, name, bytes, n);
}

static int is_log_file(const struct dirent *entry)
{
	const char *name = entry->d_name;
	return strspn(name, "0123456789") == INDEX_DIGITS &&
	       (!name[INDEX_DIGITS] || !strcmp(name + INDEX_DIGITS, ".bak"));
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

bool format_read_directory(struct format_log *log, const char *directory)
{
	struct dirent **names;
	bool good = true;
	int count = scandir(directory, &names, is_log_file, by_name);
	if (count < 0) abort();
	for (int i = 0; i < count; i++) {
		good = good && format_read_file(log, directory, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return good;
}

void format_free(struct format_log *log)
{
	for (size_t i = 0; i < log->file_count; i++) free(log->files[i].bytes);
	free(log->files);
	free(log->entries);
	*log = (struct format_log){.files = NULL};
}
