/* SPDX-License-Identifier: MIT */
/* A key-value store that survives kill -9: a table in memory, and libcommitlog for what must not be lost.
 *
 *     kv DIR set KEY VALUE    prints "ok" once the pair is on stable storage
 *     kv DIR get KEY...       prints the values; exit 1 if there is none
 *     kv DIR load N           sets N more pairs, k1 k1 and so on, and prints each key when it is durable
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

/* Takes a record of the log. */
static int apply(void *log, const struct commitlog_entry *entry)
{
	const char *key = entry->value;
	size_t n = entry->value_bytes, key_bytes = strnlen(key, n);
	if (!n || key[n - 1] || key_bytes + 1 >= n) return -EBADMSG; /* not ours */
	struct pair *pair = malloc(sizeof *pair);
	if (!pair) return -ENOMEM;
	*pair = (struct pair){pairs, strdup(key), strdup(key + key_bytes + 1)};
	pairs = pair;
	if (!pair->key || !pair->value) return -ENOMEM;
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

static int print_values(char **keys)
{
	for (; *keys; keys++)
		if (!get(*keys) || puts(get(*keys)) < 0) return 1;
	return 0;
}

static int load(struct commitlog *log, uint64_t id, long count)
{
	int result = 0;
	for (; !result && count > 0; count--, id++) {
		char key[32];
		snprintf(key, sizeof key, "k%llu", (unsigned long long)id);
		result = set(log, id, key, key);
		if (!result && (puts(key) < 0 || fflush(stdout))) result = -errno;
	}
	return result;
}

/* `id`: of the next record. */
static int run(struct commitlog *log, uint64_t id, char **argv)
{
	if (*argv[2] == 'g') return print_values(argv + 3);
	int result = *argv[2] == 's' ? set(log, id, argv[3], argv[4]) : load(log, id, atol(argv[3]));
	if (result) fprintf(stderr, "kv: can't commit: %s\n", strerror(-result));
	else if (*argv[2] == 's') puts("ok");
	return result ? 2 : 0;
}

int main(int argc, char **argv)
{
	struct commitlog *log;
	struct commitlog_error error;
	struct commitlog_replay_summary found;
	const char *command = argc > 3 ? argv[2] : "";
	if (strcmp(command, "get") && (strcmp(command, "set") || argc != 5) && (strcmp(command, "load") || argc != 4))
		return fputs("usage: kv DIR set KEY VALUE | get KEY... | load N\n", stderr), 3;
	if (commitlog_open(argv[1], NULL, &error, &log)) return fprintf(stderr, "kv: %s\n", error.message), 2;
	int status = commitlog_replay(log, apply, log, &found);
	if (status) fprintf(stderr, "kv: can't replay %s: %s\n", argv[1], strerror(-status));
	else status = commitlog_finish_replay(log) ? 2 : run(log, found.records + 1, argv);
	return commitlog_close(log) || status < 0 ? 2 : status;
}
