/* SPDX-License-Identifier: MIT */
/* bench-recorder: plans the measurements, takes the peers in turns, prints. */
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "bench.h"
#include "options.h"

static const struct peer *const peers[] = {
	&peer_ours,
	&peer_floor,
#ifdef BENCH_LTTNG
	&peer_lttng,
#endif
#ifdef BENCH_SPDLOG
	&peer_spdlog,
#endif
};
enum { PEERS = WT_COUNT(peers), MAX_RESULTS = 64 };

/* A line of output. */
struct result {
	const char *peer, *mode;
	int threads;
	double ns_min, ns_median, p50_ns, p99_ns, per_s, op_ns; /* 0: doesn't apply */
	uint64_t lost;
};

static struct options options;
static struct result results[MAX_RESULTS];
static size_t result_count;
static bool failed;

/* ---- output ---- */

static void print_head(void)
{
	if (options.json) return;
	printf("One operation: 3 records, 9 clock reads of %.1f ns each. %s. Queue %d records; an idle back end sleeps %d ms.\n",
	       ns_a_read, options.shared_logger ? "All threads share one logger" : "Each thread has its own logger",
	       QUEUE_RECORDS, BACK_END_IDLE_MS);
	printf("%-8s%-18s%8s%12s%12s%12s%12s%14s%6s\n", "peer", "mode", "threads", "ns/record", "median", "op p50 ns",
	       "op p99 ns", "records/s", "lost");
}

static void print_json_number(const char *key, double value, int digits)
{
	if (value > 0) printf(",\"%s\":%.*f", key, digits, value);
}

static void print_json(const struct result *r)
{
	printf("{\"bench\":\"recorder\",\"peer\":\"%s\",\"mode\":\"%s\",\"threads\":%d", r->peer, r->mode, r->threads);
	if (!strcmp(r->peer, "ours")) printf(",\"loggers\":%d", options.shared_logger ? 1 : r->threads);
	print_json_number("ns_per_record_min", r->ns_min, 2);
	print_json_number("ns_per_record_median", r->ns_median, 2);
	print_json_number("p50_ns", r->p50_ns, 1);
	print_json_number("p99_ns", r->p99_ns, 1);
	print_json_number("records_per_s", r->per_s, 0);
	print_json_number("ns_per_op_min", r->op_ns, 2);
	printf(",\"lost\":%llu}\n", (unsigned long long)r->lost);
}

static void print_cell(int width, double value, int digits)
{
	if (value > 0) printf("%*.*f", width, digits, value);
	else printf("%*s", width, "");
}

static void print_row(const struct result *r)
{
	printf("%-8s%-18s%8d", r->peer, r->mode, r->threads);
	print_cell(12, r->ns_min, 1);
	print_cell(12, r->ns_median, 1);
	print_cell(12, r->p50_ns > 0 ? r->p50_ns : r->op_ns, r->p50_ns > 0 ? 0 : 1);
	print_cell(12, r->p99_ns, 0);
	print_cell(14, r->per_s, 0);
	printf("%6llu\n", (unsigned long long)r->lost);
}

static void print(const struct result *r)
{
	if (options.json) print_json(r);
	else print_row(r);
	fflush(stdout);
	if (result_count < MAX_RESULTS) results[result_count++] = *r;
}

static const struct result *find(const char *peer, const char *mode, int threads)
{
	for (size_t i = 0; i < result_count; i++) {
		const struct result *r = &results[i];
		if (!strcmp(r->peer, peer) && !strcmp(r->mode, mode) && r->threads == threads) return r;
	}
	return NULL;
}

static void print_ratio(const char *what, double of, double to, const char *goal)
{
	if (of > 0 && to > 0) printf("%-58s%8.2f   goal %s\n", what, of / to, goal);
}

static void print_goals(void)
{
	static const struct result none;
	if (options.json) return;
#define FIGURE(peer, mode, threads, member) (find(peer, mode, threads) ? find(peer, mode, threads) : &none)->member
	print_ratio("burst, 1 thread: ours / floor", FIGURE("ours", "burst", 1, ns_min),
	            FIGURE("floor", "burst", 1, ns_min), "<= 1.3");
	print_ratio("burst, 1 thread: lttng / ours", FIGURE("lttng", "burst", 1, ns_min),
	            FIGURE("ours", "burst", 1, ns_min), ">= 4");
	print_ratio("burst: ours, 2 threads / 1 thread", FIGURE("ours", "burst", 2, ns_min),
	            FIGURE("ours", "burst", 1, ns_min), "<= 1.5");
	print_ratio("paced, 1 thread: p50 of ours / p50 of floor", FIGURE("ours", "paced", 1, p50_ns),
	            FIGURE("floor", "paced", 1, p50_ns), "<= 2");
	print_ratio("paced, 1 thread: p99 of ours / p50 of floor", FIGURE("ours", "paced", 1, p99_ns),
	            FIGURE("floor", "paced", 1, p50_ns), "<= 4");
	print_ratio("writer, tmpfs: ours / floor", FIGURE("ours", "writer_tmpfs", 1, per_s),
	            FIGURE("floor", "writer_tmpfs", 1, per_s), ">= 0.5");
	print_ratio("writer: ours on disk / on tmpfs", FIGURE("ours", "writer_disk", 1, per_s),
	            FIGURE("ours", "writer_tmpfs", 1, per_s), ">= 0.75");
#undef FIGURE
}

/* ---- the plan ---- */

static bool wanted(const char *choice, const char *name) { return !choice || !strcmp(choice, name); }

static uint64_t either(uint64_t given, uint64_t quick, uint64_t full)
{
	if (given) return given;
	return options.quick ? quick : full;
}

static void fill(struct result *r, enum mode mode, struct samples *s)
{
	r->lost = s->lost;
	if (mode == MODE_BURST) {
		r->ns_min = samples_quantile(s, 0);
		r->ns_median = samples_quantile(s, .5);
	} else if (mode == MODE_PACED) {
		r->p50_ns = samples_quantile(s, .5);
		r->p99_ns = samples_quantile(s, .99);
	} else {
		r->per_s = samples_quantile(s, 1);
	}
}

static bool takes_part(const struct peer *peer, enum mode mode)
{
	if (mode == MODE_WRITER && peer->guest) return false;
	if (options.peer) return !strcmp(options.peer, peer->name);
	return !peer->guest || !options.quick;
}

/* A peer whose measurement failed or lost something has no figure, and the bench no success. */
static void measure_all(enum mode mode, const char *name, const struct load *load, uint64_t rounds)
{
	struct samples sample[PEERS] = {0};
	bool good[PEERS];
	for (int i = 0; i < PEERS; i++) good[i] = takes_part(peers[i], mode);
	for (uint64_t round = 0; round < rounds; round++)
		for (int i = 0; i < PEERS; i++)
			if (good[i] && !measure_in_child(peers[i], mode, load, &sample[i])) {
				good[i] = false;
				failed |= !peers[i]->guest;
			}
	for (int i = 0; i < PEERS; i++) {
		struct result r = {.peer = peers[i]->name, .mode = name, .threads = load->threads};
		if (good[i] && !sample[i].lost) {
			fill(&r, mode, &sample[i]);
			print(&r);
		} else if (good[i]) {
			fprintf(stderr, "bench-recorder: %s: %llu records lost: no figure\n", r.peer,
			        (unsigned long long)sample[i].lost);
			failed |= !peers[i]->guest;
		}
		samples_free(&sample[i]);
	}
}

static void bench_burst(struct load load)
{
	load.ops = either(options.ops, 20000, 20000);
	load.bursts = either(options.bursts, 5, 10);
	measure_all(MODE_BURST, "burst", &load, either(options.rounds, 2, 5));
}

static void bench_paced(struct load load)
{
	load.ops = either(options.ops, 12500, 50000);
	measure_all(MODE_PACED, "paced", &load, either(options.rounds, 2, 5));
}

static void bench_writer(struct load load, const char *directory)
{
	static bool done[2]; /* both directories may be on tmpfs, or neither */
	struct statfs fs;
	if (statfs(directory, &fs)) die("%s: %s", directory, strerror(errno));
	bool tmpfs = fs.f_type == TMPFS_MAGIC;
	if (done[tmpfs]) return;
	done[tmpfs] = true;
	load.directory = directory;
	load.threads = 1;
	load.to_file = load.block = true;
	load.ops = either(options.ops, 250 * 1000, 4000 * 1000 / RECORDS_PER_OP);
	measure_all(MODE_WRITER, tmpfs ? "writer_tmpfs" : "writer_disk", &load, either(options.rounds, 2, 3));
}

static void bench_inactive(struct load load)
{
	static const char *const names[INACTIVES] = {"inactive_null", "inactive_no_slot", "inactive_closing"};
	struct samples s = {0};
	load.threads = 1;
	if (!measure_in_child(&peer_ours, MODE_INACTIVE, &load, &s) || s.n != INACTIVES) {
		failed = true;
		return;
	}
	for (int i = 0; i < INACTIVES; i++) {
		struct result r = {.peer = "ours", .mode = names[i], .threads = 1, .op_ns = s.value[i], .lost = s.lost};
		print(&r);
	}
	samples_free(&s);
}

static void bench_once(struct load load)
{
	struct samples s = {0};
	struct result r = {.peer = "ours", .mode = "burst", .threads = load.threads};
	const struct peer *peer = &peer_ours;
	for (int i = 0; i < PEERS; i++)
		if (options.peer && wanted(options.peer, peers[i]->name)) peer = peers[i];
	r.peer = peer->name;
	load.ops = either(options.ops, 20000, 20000);
	load.bursts = 1;
	measure_here(peer, MODE_BURST, &load, &s);
	fill(&r, MODE_BURST, &s);
	print(&r);
	samples_free(&s);
}

static void check_choices(void)
{
	static const char *const modes[] = {"burst", "paced", "writer", "inactive"};
	bool mode = false, peer = false;
	for (size_t i = 0; i < WT_COUNT(modes); i++) mode |= wanted(options.mode, modes[i]);
	for (int i = 0; i < PEERS; i++) peer |= wanted(options.peer, peers[i]->name);
	if (mode && peer) return;
	fprintf(stderr, "bench-recorder: no %s of that name in this build; try --help\n", mode ? "peer" : "mode");
	exit(3);
}

int main(int argc, char **argv)
{
	parse_options(argc, argv, &options);
	check_choices();
	ticks_calibrate();
	print_head();
	struct load load = {
		.directory = options.dir, .threads = options.threads, .shared_logger = options.shared_logger};
	if (options.once) {
		bench_once(load);
		return 0;
	}
	int first = options.threads ? options.threads : 1, last = options.threads ? options.threads : 2;
	for (load.threads = first; load.threads <= last; load.threads++) {
		if (wanted(options.mode, "burst")) bench_burst(load);
		if (wanted(options.mode, "paced")) bench_paced(load);
	}
	if (wanted(options.mode, "writer")) {
		bench_writer(load, options.dir);
		bench_writer(load, options.disk_dir);
	}
	if (wanted(options.mode, "inactive") && wanted(options.peer, "ours")) bench_inactive(load);
	print_goals();
	return failed;
}
