/* SPDX-License-Identifier: MIT */
/* Lines of the same form and length as the recorder's, with all that is known beforehand prepared: a template for
 * each thread and kind, a table of two-digit numbers, no choice of fields. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "floor.h"

#define KEY(text, is_time) \
	{ \
		text, sizeof text - 1, is_time \
	}

static const struct key {
	const char *text;
	size_t bytes;
	bool is_time;
} sync_keys[] = {KEY(",\"outcome\":\"success\",\"trigger\":\"request\",\"start_ns\":", true),
                 KEY(",\"total_ns\":", true),
                 KEY(",\"parent_id\":", false),
                 KEY(",\"block_bytes\":", false),
                 KEY(",\"batch_max_log_uid\":", false),
                 KEY(",\"written_bytes\":", false),
                 KEY(",\"poll_count\":", false)},
  lock_keys[] = {KEY(",\"outcome\":\"owner_success\",\"trigger\":\"request\",\"start_ns\":", true),
                 KEY(",\"log_uid\":", false),
                 KEY(",\"parent_id\":", false),
                 KEY(",\"lock_wait_ns\":", true),
                 KEY(",\"lock_hold_ns\":", true),
                 KEY(",\"committed_before\":", false),
                 KEY(",\"committed_at_acquire\":", false),
                 KEY(",\"lock_seq\":", false),
                 KEY(",\"notify_start_ns\":", true),
                 KEY(",\"notify_total_ns\":", true),
                 KEY(",\"notify_target_count\":", false),
                 KEY(",\"notify_completed_count\":", false),
                 KEY(",\"notify_send_failed_count\":", false)},
  flush_keys[] = {KEY(",\"outcome\":\"success\",\"start_ns\":", true), KEY(",\"total_ns\":", true),
                  KEY(",\"log_uid\":", false)};

static const struct kind {
	const char *name;
	const struct key *key;
	int keys;
} kind_of[FLOOR_KINDS] = {{"sync_call", sync_keys, sizeof sync_keys / sizeof *sync_keys},
                          {"commit_lock", lock_keys, sizeof lock_keys / sizeof *lock_keys},
                          {"root_flush", flush_keys, sizeof flush_keys / sizeof *flush_keys}};

static struct prefix {
	char text[256];
	size_t bytes;
} prefix_of[MAX_THREADS][FLOOR_KINDS];
static char two_digits[200];
static uint64_t ns_mult; /* ns a tick, 32.32 fixed point */

void floor_json_open(int threads)
{
	for (int i = 0; i < 100; i++) {
		two_digits[2 * i] = (char)('0' + i / 10);
		two_digits[2 * i + 1] = (char)('0' + i % 10);
	}
	ns_mult = (uint64_t)(ns_per_tick * 4294967296.0);
	for (int t = 0; t < threads; t++)
		for (int k = 0; k < FLOOR_KINDS; k++) {
			struct prefix *p = &prefix_of[t][k];
			p->bytes =
				(size_t)snprintf(p->text, sizeof p->text,
			                         "{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"%s\",\"session_id\":"
			                         "\"%d-1000000000000000000\",\"logger_id\":%d,\"operation_id\":",
			                         kind_of[k].name, getpid(), t + 1);
		}
}

static char *put_number(char *out, uint64_t n)
{
	char digits[20], *at = digits + sizeof digits;
	while (n >= 100) {
		at -= 2;
		memcpy(at, two_digits + 2 * (n % 100), 2);
		n /= 100;
	}
	if (n >= 10) {
		at -= 2;
		memcpy(at, two_digits + 2 * n, 2);
	} else {
		*--at = (char)('0' + n);
	}
	size_t bytes = (size_t)(digits + sizeof digits - at);
	memcpy(out, at, bytes);
	return out + bytes;
}

static uint64_t to_ns(uint64_t n)
{
	__extension__ typedef unsigned __int128 wide;
	return (uint64_t)((wide)n * ns_mult >> 32);
}

char *floor_json_line(char *out, int thread, const struct floor_record *record)
{
	const struct kind *kind = &kind_of[record->kind];
	const struct prefix *prefix = &prefix_of[thread][record->kind];
	memcpy(out, prefix->text, prefix->bytes);
	out = put_number(out + prefix->bytes, record->id);
	for (int i = 0; i < kind->keys; i++) {
		const struct key *key = &kind->key[i];
		memcpy(out, key->text, key->bytes);
		out = put_number(out + key->bytes, key->is_time ? to_ns(record->value[i]) : record->value[i]);
	}
	memcpy(out, "}\n", 2);
	return out + 2;
}
