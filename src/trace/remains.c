/* SPDX-License-Identifier: MIT */
#include "trace/remains.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "trace/record.h"
#include "trace/segment.h"

/* ---- The head ------------------------------------------------------------------------------------------------------ */

static bool head_is_whole(const struct wt_segment *g, uint64_t bytes)
{
	struct wt_segment want;
	memset(&want, 0, sizeof want);
	if (g->magic != WT_SEGMENT_MAGIC || g->version != WT_SEGMENT_VERSION) return false;
	if (g->capacity < WT_CAPACITY_MIN || g->capacity > WT_CAPACITY_MAX) return false;
	if (g->shard_count < 1 || g->shard_count > WT_SHARDS_MAX) return false;
	wt_segment_lay_out(&want, g->capacity, g->shard_count);
	return want.bytes == bytes && g->bytes == bytes && g->head_bytes == want.head_bytes &&
	       g->chunk_count == want.chunk_count && g->shards_at == want.shards_at && g->losses_at == want.losses_at &&
	       g->latencies_at == want.latencies_at && g->states_at == want.states_at && g->slots_at == want.slots_at &&
	       g->spills_at == want.spills_at && g->loggers_at == want.loggers_at &&
	       g->logger_text_at == want.logger_text_at && g->path_links_at == want.path_links_at &&
	       g->path_blocks_at == want.path_blocks_at && g->chunk_links_at == want.chunk_links_at &&
	       g->chunks_at == want.chunks_at && g->credit_at == want.credit_at &&
	       g->published_at == want.published_at && g->histograms_at == want.histograms_at &&
	       g->trace_path_at == want.trace_path_at && g->max_bytes >= WT_MAX_BYTES_MIN &&
	       g->max_bytes <= WT_MAX_BYTES_MAX && memchr(g->session_id, 0, sizeof g->session_id) &&
	       memchr(g->boot_id, 0, sizeof g->boot_id) && memchr(g->trace_path, 0, sizeof g->trace_path);
}

/* The newest of the two places that is whole. */
static bool find_published(const struct wt_segment *g, struct wt_published *found)
{
	memset(found, 0, sizeof *found);
	for (int i = 0; i < 2; i++) {
		const struct wt_publication *p = &g->published[i];
		uint32_t generation = atomic_load_explicit(&p->generation, memory_order_acquire);
		if (!generation || p->what.generation != generation || wt_published_check(&p->what) != p->check)
			continue;
		if (generation > found->generation) *found = p->what;
	}
	return found->generation != 0;
}

static int check(struct wt_remains *r, const char *name, struct wt_err *err)
{
	if (!head_is_whole(r->segment, r->bytes))
		return wt_err_set(err, -EBADMSG, "%s is damaged or of another version: it is left as it is", name);
	if (!find_published(r->segment, &r->published))
		return wt_err_set(err, -EBADMSG, "%s says nothing of what its trace holds: it is left as it is", name);
	return 0;
}

int wt_remains_open(const char *name, struct wt_remains *r, struct wt_err *err)
{
	struct stat st;
	int fd = shm_open(name, O_RDONLY | O_NOFOLLOW, 0), error = 0;
	if (fd < 0) return wt_err_set(err, -errno, "%s: %s", name, strerror(errno));
	memset(r, 0, sizeof *r);
	if (fstat(fd, &st)) error = wt_err_set(err, -errno, "%s: %s", name, strerror(errno));
	else if (st.st_uid != geteuid())
		error = wt_err_set(err, -EPERM, "%s belongs to another user: he has to recover it", name);
	else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size < WT_HEAD_BYTES)
		error = wt_err_set(err, -EBADMSG, "%s is no segment", name);
	if (!error) {
		void *memory = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
		if (memory == MAP_FAILED) error = wt_err_set(err, -errno, "%s: %s", name, strerror(errno));
		else r->segment = memory, r->bytes = (uint64_t)st.st_size;
	}
	close(fd);
	if (!error && (error = check(r, name, err))) wt_remains_close(r);
	return error;
}

void wt_remains_close(struct wt_remains *r)
{
	munmap((void *)(uintptr_t)r->segment, (size_t)r->bytes);
	r->segment = NULL;
}

int wt_remains_gone(const struct wt_remains *r, struct wt_err *err)
{
	const struct wt_segment *g = r->segment;
	char boot_id[sizeof g->boot_id];
	wt_boot_id(boot_id, sizeof boot_id);
	if (strcmp(boot_id, g->boot_id) != 0) return 0; /* another boot: nobody of it lives */
	if (g->pid_namespace != wt_pid_namespace())
		return wt_err_set(err, -EXDEV, "process %llu is in another pid namespace: recover its trace there",
		                  (unsigned long long)g->pid);
	if (wt_process_start(g->pid) != g->pid_start || !g->pid_start) return 0;
	return wt_err_set(err, -EBUSY, "process %llu still runs", (unsigned long long)g->pid);
}

/* ---- Counters ------------------------------------------------------------------------------------------------------- */

static const struct wt_shard *shard_at(const struct wt_remains *r, uint32_t i)
{
	return (const struct wt_shard *)wt_remains_part(r, r->segment->shards_at) + i;
}

uint64_t wt_remains_tried(const struct wt_remains *r)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < r->segment->shard_count; i++) {
		const struct wt_shard *s = shard_at(r, i);
		sum += s->tried + (uint32_t)(WT_CREDIT_TRIED(atomic_load(&s->credit)) - s->tried_seen);
	}
	return sum;
}

uint64_t wt_remains_lost(const struct wt_remains *r, enum wt_loss cause)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < r->segment->shard_count; i++) sum += atomic_load(&shard_at(r, i)->lost[cause]);
	return sum;
}

uint64_t wt_remains_helpers(const struct wt_remains *r)
{
	uint64_t begun = 0, ended = 0;
	for (uint32_t i = 0; i < r->segment->shard_count; i++) {
		begun += atomic_load(&shard_at(r, i)->helpers_begun);
		ended += atomic_load(&shard_at(r, i)->helpers_ended);
	}
	return begun > ended ? begun - ended : 0;
}

uint32_t wt_remains_loggers(const struct wt_remains *r)
{
	const struct waltrace_logger *logger = wt_remains_part(r, r->segment->loggers_at);
	uint32_t n = atomic_load(&r->segment->loggers);
	if (n > WALTRACE_MAX_LOGGERS) n = WALTRACE_MAX_LOGGERS;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t end = (uint64_t)logger[i].text + logger[i].wal_bytes + logger[i].file_bytes;
		if (logger[i].id != i + 1 || end > WT_LOGGER_TEXT_BYTES) return i;
	}
	return n;
}

/* ---- Rows ------------------------------------------------------------------------------------------------------------ */

static bool chain_is_whole(const struct wt_remains *r, uint32_t bytes, uint32_t block)
{
	const struct wt_block *blocks = wt_remains_part(r, r->segment->path_blocks_at);
	if (bytes > WALTRACE_MAX_PATH_BYTES) return false;
	for (uint64_t left = bytes;;) {
		if (block >= WT_PATH_BLOCKS) return false;
		if (left <= WT_BLOCK_PAYLOAD) return true;
		left -= WT_BLOCK_PAYLOAD;
		block = blocks[block].next - 1;
	}
}

/* Texts and paths end inside the row, long paths are whole chains. */
static bool strings_are_whole(const struct wt_remains *r, const struct wt_row *row, const unsigned char *at)
{
	const unsigned char *end = (const unsigned char *)row + row->bytes;
	for (int i = 0; i < WALTRACE_STRINGS; i++) {
		if (row->word[i] != WT_WORD_TEXT) {
			if (row->word[i] >= WALTRACE_WORDS) return false;
			continue;
		}
		if (!(row->mask & WT_ROW_TEXT) || end - at < 1 || end - at < 1 + at[0]) return false;
		at += 1 + at[0];
	}
	for (int slot = 0; slot < 2; slot++) {
		uint32_t bytes, block;
		if (!(row->mask & WT_ROW_PATH(slot))) continue;
		if (end - at < 8) return false;
		memcpy(&bytes, at, 4);
		memcpy(&block, at + 4, 4);
		at += 8;
		if (bytes > WALTRACE_MAX_TEXT) {
			if (!chain_is_whole(r, bytes, block)) return false;
		} else {
			if ((uint32_t)(end - at) < bytes) return false;
			at += bytes;
		}
	}
	return true;
}

static bool row_is_whole(const struct wt_remains *r, const struct wt_row *row, uint64_t room, uint32_t loggers)
{
	if (room < sizeof *row || row->bytes < sizeof *row || row->bytes > room || row->bytes % 8) return false;
	uint64_t values = 8 * (uint64_t)__builtin_popcountll(row->mask & WT_ROW_FIELDS);
	if (sizeof *row + values > row->bytes || row->mask >> (WT_ROW_TEXT_SHIFT + 1)) return false;
	if (row->kind >= WALTRACE_KINDS || row->error_kind >= WALTRACE_ERROR_KINDS) return false;
	if (!row->id || !row->logger_id || row->logger_id > loggers) return false;
	return strings_are_whole(r, row, (const unsigned char *)row->value + values);
}

static bool entry_is_whole(const struct wt_remains *r, const struct wt_chunk *chunk, uint64_t entry, uint32_t loggers)
{
	uint32_t first = WT_ENTRY_FIRST(entry), units = WT_ENTRY_UNITS(entry);
	if (first + units > WT_CHUNK_UNITS) return false;
	const char *at = (const char *)&chunk->data[first];
	uint64_t room = (uint64_t)units * 8;
	for (uint32_t i = 0; i < WT_ENTRY_ROWS(entry); i++) {
		const struct wt_row *row = (const void *)at;
		if (!row_is_whole(r, row, room, loggers)) return false;
		at += row->bytes;
		room -= row->bytes;
	}
	return !room;
}

/* Not in the file: never taken by the writer, or taken for a publication that didn't come. */
static bool is_missing(const struct wt_remains *r, const struct wt_chunk *chunk, uint32_t i)
{
	uint32_t written = atomic_load_explicit(&chunk->written[i], memory_order_relaxed);
	return !written || (int32_t)(written - (uint32_t)r->published.generation) > 0;
}

static uint64_t take_chunk(const struct wt_remains *r, const struct wt_chunk *chunk, uint32_t loggers,
                           void (*take)(void *, const struct wt_row *), void *context)
{
	uint64_t damaged = 0;
	for (uint32_t i = 0; i < WT_CHUNK_ENTRIES; i++) {
		uint64_t entry = atomic_load_explicit(&chunk->entry[i], memory_order_acquire);
		if (!entry || entry & WT_ENTRY_VOID || !is_missing(r, chunk, i)) continue;
		if (!entry_is_whole(r, chunk, entry, loggers)) {
			damaged++;
			continue;
		}
		const char *at = (const char *)&chunk->data[WT_ENTRY_FIRST(entry)];
		for (uint32_t n = 0; n < WT_ENTRY_ROWS(entry); n++) {
			const struct wt_row *row = (const void *)at;
			take(context, row);
			at += row->bytes;
		}
	}
	return damaged;
}

struct place {
	const struct wt_chunk *chunk;
	uint32_t owner;
	uint64_t number;
};

static int by_shard_and_number(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->owner != y->owner) return x->owner < y->owner ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

uint64_t wt_remains_rows(const struct wt_remains *r, void (*take)(void *context, const struct wt_row *row),
                         void *context)
{
	const char *chunks = wt_remains_part(r, r->segment->chunks_at);
	uint32_t n = 0, loggers = wt_remains_loggers(r);
	uint64_t damaged = 0;
	struct place *place = calloc(r->segment->chunk_count, sizeof *place);
	if (!place) return r->segment->chunk_count;
	for (uint32_t i = 0; i < r->segment->chunk_count; i++) {
		const struct wt_chunk *c = (const void *)(chunks + (size_t)i * WT_CHUNK_BYTES);
		if (c->owner && c->owner <= r->segment->shard_count)
			place[n++] = (struct place){c, c->owner, c->number};
	}
	qsort(place, n, sizeof *place, by_shard_and_number);
	for (uint32_t i = 0; i < n; i++) damaged += take_chunk(r, place[i].chunk, loggers, take, context);
	free(place);
	return damaged;
}

void wt_remains_operations(const struct wt_remains *r, void (*take)(void *context, const struct wt_slot *slot),
                           void *context)
{
	const _Atomic uint32_t *state = wt_remains_part(r, r->segment->states_at);
	const char *slots = wt_remains_part(r, r->segment->slots_at);
	for (uint32_t i = 0; i < WALTRACE_MAX_OPERATIONS; i++) {
		const struct wt_slot *slot = (const void *)(slots + (size_t)i * WT_SLOT_BYTES);
		if (atomic_load(&state[i]) && slot->kind < WALTRACE_KINDS) take(context, slot);
	}
}
