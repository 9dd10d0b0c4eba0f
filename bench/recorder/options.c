/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum { OPS = 'o', BURSTS = 'b', ROUNDS = 'r', SHARED = 's', ONCE = '1', DISK = 'D', MAX_OPS = 100 * 1000 * 1000 };

static const struct option names[] = {{"quick", no_argument, NULL, 'q'},
                                      {"json", no_argument, NULL, 'j'},
                                      {"mode", required_argument, NULL, 'm'},
                                      {"threads", required_argument, NULL, 't'},
                                      {"peer", required_argument, NULL, 'p'},
                                      {"ops", required_argument, NULL, OPS},
                                      {"bursts", required_argument, NULL, BURSTS},
                                      {"rounds", required_argument, NULL, ROUNDS},
                                      {"shared-logger", no_argument, NULL, SHARED},
                                      {"once", no_argument, NULL, ONCE},
                                      {"dir", required_argument, NULL, 'd'},
                                      {"disk-dir", required_argument, NULL, DISK},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

static const char usage[] =
	"usage: bench-recorder [--quick] [--json] [--mode burst|paced|writer|inactive] [--peer NAME] [--threads N]\n"
	"                      [--ops N] [--bursts N] [--rounds N] [--shared-logger] [--once] [--dir D] [--disk-dir D]\n"
	"\n"
	"What the recorder costs: one operation is a flush of three records with nine clock reads.\n"
	"  burst     operations without a pause into an empty queue: ns a record, the shortest and the median burst\n"
	"  paced     one operation each 20 us, spinning between: p50 and p99 of an operation\n"
	"  writer    records a second into a file on tmpfs, then on a disk\n"
	"  inactive  ns an operation that isn't recorded: no session; no free slot; session closing\n"
	"\n"
	"  --quick          under 20 s, for a sanity check\n"
	"  --json           one object a line\n"
	"  --mode, --peer   only this one (by default all)\n"
	"  --threads N      producers (by default 1, then 2; at most 64)\n"
	"  --ops N          operations of a thread, in a burst or in all; a burst of all threads must fit into the queue\n"
	"  --bursts N       bursts a round; --rounds N: processes a peer, taken in turns (5 rounds of 10 bursts)\n"
	"  --shared-logger  one logger for all threads; by default each thread has its own, as a WAL's commit lock lets\n"
	"                   one thread in at a time anyway\n"
	"  --once           one burst, in this process: valgrind --tool=callgrind --toggle-collect=bench_ours_run\n"
	"                   bench-recorder --once --threads 1 --ops 10000\n"
	"  --dir D          where traces go (by default /dev/shm); --disk-dir D: the disk of \"writer\" (by default here)\n";

static void refuse(const char *what, const char *value, const char *how)
{
	fprintf(stderr, "bench-recorder: %s %s: %s\n", what, value, how);
	exit(3);
}

static uint64_t number(const char *name, const char *text, uint64_t max)
{
	char *end;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	if (errno || *end || end == text || *text == '-' || n < 1 || n > max) {
		char range[64];
		snprintf(range, sizeof range, "give a number from 1 to %llu", (unsigned long long)max);
		refuse(name, text, range);
	}
	return n;
}

static void check(struct options *o)
{
	if (o->once && !o->threads) o->threads = 1;
	uint64_t threads = o->threads ? (uint64_t)o->threads : 2, most = QUEUE_RECORDS / RECORDS_PER_OP / threads;
	bool burst = o->once || (o->mode && !strcmp(o->mode, "burst"));
	char value[32], how[96];
	snprintf(value, sizeof value, "%llu", (unsigned long long)o->ops);
	snprintf(how, sizeof how, "a burst of %llu threads must fit into the queue: at most %llu",
	         (unsigned long long)threads, (unsigned long long)most);
	if (burst && o->ops > most) refuse("--ops", value, how);
	if (o->ops && !o->mode && !o->once) refuse("--ops", value, "say which --mode it is for");
	if (o->once && o->mode && !burst) refuse("--mode", o->mode, "--once makes a burst");
}

void parse_options(int argc, char **argv, struct options *o)
{
	*o = (struct options){.dir = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", .disk_dir = "."};
	for (int c; (c = getopt_long(argc, argv, "hj", names, NULL)) != -1;) {
		switch (c) {
		case 'q': o->quick = true; break;
		case 'j': o->json = true; break;
		case 'm': o->mode = optarg; break;
		case 't': o->threads = (int)number("--threads", optarg, MAX_THREADS); break;
		case 'p': o->peer = optarg; break;
		case OPS: o->ops = number("--ops", optarg, MAX_OPS); break;
		case BURSTS: o->bursts = number("--bursts", optarg, 10000); break;
		case ROUNDS: o->rounds = number("--rounds", optarg, 1000); break;
		case SHARED: o->shared_logger = true; break;
		case ONCE: o->once = true; break;
		case 'd': o->dir = optarg; break;
		case DISK: o->disk_dir = optarg; break;
		case 'h': fputs(usage, stdout); exit(0);
		default: fputs("bench-recorder: try --help\n", stderr); exit(3);
		}
	}
	if (optind < argc) refuse("argument", argv[optind], "none is expected; try --help");
	check(o);
}
