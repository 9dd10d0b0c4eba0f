/* SPDX-License-Identifier: MIT */
#include "cli/load_args.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "cli/load.h"

/* ---- Options ------------------------------------------------------------------------------------------------ */

static bool read_number(const char *text, uint64_t *value)
{
	uint64_t v = 0;
	if (!*text) return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || v > (UINT64_MAX - 9) / 10) return false;
		v = v * 10 + (uint64_t)(*text - '0');
	}
	*value = v;
	return true;
}

static int wrong(const char *command, const char *what)
{
	fprintf(stderr, "waltrace: %s: %s\nTry: waltrace %s --help\n", command, what, command);
	return -1;
}

static int take_value(const char *command, const struct wt_option *o, const char *text)
{
	char what[400];
	if (o->text) {
		*o->text = text;
		if (*text && strlen(text) < WT_LOAD_DIRECTORY) return 0;
		snprintf(what, sizeof what, "--%s: must be 1 to %d bytes long", o->name, WT_LOAD_DIRECTORY - 1);
		return wrong(command, what);
	}
	uint64_t value;
	if (read_number(text, &value) && value >= o->min && value <= o->max) {
		*o->value = value;
		return 0;
	}
	snprintf(what, sizeof what, "--%s %.100s: must be a whole number from %" PRIu64 " to %" PRIu64 "%s", o->name,
	         text, o->min, o->max, o->unit);
	return wrong(command, what);
}

static const struct wt_option *find(const struct wt_option *options, unsigned count, const char *name, size_t n)
{
	for (unsigned i = 0; i < count; i++)
		if (strlen(options[i].name) == n && !memcmp(options[i].name, name, n)) return &options[i];
	return NULL;
}

/* One argument, and the next if it is the value. Returns how many were taken, or -1. */
static int take(int argc, char **argv, int at, const struct wt_option *options, unsigned count)
{
	char what[400];
	const char *name = argv[at] + 2, *equals = strchr(name, '=');
	const struct wt_option *o = NULL;
	if (!strncmp(argv[at], "--", 2))
		o = find(options, count, name, equals ? (size_t)(equals - name) : strlen(name));
	if (!o) {
		snprintf(what, sizeof what, "%s %.200s", argv[at][0] == '-' ? "unknown option" : "unexpected argument",
		         argv[at]);
		return wrong(argv[0], what);
	}
	if (o->flag) {
		snprintf(what, sizeof what, "--%s takes no value", o->name);
		if (equals) return wrong(argv[0], what);
		*o->flag = true;
		return 1;
	}
	if (equals) return take_value(argv[0], o, equals + 1) ? -1 : 1;
	snprintf(what, sizeof what, "--%s needs a value", o->name);
	if (at + 1 >= argc) return wrong(argv[0], what);
	return take_value(argv[0], o, argv[at + 1]) ? -1 : 2;
}

enum wt_parsed wt_parse_options(int argc, char **argv, const struct wt_option *options, unsigned count)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return WT_PARSED_HELP;
	for (int i = 1; i < argc;) {
		int n = take(argc, argv, i, options, count);
		if (n < 0) return WT_PARSED_WRONG;
		i += n;
	}
	return WT_PARSED_RUN;
}

/* ---- Directories -------------------------------------------------------------------------------------------- */

static int check_empty(const char *path, struct wt_err *err)
{
	DIR *directory = opendir(path);
	if (!directory) return wt_err_set(err, -errno, "%s: %s", path, strerror(errno));
	bool empty = true;
	for (struct dirent *entry; (entry = readdir(directory));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) empty = false;
	closedir(directory);
	if (!empty) return wt_err_set(err, -ENOTEMPTY, "%s: isn't empty: name a new directory with --dir", path);
	if (access(path, W_OK | X_OK))
		return wt_err_set(err, -errno, "%s: can't write there: %s: choose another place with --dir", path,
		                  strerror(errno));
	return 0;
}

int wt_take_directory(const char *path, struct wt_err *err)
{
	if (!mkdir(path, 0755)) return 0;
	if (errno == EEXIST) return check_empty(path, err);
	const char *mend = errno == ENOENT ? "the directory above it must exist" : "choose another place with --dir";
	return wt_err_set(err, -errno, "%s: can't make this directory: %s: %s", path, strerror(errno), mend);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status, (void)kind, (void)place;
	remove(path);
	return 0;
}

void wt_remove_directory(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT); }

static uint64_t bytes_seen;

static int add_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)path, (void)place;
	if (kind == FTW_F) bytes_seen += (uint64_t)status->st_size;
	return 0;
}

uint64_t wt_directory_bytes(const char *path)
{
	bytes_seen = 0;
	nftw(path, add_one, 16, FTW_PHYS | FTW_MOUNT);
	return bytes_seen;
}

/* ---- Disks -------------------------------------------------------------------------------------------------- */

static const char *name_type(long magic)
{
	switch ((unsigned long)magic) {
	case EXT4_SUPER_MAGIC: return "ext4";
	case XFS_SUPER_MAGIC: return "xfs";
	case BTRFS_SUPER_MAGIC: return "btrfs";
	case TMPFS_MAGIC: return "tmpfs";
	case RAMFS_MAGIC: return "ramfs";
	case OVERLAYFS_SUPER_MAGIC: return "overlay";
	case F2FS_SUPER_MAGIC: return "f2fs";
	case NFS_SUPER_MAGIC: return "nfs";
	case 0x2fc12fc1: return "zfs";
	default: return "";
	}
}

int wt_look_at_disk(const char *path, struct wt_disk *disk, struct wt_err *err)
{
	struct statfs s;
	if (statfs(path, &s)) return wt_err_set(err, -errno, "%s: %s", path, strerror(errno));
	disk->type = name_type((long)s.f_type);
	disk->memory = s.f_type == TMPFS_MAGIC || s.f_type == RAMFS_MAGIC;
	disk->free_bytes = (uint64_t)s.f_bavail * (uint64_t)s.f_bsize;
	if (disk->free_bytes >= WT_LOAD_FREE_BYTES) return 0;
	return wt_err_set(err, -ENOSPC,
	                  "%s: only %" PRIu64 " MB are free, at least %llu are needed: make room, or choose "
	                  "another disk with --dir",
	                  path, disk->free_bytes >> 20, WT_LOAD_FREE_BYTES >> 20);
}
