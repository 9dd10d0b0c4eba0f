/* SPDX-License-Identifier: MIT */
#include "base/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void read_line(const char *path, char *text, size_t bytes)
{
	FILE *file = fopen(path, "re");
	text[0] = 0;
	if (!file) return;
	if (!fgets(text, (int)bytes, file)) text[0] = 0;
	text[strcspn(text, "\n")] = 0;
	fclose(file);
}

/* /proc/PID/stat from the end of field 2 on; the name in it may hold anything. NULL if there is no such process. */
static const char *read_stat(uint64_t pid, char line[1024])
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)pid);
	read_line(path, line, 1024);
	const char *at = strrchr(line, ')');
	return at && strlen(at) > 2 ? at : NULL;
}

/* Field 22. One that is dead and not yet waited for (field 3) isn't there any more. */
uint64_t wt_process_start(uint64_t pid)
{
	char line[1024];
	const char *at = read_stat(pid, line);
	if (at && (at[2] == 'Z' || at[2] == 'X')) return 0;
	for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

bool wt_process_is_stopped(uint64_t pid)
{
	char line[1024];
	const char *at = read_stat(pid, line);
	return at && (at[2] == 'T' || at[2] == 't');
}

void wt_boot_id(char *text, size_t bytes) { read_line("/proc/sys/kernel/random/boot_id", text, bytes); }

uint64_t wt_pid_namespace(void)
{
	struct stat st;
	return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}
