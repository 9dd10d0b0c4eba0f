/* SPDX-License-Identifier: MIT */
#include "trace/lines.h"

#include <stdio.h>
#include <string.h>

#include "trace/clock.h"

#define PATH_HEAD ",\"%s\":{\"encoding\":\"unix_hex\",\"value\":\""
static const char path_end[] = "\"}";

typedef unsigned long long ull;

/* Room of a printed line; all of them are far shorter. */
enum { ROOM = WT_LINE_MAX };

static bool end_line(struct wt_out *out, int n)
{
	return n > 0 && n < ROOM && wt_out_line(out, wt_out_at(out) + n, false);
}

bool wt_line_header(struct wt_out *out, const struct wt_session *s, uint64_t part, uint64_t deleted)
{
	char rotation[96] = "";
	char run_id[6 * WT_ID_BYTES_MAX + 3], build_id[6 * WT_ID_BYTES_MAX + 3] = "null", segment[128] = "null";
	*wt_put_string(run_id, s->config.run_id, strlen(s->config.run_id)) = 0;
	if (s->config.has_build_id) *wt_put_string(build_id, s->config.build_id, strlen(s->config.build_id)) = 0;
	if (s->config.rotate)
		snprintf(rotation, sizeof rotation, ",\"part\":%llu,\"deleted_records\":%llu", (ull)part, (ull)deleted);
	if (s->segment_name[0]) snprintf(segment, sizeof segment, "\"%s\"", s->segment_name);
	int n = snprintf(
		wt_out_at(out), ROOM,
		"{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"session_start\",\"schema_version\":2,\"session_id\":\"%s\","
		"\"pid\":%llu,\"epoch_ns\":\"%llu\",\"run_id\":%s,\"pi_store\":\"" WALTRACE_VERSION
		"\",\"build_id_declared\":%s,"
		"\"window_ms\":%llu,\"capacity\":%llu,\"record_bytes\":%d,\"operation_slots\":%d,"
		"\"records_per_operation\":%d,\"helpers_per_operation\":%d,\"path_budget_bytes\":%d,\"max_bytes\":%llu,"
		"\"global_clock_ms_verified\":null,\"worker_sleep_ms_verified\":null,"
		"\"drain_ms\":%llu,\"on_limit\":\"%s\",\"min_ns\":%llu,\"clock\":\"%s\",\"segment\":%s%s}\n",
		s->session_id, (ull)s->pid, (ull)s->epoch_ns, run_id, build_id, (ull)s->config.window_ms,
		(ull)s->config.capacity, WT_QUEUE_RECORD_BYTES, WALTRACE_MAX_OPERATIONS, WALTRACE_MAX_ROWS,
		WALTRACE_MAX_CHANNELS, WALTRACE_MAX_PATH_BYTES, (ull)s->config.max_bytes, (ull)s->config.drain_ms,
		s->config.rotate ? "rotate" : "stop", (ull)s->config.min_ns, wt_clock_name(), segment, rotation);
	return end_line(out, n);
}

bool wt_line_logger(struct wt_out *out, const struct wt_encoder *e, const struct waltrace_logger *logger)
{
	char head[512], middle[128], tail[256];
	int h = snprintf(head, sizeof head,
	                 "{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"root_logger_ready\"%s,\"logger_id\":%llu,"
	                 "\"runtime_id\":%llu" PATH_HEAD,
	                 e->session, (ull)logger->id, (ull)logger->runtime_id, "wal_path");
	int m = snprintf(middle, sizeof middle, "%s" PATH_HEAD, path_end, "initial_file");
	int t = snprintf(
		tail, sizeof tail,
		"%s,\"block_limit\":%llu,\"delay_ms\":%llu,\"checkpoint_limit\":%llu,\"collect_interval_ms\":%llu,"
		"\"auto_split\":false}\n",
		path_end, (ull)logger->block_limit, (ull)logger->delay_ms, (ull)logger->checkpoint_limit,
		(ull)logger->collect_interval_ms);
	const char *text = e->logger_text + logger->text;
	if (!wt_out_may(out, (uint64_t)(h + m + t) + 2 * (uint64_t)(logger->wal_bytes + logger->file_bytes)))
		return false;
	wt_out_put(out, head, (size_t)h);
	wt_out_put_hex(out, text, logger->wal_bytes);
	wt_out_put(out, middle, (size_t)m);
	wt_out_put_hex(out, text + logger->wal_bytes, logger->file_bytes);
	wt_out_put(out, tail, (size_t)t);
	return !out->error;
}

/* Room of the counts: 15 objects of two names and two numbers; of the line: 18 more numbers and their keys. */
enum { COUNT_ROOM = 128, WINDOW_ROOM = 4096 };

static int put_counts(char *to, const struct wt_sums *w)
{
	static const char *const trigger[3] = {"request", "timer", "checkpoint"};
	char *at = to;
	for (int kind = 0; kind < WALTRACE_KINDS; kind++)
		at += snprintf(at, COUNT_ROOM, "%s{\"event\":\"%s\",\"completed_records\":%llu,\"errors\":%llu}",
		               kind ? "," : "", wt_kind_name[kind].text, (ull)w->count[kind], (ull)w->errors[kind]);
	at += snprintf(at, COUNT_ROOM, "],\"sync\":[");
	for (int i = 0; i < 3; i++)
		at += snprintf(at, COUNT_ROOM, "%s{\"trigger\":\"%s\",\"calls\":%llu,\"block_bytes\":%llu}",
		               i ? "," : "", trigger[i], (ull)w->syncs[i], (ull)w->sync_bytes[i]);
	return (int)(at - to);
}

bool wt_line_window(struct wt_out *out, const struct wt_encoder *e, const struct wt_window *w)
{
	/* The line says where in its file it begins, so the next file is begun before, not under it. */
	if (out->full && !wt_out_may(out, WINDOW_ROOM)) return false;
	char *to = wt_out_at(out);
	int n = snprintf(
		to, ROOM,
		"{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"window\"%s,\"window\":%llu,\"start_ns\":%llu,\"end_ns\":%llu,"
		"\"write_elapsed_ns\":%llu,\"event_produced\":%llu,\"event_written\":%llu,\"dropped_full\":%llu,"
		"\"dropped_stopped\":%llu,\"omitted\":%llu,\"operation_outstanding\":%llu,\"recorder_inflight\":%llu,"
		"\"queue_depth\":%llu,\"queue_capacity\":%llu,\"retained_path_bytes\":%llu,"
		"\"file_bytes_before_summary\":%llu,\"waiter_registered\":%llu,\"notify_completed\":%llu,\"counts\":[",
		e->session, (ull)w->number, (ull)w->start_ns, (ull)w->end_ns, (ull)w->write_elapsed_ns,
		(ull)w->produced, (ull)w->written, (ull)w->dropped_full, (ull)w->dropped_stopped, (ull)w->omitted,
		(ull)w->outstanding, (ull)w->inflight, (ull)w->depth, (ull)e->capacity, (ull)w->paths, (ull)out->bytes,
		(ull)w->sums.waiters, (ull)w->sums.notified);
	n += put_counts(to + n, &w->sums);
	memcpy(to + n, "]}\n", 3);
	return end_line(out, n + 3);
}

bool wt_line_progress(struct wt_out *out, const struct wt_encoder *e, struct waltrace_logger *logger,
                      const struct wt_window *w)
{
	int n = snprintf(
		wt_out_at(out), ROOM,
		"{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"progress\"%s,\"logger_id\":%llu,\"window\":%llu,"
		"\"at_ns\":%llu,\"approximate\":true,\"commit_lock_waiting\":%llu,\"waiting_peak_lifetime\":%llu,"
		"\"owner_id\":%llu,\"owner_since_ns\":%llu,\"owner_stage\":%llu}\n",
		e->session, (ull)logger->id, (ull)w->number, (ull)(w->end_ns + w->write_elapsed_ns),
		(ull)WT_WAITERS(atomic_load_explicit(&logger->waiters, memory_order_relaxed)),
		(ull)atomic_load_explicit(&logger->peak, memory_order_relaxed),
		(ull)atomic_load_explicit(&logger->owner, memory_order_relaxed),
		(ull)atomic_load_explicit(&logger->owner_since_ns, memory_order_relaxed),
		(ull)atomic_load_explicit(&logger->owner_stage, memory_order_relaxed));
	return end_line(out, n);
}

void wt_line_histogram(struct wt_out *out, const struct wt_encoder *e, uint64_t window, uint64_t logger,
                       enum waltrace_kind kind, const struct wt_latency_share *share)
{
	enum { PAIR = 24 };
	static char line[512 + WT_HIST_BUCKETS * PAIR]; /* the writer's only */
	char *to = line;
	to += snprintf(
		line, 512,
		"{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"histogram\"%s,\"window\":%llu,\"logger_id\":%llu,"
		"\"kind\":\"%s\",\"count\":%llu,\"errors\":%llu,\"sum_ns\":%llu,\"max_ns\":%llu,\"sub_bits\":%d,"
		"\"buckets\":[",
		e->session, (ull)window, (ull)logger, wt_kind_name[kind].text, (ull)share->count, (ull)share->errors,
		(ull)share->sum_ns, (ull)share->max_ns, WT_HIST_SUB_BITS);
	for (uint32_t i = 0; i < share->buckets; i++)
		to += snprintf(to, PAIR, "%s[%u,%u]", i ? "," : "", share->bucket[i].index, share->bucket[i].n);
	memcpy(to, "]}\n", 3);
	size_t n = (size_t)(to + 3 - line);
	if (wt_out_extra(out, n)) wt_out_put(out, line, n);
}

void wt_line_loss(struct wt_out *out, const struct wt_encoder *e, uint64_t window, uint64_t key, uint64_t n)
{
	uint32_t kind = (uint32_t)(key >> 8) & 0xff, cause = ((uint32_t)key & 0xff) - 1;
	int bytes =
		snprintf(wt_out_at(out), ROOM,
	                 "{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"loss\"%s,\"window\":%llu,\"logger_id\":%llu,"
	                 "\"kind\":\"%s\",\"cause\":\"%s\",\"n\":%llu}\n",
	                 e->session, (ull)window, (ull)(key >> 16), kind ? wt_kind_name[kind - 1].text : "",
	                 wt_loss_name[cause], (ull)n);
	if (wt_out_extra(out, (uint64_t)bytes)) end_line(out, bytes);
}

/* The CRC covers everything from the beginning of the last such line to the beginning of this one. */
bool wt_line_recorder(struct wt_out *out, const struct wt_encoder *e, const struct wt_own_cost *c)
{
	uint32_t crc = wt_out_crc(out);
	int n = snprintf(
		wt_out_at(out), ROOM,
		"{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"recorder\"%s,\"window\":%llu,\"filtered\":%llu,"
		"\"writer_cpu_ns\":%llu,\"bytes\":%llu,\"lag_ns\":%llu,\"queue_peak\":%llu,\"producer_ns\":%llu,"
		"\"producer_samples\":%llu,\"left_out\":%llu,\"crc32\":%u}\n",
		e->session, (ull)c->window, (ull)c->filtered, (ull)c->writer_cpu_ns, (ull)c->bytes, (ull)c->lag_ns,
		(ull)c->queue_peak, (ull)c->producer_ns, (ull)c->producer_samples, (ull)c->left_out, crc);
	if (!wt_out_extra(out, (uint64_t)n)) return false;
	wt_out_crc_restart(out);
	return end_line(out, n);
}

bool wt_line_in_flight(struct wt_out *out, const struct wt_encoder *e, const struct wt_slot *slot)
{
	int n = snprintf(
		wt_out_at(out), ROOM,
		"{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"in_flight\"%s,\"logger_id\":%u,\"operation_id\":%llu,"
		"\"kind\":\"%s\",\"since_ns\":%llu,\"stage\":%u,\"rows\":%u}\n",
		e->session, slot->logger_id, (ull)slot->operation_id, wt_kind_name[slot->kind].text,
		(ull)slot->since_ns, slot->stage, slot->rows);
	return end_line(out, n);
}

bool wt_line_footer(struct wt_out *out, const struct wt_encoder *e, const struct waltrace_report *r)
{
	char text[1024];
	int n = snprintf(text, sizeof text,
	                 "{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"session_end\"%s,\"reason\":\"%s\","
	                 "\"event_produced\":%llu,\"event_written\":%llu,\"event_dropped\":%llu,\"omitted\":%llu,"
	                 "\"outstanding\":%llu,\"complete\":%s}\n",
	                 e->session, r->reason, (ull)r->produced, (ull)r->written, (ull)r->dropped, (ull)r->omitted,
	                 (ull)r->outstanding, r->complete ? "true" : "false");
	return wt_out_footer(out, text, (size_t)n);
}

static void put_path(struct wt_out *out, const struct wt_encoder *e, const struct wt_row_path *path)
{
	if (path->bytes <= WALTRACE_MAX_TEXT) {
		wt_out_put_hex(out, path->text, path->bytes);
		return;
	}
	uint32_t left = path->bytes;
	for (uint32_t b = path->block; left;) {
		const struct wt_block *block = &e->path_block[b];
		uint32_t part = left < WT_BLOCK_PAYLOAD ? left : WT_BLOCK_PAYLOAD;
		wt_out_put_hex(out, block->bytes, part);
		left -= part;
		b = block->next - 1;
	}
}

/* A record with paths, which may be far longer than the buffer. */
static bool record_with_paths(struct wt_out *out, const struct wt_encoder *e, const struct wt_row *row)
{
	static const char *const key[2] = {"source_path", "target_path"};
	struct wt_row_view view;
	wt_row_look(row, &view);
	char line[WT_LINE_MAX];
	size_t n = (size_t)(wt_encode_record(e, row, &view, line) - line);
	uint64_t bytes = n + 2;
	char head[2][64];
	for (int slot = 0; slot < 2; slot++)
		if (row->mask & WT_ROW_PATH(slot))
			bytes += (size_t)snprintf(head[slot], sizeof head[slot], PATH_HEAD, key[slot]) +
			         2 * (uint64_t)view.path[slot].bytes + strlen(path_end);
	if (!wt_out_may(out, bytes)) return false;
	wt_out_put(out, line, n);
	for (int slot = 0; slot < 2; slot++) {
		if (!(row->mask & WT_ROW_PATH(slot))) continue;
		wt_out_put(out, head[slot], strlen(head[slot]));
		put_path(out, e, &view.path[slot]);
		wt_out_put(out, path_end, strlen(path_end));
	}
	out->records++; /* before the end: a flush that fails in it must count this line as lost */
	wt_out_put(out, "}\n", 2);
	return true;
}

bool wt_line_record(struct wt_out *out, const struct wt_encoder *e, const struct wt_row *row)
{
	if (wt_unlikely(row->mask & (WT_ROW_PATH(0) | WT_ROW_PATH(1)))) return record_with_paths(out, e, row);
	struct wt_row_view view;
	if (wt_unlikely(row->mask & WT_ROW_TEXT)) wt_row_look(row, &view);
	char *end = wt_encode_record(e, row, &view, wt_out_at(out));
	*end++ = '}';
	*end++ = '\n';
	return wt_out_line(out, end, true);
}

/* ---- Sums ------------------------------------------------------------------------------------------------------------ */

static bool word_is(const struct wt_row *row, enum waltrace_string which, enum waltrace_word word)
{
	if (row->word[which] != WT_WORD_TEXT) return row->word[which] == word;
	struct wt_row_view view;
	wt_row_look(row, &view);
	return view.string[which].bytes == wt_word_text[word].bytes &&
	       !memcmp(view.string[which].text, wt_word_text[word].text, view.string[which].bytes);
}

/* Sums of what callers set wrap at 2^64, as the reference's do: the conformance case all_fields wants it so, although
 * the description of the recorder would have them saturate. */
void wt_sum_up(struct wt_sums *w, const struct wt_row *row)
{
	w->count[row->kind]++;
	w->errors[row->kind] += row->error_kind != WALTRACE_E_NONE;
	if (row->kind == WALTRACE_KIND_SYNC_CALL && word_is(row, WALTRACE_OUTCOME, WALTRACE_W_SUCCESS)) {
		int i = word_is(row, WALTRACE_TRIGGER, WALTRACE_W_TIMER)        ? 1
		        : word_is(row, WALTRACE_TRIGGER, WALTRACE_W_CHECKPOINT) ? 2
		                                                                : 0;
		w->syncs[i]++;
		w->sync_bytes[i] += wt_row_value(row, WALTRACE_BLOCK_BYTES);
	}
	if (row->mask & 1ull << WALTRACE_NOTIFY_COMPLETED_COUNT)
		w->notified += wt_row_value(row, WALTRACE_NOTIFY_COMPLETED_COUNT);
	if (row->kind == WALTRACE_KIND_COMMIT_LOCK)
		w->waiters += word_is(row, WALTRACE_OUTCOME, WALTRACE_W_WAITER_REGISTERED);
}
