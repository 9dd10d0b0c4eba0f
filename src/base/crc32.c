/* SPDX-License-Identifier: MIT */
/* With carry-less multiplication where the processor has it, after V. Gopal et al., "Fast CRC Computation for Generic
 * Polynomials Using PCLMULQDQ Instruction", Intel, 2009 (constants of its table for this polynomial, reflected);
 * otherwise eight bytes a step, after M. Kounavis and F. Berry, "A Systematic Approach to Building High Performance
 * Software-Based CRC Generators", ISCC 2005. */
#include "base/crc32.h"

#include <pthread.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/compiler.h"

enum { SLICES = 8 };
static uint32_t table[SLICES][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_table(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;
		for (int bit = 0; bit < 8; bit++) c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
		table[0][i] = c;
	}
	for (int s = 1; s < SLICES; s++)
		for (uint32_t i = 0; i < 256; i++) table[s][i] = table[s - 1][i] >> 8 ^ table[0][table[s - 1][i] & 255];
}

/* `c` is the inverted CRC, here and below. */
static uint32_t step_plain(uint32_t c, const unsigned char *b, size_t n)
{
	for (; n >= 8; n -= 8, b += 8) {
		uint32_t low, high;
		memcpy(&low, b, 4);
		memcpy(&high, b + 4, 4);
		low ^= c;
		c = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^ table[4][low >> 24] ^
		    table[3][high & 255] ^ table[2][high >> 8 & 255] ^ table[1][high >> 16 & 255] ^
		    table[0][high >> 24];
	}
	for (; n; n--) c = c >> 8 ^ table[0][(c ^ *b++) & 255];
	return c;
}
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are read low byte first");

uint32_t wt_crc32_plain(uint32_t crc, const void *bytes, size_t n)
{
	pthread_once(&once, fill_table);
	return ~step_plain(~crc, bytes, n);
}

#if defined(__x86_64__)
enum { FOLD_LEAST = 64 };

#define TARGET __attribute__((target("pclmul,sse4.1")))

TARGET static inline __m128i load(const unsigned char *b) { return _mm_loadu_si128((const void *)b); }

TARGET static inline __m128i fold(__m128i x, __m128i k, __m128i next)
{
	__m128i low = _mm_clmulepi64_si128(x, k, 0x00), high = _mm_clmulepi64_si128(x, k, 0x11);
	return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* 128 bits to the CRC: two more folds and a Barrett reduction. */
TARGET static uint32_t reduce(__m128i x, __m128i k34)
{
	const __m128i k5 = _mm_set_epi64x(0, 0x163cd6124), mu_poly = _mm_set_epi64x(0x1f7011641, 0x1db710641);
	const __m128i low32 = _mm_setr_epi32(-1, 0, -1, 0);
	x = _mm_xor_si128(_mm_srli_si128(x, 8), _mm_clmulepi64_si128(x, k34, 0x10));
	x = _mm_xor_si128(_mm_srli_si128(x, 4), _mm_clmulepi64_si128(_mm_and_si128(x, low32), k5, 0x00));
	__m128i t = _mm_and_si128(_mm_clmulepi64_si128(_mm_and_si128(x, low32), mu_poly, 0x10), low32);
	x = _mm_xor_si128(x, _mm_clmulepi64_si128(t, mu_poly, 0x00));
	return (uint32_t)_mm_extract_epi32(x, 1);
}

/* n is a multiple of 16 and at least FOLD_LEAST. */
TARGET static uint32_t step_folding(uint32_t c, const unsigned char *b, size_t n)
{
	const __m128i k12 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4), k34 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
	__m128i x[4];
	for (int i = 0; i < 4; i++) x[i] = load(b + 16 * i);
	x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128((int)c));
	for (b += 64, n -= 64; n >= 64; b += 64, n -= 64)
		for (int i = 0; i < 4; i++) x[i] = fold(x[i], k12, load(b + 16 * i));
	for (int i = 1; i < 4; i++) x[0] = fold(x[0], k34, x[i]);
	for (; n >= 16; b += 16, n -= 16) x[0] = fold(x[0], k34, load(b));
	return reduce(x[0], k34);
}

static uint32_t step(uint32_t c, const unsigned char *b, size_t n)
{
	size_t folded = n & ~(size_t)15;
	if (folded < FOLD_LEAST || !__builtin_cpu_supports("pclmul") || !__builtin_cpu_supports("sse4.1"))
		return step_plain(c, b, n);
	return step_plain(step_folding(c, b, folded), b + folded, n - folded);
}
#else
static uint32_t step(uint32_t c, const unsigned char *b, size_t n) { return step_plain(c, b, n); }
#endif

uint32_t wt_crc32(uint32_t crc, const void *bytes, size_t n)
{
	pthread_once(&once, fill_table);
	return ~step(~crc, bytes, n);
}
