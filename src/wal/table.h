/* SPDX-License-Identifier: MIT */
/* Live transactions: commit id to the files it lies in. Open addressing, linear probing. Under the checkpoint lock. */
#ifndef CL_TABLE_H
#define CL_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "commitlog.h"

struct cl_live {
	struct commitlog_cid cid;
	uint32_t oldest;         /* file of its first unconfirmed record: that file waits for it; 0: the slot is free */
	uint32_t newest : 31;    /* file with which it is registered */
	uint32_t confirming : 1; /* confirmed during replay, which finish will apply */
};

struct cl_table {
	struct cl_live *slots;
	size_t capacity; /* power of two, or 0 */
	size_t count;
};

/* Makes sure that one more fits. 0 or -ENOMEM. */
int cl_table_reserve(struct cl_table *table);

/* NULL if it isn't there. Valid until the next put or remove. */
struct cl_live *cl_table_find(const struct cl_table *table, struct commitlog_cid cid);

/* Finds it, or takes the free slot for it (oldest is 0 then and must be set). After a successful reserve. */
struct cl_live *cl_table_put(struct cl_table *table, struct commitlog_cid cid);

void cl_table_remove(struct cl_table *table, struct cl_live *live);
void cl_table_free(struct cl_table *table);

#endif
