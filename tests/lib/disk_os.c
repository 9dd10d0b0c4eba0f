/* SPDX-License-Identifier: MIT */
#include "disk_os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512 };

/* A write (bytes) or a new length (no bytes) that no sync has covered. */
struct pending {
	struct pending *next;
	uint64_t offset;
	size_t n;
	bool cut;
	uint8_t bytes[];
};

struct content {
	uint8_t *bytes;
	size_t n, room;
};

struct disk_file {
	struct disk_file *next;
	bool directory;
	int locked; /* fd + 1 */
	struct content now, durable;
	struct pending *pending, **last;
};

static struct disk_os *disk_of(const struct wt_os *os) { return (struct disk_os *)(uintptr_t)os; }

static uint64_t chance(struct disk_os *d, uint64_t n)
{
	d->random ^= d->random << 13, d->random ^= d->random >> 7, d->random ^= d->random << 17;
	return (d->random >> 11) % n;
}

static void *must(void *memory)
{
	if (!memory) abort();
	return memory;
}

/* ---- Content ---------------------------------------------------------------------------------------------------- */

static void resize(struct content *c, size_t n)
{
	if (n > c->room) {
		c->room = n + n / 2;
		c->bytes = must(realloc(c->bytes, c->room));
	}
	if (n > c->n) memset(c->bytes + c->n, 0, n - c->n);
	c->n = n;
}

static void put(struct content *c, const uint8_t *bytes, size_t n, uint64_t offset)
{
	if (offset + n > c->n) resize(c, offset + n);
	if (n) memcpy(c->bytes + offset, bytes, n);
}

static void copy(struct content *to, const struct content *from)
{
	resize(to, 0);
	put(to, from->bytes, from->n, 0);
}

static void drop_pending(struct disk_file *file)
{
	for (struct pending *p = file->pending, *next; p; p = next) {
		next = p->next;
		free(p);
	}
	file->pending = NULL;
	file->last = &file->pending;
}

static void note(struct disk_file *file, const void *bytes, size_t n, uint64_t offset, bool cut)
{
	struct pending *p = must(malloc(sizeof *p + (cut ? 0 : n)));
	*p = (struct pending){.offset = offset, .n = n, .cut = cut};
	if (!cut) memcpy(p->bytes, bytes, n);
	*file->last = p;
	file->last = &p->next;
}

static struct disk_file *new_file(struct disk_os *d, bool directory)
{
	struct disk_file *file = must(calloc(1, sizeof *file));
	file->directory = directory;
	file->last = &file->pending;
	file->next = d->files;
	return d->files = file;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static struct disk_name *find(struct disk_name *names, const char *path)
{
	for (int i = 0; i < DISK_FILES; i++)
		if (names[i].file && !strcmp(names[i].path, path)) return &names[i];
	return NULL;
}

static void bind(struct disk_name *names, const char *path, struct disk_file *file)
{
	struct disk_name *name = find(names, path);
	for (int i = 0; !name && i < DISK_FILES; i++)
		if (!names[i].file) name = &names[i];
	if (!name) abort();
	snprintf(name->path, sizeof name->path, "%s", path);
	name->file = file;
}

static void directory_of(char *to, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash == path ? 1 : (size_t)(slash - path);
	memcpy(to, path, n);
	to[n] = 0;
}

static void apply(struct disk_name *names, const struct disk_change *change)
{
	struct disk_name *from = change->from[0] ? find(names, change->from) : NULL;
	if (from && from->file == change->file) from->file = NULL;
	if (change->to[0]) bind(names, change->to, change->file);
}

/* All names of one directory: no other moves are made. */
static void change(struct disk_os *d, const char *from, const char *to, struct disk_file *file)
{
	struct disk_change *c = must(calloc(1, sizeof *c));
	snprintf(c->from, sizeof c->from, "%s", from);
	snprintf(c->to, sizeof c->to, "%s", to);
	directory_of(c->directory, to[0] ? to : from);
	c->file = file;
	apply(d->name, c);
	*d->last_change = c;
	d->last_change = &c->next;
}

/* ---- Power ------------------------------------------------------------------------------------------------------ */

enum power { POWER_ON, POWER_LAST, POWER_OFF };

/* Of a call that changes something. LAST: it happens, but nobody hears of it. */
static enum power draw(struct disk_os *d)
{
	if (d->dead) return POWER_OFF;
	d->changed++;
	if (d->countdown <= 0 || --d->countdown) return POWER_ON;
	d->dead = true;
	return chance(d, 2) ? POWER_LAST : POWER_OFF;
}

static int leave(struct disk_os *d, int result)
{
	if (d->dead) result = -EIO;
	pthread_mutex_unlock(&d->mutex);
	return result;
}

static struct disk_os *enter(const struct wt_os *os)
{
	struct disk_os *d = disk_of(os);
	pthread_mutex_lock(&d->mutex);
	return d;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static struct disk_file *create(struct disk_os *d, const char *path, bool directory)
{
	if (draw(d) == POWER_OFF) return NULL;
	struct disk_file *file = new_file(d, directory);
	change(d, "", path, file);
	return file;
}

static int open_locked(struct disk_os *d, const char *path, int flags)
{
	struct disk_name *name = find(d->name, path);
	if (strlen(path) >= DISK_PATH || path[0] != '/') abort();
	if (d->dead) return -EIO;
	if (name && flags & O_CREAT && flags & O_EXCL) return -EEXIST;
	if (!name && !(flags & O_CREAT)) return -ENOENT;
	if (name && flags & O_DIRECTORY && !name->file->directory) return -ENOTDIR;
	struct disk_file *file = name ? name->file : create(d, path, false);
	if (!file) return -EIO;
	if (name && flags & O_TRUNC) {
		if (draw(d) == POWER_OFF) return -EIO;
		note(file, NULL, 0, 0, true);
		resize(&file->now, 0);
	}
	for (int fd = 0; fd < DISK_FDS; fd++) {
		if (d->fd[fd].file) continue;
		d->fd[fd].file = file;
		snprintf(d->fd[fd].path, DISK_PATH, "%s", path);
		return fd;
	}
	abort();
}

static int disk_open(const struct wt_os *os, const char *path, int flags, unsigned mode)
{
	struct disk_os *d = enter(os);
	(void)mode;
	return leave(d, open_locked(d, path, flags));
}

static int disk_close(const struct wt_os *os, int fd)
{
	struct disk_os *d = enter(os);
	if (d->fd[fd].file && d->fd[fd].file->locked == fd + 1) d->fd[fd].file->locked = 0;
	d->fd[fd].file = NULL;
	return leave(d, 0);
}

static ssize_t disk_pread(const struct wt_os *os, int fd, void *bytes, size_t n, uint64_t offset)
{
	struct disk_os *d = enter(os);
	const struct content *c = &d->fd[fd].file->now;
	size_t there = offset < c->n ? c->n - offset : 0;
	if (n > there) n = there;
	if (n) memcpy(bytes, c->bytes + offset, n);
	bool dead = d->dead;
	leave(d, 0);
	return dead ? -EIO : (ssize_t)n;
}

static ssize_t disk_pwrite(const struct wt_os *os, int fd, const void *bytes, size_t n, uint64_t offset)
{
	struct disk_os *d = enter(os);
	struct disk_file *file = d->fd[fd].file;
	if (draw(d) != POWER_OFF) {
		note(file, bytes, n, offset, false);
		put(&file->now, bytes, n, offset);
	}
	bool dead = d->dead;
	leave(d, 0);
	return dead ? -EIO : (ssize_t)n;
}

static void sync_names(struct disk_os *d, const char *directory)
{
	struct disk_change **at = &d->changes;
	while (*at) {
		struct disk_change *c = *at;
		if (strcmp(c->directory, directory) != 0) {
			at = &c->next;
			continue;
		}
		apply(d->durable, c);
		*at = c->next;
		free(c);
	}
	d->last_change = at;
}

static int disk_sync(const struct wt_os *os, int fd)
{
	struct disk_os *d = enter(os);
	struct disk_file *file = d->fd[fd].file;
	if (draw(d) != POWER_OFF && !d->lies) {
		if (file->directory) sync_names(d, d->fd[fd].path);
		copy(&file->durable, &file->now);
		drop_pending(file);
	}
	return leave(d, 0);
}

static int disk_ftruncate(const struct wt_os *os, int fd, uint64_t bytes)
{
	struct disk_os *d = enter(os);
	struct disk_file *file = d->fd[fd].file;
	if (draw(d) != POWER_OFF) {
		note(file, NULL, 0, bytes, true);
		resize(&file->now, bytes);
	}
	return leave(d, 0);
}

static int64_t disk_size(const struct wt_os *os, int fd)
{
	struct disk_os *d = enter(os);
	int64_t n = (int64_t)d->fd[fd].file->now.n;
	return leave(d, 0) ? -EIO : n;
}

static int disk_rename(const struct wt_os *os, const char *from, const char *to)
{
	struct disk_os *d = enter(os);
	struct disk_name *name = find(d->name, from);
	if (!name) return leave(d, -ENOENT);
	if (draw(d) != POWER_OFF) change(d, from, to, name->file);
	return leave(d, 0);
}

static int disk_link(const struct wt_os *os, const char *from, const char *to)
{
	struct disk_os *d = enter(os);
	struct disk_name *name = find(d->name, from);
	if (!name) return leave(d, -ENOENT);
	if (find(d->name, to)) return leave(d, -EEXIST);
	if (draw(d) != POWER_OFF) change(d, "", to, name->file);
	return leave(d, 0);
}

static int disk_unlink(const struct wt_os *os, const char *path)
{
	struct disk_os *d = enter(os);
	struct disk_name *name = find(d->name, path);
	if (!name) return leave(d, -ENOENT);
	if (draw(d) != POWER_OFF) change(d, path, "", name->file);
	return leave(d, 0);
}

static int disk_mkdir(const struct wt_os *os, const char *path, unsigned mode)
{
	struct disk_os *d = enter(os);
	(void)mode;
	if (find(d->name, path)) return leave(d, -EEXIST);
	create(d, path, true);
	return leave(d, 0);
}

static int disk_lock(const struct wt_os *os, int fd)
{
	struct disk_os *d = enter(os);
	struct disk_file *file = d->fd[fd].file;
	if (file->locked) return leave(d, -EWOULDBLOCK);
	file->locked = fd + 1;
	return leave(d, 0);
}

static int disk_list(const struct wt_os *os, const char *path, void (*each)(void *context, const char *name),
                     void *context)
{
	struct disk_os *d = enter(os);
	char directory[DISK_PATH];
	for (int i = 0; i < DISK_FILES && !d->dead; i++) {
		if (!d->name[i].file) continue;
		directory_of(directory, d->name[i].path);
		if (!strcmp(directory, path) && d->name[i].path[1]) each(context, strrchr(d->name[i].path, '/') + 1);
	}
	return leave(d, 0);
}

/* ---- A crash ---------------------------------------------------------------------------------------------------- */

static void survive_write(struct disk_os *d, struct content *c, struct pending *p)
{
	switch (chance(d, 6)) {
	case 0:
	case 1: put(c, p->bytes, p->n, p->offset); break;
	case 2:
		if (chance(d, 3) == 0 && p->offset + p->n > c->n) resize(c, p->offset + p->n);
		break;
	case 3: put(c, p->bytes, (size_t)chance(d, p->n + 1), p->offset); break;
	case 4:
		for (size_t from = 0, to; from < p->n; from = to) {
			to = from + SECTOR - (p->offset + from) % SECTOR;
			if (to > p->n) to = p->n;
			if (chance(d, 2)) put(c, p->bytes + from, to - from, p->offset + from);
		}
		break;
	default:
		for (size_t i = chance(d, p->n + 1); i < p->n; i++) p->bytes[i] = (uint8_t)chance(d, 256);
		put(c, p->bytes, p->n, p->offset);
	}
}

static void survive(struct disk_os *d, struct disk_file *file)
{
	for (struct pending *p = file->pending; p; p = p->next) {
		if (!p->cut) survive_write(d, &file->durable, p);
		else if (chance(d, 2)) resize(&file->durable, p->offset);
	}
	drop_pending(file);
	copy(&file->now, &file->durable);
	file->locked = 0;
}

static void survive_names(struct disk_os *d)
{
	size_t n = 0;
	for (const struct disk_change *c = d->changes; c; c = c->next) n++;
	bool journal = chance(d, 2);
	size_t kept = chance(d, n + 1);
	for (struct disk_change *c = d->changes, *next; c; c = next) {
		next = c->next;
		if (journal ? kept && kept-- : chance(d, 2)) apply(d->durable, c);
		free(c);
	}
	d->changes = NULL;
	d->last_change = &d->changes;
	for (int i = 0; i < DISK_FILES; i++) {
		char directory[DISK_PATH];
		if (!d->durable[i].file) continue;
		directory_of(directory, d->durable[i].path);
		if (!find(d->durable, directory)) d->durable[i].file = NULL; /* went with its directory */
	}
	memcpy(d->name, d->durable, sizeof d->name);
}

static void free_file(struct disk_file *file)
{
	drop_pending(file);
	free(file->now.bytes);
	free(file->durable.bytes);
	free(file);
}

static void drop_nameless(struct disk_os *d)
{
	for (struct disk_file **at = &d->files; *at;) {
		struct disk_file *file = *at;
		bool named = false;
		for (int i = 0; i < DISK_FILES && !named; i++) named = d->name[i].file == file;
		if (named) {
			at = &file->next;
			continue;
		}
		*at = file->next;
		free_file(file);
	}
}

void disk_os_crash(struct disk_os *d)
{
	survive_names(d);
	drop_nameless(d);
	for (struct disk_file *file = d->files; file; file = file->next) survive(d, file);
	memset(d->fd, 0, sizeof d->fd);
	d->dead = false;
	d->countdown = 0;
}

void disk_os_arm(struct disk_os *d, long calls) { d->countdown = calls; }

void disk_os_init(struct disk_os *d, uint64_t seed)
{
	*d = (struct disk_os){.os = wt_os_posix, .mutex = PTHREAD_MUTEX_INITIALIZER, .random = seed * 2 + 1};
	d->os.open = disk_open;
	d->os.close = disk_close;
	d->os.pread = disk_pread;
	d->os.pwrite = disk_pwrite;
	d->os.fdatasync = d->os.fsync = disk_sync;
	d->os.ftruncate = disk_ftruncate;
	d->os.size = disk_size;
	d->os.rename = disk_rename;
	d->os.link = disk_link;
	d->os.unlink = disk_unlink;
	d->os.mkdir = disk_mkdir;
	d->os.lock = disk_lock;
	d->os.list = disk_list;
	d->last_change = &d->changes;
	struct disk_file *root = new_file(d, true);
	bind(d->name, "/", root);
	bind(d->durable, "/", root);
	for (int i = 0; i < 20; i++) chance(d, 2); /* so that neighbouring seeds differ */
}

void disk_os_free(struct disk_os *d)
{
	for (struct disk_change *c = d->changes, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	for (struct disk_file *file = d->files, *next; file; file = next) {
		next = file->next;
		free_file(file);
	}
}
