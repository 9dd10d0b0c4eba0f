/* SPDX-License-Identifier: MIT */
/* A measurement in a child: it works in a new directory, which is removed afterwards, and sends its samples home. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

static bool send_all(int fd, const void *bytes, size_t n)
{
	for (const char *at = bytes; n;) {
		ssize_t sent = write(fd, at, n);
		if (sent < 0) return false;
		at += sent;
		n -= (size_t)sent;
	}
	return true;
}

static bool receive_all(int fd, void *bytes, size_t n)
{
	for (char *at = bytes; n;) {
		ssize_t got = read(fd, at, n);
		if (got < 0 && errno == EINTR) continue;
		if (got <= 0) return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}

static void remove_tree(const char *path)
{
	DIR *directory = opendir(path);
	for (struct dirent *e; directory && (e = readdir(directory));) {
		char inner[4096];
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
		if ((size_t)snprintf(inner, sizeof inner, "%s/%s", path, e->d_name) >= sizeof inner) continue;
		if (unlink(inner)) remove_tree(inner);
	}
	if (directory) closedir(directory);
	rmdir(path);
}

static void make_directory(char *path, size_t bytes, const char *parent)
{
	if ((size_t)snprintf(path, bytes, "%s/bench-recorder.XXXXXX", parent) >= bytes)
		die("%s: the name is too long", parent);
	if (!mkdtemp(path)) die("%s: %s: name a directory with --dir or --disk-dir", parent, strerror(errno));
}

static void measure_in(const char *directory, const struct peer *peer, enum mode mode, const struct load *load,
                       struct samples *out)
{
	struct load its = *load;
	its.directory = directory;
	if (mode == MODE_INACTIVE) measure_inactive(&its, out);
	else measure(peer, mode, &its, out);
}

__attribute__((noreturn)) static void work(int fd, const char *directory, const struct peer *peer, enum mode mode,
                                           const struct load *load)
{
	struct samples mine = {0};
	alarm(CHILD_LIMIT_S); /* a recorder that hangs must not hang the bench */
	measure_in(directory, peer, mode, load, &mine);
	uint64_t head[2] = {mine.n, mine.lost};
	_exit(!send_all(fd, head, sizeof head) || !send_all(fd, mine.value, mine.n * sizeof *mine.value));
}

static bool receive(int fd, struct samples *out)
{
	uint64_t head[2];
	if (!receive_all(fd, head, sizeof head)) return false;
	out->lost += head[1];
	for (uint64_t i = 0; i < head[0]; i++) {
		double value;
		if (!receive_all(fd, &value, sizeof value)) return false;
		samples_add(out, value);
	}
	return true;
}

bool measure_in_child(const struct peer *peer, enum mode mode, const struct load *load, struct samples *out)
{
	char directory[4096];
	int fd[2], status = -1;
	make_directory(directory, sizeof directory, load->directory);
	if (pipe2(fd, O_CLOEXEC)) die("pipe: %s", strerror(errno));
	fflush(NULL);
	pid_t child = fork();
	if (child < 0) die("fork: %s", strerror(errno));
	if (!child) work(fd[1], directory, peer, mode, load);
	close(fd[1]);
	bool good = receive(fd[0], out);
	close(fd[0]);
	waitpid(child, &status, 0);
	remove_tree(directory);
	if (good && WIFEXITED(status) && !WEXITSTATUS(status)) return true;
	if (WIFSIGNALED(status))
		fprintf(stderr, "bench-recorder: a measurement was ended by signal %d\n", WTERMSIG(status));
	return false;
}

void measure_here(const struct peer *peer, enum mode mode, const struct load *load, struct samples *out)
{
	char directory[4096];
	make_directory(directory, sizeof directory, load->directory);
	measure_in(directory, peer, mode, load, out);
	remove_tree(directory);
}
