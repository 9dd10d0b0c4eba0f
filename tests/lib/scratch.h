/* SPDX-License-Identifier: MIT */
/* A directory of its own for a test, below $TMPDIR or /tmp, and what tests do with the files in it. */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCRATCH_PATH_BYTES = 512 };

void scratch_make(char path[SCRATCH_PATH_BYTES]);
void scratch_remove(const char *path); /* with all that is in it */
void scratch_join(char path[SCRATCH_PATH_BYTES], const char *directory, const char *name);
bool scratch_has(const char *directory, const char *name);

/* Whole files; a file that can't be read or written ends the test program. The result of read is to be freed. */
uint8_t *scratch_read(const char *directory, const char *name, size_t *n);
void scratch_write(const char *directory, const char *name, const void *bytes, size_t n);
void scratch_append(const char *directory, const char *name, const void *bytes, size_t n);

#endif
