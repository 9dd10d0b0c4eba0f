/* SPDX-License-Identifier: MIT */
/* The thread takes all requests at once, flushes the newest of their handles, which covers the others, and calls back
 * in the order of the requests. It is a committer like any other: those that come meanwhile are in its next batch. The
 * mutex here is taken last and never held over a call of anybody. */
#include "wal/async.h"

#include <errno.h>
#include <stdlib.h>

struct request {
	struct request *next;
	uint64_t handle;
	commitlog_flushed *callback;
	void *context;
};

struct cl_async {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* mutex */
	pthread_t thread;
	bool started, closing;
	struct request *first, **end;
	size_t outstanding; /* taken and not called back */
};

static void complete(struct commitlog *log, struct request *first)
{
	uint64_t newest = 0, done = 0;
	for (const struct request *r = first; r; r = r->next)
		if (r->handle > newest) newest = r->handle;
	int flushed = commitlog_flush(log, newest);
	while (first) {
		struct request *r = first;
		first = r->next;
		r->callback(r->context, r->handle, cl_durable(log) >= r->handle ? 0 : flushed);
		free(r);
		done++;
	}
	pthread_mutex_lock(&log->async->mutex);
	log->async->outstanding -= done;
	pthread_mutex_unlock(&log->async->mutex);
}

static void *run(void *argument)
{
	struct commitlog *log = argument;
	struct cl_async *async = log->async;
	pthread_mutex_lock(&async->mutex);
	while (async->first || !async->closing) {
		if (!async->first) {
			pthread_cond_wait(&async->changed, &async->mutex);
			continue;
		}
		struct request *taken = async->first;
		async->first = NULL;
		async->end = &async->first;
		pthread_mutex_unlock(&async->mutex);
		complete(log, taken);
		pthread_mutex_lock(&async->mutex);
	}
	pthread_mutex_unlock(&async->mutex);
	return NULL;
}

/* Mutex held. */
static int add(struct commitlog *log, struct cl_async *async, struct request *request)
{
	if (async->closing) return -ECANCELED;
	if (async->outstanding == COMMITLOG_MAX_ASYNC) return -EAGAIN;
	if (!async->started) {
		int result = cl_thread_start(&async->thread, run, log);
		if (result) return result;
		async->started = true;
	}
	*async->end = request;
	async->end = &request->next;
	async->outstanding++;
	return 0;
}

int cl_flush_async(struct commitlog *log, uint64_t handle, commitlog_flushed *callback, void *context)
{
	struct cl_async *async = log->async;
	struct request *request = malloc(sizeof *request);
	if (!request) return -ENOMEM;
	*request = (struct request){.handle = handle, .callback = callback, .context = context};
	pthread_mutex_lock(&async->mutex);
	bool first = !async->first;
	int result = add(log, async, request);
	pthread_mutex_unlock(&async->mutex);
	if (result) free(request);
	else if (first) pthread_cond_signal(&async->changed);
	return result;
}

int cl_async_make(struct commitlog *log)
{
	struct cl_async *async = calloc(1, sizeof *async);
	if (!async) return -ENOMEM;
	pthread_mutex_init(&async->mutex, NULL);
	pthread_cond_init(&async->changed, NULL);
	async->end = &async->first;
	log->async = async;
	return 0;
}

void cl_async_stop(struct commitlog *log)
{
	struct cl_async *async = log->async;
	pthread_mutex_lock(&async->mutex);
	async->closing = true;
	bool started = async->started;
	pthread_mutex_unlock(&async->mutex);
	pthread_cond_signal(&async->changed);
	if (started) pthread_join(async->thread, NULL);
}

void cl_async_free(struct commitlog *log)
{
	if (!log->async) return;
	pthread_cond_destroy(&log->async->changed);
	pthread_mutex_destroy(&log->async->mutex);
	free(log->async);
	log->async = NULL;
}
