/* SPDX-License-Identifier: MIT */
/* Commands on records, of a span or of an operation (then its primary while that isn't opened): fields, texts, paths
 * and ends. Texts that the schema knows go in as words, others as bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "runner.h"

/* NAME of a record: exactly one of the two is set. */
struct record {
	struct waltrace_op *op;
	struct waltrace_span *span;
	struct waltrace_op *clock;
};

static struct record record_of(struct run *run, const char *name)
{
	struct thing *t = find(run, OPERATION | SPAN, name);
	if (t->type == OPERATION) return (struct record){.op = &t->operation.op, .clock = &t->operation.op};
	return (struct record){.span = &t->span.span, .clock = &t->span.operation->operation.op};
}

static void put_text(struct record r, enum waltrace_string which, struct text text)
{
	enum waltrace_word word = word_of(text);
	if (r.op && word != WALTRACE_WORDS) waltrace_op_word(r.op, which, word);
	else if (r.op) waltrace_op_text(r.op, which, text.bytes, text.n);
	else if (word != WALTRACE_WORDS) waltrace_span_word(r.span, which, word);
	else waltrace_span_text(r.span, which, text.bytes, text.n);
}

static void set_text(struct run *run, char **argument, enum waltrace_string which)
{
	struct text text = text_of(run, argument[1]);
	put_text(record_of(run, argument[0]), which, text);
	free(text.bytes);
}

static void set_outcome(struct run *run, int n, char **argument)
{
	(void)n;
	set_text(run, argument, WALTRACE_OUTCOME);
}

static void set_trigger(struct run *run, int n, char **argument)
{
	(void)n;
	set_text(run, argument, WALTRACE_TRIGGER);
}

static void set_mode(struct run *run, int n, char **argument)
{
	(void)n;
	set_text(run, argument, WALTRACE_MODE);
}

static void set_last_stage(struct run *run, int n, char **argument)
{
	(void)n;
	set_text(run, argument, WALTRACE_LAST_STAGE);
}

static void set_pending(struct run *run, int n, char **argument)
{
	(void)n;
	set_text(run, argument, WALTRACE_PENDING_COMMIT_OUTCOME);
}

static void set_recv(struct run *run, int n, char **argument)
{
	(void)n;
	set_text(run, argument, WALTRACE_BATCH_WAIT_OUTCOME);
}

/* Of the operation: every root_flush record takes it over. */
static void set_recv_outcome(struct run *run, int n, char **argument)
{
	(void)n;
	struct waltrace_op *op = &find(run, OPERATION, argument[0])->operation.op;
	struct text text = text_of(run, argument[1]);
	enum waltrace_word word = word_of(text);
	if (word != WALTRACE_WORDS) waltrace_op_batch_wait_outcome(op, word);
	else waltrace_op_batch_wait_outcome_text(op, text.bytes, text.n);
	free(text.bytes);
}

static void set_field(struct run *run, int n, char **argument)
{
	(void)n;
	struct record r = record_of(run, argument[0]);
	enum waltrace_field field = field_of(run, argument[1]);
	uint64_t value = value_of(run, r.clock, argument[2]);
	if (r.op) waltrace_op_set(r.op, field, value);
	else waltrace_span_set(r.span, field, value);
}

static void set_cid(struct run *run, int n, char **argument)
{
	(void)n;
	struct record r = record_of(run, argument[0]);
	unsigned char byte[16];
	if (strlen(argument[1]) != 32 || wt_hex_get(byte, argument[1], 32))
		fail(run, "a cid has 32 hexadecimal digits");
	uint64_t half[2] = {0, 0};
	for (int i = 0; i < 16; i++) half[i / 8] = half[i / 8] << 8 | byte[i];
	if (r.op) waltrace_op_cid(r.op, half[0], half[1]);
	else waltrace_span_cid(r.span, half[0], half[1]);
}

static void put_error(struct record r, struct failure f)
{
	if (r.op && f.has_code) waltrace_op_error(r.op, f.code);
	else if (r.op) waltrace_op_error_kind(r.op, f.kind);
	else if (f.has_code) waltrace_span_error(r.span, f.code);
	else waltrace_span_error_kind(r.span, f.kind);
}

static void set_error(struct run *run, int n, char **argument)
{
	put_error(record_of(run, argument[0]), failure_of(run, n - 1, argument + 1));
}

static void finish(struct run *run, int n, char **argument)
{
	(void)n;
	struct text text = text_of(run, argument[1]);
	struct waltrace_span *span = &find(run, SPAN, argument[0])->span.span;
	enum waltrace_word word = word_of(text);
	waltrace_span_finish(span, word != WALTRACE_WORDS ? word : WALTRACE_W_NONE);
	if (word == WALTRACE_WORDS) waltrace_span_text(span, WALTRACE_OUTCOME, text.bytes, text.n);
	free(text.bytes);
}

static void set_result(struct run *run, int n, char **argument)
{
	struct record r = {.span = &find(run, SPAN, argument[0])->span.span};
	bool ok = n == 2 && !strcmp(argument[1], "ok");
	waltrace_span_finish(r.span, ok ? WALTRACE_W_SUCCESS : WALTRACE_W_ERROR);
	if (!ok) put_error(r, failure_of(run, n - 1, argument + 1));
}

static void put_path(struct run *run, const char *name, int slot, const char *token)
{
	struct text path = text_of(run, token);
	waltrace_span_path(&find(run, SPAN, name)->span.span, slot, path.bytes, path.n);
	free(path.bytes);
}

static void set_path(struct run *run, int n, char **argument)
{
	(void)n;
	put_path(run, argument[0], (int)flag(run, argument[1]), argument[2]);
}

/* C has no shared ownership to hand over: the recorder copies a path either way. */
static void set_shared_path(struct run *run, int n, char **argument)
{
	(void)n;
	put_path(run, argument[0], 0, argument[1]);
}

/* clang-format off */
const struct command record_commands[] = {
	{ "set", 3, 3, set_field },
	{ "cid", 2, 2, set_cid },
	{ "error", 2, 3, set_error },
	{ "outcome", 2, 2, set_outcome },
	{ "trigger", 2, 2, set_trigger },
	{ "mode", 2, 2, set_mode },
	{ "last_stage", 2, 2, set_last_stage },
	{ "pending", 2, 2, set_pending },
	{ "recv", 2, 2, set_recv },
	{ "recv_outcome", 2, 2, set_recv_outcome },
	{ "finish", 2, 2, finish },
	{ "result", 2, 3, set_result },
	{ "path", 3, 3, set_path },
	{ "shared_path", 2, 2, set_shared_path },
	{ NULL, 0, 0, NULL },
};
/* clang-format on */
