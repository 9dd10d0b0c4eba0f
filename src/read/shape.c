/* SPDX-License-Identifier: MIT */
#include "read/shape.h"

#include <stddef.h>

#include "base/compiler.h"
#include "read/parse.h"

#define KEY(name, type, needed, to) \
	{ \
		",\"" name "\":", sizeof name - 1, type, needed, to \
	}
#define AT(member) offsetof(struct wt_line, member)
#define NUMBER(name, member) KEY(name, WT_T_U64, true, AT(member))
#define MORE_NUMBER(name, member) KEY(name, WT_T_U64, false, AT(member))
#define FIRST KEY("keyword", WT_T_KEYWORD, true, 0), KEY("event", WT_T_EVENT, true, AT(event))
#define SESSION KEY("session_id", WT_T_TEXT, true, AT(session_id))
#define ANY(name) KEY(name, WT_T_ANY, true, 0)

enum {
#define WT_FIELD(name, what) F_##name,
#include "trace/schema.def"
};

#define RECORD_HEAD \
	FIRST, SESSION, NUMBER("logger_id", record.logger_id), NUMBER("operation_id", record.id), \
		KEY("outcome", WT_T_STRING, true, WALTRACE_OUTCOME), \
		KEY("trigger", WT_T_STRING, false, WALTRACE_TRIGGER), KEY("mode", WT_T_STRING, false, WALTRACE_MODE), \
		KEY("last_stage", WT_T_STRING, false, WALTRACE_LAST_STAGE), \
		KEY("pending_commit_outcome", WT_T_STRING, false, WALTRACE_PENDING_COMMIT_OUTCOME), \
		KEY("batch_wait_outcome", WT_T_STRING, false, WALTRACE_BATCH_WAIT_OUTCOME),
#define RECORD_TAIL \
	KEY("commit_uid", WT_T_UID, false, 0), KEY("error_kind", WT_T_ERROR_KIND, false, 0), \
		KEY("source_path", WT_T_RECORD_PATH, false, 0), KEY("target_path", WT_T_RECORD_PATH, false, 1)

/* The halves of a commit id are printed as commit_uid. */
#define FIELD_BYTES(name) (F_##name == F_cid_lo || F_##name == F_cid_hi ? 0 : sizeof #name - 1)

static const struct wt_key record_key[] = {RECORD_HEAD
#define WT_FIELD(name, what) {",\"" #name "\":", FIELD_BYTES(name), WT_T_FIELD, false, F_##name},
#include "trace/schema.def"
                                                   RECORD_TAIL};

#define PAYLOAD "payload_bytes"
static const struct wt_key append_key[] = {RECORD_HEAD
#define WT_FIELD(name, what) \
	{F_##name == F_block_bytes ? ",\"" PAYLOAD "\":" : ",\"" #name "\":", \
	 F_##name == F_block_bytes ? sizeof PAYLOAD - 1 : FIELD_BYTES(name), WT_T_FIELD, false, F_##name},
#include "trace/schema.def"
                                                   RECORD_TAIL};
_Static_assert(WT_COUNT(record_key) <= WT_SHAPE_KEYS_MAX, "a line's keys fit the mask of those seen");

static const struct wt_key header_key[] = {
	FIRST,
	NUMBER("schema_version", header.schema_version),
	SESSION,
	NUMBER("pid", header.pid),
	KEY("epoch_ns", WT_T_TEXT, true, AT(header.epoch_ns)),
	KEY("run_id", WT_T_TEXT, true, AT(header.run_id)),
	KEY("pi_store", WT_T_TEXT, true, AT(header.version)),
	KEY("build_id_declared", WT_T_NULLABLE, true, AT(header.build_id)),
	NUMBER("window_ms", header.window_ms),
	NUMBER("capacity", header.capacity),
	ANY("record_bytes"),
	ANY("operation_slots"),
	ANY("records_per_operation"),
	ANY("helpers_per_operation"),
	ANY("path_budget_bytes"),
	NUMBER("max_bytes", header.max_bytes),
	ANY("global_clock_ms_verified"),
	ANY("worker_sleep_ms_verified"),
	MORE_NUMBER("drain_ms", header.drain_ms),
	KEY("on_limit", WT_T_TEXT, false, AT(header.on_limit)),
	MORE_NUMBER("min_ns", header.min_ns),
	KEY("clock", WT_T_TEXT, false, AT(header.clock)),
	KEY("segment", WT_T_NULLABLE, false, AT(header.segment)),
	MORE_NUMBER("part", header.part),
	MORE_NUMBER("deleted_records", header.deleted_records),
};

static const struct wt_key logger_key[] = {
	FIRST,
	SESSION,
	NUMBER("logger_id", logger.id),
	NUMBER("runtime_id", logger.runtime_id),
	KEY("wal_path", WT_T_PATH, true, AT(logger.wal_path)),
	KEY("initial_file", WT_T_PATH, true, AT(logger.initial_file)),
	NUMBER("block_limit", logger.block_limit),
	NUMBER("delay_ms", logger.delay_ms),
	NUMBER("checkpoint_limit", logger.checkpoint_limit),
	NUMBER("collect_interval_ms", logger.collect_interval_ms),
	ANY("auto_split"),
};

static const struct wt_key window_key[] = {
	FIRST,
	SESSION,
	NUMBER("window", window.number),
	NUMBER("start_ns", window.start_ns),
	NUMBER("end_ns", window.end_ns),
	NUMBER("write_elapsed_ns", window.write_elapsed_ns),
	NUMBER("event_produced", window.produced),
	NUMBER("event_written", window.written),
	NUMBER("dropped_full", window.dropped_full),
	NUMBER("dropped_stopped", window.dropped_stopped),
	NUMBER("omitted", window.omitted),
	NUMBER("operation_outstanding", window.outstanding),
	NUMBER("recorder_inflight", window.inflight),
	NUMBER("queue_depth", window.depth),
	NUMBER("queue_capacity", window.capacity),
	NUMBER("retained_path_bytes", window.paths),
	NUMBER("file_bytes_before_summary", window.file_bytes),
	NUMBER("waiter_registered", window.waiters),
	NUMBER("notify_completed", window.notified),
	KEY("counts", WT_T_COUNTS, true, 0),
	KEY("sync", WT_T_SYNCS, true, 0),
};

static const struct wt_key progress_key[] = {
	FIRST,
	SESSION,
	NUMBER("logger_id", progress.logger_id),
	NUMBER("window", progress.window),
	NUMBER("at_ns", progress.at_ns),
	ANY("approximate"),
	NUMBER("commit_lock_waiting", progress.waiting),
	NUMBER("waiting_peak_lifetime", progress.peak),
	NUMBER("owner_id", progress.owner_id),
	NUMBER("owner_since_ns", progress.owner_since_ns),
	NUMBER("owner_stage", progress.owner_stage),
};

static const struct wt_key footer_key[] = {
	FIRST,
	SESSION,
	KEY("reason", WT_T_TEXT, true, AT(footer.reason)),
	NUMBER("event_produced", footer.produced),
	NUMBER("event_written", footer.written),
	NUMBER("event_dropped", footer.dropped),
	NUMBER("omitted", footer.omitted),
	NUMBER("outstanding", footer.outstanding),
	KEY("complete", WT_T_BOOL, true, AT(footer.complete)),
};

static const struct wt_key histogram_key[] = {
	FIRST,
	SESSION,
	NUMBER("window", histogram.window),
	NUMBER("logger_id", histogram.logger_id),
	KEY("kind", WT_T_TEXT, true, AT(histogram.kind)),
	NUMBER("count", histogram.count),
	NUMBER("errors", histogram.errors),
	NUMBER("sum_ns", histogram.sum_ns),
	NUMBER("max_ns", histogram.max_ns),
	NUMBER("sub_bits", histogram.sub_bits),
	KEY("buckets", WT_T_ARRAY, true, AT(histogram.buckets)),
};

static const struct wt_key loss_key[] = {
	FIRST,
	SESSION,
	NUMBER("window", loss.window),
	NUMBER("logger_id", loss.logger_id),
	KEY("kind", WT_T_TEXT, true, AT(loss.kind)),
	KEY("cause", WT_T_TEXT, true, AT(loss.cause)),
	NUMBER("n", loss.n),
};

static const struct wt_key recorder_key[] = {
	FIRST,
	SESSION,
	NUMBER("window", recorder.window),
	NUMBER("filtered", recorder.filtered),
	NUMBER("writer_cpu_ns", recorder.writer_cpu_ns),
	NUMBER("bytes", recorder.bytes),
	NUMBER("lag_ns", recorder.lag_ns),
	NUMBER("queue_peak", recorder.queue_peak),
	NUMBER("producer_ns", recorder.producer_ns),
	NUMBER("producer_samples", recorder.producer_samples),
	NUMBER("left_out", recorder.left_out),
	KEY("crc32", WT_T_CRC, false, AT(recorder.crc32)),
};

static const struct wt_key in_flight_key[] = {
	FIRST,
	SESSION,
	NUMBER("logger_id", in_flight.logger_id),
	NUMBER("operation_id", in_flight.operation_id),
	KEY("kind", WT_T_TEXT, true, AT(in_flight.kind)),
	NUMBER("since_ns", in_flight.since_ns),
	NUMBER("stage", in_flight.stage),
	NUMBER("rows", in_flight.rows),
};

static const struct wt_key unknown_key[] = {FIRST, SESSION};

#define SHAPE(event, kind, key) \
	{ \
		event, sizeof event - 1, kind, WT_COUNT(key), key \
	}
const struct wt_shape wt_shape[WT_SHAPE_COUNT] = {
	SHAPE("root_append", WT_LINE_RECORD, append_key),
	SHAPE("root_flush", WT_LINE_RECORD, record_key),
	SHAPE("commit_lock", WT_LINE_RECORD, record_key),
	SHAPE("sync_call", WT_LINE_RECORD, record_key),
	SHAPE("timer_spawn", WT_LINE_RECORD, record_key),
	SHAPE("timer_run", WT_LINE_RECORD, record_key),
	SHAPE("checkpoint_rotation", WT_LINE_RECORD, record_key),
	SHAPE("file_split", WT_LINE_RECORD, record_key),
	SHAPE("backup_rename", WT_LINE_RECORD, record_key),
	SHAPE("root_confirm", WT_LINE_RECORD, record_key),
	SHAPE("replay", WT_LINE_RECORD, record_key),
	SHAPE("maintenance", WT_LINE_RECORD, record_key),
	SHAPE("session_start", WT_LINE_HEADER, header_key),
	SHAPE("root_logger_ready", WT_LINE_LOGGER, logger_key),
	SHAPE("window", WT_LINE_WINDOW, window_key),
	SHAPE("progress", WT_LINE_PROGRESS, progress_key),
	SHAPE("session_end", WT_LINE_FOOTER, footer_key),
	SHAPE("histogram", WT_LINE_HISTOGRAM, histogram_key),
	SHAPE("loss", WT_LINE_LOSS, loss_key),
	SHAPE("recorder", WT_LINE_RECORDER, recorder_key),
	SHAPE("in_flight", WT_LINE_IN_FLIGHT, in_flight_key),
	SHAPE("", WT_LINE_UNKNOWN, unknown_key),
};
_Static_assert(WT_SHAPE_OTHERS == 12 && (int)WT_SHAPE_COUNT == (int)WT_SHAPES, "the shapes above, in their order");
