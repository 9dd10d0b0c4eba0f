/* SPDX-License-Identifier: MIT */
/*
 * The interpreter of conformance scripts (tests/conformance/suite/README.md has the language).
 *
 *   runner.c          main, and the execution of lines and blocks
 *   runner_script.c   text to a tree of lines and blocks; tokens to values
 *   runner_names.c    scopes: what a script has named and not ended yet
 *   runner_session.c  commands on files, environment, session and loggers
 *   runner_ops.c      commands on operations and spans
 *   runner_record.c   commands on records
 *   runner_packets.c  commands on helpers' packets
 *
 * It uses the public header alone (and schema.h for names), as any program would. A script that can't be interpreted
 * ends it with status 2 from wherever that is found.
 */
#ifndef WT_CONFORMANCE_RUNNER_H
#define WT_CONFORMANCE_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "waltrace.h"

enum { MAX_TOKENS = 16, MAX_VARIABLES = 128 };

/* ---- The script: a tree, read only once it is parsed ---- */

enum node_type { NODE_COMMAND, NODE_REPEAT, NODE_THREADS, NODE_OTHER_THREAD };

struct run;

struct command {
	const char *name;
	int min, max; /* number of arguments */
	void (*call)(struct run *run, int n, char **argument);
};

struct node {
	enum node_type type;
	int line;
	int tokens;
	char *token[MAX_TOKENS];
	const struct command *command;
	struct node *body; /* of a block */
	struct node *next;
};

/* ---- Names ---- */

enum thing_type { LOGGER = 1, OPERATION = 2, SPAN = 4, CHANNEL = 8, PACKET = 16 };

struct operation {
	union {
		struct waltrace_op op; /* also the first member of a helper */
		struct waltrace_helper helper;
	};
	bool is_helper;
	struct thing *top; /* its innermost open span */
};

struct span {
	struct waltrace_span span;
	struct thing *operation;
	struct thing *below; /* the open span around it in the same operation */
	bool held, total;
};

struct channel {
	struct waltrace_channel *channel;
	bool hosted, receiver_closed, sender_closed;
};

struct packet {
	struct waltrace_packet packet;
	struct thing *operation; /* that received it, and may have ended since */
};

/* A named thing. It stays where it is until it is ended. */
struct thing {
	struct thing *next;
	char *name;
	enum thing_type type;
	union {
		struct waltrace_logger *logger;
		struct operation operation;
		struct span span;
		struct channel channel;
		struct packet packet;
	};
};

/* Used by one thread at a time; a scope of a `threads` block reads the loggers of those around it. */
struct scope {
	struct scope *outer;
	struct thing *first;
	struct thing *left_open; /* by threads that are gone: nameless, but the recorder may still use their memory */
};

/* What one thread of the script executes in. */
struct run {
	struct scope *scope;
	bool quiet; /* inside `threads`: host, receive and merge print nothing */
	int line;
	char variable[MAX_VARIABLES][24]; /* value by letter; "" if there is none */
};

struct text {
	char *bytes; /* followed by a zero byte that isn't counted */
	size_t n;
};

struct failure {
	enum waltrace_error_kind kind;
	bool has_code;
	int code;
};

/* runner.c */
void fail(const struct run *run, const char *format, ...) WT_PRINTF(2, 3) __attribute__((noreturn));
void say(const char *format, ...) WT_PRINTF(1, 2);
void *allocate(size_t bytes);
const struct command *find_command(const char *name);

/* runner_script.c: values are checked, and belong to the caller */
struct node *parse_script(struct run *run, char *text);
char *expand(const struct run *run, const char *token);
uint64_t number(const struct run *run, const char *token);
uint64_t flag(const struct run *run, const char *token);
struct text text_of(const struct run *run, const char *token);
enum waltrace_kind kind_of(const struct run *run, const char *token);
enum waltrace_field field_of(const struct run *run, const char *token);
enum waltrace_word word_of(struct text text); /* WALTRACE_WORDS if it is none */
struct failure failure_of(const struct run *run, int n, char **argument);
const char *error_kind_text(enum waltrace_error_kind kind);

/* runner_names.c */
struct thing *add(struct run *run, enum thing_type type, const char *name);
struct thing *find(const struct run *run, unsigned types, const char *name);
bool is_open(const struct run *run, const struct thing *thing); /* `thing` may be gone */
void forget(struct run *run, struct thing *thing);
void end_scope(struct run *run); /* moves what is still open to the scope around */

/* runner_ops.c, runner_record.c: what the others need of them */
uint64_t value_of(const struct run *run, const struct waltrace_op *clock, const char *token);

extern const struct command session_commands[], op_commands[], record_commands[], packet_commands[];

#endif
