/* SPDX-License-Identifier: MIT */
/* A test case in a process of its own, in an empty directory: what a library that can start only once needs. */
#ifndef WT_TESTS_CHILD_H
#define WT_TESTS_CHILD_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cm.h"

/* In the child: cmocka's asserts don't reach the parent from there. */
#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			_exit(1); \
		} \
	} while (0)

enum { CHILD_NOT_RUN = 77 };

/* In the child: the system doesn't allow what the case needs. Ends it; in_child then counts the test as not run. */
#define not_run(...) \
	do { \
		fprintf(stderr, "not run: " __VA_ARGS__); \
		fputc('\n', stderr); \
		_exit(CHILD_NOT_RUN); \
	} while (0)

/* Runs `body` in a child whose working directory is new and is removed afterwards; asserts that it returns. */
static inline void in_child(void (*body)(void))
{
	char directory[] = "/tmp/waltrace-test-XXXXXX", command[64];
	assert_non_null(mkdtemp(directory));
	fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (chdir(directory)) _exit(2);
		setenv("PI_STORE_WAL_TRACE_QUIET", "1", 1);
		body();
		_exit(0);
	}
	int status = 0;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	snprintf(command, sizeof command, "rm -rf %s", directory);
	assert_int_equal(system(command), 0);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CHILD_NOT_RUN) _skip(__FILE__, __LINE__);
	assert_int_equal(WEXITSTATUS(status), 0);
}

#endif
