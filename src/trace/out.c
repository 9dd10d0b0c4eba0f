/* SPDX-License-Identifier: MIT */
#include "trace/out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/crc32.h"
#include "base/hex.h"

int wt_out_open(struct wt_out *out, const struct wt_os *os, int fd, uint64_t limit)
{
	memset(out, 0, sizeof *out);
	out->os = os;
	out->fd = fd;
	out->limit = limit;
	out->buffer = malloc(WT_OUT_BYTES + WT_LINE_MAX);
	if (!out->buffer) return -ENOMEM;
	memset(out->buffer, 0, WT_OUT_BYTES + WT_LINE_MAX); /* touched now, so that no line waits for memory */
	return 0;
}

static void fail(struct wt_out *out, int error)
{
	if (!out->error) out->error = error;
}

static int write_all(struct wt_out *out, const char *text, size_t n, uint64_t offset)
{
	while (n) {
		ssize_t put = out->os->pwrite(out->os, out->fd, text, n, offset);
		if (put == -EINTR) continue;
		if (put <= 0) return put ? (int)put : -EIO;
		text += put;
		n -= (size_t)put;
		offset += (uint64_t)put;
	}
	return 0;
}

uint32_t wt_out_crc(struct wt_out *out)
{
	out->crc = wt_crc32(out->crc, out->buffer + out->crc_used, out->used - out->crc_used);
	out->crc_used = out->used;
	return out->crc;
}

void wt_out_crc_restart(struct wt_out *out)
{
	out->crc = 0;
	out->crc_used = out->used;
}

bool wt_out_extra(struct wt_out *out, uint64_t bytes)
{
	if (out->error) return false;
	if (out->bytes + bytes <= out->limit - out->limit / WT_EXTRA_LINES_PART) return true;
	out->left_out++;
	return false;
}

/* `whole`: the buffer ends with a line; otherwise a later failure cuts back to where this line began. */
static bool empty_buffer(struct wt_out *out, uint64_t *offset, bool whole)
{
	int error = out->used ? write_all(out, out->buffer, out->used, *offset) : 0;
	if (error) {
		fail(out, error);
		out->os->ftruncate(out->os, out->fd, out->flushed);
		return false;
	}
	wt_out_crc(out);
	*offset += out->used;
	out->used = out->crc_used = 0;
	if (whole) out->flushed = *offset;
	return true;
}

bool wt_out_flush(struct wt_out *out)
{
	if (out->error && out->error != WT_OUT_LIMIT) return false;
	uint64_t offset = out->bytes - out->used;
	if (!empty_buffer(out, &offset, true)) return false;
	out->records = 0;
	return true;
}

static bool fits(const struct wt_out *out, uint64_t bytes)
{
	return out->bytes + bytes + WT_FOOTER_RESERVE <= out->limit;
}

bool wt_out_may(struct wt_out *out, uint64_t bytes)
{
	if (out->error) return false;
	if (fits(out, bytes)) return true;
	/* A file that holds nothing yet but its beginning won't take it either, nor will the next. */
	if (out->full && wt_out_flush(out) && out->full(out) && fits(out, bytes)) return true;
	fail(out, WT_OUT_LIMIT);
	return false;
}

void wt_out_next(struct wt_out *out, int fd)
{
	out->fd = fd;
	out->earlier_bytes += out->bytes;
	out->bytes = out->flushed = 0;
	out->crc = 0;
}

bool wt_out_line(struct wt_out *out, const char *end, bool record)
{
	uint32_t bytes = (uint32_t)(end - wt_out_at(out));
	if (wt_unlikely(!fits(out, bytes)) && out->full && !out->error) {
		/* The buffer is emptied and begun anew: the line has to move. */
		char line[WT_LINE_MAX];
		memcpy(line, wt_out_at(out), bytes);
		if (!wt_out_may(out, bytes)) return false;
		memcpy(wt_out_at(out), line, bytes);
	} else if (!wt_out_may(out, bytes)) {
		return false;
	}
	out->bytes += bytes;
	out->used += bytes;
	out->records += record;
	if (out->used >= WT_OUT_BYTES) wt_out_flush(out);
	return true;
}

/* Pieces of a line that may be far longer than the buffer. Until the line is whole, `flushed` stays at its beginning. */
void wt_out_put(struct wt_out *out, const void *text, size_t n)
{
	const char *from = text;
	while (n && !out->error) {
		if (out->used == WT_OUT_BYTES) {
			uint64_t offset = out->bytes - out->used;
			if (!empty_buffer(out, &offset, false)) return;
		}
		size_t part = WT_OUT_BYTES - out->used;
		if (part > n) part = n;
		memcpy(wt_out_at(out), from, part);
		out->used += (uint32_t)part;
		out->bytes += part;
		from += part;
		n -= part;
	}
}

void wt_out_put_hex(struct wt_out *out, const void *bytes, size_t n)
{
	const char *from = bytes;
	char digits[1024];
	while (n && !out->error) {
		size_t part = n < sizeof digits / 2 ? n : sizeof digits / 2;
		wt_out_put(out, digits, (size_t)(wt_hex_put(digits, from, part) - digits));
		from += part;
		n -= part;
	}
}

bool wt_out_footer(struct wt_out *out, const char *text, size_t n)
{
	int before = out->error;
	if (before == WT_OUT_LIMIT && !wt_out_flush(out)) return false;
	int error = write_all(out, text, n, out->flushed);
	if (error) {
		fail(out, error);
		out->os->ftruncate(out->os, out->fd, out->flushed);
		return false;
	}
	out->flushed += n;
	return true;
}
