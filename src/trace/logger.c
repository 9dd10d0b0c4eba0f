/* SPDX-License-Identifier: MIT */
/* Registration of WAL directories. A mutex orders registrations; everyone else sees a logger once it is counted. */
#include "trace/logger.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "trace/admission.h"

static pthread_mutex_t registration = PTHREAD_MUTEX_INITIALIZER;

/* The trace must not be written into the log that it describes. */
static bool is_or_holds(const char *wal, const char *trace)
{
	size_t n = strlen(wal);
	if (strncmp(wal, trace, n) != 0) return false;
	return !trace[n] || trace[n] == '/' || !strcmp(wal, "/");
}

static struct waltrace_logger *add(const struct waltrace_logger_config *config, const char *wal)
{
	struct wt_segment *segment = wt_session.segment;
	uint32_t n = wt_loggers(), wal_bytes = (uint32_t)strlen(wal), file_bytes = (uint32_t)config->initial_file_bytes;
	if (n == WALTRACE_MAX_LOGGERS) return NULL;
	if (segment->logger_text_bytes + wal_bytes + file_bytes > WT_LOGGER_TEXT_BYTES) return NULL;
	struct waltrace_logger *logger = &wt_session.logger[n];
	char *text = wt_session.logger_text + segment->logger_text_bytes;
	memcpy(text, wal, wal_bytes);
	if (file_bytes) memcpy(text + wal_bytes, config->initial_file, file_bytes);
	logger->id = n + 1;
	logger->runtime_id = config->runtime_id;
	logger->block_limit = config->block_limit;
	logger->delay_ms = config->delay_ms;
	logger->checkpoint_limit = config->checkpoint_limit;
	logger->collect_interval_ms = config->collect_interval_ms;
	logger->text = segment->logger_text_bytes;
	logger->wal_bytes = wal_bytes;
	logger->file_bytes = file_bytes;
	segment->logger_text_bytes += wal_bytes + file_bytes;
	atomic_store_explicit(&segment->loggers, n + 1, memory_order_release);
	return logger;
}

static struct waltrace_logger *register_here(const struct waltrace_logger_config *config)
{
	char *wal = realpath(config->wal_directory, NULL);
	struct waltrace_logger *logger = NULL;
	bool refused = !wal || is_or_holds(wal, wt_session.config.directory) || strlen(wal) > WALTRACE_MAX_PATH ||
	               config->initial_file_bytes > WALTRACE_MAX_PATH;
	if (!refused) {
		pthread_mutex_lock(&registration);
		bool open = wt_gate_now() == WT_GATE_OPEN;
		if (open) logger = add(config, wal);
		pthread_mutex_unlock(&registration);
		refused = open && !logger;
	}
	if (refused) wt_lose(WT_LOSS_loggers, 0, WT_LOSS_NO_KIND, 1);
	free(wal);
	return logger;
}

struct waltrace_logger *waltrace_logger_register(const struct waltrace_logger_config *config)
{
	int saved = errno;
	struct waltrace_logger *logger = NULL;
	if (wt_session_from_environment(config->wal_directory) && wt_gate_now() != WT_GATE_OFF)
		logger = register_here(config);
	errno = saved;
	return logger;
}

struct waltrace_logger *waltrace_logger_register_if_asked(const struct waltrace_logger_config *config)
{
	return waltrace_path() || wt_environment_asks() ? waltrace_logger_register(config) : NULL;
}
