/* SPDX-License-Identifier: MIT */
/*
 * The format of a block: bytes in, bytes out; no files, clock or threads.
 *
 * A block is entries · trailer. All numbers are little-endian.
 *
 *   entry    offset  bytes      what
 *            0       1          method: 0 remove, 1 append
 *            1       2          k: bytes of the key; for commits 16
 *            3       k          key; for commits the cid, low half first
 *            3 + k   4          v: bytes of the value        (append only)
 *            7 + k   v          value                        (append only)
 *
 *   trailer  0       8          wall clock, ms since 1970
 *            8       4          CRC-32 (IEEE) of the entries and the 8 bytes before
 *            12      4          n: bytes of the entries
 *
 * A block at offset o of a file is valid if and only if
 *   (1) it holds at least one entry,
 *   (2) its entries, parsed forward from o, have known methods and end exactly at o + n,
 *   (3) the 16 bytes at o + n lie in the file, their n is right, and
 *   (4) their CRC is that of the bytes [o, o + n + 8).
 * A block's end is the first entry's end at which (3) and (4) hold.
 */
#ifndef CL_BLOCK_H
#define CL_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "commitlog.h"

enum {
	CL_TRAILER_BYTES = 16,
	CL_TRAILER_TIME_BYTES = 8,
	CL_CID_BYTES = 16,
	CL_ENTRY_HEAD_BYTES = 3,
	CL_VALUE_HEAD_BYTES = 4,
	CL_COMMIT_OVERHEAD = CL_ENTRY_HEAD_BYTES + CL_CID_BYTES + CL_VALUE_HEAD_BYTES
};

struct cl_trailer {
	uint64_t time_ms;
	uint32_t crc;
	uint32_t entry_bytes;
};

static inline uint64_t cl_get(const uint8_t *at, int bytes)
{
	uint64_t value = 0;
	for (int i = 0; i < bytes; i++) value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static inline uint16_t cl_get16(const uint8_t *at) { return (uint16_t)cl_get(at, 2); }
static inline uint32_t cl_get32(const uint8_t *at) { return (uint32_t)cl_get(at, 4); }
static inline uint64_t cl_get64(const uint8_t *at) { return cl_get(at, 8); }

/* Writes a commit's append entry of CL_COMMIT_OVERHEAD + n bytes. */
void cl_put_commit(uint8_t *at, struct commitlog_cid cid, const void *payload, size_t n);

static inline struct commitlog_cid cl_get_cid(const uint8_t *key)
{
	return (struct commitlog_cid){.low = cl_get64(key), .high = cl_get64(key + 8)};
}

/* Writes the trailer behind `n` bytes of entries; `block` has room for it. */
void cl_put_trailer(uint8_t *block, size_t n, uint64_t time_ms);

static inline struct cl_trailer cl_get_trailer(const uint8_t *at)
{
	return (struct cl_trailer){cl_get64(at), cl_get32(at + 8), cl_get32(at + 12)};
}

/* CRC of `n` more bytes; begin with 0. */
uint32_t cl_crc(uint32_t crc, const void *bytes, size_t n);

#endif
