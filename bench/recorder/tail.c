/* SPDX-License-Identifier: MIT */
#include "tail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES = 1 << 20, PEEK_BYTES = 1 << 14 };

static const char line_start[] = "{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"";
static const char uid_key[] = "log_uid\":";

/* In the order in which an operation's spans end. */
static const char *const kind_of[RECORDS_PER_OP] = {"sync_call\"", "commit_lock\"", "root_flush\""};

void tail_open(struct tail *tail, const char *path)
{
	*tail = (struct tail){.fd = open(path, O_RDONLY | O_CLOEXEC), .bytes = malloc(BYTES)};
	if (tail->fd < 0) die("%s: %s", path, strerror(errno));
	if (!tail->bytes) die("no memory");
}

static uint64_t number(const char *digits, const char *end)
{
	uint64_t n = 0;
	while (digits < end && *digits >= '0' && *digits <= '9') n = n * 10 + (uint64_t)(*digits++ - '0');
	return n;
}

static void check_record(struct tail *tail, const char *line, const char *end, int kind)
{
	const char *key = memmem(line, (size_t)(end - line), uid_key, sizeof uid_key - 1);
	if (!key) die("a record without a uid: %.*s", (int)(end - line), line);
	uint64_t uid = number(key + sizeof uid_key - 1, end);
	uint64_t thread = uid >> UID_THREAD_SHIFT, op = uid & ((1ull << UID_THREAD_SHIFT) - 1);
	if (thread >= MAX_THREADS) die("a uid nobody gave: %.*s", (int)(end - line), line);
	uint64_t next = tail->records[thread]++;
	if (next / RECORDS_PER_OP != op || (int)(next % RECORDS_PER_OP) != kind)
		die("thread %llu: lost or reordered: expected %s of operation %llu, found %.*s",
		    (unsigned long long)thread, kind_of[next % RECORDS_PER_OP],
		    (unsigned long long)(next / RECORDS_PER_OP), (int)(end - line), line);
}

static void check_line(struct tail *tail, const char *line, const char *end)
{
	size_t start = sizeof line_start - 1;
	if ((size_t)(end - line) < start + 16 || memcmp(line, line_start, start))
		die("not a line of a trace: %.*s", (int)(end - line), line);
	for (int kind = 0; kind < RECORDS_PER_OP; kind++)
		if (!memcmp(line + start, kind_of[kind], strlen(kind_of[kind]))) {
			check_record(tail, line + start, end, kind);
			return;
		}
}

void tail_read(struct tail *tail)
{
	for (;;) {
		ssize_t n = pread(tail->fd, tail->bytes, BYTES, (off_t)tail->offset);
		if (n < 0) die("reading the trace back: %s", strerror(errno));
		char *at = tail->bytes, *end = tail->bytes + n, *newline;
		while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
			check_line(tail, at, newline);
			at = newline + 1;
		}
		if (at == tail->bytes) return;
		tail->offset += (uint64_t)(at - tail->bytes);
	}
}

bool tail_has(const struct tail *tail, int threads, uint64_t ops)
{
	for (int i = 0; i < threads; i++)
		if (tail->records[i] < ops * RECORDS_PER_OP) return false;
	return true;
}

uint64_t tail_peek(const struct tail *tail)
{
	char bytes[PEEK_BYTES];
	struct stat st;
	if (fstat(tail->fd, &st) || st.st_size < PEEK_BYTES) return 0;
	ssize_t n = pread(tail->fd, bytes, sizeof bytes, st.st_size - PEEK_BYTES);
	char *end = n > 0 ? memrchr(bytes, '\n', (size_t)n) : NULL;
	if (!end) return 0;
	uint64_t op = 0;
	for (char *at = bytes; (at = memmem(at, (size_t)(end - at), uid_key, sizeof uid_key - 1));) {
		at += sizeof uid_key - 1;
		op = number(at, end) & ((1ull << UID_THREAD_SHIFT) - 1);
	}
	return op;
}

void tail_close(struct tail *tail)
{
	close(tail->fd);
	free(tail->bytes);
}

void verify_file(const char *path, int threads, uint64_t ops)
{
	struct tail tail;
	tail_open(&tail, path);
	tail_read(&tail);
	for (int i = 0; i < threads; i++)
		if (tail.records[i] != ops * RECORDS_PER_OP)
			die("%s: thread %d: %llu records in the file, %llu given", path, i,
			    (unsigned long long)tail.records[i], (unsigned long long)(ops * RECORDS_PER_OP));
	tail_close(&tail);
}
