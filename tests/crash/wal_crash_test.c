/* SPDX-License-Identifier: MIT */
/* A load on a log whose disk loses power at a random call, again and again: also while the log is opened, replayed, rotated
 * or closed, and while it recovers from the crash before. Then every commit that had been acknowledged is there, in its
 * thread's order, with its bytes, and nothing that was never appended. See disk_os.h for what such a crash leaves behind.
 *
 *   wal-crash-test CRASHES [SEED]
 *
 * One log has several crashes, so that recovery works on what recovery left. A seed repeats what each log is asked to do;
 * where several threads commit, which call of whose the power fails at is the scheduler's choice, too.
 * At first the same is done on a disk whose fsync lies, and must be found out: a check that can't fail would be none. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disk_os.h"
#include "wal/log.h"
#include "wal/scan.h"

enum { THREADS = 4, NUMBERS = 4096, CRASHES_A_LOG = 6, LIES = 60, LARGE = 70000 };

static const char directory[] = "/log";
static struct disk_os disk;
static uint64_t crashes_left, looked_at, lost, invented, refused;

struct committer {
	pthread_t thread;
	uint64_t random, commits;
	/* Numbers from 1. What was appended and isn't there after a crash is appended again, with another generation. */
	uint64_t begun, acknowledged, found;
	uint32_t generation[NUMBERS + 1]; /* of each number: that of the only bytes that may be there */
};
static struct committer committer[THREADS];
static struct commitlog *commit_log;
static uint32_t generation;
static bool asynchronous;

static uint64_t below(uint64_t *random, uint64_t n)
{
	*random ^= *random << 13, *random ^= *random >> 7, *random ^= *random << 17;
	return (*random >> 11) % n;
}

static size_t fill(uint8_t *bytes, uint64_t thread, uint64_t number, uint32_t of)
{
	uint64_t random = (thread + 1) * 1000003 + number * 7919 + of * 104729ull + 1;
	for (int i = 0; i < 8; i++) below(&random, 2);
	size_t most = below(&random, 40) ? below(&random, 8) ? 300 : 5000 : LARGE, n = 1 + (size_t)below(&random, most);
	for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)(random >> i % 32) ^ (uint8_t)i;
	return n;
}

/* ---- The load ----------------------------------------------------------------------------------------------------- */

struct answer {
	sem_t there;
	int result;
};

static void answered(void *context, uint64_t handle, int result)
{
	struct answer *answer = context;
	(void)handle;
	answer->result = result;
	sem_post(&answer->there);
}

static int flush(struct committer *c, uint64_t handle)
{
	struct answer answer;
	if (!asynchronous || below(&c->random, 2)) return commitlog_flush(commit_log, handle);
	sem_init(&answer.there, 0, 0);
	int result = commitlog_flush_async(commit_log, handle, answered, &answer);
	while (!result && sem_wait(&answer.there)) continue;
	sem_destroy(&answer.there);
	return result ? result : answer.result;
}

static void *work(void *argument)
{
	struct committer *c = argument;
	uint64_t thread = (uint64_t)(c - committer);
	uint8_t *bytes = malloc(LARGE);
	if (!bytes) abort();
	for (uint64_t i = 0; i < c->commits && c->begun < NUMBERS; i++) {
		uint64_t number = c->begun + 1, handle;
		size_t n = fill(bytes, thread, number, generation);
		const struct commitlog_cid cid = {.high = thread + 1, .low = number};
		c->begun = number;
		c->generation[number] = generation;
		if (commitlog_append(commit_log, cid, bytes, n, &handle) || flush(c, handle)) break;
		c->acknowledged = number;
		if (below(&c->random, 3) && commitlog_confirm(commit_log, cid)) break;
		if (below(&c->random, 12) == 0 && commitlog_checkpoint(commit_log, NULL)) break;
	}
	free(bytes);
	return NULL;
}

static void load(uint64_t *random)
{
	unsigned threads = below(random, 3) ? THREADS : 1;
	for (unsigned i = 0; i < threads; i++) {
		committer[i].random = below(random, UINT32_MAX) + 1;
		committer[i].commits = below(random, 60);
		if (pthread_create(&committer[i].thread, NULL, work, &committer[i])) abort();
	}
	for (unsigned i = 0; i < threads; i++) pthread_join(committer[i].thread, NULL);
}

static int still_needed(void *context, const struct commitlog_entry *entry)
{
	return below(context, 2) ? commitlog_append_replay(commit_log, entry, NULL) : 0;
}

static int open_log(uint64_t *random, struct wt_err *err)
{
	struct commitlog_options options;
	commitlog_options_init(&options);
	options.trace = COMMITLOG_TRACE_OFF;
	options.delay_ms = below(random, 4) ? 0 : 1;
	options.block_limit_bytes = 2 << 10;
	options.checkpoint_limit_bytes = 2 << 20;
	static const uint64_t prefill[] = {0, 64 << 10, 256 << 10};
	options.prefill_bytes = prefill[below(random, 3)];
	return cl_open(&disk.os, directory, &options, err, &commit_log);
}

/* Until the power fails, or a clean end. */
static void use(uint64_t *random)
{
	struct wt_err err;
	if (open_log(random, &err)) return;
	if (below(random, 4) && !commitlog_replay(commit_log, still_needed, random, NULL))
		commitlog_finish_replay(commit_log);
	load(random);
	commitlog_close(commit_log);
}

/* ---- What is there ------------------------------------------------------------------------------------------------ */

static void complain(const char *what, uint64_t thread, uint64_t number)
{
	if (!disk.lies)
		fprintf(stderr, "%s: thread %llu, commit %llu\n", what, (unsigned long long)thread,
		        (unsigned long long)number);
}

static int look(void *context, const struct commitlog_entry *entry)
{
	uint8_t *want = context;
	uint64_t thread = entry->cid.high - 1, number = entry->cid.low;
	looked_at++;
	if (thread >= THREADS || !number || number > committer[thread].begun) {
		complain("invented", thread, number);
		invented++;
		return 0;
	}
	struct committer *c = &committer[thread];
	size_t n = fill(want, thread, number, c->generation[number]);
	if (entry->value_bytes != n || memcmp(entry->value, want, n) != 0) {
		complain("other bytes", thread, number);
		invented++;
	}
	if (number != c->found + 1) {
		complain("out of order, or one before it missing", thread, number);
		lost++;
	}
	c->found = number;
	return 0;
}

static void check(uint64_t *random, uint8_t *want)
{
	struct commitlog_scan_summary summary;
	struct wt_err err = {0};
	for (int i = 0; i < THREADS; i++) committer[i].found = 0;
	if (open_log(random, &err)) {
		if (!disk.lies) fprintf(stderr, "open: %s\n", err.text);
		refused++;
		return;
	}
	commitlog_close(commit_log);
	if (cl_scan(&disk.os, directory, COMMITLOG_SCAN_ALL, look, want, &summary, &err)) {
		if (!disk.lies) fprintf(stderr, "scan: %s\n", err.text);
		refused++;
	}
	for (uint64_t i = 0; i < THREADS; i++) {
		struct committer *c = &committer[i];
		if (c->found < c->acknowledged) {
			complain("lost", i, c->found + 1);
			lost++;
		}
		c->begun = c->acknowledged = c->found;
	}
}

/* Calls until the power fails: few, so that opening and recovering are hit, or as many as a load has. */
static long when(uint64_t *random)
{
	static const uint64_t most[] = {12, 60, 300, 900};
	return (long)(1 + below(random, most[below(random, 4)]));
}

static bool bad(void) { return lost || invented || refused; }

static void one_log(uint64_t seed, bool lies, uint8_t *want)
{
	uint64_t random = seed * 2654435761u + 88172645463325252ull;
	disk_os_init(&disk, seed);
	disk.lies = lies;
	memset(committer, 0, sizeof committer);
	for (int i = 0; i < CRASHES_A_LOG && crashes_left && !bad(); i++) {
		crashes_left--;
		generation++;
		asynchronous = below(&random, 2);
		disk_os_arm(&disk, when(&random));
		use(&random);
		disk_os_crash(&disk);
		if (crashes_left && below(&random, 3) == 0) { /* another one during recovery */
			struct wt_err err;
			crashes_left--;
			disk_os_arm(&disk, (long)(1 + below(&random, 12)));
			if (!open_log(&random, &err)) commitlog_close(commit_log);
			disk_os_crash(&disk);
		}
		check(&random, want);
	}
	disk_os_free(&disk);
}

static bool is_found_out(uint64_t seed, uint8_t *want)
{
	bool found = false;
	for (int i = 0; i < LIES && !found; i++) {
		crashes_left = CRASHES_A_LOG;
		one_log(seed + (uint64_t)i, true, want);
		found = lost != 0;
		lost = invented = refused = looked_at = 0;
	}
	return found;
}

int main(int argc, char **argv)
{
	uint64_t crashes = argc > 1 ? strtoull(argv[1], NULL, 10) : 300;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	uint8_t *want = malloc(LARGE);
	if (!want) return 2;
	if (!is_found_out(seed, want)) {
		fprintf(stderr, "a disk that lies lost nothing that was missed: this test tests nothing\n");
		return 1;
	}
	for (crashes_left = crashes; crashes_left && !bad(); seed++) {
		one_log(seed, false, want);
		if (bad())
			fprintf(stderr, "repeat with: wal-crash-test %d %llu\n", CRASHES_A_LOG,
			        (unsigned long long)seed);
	}
	printf("%llu crashes, %llu commits looked at, %llu lost, %llu invented, %llu logs that didn't open\n",
	       (unsigned long long)(crashes - crashes_left), (unsigned long long)looked_at, (unsigned long long)lost,
	       (unsigned long long)invented, (unsigned long long)refused);
	free(want);
	return bad();
}
