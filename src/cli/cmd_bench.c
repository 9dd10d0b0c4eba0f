/* SPDX-License-Identifier: MIT */
/* waltrace bench: the demo's load without the story, for comparisons. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/demo_text.h"
#include "cli/load.h"
#include "cli/load_args.h"
#include "read/units.h"

enum { COMMITTERS = 8, SECONDS = 5, PAYLOAD = 256, BLOCK_LIMIT = 8 << 10 };

struct bench {
	uint64_t committers, seconds, payload_bytes, delay_ms, block_limit_bytes;
	const char *directory, *format;
	bool no_trace, json, keep;
	char place[WT_LOAD_DIRECTORY];
	bool temporary; /* place is removed at the end */
};

static void print_help(void)
{
	printf("Usage: waltrace bench [OPTION …]\n"
	       "\n"
	       "Commits durably from N threads in a closed loop and prints commits/s, the times\n"
	       "of their flushes, fsyncs and batch sizes. Then the log is read back: every\n"
	       "acknowledged commit must be there.\n"
	       "\n"
	       "  --committers N   threads, 1 to %d (%d)\n"
	       "  --seconds S      how long, 1 to %d (%d)\n"
	       "  --payload BYTES  size of a record, %d to %d (%d)\n"
	       "  --delay-ms D     delay timer, 0 (none) to %d (0)\n"
	       "  --block-limit B  bytes of a block that the timer isn't waited for at,\n"
	       "                   %d to %d (%d)\n"
	       "  --dir D          where to measure: a new or empty directory, kept with what\n"
	       "                   is in it (a temporary one here, removed at the end)\n"
	       "  --keep           keep the temporary directory\n"
	       "  --no-trace       without the recorder\n"
	       "  --json           one JSON object; the same as --format json\n"
	       "  --help           this text\n"
	       "\n"
	       "A run ends early when its trace or its log reaches %llu GiB.\n"
	       "\n"
	       "Examples:\n"
	       "  waltrace bench --committers 64\n"
	       "  waltrace bench --committers 64 --no-trace --json\n"
	       "  waltrace bench --delay-ms 1 --dir /mnt/disk/bench\n"
	       "\n"
	       "Exit status: 0 good; 1 the trace is incomplete, a commit is missing or the run\n"
	       "failed; 3 wrong usage.\n",
	       WT_LOAD_COMMITTERS_MAX, COMMITTERS, WT_LOAD_SECONDS_MAX, SECONDS, WT_LOAD_PAYLOAD_MIN,
	       WT_LOAD_PAYLOAD_MAX, PAYLOAD, WT_LOAD_DELAY_MS_MAX, WT_LOAD_BLOCK_MIN, WT_LOAD_BLOCK_MAX, BLOCK_LIMIT,
	       WT_BENCH_WAL_BYTES >> 30);
}

static enum wt_parsed parse(int argc, char **argv, struct bench *b)
{
	const struct wt_option options[] = {
		{.name = "committers", .value = &b->committers, .min = 1, .max = WT_LOAD_COMMITTERS_MAX},
		{.name = "seconds", .value = &b->seconds, .min = 1, .max = WT_LOAD_SECONDS_MAX},
		{.name = "payload",
	         .value = &b->payload_bytes,
	         .min = WT_LOAD_PAYLOAD_MIN,
	         .max = WT_LOAD_PAYLOAD_MAX,
	         .unit = " bytes"},
		{.name = "delay-ms", .value = &b->delay_ms, .min = 0, .max = WT_LOAD_DELAY_MS_MAX, .unit = " ms"},
		{.name = "block-limit",
	         .value = &b->block_limit_bytes,
	         .min = WT_LOAD_BLOCK_MIN,
	         .max = WT_LOAD_BLOCK_MAX,
	         .unit = " bytes"},
		{.name = "dir", .text = &b->directory},
		{.name = "format", .text = &b->format},
		{.name = "keep", .flag = &b->keep},
		{.name = "no-trace", .flag = &b->no_trace},
		{.name = "json", .flag = &b->json},
	};
	enum wt_parsed parsed = wt_parse_options(argc, argv, options, WT_COUNT(options));
	if (parsed != WT_PARSED_RUN || !b->format) return parsed;
	if (!strcmp(b->format, "json")) b->json = true;
	else if (strcmp(b->format, "text") != 0) {
		fprintf(stderr, "waltrace: bench: --format %.100s: must be text or json\nTry: waltrace bench --help\n",
		        b->format);
		return WT_PARSED_WRONG;
	}
	return WT_PARSED_RUN;
}

static int take_place(struct bench *b, struct wt_err *err)
{
	struct wt_disk disk;
	b->temporary = !b->directory;
	snprintf(b->place, sizeof b->place, "%s", b->directory ? b->directory : "waltrace-bench-XXXXXX");
	if (b->temporary) {
		if (!mkdtemp(b->place))
			return wt_err_set(err, -errno,
			                  "can't make a directory here: %s: choose another place with --dir",
			                  strerror(errno));
	} else {
		int code = wt_take_directory(b->place, err);
		if (code) return code;
	}
	return wt_look_at_disk(b->place, &disk, err);
}

static void leave_place(const struct bench *b)
{
	if (b->temporary && !b->keep) wt_remove_directory(b->place);
	else fprintf(stderr, "files: %s (%s)\n", b->place, wt_bytes((double)wt_directory_bytes(b->place)).text);
}

static int run(const struct bench *b, struct wt_load_result *result)
{
	struct wt_load load = {
		.run_id = "bench",
		.committers = (unsigned)b->committers,
		.payload_bytes = (unsigned)b->payload_bytes,
		.seconds = (unsigned)b->seconds,
		.delay_ms = b->delay_ms,
		.block_limit_bytes = b->block_limit_bytes,
		.trace_limit_bytes = WT_BENCH_TRACE_BYTES,
		.wal_limit_bytes = WT_BENCH_WAL_BYTES,
	};
	snprintf(load.wal_directory, sizeof load.wal_directory, "%s/wal", b->place);
	if (!b->no_trace) {
		snprintf(load.trace_directory, sizeof load.trace_directory, "%s", b->place);
		snprintf(load.trace_path, sizeof load.trace_path, "%s/bench.jsonl", b->place);
	}
	char text[WT_PAGE_COLUMNS];
	snprintf(text, sizeof text, "%u committers, %u s …", load.committers, load.seconds);
	wt_progress(text);
	int code = wt_load_in_child(&load, result);
	wt_progress(NULL);
	return code;
}

/* ---- Output ------------------------------------------------------------------------------------------------- */

static double per(double a, double b) { return b > 0 ? a / b : 0; }

static void print_json(const struct bench *b, const struct wt_load_result *r)
{
	double seconds = (double)r->elapsed_ns / 1e9, commits = (double)r->commits;
	printf("{\"bench\":\"commitlog\",\"peer\":\"ours\",\"mode\":\"closed\",\"threads\":%" PRIu64, b->committers);
	printf(",\"p50_ns\":%" PRIu64 ",\"p90_ns\":%" PRIu64 ",\"p99_ns\":%" PRIu64 ",\"p999_ns\":%" PRIu64
	       ",\"max_ns\":%" PRIu64,
	       wt_load_quantile(r, .5), wt_load_quantile(r, .9), wt_load_quantile(r, .99), wt_load_quantile(r, .999),
	       r->max_ns);
	printf(",\"commits_per_s\":%.1f,\"commits_per_fsync\":%.3f,\"payload_bytes\":%" PRIu64 ",\"mb_per_s\":%.3f",
	       wt_load_rate(r), wt_load_per_fsync(r), b->payload_bytes,
	       per(commits * (double)b->payload_bytes / 1e6, seconds));
	printf(",\"rss_mb\":%.1f,\"traced\":%s,\"lost\":%" PRIu64, (double)r->rss_bytes / 1e6,
	       b->no_trace ? "false" : "true", r->trace.lost);
	printf(",\"seconds\":%.3f,\"commits\":%" PRIu64 ",\"fsyncs\":%" PRIu64 ",\"batches\":%" PRIu64
	       ",\"batch_p50\":%" PRIu64 ",\"batch_p99\":%" PRIu64 ",\"batch_max\":%" PRIu64
	       ",\"bytes_per_batch\":%.1f",
	       seconds, r->commits, r->log.commit_syncs, r->log.batches, r->check.batch_p50, r->check.batch_p99,
	       r->check.batch_max, per((double)r->log.written_bytes, (double)r->log.batches));
	printf(",\"written_bytes\":%" PRIu64 ",\"rotations\":%" PRIu64
	       ",\"cpu_us_per_commit\":%.3f,\"delay_ms\":%" PRIu64 ",\"block_limit_bytes\":%" PRIu64,
	       r->log.written_bytes, r->log.rotations, per((double)r->cpu_ns / 1e3, commits), b->delay_ms,
	       b->block_limit_bytes);
	printf(",\"acknowledged\":%" PRIu64 ",\"missing\":%" PRIu64 ",\"wrong\":%" PRIu64 ",\"ended_early\":%s",
	       r->check.acknowledged, r->check.missing, r->check.wrong, r->full ? "true" : "false");
	if (!b->no_trace)
		printf(",\"complete\":%s,\"records\":%" PRIu64 ",\"trace_bytes\":%" PRIu64,
		       r->trace.complete ? "true" : "false", r->trace.written, r->trace.bytes);
	printf("}\n");
}

static void print_text(const struct bench *b, const struct wt_load_result *r)
{
	double seconds = (double)r->elapsed_ns / 1e9;
	printf("%" PRIu64 " committers, records of %s, ", b->committers, wt_bytes((double)b->payload_bytes).text);
	if (b->delay_ms) printf("%" PRIu64 " ms delay timer", b->delay_ms);
	else printf("no timer");
	printf(", %s, %.2f s%s\n\n", b->no_trace ? "not recorded" : "recorded", seconds,
	       r->full ? " (ended early: its files had reached their limit)" : "");
	printf("commits       %s, %s/s, %.1f MB/s\n", wt_count(r->commits).text,
	       wt_count((uint64_t)(wt_load_rate(r) + .5)).text,
	       per((double)(r->commits * b->payload_bytes) / 1e6, seconds));
	printf("flush         p50 %s   p90 %s   p99 %s   p99.9 %s   max %s\n",
	       wt_ns((double)wt_load_quantile(r, .5)).text, wt_ns((double)wt_load_quantile(r, .9)).text,
	       wt_ns((double)wt_load_quantile(r, .99)).text, wt_ns((double)wt_load_quantile(r, .999)).text,
	       wt_ns((double)r->max_ns).text);
	printf("fsyncs        %s, %.1f commits each\n", wt_count(r->log.commit_syncs).text, wt_load_per_fsync(r));
	printf("batches       %s, p50 %s   p99 %s   max %s commits; %s on average\n", wt_count(r->log.batches).text,
	       wt_count(r->check.batch_p50).text, wt_count(r->check.batch_p99).text, wt_count(r->check.batch_max).text,
	       wt_bytes(per((double)r->log.written_bytes, (double)r->log.batches)).text);
	printf("written       %s, %" PRIu64 " rotations\n", wt_bytes((double)r->log.written_bytes).text,
	       r->log.rotations);
	printf("processor     %.2f µs a commit, %s resident\n", per((double)r->cpu_ns / 1e3, (double)r->commits),
	       wt_bytes((double)r->rss_bytes).text);
	printf("WAL           %s of %s acknowledged commits missing\n", wt_count(r->check.missing).text,
	       wt_count(r->check.acknowledged).text);
	if (b->no_trace) return;
	printf("trace         %s: %s records, %s lost, %s\n", r->trace.complete ? "complete" : "INCOMPLETE",
	       wt_count(r->trace.written).text, wt_count(r->trace.lost).text, wt_bytes((double)r->trace.bytes).text);
}

static int conclude(const struct bench *b, const struct wt_load_result *r)
{
	if (b->json) print_json(b, r);
	else print_text(b, r);
	fflush(stdout);
	if (!wt_load_sound(r))
		fprintf(stderr,
		        "waltrace: bench: %" PRIu64 " acknowledged commits are missing, %" PRIu64
		        " records are wrong\n",
		        r->check.missing, r->check.wrong);
	bool complete = b->no_trace || r->trace.complete;
	if (!complete)
		fprintf(stderr, "waltrace: bench: the trace is incomplete (%s, %" PRIu64 " records lost)\n",
		        r->trace.reason, r->trace.lost);
	return wt_load_sound(r) && complete ? WT_EXIT_GOOD : WT_EXIT_INCOMPLETE;
}

int wt_cmd_bench(int argc, char **argv)
{
	struct bench b = {.committers = COMMITTERS,
	                  .seconds = SECONDS,
	                  .payload_bytes = PAYLOAD,
	                  .block_limit_bytes = BLOCK_LIMIT};
	static struct wt_load_result result; /* large */
	struct wt_err err = {0};
	enum wt_parsed parsed = parse(argc, argv, &b);
	if (parsed == WT_PARSED_WRONG) return WT_EXIT_USAGE;
	if (parsed == WT_PARSED_HELP) {
		print_help();
		return WT_EXIT_GOOD;
	}
	if (take_place(&b, &err)) {
		fprintf(stderr, "waltrace: bench: %s\n", err.text);
		return WT_EXIT_INCOMPLETE;
	}
	wt_load_catch_signals();
	int status = WT_EXIT_INCOMPLETE;
	if (run(&b, &result)) fprintf(stderr, "waltrace: bench: %s\n", result.err.text);
	else status = conclude(&b, &result);
	leave_place(&b);
	wt_load_obey_signal();
	return status;
}
