/* SPDX-License-Identifier: MIT */
/* Replay from the page cache: a log is written, closed, opened and replayed, the two latter in a process of their own whose
 * memory is looked at. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "commitlog.h"

struct replayed {
	uint64_t records, bytes;
	double open_s, replay_s, rss_mb;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int open_log(const char *directory, struct commitlog **log)
{
	struct commitlog_options options;
	struct commitlog_error error;
	commitlog_options_init(&options);
	options.trace = COMMITLOG_TRACE_OFF;
	int result = commitlog_open(directory, &options, &error, log);
	if (result) fprintf(stderr, "bench-commitlog: %s\n", error.message);
	return result;
}

static int write_log(const char *directory, size_t record_bytes, unsigned batch, uint64_t records)
{
	struct commitlog *log;
	if (open_log(directory, &log)) return -1;
	uint8_t *value = calloc(1, record_bytes);
	if (!value) abort();
	int result = 0;
	for (uint64_t i = 1; i <= records && !result; i++) {
		uint64_t handle;
		memcpy(value, &i, sizeof i);
		result = commitlog_append(log, (struct commitlog_cid){.low = i}, value, record_bytes, &handle);
		if (!result && (i % batch == 0 || i == records)) result = commitlog_flush(log, handle);
	}
	free(value);
	return commitlog_close(log) || result ? -1 : 0;
}

static int next_record(void *context, const struct commitlog_entry *entry)
{
	uint64_t *last = context;
	return entry->cid.low == ++*last ? 0 : -1; /* in order, none missing */
}

static int replay(const char *directory, uint64_t records, struct replayed *r)
{
	struct commitlog *log;
	struct commitlog_replay_summary summary;
	uint64_t last = 0;
	double begin = now();
	if (open_log(directory, &log)) return -1;
	r->open_s = now() - begin;
	begin = now();
	int result = commitlog_replay(log, next_record, &last, &summary);
	r->replay_s = now() - begin;
	r->records = summary.records;
	r->bytes = summary.bytes;
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	r->rss_mb = (double)usage.ru_maxrss / 1024;
	if (result || last != records)
		fprintf(stderr, "bench-commitlog: replay stopped behind record %llu\n", (unsigned long long)last);
	return result || last != records ? -1 : 0;
}

static int replay_in_child(const char *directory, uint64_t records, struct replayed *r)
{
	int fd[2], status = -1;
	if (pipe(fd)) return -1;
	fflush(NULL);
	pid_t child = fork();
	if (child < 0) return -1;
	if (!child) _exit(replay(directory, records, r) || write(fd[1], r, sizeof *r) != sizeof *r);
	close(fd[1]);
	bool got = read(fd[0], r, sizeof *r) == sizeof *r;
	close(fd[0]);
	waitpid(child, &status, 0);
	return got && WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -1;
}

static void print(size_t record_bytes, unsigned batch, const struct replayed *r, bool json)
{
	double mb = (double)r->bytes / 1e6;
	if (json)
		printf("{\"bench\":\"commitlog\",\"peer\":\"ours\",\"mode\":\"replay\",\"threads\":1,\"payload_bytes\":%zu,"
		       "\"records_a_block\":%u,\"records_per_s\":%.0f,\"mb_per_s\":%.1f,\"open_mb_per_s\":%.1f,\"rss_mb\":%.1f,"
		       "\"lost\":0}\n",
		       record_bytes, batch, (double)r->records / r->replay_s, mb / r->replay_s, mb / r->open_s,
		       r->rss_mb);
	else
		printf("  replay, %6zu bytes a record, %3u a block   %8.2f GB/s   open (validates) %6.2f GB/s   %5.1f MB resident%s\n",
		       record_bytes, batch, mb / 1000 / r->replay_s, mb / 1000 / r->open_s, r->rss_mb,
		       mb / 1000 / r->replay_s >= 1 && r->rss_mb <= 64 ? "   met"
		                                                       : "   MISSED (goal >= 1 GB/s, <= 64 MB)");
}

int bench_replay(const char *directory, bool quick, bool json)
{
	static const struct {
		size_t record_bytes;
		unsigned batch;
	} shape[] = {{256, 64}, {64, 64}, {16384, 8}, {64, 1}};
	if (!json) putchar('\n');
	for (unsigned i = 0; i < sizeof shape / sizeof shape[0]; i++) {
		uint64_t total = (quick ? 16u : 256u) << 20, records = total / shape[i].record_bytes;
		if (shape[i].batch == 1) records = quick ? 1000 : 20000; /* each is an fsync */
		struct replayed r = {0};
		char log[4200];
		snprintf(log, sizeof log, "%s/replay", directory);
		int result = write_log(log, shape[i].record_bytes, shape[i].batch, records);
		if (!result) result = replay_in_child(log, records, &r);
		remove_directory(log);
		if (result) return -1;
		print(shape[i].record_bytes, shape[i].batch, &r, json);
	}
	return 0;
}
