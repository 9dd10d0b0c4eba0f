/* SPDX-License-Identifier: MIT */
/* A key-value store that survives kill -9: a table in memory, and libcommitlog for what must not be lost.
 *
 *     kv DIR set KEY VALUE    prints "ok" once the pair is on stable storage
 *     kv DIR get KEY          prints the value; exit 1 if there is none
 *     kv DIR load N           sets N pairs k0 … and prints each key when it is durable
 *
 * A record is "KEY\0VALUE\0". Records are never confirmed, so that the log keeps all of them; a store that writes its
 * table out would confirm those that are in it. */
#include <commitlog.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	struct pair *next;
	char *key, *value;
};

static struct pair *pairs; /* newest first */

/* From the log, or what was just made durable. */
static int apply(void *log, const struct commitlog_entry *entry)
{
	const char *key = entry->value;
	size_t n = entry->value_bytes, key_bytes = strnlen(key, n);
	if (!n || key[n - 1] || key_bytes + 1 >= n) return -EBADMSG; /* not ours */
	struct pair *pair = malloc(sizeof *pair);
	if (!pair) return -ENOMEM;
	*pair = (struct pair){pairs, strdup(key), strdup(key + key_bytes + 1)};
	pairs = pair;
	return commitlog_append_replay(log, entry, NULL); /* it is still needed */
}

static int set(struct commitlog *log, uint64_t id, const char *key, const char *value)
{
	char record[4096];
	uint64_t handle;
	int n = snprintf(record, sizeof record, "%s%c%s", key, 0, value);
	if (n < 0 || (size_t)n >= sizeof record) return -EMSGSIZE;
	struct commitlog_cid cid = {.low = id};
	int result = commitlog_append(log, cid, record, (size_t)n + 1, &handle);
	return result ? result : commitlog_flush(log, handle);
}

static const char *get(const char *key)
{
	for (const struct pair *pair = pairs; pair; pair = pair->next)
		if (!strcmp(pair->key, key)) return pair->value;
	return NULL;
}

static int run(struct commitlog *log, int argc, char **argv, uint64_t id)
{
	int result = 0;
	if (argc == 4 && !strcmp(argv[2], "get")) return !get(argv[3]) || puts(get(argv[3])) < 0;
	if (argc == 5 && !strcmp(argv[2], "set") && !(result = set(log, id, argv[3], argv[4]))) return puts("ok") < 0;
	for (long n = 0; argc == 4 && !strcmp(argv[2], "load") && n < atol(argv[3]) && !result; n++) {
		char key[32];
		snprintf(key, sizeof key, "k%ld", n);
		result = set(log, id + (uint64_t)n, key, key);
		if (!result && (puts(key) < 0 || fflush(stdout))) return 1;
	}
	if (result) fprintf(stderr, "kv: can't commit: %s\n", strerror(-result));
	return result ? 2 : 0;
}

int main(int argc, char **argv)
{
	struct commitlog *log;
	struct commitlog_error error;
	struct commitlog_replay_summary found;
	if (argc < 4) return fputs("usage: kv DIR set KEY VALUE | get KEY | load N\n", stderr), 3;
	if (commitlog_open(argv[1], NULL, &error, &log)) return fprintf(stderr, "kv: %s\n", error.message), 2;
	int status = commitlog_replay(log, apply, log, &found);
	if (status) fprintf(stderr, "kv: can't replay %s: %s\n", argv[1], strerror(-status));
	else status = commitlog_finish_replay(log) ? 2 : run(log, argc, argv, found.records + 1);
	return commitlog_close(log) || status < 0 ? 2 : status;
}
