/* SPDX-License-Identifier: MIT */
/* A store filled with records that a test makes up, and what its flushes are split into. */
#ifndef WT_TESTS_READ_ROWS_H
#define WT_TESTS_READ_ROWS_H

#include <stdlib.h>
#include <string.h>

#include "../../lib/cm.h"
#include "read/chain.h"
#include "read/store.h"

static struct wt_store store;

struct set {
	enum waltrace_field field;
	uint64_t value;
};

static inline struct wt_record record_of(enum waltrace_kind kind, uint64_t id, enum waltrace_word outcome,
                                         enum waltrace_word trigger, const struct set *sets)
{
	struct wt_record record = {.kind = kind, .logger_id = 1, .id = id};
	record.word[WALTRACE_OUTCOME] = (uint8_t)outcome;
	record.word[WALTRACE_TRIGGER] = (uint8_t)trigger;
	for (; sets->field != WALTRACE_FIELDS; sets++) {
		record.mask |= 1ull << sets->field;
		record.value[sets->field] = sets->value;
	}
	return record;
}

#define RECORD(kind, id, outcome, trigger, ...) \
	record_of(kind, id, outcome, trigger, (const struct set[]){__VA_ARGS__, {WALTRACE_FIELDS, 0}})

static inline void add(struct wt_record record) { assert_int_equal(wt_store_record(&store, &record, NULL), 0); }

static inline struct wt_record flush_row(uint64_t id, uint64_t start, uint64_t total, uint64_t uid)
{
	return RECORD(WALTRACE_KIND_ROOT_FLUSH, id, WALTRACE_W_SUCCESS, WALTRACE_W_NONE, {WALTRACE_START_NS, start},
	              {WALTRACE_TOTAL_NS, total}, {WALTRACE_LOG_UID, uid});
}

static inline void add_flush(uint64_t id, uint64_t start, uint64_t total, uint64_t uid)
{
	add(flush_row(id, start, total, uid));
}

static inline void add_joiner(uint64_t id, uint64_t start, uint64_t total, uint64_t uid, uint64_t wait_start,
                              uint64_t wait, enum waltrace_word outcome)
{
	struct wt_record record = flush_row(id, start, total, uid);
	record.mask |= 1ull << WALTRACE_BATCH_WAIT_START_NS | 1ull << WALTRACE_BATCH_WAIT_NS;
	record.value[WALTRACE_BATCH_WAIT_START_NS] = wait_start;
	record.value[WALTRACE_BATCH_WAIT_NS] = wait;
	record.word[WALTRACE_BATCH_WAIT_OUTCOME] = (uint8_t)outcome;
	add(record);
}

/* A commit_lock without a sync. */
static inline void add_lock(uint64_t id, uint64_t parent, uint64_t start, uint64_t wait, uint64_t hold,
                            enum waltrace_word outcome)
{
	add(RECORD(WALTRACE_KIND_COMMIT_LOCK, id, outcome, WALTRACE_W_REQUEST, {WALTRACE_START_NS, start},
	           {WALTRACE_PARENT_ID, parent}, {WALTRACE_LOCK_WAIT_NS, wait}, {WALTRACE_LOCK_HOLD_NS, hold}));
}

struct batch {
	uint64_t lock, sync, parent, start, wait, hold, sync_start, sync_total, before, max, notify;
	enum waltrace_word trigger; /* 0: request */
	bool failed;
};

static inline void add_batch(struct batch b)
{
	enum waltrace_word trigger = b.trigger ? b.trigger : WALTRACE_W_REQUEST;
	add(RECORD(WALTRACE_KIND_SYNC_CALL, b.sync, b.failed ? WALTRACE_W_ERROR : WALTRACE_W_SUCCESS, trigger,
	           {WALTRACE_START_NS, b.sync_start}, {WALTRACE_TOTAL_NS, b.sync_total}, {WALTRACE_PARENT_ID, b.lock},
	           {WALTRACE_BATCH_MAX_LOG_UID, b.max}, {WALTRACE_WRITTEN_BYTES, 4096}));
	add(RECORD(WALTRACE_KIND_COMMIT_LOCK, b.lock, b.failed ? WALTRACE_W_SYNC_ERROR : WALTRACE_W_OWNER_SUCCESS,
	           trigger, {WALTRACE_START_NS, b.start}, {WALTRACE_PARENT_ID, b.parent},
	           {WALTRACE_LOCK_WAIT_NS, b.wait}, {WALTRACE_LOCK_HOLD_NS, b.hold},
	           {WALTRACE_COMMITTED_AT_ACQUIRE, b.before}, {WALTRACE_NOTIFY_START_NS, b.notify}));
}

static inline void add_timer(uint64_t id, uint64_t start, uint64_t total)
{
	add(RECORD(WALTRACE_KIND_TIMER_RUN, id, WALTRACE_W_SUCCESS, WALTRACE_W_NONE, {WALTRACE_START_NS, start},
	           {WALTRACE_TOTAL_NS, total}));
}

static inline void add_rotation(enum waltrace_kind kind, uint64_t id, uint64_t parent, uint64_t start, uint64_t total)
{
	add(RECORD(kind, id, WALTRACE_W_SUCCESS, WALTRACE_W_NONE, {WALTRACE_START_NS, start},
	           {WALTRACE_TOTAL_NS, total}, {WALTRACE_PARENT_ID, parent}));
}

static inline void close_store(void) { assert_int_equal(wt_store_close(&store, NULL), 0); }

/* Splits a flush and checks that the parts add up. */
static inline struct wt_split split_at(uint32_t place, enum wt_owner *owner)
{
	struct wt_chain chain;
	struct wt_claims claims;
	struct wt_split split;
	uint64_t sum = 0;
	wt_chain_of(&store, &store.flush[place], &chain);
	wt_chain_claims(&store, &chain, &claims);
	wt_attribute(&claims, &split);
	for (int p = 0; p < WT_PARTS; p++) sum += split.part_ns[p];
	assert_int_equal(sum, store.flush[place].total_ns);
	if (owner) *owner = chain.owner;
	return split;
}

static inline struct wt_split split_of(uint64_t id, enum wt_owner *owner)
{
	uint32_t place = wt_index_find(&store.flush_by_id, id);
	assert_int_not_equal(place, WT_NOWHERE);
	return split_at(place, owner);
}

static inline int free_store(void **state)
{
	(void)state;
	wt_store_free(&store);
	return 0;
}

#endif
