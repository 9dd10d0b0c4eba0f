/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* `limit` lies beside this program, or in bench/ below it. */
static int find_limit(char *path, size_t size)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n < 0) return -1;
	self[n] = 0;
	const char *directory = dirname(self);
	snprintf(path, size, "%s/limit", directory);
	if (!access(path, X_OK)) return 0;
	snprintf(path, size, "%s/bench/limit", directory);
	return access(path, X_OK);
}

static double number(const char *line, const char *key)
{
	const char *at = strstr(line, key);
	return at ? atof(at + strlen(key)) : 0;
}

static int run_child(char *const argv[], char *line, size_t size)
{
	int out[2];
	if (pipe(out)) return -1;
	pid_t pid = fork();
	if (pid < 0) return -1;
	if (!pid) {
		dup2(out[1], 1);
		close(out[0]);
		close(out[1]);
		execv(argv[0], argv);
		_exit(127);
	}
	close(out[1]);
	size_t used = 0;
	ssize_t got;
	while (used < size - 1 && (got = read(out[0], line + used, size - 1 - used)) > 0) used += (size_t)got;
	line[used] = 0;
	close(out[0]);
	int status;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -1;
}

int run_limit(const char *directory, unsigned threads, size_t payload_bytes, double seconds, struct figures *figures)
{
	char path[4200], count[16], bytes[24], duration[24], where[4096], line[1024];
	if (find_limit(path, sizeof path)) {
		fprintf(stderr, "bench-commitlog: no `limit` beside this program: build it with it\n");
		return -1;
	}
	snprintf(count, sizeof count, "%u", threads);
	snprintf(bytes, sizeof bytes, "%zu", payload_bytes);
	snprintf(duration, sizeof duration, "%.3f", seconds);
	snprintf(where, sizeof where, "%s", directory);
	char raw[] = "raw";
	char *argv[] = {path, threads ? count : raw, bytes, duration, where, NULL};
	if (run_child(argv, line, sizeof line)) {
		fprintf(stderr, "bench-commitlog: %s failed\n", path);
		return -1;
	}
	*figures = (struct figures){
		.commits_per_s = number(line, "\"commits_per_s\":"),
		.p50_us = number(line, "\"p50_us\":"),
		.p99_us = number(line, "\"p99_us\":"),
		.commits_per_fsync = number(line, "\"commits_per_fsync\":"),
		.cpu_us_per_commit = number(line, "\"cpu_us_per_commit\":"),
	};
	return 0;
}
