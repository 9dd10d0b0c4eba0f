/* SPDX-License-Identifier: MIT */
/* bench-encoder [--json]: the encoder alone, on a commit_lock row of about 345 bytes, beside a yardstick that writes the
 * same line by hand, from constants and a table of two digits, without knowing of rows, masks or strings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trace/encode.h"

enum { LINES = 20000, ROUNDS = 200, NUMBERS = 14 };

static const uint64_t number[NUMBERS] = {329871777, 646,       1907,  4921356, 461596, 633, 645,
                                         646,       330332982, 83120, 3,       3,      0,   1908};

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- The yardstick ---------------------------------------------------------------------------------------------------- */

static char pair[200];

static char *put(char *to, uint64_t v)
{
	char digit[20];
	int n = 20;
	for (; v >= 100; v /= 100) memcpy(digit + (n -= 2), pair + v % 100 * 2, 2);
	if (v >= 10) memcpy(digit + (n -= 2), pair + v * 2, 2);
	else digit[--n] = (char)('0' + v);
	memcpy(to, digit + n, (size_t)(20 - n));
	return to + 20 - n;
}

#define TEXT(literal) (memcpy(to, literal, sizeof literal - 1), to += sizeof literal - 1)

static char *by_hand(char *to, const uint64_t *v)
{
	TEXT("{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"commit_lock\",\"session_id\":\"12117-1796094116173384247\","
	     "\"logger_id\":1,\"operation_id\":");
	to = put(to, v[13]);
	TEXT(",\"outcome\":\"owner_success\",\"trigger\":\"request\",\"start_ns\":");
	to = put(to, v[0]);
	TEXT(",\"log_uid\":");
	to = put(to, v[1]);
	TEXT(",\"parent_id\":");
	to = put(to, v[2]);
	TEXT(",\"lock_wait_ns\":");
	to = put(to, v[3]);
	TEXT(",\"lock_hold_ns\":");
	to = put(to, v[4]);
	TEXT(",\"committed_before\":");
	to = put(to, v[5]);
	TEXT(",\"committed_at_acquire\":");
	to = put(to, v[6]);
	TEXT(",\"lock_seq\":");
	to = put(to, v[7]);
	TEXT(",\"notify_start_ns\":");
	to = put(to, v[8]);
	TEXT("}\n");
	return to;
}

/* ---- Ours ------------------------------------------------------------------------------------------------------------- */

static struct wt_encoder encoder;
static _Alignas(8) char packed[WALTRACE__ROW_MAX];

static void make_row(void)
{
	static const enum waltrace_field field[] = {WALTRACE_START_NS,
	                                            WALTRACE_LOG_UID,
	                                            WALTRACE_PARENT_ID,
	                                            WALTRACE_LOCK_WAIT_NS,
	                                            WALTRACE_LOCK_HOLD_NS,
	                                            WALTRACE_COMMITTED_BEFORE,
	                                            WALTRACE_COMMITTED_AT_ACQUIRE,
	                                            WALTRACE_LOCK_SEQ,
	                                            WALTRACE_NOTIFY_START_NS};
	static struct waltrace__row row;
	wt_encoder_init(&encoder, "12117-1796094116173384247");
	wt_row_begin(&row, number[13], WALTRACE_KIND_COMMIT_LOCK, WALTRACE_W_REQUEST);
	waltrace__row_word(&row, WALTRACE_OUTCOME, WALTRACE_W_OWNER_SUCCESS);
	for (size_t i = 0; i < sizeof field / sizeof field[0]; i++) waltrace__row_set(&row, field[i], number[i]);
	wt_row_pack(&row, 1, wt_row_bytes(&row), (void *)packed);
}

static char *by_encoder(char *to, const uint64_t *v)
{
	(void)v;
	char *end = wt_encode_record(&encoder, (const void *)packed, NULL, to);
	memcpy(end, "}\n", 2);
	return end + 2;
}

/* ---- Measuring -------------------------------------------------------------------------------------------------------- */

static char buffer[LINES * 512 + WT_LINE_MAX];

static double once(char *(*encode)(char *, const uint64_t *), size_t *bytes)
{
	char *to = buffer;
	uint64_t begin = now_ns();
	for (int i = 0; i < LINES; i++) to = encode(to, number);
	uint64_t ns = now_ns() - begin;
	*bytes = (size_t)(to - buffer) / LINES;
	return (double)ns / LINES;
}

int main(int argc, char **argv)
{
	bool json = argc > 1 && !strcmp(argv[1], "--json");
	double best[2] = {1e9, 1e9};
	size_t bytes[2];
	static char line[2][WT_LINE_MAX];
	for (int i = 0; i < 100; i++) pair[2 * i] = (char)('0' + i / 10), pair[2 * i + 1] = (char)('0' + i % 10);
	make_row();
	*by_encoder(line[0], number) = 0;
	*by_hand(line[1], number) = 0;
	if (strcmp(line[0], line[1]) != 0) {
		fprintf(stderr, "bench-encoder: the two lines differ:\n%s%s", line[0], line[1]);
		return 1;
	}
	for (int round = 0; round < ROUNDS; round++) {
		double a = once(by_encoder, &bytes[0]), b = once(by_hand, &bytes[1]);
		if (a < best[0]) best[0] = a;
		if (b < best[1]) best[1] = b;
	}
	for (int i = 0; i < 2; i++)
		printf(json ? "{\"bench\":\"encoder\",\"peer\":\"%s\",\"ns_per_record_min\":%.1f,\"mb_per_s\":%.0f,\"payload_bytes\":%zu}\n"
		            : "%-10s %6.1f ns a line  %6.0f MB/s  (%zu bytes)\n",
		       i ? "yardstick" : "ours", best[i], (double)bytes[i] / best[i] * 1e3, bytes[i]);
	if (!json) printf("ours / yardstick %.2f   goal <= 1.6\n", best[0] / best[1]);
	return 0;
}
