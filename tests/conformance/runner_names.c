/* SPDX-License-Identifier: MIT */
/* Scopes: what a script has named and not ended yet. A scope is used by one thread at a time; a thread of a `threads`
 * block sees the loggers around it, whose scope nobody changes meanwhile. */
#include <stdlib.h>
#include <string.h>

#include "runner.h"

/* An operation and a span can't share a name (NAME may mean either); other kinds of things don't meet. */
static unsigned rivals_of(enum thing_type type)
{
	return type == OPERATION || type == SPAN ? OPERATION | SPAN : (unsigned)type;
}

static struct thing *find_in(const struct scope *scope, unsigned types, const char *name)
{
	for (struct thing *t = scope->first; t; t = t->next)
		if (t->type & types && !strcmp(t->name, name)) return t;
	return NULL;
}

static struct thing *look_up(const struct run *run, unsigned types, const char *name)
{
	struct thing *thing = find_in(run->scope, types, name);
	for (const struct scope *s = run->scope->outer; s && !thing; s = s->outer)
		thing = find_in(s, types & LOGGER, name);
	return thing;
}

static struct thing *find_type(const struct scope *scope, enum thing_type type)
{
	struct thing *thing = scope->first;
	while (thing && thing->type != type) thing = thing->next;
	return thing;
}

/* A channel's name has no command that ends it, so declaring it anew lets go of the old one's open ends. */
static void let_go(struct run *run, struct thing *thing)
{
	if (!thing->channel.sender_closed) waltrace_channel_close_sender(thing->channel.channel);
	if (!thing->channel.hosted && !thing->channel.receiver_closed)
		waltrace_channel_close_receiver(thing->channel.channel);
	forget(run, thing);
}

struct thing *add(struct run *run, enum thing_type type, const char *name)
{
	struct thing *old = find_in(run->scope, rivals_of(type), name);
	if (old && type == CHANNEL) let_go(run, old);
	else if (old) fail(run, "the name \"%s\" is in use", name);
	struct thing *thing = allocate(sizeof *thing);
	thing->next = run->scope->first;
	thing->type = type;
	thing->name = allocate(strlen(name) + 1);
	strcpy(thing->name, name);
	run->scope->first = thing;
	return thing;
}

struct thing *find(const struct run *run, unsigned types, const char *name)
{
	struct thing *thing = look_up(run, types, name);
	if (!thing) fail(run, "nothing of that kind is called \"%s\"", name);
	return thing;
}

bool is_open(const struct run *run, const struct thing *thing)
{
	const struct thing *t = run->scope->first;
	while (t && t != thing) t = t->next;
	return t;
}

void end_scope(struct run *run)
{
	struct scope *scope = run->scope;
	for (struct thing *t; (t = find_type(scope, CHANNEL));) let_go(run, t);
	struct thing **link = &scope->outer->left_open;
	while (*link) link = &(*link)->next;
	*link = scope->first;
	while (*link) link = &(*link)->next;
	*link = scope->left_open;
	free(scope);
}

void forget(struct run *run, struct thing *thing)
{
	struct thing **link = &run->scope->first;
	while (*link != thing) link = &(*link)->next;
	*link = thing->next;
	free(thing->name);
	free(thing);
}
