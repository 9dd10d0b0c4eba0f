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

/* Field 22 of /proc/PID/stat. One that is dead and not yet waited for (field 3) isn't there any more. */
uint64_t wt_process_start(uint64_t pid)
{
	char path[64], line[1024];
	snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)pid);
	read_line(path, line, sizeof line);
	const char *at = strrchr(line, ')');
	if (at && strlen(at) > 2 && (at[2] == 'Z' || at[2] == 'X')) return 0;
	for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

void wt_boot_id(char *text, size_t bytes) { read_line("/proc/sys/kernel/random/boot_id", text, bytes); }

uint64_t wt_pid_namespace(void)
{
	struct stat st;
	return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}
