/* SPDX-License-Identifier: MIT */
/* Other engines, each put durable when it returns, as they recommend it. */
#include "bench.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef BENCH_LEVELDB
#include <leveldb/c.h>

struct leveldb_store {
	leveldb_t *db;
	leveldb_writeoptions_t *write;
};

static struct store *open_leveldb(const char *directory)
{
	char *error = NULL;
	struct leveldb_store *store = calloc(1, sizeof *store);
	leveldb_options_t *options = leveldb_options_create();
	if (!store) abort();
	leveldb_options_set_create_if_missing(options, 1);
	leveldb_options_set_write_buffer_size(options, 64 << 20);
	leveldb_options_set_compression(options, leveldb_no_compression);
	store->write = leveldb_writeoptions_create();
	leveldb_writeoptions_set_sync(store->write, 1);
	store->db = leveldb_open(options, directory, &error);
	if (error) fprintf(stderr, "bench-commitlog: leveldb: %s\n", error);
	return error ? NULL : (struct store *)store;
}

static int put_leveldb(struct store *s, const void *key, size_t key_bytes, const void *value, size_t value_bytes)
{
	struct leveldb_store *store = (struct leveldb_store *)s;
	char *error = NULL;
	leveldb_put(store->db, store->write, key, key_bytes, value, value_bytes, &error);
	return error ? -EIO : 0;
}

static void close_leveldb(struct store *s) { leveldb_close(((struct leveldb_store *)s)->db); }

static const struct store_type leveldb_type = {"leveldb", open_leveldb, put_leveldb, close_leveldb};
#endif

#ifdef BENCH_ROCKSDB
#include <rocksdb/c.h>

struct rocksdb_store {
	rocksdb_t *db;
	rocksdb_writeoptions_t *write;
};

static struct store *open_rocksdb(const char *directory)
{
	char *error = NULL;
	struct rocksdb_store *store = calloc(1, sizeof *store);
	rocksdb_options_t *options = rocksdb_options_create();
	if (!store) abort();
	rocksdb_options_set_create_if_missing(options, 1);
	store->write = rocksdb_writeoptions_create();
	rocksdb_writeoptions_set_sync(store->write, 1);
	store->db = rocksdb_open(options, directory, &error);
	if (error) fprintf(stderr, "bench-commitlog: rocksdb: %s\n", error);
	return error ? NULL : (struct store *)store;
}

static int put_rocksdb(struct store *s, const void *key, size_t key_bytes, const void *value, size_t value_bytes)
{
	struct rocksdb_store *store = (struct rocksdb_store *)s;
	char *error = NULL;
	rocksdb_put(store->db, store->write, key, key_bytes, value, value_bytes, &error);
	return error ? -EIO : 0;
}

static void close_rocksdb(struct store *s) { rocksdb_close(((struct rocksdb_store *)s)->db); }

static const struct store_type rocksdb_type = {"rocksdb", open_rocksdb, put_rocksdb, close_rocksdb};
#endif

#ifdef BENCH_SQLITE
#include <sqlite3.h>

/* SQLite has one writer: whoever finds no transaction under way puts all rows that wait into one. */
struct sqlite_store {
	sqlite3 *db;
	sqlite3_stmt *insert;
	pthread_mutex_t mutex;
	pthread_cond_t done;
	struct row {
		struct row *next;
		const void *key, *value;
		size_t key_bytes, value_bytes;
		int result;
		bool in;
	} * waiting;
	bool busy;
};

static struct store *open_sqlite(const char *directory)
{
	static const char schema[] = "pragma journal_mode=wal; pragma synchronous=full;"
				     "create table kv(k blob primary key, v blob) without rowid";
	char path[4200];
	struct sqlite_store *store = calloc(1, sizeof *store);
	if (!store) abort();
	pthread_mutex_init(&store->mutex, NULL);
	pthread_cond_init(&store->done, NULL);
	if (mkdir(directory, 0700)) return NULL;
	snprintf(path, sizeof path, "%s/db", directory);
	if (!sqlite3_open(path, &store->db) && !sqlite3_exec(store->db, schema, NULL, NULL, NULL) &&
	    !sqlite3_prepare_v2(store->db, "insert into kv values(?, ?)", -1, &store->insert, NULL))
		return (struct store *)store;
	fprintf(stderr, "bench-commitlog: sqlite: %s\n", sqlite3_errmsg(store->db));
	return NULL;
}

static int insert_all(struct sqlite_store *store, struct row *rows)
{
	int bad = sqlite3_exec(store->db, "begin immediate", NULL, NULL, NULL);
	for (struct row *row = rows; row && !bad; row = row->next) {
		sqlite3_bind_blob(store->insert, 1, row->key, (int)row->key_bytes, SQLITE_STATIC);
		sqlite3_bind_blob(store->insert, 2, row->value, (int)row->value_bytes, SQLITE_STATIC);
		bad = sqlite3_step(store->insert) != SQLITE_DONE;
		sqlite3_reset(store->insert);
	}
	return bad || sqlite3_exec(store->db, "commit", NULL, NULL, NULL) ? -EIO : 0;
}

static int put_sqlite(struct store *s, const void *key, size_t key_bytes, const void *value, size_t value_bytes)
{
	struct sqlite_store *store = (struct sqlite_store *)s;
	struct row mine = {NULL, key, value, key_bytes, value_bytes, 0, false};
	pthread_mutex_lock(&store->mutex);
	mine.next = store->waiting;
	store->waiting = &mine;
	while (!mine.in && store->busy) pthread_cond_wait(&store->done, &store->mutex);
	if (!mine.in) {
		struct row *rows = store->waiting;
		store->waiting = NULL;
		store->busy = true;
		pthread_mutex_unlock(&store->mutex);
		int result = insert_all(store, rows);
		pthread_mutex_lock(&store->mutex);
		store->busy = false;
		for (struct row *row = rows, *next; row; row = next) {
			next = row->next; /* once it is in, its owner may go */
			row->result = result;
			row->in = true;
		}
		pthread_cond_broadcast(&store->done);
	}
	pthread_mutex_unlock(&store->mutex);
	return mine.result;
}

static void close_sqlite(struct store *s)
{
	struct sqlite_store *store = (struct sqlite_store *)s;
	sqlite3_finalize(store->insert);
	sqlite3_close(store->db);
}

static const struct store_type sqlite_type = {"sqlite", open_sqlite, put_sqlite, close_sqlite};
#endif

const struct store_type *const store_types[ENGINES] = {
#ifdef BENCH_LEVELDB
	[ENGINE_LEVELDB] = &leveldb_type,
#endif
#ifdef BENCH_ROCKSDB
	[ENGINE_ROCKSDB] = &rocksdb_type,
#endif
#ifdef BENCH_SQLITE
	[ENGINE_SQLITE] = &sqlite_type,
#endif
};
