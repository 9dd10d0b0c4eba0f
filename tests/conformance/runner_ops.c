/* SPDX-License-Identifier: MIT */
/* Commands on operations, timers, helpers and their spans. The open spans of an operation are a stack (span.below). */
#include <stdlib.h>
#include <string.h>

#include "runner.h"

static struct waltrace_op *op_of(struct run *run, const char *name)
{
	return &find(run, OPERATION, name)->operation.op;
}

static struct waltrace_span *span_of(struct run *run, const char *name) { return &find(run, SPAN, name)->span.span; }

static uint64_t id_of(const struct run *run, const char *name)
{
	const struct thing *t = find(run, OPERATION | SPAN, name);
	return t->type == SPAN ? waltrace_span_id(&t->span.span) : waltrace_op_id(&t->operation.op);
}

/* N, now or id:NAME */
uint64_t value_of(const struct run *run, const struct waltrace_op *clock, const char *token)
{
	if (!strcmp(token, "now")) return waltrace_op_now(clock);
	if (!strncmp(token, "id:", 3)) return id_of(run, token + 3);
	return number(run, token);
}

/* ---- Operations ---- */

static struct thing *add_operation(struct run *run, const char *name, bool is_helper)
{
	struct thing *thing = add(run, OPERATION, name);
	thing->operation.is_helper = is_helper;
	thing->operation.top = NULL;
	return thing;
}

static void begin_op(struct run *run, int n, char **argument)
{
	(void)n;
	struct waltrace_logger *logger = find(run, LOGGER, argument[1])->logger;
	enum waltrace_kind kind = kind_of(run, argument[2]);
	waltrace_op_begin(&add_operation(run, argument[0], false)->operation.op, logger, kind);
}

static void begin_timer(struct run *run, int n, char **argument)
{
	(void)n;
	struct waltrace_op *parent = op_of(run, argument[1]);
	waltrace_op_timer(&add_operation(run, argument[0], false)->operation.op, parent);
}

static void begin_helper(struct run *run, int n, char **argument)
{
	(void)n;
	struct waltrace_op *parent = op_of(run, argument[1]);
	waltrace_helper_begin(&add_operation(run, argument[0], true)->operation.helper, parent);
}

static void set_flush_fast(struct run *run, int n, char **argument)
{
	(void)n;
	waltrace_op_flush_fast(op_of(run, argument[0]), flag(run, argument[1]));
}

static void set_recv_start(struct run *run, int n, char **argument)
{
	(void)n;
	struct waltrace_op *op = op_of(run, argument[0]);
	waltrace_op_batch_wait_start(op, value_of(run, op, argument[1]));
}

static void set_recv_ns(struct run *run, int n, char **argument)
{
	(void)n;
	struct waltrace_op *op = op_of(run, argument[0]);
	waltrace_op_batch_wait(op, value_of(run, op, argument[1]));
}

static void omit(struct run *run, int n, char **argument)
{
	(void)n;
	waltrace_op_omit(op_of(run, argument[0]));
}

static void end_op(struct run *run, int n, char **argument)
{
	(void)n;
	struct thing *thing = find(run, OPERATION, argument[0]);
	if (thing->operation.top) fail(run, "%s still has the open span %s", thing->name, thing->operation.top->name);
	waltrace_op_end(&thing->operation.op);
	forget(run, thing);
}

static void say_active(struct run *run, int n, char **argument)
{
	(void)n;
	const struct thing *t = find(run, OPERATION | SPAN, argument[0]);
	bool active = t->type == SPAN ? waltrace_span_id(&t->span.span) != 0 : waltrace_op_active(&t->operation.op);
	say("active %s %s", argument[0], active ? "yes" : "no");
}

/* ---- Spans ---- */

static struct waltrace_span *push_span(struct run *run, const char *name, struct thing *operation)
{
	struct thing *thing = add(run, SPAN, name);
	thing->span.operation = operation;
	thing->span.below = operation->operation.top;
	thing->span.held = thing->span.total = false;
	operation->operation.top = thing;
	return &thing->span.span;
}

/* A known trigger goes in as a word when the span opens, any other as text just after. */
struct trigger {
	struct text text;
	enum waltrace_word word;
	bool is_word;
};

static struct trigger trigger_of(struct run *run, const char *token)
{
	struct trigger t = {.text = text_of(run, strcmp(token, "-") ? token : "hex:")};
	t.word = word_of(t.text);
	t.is_word = t.word != WALTRACE_WORDS;
	if (!t.is_word) t.word = WALTRACE_W_NONE;
	return t;
}

static void finish_trigger(struct waltrace_span *span, struct trigger t)
{
	if (!t.is_word) waltrace_span_text(span, WALTRACE_TRIGGER, t.text.bytes, t.text.n);
	free(t.text.bytes);
}

static void open_root(struct run *run, int n, char **argument)
{
	(void)n;
	struct thing *operation = find(run, OPERATION, argument[1]);
	waltrace_op_root(&operation->operation.op, push_span(run, argument[0], operation));
}

static void open_span(struct run *run, int n, char **argument)
{
	(void)n;
	struct thing *operation = find(run, OPERATION, argument[1]);
	struct waltrace_op *op = &operation->operation.op;
	enum waltrace_kind kind = kind_of(run, argument[2]);
	uint64_t parent = strcmp(argument[3], "-") ? value_of(run, op, argument[3]) : 0;
	struct trigger trigger = trigger_of(run, argument[4]);
	struct waltrace_span *span = push_span(run, argument[0], operation);
	waltrace_span_open(span, op, kind, parent, trigger.word);
	finish_trigger(span, trigger);
}

static void open_child(struct run *run, int n, char **argument)
{
	(void)n;
	struct thing *parent = find(run, SPAN, argument[1]);
	enum waltrace_kind kind = kind_of(run, argument[2]);
	struct trigger trigger = trigger_of(run, argument[3]);
	enum waltrace_field link = strcmp(argument[4], "-") ? field_of(run, argument[4]) : WALTRACE_FIELDS;
	struct waltrace_span *span = push_span(run, argument[0], parent->span.operation);
	waltrace_span_child(span, &parent->span.span, kind, trigger.word, link);
	finish_trigger(span, trigger);
}

static void begin(struct run *run, int n, char **argument)
{
	(void)n;
	waltrace_span_begin(span_of(run, argument[0]));
}

static void mark(struct run *run, int n, char **argument)
{
	(void)n;
	waltrace_span_mark(span_of(run, argument[0]), field_of(run, argument[1]));
}

static void wait_commit(struct run *run, int n, char **argument)
{
	(void)n;
	waltrace_span_wait_commit(span_of(run, argument[0]));
}

static void set_stage(struct run *run, int n, char **argument)
{
	(void)n;
	waltrace_span_stage(span_of(run, argument[0]), number(run, argument[1]));
}

static void hold(struct run *run, int n, char **argument)
{
	(void)n;
	struct thing *thing = find(run, SPAN, argument[0]);
	if (thing->span.held) fail(run, "%s holds a lock already", thing->name);
	bool commit = flag(run, argument[1]);
	thing->span.total = flag(run, argument[2]);
	thing->span.held = true;
	waltrace_span_acquired(&thing->span.span, commit);
}

/* There is no real lock; what lies between releasing and released would be its unlock. */
static void close_top(struct run *run, struct thing *operation, bool unwinding)
{
	struct thing *thing = operation->operation.top;
	struct waltrace_span *span = &thing->span.span;
	operation->operation.top = thing->span.below;
	if (thing->span.held) {
		waltrace_span_releasing(span);
		if (thing->span.total) waltrace_span_released(span);
	}
	if (unwinding) waltrace_span_end_unwind(span);
	else waltrace_span_end(span);
	forget(run, thing);
}

static void drop(struct run *run, int n, char **argument)
{
	(void)n;
	struct thing *thing = find(run, SPAN, argument[0]), *operation = thing->span.operation;
	if (operation->operation.top != thing) fail(run, "%s is not the innermost open span", thing->name);
	close_top(run, operation, false);
}

static void unwind(struct run *run, int n, char **argument)
{
	(void)n;
	struct thing *thing = find(run, OPERATION | SPAN, argument[0]);
	bool is_span = thing->type == SPAN;
	struct thing *operation = is_span ? thing->span.operation : thing;
	struct thing *around = is_span ? thing->span.below : NULL;
	while (operation->operation.top != around) close_top(run, operation, true);
	if (is_span) return;
	waltrace_op_end_unwind(&operation->operation.op);
	forget(run, operation);
}

/* clang-format off */
const struct command op_commands[] = {
	{ "op", 3, 3, begin_op },
	{ "timer", 2, 2, begin_timer },
	{ "helper", 2, 2, begin_helper },
	{ "flush_fast", 2, 2, set_flush_fast },
	{ "recv_start", 2, 2, set_recv_start },
	{ "recv_ns", 2, 2, set_recv_ns },
	{ "omit", 1, 1, omit },
	{ "end", 1, 1, end_op },
	{ "active", 1, 1, say_active },
	{ "root", 2, 2, open_root },
	{ "span", 5, 5, open_span },
	{ "child", 5, 5, open_child },
	{ "begin", 1, 1, begin },
	{ "mark", 2, 2, mark },
	{ "wait_commit", 1, 1, wait_commit },
	{ "stage", 2, 2, set_stage },
	{ "hold", 3, 3, hold },
	{ "drop", 1, 1, drop },
	{ "unwind", 1, 1, unwind },
	{ NULL, 0, 0, NULL },
};
/* clang-format on */
