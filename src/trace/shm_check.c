/* SPDX-License-Identifier: MIT */
/* The published layout is the layout: nothing here but assertions. */
#include "trace/layout.h"
#include "waltrace_shm.h"

#define SAME(published, member, internal, of) \
	_Static_assert(offsetof(struct published, member) == offsetof(struct internal, of) && \
	                       sizeof(((struct published *)0)->member) == sizeof(((struct internal *)0)->of), \
	               #published "." #member)

#define HEAD(member) SAME(waltrace_shm_head, member, wt_segment, member)
HEAD(magic);
HEAD(version);
HEAD(head_bytes);
HEAD(bytes);
HEAD(session_id);
HEAD(pid);
HEAD(pid_start);
HEAD(pid_namespace);
HEAD(boot_id);
HEAD(capacity);
HEAD(max_bytes);
HEAD(shard_count);
HEAD(chunk_count);
HEAD(shards_at);
HEAD(losses_at);
HEAD(latencies_at);
HEAD(states_at);
HEAD(slots_at);
HEAD(spills_at);
HEAD(loggers_at);
HEAD(logger_text_at);
HEAD(path_links_at);
HEAD(path_blocks_at);
HEAD(chunk_links_at);
HEAD(chunks_at);
HEAD(ended);
HEAD(loggers);
HEAD(clock_origin_ns);
HEAD(window_ms);
HEAD(drain_ms);
HEAD(min_ns);
HEAD(credit_at);
HEAD(published_at);
HEAD(histograms_at);
HEAD(trace_path_at);

#define SHARD(member) SAME(waltrace_shm_shard, member, wt_shard, member)
SHARD(credit);
SHARD(tail);
SHARD(tried);

#define LOSS(member) SAME(waltrace_shm_loss, member, wt_loss_place, member)
LOSS(key);
LOSS(n);

#define PUBLISHED(member) SAME(waltrace_shm_published, member, wt_published, member)
PUBLISHED(generation);
PUBLISHED(file_bytes);
PUBLISHED(written);
PUBLISHED(window);
PUBLISHED(window_end_ns);
PUBLISHED(newest_ns);
PUBLISHED(loggers);
PUBLISHED(part);
PUBLISHED(deleted_records);
PUBLISHED(taken_ns);

#define PUBLICATION(member) SAME(waltrace_shm_publication, member, wt_publication, member)
PUBLICATION(generation);
PUBLICATION(check);
PUBLICATION(what);

#define LATENCIES(member) SAME(waltrace_shm_latencies, member, wt_latencies, member)
LATENCIES(used);
LATENCIES(unplaced);
LATENCIES(place);

#define HISTOGRAM(member) SAME(waltrace_shm_histogram, member, wt_latency, member)
HISTOGRAM(valueless);
HISTOGRAM(errors);
HISTOGRAM(bucket);

#define SLOT(member) SAME(waltrace_shm_slot, member, wt_slot, member)
SLOT(operation_id);
SLOT(since_ns);
SLOT(logger_id);
SLOT(index);
SLOT(stage);
SLOT(rows);
SLOT(kind);

#define LOGGER(member) SAME(waltrace_shm_logger, member, waltrace_logger, member)
LOGGER(waiters);
LOGGER(peak);
LOGGER(owner);
LOGGER(owner_since_ns);
LOGGER(owner_stage);
LOGGER(id);
LOGGER(runtime_id);
LOGGER(block_limit);
LOGGER(delay_ms);
LOGGER(checkpoint_limit);
LOGGER(collect_interval_ms);
LOGGER(text);
LOGGER(wal_bytes);
LOGGER(file_bytes);

_Static_assert(WALTRACE_SHM_MAGIC == WT_SEGMENT_MAGIC && (int)WALTRACE_SHM_VERSION == (int)WT_SEGMENT_VERSION,
               "version");
_Static_assert((int)WALTRACE_SHM_SLOTS == (int)WALTRACE_MAX_OPERATIONS &&
                       (int)WALTRACE_SHM_SLOT_STRIDE == (int)WT_SLOT_BYTES,
               "slots");
_Static_assert((int)WALTRACE_SHM_LOGGERS == (int)WALTRACE_MAX_LOGGERS &&
                       (int)WALTRACE_SHM_LOGGER_STRIDE == sizeof(struct waltrace_logger),
               "loggers");
_Static_assert((int)WALTRACE_SHM_SHARD_STRIDE == sizeof(struct wt_shard) && WT_WAITERS_BITS == 20, "shards, waiters");
_Static_assert((int)WALTRACE_SHM_SHARDS == (int)WT_SHARDS_MAX && (int)WALTRACE_SHM_LOSSES == (int)WT_LOSS_PLACES &&
                       sizeof(struct waltrace_shm_loss) == sizeof(struct wt_loss_place) &&
                       sizeof(struct waltrace_shm_publication) == sizeof(struct wt_publication),
               "losses, publications");
_Static_assert((int)WALTRACE_SHM_SERIES == (int)WT_SERIES && (int)WALTRACE_SHM_LOCK_WAIT == (int)WT_SERIES_LOCK_WAIT &&
                       (int)WALTRACE_SHM_NO_HISTOGRAM == (int)WT_NO_LATENCY &&
                       (int)WALTRACE_SHM_HISTOGRAMS == (int)WT_HISTOGRAMS &&
                       (int)WALTRACE_SHM_BUCKETS == (int)WT_HIST_BUCKETS &&
                       (int)WALTRACE_SHM_HISTOGRAM_STRIDE == sizeof(struct wt_latency),
               "histograms");
_Static_assert((int)WALTRACE_SHM_LOGGER_TEXT_BYTES == (int)WT_LOGGER_TEXT_BYTES &&
                       (int)WALTRACE_SHM_PATH_BYTES == sizeof(((struct wt_segment *)0)->trace_path),
               "texts");
