/* SPDX-License-Identifier: MIT */
/* Files that recovery doesn't need any more are renamed to .bak. A rename that a crash undoes only means that the file
 * is replayed again; no younger file is renamed before an older one. */
#include "wal/retire.h"

#include <stdio.h>
#include <string.h>

#include "wal/names.h"

static int backup(struct commitlog *log, struct waltrace_op *op, uint64_t parent_id, const struct cl_waiting *file,
                  enum waltrace_word trigger)
{
	char name[CL_NAME_BYTES + sizeof CL_BACKUP_SUFFIX], from[CL_PATH_BYTES], to[CL_PATH_BYTES];
	struct waltrace_span row;
	snprintf(name, sizeof name, "%s%s", file->name, CL_BACKUP_SUFFIX);
	cl_path(from, log->directory, file->name);
	cl_path(to, log->directory, name);
	waltrace_span_open(&row, op, WALTRACE_KIND_BACKUP_RENAME, parent_id, trigger);
	waltrace_span_path(&row, 0, from, strlen(from));
	waltrace_span_path(&row, 1, to, strlen(to));
	waltrace_span_set(&row, WALTRACE_OLD_FILE_INDEX, file->index);
	waltrace_span_begin(&row);
	int result = log->os->rename(log->os, from, to);
	waltrace_span_result(&row, result);
	waltrace_span_end(&row);
	return result;
}

int cl_retire(struct commitlog *log, struct waltrace_op *op, uint64_t parent_id, enum waltrace_word trigger)
{
	int result = 0, renamed = 0;
	while (renamed < CL_BACKUPS_AT_ONCE && cl_checkpoints_drained(&log->checkpoints)) {
		result = backup(log, op, parent_id, &log->checkpoints.files[0], trigger);
		if (result) break;
		cl_checkpoints_drop_oldest(&log->checkpoints);
		cl_add(&log->backups, 1);
		renamed++;
	}
	if (!renamed) return result;
	cl_add(&log->syncs.other, 1);
	int synced = cl_sync_directory(log->os, log->directory);
	return result ? result : synced;
}
