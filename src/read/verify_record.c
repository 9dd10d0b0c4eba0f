/* SPDX-License-Identifier: MIT */
/* What verify takes from one record: its sums now, its links and times for later. */
#include <errno.h>

#include "read/grow.h"
#include "read/verify_state.h"

static uint32_t line32(uint64_t line) { return line < UINT32_MAX ? (uint32_t)line : UINT32_MAX; }

static uint64_t add(uint64_t a, uint64_t b) { return b > UINT64_MAX - a ? UINT64_MAX : a + b; }

int wt_verify_logger(struct wt_verify *v, uint64_t id, uint64_t line)
{
	bool small = id <= WALTRACE_MAX_LOGGERS; /* as they all are, but in a damaged trace */
	if (small && v->place[id]) return v->place[id] - 1;
	for (size_t i = small ? 0 : v->loggers; i--;)
		if (v->logger[i].id == id) return (int)i;
	if (v->loggers == WALTRACE_MAX_LOGGERS) return -E2BIG;
	if (v->loggers == v->loggers_room && wt_grow((void **)&v->logger, &v->loggers_room, sizeof *v->logger))
		return -ENOMEM;
	v->logger[v->loggers] = (struct wt_seen_logger){.id = id, .first_line = line32(line)};
	if (small) v->place[id] = (uint16_t)(v->loggers + 1);
	return (int)v->loggers++;
}

/* What callers set is summed modulo 2^64, as the recorders do. */
static void count(struct wt_verify *v, const struct wt_record *r)
{
	struct wt_sums *sums = &v->sums;
	sums->count[r->kind]++;
	sums->errors[r->kind] += r->error_kind != WALTRACE_E_NONE;
	sums->notified += wt_get(r, WALTRACE_NOTIFY_COMPLETED_COUNT);
	if (r->kind == WALTRACE_KIND_COMMIT_LOCK)
		sums->waiters += r->word[WALTRACE_OUTCOME] == WALTRACE_W_WAITER_REGISTERED;
	if (r->kind != WALTRACE_KIND_SYNC_CALL || r->word[WALTRACE_OUTCOME] != WALTRACE_W_SUCCESS) return;
	uint8_t trigger = r->word[WALTRACE_TRIGGER];
	int i = trigger == WALTRACE_W_TIMER ? 1 : trigger == WALTRACE_W_CHECKPOINT ? 2 : 0;
	sums->syncs[i]++;
	sums->sync_bytes[i] += wt_get(r, WALTRACE_BLOCK_BYTES);
}

static int add_link(struct wt_verify *v, uint64_t id, enum waltrace_kind kind, uint64_t line)
{
	if (!id) return 0;
	if (v->links == v->links_room && wt_grow((void **)&v->link, &v->links_room, sizeof *v->link)) return -ENOMEM;
	v->link[v->links++] = (struct wt_seen_link){.id = id, .line = line32(line), .kind = (uint8_t)kind};
	return 0;
}

static int add_links(struct wt_verify *v, const struct wt_record *r, uint64_t line)
{
	const uint64_t any =
		1ull << WALTRACE_TIMER_ID | 1ull << WALTRACE_ROTATION_ID_1 | 1ull << WALTRACE_ROTATION_ID_2;
	if (!(r->mask & any)) return 0;
	if (add_link(v, wt_get(r, WALTRACE_TIMER_ID), WALTRACE_KIND_TIMER_RUN, line)) return -ENOMEM;
	if (add_link(v, wt_get(r, WALTRACE_ROTATION_ID_1), WALTRACE_KIND_CHECKPOINT_ROTATION, line)) return -ENOMEM;
	return add_link(v, wt_get(r, WALTRACE_ROTATION_ID_2), WALTRACE_KIND_CHECKPOINT_ROTATION, line);
}

static int add_lock(struct wt_verify *v, const struct wt_record *r, uint64_t line)
{
	if (!wt_has(r, WALTRACE_LOCK_SEQ)) return 0;
	if (v->locks == v->locks_room && wt_grow((void **)&v->lock, &v->locks_room, sizeof *v->lock)) return -ENOMEM;
	uint64_t got = add(wt_get(r, WALTRACE_START_NS), wt_get(r, WALTRACE_LOCK_WAIT_NS));
	v->lock[v->locks++] = (struct wt_seen_lock){
		.logger_id = r->logger_id,
		.seq = wt_get(r, WALTRACE_LOCK_SEQ),
		.got_ns = got,
		.freed_ns = add(got, wt_get(r, WALTRACE_LOCK_HOLD_NS)),
		.line = line32(line),
		.has_hold = wt_has(r, WALTRACE_START_NS) && wt_has(r, WALTRACE_LOCK_HOLD_NS),
	};
	return 0;
}

static void add_times(struct wt_verify *v, const struct wt_record *r, struct wt_seen *seen)
{
	uint64_t start = wt_get(r, WALTRACE_START_NS), wait = wt_get(r, WALTRACE_LOCK_WAIT_NS);
	seen->has_start = wt_has(r, WALTRACE_START_NS);
	seen->start_ns = seen->end_ns = start;
	if (!seen->has_start) return;
	if (wt_has(r, WALTRACE_TOTAL_NS)) seen->end_ns = add(start, wt_get(r, WALTRACE_TOTAL_NS));
	else if (wt_has(r, WALTRACE_LOCK_HOLD_NS))
		seen->end_ns = add(add(start, wait), wt_get(r, WALTRACE_LOCK_HOLD_NS));
	seen->has_end = wt_has(r, WALTRACE_TOTAL_NS) || wt_has(r, WALTRACE_LOCK_HOLD_NS);
	if (seen->end_ns < v->latest_ns) return;
	v->latest_ns = seen->end_ns;
	v->latest_line = seen->line;
}

int wt_verify_record(struct wt_verify *v, const struct wt_record *r, uint64_t line)
{
	v->verdict.records++;
	v->since_records++;
	v->verdict.checked[WT_CHECK_IDS]++;
	count(v, r);
	if (!r->id) wt_verify_say(v, line, WT_CHECK_IDS, "operation_id is 0: ids count from 1");
	int logger = wt_verify_logger(v, r->logger_id, line);
	if (logger == -E2BIG) {
		wt_verify_say(v, line, WT_CHECK_LOGGERS, "more loggers than the %d a session can have",
		              WALTRACE_MAX_LOGGERS);
		return 0;
	}
	if (logger < 0) return logger;
	if (v->ours && !v->logger[logger].line && v->logger[logger].first_line == line32(line))
		wt_verify_say(v, line, WT_CHECK_LOGGERS, "a record of logger %llu before its root_logger_ready",
		              (unsigned long long)r->logger_id);
	if (v->seens == v->seens_room && wt_grow((void **)&v->seen, &v->seens_room, sizeof *v->seen)) return -ENOMEM;
	struct wt_seen *seen = &v->seen[v->seens++];
	*seen = (struct wt_seen){.id = r->id,
	                         .parent_id = wt_get(r, WALTRACE_PARENT_ID),
	                         .line = line32(line),
	                         .logger = (uint16_t)logger,
	                         .kind = (uint8_t)r->kind};
	add_times(v, r, seen);
	return add_links(v, r, line) || add_lock(v, r, line) ? -ENOMEM : 0;
}
