/* SPDX-License-Identifier: MIT */
/* Tells what is in a directory's files, good or bad. Reads only, takes no lock. */
#include "wal/inspect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "wal/names.h"
#include "wal/scan.h"
#include "wal/walk.h"

_Static_assert(sizeof((struct commitlog_file *)0)->name == CL_NAME_BYTES, "every name fits");
_Static_assert((int)COMMITLOG_TAIL_DAMAGED == (int)CL_TAIL_DAMAGED, "the tails are numbered alike");

static int note_times(void *context, struct cl_view *view, const struct cl_found *block)
{
	struct commitlog_file *file = context;
	(void)view;
	if (!block->offset) file->first_time_ms = block->time_ms;
	file->last_time_ms = block->time_ms;
	return 0;
}

static void tell_tail(struct commitlog_file *file, const struct cl_walk *walk, bool last)
{
	bool torn_before_others = walk->tail == CL_TAIL_TORN && !last;
	file->whole_bytes = walk->true_bytes;
	file->blocks = walk->blocks;
	file->records = walk->records;
	file->tail = torn_before_others ? COMMITLOG_TAIL_DAMAGED : (enum commitlog_tail)walk->tail;
	file->tail_bytes = walk->torn_bytes;
	snprintf(file->reason, sizeof file->reason, "%s%s", walk->reason,
	         torn_before_others ? ", and this isn't the last file" : "");
}

static int inspect_file(const struct wt_os *os, const char *directory, const struct cl_name *name, bool last,
                        struct commitlog_file *file)
{
	char path[CL_PATH_BYTES];
	struct cl_view view;
	struct cl_walk walk;
	*file = (struct commitlog_file){.index = name->index, .backup = name->backup};
	strcpy(file->name, name->text);
	cl_path(path, directory, name->text);
	int fd = os->open(os, path, CL_OPEN_TO_READ, 0);
	if (fd < 0) return fd;
	int result = cl_view_open(&view, os, fd);
	if (!result) {
		file->file_bytes = view.size;
		result = cl_walk_file(&view, &walk, note_times, file);
		cl_view_close(&view);
	}
	os->close(os, fd);
	if (!result) tell_tail(file, &walk, last);
	return result;
}

int cl_inspect(const struct wt_os *os, const char *directory, enum commitlog_scan_files files,
               commitlog_visit_file *visit, void *context, struct wt_err *err)
{
	struct cl_names names;
	int result = cl_list_files(os, directory, files, &names, err);
	for (size_t i = 0; !result && i < names.count; i++) {
		const struct cl_name *name = &names.list[i];
		struct commitlog_file file;
		result = inspect_file(os, directory, name, name == cl_last_live(&names), &file);
		if (result) {
			wt_err_set(err, result, "%s/%s: can't read it: %s", directory, name->text, strerror(-result));
			break;
		}
		result = visit(context, &file);
	}
	cl_names_free(&names);
	return result;
}
