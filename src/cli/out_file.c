/* SPDX-License-Identifier: MIT */
#include "cli/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void forget(struct wt_out_file *file)
{
	free(file->path);
	free(file->temporary);
	*file = (struct wt_out_file){0};
}

/* As the file that it replaces, or as any new file. */
static mode_t mode_for(const char *path)
{
	struct stat st;
	if (!stat(path, &st)) return st.st_mode & 07777;
	mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

static FILE *open_beside(struct wt_out_file *file)
{
	if (asprintf(&file->temporary, "%s.XXXXXX", file->path) < 0) {
		file->temporary = NULL;
		errno = ENOMEM;
		return NULL;
	}
	int fd = mkostemp(file->temporary, O_CLOEXEC);
	FILE *out = fd < 0 || fchmod(fd, mode_for(file->path)) ? NULL : fdopen(fd, "w");
	if (out) return out;
	int code = errno;
	if (fd >= 0) {
		close(fd);
		unlink(file->temporary);
	}
	errno = code;
	return NULL;
}

int wt_out_open(struct wt_out_file *file, const char *path, struct wt_err *err)
{
	struct stat st;
	*file = (struct wt_out_file){.path = realpath(path, NULL)};
	if (!file->path) file->path = strdup(path);
	if (!file->path) return wt_err_set(err, -ENOMEM, "out of memory");
	bool regular = stat(file->path, &st) || S_ISREG(st.st_mode);
	file->out = regular ? open_beside(file) : fopen(file->path, "we");
	if (file->out) return 0;
	wt_err_set(err, -errno, "%s: can't create the report: %s", path, strerror(errno));
	forget(file);
	return err->code;
}

int wt_out_commit(struct wt_out_file *file, struct wt_err *err)
{
	int code = ferror(file->out) ? EIO : 0;
	if (fflush(file->out)) code = errno;
	if (fclose(file->out) && !code) code = errno;
	file->out = NULL;
	if (!code && file->temporary && rename(file->temporary, file->path)) code = errno;
	if (code) wt_err_set(err, -code, "%s: can't write the report: %s", file->path, strerror(code));
	if (code && file->temporary) unlink(file->temporary);
	forget(file);
	return -code;
}

void wt_out_discard(struct wt_out_file *file)
{
	if (file->out) fclose(file->out);
	if (file->temporary) unlink(file->temporary);
	forget(file);
}
