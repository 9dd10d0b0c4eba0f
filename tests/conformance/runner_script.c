/* SPDX-License-Identifier: MIT */
/* From text to a tree of lines and blocks, and from tokens to values. No state; any thread. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "runner.h"
#include "trace/schema.h"

/* ---- Lines and blocks ---- */

static int split(struct run *run, char *line, char **token)
{
	int n = 0;
	char *rest = line;
	for (char *t; (t = strtok_r(rest, " \t\r", &rest));) {
		if (n == MAX_TOKENS) fail(run, "more than %d tokens", MAX_TOKENS);
		token[n++] = t;
	}
	return n;
}

static void parse_block_head(struct run *run, struct node *node)
{
	bool counted = node->type != NODE_OTHER_THREAD;
	if (node->tokens != (counted ? 4 : 2) || strcmp(node->token[node->tokens - 1], "{"))
		fail(run, "a block begins with: %s %s{", node->token[0], counted ? "N v " : "");
	if (counted && (strlen(node->token[2]) != 1 || !isalpha((unsigned char)node->token[2][0])))
		fail(run, "a variable is one letter, not \"%s\"", node->token[2]);
}

static void parse_head(struct run *run, struct node *node)
{
	static const char *const block[] = {NULL, "repeat", "threads", "other_thread"};
	for (node->type = NODE_REPEAT; node->type <= NODE_OTHER_THREAD; node->type++) {
		if (strcmp(node->token[0], block[node->type])) continue;
		parse_block_head(run, node);
		return;
	}
	node->type = NODE_COMMAND;
	node->command = find_command(node->token[0]);
	if (!node->command) fail(run, "unknown command \"%s\"", node->token[0]);
	int n = node->tokens - 1;
	if (n < node->command->min || n > node->command->max)
		fail(run, "wrong number of arguments to %s", node->token[0]);
}

static char *next_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');
	if (!*line) return NULL;
	*text = end ? end + 1 : line + strlen(line);
	if (end) *end = 0;
	return line;
}

/* Parses up to the end of the text, or the } that closes a block which began in line `opened`. */
static struct node *parse_lines(struct run *run, char **text, int opened)
{
	struct node *first = NULL, **last = &first;
	for (char *line; (line = next_line(text));) {
		run->line++;
		line += strspn(line, " \t\r");
		if (!*line || *line == '#') continue;
		struct node *node = allocate(sizeof *node);
		*node = (struct node){.line = run->line};
		node->tokens = split(run, line, node->token);
		if (!strcmp(node->token[0], "}")) {
			if (!opened || node->tokens != 1) fail(run, "} without a block, or not alone on its line");
			free(node);
			return first;
		}
		parse_head(run, node);
		if (node->type != NODE_COMMAND) node->body = parse_lines(run, text, node->line);
		*last = node;
		last = &node->next;
	}
	if (opened) fail(run, "the block that begins in line %d has no }", opened);
	return first;
}

struct node *parse_script(struct run *run, char *text)
{
	struct node *first = parse_lines(run, &text, 0);
	run->line = 0;
	return first;
}

/* ---- Tokens ---- */

static const char *variable_at(const struct run *run, const char *at)
{
	unsigned char letter = (unsigned char)at[1];
	return *at == '$' && letter < MAX_VARIABLES && run->variable[letter][0] ? run->variable[letter] : NULL;
}

char *expand(const struct run *run, const char *token)
{
	size_t n = 1;
	const char *value;
	for (const char *c = token; *c; c++) n += (value = variable_at(run, c)) ? strlen(value) : 1;
	char *text = allocate(n), *out = text;
	for (const char *c = token; *c; c++) {
		if ((value = variable_at(run, c))) {
			out = stpcpy(out, value);
			c++;
		} else {
			*out++ = *c;
		}
	}
	*out = 0;
	return text;
}

uint64_t number(const struct run *run, const char *token)
{
	errno = 0;
	char *end = NULL;
	unsigned long long n = isdigit((unsigned char)*token) ? strtoull(token, &end, 10) : 0;
	if (!end || *end || errno) fail(run, "\"%s\" is not a number below 2^64", token);
	return n;
}

uint64_t flag(const struct run *run, const char *token)
{
	if (strcmp(token, "0") && strcmp(token, "1")) fail(run, "\"%s\" is neither 0 nor 1", token);
	return *token == '1';
}

static struct text fill_of(const struct run *run, const char *token)
{
	char digits[24];
	const char *colon = strchr(token, ':');
	unsigned char byte;
	if (!colon || (size_t)(colon - token) >= sizeof digits || strlen(colon + 1) != 2 ||
	    wt_hex_get(&byte, colon + 1, 2))
		fail(run, "fill:%s is not fill:N:HH", token);
	memcpy(digits, token, (size_t)(colon - token));
	digits[colon - token] = 0;
	struct text text = {.n = number(run, digits)};
	if (text.n > 1u << 30) fail(run, "fill:%s is longer than 1 GiB", token);
	text.bytes = allocate(text.n + 1);
	memset(text.bytes, byte, text.n);
	return text;
}

struct text text_of(const struct run *run, const char *token)
{
	struct text text = {.n = strlen(token)};
	if (!strncmp(token, "fill:", 5)) {
		text = fill_of(run, token + 5);
	} else if (!strncmp(token, "hex:", 4)) {
		text.n = (text.n - 4) / 2;
		text.bytes = allocate(text.n + 1);
		if (wt_hex_get(text.bytes, token + 4, strlen(token + 4))) fail(run, "%s is not hexadecimal", token);
	} else {
		text.bytes = allocate(text.n + 1);
		memcpy(text.bytes, token, text.n);
	}
	text.bytes[text.n] = 0;
	return text;
}

/* ---- Names of the schema ---- */

static int index_of(const struct wt_name *name, int n, const char *bytes, size_t length)
{
	for (int i = 0; i < n; i++)
		if (name[i].bytes == length && !memcmp(name[i].text, bytes, length)) return i;
	return n;
}

enum waltrace_kind kind_of(const struct run *run, const char *token)
{
	int i = index_of(wt_kind_name, WALTRACE_KINDS, token, strlen(token));
	if (i == WALTRACE_KINDS) fail(run, "unknown record kind \"%s\"", token);
	return (enum waltrace_kind)i;
}

enum waltrace_field field_of(const struct run *run, const char *token)
{
	int i = index_of(wt_field_name, WALTRACE_FIELDS, token, strlen(token));
	if (i == WALTRACE_FIELDS) fail(run, "unknown field \"%s\"", token);
	return (enum waltrace_field)i;
}

enum waltrace_word word_of(struct text text)
{
	return (enum waltrace_word)index_of(wt_word_text, WALTRACE_WORDS, text.bytes, text.n);
}

const char *error_kind_text(enum waltrace_error_kind kind) { return wt_error_kind_name[kind].text; }

/* KIND [CODE] */
struct failure failure_of(const struct run *run, int n, char **argument)
{
	int i = index_of(wt_error_kind_name, WALTRACE_ERROR_KINDS, argument[0], strlen(argument[0]));
	if (i == WALTRACE_ERROR_KINDS || i == WALTRACE_E_NONE) fail(run, "unknown error kind \"%s\"", argument[0]);
	struct failure failure = {.kind = (enum waltrace_error_kind)i, .has_code = n > 1};
	if (n < 2) return failure;
	errno = 0;
	char *end;
	long long code = strtoll(argument[1], &end, 10);
	if (end == argument[1] || *end || errno || code < INT_MIN || code > INT_MAX)
		fail(run, "\"%s\" is not an os code", argument[1]);
	failure.code = (int)code;
	return failure;
}
