/* SPDX-License-Identifier: MIT */
#ifndef CL_RECOVER_H
#define CL_RECOVER_H

#include "base/err.h"
#include "base/os.h"
#include "wal/names.h"

struct cl_recovered {
	uint64_t files, blocks, records; /* in files that aren't .bak */
	uint64_t torn_bytes;
	uint32_t last_index; /* newest file of any kind; 0: the log is new */
	bool last_empty;     /* it isn't a .bak nor compacted, and holds no block: it can be written */
};

/* Validates every file that isn't a .bak. If all are good, cuts off prefill and the last file's torn tail, of which it
 * keeps a copy; otherwise changes nothing. The directory is locked by the caller. Safe to be interrupted and repeated. */
int cl_recover(const struct wt_os *os, const char *directory, const struct cl_names *names, struct cl_recovered *found,
               struct wt_err *err);

#endif
