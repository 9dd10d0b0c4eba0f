/* SPDX-License-Identifier: MIT */
#include "trace/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/process.h"
#include "trace/clock.h"
#include "trace/loss.h"
#include "trace/record.h"

#ifndef MAP_POPULATE
#define MAP_POPULATE 0
#endif

static uint64_t place(uint64_t *at, uint64_t bytes)
{
	uint64_t here = *at;
	*at += (bytes + 4095) & ~4095ull;
	return here;
}

void wt_segment_lay_out(struct wt_segment *head, uint64_t capacity, uint32_t shards)
{
	uint64_t at = WT_HEAD_BYTES;
	head->capacity = capacity;
	head->shard_count = shards;
	head->chunk_count = wt_queue_chunks(capacity, shards);
	head->shards_at = place(&at, WT_SHARDS_MAX * sizeof(struct wt_shard));
	head->losses_at = place(&at, WT_LOSS_PLACES * sizeof(struct wt_loss_place));
	head->latencies_at = place(&at, sizeof(struct wt_latencies));
	head->states_at = place(&at, WALTRACE_MAX_OPERATIONS * sizeof(uint32_t));
	head->slots_at = place(&at, WALTRACE_MAX_OPERATIONS * (uint64_t)WT_SLOT_BYTES);
	head->spills_at = place(&at, WT_SPILLS * (uint64_t)WT_SPILL_BYTES);
	head->loggers_at = place(&at, WALTRACE_MAX_LOGGERS * sizeof(struct waltrace_logger));
	head->logger_text_at = place(&at, WT_LOGGER_TEXT_BYTES);
	head->path_links_at = place(&at, WT_PATH_BLOCKS * sizeof(uint32_t));
	head->path_blocks_at = place(&at, WT_PATH_BLOCKS * sizeof(struct wt_block));
	head->chunk_links_at = place(&at, head->chunk_count * sizeof(uint32_t));
	head->chunks_at = place(&at, head->chunk_count * (uint64_t)WT_CHUNK_BYTES);
	head->credit_at = offsetof(struct wt_segment, credit);
	head->published_at = offsetof(struct wt_segment, published);
	head->histograms_at = head->latencies_at + offsetof(struct wt_latencies, latency);
	head->trace_path_at = offsetof(struct wt_segment, trace_path);
	head->bytes = at;
	head->head_bytes = WT_HEAD_BYTES;
	head->version = WT_SEGMENT_VERSION;
}

/* Reserved at once: a full /dev/shm is an error here, not a SIGBUS later. */
static void *map_shared(const char *name, uint64_t bytes)
{
	int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0) return NULL;
	void *memory = MAP_FAILED;
	int error = posix_fallocate(fd, 0, (off_t)bytes);
	if (!error) memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	close(fd);
	if (memory != MAP_FAILED) return memory;
	shm_unlink(name);
	return NULL;
}

static void *map_private(uint64_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static void *part(struct wt_segment *segment, uint64_t at) { return (char *)segment + at; }

static void find_parts(struct wt_session *s)
{
	struct wt_segment *g = s->segment;
	s->queue = (struct wt_queue){
		.shard = part(g, g->shards_at),
		.shards = g->shard_count,
		.chunks = g->chunk_count,
		.capacity = g->capacity,
		.credit = &g->credit,
		.pool = {.head = &g->chunk_pool, .link = part(g, g->chunk_links_at)},
		.chunk = part(g, g->chunks_at),
	};
	s->state = part(g, g->states_at);
	s->slots = part(g, g->slots_at);
	s->losses = part(g, g->losses_at);
	s->latencies = part(g, g->latencies_at);
	s->logger = part(g, g->loggers_at);
	s->logger_text = part(g, g->logger_text_at);
	s->paths = (struct wt_blocks){.pool = {.head = &g->path_pool, .link = part(g, g->path_links_at)},
	                              .block = part(g, g->path_blocks_at)};
}

static void name_process(struct wt_segment *segment)
{
	segment->pid = (uint64_t)getpid();
	segment->pid_start = wt_process_start(segment->pid);
	segment->pid_namespace = wt_pid_namespace();
	wt_boot_id(segment->boot_id, sizeof segment->boot_id);
}

static int make_packet_blocks(struct wt_session *s)
{
	static struct wt_pool_head head;
	s->packets.pool.head = &head;
	s->packets.pool.link = calloc(WT_PACKET_BLOCKS, sizeof(uint32_t));
	s->packets.block = calloc(WT_PACKET_BLOCKS, sizeof(struct wt_block));
	if (!s->packets.pool.link || !s->packets.block) return -ENOMEM;
	wt_pool_fill(&s->packets.pool, WT_PACKET_BLOCKS);
	return 0;
}

int wt_segment_create(struct wt_session *s, uint64_t capacity, struct wt_err *err)
{
	struct wt_segment head;
	memset(&head, 0, sizeof head);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	wt_segment_lay_out(&head, capacity, wt_queue_shards(capacity, cpus > 0 ? (uint32_t)cpus : 1));
	snprintf(s->segment_name, sizeof s->segment_name, "/waltrace-%s", s->session_id);
	s->segment = map_shared(s->segment_name, head.bytes);
	if (!s->segment) {
		s->segment_name[0] = 0;
		s->segment = map_private(head.bytes);
	}
	if (!s->segment || make_packet_blocks(s))
		return wt_err_set(err, -ENOMEM, "no memory for the recorder: it needs %llu bytes",
		                  (unsigned long long)head.bytes);
	memcpy(s->segment, &head, sizeof head);
	memcpy(s->segment->session_id, s->session_id, sizeof s->segment->session_id);
	snprintf(s->segment->trace_path, sizeof s->segment->trace_path, "%s", s->path);
	s->segment->max_bytes = s->config.max_bytes;
	s->segment->clock_origin_ns = wt_clock_origin_ns();
	s->segment->window_ms = s->config.window_ms;
	s->segment->drain_ms = s->config.drain_ms;
	s->segment->min_ns = s->config.min_ns;
	name_process(s->segment);
	find_parts(s);
	wt_queue_init(&s->queue);
	wt_pool_fill(&s->paths.pool, WT_PATH_BLOCKS);
	wt_losses_init(s->losses);
	s->queue.lost = wt_row_lost;
	atomic_store(&s->segment->next_id, 1);
	for (uint32_t i = 0; i < WALTRACE_MAX_OPERATIONS; i++)
		((struct wt_slot *)(void *)(s->slots + (size_t)i * WT_SLOT_BYTES))->index = i;
	/* Last, and released: who looks from outside finds the magic only in a whole segment. */
	__atomic_store_n(&s->segment->magic, WT_SEGMENT_MAGIC, __ATOMIC_RELEASE);
	return 0;
}

void wt_segment_unlink(struct wt_session *s)
{
	if (s->segment_name[0]) shm_unlink(s->segment_name);
}
