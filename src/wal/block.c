/* SPDX-License-Identifier: MIT */
#include "wal/block.h"

#include <libdeflate.h>
#include <string.h>

_Static_assert(CL_TRAILER_BYTES == 16 && CL_COMMIT_OVERHEAD == 23, "the sizes are format");

static void put(uint8_t *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

void cl_put_commit(uint8_t *at, struct commitlog_cid cid, const void *payload, size_t n)
{
	at[0] = COMMITLOG_METHOD_APPEND;
	put(at + 1, CL_CID_BYTES, 2);
	put(at + 3, cid.low, 8);
	put(at + 11, cid.high, 8);
	put(at + 19, n, 4);
	memcpy(at + CL_COMMIT_OVERHEAD, payload, n);
}

uint32_t cl_crc(uint32_t crc, const void *bytes, size_t n) { return libdeflate_crc32(crc, bytes, n); }

void cl_put_trailer(uint8_t *block, size_t n, uint64_t time_ms)
{
	put(block + n, time_ms, 8);
	put(block + n + 8, cl_crc(0, block, n + CL_TRAILER_TIME_BYTES), 4);
	put(block + n + 12, n, 4);
}
