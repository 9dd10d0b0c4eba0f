/* SPDX-License-Identifier: MIT */
/* A traced load is killed at a random moment, again and again; its trace is recovered, sometimes by a process that is
 * killed too. Every record whose operation had ended before the kill is then in the trace exactly once, none twice, and
 * the trace never claims to be complete. What had ended is known from a piece of memory that outlives the load.
 *
 *   trace-kill-test KILLS [SEED] */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "waltrace.h"

enum { THREADS = 3, MOST = 4 * 1000 * 1000 };

/* Shared with the load. Each thread writes its own `begun` before an operation and `ended` after it. */
struct side {
	char segment[128], path[512];
	_Atomic uint64_t begun[THREADS], ended[THREADS];
	_Atomic int running;
};
static struct side *side;

static uint64_t seed = 88172645463325252ull;

static uint64_t random_below(uint64_t n)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed % n;
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void pause_us(uint64_t us)
{
	struct timespec t = {(time_t)(us / 1000000), (long)(us % 1000000 * 1000)};
	nanosleep(&t, NULL);
}

/* ---- The load --------------------------------------------------------------------------------------------------------- */

static struct waltrace_logger *logger;

static void operate(uint64_t uid)
{
	struct waltrace_op op;
	struct waltrace_span root, lock;
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_open(&lock, &op, WALTRACE_KIND_COMMIT_LOCK, waltrace_span_id(&root), WALTRACE_W_REQUEST);
	waltrace_span_set(&lock, WALTRACE_LOG_UID, uid);
	waltrace_span_wait_commit(&lock);
	waltrace_span_acquired(&lock, true);
	waltrace_span_releasing(&lock);
	waltrace_span_end(&lock);
	waltrace_span_set(&root, WALTRACE_LOG_UID, uid);
	waltrace_span_finish(&root, WALTRACE_W_SUCCESS);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
}

static void *load(void *argument)
{
	uintptr_t n = (uintptr_t)argument;
	for (uint64_t i = 1;; i++) {
		atomic_store(&side->begun[n], i);
		operate((uint64_t)n << 32 | i);
		atomic_store(&side->ended[n], i);
		if (i % 500 == 0)
			pause_us(1000); /* slower than the writer: what is lost to a full queue is another test */
	}
	return NULL;
}

static void run_load(void)
{
	pthread_t thread;
	struct waltrace_config config;
	struct waltrace_error error;
	mkdir("wal", 0700);
	waltrace_config_init(&config);
	config.directory = ".";
	config.run_id = "kill";
	config.capacity = 262144;
	config.window_ms = 10 + random_below(60);
	config.drain_ms = 1 + random_below(30);
	if (waltrace_start(&config, &error)) {
		fprintf(stderr, "%s: %s\n", error.message, error.detail);
		exit(2);
	}
	snprintf(side->path, sizeof side->path, "%s", waltrace_path());
	snprintf(side->segment, sizeof side->segment, "/waltrace-%s", strstr(side->path, "wal-trace-") + 10);
	*strstr(side->segment, ".jsonl") = 0;
	struct waltrace_logger_config wal = {.wal_directory = "wal"};
	logger = waltrace_logger_register(&wal);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, load, (void *)i)) exit(2);
	atomic_store(&side->running, 1);
	for (;;) pause();
}

static void run_and_kill(void)
{
	memset(side, 0, sizeof *side);
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0) die("fork");
	if (!pid) {
		run_load();
		_exit(2);
	}
	for (int i = 0; !atomic_load(&side->running) && i < 10000; i++) pause_us(1000);
	pause_us(random_below(80000));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- What is left ------------------------------------------------------------------------------------------------------ */

/* A recovery that is itself killed somewhere. */
static void recover_and_kill(void)
{
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		struct waltrace_report report;
		waltrace_recover(side->segment, &report, NULL);
		_exit(0);
	}
	pause_us(random_below(8000));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static uint64_t number_at(const char *line, const char *key)
{
	const char *at = strstr(line, key);
	return at ? strtoull(at + strlen(key), NULL, 10) : UINT64_MAX;
}

static uint8_t *seen[THREADS][2]; /* how often each uid stands there, as flush and as lock */
static int bad;

static void complain(const char *what, uint64_t thread, uint64_t n)
{
	if (bad++ < 10)
		fprintf(stderr, "%s: %s: thread %llu, operation %llu\n", side->path, what, (unsigned long long)thread,
		        (unsigned long long)n);
}

static void note(uint64_t uid, int kind)
{
	uint64_t thread = uid >> 32, n = uid & UINT32_MAX;
	if (thread < THREADS && n < MOST) seen[thread][kind][n]++;
	else complain("a record that nobody made", thread, n);
}

/* Fills `seen` and leaves the last line in `line`; returns how many operations were in flight. */
static uint64_t look_at_trace(char *line, int room)
{
	uint64_t in_flight = 0;
	FILE *file = fopen(side->path, "r");
	if (!file) die(side->path);
	for (int t = 0; t < THREADS; t++)
		for (int k = 0; k < 2; k++) memset(seen[t][k], 0, MOST);
	while (fgets(line, room, file)) {
		int kind = strstr(line, "\"event\":\"root_flush\",\"session")    ? 0
		           : strstr(line, "\"event\":\"commit_lock\",\"session") ? 1
		                                                                 : -1;
		in_flight += strstr(line, "\"event\":\"in_flight\"") != NULL;
		if (kind >= 0) note(number_at(line, "\"log_uid\":"), kind);
	}
	fclose(file);
	return in_flight;
}

/* `report` is NULL if the recovery that finished the trace was to be killed, and wasn't in time. */
static uint64_t check_trace(const struct waltrace_report *report)
{
	static char last[1 << 16];
	uint64_t in_flight = look_at_trace(last, sizeof last), found = 0;
	for (uint64_t t = 0; t < THREADS; t++) {
		uint64_t ended = atomic_load(&side->ended[t]), begun = atomic_load(&side->begun[t]);
		for (uint64_t n = 1; n < MOST && n <= begun + 1; n++)
			for (int k = 0; k < 2; k++) {
				if (n <= ended && !seen[t][k][n]) complain("lost", t, n);
				if (n > begun && seen[t][k][n]) complain("too early", t, n);
				if (seen[t][k][n] > 1) complain("twice", t, n);
				found += seen[t][k][n];
			}
	}
	if (!strstr(last, "\"event\":\"session_end\"") || !strstr(last, "\"reason\":\"recovered\"") ||
	    !strstr(last, "\"complete\":false") || number_at(last, "\"event_written\":") != found)
		complain("the last line is no footer of this recovery", 0, found);
	if (in_flight > THREADS || number_at(last, "\"outstanding\":") != in_flight)
		complain("operations in flight", 0, in_flight);
	if (report && (report->complete || report->written != found || report->outstanding != in_flight))
		complain("the report differs from the trace", report->written, found);
	return found;
}

int main(int argc, char **argv)
{
	int kills = argc > 1 ? atoi(argv[1]) : 20;
	if (argc > 2) seed = strtoull(argv[2], NULL, 10) | 1;
	char directory[] = "/tmp/waltrace-kill-XXXXXX", command[64];
	uint64_t records = 0;
	if (!mkdtemp(directory) || chdir(directory)) die(directory);
	setenv("PI_STORE_WAL_TRACE_QUIET", "1", 1);
	side = mmap(NULL, sizeof *side, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (side == MAP_FAILED) die("mmap");
	for (int t = 0; t < THREADS; t++)
		for (int k = 0; k < 2; k++)
			if (!(seen[t][k] = malloc(MOST))) die("malloc");
	for (int i = 0; i < kills && !bad; i++) {
		struct waltrace_report report = {0};
		struct waltrace_error error = {0};
		run_and_kill();
		for (uint64_t again = random_below(4); again; again--) recover_and_kill();
		int result = waltrace_recover(side->segment, &report, &error);
		if (result && result != -ENOENT) {
			fprintf(stderr, "recover: %s: %s\n", error.message, error.detail);
			bad++;
		} else {
			records += check_trace(result ? NULL : &report);
		}
		unlink(side->path);
	}
	snprintf(command, sizeof command, "rm -rf %s", directory);
	if (system(command)) bad++;
	printf("%d kills, %llu records found again, %d problems\n", kills, (unsigned long long)records, bad);
	return bad ? 1 : 0;
}
