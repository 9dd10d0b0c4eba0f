/* SPDX-License-Identifier: MIT */
#include "wal/collector.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "wal/names.h"
#include "wal/rotate.h"

struct cl_collector {
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* on CLOCK_MONOTONIC */
	pthread_t thread;
	atomic_bool stop;    /* written under the mutex; also ends the filling of a spare */
	bool want_spare;     /* mutex */
	int spare_fd;        /* mutex; -1: none */
	uint64_t spare_fill; /* mutex */
};

void cl_collector_file_grew(struct commitlog *log)
{
	if (log->spare_asked || !log->options.prefill_bytes) return;
	if (log->file.bytes < log->options.checkpoint_limit_bytes / 2) return;
	log->spare_asked = true;
	struct cl_collector *collector = log->collector;
	pthread_mutex_lock(&collector->mutex);
	collector->want_spare = collector->spare_fd < 0;
	pthread_mutex_unlock(&collector->mutex);
	pthread_cond_signal(&collector->changed);
}

int cl_collector_take_spare(struct commitlog *log, uint64_t *fill)
{
	struct cl_collector *collector = log->collector;
	pthread_mutex_lock(&collector->mutex);
	int fd = collector->spare_fd;
	*fill = collector->spare_fill;
	collector->spare_fd = -1;
	pthread_mutex_unlock(&collector->mutex);
	return fd;
}

/* A spare that can't be made is no error: the next file is then made without one. Mutex held, and left meanwhile. */
static void make_spare(struct commitlog *log, struct cl_collector *collector)
{
	uint64_t fill = cl_fill_bytes(log);
	collector->want_spare = false;
	pthread_mutex_unlock(&collector->mutex);
	int fd = cl_spare_make(log->os, log->directory, &fill, true, &collector->stop, &log->syncs);
	pthread_mutex_lock(&collector->mutex);
	/* A file that was made meanwhile, without a spare, may have asked too: this one answers that. Making another would
	 * take this one's name away, and the next file would be one without a name. */
	collector->want_spare = false;
	if (fd < 0) return;
	collector->spare_fd = fd;
	collector->spare_fill = fill;
}

static struct timespec next_round(const struct commitlog *log)
{
	uint64_t at = log->os->monotonic_ns(log->os) + log->options.collect_interval_ms * 1000000u;
	return (struct timespec){(time_t)(at / 1000000000u), (long)(at % 1000000000u)};
}

static void *run(void *argument)
{
	struct commitlog *log = argument;
	struct cl_collector *collector = log->collector;
	struct timespec due = next_round(log);
	pthread_mutex_lock(&collector->mutex);
	while (!atomic_load_explicit(&collector->stop, memory_order_relaxed)) {
		if (collector->want_spare) {
			make_spare(log, collector);
		} else if (pthread_cond_timedwait(&collector->changed, &collector->mutex, &due) == ETIMEDOUT) {
			pthread_mutex_unlock(&collector->mutex);
			cl_collect(log);
			due = next_round(log);
			pthread_mutex_lock(&collector->mutex);
		}
	}
	pthread_mutex_unlock(&collector->mutex);
	return NULL;
}

static void free_collector(struct commitlog *log)
{
	pthread_cond_destroy(&log->collector->changed);
	pthread_mutex_destroy(&log->collector->mutex);
	free(log->collector);
	log->collector = NULL;
}

int cl_collector_start(struct commitlog *log)
{
	struct cl_collector *collector = calloc(1, sizeof *collector);
	if (!collector) return -ENOMEM;
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&collector->mutex, NULL);
	pthread_cond_init(&collector->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	collector->spare_fd = -1;
	log->collector = collector;
	int result = cl_thread_start(&collector->thread, run, log);
	if (result) free_collector(log);
	return result;
}

void cl_collector_stop(struct commitlog *log)
{
	struct cl_collector *collector = log->collector;
	if (!collector) return;
	pthread_mutex_lock(&collector->mutex);
	atomic_store_explicit(&collector->stop, true, memory_order_relaxed);
	pthread_mutex_unlock(&collector->mutex);
	pthread_cond_signal(&collector->changed);
	pthread_join(collector->thread, NULL);
	if (collector->spare_fd >= 0) {
		char path[CL_PATH_BYTES];
		cl_path(path, log->directory, CL_SPARE_NAME);
		log->os->close(log->os, collector->spare_fd);
		log->os->unlink(log->os, path);
	}
	free_collector(log);
}
