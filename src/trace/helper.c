/* SPDX-License-Identifier: MIT */
/* One-shot channels from a fixed pool. The state word decides everything: a packet is put in with one CAS and taken
 * out with one, so it is neither lost nor taken twice when the parent closes its end at the same moment.
 *
 *             sender                                receiver
 *   send      fills `rows`, then CAS: + PACKET      –          fails: RECEIVER gone → the sender keeps the rows
 *   receive   –                                     PACKET seen (acquire): takes it, then − PACKET (release)
 *   close     − SENDER                              − RECEIVER (acq_rel): PACKET in the old value → drains it
 *   free      whoever takes away the last of SENDER and RECEIVER gives the channel back */
#include "trace/helper.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trace/admission.h"
#include "trace/record.h"

enum { SENDER = 1, RECEIVER = 2, PACKET = 4 };

struct waltrace_channel {
	_Atomic uint32_t state;
	/* The packet: by the sender before PACKET is set, by the receiver while it is. */
	int result, result_kind;
	uint32_t rows, bytes;
	uint32_t block; /* of the rows, in the session's packet blocks */
	sem_t sent;     /* posted when there may be news for a waiting receiver */
};

static struct waltrace_channel *channels;
static struct wt_pool_head pool_head;
static struct wt_pool pool = {.head = &pool_head};

int wt_channels_create(void)
{
	channels = calloc(WT_CHANNELS, sizeof *channels);
	pool.link = calloc(WT_CHANNELS, sizeof *pool.link);
	if (!channels || !pool.link) return -ENOMEM;
	for (uint32_t i = 0; i < WT_CHANNELS; i++) sem_init(&channels[i].sent, 0, 0);
	wt_pool_fill(&pool, WT_CHANNELS);
	return 0;
}

struct waltrace_channel *waltrace_channel_open(void)
{
	enum wt_gate gate = wt_gate_now();
	if (gate == WT_GATE_OFF || gate == WT_GATE_ENDED) return NULL;
	uint32_t index = wt_pool_take(&pool);
	if (index == WT_POOL_NONE) {
		wt_lose(WT_LOSS_helpers, 0, WT_LOSS_NO_KIND, 1);
		return NULL;
	}
	struct waltrace_channel *channel = &channels[index];
	while (!sem_trywait(&channel->sent)) /* news of its last life */
		;
	atomic_store_explicit(&channel->state, SENDER | RECEIVER, memory_order_release);
	return channel;
}

static void release_rows(const unsigned char *row, uint32_t rows)
{
	for (; rows; rows--) {
		const struct wt_row *r = (const void *)row;
		wt_path_release(r);
		row += r->bytes;
	}
}

/* Takes the packet's rows out of the channel; the caller still has to take PACKET away. */
static void unload(struct waltrace_channel *channel, unsigned char *row)
{
	if (!channel->rows) return;
	wt_blocks_get(&wt_session.packets, channel->block, row, channel->bytes);
	wt_blocks_free(&wt_session.packets, channel->block);
}

/* An end is gone; the last one gives the channel back, and a packet nobody took is omitted. */
static void close_end(struct waltrace_channel *channel, uint32_t end)
{
	uint32_t old = atomic_fetch_and_explicit(&channel->state, ~end, memory_order_acq_rel);
	if (!(old & end)) return;
	if (end == RECEIVER && old & PACKET) {
		_Alignas(8) unsigned char row[WALTRACE_MAX_HELPER_ROWS * WALTRACE__ROW_MAX];
		unload(channel, row);
		release_rows(row, channel->rows);
		if (channel->rows) wt_lose(WT_LOSS_channel, 0, WT_LOSS_NO_KIND, channel->rows);
		atomic_fetch_and_explicit(&channel->state, ~(uint32_t)PACKET, memory_order_relaxed);
	}
	if (!(old & (SENDER | RECEIVER) & ~end)) {
		wt_pool_give(&pool, (uint32_t)(channel - channels));
	} else if (end == SENDER) {
		sem_post(&channel->sent);
	}
}

void waltrace_channel_close_receiver(struct waltrace_channel *channel)
{
	if (channel && wt_gate_now() != WT_GATE_OFF) close_end(channel, RECEIVER);
}

void waltrace_channel_close_sender(struct waltrace_channel *channel)
{
	if (channel && wt_gate_now() != WT_GATE_OFF) close_end(channel, SENDER);
}

bool waltrace_channel_host(struct waltrace_op *parent, struct waltrace_channel *channel)
{
	struct wt_slot *slot = parent->slot;
	if (!parent->logger || !slot || !channel || wt_gate_now() == WT_GATE_OFF) return false;
	if (slot->channels == WALTRACE_MAX_CHANNELS) return false;
	slot->channel[slot->channels++] = (uint16_t)(channel - channels);
	return true;
}
_Static_assert(WT_CHANNELS <= UINT16_MAX + 1, "a channel's number fits into the slot");

void wt_channels_drain(struct waltrace_op *op)
{
	struct wt_slot *slot = op->slot;
	for (uint32_t i = 0; i < slot->channels; i++) {
		struct waltrace_channel *channel = &channels[slot->channel[i]];
		/* Closed before it is drained: what the sender puts in later it keeps, and emits itself. */
		uint32_t old = atomic_fetch_and_explicit(&channel->state, ~(uint32_t)RECEIVER, memory_order_acq_rel);
		if (old & PACKET) {
			_Alignas(8) unsigned char row[WALTRACE_MAX_HELPER_ROWS * WALTRACE__ROW_MAX];
			const unsigned char *at = row;
			unload(channel, row);
			for (uint32_t n = 0; n < channel->rows; n++) {
				const struct wt_row *r = (const void *)at;
				wt_op_push_packed(op, r);
				at += r->bytes;
			}
			atomic_fetch_and_explicit(&channel->state, ~(uint32_t)PACKET, memory_order_relaxed);
		}
		if (!(old & SENDER)) wt_pool_give(&pool, slot->channel[i]);
	}
	slot->channels = 0;
}

void wt_helper_drop_rows(struct waltrace_helper *helper)
{
	release_rows(helper->row, helper->rows);
	helper->op.lost[WT_OP_HELPER_ROWS] += helper->rows;
	helper->rows = 0;
	helper->bytes = 0;
}

static void lose_rows(struct waltrace_helper *helper)
{
	release_rows(helper->row, helper->rows);
	helper->op.lost[WT_OP_CHANNEL] += helper->rows;
}

/* Puts the rows into blocks and the packet into the channel. 0, -EPIPE: no receiver, -EBUSY: full or no blocks. */
static int put(struct waltrace_helper *helper, struct waltrace_channel *channel, int result, int result_kind)
{
	uint32_t block = WT_POOL_NONE;
	uint32_t old = atomic_load_explicit(&channel->state, memory_order_acquire);
	if (!(old & RECEIVER)) return -EPIPE;
	if (old & PACKET) return -EBUSY;
	if (helper->rows) {
		block = wt_blocks_put(&wt_session.packets, helper->row, helper->bytes);
		if (block == WT_POOL_NONE) return -EBUSY;
	}
	channel->result = result;
	channel->result_kind = result_kind;
	channel->rows = helper->rows;
	channel->bytes = helper->bytes;
	channel->block = block;
	do {
		if (!(old & RECEIVER)) {
			if (helper->rows) wt_blocks_free(&wt_session.packets, block);
			return -EPIPE;
		}
	} while (!atomic_compare_exchange_weak_explicit(&channel->state, &old, old | PACKET, memory_order_acq_rel,
	                                                memory_order_acquire));
	sem_post(&channel->sent);
	return 0;
}

void waltrace_packet_send(struct waltrace_helper *helper, struct waltrace_channel *channel, int result,
                          enum waltrace_error_kind result_kind)
{
	int saved = errno;
	if (!helper->op.logger || wt_gate_now() == WT_GATE_OFF) {
		if (channel && wt_gate_now() != WT_GATE_OFF) { /* the receiver waits for the result, not for rows */
			helper->rows = 0;
			helper->bytes = 0;
			put(helper, channel, result, (int)result_kind);
		}
		errno = saved;
		return;
	}
	int error = channel ? put(helper, channel, result, (int)result_kind) : -EPIPE;
	if (error == -EPIPE && helper->rows) wt_hand_over(wt_this_thread(), helper->row, helper->rows, helper->bytes);
	if (error == -EBUSY) lose_rows(helper);
	helper->rows = 0;
	helper->bytes = 0;
	errno = saved;
}

static int wait_for_news(struct waltrace_channel *channel, const struct timespec *deadline)
{
	for (;;) {
		int failed =
			deadline ? sem_clockwait(&channel->sent, CLOCK_MONOTONIC, deadline) : sem_wait(&channel->sent);
		if (!failed) return 0;
		if (errno != EINTR) return -errno;
	}
}

static struct timespec deadline_in(uint64_t ms)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	uint64_t ns = (uint64_t)t.tv_nsec + ms % 1000 * 1000000u;
	t.tv_sec += (time_t)(ms / 1000 + ns / 1000000000u);
	t.tv_nsec = (long)(ns % 1000000000u);
	return t;
}

static int take_packet(struct waltrace_channel *channel, struct waltrace_packet *packet)
{
	packet->result = channel->result;
	packet->result_kind = channel->result_kind;
	packet->rows = (uint8_t)channel->rows;
	packet->bytes = (uint16_t)channel->bytes;
	unload(channel, packet->row);
	atomic_fetch_and_explicit(&channel->state, ~(uint32_t)PACKET, memory_order_release);
	return 0;
}

int waltrace_packet_receive(struct waltrace_op *parent, struct waltrace_channel *channel,
                            struct waltrace_packet *packet, uint64_t timeout_ms)
{
	(void)parent;
	packet->rows = 0;
	packet->bytes = 0;
	if (!channel) return -EPIPE;
	if (timeout_ms > UINT32_MAX * 1000ull) timeout_ms = UINT64_MAX;
	struct timespec deadline = deadline_in(timeout_ms == UINT64_MAX ? 0 : timeout_ms);
	for (;;) {
		uint32_t state = atomic_load_explicit(&channel->state, memory_order_acquire);
		if (state & PACKET) return take_packet(channel, packet);
		if (!(state & SENDER)) return -EPIPE;
		int error = wait_for_news(channel, timeout_ms == UINT64_MAX ? NULL : &deadline);
		if (error) return error;
	}
}

int waltrace_packet_merge(struct waltrace_op *parent, struct waltrace_packet *packet)
{
	const unsigned char *at = packet->row;
	if (!parent->logger || !parent->slot || wt_gate_now() == WT_GATE_OFF) {
		waltrace_packet_discard(parent, packet);
		return packet->result;
	}
	for (; packet->rows; packet->rows--) {
		const struct wt_row *row = (const void *)at;
		wt_op_push_packed(parent, row);
		at += row->bytes;
	}
	return packet->result;
}

void waltrace_packet_discard(struct waltrace_op *parent, struct waltrace_packet *packet)
{
	if (wt_gate_now() != WT_GATE_OFF) {
		release_rows(packet->row, packet->rows);
		if (parent->logger) parent->lost[WT_OP_UNMERGED] += packet->rows;
		else if (packet->rows) wt_lose(WT_LOSS_unmerged, 0, WT_LOSS_NO_KIND, packet->rows);
	}
	packet->rows = 0;
}
