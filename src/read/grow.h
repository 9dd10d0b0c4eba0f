/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#ifndef WT_READ_GROW_H
#define WT_READ_GROW_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/compiler.h"

/* Makes room for at least one more: half as many again, so that the array never holds much more than it needs. */
static inline WT_MUST_CHECK int wt_grow(void **array, size_t *room, size_t item_bytes)
{
	size_t more = *room < 64 ? 64 : *room + *room / 2;
	if (more > SIZE_MAX / item_bytes) return -ENOMEM;
	void *grown = realloc(*array, more * item_bytes);
	if (!grown) return -ENOMEM;
	*array = grown;
	*room = more;
	return 0;
}

#endif
