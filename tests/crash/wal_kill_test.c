/* SPDX-License-Identifier: MIT */
/* A load on a real log is killed at a random moment, again and again, and the log opened again. Every commit that had been
 * acknowledged is then there, in its thread's order, with its bytes; nothing is there that was never appended. What had
 * been acknowledged is known from a piece of memory that outlives the load. The log is reopened and killed several times
 * before it is thrown away, so that recovery works on what recovery left.
 *
 *   wal-kill-test KILLS [SEED] */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "commitlog.h"

enum { THREADS = 6, KILLS_A_LOG = 5, MOST_BYTES = 3000 };

static struct side {
	_Atomic uint64_t begun[THREADS], acknowledged[THREADS]; /* numbers of each thread's last commit, from 1 */
	_Atomic int running;
} * side;

static uint64_t seed = 88172645463325252ull;
static int problems;

static uint64_t random_below(uint64_t n)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed % n;
}

static void pause_us(uint64_t us)
{
	struct timespec t = {(time_t)(us / 1000000), (long)(us % 1000000 * 1000)};
	nanosleep(&t, NULL);
}

static void complain(const char *what, uint64_t thread, uint64_t number)
{
	if (problems++ < 10)
		fprintf(stderr, "%s: thread %llu, commit %llu\n", what, (unsigned long long)thread,
		        (unsigned long long)number);
}

/* Length and bytes of a commit follow from who made it. */
static size_t fill(unsigned char *payload, uint64_t thread, uint64_t number)
{
	size_t n = 1 + (size_t)((number * 2654435761u ^ thread * 40503u) % MOST_BYTES);
	for (size_t i = 0; i < n; i++) payload[i] = (unsigned char)(number + thread * 31 + i * 7);
	return n;
}

/* ---- The load -------------------------------------------------------------------------------------------------------- */

static struct commitlog *commit_log;

static void *load(void *argument)
{
	uint64_t thread = (uintptr_t)argument;
	unsigned char payload[MOST_BYTES + 1];
	for (uint64_t i = atomic_load(&side->begun[thread]) + 1;; i++) {
		struct commitlog_cid cid = {thread, i};
		uint64_t handle;
		size_t n = fill(payload, thread, i);
		atomic_store(&side->begun[thread], i);
		if (commitlog_append(commit_log, cid, payload, n, &handle) || commitlog_flush(commit_log, handle))
			_exit(3);
		atomic_store(&side->acknowledged[thread], i);
		if (i % 3) commitlog_confirm(commit_log, cid);
		if (thread == 0 && i % 200 == 0 && commitlog_checkpoint(commit_log, NULL)) _exit(4);
	}
	return NULL;
}

static int open_log(const char *directory, uint64_t delay_ms)
{
	struct commitlog_options options;
	struct commitlog_error error = {0};
	commitlog_options_init(&options);
	options.delay_ms = delay_ms;
	options.checkpoint_limit_bytes = 2 << 20;
	options.prefill_bytes = random_below(2) ? 64 << 10 : 1 << 20;
	int result = commitlog_open(directory, &options, &error, &commit_log);
	if (result) fprintf(stderr, "open: %d: %s\n", result, error.message);
	return result;
}

static void run_and_kill(const char *directory, uint64_t delay_ms)
{
	atomic_store(&side->running, 0);
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		pthread_t thread;
		if (open_log(directory, delay_ms)) _exit(2);
		for (uintptr_t i = 0; i < THREADS; i++)
			if (pthread_create(&thread, NULL, load, (void *)i)) _exit(2);
		atomic_store(&side->running, 1);
		for (;;) pause();
	}
	int status;
	for (int i = 0; !atomic_load(&side->running) && i < 10000 && !waitpid(pid, &status, WNOHANG); i++)
		pause_us(1000);
	pause_us(random_below(120000));
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	if (!WIFSIGNALED(status)) complain("the load ended by itself", 0, (uint64_t)status);
}

/* ---- What is there --------------------------------------------------------------------------------------------------- */

static uint64_t last[THREADS], found;

static int look(void *context, const struct commitlog_entry *entry)
{
	unsigned char want[MOST_BYTES + 1];
	(void)context;
	uint64_t thread = entry->cid.high, number = entry->cid.low;
	if (thread >= THREADS || !number || number > atomic_load(&side->begun[thread])) {
		complain("invented", thread, number);
		return 0;
	}
	size_t n = fill(want, thread, number);
	if (entry->value_bytes != n || memcmp(entry->value, want, n) != 0) complain("other bytes", thread, number);
	if (number != last[thread] + 1) complain("out of order or missing before", thread, number);
	last[thread] = number;
	found++;
	return 0;
}

static void check(const char *directory)
{
	struct commitlog_scan_summary summary;
	struct commitlog_error error = {0};
	if (open_log(directory, 0)) {
		complain("the log does not open", 0, 0);
		return;
	}
	commitlog_close(commit_log);
	memset(last, 0, sizeof last);
	found = 0;
	if (commitlog_scan(directory, COMMITLOG_SCAN_ALL, look, NULL, &summary, &error)) {
		fprintf(stderr, "scan: %s\n", error.message);
		complain("the log can't be read", 0, 0);
	}
	for (uint64_t t = 0; t < THREADS; t++) {
		if (last[t] < atomic_load(&side->acknowledged[t])) complain("lost", t, last[t] + 1);
		/* What was appended and not acknowledged may be gone: its number is given again. */
		atomic_store(&side->begun[t], last[t]);
		atomic_store(&side->acknowledged[t], last[t]);
	}
}

int main(int argc, char **argv)
{
	int kills = argc > 1 ? atoi(argv[1]) : 20;
	if (argc > 2) seed = strtoull(argv[2], NULL, 10) * 2 + 1;
	uint64_t first_seed = seed, all = 0;
	side = mmap(NULL, sizeof *side, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (side == MAP_FAILED) return 2;
	for (int done = 0; done < kills && !problems;) {
		char directory[] = "/tmp/wal-kill-XXXXXX", command[64];
		if (!mkdtemp(directory)) return 2;
		memset(side, 0, sizeof *side);
		for (int i = 0; i < KILLS_A_LOG && done < kills && !problems; i++, done++) {
			run_and_kill(directory, random_below(3) ? 0 : 1);
			check(directory);
			all += found;
		}
		snprintf(command, sizeof command, "rm -rf %s", directory);
		if (!problems && system(command)) return 2;
		if (problems)
			fprintf(stderr, "seed %llu; the log is in %s\n", (unsigned long long)first_seed / 2, directory);
	}
	printf("%d kills, %llu commits looked at, %d problems\n", kills, (unsigned long long)all, problems);
	return problems ? 1 : 0;
}
