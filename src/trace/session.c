/* SPDX-License-Identifier: MIT */
/* Start and end of the one session. `attempt` orders the starts; the first one, good or bad, is the only one. */
#include "trace/session.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace/clock.h"
#include "trace/helper.h"
#include "trace/segment.h"
#include "trace/stderr.h"
#include "trace/writer.h"

#define INVALID "invalid trace configuration"

struct wt_session wt_session;

static uint32_t gate_before_start = WT_GATE_OFF;
WT_EXPORT uint32_t *waltrace__gate = &gate_before_start;

static struct {
	pthread_mutex_t mutex;
	bool made;
	bool good;
} attempt = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void waltrace_config_init(struct waltrace_config *config)
{
	*config = (struct waltrace_config){.window_ms = WT_WINDOW_MS,
	                                   .capacity = WT_CAPACITY,
	                                   .max_bytes = WT_MAX_BYTES,
	                                   .drain_ms = WT_DRAIN_MS,
	                                   .on_limit = WALTRACE_ON_LIMIT_STOP};
}

static int check_range(struct wt_err *err, const char *name, uint64_t value, uint64_t min, uint64_t max)
{
	if (value >= min && value <= max) return 0;
	return wt_err_set(err, -EINVAL, "%s is %llu: it may be %llu to %llu", name, (unsigned long long)value,
	                  (unsigned long long)min, (unsigned long long)max);
}

static int validate(const struct wt_config *c, const char **fixed, struct wt_err *err)
{
	struct stat st;
	int error = check_range(err, "bytes of run_id", strlen(c->run_id), 1, WT_ID_BYTES_MAX);
	if (!error) error = check_range(err, "window_ms", c->window_ms, WT_WINDOW_MS_MIN, WT_WINDOW_MS_MAX);
	if (!error) error = check_range(err, "capacity", c->capacity, WT_CAPACITY_MIN, WT_CAPACITY_MAX);
	if (!error)
		error = check_range(err, c->rotate ? "max_bytes with rotation" : "max_bytes", c->max_bytes,
		                    c->rotate ? WT_ROTATE_BYTES_MIN : WT_MAX_BYTES_MIN, WT_MAX_BYTES_MAX);
	if (!error) error = check_range(err, "drain_ms", c->drain_ms, 0, WT_DRAIN_MS_MAX);
	*fixed = INVALID;
	if (error) return error;
	if (!stat(c->directory, &st) && S_ISDIR(st.st_mode)) return 0;
	*fixed = "trace directory must exist";
	return wt_err_set(err, -ENOENT, "%s is not a directory: make it first", c->directory);
}

static int open_trace(struct wt_session *s, struct wt_err *err)
{
	struct timespec t;
	char *whole = realpath(s->config.directory, NULL);
	if (!whole) return wt_err_set(err, -errno, "%s: %s", s->config.directory, strerror(errno));
	snprintf(s->config.directory, sizeof s->config.directory, "%s", whole);
	free(whole);
	clock_gettime(CLOCK_REALTIME, &t);
	s->pid = (uint64_t)getpid();
	s->epoch_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	snprintf(s->session_id, sizeof s->session_id, "%llu-%llu", (unsigned long long)s->pid,
	         (unsigned long long)s->epoch_ns);
	snprintf(s->path, sizeof s->path, "%s%swal-trace-%s.jsonl", s->config.directory,
	         strcmp(s->config.directory, "/") ? "/" : "", s->session_id);
	s->fd = s->os->open(s->os, s->path, O_WRONLY | O_CREAT | O_EXCL, 0666);
	return s->fd < 0 ? wt_err_set(err, s->fd, "%s: %s", s->path, strerror(-s->fd)) : 0;
}

/* The gate, in a page of its own that a child of fork finds empty. */
static void make_gate(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) return; /* then a child of fork must not use the library */
#ifdef MADV_WIPEONFORK
	madvise(memory, page, MADV_WIPEONFORK);
#endif
	__atomic_store_n(&waltrace__gate, memory, __ATOMIC_RELEASE);
}

/* `fixed` gets the text that programs compare, or NULL if the system has one for the error. */
static int create(const struct wt_config *config, const char **fixed, struct wt_err *err)
{
	struct wt_session *s = &wt_session;
	s->config = *config;
	s->os = &wt_os_posix;
	s->fd = -1;
	int error = validate(config, fixed, err);
	if (error) return error;
	*fixed = NULL;
	wt_clock_start(s->os);
	waltrace_recover_all(s->config.directory, wt_stderr_recovered, NULL);
	error = open_trace(s, err);
	if (!error) error = wt_segment_create(s, s->config.capacity, err);
	if (!error) error = wt_channels_create();
	if (!error) {
		make_gate();
		wt_clock_calibrate();
		error = wt_writer_start(err);
	}
	if (error) {
		wt_segment_unlink(s);
		if (s->fd >= 0) {
			s->os->unlink(s->os, s->path);
			s->os->close(s->os, s->fd);
		}
		return error;
	}
	wt_stderr_start(s);
	/* Whoever finds the gate open finds the session whole: he holds a logger, and those come after this under a mutex. */
	wt_gate_set(WT_GATE_OPEN);
	return 0;
}

/* A limit on file sizes (RLIMIT_FSIZE) makes an error here, and must not end the program by its signal. */
static int create_session(const struct wt_config *config, const char **fixed, struct wt_err *err)
{
	sigset_t xfsz, before, pending;
	const struct timespec now = {0, 0};
	sigemptyset(&xfsz);
	sigaddset(&xfsz, SIGXFSZ);
	sigpending(&pending);
	bool was_pending = sigismember(&pending, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &xfsz, &before);
	int error = create(config, fixed, err);
	if (!was_pending) sigtimedwait(&xfsz, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

static int copy_text(char *to, size_t room, const char *from, const char *name, struct wt_err *err)
{
	size_t n = from ? strlen(from) : 0;
	if (n >= room) return wt_err_set(err, -EINVAL, "%s has %zu bytes: at most %zu", name, n, room - 1);
	if (n) memcpy(to, from, n);
	to[n] = 0;
	return 0;
}

/* What the explicit start takes from the caller, and the build id from the environment if he names none. */
static int take_config(struct wt_config *c, const struct waltrace_config *given, struct wt_err *err)
{
	memset(c, 0, sizeof *c);
	c->window_ms = given->window_ms;
	c->capacity = given->capacity;
	c->max_bytes = given->max_bytes;
	c->drain_ms = given->drain_ms;
	c->min_ns = given->min_ns;
	const char *build = given->build_id ? given->build_id : getenv("PI_STORE_WAL_TRACE_BUILD_ID");
	c->has_build_id = build != NULL;
	c->rotate = given->on_limit == WALTRACE_ON_LIMIT_ROTATE;
	if (given->on_limit != WALTRACE_ON_LIMIT_STOP && !c->rotate)
		return wt_err_set(err, -EINVAL, "on_limit is %d: it may be WALTRACE_ON_LIMIT_STOP or _ROTATE",
		                  (int)given->on_limit);
	int error = copy_text(c->directory, sizeof c->directory, given->directory, "directory", err);
	if (!error) error = copy_text(c->run_id, sizeof c->run_id, given->run_id, "run_id", err);
	if (!error) error = copy_text(c->build_id, sizeof c->build_id, build, "build_id", err);
	return error;
}

static int fail(struct waltrace_error *error, int code, const char *fixed, const char *detail)
{
	if (!error) return code;
	error->code = code;
	snprintf(error->message, sizeof error->message, "%s", fixed);
	snprintf(error->detail, sizeof error->detail, "%s", detail);
	return code;
}

static int start_first(const struct waltrace_config *config, struct waltrace_error *error)
{
	struct wt_config taken;
	struct wt_err err = {0};
	const char *fixed = INVALID;
	if (wt_environment_off())
		return fail(error, -ECANCELED, "trace disabled", "PI_STORE_WAL_TRACE is \"off\": unset it to record");
	int code = take_config(&taken, config, &err);
	if (!code) code = create_session(&taken, &fixed, &err);
	if (!code) {
		attempt.good = true;
		return 0;
	}
	char system[128];
	snprintf(system, sizeof system, "%s (os error %d)", strerror(-code), -code);
	return fail(error, code, fixed ? fixed : system, err.text);
}

int waltrace_start(const struct waltrace_config *config, struct waltrace_error *error)
{
	int saved = errno, code;
	pthread_mutex_lock(&attempt.mutex);
	if (attempt.made)
		code = fail(error, -EEXIST, "trace already initialized", "a process has one session in its life");
	else code = start_first(config, error);
	attempt.made = true;
	pthread_mutex_unlock(&attempt.mutex);
	errno = saved;
	return code;
}

static bool start_from_environment(const char *wal_directory)
{
	struct wt_config config = {
		.window_ms = WT_WINDOW_MS, .capacity = WT_CAPACITY, .max_bytes = WT_MAX_BYTES, .drain_ms = WT_DRAIN_MS};
	struct wt_err err = {0};
	char fixed[256] = "";
	if (wt_environment_off()) return false;
	int error = wt_environment_read(wal_directory, &config, fixed, sizeof fixed, &err);
	const char *build = getenv("PI_STORE_WAL_TRACE_BUILD_ID");
	config.has_build_id = build != NULL;
	if (!error)
		error = copy_text(config.build_id, sizeof config.build_id, build, "PI_STORE_WAL_TRACE_BUILD_ID", &err);
	if (!error) {
		const char *text = NULL;
		error = create_session(&config, &text, &err);
		if (text) snprintf(fixed, sizeof fixed, "%s", text);
	}
	if (!error) return true;
	if (!fixed[0]) snprintf(fixed, sizeof fixed, "%s (os error %d)", strerror(-error), -error);
	wt_stderr_start_error(fixed, err.text);
	return false;
}

bool wt_session_from_environment(const char *wal_directory)
{
	pthread_mutex_lock(&attempt.mutex);
	if (!attempt.made) attempt.good = start_from_environment(wal_directory);
	attempt.made = true;
	bool good = attempt.good;
	pthread_mutex_unlock(&attempt.mutex);
	return good;
}

const char *waltrace_path(void)
{
	pthread_mutex_lock(&attempt.mutex);
	bool good = attempt.good;
	pthread_mutex_unlock(&attempt.mutex);
	return good ? wt_session.path : NULL;
}

int waltrace_shutdown(uint64_t timeout_ms, struct waltrace_report *report)
{
	int saved = errno;
	if (!waltrace_path() || wt_gate_now() == WT_GATE_OFF) return -ENOENT; /* OFF: a child of fork */
	uint32_t open = WT_GATE_OPEN;
	/* Sequentially consistent: before the writer looks for operations under way (see admission.c). */
	__atomic_compare_exchange_n(waltrace__gate, &open, WT_GATE_CLOSING, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	wt_writer_kick();
	bool there = wt_writer_report(timeout_ms, report);
	errno = saved;
	return there ? 0 : -ETIMEDOUT;
}
