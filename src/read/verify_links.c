/* SPDX-License-Identifier: MIT */
/* What can be checked only once every record is known: ids, links, containment, and the order of the commit lock. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "read/verify_state.h"

static const struct wt_seen *find(const struct wt_verify *v, uint64_t id)
{
	uint32_t place = wt_index_find(&v->by_id, id);
	return place == WT_NOWHERE ? NULL : &v->seen[place];
}

static void check_ids(struct wt_verify *v)
{
	for (size_t i = 1; i < v->by_id.n; i++) {
		const struct wt_index_entry *entry = &v->by_id.at[i], *before = entry - 1;
		if (entry->key == before->key && entry->key)
			wt_verify_say(v, v->seen[entry->place].line, WT_CHECK_IDS,
			              "operation_id %" PRIu64 " was given before, in %s", entry->key,
			              wt_verify_where(v, v->seen[before->place].line).text);
	}
}

/* A helper's rows may come after the operation it helped has ended; only a rotation has helpers. */
static bool may_end_later(const struct wt_seen *parent)
{
	return parent->kind == WALTRACE_KIND_CHECKPOINT_ROTATION || parent->kind == WALTRACE_KIND_MAINTENANCE;
}

static void check_inside(struct wt_verify *v, const struct wt_seen *child, const struct wt_seen *parent)
{
	if (child->kind == WALTRACE_KIND_TIMER_RUN) return; /* runs by itself, after the flush that started it */
	v->verdict.checked[WT_CHECK_TIMES]++;
	if (child->logger != parent->logger)
		wt_verify_say(v, child->line, WT_CHECK_LINKS, "its parent %" PRIu64 " belongs to another logger",
		              parent->id);
	if (child->has_start && parent->has_start && child->start_ns < parent->start_ns)
		wt_verify_say(v, child->line, WT_CHECK_TIMES,
		              "begins at %" PRIu64 " ns, before its parent %" PRIu64 " did (%" PRIu64 " ns)",
		              child->start_ns, parent->id, parent->start_ns);
	if (child->has_end && parent->has_end && child->end_ns > parent->end_ns && !may_end_later(parent))
		wt_verify_say(v, child->line, WT_CHECK_TIMES,
		              "ends at %" PRIu64 " ns, after its parent %" PRIu64 " did (%" PRIu64 " ns)",
		              child->end_ns, parent->id, parent->end_ns);
}

static void check_parents(struct wt_verify *v, bool explained)
{
	for (size_t i = 0; i < v->by_id.n; i++) {
		const struct wt_seen *child = &v->seen[v->by_id.at[i].place];
		if (!child->parent_id) continue;
		const struct wt_seen *parent = find(v, child->parent_id);
		v->verdict.checked[WT_CHECK_LINKS]++;
		if (parent) check_inside(v, child, parent);
		else if (!explained)
			wt_verify_say(v, child->line, WT_CHECK_LINKS,
			              "its parent %" PRIu64 " isn't in the trace, and no loss was counted",
			              child->parent_id);
	}
}

int wt_verify_links(struct wt_verify *v, bool explained)
{
	for (size_t i = 0; i < v->seens; i++)
		if (wt_index_add(&v->by_id, v->seen[i].id, i)) return -ENOMEM;
	wt_index_close(&v->by_id);
	check_ids(v);
	check_parents(v, explained);
	for (size_t i = 0; i < v->links; i++) {
		const struct wt_seen_link *link = &v->link[i];
		const struct wt_seen *other = find(v, link->id);
		const char *kind = wt_kind_name[link->kind].text;
		v->verdict.checked[WT_CHECK_LINKS]++;
		if (!other && !explained)
			wt_verify_say(v, link->line, WT_CHECK_LINKS,
			              "the %s %" PRIu64 " it names isn't in the trace, and no loss was counted", kind,
			              link->id);
		if (other && other->kind != link->kind)
			wt_verify_say(v, link->line, WT_CHECK_LINKS, "%" PRIu64 " is no %s but a %s", link->id, kind,
			              wt_kind_name[other->kind].text);
	}
	return 0;
}

static int by_seq(const void *a, const void *b)
{
	const struct wt_seen_lock *x = a, *y = b;
	if (x->logger_id != y->logger_id) return x->logger_id < y->logger_id ? -1 : 1;
	if (x->seq != y->seq) return x->seq < y->seq ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static void check_seq(struct wt_verify *v, const struct wt_seen_lock *lock, uint64_t last, bool explained)
{
	v->verdict.checked[WT_CHECK_LOCK_SEQ]++;
	if (!lock->seq)
		wt_verify_say(v, lock->line, WT_CHECK_LOCK_SEQ, "lock_seq of logger %" PRIu64 " is 0: it counts from 1",
		              lock->logger_id);
	else if (lock->seq == last)
		wt_verify_say(v, lock->line, WT_CHECK_LOCK_SEQ,
		              "lock_seq %" PRIu64 " of logger %" PRIu64 " was given before", lock->seq,
		              lock->logger_id);
	else if (lock->seq != last + 1 && !explained)
		wt_verify_say(v, lock->line, WT_CHECK_LOCK_SEQ,
		              "lock_seq of logger %" PRIu64 " goes from %" PRIu64 " to %" PRIu64
		              ", and no loss was counted",
		              lock->logger_id, last, lock->seq);
}

void wt_verify_locks(struct wt_verify *v, bool explained)
{
	const struct wt_seen_lock *holder = NULL; /* with the latest release so far */
	if (v->locks) qsort(v->lock, v->locks, sizeof *v->lock, by_seq);
	for (size_t i = 0; i < v->locks; i++) {
		const struct wt_seen_lock *lock = &v->lock[i];
		bool first = !i || v->lock[i - 1].logger_id != lock->logger_id;
		check_seq(v, lock, first ? 0 : v->lock[i - 1].seq, explained);
		if (first) holder = NULL;
		if (!lock->has_hold) continue;
		v->verdict.checked[WT_CHECK_LOCK_HOLDS]++;
		if (holder && lock->got_ns < holder->freed_ns)
			wt_verify_say(v, lock->line, WT_CHECK_LOCK_HOLDS,
			              "gets the commit lock at %" PRIu64 " ns, while lock_seq %" PRIu64
			              " (%s) holds it until %" PRIu64 " ns",
			              lock->got_ns, holder->seq, wt_verify_where(v, holder->line).text,
			              holder->freed_ns);
		if (!holder || lock->freed_ns > holder->freed_ns) holder = lock;
	}
}
