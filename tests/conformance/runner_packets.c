/* SPDX-License-Identifier: MIT */
/* Commands on helpers' packets and the channels that carry them. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "runner.h"

/* Code 0 has no negative, and a result of 0 says success: it travels as the one int that is no code's negative. */
enum { RESULT_OF_CODE_0 = INT_MIN };

static void open_channel(struct run *run, int n, char **argument)
{
	(void)n;
	struct thing *thing = add(run, CHANNEL, argument[0]);
	thing->channel = (struct channel){.channel = waltrace_channel_open()};
}

static void host(struct run *run, int n, char **argument)
{
	(void)n;
	struct waltrace_op *op = &find(run, OPERATION, argument[0])->operation.op;
	struct channel *channel = &find(run, CHANNEL, argument[1])->channel;
	bool hosted = waltrace_channel_host(op, channel->channel);
	channel->hosted |= hosted;
	if (!run->quiet) say("host %s %s %s", argument[0], argument[1], hosted ? "yes" : "no");
}

static void close_receiver(struct run *run, int n, char **argument)
{
	(void)n;
	struct channel *channel = &find(run, CHANNEL, argument[0])->channel;
	if (channel->hosted || channel->receiver_closed) fail(run, "%s has no receiving end any more", argument[0]);
	waltrace_channel_close_receiver(channel->channel);
	channel->receiver_closed = true;
}

static void close_sender(struct run *run, int n, char **argument)
{
	(void)n;
	struct channel *channel = &find(run, CHANNEL, argument[0])->channel;
	if (channel->sender_closed) fail(run, "%s has no sending end any more", argument[0]);
	waltrace_channel_close_sender(channel->channel);
	channel->sender_closed = true;
}

static void send_packet(struct run *run, int n, char **argument)
{
	struct thing *helper = find(run, OPERATION, argument[0]);
	if (!helper->operation.is_helper) fail(run, "%s is no helper", argument[0]);
	struct channel *channel = &find(run, CHANNEL, argument[1])->channel;
	if (channel->sender_closed) fail(run, "%s has no sending end any more", argument[1]);
	int result = 0;
	enum waltrace_error_kind kind = WALTRACE_E_NONE;
	if (n > 3 || strcmp(argument[2], "ok")) {
		struct failure f = failure_of(run, n - 2, argument + 2);
		if (!f.has_code) kind = f.kind;
		else result = f.code == 0 || f.code == INT_MIN ? RESULT_OF_CODE_0 : -f.code;
	}
	waltrace_packet_send(&helper->operation.helper, channel->channel, result, kind);
}

static void receive_packet(struct run *run, int n, char **argument)
{
	(void)n;
	struct thing *operation = find(run, OPERATION, argument[0]);
	struct channel *channel = &find(run, CHANNEL, argument[1])->channel;
	if (!channel->hosted) fail(run, "%s is hosted by nobody", argument[1]);
	struct thing *packet = add(run, PACKET, argument[2]);
	packet->packet.operation = operation;
	struct waltrace_packet *into = &packet->packet.packet;
	int result = waltrace_packet_receive(&operation->operation.op, channel->channel, into, UINT64_MAX);
	if (result && result != -EPIPE) fail(run, "receive: %s", strerror(-result));
	if (result) forget(run, packet);
	if (!run->quiet) say("receive %s %s", argument[1], result ? "closed" : "ok");
}

static void say_result(const char *name, int result, enum waltrace_error_kind kind)
{
	if (!result && kind == WALTRACE_E_NONE) {
		say("merge %s ok", name);
	} else if (!result) {
		say("merge %s error %s", name, error_kind_text(kind));
	} else {
		int code = result == RESULT_OF_CODE_0 ? 0 : -result;
		say("merge %s error %s %d", name, error_kind_text(waltrace_error_kind_of(code)), code);
	}
}

static void merge(struct run *run, int n, char **argument)
{
	(void)n;
	struct waltrace_op *op = &find(run, OPERATION, argument[0])->operation.op;
	struct thing *packet = find(run, PACKET, argument[1]);
	enum waltrace_error_kind kind = (enum waltrace_error_kind)packet->packet.packet.result_kind;
	int result = waltrace_packet_merge(op, &packet->packet.packet);
	if (!run->quiet) say_result(argument[1], result, kind);
	forget(run, packet);
}

static void discard(struct run *run, int n, char **argument)
{
	(void)n;
	struct thing *packet = find(run, PACKET, argument[0]), *operation = packet->packet.operation;
	struct waltrace_op inactive;
	inactive.logger = NULL;
	bool open = is_open(run, operation);
	waltrace_packet_discard(open ? &operation->operation.op : &inactive, &packet->packet.packet);
	forget(run, packet);
}

/* clang-format off */
const struct command packet_commands[] = {
	{ "channel", 1, 1, open_channel },
	{ "host", 2, 2, host },
	{ "close", 1, 1, close_receiver },
	{ "drop_sender", 1, 1, close_sender },
	{ "send", 3, 4, send_packet },
	{ "receive", 3, 3, receive_packet },
	{ "merge", 2, 2, merge },
	{ "discard", 1, 1, discard },
	{ NULL, 0, 0, NULL },
};
/* clang-format on */
