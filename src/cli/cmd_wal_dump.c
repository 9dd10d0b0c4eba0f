/* SPDX-License-Identifier: MIT */
/* waltrace wal dump: the records of a log, a line each. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd_wal.h"

enum { PREVIEW_BYTES = 32, PAST_THE_FILE = 1 };

static void put_hex(const void *bytes, size_t n)
{
	static const char digit[] = "0123456789abcdef";
	const uint8_t *at = bytes;
	for (size_t i = 0; i < n; i++) {
		putchar(digit[at[i] >> 4]);
		putchar(digit[at[i] & 15]);
	}
}

static bool is_commit(const struct commitlog_entry *entry) { return entry->key_bytes == sizeof entry->cid; }

static const char *method_word(const struct commitlog_entry *entry)
{
	return entry->method == COMMITLOG_METHOD_APPEND ? "append" : "remove";
}

static void put_json(const struct commitlog_entry *entry, bool values)
{
	printf("{\"file\":%" PRIu64 ",\"offset\":%" PRIu64 ",\"block\":%" PRIu64 ",\"time_ms\":%" PRIu64
	       ",\"method\":\"%s\",",
	       entry->file_index, entry->offset, entry->block_offset, entry->block_time_ms, method_word(entry));
	if (is_commit(entry)) {
		printf("\"cid\":\"%016" PRIx64 "%016" PRIx64 "\"", entry->cid.high, entry->cid.low);
	} else {
		printf("\"key\":\"");
		put_hex(entry->key, entry->key_bytes);
		putchar('"');
	}
	printf(",\"value_bytes\":%zu", entry->value_bytes);
	if (values) {
		printf(",\"value\":\"");
		put_hex(entry->value, entry->value_bytes);
		putchar('"');
	}
	puts("}");
}

/* The value's begin, with a dot for what isn't printable ASCII. */
static void put_preview(const struct commitlog_entry *entry)
{
	const uint8_t *at = entry->value;
	size_t n = entry->value_bytes < PREVIEW_BYTES ? entry->value_bytes : PREVIEW_BYTES;
	for (size_t i = 0; i < n; i++) putchar(at[i] >= ' ' && at[i] <= '~' ? at[i] : '.');
	if (n < entry->value_bytes) fputs("...", stdout);
}

static void put_text(const struct commitlog_entry *entry, bool values)
{
	char time[WT_WAL_TIME_BYTES];
	wt_wal_time(time, entry->block_time_ms);
	printf("%09" PRIu64 " %10" PRIu64 "  block %-10" PRIu64 "  %s  %s  ", entry->file_index, entry->offset,
	       entry->block_offset, time, method_word(entry));
	if (is_commit(entry)) printf("%016" PRIx64 "%016" PRIx64, entry->cid.high, entry->cid.low);
	else put_hex(entry->key, entry->key_bytes);
	printf("  %zu bytes  ", entry->value_bytes);
	if (values) put_hex(entry->value, entry->value_bytes);
	else put_preview(entry);
	putchar('\n');
}

static int print_entry(void *context, const struct commitlog_entry *entry)
{
	const struct wt_wal_arguments *arguments = context;
	if (arguments->file && entry->file_index > arguments->file) return PAST_THE_FILE;
	if (arguments->file && entry->file_index < arguments->file) return 0;
	if (arguments->json) put_json(entry, arguments->values);
	else put_text(entry, arguments->values);
	return 0;
}

int wt_wal_dump(const struct wt_wal_arguments *arguments)
{
	struct commitlog_scan_summary summary;
	struct commitlog_error error;
	struct wt_wal_arguments copy = *arguments;
	enum commitlog_scan_files which = arguments->live_only ? COMMITLOG_SCAN_LIVE : COMMITLOG_SCAN_ALL;
	int result = commitlog_scan(arguments->directory, which, print_entry, &copy, &summary, &error);
	if (result == PAST_THE_FILE) return WT_EXIT_GOOD;
	if (result) return wt_wal_complain(error.message);
	if (!summary.files) return wt_wal_complain_empty(arguments->directory);
	if (!summary.torn_bytes) return WT_EXIT_GOOD;
	fprintf(stderr,
	        "waltrace: %s/%s: %" PRIu64
	        " bytes at its end are torn: opening the log cuts them off and keeps a copy\n",
	        arguments->directory, summary.torn_file, summary.torn_bytes);
	return WT_EXIT_INCOMPLETE;
}
