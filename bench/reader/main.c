/* SPDX-License-Identifier: MIT */
/* bench-reader: how fast `waltrace verify` and `waltrace report` read a trace of 1 GB and in how much memory, in the same
 * rounds as simdjson (which only visits every key and value) and jq (which only parses), where these are installed.
 *
 *   bench-reader [--quick] [--json] [--rounds N] [DIR]
 *
 * The trace is made by `waltrace bench` in DIR (a temporary directory in /dev/shm; 1.5 GB of room), and is removed at
 * the end. Every reader is a process of its own that is bound to one core. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 32, SECONDS_MAX = 120 };
#define FULL_BYTES 1000000000ull
#define QUICK_BYTES 100000000ull
#define PART_BYTES 64000000ull /* for readers that need minutes for the whole */

struct reader {
	const char *name, *mode;
	const char *argument[4];
	bool part;               /* reads the part, not the whole */
	double goal_gb, goal_mb; /* at least, at most; 0: none */
	bool absent;
	unsigned rounds;
	double seconds[ROUNDS_MAX], user_s[ROUNDS_MAX], rss_mb[ROUNDS_MAX];
};

static char programs[4096]; /* the directory that this program is in */
static char tool[4200], yardstick[4300];

static struct reader readers[] = {
	{"waltrace verify", "verify", {tool, "verify"}, .goal_gb = 1, .goal_mb = 300},
	{"waltrace report", "report", {tool, "report"}, .goal_gb = .4, .goal_mb = 300},
	{"simdjson", "visit", {yardstick}, .absent = true},
	{"jq", "parse", {"jq", "empty"}, .part = true},
};
enum { READERS = sizeof readers / sizeof readers[0] };

struct settings {
	bool quick, json;
	unsigned rounds;
	char directory[4096], trace[4300], part[4300];
	uint64_t bytes, part_bytes;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, unsigned n)
{
	qsort(values, n, sizeof *values, compare);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void find_programs(void)
{
	ssize_t n = readlink("/proc/self/exe", programs, sizeof programs - 1);
	if (n > 0) *strrchr(programs, '/') = 0;
	snprintf(tool, sizeof tool, "%s/../src/cli/waltrace", programs);
	snprintf(yardstick, sizeof yardstick, "%s/reader/bench-simdjson", programs);
	readers[2].absent = access(yardstick, X_OK) != 0;
}

/* Runs it with what it prints thrown away, on one core if asked. The exit status, 127 if there is no such program. */
static int run(const char *const *argument, bool one_core, double *seconds, double *user_s, double *rss_mb)
{
	double begin = now();
	pid_t pid = fork();
	if (pid < 0) return 127;
	if (!pid) {
		int nowhere = open("/dev/null", O_WRONLY);
		if (nowhere >= 0) dup2(nowhere, 1);
		cpu_set_t set;
		CPU_ZERO(&set);
		CPU_SET(1 % (unsigned)sysconf(_SC_NPROCESSORS_ONLN), &set);
		if (one_core) (void)sched_setaffinity(0, sizeof set, &set);
		execvp(argument[0], (char *const *)(uintptr_t)argument);
		_exit(127);
	}
	int status;
	struct rusage usage;
	if (wait4(pid, &status, 0, &usage) != pid) return 127;
	*seconds = now() - begin;
	*user_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
	*rss_mb = (double)usage.ru_maxrss * 1024 / 1e6;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void remove_directory(const char *directory)
{
	double seconds, user, rss;
	run((const char *const[]){"rm", "-rf", "--", directory, NULL}, false, &seconds, &user, &rss);
}

/* A trace of a load that lasted so long. */
static int write_trace(struct settings *s, unsigned seconds)
{
	char load[4200], text[16];
	double took, user, rss;
	snprintf(load, sizeof load, "%s/load", s->directory);
	snprintf(text, sizeof text, "%u", seconds);
	remove_directory(load);
	const char *const argument[] = {tool, "bench", "--committers", "64", "--seconds", text, "--dir", load, NULL};
	int status = run(argument, false, &took, &user, &rss);
	if (status) return fprintf(stderr, "bench-reader: `%s bench` ended with %d\n", tool, status), -1;
	struct stat st;
	snprintf(s->trace, sizeof s->trace, "%s/bench.jsonl", load);
	if (stat(s->trace, &st)) return perror(s->trace), -1;
	s->bytes = (uint64_t)st.st_size;
	return 0;
}

static int write_enough(struct settings *s)
{
	uint64_t wanted = s->quick ? QUICK_BYTES : FULL_BYTES;
	unsigned seconds = 1;
	while (true) {
		if (write_trace(s, seconds)) return -1;
		if (s->bytes >= wanted) return 0;
		double more = (double)seconds * (double)wanted / (double)(s->bytes + 1) * 1.1 + 1;
		if (seconds == SECONDS_MAX) break;
		seconds = more > SECONDS_MAX ? SECONDS_MAX : (unsigned)more;
	}
	fprintf(stderr, "bench-reader: %u s of commits leave %.0f MB, not %.0f\n", seconds, (double)s->bytes / 1e6,
	        (double)wanted / 1e6);
	return -1;
}

/* The first lines of the trace, for who reads slowly. */
static int write_part(struct settings *s)
{
	snprintf(s->part, sizeof s->part, "%s/part.jsonl", s->directory);
	FILE *from = fopen(s->trace, "r"), *to = fopen(s->part, "w");
	char *line = NULL;
	size_t room = 0;
	ssize_t n = 0;
	if (from && to)
		while (s->part_bytes < PART_BYTES && (n = getline(&line, &room, from)) > 0) {
			s->part_bytes += (uint64_t)n;
			if (fwrite(line, 1, (size_t)n, to) != (size_t)n) break;
		}
	free(line);
	if (from) fclose(from);
	return to && !fclose(to) && from && s->part_bytes ? 0 : (perror(s->part), -1);
}

static int measure_one(const struct settings *s, struct reader *r, unsigned round)
{
	const char *argument[5] = {r->argument[0]};
	unsigned n = 1;
	for (; r->argument[n]; n++) argument[n] = r->argument[n];
	argument[n] = r->part ? s->part : s->trace;
	int status = run(argument, true, &r->seconds[round], &r->user_s[round], &r->rss_mb[round]);
	r->absent = status == 127;
	if (r->absent) return 0;
	r->rounds = round + 1;
	if (status) fprintf(stderr, "bench-reader: %s ended with %d\n", r->name, status);
	return status;
}

static int measure(struct settings *s)
{
	for (unsigned round = 0; round < s->rounds; round++)
		for (unsigned i = 0; i < READERS; i++)
			if (!readers[i].absent && measure_one(s, &readers[i], round)) return -1;
	return 0;
}

static void print_json(const struct reader *r, double bytes, double gb, double seconds, double user, double rss)
{
	printf("{\"bench\":\"reader\",\"peer\":\"%s\",\"mode\":\"%s\",\"bytes\":%.0f,\"rounds\":%u,\"seconds\":%.3f,"
	       "\"user_s\":%.3f,\"gb_per_s\":%.3f,\"rss_mb\":%.1f}\n",
	       r->argument[0] == tool ? "ours" : r->name, r->mode, bytes, r->rounds, seconds, user, gb, rss);
}

static void print_all(const struct settings *s)
{
	if (!s->json)
		printf("bench-reader: %.0f MB, one core, median of %u rounds\n  %-18s %8s %8s %8s %8s %8s\n",
		       (double)s->bytes / 1e6, s->rounds, "", "MB", "s", "user s", "GB/s", "RSS MB");
	for (unsigned i = 0; i < READERS; i++) {
		struct reader *r = &readers[i];
		if (!r->rounds) {
			if (!s->json) printf("  %-18s not installed\n", r->name);
			continue;
		}
		double bytes = (double)(r->part ? s->part_bytes : s->bytes);
		double seconds = median(r->seconds, r->rounds), user = median(r->user_s, r->rounds),
		       rss = median(r->rss_mb, r->rounds);
		double gb = bytes / 1e9 / seconds;
		if (s->json) {
			print_json(r, bytes, gb, seconds, user, rss);
			continue;
		}
		printf("  %-18s %8.0f %8.3f %8.3f %8.2f %8.1f", r->name, bytes / 1e6, seconds, user, gb, rss);
		if (r->goal_gb > 0)
			printf("   goals >= %.1f GB/s %s, <= %.0f MB %s", r->goal_gb,
			       gb >= r->goal_gb ? "met" : "MISSED", r->goal_mb, rss <= r->goal_mb ? "met" : "MISSED");
		puts("");
	}
}

static int usage(void)
{
	fputs("Usage: bench-reader [--quick] [--json] [--rounds N (1 to 32)] [DIR]\n", stderr);
	return 3;
}

static int read_arguments(struct settings *s, int argc, char **argv)
{
	const char *directory = "/dev/shm";
	s->rounds = 0;
	for (int i = 1; i < argc; i++) {
		char *end = NULL;
		if (!strcmp(argv[i], "--quick")) s->quick = true;
		else if (!strcmp(argv[i], "--json")) s->json = true;
		else if (!strcmp(argv[i], "--rounds") && i + 1 < argc) {
			unsigned long n = strtoul(argv[++i], &end, 10);
			if (*end || n < 1 || n > ROUNDS_MAX) return -1;
			s->rounds = (unsigned)n;
		} else if (argv[i][0] == '-') return -1;
		else directory = argv[i];
	}
	if (!s->rounds) s->rounds = s->quick ? 1 : 5;
	snprintf(s->directory, sizeof s->directory, "%.4000s/bench-reader.XXXXXX", directory);
	return 0;
}

int main(int argc, char **argv)
{
	struct settings s = {0};
	if (read_arguments(&s, argc, argv)) return usage();
	find_programs();
	if (!mkdtemp(s.directory)) return perror(s.directory), 2;
	int result = write_enough(&s) || write_part(&s) || measure(&s) ? 2 : 0;
	if (!result) print_all(&s);
	remove_directory(s.directory);
	return result;
}
