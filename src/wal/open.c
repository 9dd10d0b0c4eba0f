/* SPDX-License-Identifier: MIT */
/* Opening and closing: options, directory, lock, recovery, the first file, threads. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "wal/async.h"
#include "wal/collector.h"
#include "wal/commit.h"
#include "wal/log.h"
#include "wal/names.h"
#include "wal/rotate.h"
#include "wal/timer.h"

int cl_thread_start(pthread_t *thread, void *(*work)(void *), void *argument)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int result = pthread_create(thread, NULL, work, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -result;
}

/* ---- Options ------------------------------------------------------------------------------------------------ */

WT_EXPORT void commitlog_options_init(struct commitlog_options *options)
{
	*options = (struct commitlog_options){
		.block_limit_bytes = CL_BLOCK_LIMIT_DEFAULT,
		.checkpoint_limit_bytes = CL_CHECKPOINT_LIMIT_DEFAULT,
		.collect_interval_ms = CL_COLLECT_MS_DEFAULT,
		.prefill_bytes = CL_PREFILL_DEFAULT,
		.trace = COMMITLOG_TRACE_ENV,
	};
}

static void fall_back(uint64_t *value, uint64_t min, uint64_t max, uint64_t instead, uint32_t bit, uint32_t *fallbacks)
{
	if (*value >= min && *value <= max) return;
	*value = instead;
	*fallbacks |= bit;
}

static void take_options(struct commitlog *log, const struct commitlog_options *given)
{
	struct commitlog_options *o = &log->options;
	uint32_t *bits = &log->fallbacks;
	if (given) *o = *given;
	else commitlog_options_init(o);
	fall_back(&o->block_limit_bytes, CL_BLOCK_LIMIT_MIN, CL_BLOCK_LIMIT_MAX, CL_BLOCK_LIMIT_DEFAULT,
	          COMMITLOG_FELL_BACK_BLOCK_LIMIT, bits);
	fall_back(&o->delay_ms, 0, CL_DELAY_MS_MAX, CL_DELAY_MS_FALLBACK, COMMITLOG_FELL_BACK_DELAY, bits);
	fall_back(&o->checkpoint_limit_bytes, CL_CHECKPOINT_LIMIT_MIN, CL_CHECKPOINT_LIMIT_MAX,
	          CL_CHECKPOINT_LIMIT_DEFAULT, COMMITLOG_FELL_BACK_CHECKPOINT_LIMIT, bits);
	fall_back(&o->collect_interval_ms, CL_COLLECT_MS_MIN, CL_COLLECT_MS_MAX, CL_COLLECT_MS_DEFAULT,
	          COMMITLOG_FELL_BACK_COLLECT_INTERVAL, bits);
	if (o->prefill_bytes)
		fall_back(&o->prefill_bytes, CL_PREFILL_MIN, CL_PREFILL_MAX, CL_PREFILL_DEFAULT,
		          COMMITLOG_FELL_BACK_PREFILL, bits);
	if (o->trace == COMMITLOG_TRACE_OFF || o->trace == COMMITLOG_TRACE_ENV || o->trace == COMMITLOG_TRACE_ON)
		return;
	o->trace = COMMITLOG_TRACE_ENV;
	*bits |= COMMITLOG_FELL_BACK_TRACE;
}

/* ---- Directory ---------------------------------------------------------------------------------------------- */

static int say(struct wt_err *err, int result, const char *path, const char *what)
{
	return wt_err_set(err, result, "%s: can't %s: %s", path, what, strerror(-result));
}

/* The name is kept from the root on: the program may change its own directory while the log is open. */
static int take_directory(struct commitlog *log, const char *directory, struct wt_err *err)
{
	char own[sizeof log->directory] = "";
	if (!*directory) return wt_err_set(err, -ENOENT, "the directory's name is empty");
	bool relative = *directory != '/';
	if (relative && !getcwd(own, sizeof own) && errno != ERANGE)
		return say(err, -errno, directory, "tell where it is, from the working directory");
	int n = snprintf(log->directory, sizeof log->directory, "%s%s%s", own, relative ? "/" : "", directory);
	if ((!relative || *own) && n <= COMMITLOG_MAX_DIRECTORY) return 0;
	return wt_err_set(err, -ENAMETOOLONG, "the directory's name, from the root on, is longer than %d bytes",
	                  COMMITLOG_MAX_DIRECTORY);
}

static int make_directory(struct commitlog *log, struct wt_err *err)
{
	const char *directory = log->directory;
	int result = log->os->mkdir(log->os, directory, 0755);
	if (result == -EEXIST) return 0;
	if (!result) result = cl_sync_parent(log->os, directory);
	return result ? say(err, result, directory, "create the directory") : 0;
}

static int lock_directory(struct commitlog *log, struct wt_err *err)
{
	char path[CL_PATH_BYTES];
	cl_path(path, log->directory, CL_LOCK_NAME);
	int fd = log->os->open(log->os, path, O_RDWR | O_CREAT, 0644);
	if (fd < 0) return say(err, fd, path, "open the lock file");
	log->lock_fd = fd;
	int result = log->os->lock(log->os, fd);
	if (result == -EWOULDBLOCK)
		return wt_err_set(err, result, "%s: the log is open elsewhere: close it there first", log->directory);
	return result ? say(err, result, path, "lock it") : 0;
}

/* ---- The first file ----------------------------------------------------------------------------------------- */

/* Files that aren't .bak, but for the one that is going to be written. */
static int note_found(struct commitlog *log, const struct cl_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		const struct cl_name *name = &names->list[i];
		bool reused = log->found.last_empty && name->index == log->found.last_index && !name->compacted;
		if (name->backup || reused) continue;
		int result = cl_checkpoints_reserve(&log->checkpoints);
		if (result) return result;
		cl_checkpoints_found(&log->checkpoints, name->index, name->text);
	}
	log->checkpoints.unreplayed = log->found.records > 0;
	return 0;
}

static int recover(struct commitlog *log, struct wt_err *err)
{
	struct cl_names names;
	int result = cl_names_read(log->os, log->directory, &names, err);
	if (result) return result;
	result = cl_recover(log->os, log->directory, &names, &log->found, err);
	if (!result) {
		result = note_found(log, &names);
		if (result) say(err, result, log->directory, "note its files");
	}
	cl_names_free(&names);
	return result;
}

static int first_file(struct commitlog *log)
{
	uint64_t fill = cl_fill_bytes(log);
	uint32_t index = log->found.last_index;
	if (log->found.last_empty) return cl_file_reuse(log->os, log->directory, index, fill, &log->file, &log->syncs);
	if (index == CL_LAST_INDEX) return -EOVERFLOW;
	int fd = cl_spare_make(log->os, log->directory, &fill, false, NULL, &log->syncs);
	if (fd < 0) return fd;
	return cl_spare_link(log->os, log->directory, index + 1, fd, fill, log->options.prefill_bytes > 0, &log->file,
	                     &log->syncs);
}

static int begin_file(struct commitlog *log, struct wt_err *err)
{
	int result = cl_checkpoints_reserve(&log->checkpoints);
	if (!result) result = first_file(log);
	if (result == -EOVERFLOW && log->found.last_index == CL_LAST_INDEX)
		return wt_err_set(err, result, "%s: the last file's number, %d, is used up: go on in another directory",
		                  log->directory, CL_LAST_INDEX);
	if (result) return say(err, result, *log->file.path ? log->file.path : log->directory, "begin a file");
	cl_checkpoints_begin(&log->checkpoints, log->file.index);
	log->first_own = log->file.index;
	return 0;
}

/* ---- Open and close ----------------------------------------------------------------------------------------- */

static void register_logger(struct commitlog *log)
{
	const struct commitlog_options *o = &log->options;
	struct waltrace_logger_config config = {
		.wal_directory = log->directory,
		.initial_file = log->file.path,
		.initial_file_bytes = strlen(log->file.path),
		.runtime_id = 1,
		.block_limit = o->block_limit_bytes,
		.delay_ms = o->delay_ms,
		.checkpoint_limit = o->checkpoint_limit_bytes,
		.collect_interval_ms = o->collect_interval_ms,
	};
	if (o->trace == COMMITLOG_TRACE_ON) log->logger = waltrace_logger_register(&config);
	if (o->trace == COMMITLOG_TRACE_ENV) log->logger = waltrace_logger_register_if_asked(&config);
}

static int start_threads(struct commitlog *log, struct wt_err *err)
{
	int result = cl_async_make(log);
	if (!result) result = cl_collector_start(log);
	if (!result && log->options.delay_ms) result = cl_timers_start(log);
	return result ? say(err, result, log->directory, "start the log's threads") : 0;
}

static struct commitlog *allocate(const struct wt_os *os)
{
	struct commitlog *log = calloc(1, sizeof *log);
	if (!log) return NULL;
	log->os = os;
	log->lock_fd = log->file.fd = -1;
	log->filling = &log->block[0];
	log->writing = &log->block[1];
	log->generation = 1;
	pthread_mutex_init(&log->checkpoint_lock, NULL);
	pthread_mutex_init(&log->batch_mutex, NULL);
	pthread_cond_init(&log->lock_free, NULL);
	return log;
}

static void release_all(struct commitlog *log)
{
	if (log->file.fd >= 0) log->os->close(log->os, log->file.fd);
	if (log->lock_fd >= 0) log->os->close(log->os, log->lock_fd); /* and with it the directory */
	cl_async_free(log);
	cl_checkpoints_free(&log->checkpoints);
	cl_blocks_free(log);
	pthread_cond_destroy(&log->lock_free);
	pthread_mutex_destroy(&log->batch_mutex);
	pthread_mutex_destroy(&log->checkpoint_lock);
	free(log);
}

int cl_open(const struct wt_os *os, const char *directory, const struct commitlog_options *options, struct wt_err *err,
            struct commitlog **result_log)
{
	*result_log = NULL;
	struct commitlog *log = allocate(os);
	if (!log) return wt_err_set(err, -ENOMEM, "%s: no memory for a log", directory);
	take_options(log, options);
	int result = take_directory(log, directory, err);
	if (!result) result = make_directory(log, err);
	if (!result) result = lock_directory(log, err);
	if (!result) result = recover(log, err);
	if (!result) result = begin_file(log, err);
	if (!result) register_logger(log);
	if (!result) result = start_threads(log, err);
	if (result) {
		cl_timers_stop(log);
		cl_collector_stop(log);
		release_all(log);
		return result;
	}
	*result_log = log;
	return 0;
}

/* Commits what is pending, as a maintenance operation of its own. */
static int commit_rest(struct commitlog *log)
{
	struct waltrace_op op;
	struct waltrace_span lock;
	enum waltrace_word outcome;
	waltrace_op_begin(&op, log->logger, WALTRACE_KIND_MAINTENANCE);
	cl_rows_lock_open(&lock, &op, 0, log, WALTRACE_W_REQUEST, 0);
	pthread_mutex_lock(&log->batch_mutex);
	cl_commit_lock(log);
	cl_rows_lock_acquired(&lock, log);
	struct cl_block *block = cl_take_filled(log);
	pthread_mutex_unlock(&log->batch_mutex);
	int result = cl_commit_block(log, block, &lock, WALTRACE_W_REQUEST, true, &outcome);
	cl_rows_lock_end(&lock, outcome, result);
	waltrace_op_end(&op);
	return result;
}

/* Every waiting flush is settled now; they only have to wake up and leave. */
static void let_flushes_leave(struct commitlog *log)
{
	while (atomic_load_explicit(&log->inside, memory_order_acquire)) {
		struct timespec moment = {.tv_nsec = 50000};
		nanosleep(&moment, NULL);
	}
}

WT_EXPORT int commitlog_close(struct commitlog *log)
{
	if (!log) return 0;
	cl_async_stop(log);
	int result = commit_rest(log);
	let_flushes_leave(log);
	cl_timers_stop(log);
	cl_collector_stop(log);
	if (!result) result = cl_failed(log); /* by a rotation meanwhile */
	if (!result) result = cl_file_finish(log->os, &log->file, &log->syncs);
	release_all(log);
	return result;
}
