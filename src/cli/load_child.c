/* SPDX-License-Identifier: MIT */
/* A run in a process of its own, since a process has one session in its life. The result comes back through a pipe; a
 * child that doesn't answer in time is killed. fork is safe here: the command has no threads when it runs a load. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/load.h"
#include "waltrace.h"

volatile sig_atomic_t wt_load_signal;

static void note_signal(int signal) { wt_load_signal = signal; }

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};

void wt_load_catch_signals(void)
{
	struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < WT_COUNT(caught); i++) sigaction(caught[i], &action, NULL);
}

void wt_load_obey_signal(void)
{
	if (!wt_load_signal) return;
	fflush(NULL);
	signal(wt_load_signal, SIG_DFL);
	raise(wt_load_signal);
}

static int send_result(int fd, const struct wt_load_result *result)
{
	const char *bytes = (const char *)result;
	for (size_t at = 0; at < sizeof *result;) {
		ssize_t n = write(fd, bytes + at, sizeof *result - at);
		if (n < 0 && errno != EINTR) return -1;
		if (n > 0) at += (size_t)n;
	}
	return 0;
}

/* Leaves by _exit: what the parent had in its stdio buffers is the parent's to write. */
static void be_child(int fd, const struct wt_load *load, struct wt_load_result *result)
{
	signal(SIGPIPE, SIG_IGN);
	wt_load_run(load, result);
	_exit(send_result(fd, result) ? 1 : 0);
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Bytes received: all of them, or fewer if the child ended or time is up. */
static size_t receive_result(int fd, pid_t child, int64_t deadline, struct wt_load_result *result)
{
	char *bytes = (char *)result;
	size_t at = 0;
	bool told = false;
	while (at < sizeof *result) {
		if (wt_load_signal && !told) { /* the child then ends the run, and answers */
			kill(child, SIGTERM);
			told = true;
		}
		int64_t left = deadline - now_ms();
		if (left <= 0) break;
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		int ready = poll(&wait, 1, left > 1000 ? 1000 : (int)left); /* 1 s: a signal just before isn't missed */
		if (ready <= 0) continue;
		ssize_t n = read(fd, bytes + at, sizeof *result - at);
		if (n == 0 || (n < 0 && errno != EINTR)) break;
		if (n > 0) at += (size_t)n;
	}
	return at;
}

static int wait_for(pid_t child)
{
	int status = 0;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
	return status;
}

static int take_result(int fd, pid_t child, const struct wt_load *load, struct wt_load_result *result)
{
	int64_t deadline = now_ms() + (load->seconds + (int64_t)WT_LOAD_GRACE_S) * 1000;
	size_t n = receive_result(fd, child, deadline, result);
	bool late = n < sizeof *result && now_ms() >= deadline;
	if (late) kill(child, SIGKILL);
	int status = wait_for(child);
	if (n == sizeof *result) return result->err.code;
	*result = (struct wt_load_result){0};
	if (load->trace_directory[0]) waltrace_recover_all(load->trace_directory, NULL, NULL);
	if (late)
		return wt_err_set(&result->err, -ETIMEDOUT,
		                  "the run didn't end within %u s: the disk hangs, or is very slow",
		                  load->seconds + WT_LOAD_GRACE_S);
	if (WIFSIGNALED(status))
		return wt_err_set(&result->err, -ECHILD, "the run's process was killed by signal %d (%s)",
		                  WTERMSIG(status), strsignal(WTERMSIG(status)));
	return wt_err_set(&result->err, -ECHILD, "the run's process ended with status %d and no result",
	                  WEXITSTATUS(status));
}

int wt_load_in_child(const struct wt_load *load, struct wt_load_result *result)
{
	int ends[2];
	*result = (struct wt_load_result){0};
	if (pipe(ends)) return wt_err_set(&result->err, -errno, "pipe: %s", strerror(errno));
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		be_child(ends[1], load, result);
	}
	close(ends[1]);
	int code = child < 0 ? wt_err_set(&result->err, -errno, "can't start a process: %s", strerror(errno))
	                     : take_result(ends[0], child, load, result);
	close(ends[0]);
	return code;
}
