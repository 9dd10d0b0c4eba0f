/* SPDX-License-Identifier: MIT */
/* bench-commitlog: commits a second of the log, in the same rounds as `limit`, the most that this machine can do. */
#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS_MAX = 32 };

/* What is measured, and what it is to reach. A goal of 0: none. */
struct row {
	unsigned threads;
	size_t payload_bytes;
	bool full_only;
	bool defaults; /* files of 32 MiB with rotations, instead of one filled ahead as limit's is */
	double ratio_goal, per_fsync_goal, cpu_goal, p99_goal;
	unsigned rounds;
	struct figures ours[ROUNDS_MAX], limit[ROUNDS_MAX];
};

static struct row rows[] = {
	{.threads = 1, .payload_bytes = 256, .ratio_goal = .90, .per_fsync_goal = 1},
	{.threads = 8, .payload_bytes = 256, .ratio_goal = 1.0},
	{.threads = 64, .payload_bytes = 256, .ratio_goal = .85, .per_fsync_goal = 30, .cpu_goal = 8, .p99_goal = 1.5},
	{.threads = 64, .payload_bytes = 256, .defaults = true, .full_only = true},
	{.threads = 256, .payload_bytes = 256, .ratio_goal = .80, .full_only = true},
	{.threads = 64, .payload_bytes = 16384, .ratio_goal = .80, .full_only = true},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

struct settings {
	bool quick, json;
	unsigned rounds;
	double seconds;
	char directory[2048];
	double raw[ROUNDS_MAX];  /* commits/s of limit raw */
	bool counts[ROUNDS_MAX]; /* limit at N=1 is near enough to raw */
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, unsigned n)
{
	if (!n) return 0;
	qsort(values, n, sizeof *values, compare);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static int measure_ours(const struct settings *s, const struct row *row, struct figures *figures)
{
	char directory[2100];
	snprintf(directory, sizeof directory, "%s/log", s->directory);
	struct load load = {.directory = directory,
	                    .threads = row->threads,
	                    .payload_bytes = row->payload_bytes,
	                    .seconds = s->seconds};
	/* Room for what limit writes in the time, at up to 1 GiB/s for large records. */
	if (!row->defaults)
		load.prefill_bytes = row->payload_bytes > 4096 ? 2ull << 30 : s->quick ? 64u << 20 : 256u << 20;
	return run_load(&load, figures);
}

static int measure_row(const struct settings *s, struct row *row, unsigned round)
{
	struct figures *ours = &row->ours[round], *limit = &row->limit[round];
	int result = 0;
	for (unsigned turn = 0; turn < 2 && !result; turn++) {
		if ((turn + round) % 2) result = measure_ours(s, row, ours);
		else result = run_limit(s->directory, row->threads, row->payload_bytes, s->seconds, limit);
	}
	if (!result && ours->lost) {
		fprintf(stderr, "bench-commitlog: %llu commits lost, reordered or invented\n",
		        (unsigned long long)ours->lost);
		result = -1;
	}
	row->rounds = round + 1;
	return result;
}

static int measure(struct settings *s)
{
	for (unsigned round = 0; round < s->rounds; round++) {
		struct figures raw;
		if (run_limit(s->directory, 0, 256, s->seconds / 2, &raw)) return -1;
		s->raw[round] = raw.commits_per_s;
		for (unsigned i = 0; i < ROWS; i++)
			if (!(s->quick && rows[i].full_only) && measure_row(s, &rows[i], round)) return -1;
		s->counts[round] = rows[0].limit[round].commits_per_s >= .8 * raw.commits_per_s;
		if (isatty(2)) fprintf(stderr, "round %u of %u\r", round + 1, s->rounds);
	}
	return 0;
}

/* Medians over the rounds that count; all of them if none does. */
struct summary {
	struct figures ours, limit;
	double ratio, p99_ratio;
	unsigned rounds;
};

#define MEDIAN(side, member) \
	do { \
		double values[ROUNDS_MAX]; \
		unsigned n = 0; \
		for (unsigned r = 0; r < row->rounds; r++) \
			if (s->counts[r] || !any) values[n++] = row->side[r].member; \
		sum->side.member = median(values, n); \
	} while (0)

static void summarise(const struct settings *s, const struct row *row, struct summary *sum)
{
	double ratios[ROUNDS_MAX], p99[ROUNDS_MAX];
	bool any = false;
	*sum = (struct summary){0};
	for (unsigned r = 0; r < row->rounds; r++) any |= s->counts[r];
	for (unsigned r = 0; r < row->rounds; r++) {
		if (!s->counts[r] && any) continue;
		ratios[sum->rounds] = row->ours[r].commits_per_s / row->limit[r].commits_per_s;
		p99[sum->rounds++] = row->ours[r].p99_us / row->limit[r].p99_us;
	}
	sum->ratio = median(ratios, sum->rounds);
	sum->p99_ratio = median(p99, sum->rounds);
	MEDIAN(ours, commits_per_s);
	MEDIAN(ours, p50_us);
	MEDIAN(ours, p99_us);
	MEDIAN(ours, commits_per_fsync);
	MEDIAN(ours, cpu_us_per_commit);
	MEDIAN(limit, commits_per_s);
	MEDIAN(limit, p50_us);
	MEDIAN(limit, p99_us);
	MEDIAN(limit, commits_per_fsync);
	MEDIAN(limit, cpu_us_per_commit);
}

/* A run that loses something ends the program, so the 0 was measured; limit doesn't read its file back. */
static void print_json(const struct row *row, const struct figures *f, bool ours, double ratio)
{
	printf("{\"bench\":\"commitlog\",\"peer\":\"%s\",\"mode\":\"%s\",\"threads\":%u,\"payload_bytes\":%zu,"
	       "\"commits_per_s\":%.0f,\"ratio_to_limit\":%.3f,\"commits_per_fsync\":%.1f,\"p50_ns\":%.0f,\"p99_ns\":%.0f,"
	       "\"cpu_us_per_commit\":%.2f,\"mb_per_s\":%.1f%s}\n",
	       ours ? "ours" : "limit", row->defaults ? "defaults" : "prefilled", row->threads, row->payload_bytes,
	       f->commits_per_s, ratio, f->commits_per_fsync, f->p50_us * 1000, f->p99_us * 1000, f->cpu_us_per_commit,
	       f->commits_per_s * (double)row->payload_bytes / 1e6, ours ? ",\"traced\":false,\"lost\":0" : "");
}

static void print_goal(const char *what, double value, double goal, bool at_most)
{
	if (goal <= 0) return;
	bool met = at_most ? value <= goal : value >= goal;
	printf("      %-22s %8.2f   goal %s %.2f   %s\n", what, value, at_most ? "<=" : ">=", goal,
	       met ? "met" : "MISSED");
}

static void print_table(const struct row *row, const struct summary *sum)
{
	const struct figures *o = &sum->ours, *l = &sum->limit;
	printf("\n  N=%u, %zu bytes%s, %u rounds\n", row->threads, row->payload_bytes,
	       row->defaults ? ", default files" : "", sum->rounds);
	printf("      %-8s %12s %10s %10s %14s %12s\n", "", "commits/s", "p50 us", "p99 us", "commits/fsync",
	       "cpu us/commit");
	printf("      %-8s %12.0f %10.1f %10.1f %14.1f %12.2f\n", "ours", o->commits_per_s, o->p50_us, o->p99_us,
	       o->commits_per_fsync, o->cpu_us_per_commit);
	printf("      %-8s %12.0f %10.1f %10.1f %14.1f %12.2f\n", "limit", l->commits_per_s, l->p50_us, l->p99_us,
	       l->commits_per_fsync, l->cpu_us_per_commit);
	if (row->ratio_goal <= 0) printf("      %-22s %8.2f\n", "ratio to limit", sum->ratio);
	print_goal("ratio to limit", sum->ratio, row->ratio_goal, false);
	print_goal("commits a fsync", o->commits_per_fsync, row->per_fsync_goal, false);
	print_goal("CPU us a commit", o->cpu_us_per_commit, row->cpu_goal, true);
	print_goal("p99 to limit's", sum->p99_ratio, row->p99_goal, true);
}

static void print_all(const struct settings *s)
{
	unsigned counting = 0;
	for (unsigned r = 0; r < s->rounds; r++) counting += s->counts[r];
	if (!s->json)
		printf("bench-commitlog in %s: %u rounds of %.1f s, %u of them with limit at N=1 >= .8 of raw%s\n",
		       s->directory, s->rounds, s->seconds, counting, counting ? "" : " (none counts: all are shown)");
	for (unsigned i = 0; i < ROWS; i++) {
		struct summary sum;
		if (!rows[i].rounds) continue;
		summarise(s, &rows[i], &sum);
		if (s->json) {
			print_json(&rows[i], &sum.ours, true, sum.ratio);
			print_json(&rows[i], &sum.limit, false, 1);
		} else {
			print_table(&rows[i], &sum);
		}
	}
}

static int usage(int status)
{
	fprintf(status ? stderr : stdout,
	        "usage: bench-commitlog [--quick] [--json] [--dir D] [--rounds N] [--seconds S]\n"
	        "  --quick    3 rounds of half a second, N = 1, 8, 64\n"
	        "  --json     one object a line\n"
	        "  --dir D    where the log is written (default: the current directory); decides which disk is measured\n");
	return status;
}

static int parse(struct settings *s, int argc, char **argv)
{
	static const struct option options[] = {{"quick", no_argument, 0, 'q'},
	                                        {"json", no_argument, 0, 'j'},
	                                        {"dir", required_argument, 0, 'd'},
	                                        {"rounds", required_argument, 0, 'r'},
	                                        {"seconds", required_argument, 0, 's'},
	                                        {"help", no_argument, 0, 'h'},
	                                        {0, 0, 0, 0}};
	const char *directory = ".";
	int option;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'q') s->quick = true;
		else if (option == 'j') s->json = true;
		else if (option == 'd') directory = optarg;
		else if (option == 'r') s->rounds = (unsigned)atoi(optarg);
		else if (option == 's') s->seconds = atof(optarg);
		else return option == 'h' ? usage(0) - 1 : usage(3);
	}
	if (!s->rounds) s->rounds = s->quick ? 3 : 5;
	if (s->seconds <= 0) s->seconds = s->quick ? .5 : 1;
	if (optind < argc || s->rounds > ROUNDS_MAX || s->seconds > 60) return usage(3);
	snprintf(s->directory, sizeof s->directory, "%s/bench-commitlog.XXXXXX", directory);
	return 0;
}

int main(int argc, char **argv)
{
	struct settings s = {0};
	int status = parse(&s, argc, argv);
	if (status) return status < 0 ? 0 : status;
	if (!mkdtemp(s.directory)) {
		fprintf(stderr, "bench-commitlog: %s: %s\n", s.directory, strerror(errno));
		return 2;
	}
	int result = measure(&s);
	if (!result) result = run_contests(s.directory, s.rounds, s.seconds, s.quick);
	char file[2100];
	snprintf(file, sizeof file, "%s/limit.dat", s.directory);
	unlink(file);
	if (!result) {
		print_all(&s);
		print_contests(s.json);
		result = bench_replay(s.directory, s.quick, s.json);
	}
	rmdir(s.directory);
	return result ? 1 : 0;
}
