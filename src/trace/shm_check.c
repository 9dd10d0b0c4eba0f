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

#define SHARD(member) SAME(waltrace_shm_shard, member, wt_shard, member)
SHARD(credit);
SHARD(tail);
SHARD(tried);

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
