/* SPDX-License-Identifier: MIT */
#include "wal/walk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { REASON_BYTES = sizeof((struct cl_walk *)0)->reason, SHORTEST_ENTRY_BYTES = CL_ENTRY_HEAD_BYTES };

static int invalid(char *reason, const char *what, uint64_t offset)
{
	snprintf(reason, REASON_BYTES, "%s at offset %" PRIu64, what, offset);
	return 0;
}

int cl_walk_entry(struct cl_view *view, uint64_t offset, struct cl_place *place, char *reason)
{
	uint64_t rest = view->size - offset;
	if (rest < CL_ENTRY_HEAD_BYTES) return invalid(reason, "the file ends inside an entry", offset);
	const uint8_t *head = cl_view_get(view, offset, CL_ENTRY_HEAD_BYTES);
	if (!head) return view->error;
	*place = (struct cl_place){
		.method = head[0], .key_at = offset + CL_ENTRY_HEAD_BYTES, .key_bytes = cl_get16(head + 1)};
	if (place->method > COMMITLOG_METHOD_APPEND) return invalid(reason, "an entry of unknown method", offset);
	uint64_t need = CL_ENTRY_HEAD_BYTES + place->key_bytes;
	place->end = place->value_at = offset + need;
	if (place->method == COMMITLOG_METHOD_REMOVE)
		return need <= rest ? 1 : invalid(reason, "the file ends inside an entry", offset);
	need += CL_VALUE_HEAD_BYTES;
	if (need > rest) return invalid(reason, "the file ends inside an entry", offset);
	const uint8_t *value_head = cl_view_get(view, place->value_at, CL_VALUE_HEAD_BYTES);
	if (!value_head) return view->error;
	place->value_bytes = cl_get32(value_head);
	place->value_at += CL_VALUE_HEAD_BYTES;
	place->end = place->value_at + place->value_bytes;
	return place->value_bytes <= rest - need ? 1 : invalid(reason, "the file ends inside an entry", offset);
}

static int crc_range(struct cl_view *view, uint64_t from, uint64_t to, uint32_t *crc)
{
	while (from < to) {
		size_t n = to - from < CL_READ_CHUNK_BYTES ? (size_t)(to - from) : CL_READ_CHUNK_BYTES;
		const uint8_t *bytes = cl_view_get(view, from, n);
		if (!bytes) return view->error;
		*crc = cl_crc(*crc, bytes, n);
		from += n;
	}
	return 0;
}

/* Is there a trailer at `at` that closes the block begun at `start`? *crc is that of [start, *summed); the bytes up to
 * `at` are summed up only when the length is right, each twice at most. 1, 0 or a negative errno. */
static int closes(struct cl_view *view, uint64_t start, uint64_t at, uint64_t *summed, uint32_t *crc, uint64_t *time_ms)
{
	if (view->size - at < CL_TRAILER_BYTES) return 0;
	const uint8_t *bytes = cl_view_get(view, at, CL_TRAILER_BYTES);
	if (!bytes) return view->error;
	struct cl_trailer trailer = cl_get_trailer(bytes);
	if (trailer.entry_bytes != at - start) return 0;
	*time_ms = trailer.time_ms;
	uint32_t whole = *crc;
	int result = crc_range(view, *summed, at + CL_TRAILER_TIME_BYTES, &whole);
	if (result || whole == trailer.crc) return result ? result : 1;
	result = crc_range(view, *summed, at, crc);
	*summed = at;
	return result;
}

/* The block at `start`: 1 and *block, 0 and `reason`, or a negative errno. */
static int find_block(struct cl_view *view, uint64_t start, struct cl_found *block, char *reason)
{
	*block = (struct cl_found){.offset = start};
	uint64_t at = start, summed = start;
	uint32_t crc = 0;
	for (;;) {
		if (at == view->size) return invalid(reason, "no valid trailer ends the block", start);
		struct cl_place place;
		int result = cl_walk_entry(view, at, &place, reason);
		if (result <= 0) return result;
		at = place.end;
		block->records++;
		result = closes(view, start, at, &summed, &crc, &block->time_ms);
		if (result < 0) return result;
		if (result) break;
	}
	block->entry_bytes = at - start;
	return 1;
}

/* Finds walk->data_end, which isn't before `from`, once a file. */
static int find_data_end(struct cl_view *view, struct cl_walk *walk, uint64_t from)
{
	if (walk->data_end) return 0;
	walk->data_end = from;
	for (uint64_t at = from; at < view->size;) {
		uint64_t rest = view->size - at;
		size_t n = rest < CL_READ_CHUNK_BYTES ? (size_t)rest : CL_READ_CHUNK_BYTES;
		const uint8_t *bytes = cl_view_get(view, at, n);
		if (!bytes) return view->error;
		if (bytes[0] || memcmp(bytes, bytes + 1, n - 1)) {
			size_t last = n;
			while (!bytes[last - 1]) last--;
			walk->data_end = at + last;
		}
		at += n;
	}
	return 0;
}

/* Are there only zeros from the block boundary true_bytes on? 1, 0 or a negative errno. */
static int only_zeros(struct cl_view *view, struct cl_walk *walk)
{
	static const uint8_t zeros[CL_TRAILER_BYTES];
	uint64_t from = walk->true_bytes, rest = view->size - from;
	size_t n = rest < sizeof zeros ? (size_t)rest : sizeof zeros;
	const uint8_t *bytes = cl_view_get(view, from, n);
	if (!bytes) return view->error;
	if (memcmp(bytes, zeros, n)) return 0;
	int result = find_data_end(view, walk, from);
	return result ? result : from >= walk->data_end;
}

/* Does a valid block begin at `start` and end with its trailer at `at`? The entries are followed before the CRC is
 * computed, so that chance and zeros cost next to nothing. *effort grows by what it cost. */
static int is_block(struct cl_view *view, uint64_t start, uint64_t at, uint64_t *effort)
{
	char reason[REASON_BYTES];
	uint64_t entry = start;
	while (entry < at) {
		struct cl_place place;
		int result = cl_walk_entry(view, entry, &place, reason);
		if (result <= 0) return result;
		entry = place.end;
		++*effort;
	}
	if (entry != at) return 0;
	uint64_t summed = start, time_ms;
	uint32_t crc = 0;
	*effort += (at - start) / CL_EFFORT_BYTES;
	return closes(view, start, at, &summed, &crc, &time_ms);
}

/* Looks for a valid block that lies wholly behind `from`: a torn write has none behind it. Goes by the trailers, since
 * behind damage nothing says where a block begins. 1 and *found (the file's size if the search was given up: it isn't
 * known then whether the tail is torn, so it must not be cut), 0, or a negative errno. */
static int block_follows(struct cl_view *view, uint64_t from, uint64_t end, uint64_t *effort, uint64_t *found)
{
	/* A view of its own, on all of the tail if it is no larger than a batch: blocks are looked for to and fro. */
	struct cl_view entries = {.os = view->os, .fd = view->fd, .size = view->size};
	size_t window = end - from < CL_READ_ENTRY_MAX ? (size_t)(end - from) : CL_READ_ENTRY_MAX;
	int result = cl_view_get(&entries, from, window) ? 0 : entries.error;
	for (uint64_t at = from + SHORTEST_ENTRY_BYTES; !result && at + CL_TRAILER_BYTES <= end; at++) {
		const uint8_t *bytes = cl_view_get(view, at, CL_TRAILER_BYTES);
		if (!bytes) {
			result = view->error;
			break;
		}
		uint32_t n = cl_get32(bytes + 12);
		if (n < SHORTEST_ENTRY_BYTES || n >= at - from) continue;
		uint64_t loads = entries.loads;
		*found = at - n;
		result = is_block(&entries, at - n, at, effort);
		*effort += (entries.loads - loads) * (entries.capacity / CL_EFFORT_BYTES);
		if (result || *effort <= CL_EFFORT_MAX) continue;
		*found = view->size;
		result = 1;
	}
	cl_view_close(&entries);
	return result;
}

/* What follows the last whole block, which isn't a valid block itself. */
static int judge_tail(struct cl_view *view, struct cl_walk *walk)
{
	uint64_t found = 0;
	int result = find_data_end(view, walk, walk->true_bytes);
	if (result) return result;
	uint64_t end = walk->data_end;
	walk->torn_bytes = end - walk->true_bytes;
	/* The last trailer may end in zero bytes, so the search may not stop with the last byte that isn't zero. */
	uint64_t limit = view->size - end < CL_TRAILER_BYTES ? view->size : end + CL_TRAILER_BYTES;
	result = block_follows(view, walk->true_bytes, limit, &walk->effort, &found);
	if (result < 0) return result;
	walk->tail = result ? CL_TAIL_DAMAGED : CL_TAIL_TORN;
	walk->next_block = found;
	if (!result) return 0;
	size_t used = strlen(walk->reason);
	if (found == view->size)
		snprintf(walk->reason + used, sizeof walk->reason - used,
		         ", and the search for a valid block behind it was given up");
	else
		snprintf(walk->reason + used, sizeof walk->reason - used,
		         ", and a valid block follows at offset %" PRIu64, found);
	return 0;
}

int cl_walk_file(struct cl_view *view, struct cl_walk *walk, cl_on_block *on_block, void *context)
{
	*walk = (struct cl_walk){0};
	return cl_walk_on(view, walk, on_block, context);
}

int cl_walk_on(struct cl_view *view, struct cl_walk *walk, cl_on_block *on_block, void *context)
{
	while (walk->true_bytes < view->size) {
		int result = only_zeros(view, walk);
		if (result < 0) return result;
		if (result) {
			walk->tail = CL_TAIL_ZEROS;
			return 0;
		}
		struct cl_found block;
		view->keep = walk->true_bytes; /* a block is parsed, then summed up, then given out */
		result = find_block(view, walk->true_bytes, &block, walk->reason);
		if (result < 0) return result;
		if (!result) return judge_tail(view, walk);
		walk->blocks++;
		walk->records += block.records;
		walk->true_bytes += block.entry_bytes + CL_TRAILER_BYTES;
		result = on_block ? on_block(context, view, &block) : 0;
		if (result) return result;
	}
	return 0;
}
