/* SPDX-License-Identifier: MIT */
/* One look. What is written comes before what is lost, and that before what was produced, so that the parts never exceed
 * the whole; the time comes last, so that nothing is younger than now. Indices are checked: the memory is another's. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/top.h"

#define LOAD(member) __atomic_load_n(&(member), __ATOMIC_ACQUIRE)

static uint64_t session_now(const struct wt_target *t)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	return ns > t->head.clock_origin_ns ? ns - t->head.clock_origin_ns : 0;
}

static const struct waltrace_shm_shard *shard_at(const struct wt_target *t, uint32_t i)
{
	return wt_target_part(t, t->head.shards_at + (uint64_t)i * WALTRACE_SHM_SHARD_STRIDE);
}

static void read_losses(struct wt_snapshot *s, const struct wt_target *t)
{
	const struct waltrace_shm_loss *all = wt_target_part(t, t->head.losses_at);
	for (int i = 0; i < WALTRACE_SHM_LOSSES; i++) {
		struct waltrace_shm_loss loss = {LOAD(all[i].key), LOAD(all[i].n)};
		int cause = wt_loss_cause(&loss);
		if (!loss.n || cause < 0 || cause >= WT_LOSSES || wt_loss_kind(&loss) >= WALTRACE_KINDS) continue;
		s->loss[s->losses++] = loss;
		if (cause == WT_LOSS_rotated) s->rotated += loss.n;
		else if (cause == WT_LOSS_queue_full || cause == WT_LOSS_stopped) s->dropped += loss.n;
		else s->omitted += loss.n;
	}
}

static void read_queue(struct wt_snapshot *s, const struct wt_target *t)
{
	const int64_t *pot = wt_target_part(t, t->head.credit_at);
	int64_t left = LOAD(*pot), capacity = (int64_t)t->head.capacity;
	for (uint32_t i = 0; i < t->head.shard_count; i++) {
		s->produced += waltrace_shm_tried(shard_at(t, i));
		left += (int64_t)(uint32_t)LOAD(shard_at(t, i)->credit) - (int64_t)0x80000000u;
	}
	if (left < 0) left = 0;
	s->in_queue = left < capacity ? (uint64_t)(capacity - left) : 0;
}

/* Counted up to the first that isn't as registration leaves it. */
static void read_loggers(struct wt_snapshot *s, const struct wt_target *t)
{
	const struct waltrace_shm_head *live = (const void *)t->memory;
	const char *text = wt_target_part(t, t->head.logger_text_at);
	uint32_t n = LOAD(live->loggers);
	for (uint32_t i = 0; i < n && i < WALTRACE_SHM_LOGGERS; i++) {
		const struct waltrace_shm_logger *from =
			wt_target_part(t, t->head.loggers_at + (uint64_t)i * WALTRACE_SHM_LOGGER_STRIDE);
		struct wt_top_logger *to = &s->logger[i];
		uint32_t at = LOAD(from->text), bytes = LOAD(from->wal_bytes);
		if (LOAD(from->id) != i + 1 || (uint64_t)at + bytes > WALTRACE_SHM_LOGGER_TEXT_BYTES) return;
		uint64_t waiters = LOAD(from->waiters);
		to->waiters = waiters & ((1u << 20) - 1);
		to->acquisitions = waiters >> 20;
		to->peak = LOAD(from->peak);
		to->owner_known = waltrace_shm_read_owner(from, &to->owner);
		to->path = text + at;
		to->path_bytes = bytes;
		s->loggers = i + 1;
	}
}

/* Oldest first; those that haven't begun last. */
static int by_age(const void *a, const void *b)
{
	const struct waltrace_shm_operation *x = a, *y = b;
	if (x->since_ns != y->since_ns) return x->since_ns - 1 < y->since_ns - 1 ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void read_operations(struct wt_snapshot *s, const struct wt_target *t)
{
	const uint32_t *state = wt_target_part(t, t->head.states_at);
	for (uint32_t i = 0; i < WALTRACE_SHM_SLOTS; i++) {
		struct waltrace_shm_operation *o = &s->operation[s->operations];
		if (!LOAD(state[i])) continue;
		s->under_way++;
		bool whole = waltrace_shm_read_slot(
			wt_target_part(t, t->head.slots_at + (uint64_t)i * WALTRACE_SHM_SLOT_STRIDE), o);
		if (whole && o->id && o->kind < WALTRACE_KINDS) s->operations++;
	}
	qsort(s->operation, s->operations, sizeof *s->operation, by_age);
}

static void read_histograms(struct wt_snapshot *s, const struct wt_target *t)
{
	const struct waltrace_shm_latencies *all = wt_target_part(t, t->head.latencies_at);
	uint32_t used = LOAD(all->used);
	if (used > WALTRACE_SHM_HISTOGRAMS) used = WALTRACE_SHM_HISTOGRAMS;
	s->unplaced = LOAD(all->unplaced);
	for (uint32_t i = 0; i < s->loggers; i++)
		for (int series = 0; series < WALTRACE_SHM_SERIES; series++) {
			uint16_t place = LOAD(all->place[i][series]);
			s->place[i][series] = place > used && place != WALTRACE_SHM_NO_HISTOGRAM ? 0 : place;
		}
	for (uint32_t i = 0; i < used; i++) {
		const struct waltrace_shm_histogram *from =
			wt_target_part(t, t->head.histograms_at + (uint64_t)i * WALTRACE_SHM_HISTOGRAM_STRIDE);
		s->histogram[i].valueless = LOAD(from->valueless);
		s->histogram[i].errors = LOAD(from->errors);
		for (int b = 0; b < WALTRACE_SHM_BUCKETS; b++) s->histogram[i].bucket[b] = LOAD(from->bucket[b]);
	}
}

static void read_file(struct wt_snapshot *s, const struct wt_target *t)
{
	s->file_known = waltrace_shm_read_published(wt_target_part(t, t->head.published_at), &s->file);
}

static void clear(struct wt_snapshot *s) { memset(s, 0, offsetof(struct wt_snapshot, logger)); }

void wt_snapshot_take(struct wt_snapshot *s, const struct wt_target *t)
{
	clear(s);
	s->life = wt_target_life(t);
	s->whole = wt_target_is_whole(t);
	if (!s->whole) return;
	read_file(s, t);
	read_losses(s, t);
	read_queue(s, t);
	read_loggers(s, t);
	read_histograms(s, t);
	read_operations(s, t);
	s->now_ns = session_now(t);
}

uint64_t wt_writer_lag_ns(const struct wt_snapshot *s)
{
	if (!s->in_queue || !s->file_known) return 0;
	return wt_age_ns(s, s->file.taken_ns);
}
