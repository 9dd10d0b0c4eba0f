/* SPDX-License-Identifier: MIT */
/* Comparisons at N = 64 and 256 bytes whose base is our own log: with other engines, and with itself recorded. All sides of
 * a comparison run in each round; the medians of their ratios are shown. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONTESTANTS = 4, CONTEST_ROUNDS_MAX = 32 };

struct contestant {
	const char *name;
	enum engine engine;
	bool traced;
	uint64_t min_ns;
	/* Goals; 0: none. Commits/s of the base per this one's, at least; this one's per the base's, at least; processor time
	 * a commit above the base's, at most. */
	double base_times, of_base, cpu_us_more;
	struct figures figures[CONTEST_ROUNDS_MAX];
};

static struct contest {
	const char *title;
	bool memory; /* on tmpfs, if there is one */
	struct contestant side[CONTESTANTS];
} contests[] = {
	{"beside other engines, on disk",
         false,
         {{.name = "ours"},
          {.name = "leveldb", .engine = ENGINE_LEVELDB, .base_times = 2},
          {.name = "rocksdb", .engine = ENGINE_ROCKSDB, .base_times = 3.5},
          {.name = "sqlite, rows batched", .engine = ENGINE_SQLITE}}},
	{"recorded, log on disk, trace in memory",
         false,
         {{.name = "untraced"},
          {.name = "traced", .traced = true, .of_base = .98, .cpu_us_more = 1},
          {.name = "traced, min_ns = 1 ms", .traced = true, .min_ns = 1000000, .of_base = .99}}},
	{"recorded, log and trace in memory",
         true,
         {{.name = "untraced"},
          {.name = "traced", .traced = true},
          {.name = "traced, min_ns = 1 ms", .traced = true, .min_ns = 1000000, .of_base = .95}}},
};
enum { CONTESTS = sizeof contests / sizeof contests[0] };
static const char memory[] = "/dev/shm";
static unsigned rounds_done;

static bool takes_part(const struct contestant *c)
{
	if (c->traced && access(memory, W_OK)) return false;
	return c->name && (c->engine == ENGINE_OURS || store_types[c->engine]);
}

static int run_one(const struct contest *contest, struct contestant *c, const char *directory, double seconds,
                   unsigned round)
{
	char log[4200], trace[128];
	snprintf(log, sizeof log, "%s/bench-commitlog.%d", contest->memory ? memory : directory, (int)getpid());
	snprintf(trace, sizeof trace, "%s/bench-commitlog-trace.%d", memory, (int)getpid());
	const struct load load = {.engine = c->engine,
	                          .directory = log,
	                          .threads = 64,
	                          .payload_bytes = 256,
	                          .seconds = seconds,
	                          .prefill_bytes = contest->memory ? 0 : 256u << 20,
	                          .trace_directory = c->traced ? trace : NULL,
	                          .min_ns = c->min_ns};
	if (!run_load(&load, &c->figures[round]) && !c->figures[round].lost && !c->figures[round].trace_lost) return 0;
	fprintf(stderr, "bench-commitlog: %s: %s: something failed or was lost\n", contest->title, c->name);
	return -1;
}

int run_contests(const char *directory, unsigned rounds, double seconds, bool quick)
{
	if (quick) return 0;
	for (rounds_done = 0; rounds_done < rounds && rounds_done < CONTEST_ROUNDS_MAX; rounds_done++)
		for (unsigned i = 0; i < CONTESTS; i++) {
			struct contest *contest = &contests[i];
			if (contest->memory && access(memory, W_OK)) continue;
			for (unsigned k = 0; k < CONTESTANTS; k++) {
				unsigned turn = (k + rounds_done) % CONTESTANTS; /* nobody is always first */
				struct contestant *c = &contest->side[turn];
				if (takes_part(c) && run_one(contest, c, directory, seconds, rounds_done)) return -1;
			}
		}
	return 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct outcome {
	double commits_per_s, p99_us, cpu_us, ratio, cpu_us_more;
};

static struct outcome outcome_of(const struct contest *contest, const struct contestant *c)
{
	double value[5][CONTEST_ROUNDS_MAX];
	for (unsigned r = 0; r < rounds_done; r++) {
		const struct figures *f = &c->figures[r], *base = &contest->side[0].figures[r];
		value[0][r] = f->commits_per_s;
		value[1][r] = f->p99_us;
		value[2][r] = f->cpu_us_per_commit;
		value[3][r] = f->commits_per_s / base->commits_per_s;
		value[4][r] = f->cpu_us_per_commit - base->cpu_us_per_commit;
	}
	for (int i = 0; i < 5; i++) qsort(value[i], rounds_done, sizeof(double), compare);
	unsigned middle = rounds_done / 2;
	return (struct outcome){value[0][middle], value[1][middle], value[2][middle], value[3][middle],
	                        value[4][middle]};
}

static void print_side(const struct contest *contest, const struct contestant *c, bool json)
{
	const struct outcome o = outcome_of(contest, c);
	if (json) {
		printf("{\"bench\":\"commitlog\",\"peer\":\"%s\",\"mode\":\"%s%s\",\"threads\":64,\"payload_bytes\":256,"
		       "\"commits_per_s\":%.0f,\"ratio_to_ours_untraced\":%.3f,\"p99_ns\":%.0f,\"cpu_us_per_commit\":%.2f,"
		       "\"traced\":%s,\"min_ns\":%llu,\"lost\":0}\n",
		       c->engine ? c->name : "ours", contest->memory ? "tmpfs" : "disk", c->traced ? ", traced" : "",
		       o.commits_per_s, o.ratio, o.p99_us * 1000, o.cpu_us, c->traced ? "true" : "false",
		       (unsigned long long)c->min_ns);
		return;
	}
	printf("      %-22s %12.0f %10.1f %12.2f %8.3f", c->name, o.commits_per_s, o.p99_us, o.cpu_us, o.ratio);
	if (c->base_times > 0)
		printf("   ours is %.1f times it (goal >= %.1f: %s)", 1 / o.ratio, c->base_times,
		       1 / o.ratio >= c->base_times ? "met" : "MISSED");
	if (c->of_base > 0) printf("   goal >= %.2f: %s", c->of_base, o.ratio >= c->of_base ? "met" : "MISSED");
	if (c->cpu_us_more > 0)
		printf("   +%.2f us (goal <= %.0f: %s)", o.cpu_us_more, c->cpu_us_more,
		       o.cpu_us_more <= c->cpu_us_more ? "met" : "MISSED");
	putchar('\n');
}

void print_contests(bool json)
{
	for (unsigned i = 0; i < CONTESTS && rounds_done; i++) {
		const struct contest *contest = &contests[i];
		if (contest->memory && access(memory, W_OK)) continue;
		if (!json)
			printf("\n  N=64, 256 bytes, %s, %u rounds\n      %-22s %12s %10s %12s %8s\n", contest->title,
			       rounds_done, "", "commits/s", "p99 us", "cpu us", "ratio");
		for (unsigned k = 0; k < CONTESTANTS; k++)
			if (takes_part(&contest->side[k])) print_side(contest, &contest->side[k], json);
	}
}
