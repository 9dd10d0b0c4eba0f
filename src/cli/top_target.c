/* SPDX-License-Identifier: MIT */
/* Opens a segment to look at it. Its head is checked once and copied; what a part holds is read from the memory, which
 * its owner may fill with anything, so every index that comes from there is checked where it is used. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "cli/top.h"
#include "read/shown.h"

#define SHM_DIRECTORY "/dev/shm"

static int blame_owner(const char *name, uid_t owner, struct wt_err *err)
{
	const struct passwd *user = getpwuid(owner);
	if (!user)
		return wt_err_set(err, -EPERM, "%s belongs to another user (uid %u): look at it as that user", name,
		                  (unsigned)owner);
	return wt_err_set(err, -EPERM, "%s belongs to user %s: look at it as that user: sudo -u %s waltrace top %s",
	                  name, user->pw_name, user->pw_name, name);
}

static int open_it(const char *which, struct wt_err *err)
{
	bool in_shm = which[0] == '/' && !strchr(which + 1, '/');
	const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
	int fd = in_shm ? shm_open(which, flags, 0) : open(which, flags);
	if (fd >= 0) return fd;
	int error = errno;
	char path[WT_TARGET_NAME + sizeof SHM_DIRECTORY];
	struct stat st;
	snprintf(path, sizeof path, "%s%s", in_shm ? SHM_DIRECTORY : "", which);
	if (error == EACCES && !lstat(path, &st) && st.st_uid != geteuid()) return blame_owner(which, st.st_uid, err);
	if (error == ENOENT)
		return wt_err_set(err, -ENOENT,
		                  "%s isn't there: its session has ended, or never was: waltrace top lists "
		                  "the live ones",
		                  which);
	return wt_err_set(err, -error, "%s: %s", which, strerror(error));
}

static bool has(const struct wt_target *t, uint64_t at, uint64_t bytes)
{
	return at % 8 == 0 && at >= sizeof t->head && at <= t->bytes && bytes <= t->bytes - at;
}

static bool parts_lie_inside(const struct wt_target *t)
{
	const struct waltrace_shm_head *h = &t->head;
	return h->shard_count >= 1 && h->shard_count <= WALTRACE_SHM_SHARDS && h->capacity &&
	       h->capacity <= UINT32_MAX &&
	       has(t, h->shards_at, h->shard_count * (uint64_t)WALTRACE_SHM_SHARD_STRIDE) &&
	       has(t, h->losses_at, WALTRACE_SHM_LOSSES * sizeof(struct waltrace_shm_loss)) &&
	       has(t, h->latencies_at, sizeof(struct waltrace_shm_latencies)) &&
	       has(t, h->histograms_at, WALTRACE_SHM_HISTOGRAMS * (uint64_t)WALTRACE_SHM_HISTOGRAM_STRIDE) &&
	       has(t, h->states_at, WALTRACE_SHM_SLOTS * sizeof(uint32_t)) &&
	       has(t, h->slots_at, WALTRACE_SHM_SLOTS * (uint64_t)WALTRACE_SHM_SLOT_STRIDE) &&
	       has(t, h->loggers_at, WALTRACE_SHM_LOGGERS * (uint64_t)WALTRACE_SHM_LOGGER_STRIDE) &&
	       has(t, h->logger_text_at, WALTRACE_SHM_LOGGER_TEXT_BYTES) && has(t, h->credit_at, sizeof(int64_t)) &&
	       has(t, h->published_at, 2 * sizeof(struct waltrace_shm_publication)) &&
	       has(t, h->trace_path_at, WALTRACE_SHM_PATH_BYTES);
}

static int check(struct wt_target *t, struct wt_err *err)
{
	struct waltrace_shm_head *h = &t->head;
	if (__atomic_load_n(&((const struct waltrace_shm_head *)(const void *)t->memory)->magic, __ATOMIC_ACQUIRE) !=
	    WALTRACE_SHM_MAGIC)
		return wt_err_set(err, -EBADMSG, "%s is no recorder's segment, or one that is just being made",
		                  t->name);
	memcpy(h, t->memory, sizeof *h);
	if (h->version != WALTRACE_SHM_VERSION)
		return wt_err_set(err, -EBADMSG,
		                  "%s has layout version %u, this waltrace reads version %u: use the waltrace "
		                  "that came with the process's library",
		                  t->name, h->version, (unsigned)WALTRACE_SHM_VERSION);
	if (h->bytes != t->bytes || !parts_lie_inside(t) || !memchr(h->session_id, 0, sizeof h->session_id) ||
	    !memchr(h->boot_id, 0, sizeof h->boot_id))
		return wt_err_set(err, -EBADMSG, "%s is damaged: nothing in it can be believed", t->name);
	memcpy(t->trace, wt_target_part(t, h->trace_path_at), sizeof t->trace);
	t->trace[sizeof t->trace - 1] = 0;
	return 0;
}

static int map(struct wt_target *t, struct wt_err *err)
{
	struct stat st;
	if (fstat(t->fd, &st)) return wt_err_set(err, -errno, "%s: %s", t->name, strerror(errno));
	if (!S_ISREG(st.st_mode)) return wt_err_set(err, -EBADMSG, "%s is no segment", t->name);
	if (st.st_uid != geteuid()) return blame_owner(t->name, st.st_uid, err);
	if ((uint64_t)st.st_size < sizeof t->head) return wt_err_set(err, -EBADMSG, "%s is no segment", t->name);
	t->bytes = (uint64_t)st.st_size;
	void *memory = mmap(NULL, t->bytes, PROT_READ, MAP_SHARED, t->fd, 0);
	if (memory == MAP_FAILED) return wt_err_set(err, -errno, "%s: can't map it: %s", t->name, strerror(errno));
	t->memory = memory;
	return 0;
}

int wt_target_open(struct wt_target *t, const char *which, struct wt_err *err)
{
	memset(t, 0, sizeof *t);
	wt_shown(t->name, sizeof t->name, which, strlen(which));
	t->fd = open_it(which, err);
	if (t->fd < 0) return t->fd;
	int error = map(t, err);
	if (!error) error = check(t, err);
	if (error) wt_target_close(t);
	return error;
}

void wt_target_close(struct wt_target *t)
{
	if (t->memory) munmap((void *)(uintptr_t)t->memory, t->bytes);
	if (t->fd >= 0) close(t->fd);
	t->memory = NULL;
	t->fd = -1;
}

bool wt_target_is_whole(const struct wt_target *t)
{
	struct stat st;
	return !fstat(t->fd, &st) && (uint64_t)st.st_size == t->bytes;
}

enum wt_life wt_target_life(const struct wt_target *t)
{
	const struct waltrace_shm_head *live = (const void *)t->memory;
	char boot_id[sizeof t->head.boot_id];
	if (__atomic_load_n(&live->ended, __ATOMIC_ACQUIRE)) return WT_LIFE_ENDED;
	wt_boot_id(boot_id, sizeof boot_id);
	if (strcmp(boot_id, t->head.boot_id) != 0) return WT_LIFE_DEAD;
	if (t->head.pid_namespace != wt_pid_namespace()) return WT_LIFE_UNKNOWN;
	if (!t->head.pid_start || wt_process_start(t->head.pid) != t->head.pid_start) {
		/* It may have ended properly between the two looks. */
		return __atomic_load_n(&live->ended, __ATOMIC_ACQUIRE) ? WT_LIFE_ENDED : WT_LIFE_DEAD;
	}
	return wt_process_is_stopped(t->head.pid) ? WT_LIFE_STOPPED : WT_LIFE_RUNNING;
}
