/* SPDX-License-Identifier: MIT */
/* Gives a directory's entries to a callback, oldest file first. Reads only, takes no lock. */
#include "wal/scan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "wal/names.h"
#include "wal/walk.h"

struct scan {
	const char *directory;
	uint64_t file_index;
	commitlog_visit *visit;
	void *context;
	uint64_t bad_entry; /* offset of an entry that is too large */
	int visited;        /* what `visit` ended the scan with */
};

static int give_entry(struct scan *scan, struct cl_view *view, const struct cl_found *block, uint64_t at,
                      const struct cl_place *place)
{
	size_t n = (size_t)(place->end - at);
	scan->bad_entry = at;
	if (place->end - at > CL_READ_ENTRY_MAX) return -EFBIG;
	const uint8_t *bytes = cl_view_get(view, at, n);
	if (!bytes) return view->error;
	struct commitlog_entry entry = {
		.file_index = scan->file_index,
		.offset = at,
		.block_offset = block->offset,
		.block_time_ms = block->time_ms,
		.method = place->method == COMMITLOG_METHOD_APPEND ? COMMITLOG_METHOD_APPEND : COMMITLOG_METHOD_REMOVE,
		.key = bytes + (place->key_at - at),
		.key_bytes = place->key_bytes,
		.value = bytes + (place->value_at - at),
		.value_bytes = place->value_bytes,
	};
	if (place->key_bytes == CL_CID_BYTES) entry.cid = cl_get_cid(entry.key);
	scan->visited = scan->visit(scan->context, &entry);
	return scan->visited ? -ECANCELED : 0;
}

static int give_block(void *context, struct cl_view *view, const struct cl_found *block)
{
	struct scan *scan = context;
	if (!scan->visit) return 0;
	char reason[sizeof((struct cl_walk *)0)->reason];
	uint64_t end = block->offset + block->entry_bytes;
	for (uint64_t at = block->offset; at < end;) {
		struct cl_place place;
		int result = cl_walk_entry(view, at, &place, reason);
		if (result <= 0) return result ? result : -ESTALE; /* valid a moment ago */
		result = give_entry(scan, view, block, at, &place);
		if (result) return result;
		at = place.end;
	}
	return 0;
}

static int say(struct wt_err *err, int result, const struct scan *scan, const char *name)
{
	if (result == -EFBIG)
		return wt_err_set(err, result, "%s/%s: the entry at offset %" PRIu64 " is larger than %d MiB",
		                  scan->directory, name, scan->bad_entry, CL_READ_ENTRY_MAX >> 20);
	return wt_err_set(err, result, "%s/%s: can't read it: %s", scan->directory, name, strerror(-result));
}

int cl_scan_file(const struct wt_os *os, const char *directory, const struct cl_name *name, commitlog_visit *visit,
                 void *context, struct cl_walk *walk, int *visited, struct wt_err *err)
{
	char path[CL_PATH_BYTES];
	struct scan scan = {.directory = directory, .file_index = name->index, .visit = visit, .context = context};
	cl_path(path, directory, name->text);
	int fd = os->open(os, path, CL_OPEN_TO_READ, 0);
	if (fd < 0) return say(err, fd, &scan, name->text);
	struct cl_view view;
	int result = cl_view_open(&view, os, fd);
	if (!result) {
		result = cl_walk_file(&view, walk, give_block, &scan);
		cl_view_close(&view);
	}
	os->close(os, fd);
	*visited = scan.visited;
	if (scan.visited) return -ECANCELED;
	return result ? say(err, result, &scan, name->text) : 0;
}

static void add_up(struct commitlog_scan_summary *sum, const struct cl_walk *walk, const char *name, bool torn)
{
	sum->files++;
	sum->blocks += walk->blocks;
	sum->records += walk->records;
	sum->bytes += walk->true_bytes;
	if (!torn) return;
	sum->torn_bytes = walk->torn_bytes;
	snprintf(sum->torn_file, sizeof sum->torn_file, "%s", name);
}

int cl_scan(const struct wt_os *os, const char *directory, enum commitlog_scan_files files, commitlog_visit *visit,
            void *context, struct commitlog_scan_summary *sum, struct wt_err *err)
{
	struct cl_names names;
	int visited = 0;
	*sum = (struct commitlog_scan_summary){0};
	int result = cl_list_files(os, directory, files, &names, err);
	for (size_t i = 0; !result && i < names.count; i++) {
		const struct cl_name *name = &names.list[i];
		struct cl_walk walk;
		result = cl_scan_file(os, directory, name, visit, context, &walk, &visited, err);
		if (result) break;
		bool bad = walk.tail == CL_TAIL_DAMAGED || walk.tail == CL_TAIL_TORN;
		bool torn = walk.tail == CL_TAIL_TORN && name == cl_last_live(&names);
		if (bad && !torn) result = cl_say_damage(err, directory, name->text, &walk);
		else add_up(sum, &walk, name->text, torn);
	}
	cl_names_free(&names);
	return visited ? visited : result;
}

int cl_list_files(const struct wt_os *os, const char *directory, enum commitlog_scan_files files,
                  struct cl_names *names, struct wt_err *err)
{
	*names = (struct cl_names){0};
	if (strlen(directory) > COMMITLOG_MAX_DIRECTORY)
		return wt_err_set(err, -ENAMETOOLONG, "the directory's name is longer than %d bytes",
		                  COMMITLOG_MAX_DIRECTORY);
	int result = cl_names_read(os, directory, names, err);
	if (result || files == COMMITLOG_SCAN_ALL) return result;
	size_t kept = 0;
	for (size_t i = 0; i < names->count; i++)
		if (!names->list[i].backup) names->list[kept++] = names->list[i];
	names->count = kept;
	return 0;
}

const struct cl_name *cl_last_live(const struct cl_names *names)
{
	for (size_t i = names->count; i > 0; i--)
		if (!names->list[i - 1].backup) return &names->list[i - 1];
	return NULL;
}

int cl_say_damage(struct wt_err *err, const char *directory, const char *name, const struct cl_walk *walk)
{
	return wt_err_set(err, -EBADMSG, "%s/%s: the block at offset %" PRIu64 " isn't valid: %s%s", directory, name,
	                  walk->true_bytes, walk->reason,
	                  walk->tail == CL_TAIL_TORN ? ", and this isn't the last file" : "");
}
