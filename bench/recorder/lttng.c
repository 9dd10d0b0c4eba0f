/* SPDX-License-Identifier: MIT */
/* The peer `lttng`: LTTng-UST with its own session daemon, started here and ended by its process id, and buffers large
 * enough that nothing is discarded, which is what it is asked at the end. (Its trace is binary; that it is in order
 * isn't checked here.) */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { TRIES = 100, SETTLE_US = 50 * 1000 };

static struct load load;
static pid_t daemon_pid;
static void (*run_module)(int thread, uint64_t first, uint64_t n);

static bool shell(const char *command)
{
	int status = system(command);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void end_daemon(void)
{
	if (!daemon_pid) return;
	kill(daemon_pid, SIGTERM);
	waitpid(daemon_pid, NULL, 0);
	daemon_pid = 0;
}

static void start_daemon(void)
{
	if (shell("lttng list >/dev/null 2>&1"))
		die("lttng: a session daemon is running already; the bench wants its own");
	daemon_pid = fork();
	if (daemon_pid < 0) die("fork: %s", strerror(errno));
	if (!daemon_pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		int null = open("/dev/null", O_RDWR);
		for (int fd = 0; fd < 3; fd++) dup2(null, fd);
		execlp("lttng-sessiond", "lttng-sessiond", "--no-kernel", (char *)NULL);
		_exit(127);
	}
	atexit(end_daemon);
	for (int i = 0; !shell("lttng --no-sessiond list >/dev/null 2>&1"); i++) {
		if (i == TRIES) die("lttng: the session daemon doesn't answer");
		usleep(100 * 1000);
	}
}

static void start_session(void)
{
	char command[8192];
	snprintf(command, sizeof command,
	         "exec >/dev/null 2>&1; lttng create bench_recorder --output='%s/lttng' &&"
	         " lttng enable-channel -u -s bench_recorder --subbuf-size=32M --num-subbuf=4 channel &&"
	         " lttng enable-event -u -s bench_recorder -c channel 'bench_recorder:*' && lttng start bench_recorder",
	         load.directory);
	if (!shell(command)) die("lttng: can't start a session");
}

static void load_module(void)
{
	char path[PATH_MAX + 32];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
	if (n < 0) die("/proc/self/exe: %s", strerror(errno));
	path[n] = 0;
	char *name = strrchr(path, '/');
	strcpy(name ? name + 1 : path, "libbench-lttng.so");
	setenv("LTTNG_UST_REGISTER_TIMEOUT", "-1", 1); /* loading returns when the daemon has enabled the events */
	void *module = dlopen(path, RTLD_NOW);
	if (!module) die("%s", dlerror());
	*(void **)&run_module = dlsym(module, "bench_lttng_run");
	if (!run_module) die("%s", dlerror());
}

static void open_lttng(const struct load *how)
{
	load = *how;
	setenv("LTTNG_HOME", load.directory, 1);
	start_daemon();
	start_session();
	load_module();
}

static void run_lttng(int thread, uint64_t first, uint64_t n) { run_module(thread, first, n); }

static void drain_lttng(uint64_t ops)
{
	(void)ops;
	usleep(SETTLE_US); /* there is room for several bursts, and no sign to wait for */
}

static void throttle_lttng(uint64_t ops) { (void)ops; }

static uint64_t close_lttng(uint64_t ops)
{
	(void)ops;
	if (!shell("lttng stop bench_recorder >/dev/null 2>&1")) die("lttng: can't stop the session");
	FILE *list = popen("lttng list bench_recorder", "r");
	if (!list) die("lttng list: %s", strerror(errno));
	char line[512];
	long long discarded = -1;
	while (fgets(line, sizeof line, list)) {
		char *at = strstr(line, "Discarded events:");
		if (at) discarded = atoll(at + strlen("Discarded events:"));
	}
	pclose(list);
	if (discarded < 0) die("lttng list doesn't say how many events were discarded");
	return (uint64_t)discarded;
}

static void verify_lttng(uint64_t ops)
{
	struct stat st;
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/lttng", load.directory);
	(void)ops;
	if (stat(path, &st)) die("lttng: no trace was written: %s", strerror(errno));
	shell("lttng destroy bench_recorder >/dev/null 2>&1");
	end_daemon();
}

const struct peer peer_lttng = {.name = "lttng",
                                .guest = true,
                                .open = open_lttng,
                                .run = run_lttng,
                                .drain = drain_lttng,
                                .throttle = throttle_lttng,
                                .close = close_lttng,
                                .verify = verify_lttng};
