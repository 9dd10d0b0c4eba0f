/* SPDX-License-Identifier: MIT */
/* Which process is meant: a pid alone may be another's by now. */
#ifndef WT_BASE_PROCESS_H
#define WT_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start time of a process in clock ticks since boot, 0 if it isn't there; the boot's id; the own pid namespace. With the
 * pid they name a process for good. */
uint64_t wt_process_start(uint64_t pid);
void wt_boot_id(char *text, size_t bytes);
uint64_t wt_pid_namespace(void);

/* Stopped by a signal or a debugger. */
bool wt_process_is_stopped(uint64_t pid);

#endif
