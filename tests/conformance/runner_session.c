/* SPDX-License-Identifier: MIT */
/* Commands on files, the environment, the session and loggers. The configuration is the process's: `config` and
 * `start` take a lock, so that threads of a script may use them. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runner.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	char *directory, *run_id; /* NULL: the default */
	uint64_t window_ms, capacity, max_bytes;
} config = {.window_ms = 1000, .capacity = 65536, .max_bytes = 2147483648}; /* under `lock` */

/* For what the system takes as a C string. */
static char *c_string(struct run *run, const char *token)
{
	struct text text = text_of(run, token);
	if (strlen(text.bytes) != text.n) fail(run, "%s holds a zero byte", token);
	return text.bytes;
}

static void check(struct run *run, int result, const char *what)
{
	if (result < 0) fail(run, "%s: %s", what, strerror(errno));
}

/* ---- Files and environment ---- */

static void make_directory(struct run *run, int n, char **argument)
{
	(void)n;
	char *path = c_string(run, argument[0]);
	for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
		*slash = 0;
		if (mkdir(path, 0777) && errno != EEXIST) fail(run, "%s: %s", path, strerror(errno));
		*slash = '/';
	}
	struct stat st;
	if (mkdir(path, 0777) && (errno != EEXIST || stat(path, &st) || !S_ISDIR(st.st_mode)))
		fail(run, "%s: %s", path, strerror(errno));
	free(path);
}

static void make_file(struct run *run, int n, char **argument)
{
	char *path = c_string(run, argument[0]);
	struct text content = text_of(run, n > 1 ? argument[1] : "hex:");
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	check(run, fd, path);
	for (size_t done = 0; done < content.n;) {
		ssize_t put = write(fd, content.bytes + done, content.n - done);
		check(run, put < 0 ? -1 : 0, path);
		done += (size_t)put;
	}
	close(fd);
	free(content.bytes);
	free(path);
}

static void make_link(struct run *run, int n, char **argument)
{
	(void)n;
	char *path = c_string(run, argument[0]), *target = c_string(run, argument[1]);
	check(run, symlink(target, path), path);
	free(target);
	free(path);
}

static void say_exists(struct run *run, int n, char **argument)
{
	(void)n;
	struct stat st;
	char *path = c_string(run, argument[0]);
	say("exists %s %s", argument[0], stat(path, &st) ? "no" : "yes");
	free(path);
}

static void set_environment(struct run *run, int n, char **argument)
{
	(void)n;
	char *value = c_string(run, argument[1]);
	check(run, setenv(argument[0], value, 1), argument[0]);
	free(value);
}

static void unset_environment(struct run *run, int n, char **argument)
{
	(void)n;
	check(run, unsetenv(argument[0]), argument[0]);
}

static void sleep_ms(struct run *run, int n, char **argument)
{
	(void)n;
	uint64_t ms = number(run, argument[0]);
	struct timespec left = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000 * 1000000)};
	while (nanosleep(&left, &left) && errno == EINTR) continue;
}

/* ---- Session ---- */

static void configure(struct run *run, int n, char **argument)
{
	(void)n;
	const char *field = argument[0];
	bool is_text = !strcmp(field, "directory") || !strcmp(field, "run_id");
	char *text = is_text ? c_string(run, argument[1]) : NULL;
	uint64_t value = is_text ? 0 : number(run, argument[1]);
	pthread_mutex_lock(&lock);
	if (is_text) {
		char **slot = *field == 'd' ? &config.directory : &config.run_id;
		free(*slot);
		*slot = text;
	} else if (!strcmp(field, "window_ms")) {
		config.window_ms = value;
	} else if (!strcmp(field, "capacity")) {
		config.capacity = value;
	} else if (!strcmp(field, "max_bytes")) {
		config.max_bytes = value;
	} else {
		fail(run, "unknown configuration field \"%s\"", field);
	}
	pthread_mutex_unlock(&lock);
}

static void start(struct run *run, int n, char **argument)
{
	(void)run, (void)n, (void)argument;
	struct waltrace_config c;
	struct waltrace_error error;
	waltrace_config_init(&c);
	pthread_mutex_lock(&lock);
	c.directory = config.directory ? config.directory : "trace";
	c.run_id = config.run_id ? config.run_id : "case";
	c.window_ms = config.window_ms;
	c.capacity = config.capacity;
	c.max_bytes = config.max_bytes;
	c.drain_ms = 0; /* the cases count on records staying queued until the end of a window */
	int result = waltrace_start(&c, &error);
	pthread_mutex_unlock(&lock);
	if (!result) say("start ok %s", waltrace_path());
	else if (result == -EEXIST) say("start exists");
	else say("start error %s", error.message);
}

static void shut_down(struct run *run, int n, char **argument)
{
	(void)n;
	struct waltrace_report r;
	int result = waltrace_shutdown(number(run, argument[0]), &r);
	if (result == -ETIMEDOUT) say("shutdown timed_out");
	else if (result == -ENOENT) say("shutdown not_active");
	else if (result) fail(run, "shutdown: %s", strerror(-result));
	else
		say("shutdown ok produced=%llu written=%llu dropped=%llu omitted=%llu outstanding=%llu complete=%s reason=%s "
		    "path=%s",
		    (unsigned long long)r.produced, (unsigned long long)r.written, (unsigned long long)r.dropped,
		    (unsigned long long)r.omitted, (unsigned long long)r.outstanding, r.complete ? "true" : "false",
		    r.reason, r.path);
}

/* ---- Loggers ---- */

static const char *option(const char *argument, const char *key)
{
	size_t n = strlen(key);
	return !strncmp(argument, key, n) && argument[n] == '=' ? argument + n + 1 : NULL;
}

static bool set_number(struct run *run, struct waltrace_logger_config *c, const char *argument)
{
	const struct {
		const char *key;
		uint64_t *value;
	} known[] = {{"runtime", &c->runtime_id},
	             {"block", &c->block_limit},
	             {"delay", &c->delay_ms},
	             {"limit", &c->checkpoint_limit},
	             {"collect", &c->collect_interval_ms}};
	for (size_t i = 0; i < WT_COUNT(known); i++) {
		const char *value = option(argument, known[i].key);
		if (!value) continue;
		*known[i].value = number(run, value);
		return true;
	}
	return false;
}

static void add_logger(struct run *run, int n, char **argument)
{
	const char *path = "wal", *file = "wal/000000001", *value;
	struct waltrace_logger_config c = {.runtime_id = 1,
	                                   .block_limit = 8192,
	                                   .delay_ms = 10,
	                                   .checkpoint_limit = 33554432,
	                                   .collect_interval_ms = 10000};
	for (int i = 1; i < n; i++) {
		if ((value = option(argument[i], "path"))) path = value;
		else if ((value = option(argument[i], "file"))) file = value;
		else if (!set_number(run, &c, argument[i])) fail(run, "unknown option %s", argument[i]);
	}
	char *directory = c_string(run, path);
	struct text initial = text_of(run, file);
	c.wal_directory = directory;
	c.initial_file = initial.bytes;
	c.initial_file_bytes = initial.n;
	struct thing *thing = add(run, LOGGER, argument[0]);
	thing->logger = waltrace_logger_register(&c);
	free(initial.bytes);
	free(directory);
}

/* clang-format off */
const struct command session_commands[] = {
	{ "dir", 1, 1, make_directory },
	{ "file", 1, 2, make_file },
	{ "link", 2, 2, make_link },
	{ "exists", 1, 1, say_exists },
	{ "env", 2, 2, set_environment },
	{ "unenv", 1, 1, unset_environment },
	{ "sleep", 1, 1, sleep_ms },
	{ "config", 2, 2, configure },
	{ "start", 0, 0, start },
	{ "shutdown", 1, 1, shut_down },
	{ "logger", 1, 8, add_logger },
	{ NULL, 0, 0, NULL },
};
/* clang-format on */
