/* SPDX-License-Identifier: MIT */
#include "read/tally.h"

#include <errno.h>
#include <string.h>

static int trigger_of(const struct wt_record *r)
{
	switch (r->word[WALTRACE_TRIGGER]) {
	case WALTRACE_W_REQUEST: return 0;
	case WALTRACE_W_TIMER: return 1;
	case WALTRACE_W_CHECKPOINT: return 2;
	default: return 3;
	}
}

static void count_sync(struct wt_tally *t, const struct wt_record *r)
{
	if (r->word[WALTRACE_OUTCOME] != WALTRACE_W_SUCCESS) {
		t->failed_syncs++;
		return;
	}
	t->syncs[trigger_of(r)]++;
	t->block_bytes += wt_get(r, WALTRACE_BLOCK_BYTES);
	t->written_bytes += wt_get(r, WALTRACE_WRITTEN_BYTES);
}

static void count_lock(struct wt_tally *t, const struct wt_record *r)
{
	uint8_t outcome = r->word[WALTRACE_OUTCOME];
	uint64_t targets = wt_get(r, WALTRACE_NOTIFY_TARGET_COUNT);
	if (outcome < WALTRACE_WORDS) t->lock_outcomes[outcome]++;
	if (!targets) return;
	t->notify_batches++;
	t->notify_ns += wt_get(r, WALTRACE_NOTIFY_TOTAL_NS);
	t->notify_targets += targets;
	t->notify_completed += wt_get(r, WALTRACE_NOTIFY_COMPLETED_COUNT);
	t->notify_failed += wt_get(r, WALTRACE_NOTIFY_SEND_FAILED_COUNT);
	wt_signs_lock(&t->signs, r, t->traces);
}

static void count_progress(struct wt_tally *t, const struct wt_progress_line *progress)
{
	if (progress->peak <= t->peak_waiting) return;
	t->peak_waiting = progress->peak;
	t->peak_logger = progress->logger_id;
}

static void count_loss(struct wt_tally *t, const struct wt_loss_line *loss)
{
	for (int k = 0; k < WALTRACE_KINDS; k++) {
		const struct wt_name *name = &wt_kind_name[k];
		if (!loss->kind.bytes || loss->kind.n != name->bytes) continue;
		if (memcmp(loss->kind.bytes, name->text, name->bytes)) continue;
		t->lost[k] += loss->n;
		return;
	}
	t->lost_any += loss->n;
}

void wt_tally_line(struct wt_tally *tally, const struct wt_line *line)
{
	if (line->kind == WT_LINE_PROGRESS) count_progress(tally, &line->progress);
	if (line->kind == WT_LINE_LOSS) count_loss(tally, &line->loss);
	if (line->kind != WT_LINE_RECORD) return;
	wt_checkpoints_add(&tally->checkpoints, &line->record);
	if (line->record.kind == WALTRACE_KIND_SYNC_CALL) count_sync(tally, &line->record);
	if (line->record.kind == WALTRACE_KIND_COMMIT_LOCK) count_lock(tally, &line->record);
}

int wt_tally_trace(struct wt_tally *tally, const struct wt_store *store, struct wt_err *err)
{
	if (wt_tally_fsyncs(tally, store)) return wt_err_set(err, -ENOMEM, "out of memory for the fsyncs of a trace");
	wt_tally_locks(tally, store);
	wt_tally_flushes(tally, store);
	if (wt_audit(&tally->durability, store, tally->traces))
		return wt_err_set(err, -ENOMEM, "out of memory for the audit of a trace");
	wt_signs_store(&tally->signs, store, tally->traces);
	tally->traces++;
	return 0;
}
