/* SPDX-License-Identifier: MIT */
/* The operating system with one fault in it: the n-th call that changes something fails. A test runs the same steps
 * with n = 1, 2, 3 … until the fault doesn't come any more. Any thread may call. */
#ifndef TESTS_FAULT_OS_H
#define TESTS_FAULT_OS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/os.h"

enum fault_kind {
	FAULT_ERROR,     /* the call fails with `code` */
	FAULT_SHORT,     /* a write takes half of its bytes; other calls aren't counted */
	FAULT_INTERRUPT, /* a write or fdatasync returns -EINTR; other calls aren't counted */
	FAULT_SYNC       /* an fsync or fdatasync fails with `code`; other calls aren't counted */
};

struct fault_os {
	struct wt_os os; /* hand out &fault.os */
	enum fault_kind kind;
	int code;               /* negative errno */
	_Atomic long countdown; /* 1: the next call; 0 or less: it fired */
	atomic_bool lasting;    /* every call after the fault fails, too */
	_Atomic long fired;
};

void fault_os_init(struct fault_os *fault, enum fault_kind kind, int code, long countdown);

#endif
