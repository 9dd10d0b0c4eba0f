/* SPDX-License-Identifier: MIT */
#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "read/limits.h"
#include "read/shown.h"

#define SECOND_NS 1000000000ull

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

static int opened(struct wt_input *in, struct wt_err *err)
{
	struct stat about;
	if (fstat(in->fd, &about)) return wt_err_set(err, -errno, "can't look at it: %s", strerror(errno));
	if (S_ISDIR(about.st_mode))
		return wt_err_set(err, -EISDIR, "a directory: give the trace files in it (wal-trace-*.jsonl)");
	if (S_ISREG(about.st_mode)) in->size = (uint64_t)about.st_size;
	in->packed = malloc(WT_READ_PACKED);
	if (!in->packed) return wt_err_set(err, -ENOMEM, "out of memory");
	in->since_ns = in->shown_ns = now_ns();
	in->progress = isatty(STDERR_FILENO) && in->size;
	return 0;
}

void wt_input_shown(char *to, size_t room, const char *path)
{
	if (!strcmp(path, "-")) path = "standard input";
	wt_shown(to, room, path, strlen(path));
}

int wt_input_open(struct wt_input *in, const char *path, struct wt_err *err)
{
	bool standard = !strcmp(path, "-");
	char shown[WT_ERR_BYTES / 2];
	wt_input_shown(shown, sizeof shown, path);
	*in = (struct wt_input){.name = standard ? "standard input" : path};
	in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (in->fd < 0)
		return wt_err_set(err, -errno, "%s: can't open it: %s%s", shown, strerror(errno),
		                  errno == ENOENT ? ": check the name" : "");
	int result = opened(in, err);
	if (!result) return 0;
	wt_err_wrap(err, "%s", shown);
	wt_input_close(in);
	return result;
}

void wt_input_close(struct wt_input *in)
{
	if (in->progress && in->shown_ns != in->since_ns) fputs("\r\033[K", stderr);
	if (in->fd != STDIN_FILENO) close(in->fd);
	ZSTD_freeDStream(in->stream);
	free(in->packed);
	in->stream = in->packed = NULL;
}

static void show_progress(struct wt_input *in)
{
	uint64_t now = now_ns();
	if (now - in->since_ns < SECOND_NS || now - in->shown_ns < SECOND_NS / 5) return;
	in->shown_ns = now;
	char shown[51];
	wt_input_shown(shown, sizeof shown, in->name);
	fprintf(stderr, "\r\033[Kreading %s: %3.0f %%", shown, 100 * (double)in->taken / (double)in->size);
	fflush(stderr);
}

static ssize_t take(struct wt_input *in, void *bytes, size_t n, struct wt_err *err)
{
	ssize_t got;
	do got = read(in->fd, bytes, n);
	while (got < 0 && errno == EINTR);
	if (got < 0) return wt_err_set(err, -errno, "can't read it: %s", strerror(errno));
	in->taken += (uint64_t)got;
	if (in->progress) show_progress(in);
	return got;
}

/* More of what is packed, behind what is left of it; 0 at the end. */
static ssize_t take_packed(struct wt_input *in, struct wt_err *err)
{
	memmove(in->packed, in->packed + in->from, in->to - in->from);
	in->to -= in->from;
	in->from = 0;
	ssize_t got = take(in, in->packed + in->to, WT_READ_PACKED - in->to, err);
	if (got > 0) in->to += (size_t)got;
	return got;
}

static int cut_off(struct wt_err *err)
{
	return wt_err_set(err, -EBADMSG, "cut off: its compressed data ends before the first line: copy it again");
}

static int start(struct wt_input *in, struct wt_err *err)
{
	static const unsigned char magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
	in->started = true;
	while (in->to < sizeof magic) {
		ssize_t got = take_packed(in, err);
		if (got < 0) return (int)got;
		if (!got) break;
	}
	if (in->to && in->to < sizeof magic && !memcmp(in->packed, magic, in->to)) return cut_off(err);
	if (in->to < sizeof magic || memcmp(in->packed, magic, sizeof magic) != 0) return 0;
	in->zstd = true;
	in->stream = ZSTD_createDStream();
	return in->stream ? 0 : wt_err_set(err, -ENOMEM, "out of memory for zstd");
}

static ssize_t unpack(struct wt_input *in, void *bytes, size_t n, struct wt_err *err)
{
	ZSTD_outBuffer out = {bytes, n, 0};
	while (!out.pos) {
		if (in->from == in->to) {
			ssize_t got = take_packed(in, err);
			if (got < 0) return got;
			in->ended = !got; /* what zstd still holds comes out of an empty input */
		}
		ZSTD_inBuffer packed = {in->packed + in->from, in->to - in->from, 0};
		size_t result = ZSTD_decompressStream(in->stream, &out, &packed);
		if (ZSTD_isError(result))
			return wt_err_set(err, -EBADMSG, "damaged zstd data: %s", ZSTD_getErrorName(result));
		if (packed.size) in->inside = result != 0;
		in->from += packed.pos;
		if (!in->ended || out.pos) continue;
		if (in->inside && !in->gave) return cut_off(err);
		return 0; /* in the middle of a frame, too: the trace is then cut off */
	}
	in->gave = true;
	return (ssize_t)out.pos;
}

ssize_t wt_input_read(void *input, void *bytes, size_t n, struct wt_err *err)
{
	struct wt_input *in = input;
	if (!in->started) {
		int result = start(in, err);
		if (result) return result;
	}
	if (in->zstd) return unpack(in, bytes, n, err);
	if (in->from == in->to) return take(in, bytes, n, err);
	size_t held = in->to - in->from;
	if (held > n) held = n;
	memcpy(bytes, in->packed + in->from, held);
	in->from += held;
	return (ssize_t)held;
}

void wt_input_blame(struct wt_err *err, const char *path)
{
	char text[WT_ERR_BYTES];
	size_t digits = strspn(err->text, "0123456789");
	memcpy(text, err->text, sizeof text);
	char shown[WT_ERR_BYTES / 2];
	wt_input_shown(shown, sizeof shown, path);
	wt_err_set(err, err->code, "%s:%s%.*s", shown, digits && text[digits] == ':' ? "" : " ", WT_ERR_BYTES / 2,
	           text);
}
