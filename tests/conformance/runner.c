/* SPDX-License-Identifier: MIT */
/* conformance-runner SCRIPT: executes one scenario script; see runner.h. */
#include "runner.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNINTERPRETABLE = 2 };

/* One thread of a `threads` or `other_thread` block. */
struct worker {
	pthread_t thread;
	struct run *run;
	const struct node *body;
};

static void execute(struct run *run, const struct node *node);

void fail(const struct run *run, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	flockfile(stderr);
	fprintf(stderr, "conformance-runner: ");
	if (run->line) fprintf(stderr, "line %d: ", run->line);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	funlockfile(stderr);
	va_end(args);
	fflush(NULL);
	_exit(UNINTERPRETABLE);
}

/* One line of the transcript; visible at once, so that a killed run shows how far it came. */
void say(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	flockfile(stdout);
	vprintf(format, args);
	putchar('\n');
	fflush(stdout);
	funlockfile(stdout);
	va_end(args);
}

/* Memory full of rubbish: the library promises to need no initialised structs. */
void *allocate(size_t bytes)
{
	void *memory = malloc(bytes ? bytes : 1);
	if (!memory) {
		fprintf(stderr, "conformance-runner: out of memory\n");
		_exit(1);
	}
	return memset(memory, 0xa5, bytes);
}

const struct command *find_command(const char *name)
{
	const struct command *const table[] = {session_commands, op_commands, record_commands, packet_commands};
	for (size_t i = 0; i < WT_COUNT(table); i++)
		for (const struct command *c = table[i]; c->name; c++)
			if (!strcmp(c->name, name)) return c;
	return NULL;
}

static void execute_command(struct run *run, const struct node *node)
{
	char *token[MAX_TOKENS];
	for (int i = 0; i < node->tokens; i++) token[i] = expand(run, node->token[i]);
	node->command->call(run, node->tokens - 1, token + 1);
	for (int i = 0; i < node->tokens; i++) free(token[i]);
}

static uint64_t count_of(struct run *run, const struct node *node)
{
	char *token = expand(run, node->token[1]);
	uint64_t n = number(run, token);
	free(token);
	return n;
}

static void set_variable(struct run *run, const struct node *node, uint64_t value)
{
	char *variable = run->variable[(unsigned char)node->token[2][0]];
	snprintf(variable, sizeof run->variable[0], "%llu", (unsigned long long)value);
}

static void repeat(struct run *run, const struct node *node)
{
	char *variable = run->variable[(unsigned char)node->token[2][0]], before[sizeof run->variable[0]];
	memcpy(before, variable, sizeof before);
	uint64_t n = count_of(run, node);
	for (uint64_t i = 0; i < n; i++) {
		set_variable(run, node, i);
		execute(run, node->body);
	}
	memcpy(variable, before, sizeof before);
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	execute(worker->run, worker->body);
	return NULL;
}

static void start_worker(struct run *run, struct worker *worker)
{
	int result = pthread_create(&worker->thread, NULL, work, worker);
	if (result) fail(run, "cannot make a thread: %s", strerror(result));
}

/* Names made inside belong to the thread. What is still open at its end stays open, as at the end of a script. */
static void threads(struct run *run, const struct node *node)
{
	uint64_t n = count_of(run, node);
	if (n > 1024) fail(run, "%llu threads are too many", (unsigned long long)n);
	struct worker *worker = allocate(n * sizeof *worker);
	for (uint64_t i = 0; i < n; i++) {
		struct run *own = allocate(sizeof *own);
		*own = *run;
		own->quiet = true;
		own->scope = allocate(sizeof *own->scope);
		*own->scope = (struct scope){.outer = run->scope};
		set_variable(own, node, i);
		worker[i] = (struct worker){.run = own, .body = node->body};
	}
	for (uint64_t i = 0; i < n; i++) start_worker(run, &worker[i]);
	for (uint64_t i = 0; i < n; i++) {
		pthread_join(worker[i].thread, NULL);
		end_scope(worker[i].run);
		free(worker[i].run);
	}
	free(worker);
}

static void other_thread(struct run *run, const struct node *node)
{
	struct worker worker = {.run = run, .body = node->body};
	start_worker(run, &worker);
	pthread_join(worker.thread, NULL);
}

static void execute(struct run *run, const struct node *node)
{
	for (; node; node = node->next) {
		run->line = node->line;
		switch (node->type) {
		case NODE_COMMAND: execute_command(run, node); break;
		case NODE_REPEAT: repeat(run, node); break;
		case NODE_THREADS: threads(run, node); break;
		case NODE_OTHER_THREAD: other_thread(run, node); break;
		}
	}
}

static char *read_file(struct run *run, const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file) fail(run, "cannot open %s", path);
	size_t n = 0, room = 4096;
	char *text = allocate(room);
	for (size_t got; (got = fread(text + n, 1, room - n - 1, file)) > 0;) {
		n += got;
		if (n + 1 < room) continue;
		char *more = allocate(room * 2);
		memcpy(more, text, n);
		free(text);
		text = more;
		room *= 2;
	}
	if (ferror(file)) fail(run, "cannot read %s", path);
	fclose(file);
	text[n] = 0;
	if (strlen(text) != n) fail(run, "%s holds a zero byte", path);
	return text;
}

int main(int argc, char **argv)
{
	static struct run run;
	static struct scope scope;
	run.scope = &scope;
	if (argc != 2) fail(&run, "usage: conformance-runner SCRIPT");
	/* The cases count on records staying queued until the end of a window, as the reference leaves them. */
	setenv("PI_STORE_WAL_TRACE_DRAIN_MS", "0", 1);
	static struct node *script; /* static: what is open at the end stays reachable for a leak checker */
	script = parse_script(&run, read_file(&run, argv[1]));
	add(&run, LOGGER, "none")->logger = NULL;
	execute(&run, script);
	return 0;
}
