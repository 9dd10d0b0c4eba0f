/* SPDX-License-Identifier: MIT */
#include "read/store.h"

#include <errno.h>
#include <stdlib.h>

#include "read/grow.h"

static int no_memory(struct wt_err *err)
{
	wt_err_set(err, -ENOMEM, "out of memory for the records of a trace");
	return -ENOMEM;
}

/* ---- Filling ------------------------------------------------------------------------------------------------ */

static int logger_of(struct wt_store *store, uint64_t id, uint16_t *place, struct wt_err *err)
{
	for (size_t i = store->loggers; i--;) {
		if (store->logger[i].id != id) continue;
		*place = (uint16_t)i;
		return 0;
	}
	if (store->loggers == WT_STORE_LOGGERS_MAX) {
		wt_err_set(err, -E2BIG, "more than %d loggers: no session can have so many", WT_STORE_LOGGERS_MAX);
		return -E2BIG;
	}
	if (store->loggers == store->loggers_room &&
	    wt_grow((void **)&store->logger, &store->loggers_room, sizeof *store->logger))
		return no_memory(err);
	store->logger[store->loggers] = (struct wt_store_logger){.id = id};
	*place = (uint16_t)store->loggers++;
	return 0;
}

int wt_store_logger(struct wt_store *store, const struct wt_logger_line *line, struct wt_err *err)
{
	uint16_t place = 0;
	int result = logger_of(store, line->id, &place, err);
	if (result) return result;
	store->logger[place].delay_ms = line->delay_ms;
	store->logger[place].block_limit = line->block_limit;
	store->logger[place].announced = true;
	return 0;
}

static int add_lock(struct wt_store *s, const struct wt_record *r, uint16_t logger)
{
	if (!wt_has(r, WALTRACE_START_NS) || !wt_has(r, WALTRACE_LOCK_WAIT_NS)) return 0; /* never got it */
	if (s->locks == s->locks_room && wt_grow((void **)&s->lock, &s->locks_room, sizeof *s->lock)) return -ENOMEM;
	s->lock[s->locks++] = (struct wt_lock_row){
		.id = r->id,
		.parent_id = wt_get(r, WALTRACE_PARENT_ID),
		.start_ns = wt_get(r, WALTRACE_START_NS),
		.wait_ns = wt_get(r, WALTRACE_LOCK_WAIT_NS),
		.hold_ns = wt_get(r, WALTRACE_LOCK_HOLD_NS),
		.notify_start_ns = wt_get(r, WALTRACE_NOTIFY_START_NS),
		.committed_at_acquire = wt_get(r, WALTRACE_COMMITTED_AT_ACQUIRE),
		.sync = WT_NOWHERE,
		.logger = logger,
		.outcome = r->word[WALTRACE_OUTCOME],
		.trigger = r->word[WALTRACE_TRIGGER],
		.has_notify = wt_has(r, WALTRACE_NOTIFY_START_NS),
		.has_committed = wt_has(r, WALTRACE_COMMITTED_AT_ACQUIRE),
	};
	return 0;
}

static int add_sync(struct wt_store *s, const struct wt_record *r, uint16_t logger)
{
	if (!wt_has(r, WALTRACE_START_NS) || !wt_has(r, WALTRACE_TOTAL_NS)) return 0;
	if (s->syncs == s->syncs_room && wt_grow((void **)&s->sync, &s->syncs_room, sizeof *s->sync)) return -ENOMEM;
	s->sync[s->syncs++] = (struct wt_sync_row){
		.id = r->id,
		.parent_id = wt_get(r, WALTRACE_PARENT_ID),
		.start_ns = wt_get(r, WALTRACE_START_NS),
		.total_ns = wt_get(r, WALTRACE_TOTAL_NS),
		.max_uid = wt_get(r, WALTRACE_BATCH_MAX_LOG_UID),
		.written_bytes = wt_get(r, WALTRACE_WRITTEN_BYTES),
		.lock = WT_NOWHERE,
		.logger = logger,
		.trigger = r->word[WALTRACE_TRIGGER],
		.good = r->word[WALTRACE_OUTCOME] == WALTRACE_W_SUCCESS,
	};
	return 0;
}

static int add_flush(struct wt_store *s, const struct wt_record *r, uint16_t logger)
{
	if (!wt_has(r, WALTRACE_START_NS) || !wt_has(r, WALTRACE_TOTAL_NS)) {
		s->untimed++;
		return 0;
	}
	if (s->flushes == s->flushes_room && wt_grow((void **)&s->flush, &s->flushes_room, sizeof *s->flush))
		return -ENOMEM;
	uint64_t start_ns = wt_get(r, WALTRACE_START_NS);
	s->flush[s->flushes++] = (struct wt_flush_row){
		.id = r->id,
		.start_ns = start_ns,
		.total_ns = wt_end_ns(start_ns, wt_get(r, WALTRACE_TOTAL_NS)) - start_ns,
		.uid = wt_get(r, WALTRACE_LOG_UID),
		.wait_start_ns = wt_get(r, WALTRACE_BATCH_WAIT_START_NS),
		.wait_ns = wt_get(r, WALTRACE_BATCH_WAIT_NS),
		.logger = logger,
		.wait_outcome = r->word[WALTRACE_BATCH_WAIT_OUTCOME],
		.fast = wt_get(r, WALTRACE_ENTRY_UID_FAST_PATH) != 0,
		.good = r->word[WALTRACE_OUTCOME] == WALTRACE_W_SUCCESS,
		.failed = r->word[WALTRACE_OUTCOME] == WALTRACE_W_ERROR,
		.waited = wt_has(r, WALTRACE_BATCH_WAIT_START_NS),
		.has_uid = wt_has(r, WALTRACE_LOG_UID),
	};
	return 0;
}

static int add_timer(struct wt_store *s, const struct wt_record *r)
{
	if (!wt_has(r, WALTRACE_START_NS)) return 0;
	if (s->timers == s->timers_room && wt_grow((void **)&s->timer, &s->timers_room, sizeof *s->timer))
		return -ENOMEM;
	s->timer[s->timers++] = (struct wt_timer_row){r->id, wt_get(r, WALTRACE_START_NS)};
	return 0;
}

static int add_rotation(struct wt_store *s, const struct wt_record *r, uint16_t logger)
{
	if (!wt_has(r, WALTRACE_START_NS) || !wt_has(r, WALTRACE_TOTAL_NS)) return 0;
	if (s->rotations == s->rotations_room &&
	    wt_grow((void **)&s->rotation, &s->rotations_room, sizeof *s->rotation))
		return -ENOMEM;
	s->rotation[s->rotations++] = (struct wt_rotation_row){
		.id = r->id,
		.parent_id = wt_get(r, WALTRACE_PARENT_ID),
		.start_ns = wt_get(r, WALTRACE_START_NS),
		.total_ns = wt_get(r, WALTRACE_TOTAL_NS),
		.logger = logger,
		.split = r->kind == WALTRACE_KIND_FILE_SPLIT,
	};
	return 0;
}

int wt_store_record(struct wt_store *store, const struct wt_record *r, struct wt_err *err)
{
	uint16_t logger = 0;
	int result = logger_of(store, r->logger_id, &logger, err);
	if (result) return result;
	switch (r->kind) {
	case WALTRACE_KIND_ROOT_FLUSH: result = add_flush(store, r, logger); break;
	case WALTRACE_KIND_COMMIT_LOCK: result = add_lock(store, r, logger); break;
	case WALTRACE_KIND_SYNC_CALL: result = add_sync(store, r, logger); break;
	case WALTRACE_KIND_TIMER_RUN: result = add_timer(store, r); break;
	case WALTRACE_KIND_CHECKPOINT_ROTATION:
	case WALTRACE_KIND_FILE_SPLIT: result = add_rotation(store, r, logger); break;
	default: break;
	}
	return result ? no_memory(err) : 0;
}

/* ---- Closing ------------------------------------------------------------------------------------------------ */

static int index_rows(struct wt_store *s)
{
	for (size_t i = 0; i < s->locks; i++) {
		if (wt_index_add(&s->lock_by_id, s->lock[i].id, i)) return -ENOMEM;
		if (wt_index_add(&s->lock_by_parent, s->lock[i].parent_id, i)) return -ENOMEM;
	}
	for (size_t i = 0; i < s->timers; i++)
		if (wt_index_add(&s->timer_by_id, s->timer[i].id, i)) return -ENOMEM;
	for (size_t i = 0; i < s->flushes; i++)
		if (wt_index_add(&s->flush_by_id, s->flush[i].id, i)) return -ENOMEM;
	wt_index_close(&s->lock_by_id);
	wt_index_close(&s->lock_by_parent);
	wt_index_close(&s->timer_by_id);
	wt_index_close(&s->flush_by_id);
	return 0;
}

static int place_syncs(struct wt_store *s)
{
	for (size_t i = 0; i < s->syncs; i++) {
		struct wt_sync_row *sync = &s->sync[i];
		struct wt_store_logger *logger = &s->logger[sync->logger];
		sync->lock = wt_index_find(&s->lock_by_id, sync->parent_id);
		if (sync->lock != WT_NOWHERE) s->lock[sync->lock].sync = (uint32_t)i;
		if (wt_index_add(sync->good ? &logger->good : &logger->failed, sync->max_uid, i)) return -ENOMEM;
		if (wt_index_add(&logger->by_start, sync->start_ns, i)) return -ENOMEM;
		struct wt_span span = {sync->start_ns, wt_end_ns(sync->start_ns, sync->total_ns)};
		if (wt_spans_add(&logger->busy, span)) return -ENOMEM;
	}
	return 0;
}

static int block(struct wt_store_logger *logger, struct wt_span span)
{
	return wt_spans_add(&logger->rotations, span) ? -ENOMEM : wt_spans_add(&logger->busy, span);
}

/* A rotation blocks commits while its commit_lock child holds the lock; a split inside another's hold, by itself. */
static int place_rotation(struct wt_store *s, const struct wt_rotation_row *r)
{
	struct wt_store_logger *logger = &s->logger[r->logger];
	struct wt_span whole = {r->start_ns, wt_end_ns(r->start_ns, r->total_ns)};
	if (r->split) {
		uint32_t place = wt_index_find(&s->lock_by_id, r->parent_id);
		return place == WT_NOWHERE ? 0 : block(logger, whole);
	}
	const struct wt_index *locks = &s->lock_by_parent;
	size_t from = wt_index_from(locks, r->id);
	for (size_t i = from; i < locks->n && locks->at[i].key == r->id && i - from < WT_STORE_ROWS_MAX; i++) {
		const struct wt_lock_row *lock = &s->lock[locks->at[i].place];
		struct wt_span held = {wt_lock_got_ns(lock), wt_lock_freed_ns(lock)};
		if (held.start_ns < whole.start_ns) held.start_ns = whole.start_ns;
		if (held.end_ns > whole.end_ns) held.end_ns = whole.end_ns;
		if (block(logger, held)) return -ENOMEM;
	}
	return 0;
}

int wt_store_close(struct wt_store *s, struct wt_err *err)
{
	if (index_rows(s) || place_syncs(s)) return no_memory(err);
	for (size_t i = 0; i < s->rotations; i++)
		if (place_rotation(s, &s->rotation[i])) return no_memory(err);
	for (size_t i = 0; i < s->loggers; i++) {
		struct wt_store_logger *logger = &s->logger[i];
		wt_index_close(&logger->good);
		wt_index_close(&logger->failed);
		wt_index_close(&logger->by_start);
		if (wt_spans_close(&logger->rotations) || wt_spans_close(&logger->busy)) return no_memory(err);
	}
	return 0;
}

void wt_store_free(struct wt_store *s)
{
	for (size_t i = 0; i < s->loggers; i++) {
		wt_index_free(&s->logger[i].good);
		wt_index_free(&s->logger[i].failed);
		wt_index_free(&s->logger[i].by_start);
		wt_spans_free(&s->logger[i].rotations);
		wt_spans_free(&s->logger[i].busy);
	}
	free(s->logger);
	free(s->lock);
	free(s->sync);
	free(s->flush);
	free(s->timer);
	free(s->rotation);
	wt_index_free(&s->lock_by_id);
	wt_index_free(&s->lock_by_parent);
	wt_index_free(&s->timer_by_id);
	wt_index_free(&s->flush_by_id);
	*s = (struct wt_store){0};
}
