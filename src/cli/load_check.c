/* SPDX-License-Identifier: MIT */
/* What a record holds, and whether the log still has it: each acknowledged record must be in the files once, with its
 * bytes. A record's cid is {committer + 1, number}, and the payload follows from these two. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/load.h"

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

void wt_load_payload(uint8_t *bytes, size_t n, uint64_t committer, uint64_t number)
{
	uint64_t word = mix((committer + 1) << 40 ^ number);
	size_t i = 0;
	for (; i + sizeof word <= n; i += sizeof word, word += 0x9e3779b97f4a7c15ull)
		memcpy(bytes + i, &word, sizeof word);
	memcpy(bytes + i, &word, n - i);
}

struct reader {
	const struct wt_load *load;
	const struct wt_load_committer *committers;
	uint64_t **seen; /* a bit a record, a row a committer */
	struct wt_load_check *check;
	uint8_t *expected;
	uint64_t block_file, block_offset, block_records; /* of the block that is being read */
	uint64_t sizes[WT_LOAD_BATCH_MAX + 1];            /* blocks by records */
};

static void end_block(struct reader *r)
{
	if (!r->block_records) return;
	uint64_t size = r->block_records;
	r->check->batches++;
	r->sizes[size < WT_LOAD_BATCH_MAX ? size : WT_LOAD_BATCH_MAX]++;
	if (size > r->check->batch_max) r->check->batch_max = size;
	r->block_records = 0;
}

static void count_block(struct reader *r, const struct commitlog_entry *entry)
{
	if (entry->file_index != r->block_file || entry->block_offset != r->block_offset) end_block(r);
	r->block_file = entry->file_index;
	r->block_offset = entry->block_offset;
	r->block_records++;
}

static bool right(struct reader *r, const struct commitlog_entry *entry)
{
	uint64_t committer = entry->cid.high - 1, number = entry->cid.low, bit = 1ull << (number & 63);
	if (entry->method != COMMITLOG_METHOD_APPEND || committer >= r->load->committers) return false;
	if (!number || number > r->committers[committer].appended) return false;
	if (r->seen[committer][number >> 6] & bit) return false;
	if (entry->value_bytes != r->load->payload_bytes) return false;
	wt_load_payload(r->expected, entry->value_bytes, committer, number);
	if (memcmp(r->expected, entry->value, entry->value_bytes) != 0) return false;
	r->seen[committer][number >> 6] |= bit;
	return true;
}

static int see(void *context, const struct commitlog_entry *entry)
{
	struct reader *r = context;
	r->check->records++;
	count_block(r, entry);
	if (!right(r, entry)) r->check->wrong++;
	return 0;
}

static uint64_t size_at(const struct reader *r, double share)
{
	uint64_t sum = 0;
	for (uint64_t size = 1; size < WT_LOAD_BATCH_MAX; size++) {
		sum += r->sizes[size];
		if (sum && (double)sum >= share * (double)r->check->batches) return size;
	}
	return r->check->batch_max;
}

static void count_missing(struct reader *r)
{
	for (unsigned c = 0; c < r->load->committers; c++) {
		uint64_t last = r->committers[c].acknowledged;
		r->check->acknowledged += last;
		for (uint64_t n = 1; n <= last; n++)
			if (!(r->seen[c][n >> 6] >> (n & 63) & 1)) r->check->missing++;
	}
}

static int make_rows(struct reader *r)
{
	r->seen = calloc(r->load->committers, sizeof *r->seen);
	r->expected = malloc(r->load->payload_bytes);
	if (!r->seen || !r->expected) return -ENOMEM;
	for (unsigned c = 0; c < r->load->committers; c++) {
		r->seen[c] = calloc(r->committers[c].appended / 64 + 1, sizeof **r->seen);
		if (!r->seen[c]) return -ENOMEM;
	}
	return 0;
}

static void free_rows(struct reader *r)
{
	for (unsigned c = 0; r->seen && c < r->load->committers; c++) free(r->seen[c]);
	free(r->seen);
	free(r->expected);
}

int wt_load_read_back(const struct wt_load *load, const struct wt_load_committer *committers,
                      struct wt_load_check *check, struct wt_err *err)
{
	struct reader r = {.load = load, .committers = committers, .check = check};
	*check = (struct wt_load_check){0};
	int result = make_rows(&r);
	if (result) {
		free_rows(&r);
		return wt_err_set(err, result, "not enough memory to read the log back");
	}
	struct commitlog_error error;
	struct commitlog_scan_summary sum;
	result = commitlog_scan(load->wal_directory, COMMITLOG_SCAN_ALL, see, &r, &sum, &error);
	if (result) wt_err_set(err, result, "reading the log back: %s", error.message);
	else if (sum.torn_bytes)
		result = wt_err_set(err, -EBADMSG,
		                    "reading the log back: %s/%s ends with %" PRIu64 " bytes of a torn block",
		                    load->wal_directory, sum.torn_file, sum.torn_bytes);
	end_block(&r);
	count_missing(&r);
	check->batch_p50 = size_at(&r, .5);
	check->batch_p99 = size_at(&r, .99);
	free_rows(&r);
	return result;
}
