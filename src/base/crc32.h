/* SPDX-License-Identifier: MIT */
/* CRC-32 (IEEE 802.3, reflected, 0xEDB88320), as zlib and the log's trailers compute it. */
#ifndef WT_BASE_CRC32_H
#define WT_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Goes on from `crc` (0 at the beginning) over n more bytes. */
uint32_t wt_crc32(uint32_t crc, const void *bytes, size_t n);

/* The same without special instructions; for the test and for processors without them. */
uint32_t wt_crc32_plain(uint32_t crc, const void *bytes, size_t n);

#endif
