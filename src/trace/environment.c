/* SPDX-License-Identifier: MIT */
/* The session's configuration from PI_STORE_WAL_TRACE_*. Numbers are read as the reference reads them: digits with an
 * optional plus sign. Values that aren't UTF-8 count as not set. */
#include <errno.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "trace/session.h"

#define PREFIX "PI_STORE_WAL_TRACE"

enum { DIRECTORY_MAX = 4096 };

bool wt_environment_off(void)
{
	const char *value = getenv(PREFIX);
	return value && !strcmp(value, "off");
}

bool wt_environment_quiet(void)
{
	const char *value = getenv(PREFIX "_QUIET");
	return value && !strcmp(value, "1");
}

bool wt_environment_asks(void)
{
	if (wt_environment_off()) return false;
	for (char **e = environ; e && *e; e++)
		if (!strncmp(*e, PREFIX, strlen(PREFIX))) return true;
	return false;
}

static bool is_utf8(const char *text)
{
	for (uint32_t c; *text;) {
		size_t n = wt_utf8(text, SIZE_MAX, &c);
		if (!n) return false;
		text += n;
	}
	return true;
}

static const char *text_of(const char *name)
{
	const char *value = getenv(name);
	return value && is_utf8(value) ? value : NULL;
}

static bool parse(const char *text, uint64_t *value)
{
	uint64_t v = 0;
	if (*text == '+') text++;
	if (!*text) return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9') return false;
		if (__builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, (uint64_t)(*text - '0'), &v))
			return false;
	}
	*value = v;
	return true;
}

/* Fixed text of an error of the system, as the reference words it. */
static int system_error(int code, char *fixed, size_t bytes, struct wt_err *err, const char *what)
{
	snprintf(fixed, bytes, "%s (os error %d)", strerror(code), code);
	return wt_err_set(err, -code, "%s: %s", what, strerror(code));
}

/* mkdir -p. */
static int make_directories(const char *path)
{
	char part[DIRECTORY_MAX];
	size_t n = strlen(path);
	if (n >= sizeof part) return ENAMETOOLONG;
	memcpy(part, path, n + 1);
	for (char *at = part + 1; n && *at; at++) {
		if (*at != '/') continue;
		*at = 0;
		if (mkdir(part, 0777) && errno != EEXIST) return errno;
		*at = '/';
	}
	if (n && mkdir(part, 0777)) {
		struct stat st;
		int error = errno;
		if (error != EEXIST || stat(part, &st) || !S_ISDIR(st.st_mode)) return error;
	}
	return 0;
}

/* Beside the WAL, never inside it. */
static int default_directory(const char *wal, struct wt_config *config, char *fixed, size_t bytes, struct wt_err *err)
{
	char *whole = realpath(wal, NULL);
	if (!whole) return system_error(errno, fixed, bytes, err, wal);
	char *slash = strrchr(whole, '/');
	int n = -1;
	if (strcmp(whole, "/") != 0) {
		*slash = 0;
		n = snprintf(config->directory, sizeof config->directory, "%s/pi_store_wal_trace", whole);
	}
	free(whole);
	if (n > 0 && (size_t)n < sizeof config->directory) return 0;
	snprintf(fixed, bytes, "WAL root has no parent for trace directory");
	return wt_err_set(err, -EINVAL, "%s has no usable parent directory: set " PREFIX "_DIR", wal);
}

static int find_directory(const char *wal, struct wt_config *config, char *fixed, size_t bytes, struct wt_err *err)
{
	const char *given = getenv(PREFIX "_DIR");
	int error = 0;
	if (!given) error = default_directory(wal, config, fixed, bytes, err);
	else if (strlen(given) >= sizeof config->directory)
		error = system_error(ENAMETOOLONG, fixed, bytes, err, PREFIX "_DIR");
	else strcpy(config->directory, given);
	if (error) return error;
	int code = make_directories(config->directory);
	return code ? system_error(code, fixed, bytes, err, config->directory) : 0;
}

static int invalid(const char *name, const char *value, char *fixed, size_t bytes, struct wt_err *err)
{
	bool capacity = !strcmp(name, PREFIX "_CAPACITY");
	snprintf(fixed, bytes, "invalid %s", capacity ? "capacity" : name);
	return wt_err_set(err, -EINVAL, "%s is \"%.64s\": give a whole number without a unit", name, value);
}

static int read_text(const char *name, char *to, bool *there, struct wt_err *err)
{
	const char *value = text_of(name);
	if (!value) return 0;
	if (strlen(value) > WT_ID_BYTES_MAX)
		return wt_err_set(err, -EINVAL, "%s has %zu bytes: at most %d", name, strlen(value), WT_ID_BYTES_MAX);
	strcpy(to, value);
	if (there) *there = true;
	return 0;
}

int wt_environment_read(const char *wal_directory, struct wt_config *config, char *fixed, size_t fixed_bytes,
                        struct wt_err *err)
{
	const struct {
		const char *name;
		uint64_t *value;
	} number[] = {{PREFIX "_WINDOW_MS", &config->window_ms},
	              {PREFIX "_MAX_BYTES", &config->max_bytes},
	              {PREFIX "_CAPACITY", &config->capacity},
	              {PREFIX "_DRAIN_MS", &config->drain_ms},
	              {PREFIX "_MIN_NS", &config->min_ns}};
	int error = find_directory(wal_directory, config, fixed, fixed_bytes, err);
	strcpy(config->run_id, "unspecified");
	if (!error) error = read_text(PREFIX "_RUN_ID", config->run_id, NULL, err);
	for (size_t i = 0; !error && i < WT_COUNT(number); i++) {
		const char *value = text_of(number[i].name);
		if (value && !parse(value, number[i].value))
			return invalid(number[i].name, value, fixed, fixed_bytes, err);
	}
	const char *limit = text_of(PREFIX "_ON_LIMIT");
	config->rotate = limit && !strcmp(limit, "rotate");
	if (!error && limit && !config->rotate && strcmp(limit, "stop") != 0) {
		snprintf(fixed, fixed_bytes, "invalid " PREFIX "_ON_LIMIT");
		return wt_err_set(err, -EINVAL, PREFIX "_ON_LIMIT is \"%.64s\": it may be \"stop\" or \"rotate\"",
		                  limit);
	}
	if (error && !fixed[0]) snprintf(fixed, fixed_bytes, "invalid trace configuration");
	return error;
}
