/* SPDX-License-Identifier: MIT */
#include "wal/wake.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(_Atomic uint32_t) == 4, "the kernel's word is 32 bits wide");

static void call(_Atomic uint32_t *word, int operation, uint32_t value, uint32_t bits)
{
	int saved = errno;
	syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, bits);
	errno = saved;
}

void cl_wait(_Atomic uint32_t *word, uint32_t seen, uint32_t bits) { call(word, FUTEX_WAIT_BITSET, seen, bits); }

void cl_wake(_Atomic uint32_t *word, int count, uint32_t bits) { call(word, FUTEX_WAKE_BITSET, (uint32_t)count, bits); }
