/* SPDX-License-Identifier: MIT */
/* waltrace wal ls and verify: the files of a log, and whether they are good. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/compiler.h"
#include "cli/cmd_wal.h"
#include "cli/demo_text.h"
#include "cli/json.h"

enum { QUIET_SECONDS = 1 };

struct files {
	struct commitlog_file *list;
	size_t count, capacity;
	time_t start, told; /* when reading began, when its progress was last shown */
	size_t torn, damaged;
	uint64_t blocks, records, bytes;
};

/* On a terminal, if it takes its time. */
static void show_progress(struct files *files)
{
	struct timespec now;
	char text[64];
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!files->start) files->start = files->told = now.tv_sec;
	if (now.tv_sec - files->told <= QUIET_SECONDS) return;
	files->told = now.tv_sec;
	snprintf(text, sizeof text, "checked %zu files, %" PRIu64 " MiB ...", files->count, files->bytes >> 20);
	wt_progress(text);
}

static int add_file(void *context, const struct commitlog_file *file)
{
	struct files *files = context;
	if (files->count == files->capacity) {
		size_t capacity = files->capacity ? files->capacity * 2 : 16;
		struct commitlog_file *list = realloc(files->list, capacity * sizeof *list);
		if (!list) return -ENOMEM;
		files->list = list;
		files->capacity = capacity;
	}
	files->list[files->count++] = *file;
	files->torn += file->tail == COMMITLOG_TAIL_TORN;
	files->damaged += file->tail == COMMITLOG_TAIL_DAMAGED;
	files->blocks += file->blocks;
	files->records += file->records;
	files->bytes += file->whole_bytes;
	show_progress(files);
	return 0;
}

static int status_of(const struct files *files)
{
	if (files->damaged) return WT_EXIT_DAMAGED;
	return files->torn ? WT_EXIT_INCOMPLETE : WT_EXIT_GOOD;
}

/* WT_EXIT_GOOD if they could be read, good or not. To be freed either way. */
static int read_files(const struct wt_wal_arguments *arguments, struct files *files)
{
	struct commitlog_error error = {0};
	enum commitlog_scan_files which = arguments->live_only ? COMMITLOG_SCAN_LIVE : COMMITLOG_SCAN_ALL;
	*files = (struct files){0};
	int result = commitlog_inspect(arguments->directory, which, add_file, files, &error);
	if (files->told > files->start) wt_progress(NULL);
	if (result) return wt_wal_complain(error.code ? error.message : "out of memory");
	return files->count ? WT_EXIT_GOOD : wt_wal_complain_empty(arguments->directory);
}

static const char *tail_word(enum commitlog_tail tail)
{
	static const char *const word[] = {"whole", "prefilled", "torn", "damaged"};
	return (unsigned)tail < WT_COUNT(word) ? word[tail] : "?";
}

static const char *verdict_word(const struct files *files)
{
	return files->damaged ? "damaged" : files->torn ? "torn" : "good";
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static void put_file(struct wt_json *json, const struct commitlog_file *file)
{
	wt_json_open(json, NULL, '{');
	wt_json_text(json, "name", file->name);
	wt_json_count(json, "index", file->index);
	wt_json_flag(json, "backup", file->backup);
	wt_json_count(json, "file_bytes", file->file_bytes);
	wt_json_count(json, "whole_bytes", file->whole_bytes);
	wt_json_count(json, "blocks", file->blocks);
	wt_json_count(json, "records", file->records);
	wt_json_count(json, "first_time_ms", file->first_time_ms);
	wt_json_count(json, "last_time_ms", file->last_time_ms);
	wt_json_text(json, "tail", tail_word(file->tail));
	wt_json_count(json, "tail_bytes", file->tail_bytes);
	wt_json_text(json, "reason", file->reason);
	wt_json_close(json, '}');
}

static void put_json(const struct wt_wal_arguments *arguments, const struct files *files)
{
	struct wt_json json = {.out = stdout};
	wt_json_open(&json, NULL, '{');
	wt_json_text(&json, "verdict", verdict_word(files));
	wt_json_text(&json, "directory", arguments->directory);
	wt_json_count(&json, "torn_files", files->torn);
	wt_json_count(&json, "damaged_files", files->damaged);
	wt_json_count(&json, "blocks", files->blocks);
	wt_json_count(&json, "records", files->records);
	wt_json_count(&json, "bytes", files->bytes);
	wt_json_open(&json, "files", '[');
	for (size_t i = 0; i < files->count; i++) put_file(&json, &files->list[i]);
	wt_json_close(&json, ']');
	wt_json_close(&json, '}');
}

/* ---- Text --------------------------------------------------------------------------------------------------- */

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

static void print_verdict(const struct wt_wal_arguments *arguments, const struct files *files)
{
	printf("%s: %s: %zu file%s, %" PRIu64 " block%s, %" PRIu64 " record%s, %" PRIu64 " bytes\n",
	       arguments->directory, verdict_word(files), files->count, plural(files->count), files->blocks,
	       plural(files->blocks), files->records, plural(files->records), files->bytes);
}

static void print_finding(const struct wt_wal_arguments *arguments, const struct commitlog_file *file)
{
	const char *mend;
	if (file->tail == COMMITLOG_TAIL_TORN) mend = "opening the log cuts it off and keeps a copy";
	else if (file->tail == COMMITLOG_TAIL_DAMAGED) mend = "salvage the rest with waltrace wal repair";
	else return;
	printf("%s/%s: %s at offset %" PRIu64 ", %" PRIu64 " bytes: %s: %s\n", arguments->directory, file->name,
	       tail_word(file->tail), file->whole_bytes, file->tail_bytes, file->reason, mend);
}

static void print_row(const struct commitlog_file *file)
{
	char first[WT_WAL_TIME_BYTES] = "-", last[WT_WAL_TIME_BYTES] = "-";
	if (file->blocks) {
		wt_wal_time(first, file->first_time_ms);
		wt_wal_time(last, file->last_time_ms);
	}
	printf("%-17s %9" PRIu64 " %10" PRIu64 " %12" PRIu64 "  %-24s  %-24s  %s%s\n", file->name, file->blocks,
	       file->records, file->whole_bytes, first, last, tail_word(file->tail), file->backup ? ", confirmed" : "");
}

int wt_wal_ls(const struct wt_wal_arguments *arguments)
{
	struct files files;
	int status = read_files(arguments, &files);
	if (status == WT_EXIT_GOOD) {
		status = status_of(&files);
		if (arguments->json) {
			put_json(arguments, &files);
		} else {
			print_verdict(arguments, &files);
			printf("%-17s %9s %10s %12s  %-24s  %-24s  %s\n", "file", "blocks", "records", "bytes",
			       "first block", "last block", "state");
			for (size_t i = 0; i < files.count; i++) print_row(&files.list[i]);
		}
	}
	free(files.list);
	return status;
}

int wt_wal_verify(const struct wt_wal_arguments *arguments)
{
	struct files files;
	int status = read_files(arguments, &files);
	if (status == WT_EXIT_GOOD) {
		status = status_of(&files);
		if (arguments->json) {
			put_json(arguments, &files);
		} else {
			print_verdict(arguments, &files);
			for (size_t i = 0; i < files.count; i++) print_finding(arguments, &files.list[i]);
		}
	}
	free(files.list);
	return status;
}
