/* SPDX-License-Identifier: MIT */
/* A second reader of the log's files, made from docs/disk-format.md and without any code of src/wal. Each file is read
 * from its end by the trailers, as the family's readers do, and from its begin by the entries; both must find the same
 * blocks with the same entries, and every byte must be in one of them or be a zero behind the last. */
#ifndef TESTS_FORMAT_CHECK_H
#define TESTS_FORMAT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct format_entry {
	uint64_t file_index, time_ms; /* of its block */
	size_t offset, block_offset;
	uint8_t method;
	const uint8_t *key, *value; /* into the file's bytes; value NULL if there is none */
	size_t key_bytes, value_bytes;
};

struct format_file {
	char name[32];
	uint64_t index;
	uint8_t *bytes;
	size_t size, whole_bytes; /* what lies between the two is zeros */
	size_t blocks, entries;
};

/* Begin with all zeros. Files and entries in the order in which they were read. */
struct format_log {
	struct format_file *files;
	size_t file_count;
	struct format_entry *entries;
	size_t entry_count;
	char reason[160]; /* of the last refusal */
};

/* False, and a reason with file and offset, if it isn't a file of the format; then nothing of it is in the log. */
bool format_read_bytes(struct format_log *log, const char *name, const void *bytes, size_t n);
bool format_read_file(struct format_log *log, const char *directory, const char *name);

/* All files with nine digits, with .bak or without, oldest first; ends at the first that is refused. */
bool format_read_directory(struct format_log *log, const char *directory);

void format_free(struct format_log *log);

#endif
