/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "waltrace.h"
#include "waltrace_shm.h"

#include "../../lib/child.h"

static struct waltrace_report report;

static struct waltrace_config config_here(void)
{
	struct waltrace_config config;
	mkdir("trace", 0700);
	waltrace_config_init(&config);
	config.directory = "trace";
	config.run_id = "test";
	return config;
}

static struct waltrace_logger *logger_here(void)
{
	mkdir("wal", 0700);
	struct waltrace_logger_config config = {.wal_directory = "wal", .runtime_id = 1, .block_limit = 8192};
	return waltrace_logger_register(&config);
}

static struct waltrace_logger *start_with(const struct waltrace_config *config)
{
	struct waltrace_error error;
	if (waltrace_start(config, &error)) fprintf(stderr, "%s: %s\n", error.message, error.detail);
	CHECK(waltrace_path());
	struct waltrace_logger *logger = logger_here();
	CHECK(logger);
	return logger;
}

static struct waltrace_logger *start(void)
{
	struct waltrace_config config = config_here();
	return start_with(&config);
}

/* An operation of two records. */
static void operate(struct waltrace_logger *logger, uint64_t uid)
{
	struct waltrace_op op;
	struct waltrace_span root, lock;
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_open(&lock, &op, WALTRACE_KIND_COMMIT_LOCK, waltrace_span_id(&root), WALTRACE_W_REQUEST);
	waltrace_span_wait_commit(&lock);
	waltrace_span_acquired(&lock, true);
	waltrace_span_releasing(&lock);
	waltrace_span_end(&lock);
	waltrace_span_set(&root, WALTRACE_LOG_UID, uid);
	waltrace_span_finish(&root, WALTRACE_W_SUCCESS);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
}

static void stop(uint64_t produced)
{
	CHECK(waltrace_shutdown(20000, &report) == 0);
	CHECK(report.produced == produced);
	CHECK(report.written == produced);
	CHECK(report.complete);
}

static bool file_holds(const char *path, const char *text)
{
	FILE *file = fopen(path, "r");
	static char line[1 << 20];
	bool found = false;
	CHECK(file);
	while (!found && fgets(line, sizeof line, file)) found = strstr(line, text) != NULL;
	fclose(file);
	return found;
}

/* ---- Start --------------------------------------------------------------------------------------------------------- */

static struct waltrace_config odd;
static const char *odd_name;

static void refuse_odd(void)
{
	struct waltrace_error error;
	CHECK(waltrace_start(&odd, &error) == -EINVAL);
	CHECK(!strcmp(error.message, "invalid trace configuration"));
	CHECK(strstr(error.detail, odd_name));
	CHECK(waltrace_start(&odd, NULL) == -EEXIST);
	CHECK(!waltrace_path());
	CHECK(waltrace_shutdown(0, &report) == -ENOENT);
}

static void accept_odd(void)
{
	CHECK(!waltrace_start(&odd, NULL));
	stop(0);
}

#define AT_AND_PAST(member, name, low, high) \
	do { \
		odd_name = name; \
		odd = usual, odd.member = (low), in_child(accept_odd); \
		odd = usual, odd.member = (high), in_child(accept_odd); \
		odd = usual, odd.member = (high) + 1, in_child(refuse_odd); \
		if ((low) > 0) odd = usual, odd.member = (low)-1, in_child(refuse_odd); \
	} while (0)

static void configuration_is_good_up_to_its_limits_and_refused_past_them(void **state)
{
	(void)state;
	struct waltrace_config usual;
	waltrace_config_init(&usual);
	usual.directory = ".";
	usual.run_id = "test";
	usual.capacity = 16;
	AT_AND_PAST(window_ms, "window_ms", 10u, 60000u);
	AT_AND_PAST(capacity, "capacity", 16u, 262144u);
	AT_AND_PAST(max_bytes, "max_bytes", 65536u, 16ull << 30);
	AT_AND_PAST(drain_ms, "drain_ms", 0u, 60000u);
	static char longest[129], too_long[130];
	memset(longest, 'r', 128);
	memset(too_long, 'r', 129);
	odd = usual, odd.run_id = longest, in_child(accept_odd);
	odd_name = "run_id";
	odd = usual, odd.run_id = too_long, in_child(refuse_odd);
	odd = usual, odd.run_id = "", in_child(refuse_odd);
	odd = usual, odd.run_id = NULL, in_child(refuse_odd);
	odd_name = "build_id";
	odd = usual, odd.build_id = too_long, in_child(refuse_odd);
}

static void refuse_directory(void)
{
	struct waltrace_error error;
	struct waltrace_config config = config_here();
	config.directory = "nowhere";
	CHECK(waltrace_start(&config, &error) == -ENOENT);
	CHECK(!strcmp(error.message, "trace directory must exist"));
}

static void refuse_unwritable(void)
{
	struct waltrace_error error;
	struct waltrace_config config = config_here();
	config.directory = "/proc"; /* nobody can make files there */
	CHECK(waltrace_start(&config, &error) < 0);
	CHECK(strstr(error.detail, "/proc/wal-trace-"));
	CHECK(!logger_here());
}

static void refuse_when_off(void)
{
	struct waltrace_error error;
	struct waltrace_config config = config_here();
	setenv("PI_STORE_WAL_TRACE", "off", 1);
	CHECK(waltrace_start(&config, &error) == -ECANCELED);
	CHECK(!strcmp(error.message, "trace disabled"));
	CHECK(!logger_here());
}

static void a_start_that_can_not_work_says_why(void **state)
{
	(void)state;
	in_child(refuse_directory);
	in_child(refuse_unwritable);
	in_child(refuse_when_off);
}

static void stay_off(void)
{
	mkdir("wal", 0700);
	struct waltrace_logger_config config = {.wal_directory = "wal"};
	unsetenv("PI_STORE_WAL_TRACE_QUIET");
	CHECK(!waltrace_logger_register_if_asked(&config));
	CHECK(access("pi_store_wal_trace", F_OK) != 0);
	setenv("PI_STORE_WAL_TRACE_RUN_ID", "asked", 1);
	CHECK(waltrace_logger_register_if_asked(&config));
	CHECK(!access("pi_store_wal_trace", F_OK));
	stop(0);
}

static void a_log_that_nobody_asked_to_record_leaves_no_file(void **state)
{
	(void)state;
	in_child(stay_off);
}

/* ---- The segment ------------------------------------------------------------------------------------------------------ */

static void use_segment(void)
{
	struct stat st;
	char name[128];
	start();
	snprintf(name, sizeof name, "/dev/shm/waltrace-%s", strstr(waltrace_path(), "wal-trace-") + 10);
	*strstr(name, ".jsonl") = 0;
	CHECK(!stat(name, &st));
	CHECK((st.st_mode & 0777) == 0600);
	/* Under 40 MB together with what is private: the writer's buffer, packets and channels, what is printed of the
	 * histograms (1 MB if all are in use), some tables. */
	CHECK(st.st_size < 38200 * 1000);
	CHECK((uint64_t)st.st_blocks * 512 >= (uint64_t)st.st_size);
	stop(0);
	CHECK(stat(name, &st) && errno == ENOENT);
}

static const void *part(const struct waltrace_shm_head *head, uint64_t at) { return (const char *)head + at; }

static uint64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Three records: a flush, a commit lock that was got and one that was only waited for. */
static void look_at_sums(const struct waltrace_shm_head *head)
{
	struct waltrace_shm_published file;
	uint64_t tried = 0, flushes = 0, waits = 0;
	for (uint32_t i = 0; i < head->shard_count; i++)
		tried += waltrace_shm_tried(part(head, head->shards_at + (uint64_t)i * WALTRACE_SHM_SHARD_STRIDE));
	CHECK(tried == 3);
	CHECK(waltrace_shm_read_published(part(head, head->published_at), &file) && file.written == 3);
	CHECK(file.taken_ns && file.newest_ns <= file.taken_ns);
	const struct waltrace_shm_latencies *all = part(head, head->latencies_at);
	CHECK(all->place[0][WALTRACE_KIND_ROOT_FLUSH] && all->place[0][WALTRACE_SHM_LOCK_WAIT]);
	const struct waltrace_shm_histogram *flush, *wait;
	flush = part(head, head->histograms_at +
	                           (all->place[0][WALTRACE_KIND_ROOT_FLUSH] - 1ull) * WALTRACE_SHM_HISTOGRAM_STRIDE);
	wait = part(head, head->histograms_at +
	                          (all->place[0][WALTRACE_SHM_LOCK_WAIT] - 1ull) * WALTRACE_SHM_HISTOGRAM_STRIDE);
	for (int i = 0; i < WALTRACE_SHM_BUCKETS; i++) flushes += flush->bucket[i], waits += wait->bucket[i];
	CHECK(flushes + flush->valueless == 1 && waits == 1);
	CHECK(!strcmp(part(head, head->trace_path_at), waltrace_path()));
}

static const struct waltrace_shm_head *map_segment(void)
{
	struct stat st;
	char name[128];
	snprintf(name, sizeof name, "/waltrace-%s", strstr(waltrace_path(), "wal-trace-") + 10);
	*strstr(name, ".jsonl") = 0;
	int fd = shm_open(name, O_RDONLY, 0);
	CHECK(fd >= 0 && !fstat(fd, &st));
	const struct waltrace_shm_head *head = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(head != MAP_FAILED && head->bytes == (uint64_t)st.st_size);
	return head;
}

/* The only operation under way. */
static struct waltrace_shm_operation in_flight(const struct waltrace_shm_head *head)
{
	struct waltrace_shm_operation found = {0};
	const uint32_t *state = part(head, head->states_at);
	for (int i = 0; i < WALTRACE_SHM_SLOTS; i++)
		if (state[i])
			CHECK(waltrace_shm_read_slot(
				part(head, head->slots_at + (uint64_t)i * WALTRACE_SHM_SLOT_STRIDE), &found));
	return found;
}

static atomic_bool enough;
static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;

static void *take_the_lock(void *logger)
{
	struct waltrace_op op;
	struct waltrace_span root, lock;
	while (!atomic_load(&enough)) {
		waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_FLUSH);
		waltrace_op_root(&op, &root);
		waltrace_span_begin(&root);
		waltrace_span_open(&lock, &op, WALTRACE_KIND_COMMIT_LOCK, 0, WALTRACE_W_REQUEST);
		waltrace_span_wait_commit(&lock);
		pthread_mutex_lock(&contended);
		waltrace_span_acquired(&lock, true);
		waltrace_span_stage(&lock, WALTRACE_STAGE_SYNCING);
		waltrace_span_releasing(&lock);
		pthread_mutex_unlock(&contended);
		waltrace_span_end(&lock);
		waltrace_span_end(&root);
		waltrace_op_end(&op);
	}
	return NULL;
}

/* Of one lock, and of one slot (which its thread keeps), each owner and operation begins after the one before it. */
struct follower {
	uint64_t id, since_ns, newest_ns;
	uint64_t changes, wrong;
};

static void follow(struct follower *f, uint64_t id, uint64_t since_ns)
{
	if (!id || !since_ns) return;
	if (id == f->id) f->wrong += since_ns != f->since_ns;
	else f->wrong += since_ns <= f->newest_ns, f->changes++;
	f->id = id;
	f->since_ns = since_ns;
	if (since_ns > f->newest_ns) f->newest_ns = since_ns;
}

static void follow_a_contended_lock(void)
{
	enum { CHANGES = 10000, ENOUGH_NS = 500000000 };
	pthread_t thread[2];
	struct follower owners = {0}, operations = {0};
	struct waltrace_shm_owner owner;
	struct waltrace_shm_operation operation;
	struct waltrace_config config = config_here();
	config.min_ns = 3600000000000; /* nothing of it needs to be in the file */
	struct waltrace_logger *logger = start_with(&config);
	const struct waltrace_shm_head *head = map_segment();
	const struct waltrace_shm_logger *l = part(head, head->loggers_at);
	for (int i = 0; i < 2; i++) CHECK(!pthread_create(&thread[i], NULL, take_the_lock, logger));
	const uint32_t *state = part(head, head->states_at);
	int slot = 0;
	while (!__atomic_load_n(&state[slot], __ATOMIC_ACQUIRE)) slot = (slot + 1) % WALTRACE_SHM_SLOTS;
	for (uint64_t end = monotonic_ns() + ENOUGH_NS; monotonic_ns() < end || owners.changes < CHANGES;) {
		if (waltrace_shm_read_owner(l, &owner)) {
			follow(&owners, owner.id, owner.since_ns);
			owners.wrong += owner.id && owner.stage == WALTRACE_STAGE_NONE; /* who let go */
		}
		if (waltrace_shm_read_slot(part(head, head->slots_at + (uint64_t)slot * WALTRACE_SHM_SLOT_STRIDE),
		                           &operation))
			follow(&operations, operation.id, operation.since_ns);
	}
	atomic_store(&enough, true);
	for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
	waltrace_shutdown(20000, &report);
	fprintf(stderr, "%llu owners, %llu wrong; %llu operations, %llu wrong\n", (unsigned long long)owners.changes,
	        (unsigned long long)owners.wrong, (unsigned long long)operations.changes,
	        (unsigned long long)operations.wrong);
	CHECK(owners.changes > 0 && operations.changes > 0);
	CHECK(!owners.wrong && !operations.wrong);
}

static void begin_in_three_ways(void)
{
	struct waltrace_op op;
	struct waltrace_span root;
	struct waltrace_logger *logger = start();
	const struct waltrace_shm_head *head = map_segment();
	for (int way = 0; way < 3; way++) {
		waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_APPEND);
		CHECK(in_flight(head).id == waltrace_op_id(&op) && !in_flight(head).since_ns);
		if (way == 0) waltrace_op_set(&op, WALTRACE_START_NS, 4711);
		waltrace_op_root(&op, &root);
		if (way == 1) waltrace_span_set(&root, WALTRACE_START_NS, 4711);
		if (way == 2) waltrace_span_begin(&root);
		CHECK(way == 2 ? in_flight(head).since_ns > 0 : in_flight(head).since_ns == 4711);
		waltrace_span_end(&root);
		waltrace_op_end(&op);
		CHECK(!in_flight(head).id);
	}
	stop(3);
}

/* As another process would see it: through its name and the published header alone. */
static void look_from_outside(void)
{
	struct waltrace_op op;
	struct waltrace_span root, lock, waiting;
	struct waltrace_logger *logger = start();
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_FLUSH);
	uint64_t id = waltrace_op_id(&op);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_open(&lock, &op, WALTRACE_KIND_COMMIT_LOCK, id, WALTRACE_W_REQUEST);
	waltrace_span_wait_commit(&lock);
	waltrace_span_acquired(&lock, true);
	waltrace_span_stage(&lock, WALTRACE_STAGE_SYNCING);
	waltrace_span_open(&waiting, &op, WALTRACE_KIND_COMMIT_LOCK, id, WALTRACE_W_REQUEST);
	waltrace_span_wait_commit(&waiting);

	const struct waltrace_shm_head *head = map_segment();
	CHECK(head->magic == WALTRACE_SHM_MAGIC && head->version == WALTRACE_SHM_VERSION);
	CHECK(head->pid == (uint64_t)getpid() && head->loggers == 1 && !head->ended);
	const struct waltrace_shm_logger *l = part(head, head->loggers_at);
	CHECK(l->id == 1 && l->owner == waltrace_span_id(&lock) && l->owner_stage == WALTRACE_STAGE_SYNCING);
	CHECK(waltrace_shm_waiting(l) == 1 && waltrace_shm_acquisitions(l) == 1);
	struct waltrace_shm_owner owner;
	struct waltrace_shm_operation operation;
	CHECK(waltrace_shm_read_owner(l, &owner) && owner.id == l->owner && owner.stage == WALTRACE_STAGE_SYNCING);
	CHECK(owner.since_ns && owner.since_ns <= monotonic_ns() - head->clock_origin_ns + 1000000);
	const char *wal = part(head, head->logger_text_at + l->text);
	CHECK(l->wal_bytes > 4 && !memcmp(wal + l->wal_bytes - 4, "/wal", 4));
	int taken = 0;
	const uint32_t *state = part(head, head->states_at);
	for (int i = 0; i < WALTRACE_SHM_SLOTS; i++) {
		const struct waltrace_shm_slot *slot =
			part(head, head->slots_at + (uint64_t)i * WALTRACE_SHM_SLOT_STRIDE);
		if (!state[i]) continue;
		taken++;
		CHECK(slot->operation_id == id && slot->since_ns && slot->kind == WALTRACE_KIND_ROOT_FLUSH);
		CHECK(slot->logger_id == 1 && slot->stage == WALTRACE_STAGE_SYNCING);
		CHECK(waltrace_shm_read_slot(slot, &operation) && operation.id == id && operation.logger_id == 1);
		CHECK(operation.kind == WALTRACE_KIND_ROOT_FLUSH && operation.since_ns == slot->since_ns);
	}
	CHECK(taken == 1);
	waltrace_span_end(&waiting);
	waltrace_span_releasing(&lock);
	CHECK(!l->owner && !l->owner_stage && !waltrace_shm_waiting(l));
	waltrace_span_end(&lock);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
	stop(3);
	CHECK(head->ended);
	look_at_sums(head);
}

static void do_without_segment(void)
{
	struct rlimit files = {4 << 20, 4 << 20};
	CHECK(!setrlimit(RLIMIT_FSIZE, &files));
	struct waltrace_logger *logger = start();
	operate(logger, 1);
	stop(2);
	CHECK(file_holds(report.path, "\"segment\":null"));
}

static void the_segment_is_private_reserved_and_gone_at_the_end(void **state)
{
	(void)state;
	in_child(use_segment);
}

static void who_holds_the_commit_lock_can_be_seen_from_outside(void **state)
{
	(void)state;
	in_child(look_from_outside);
}

static void nobody_is_seen_with_anothers_age(void **state)
{
	(void)state;
	in_child(follow_a_contended_lock);
}

static void when_an_operation_began_can_be_seen_however_it_was_stored(void **state)
{
	(void)state;
	in_child(begin_in_three_ways);
}

static void without_shared_memory_recording_works_and_says_so(void **state)
{
	(void)state;
	in_child(do_without_segment);
}

/* ---- It harms nobody ---------------------------------------------------------------------------------------------------- */

static void fork_in_the_middle(void)
{
	struct waltrace_op op;
	struct waltrace_span root, child_span;
	struct waltrace_logger *logger = start();
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	pid_t pid = fork();
	if (!pid) {
		for (int i = 0; i < 1000; i++) operate(logger, 7); /* refused */
		waltrace_span_open(&child_span, &op, WALTRACE_KIND_SYNC_CALL, 0, WALTRACE_W_NONE);
		waltrace_span_wait_commit(&child_span);
		waltrace_span_acquired(&child_span, true);
		waltrace_span_path(&child_span, 0, "path", 4);
		waltrace_span_end(&child_span);
		waltrace_span_end(&root);
		waltrace_op_end(&op);
		CHECK(!waltrace_op_begin(&op, logger, WALTRACE_KIND_REPLAY));
		CHECK(!logger_here());
		CHECK(waltrace_shutdown(1000, &report) == -ENOENT);
		_exit(0);
	}
	int status;
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(waltrace_shutdown(50, &report) == -ETIMEDOUT); /* the operation is the parent's, and still under way */
	waltrace_span_finish(&root, WALTRACE_W_SUCCESS);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
	stop(1);
	CHECK(!file_holds(report.path, "\"event\":\"sync_call\",\"session_id\""));
}

static void a_child_of_fork_leaves_its_parents_trace_alone(void **state)
{
	(void)state;
	in_child(fork_in_the_middle);
}

static void keep_errno(void)
{
	struct waltrace_config config = config_here();
	config.capacity = 16;
	errno = 4242;
	struct waltrace_logger *logger = start_with(&config);
	mkdir("wal", 0700);
	errno = 4242;
	for (int i = 0; i < 1000; i++) operate(logger, 1); /* overflows and wakes the writer */
	CHECK(errno == 4242);
	CHECK(!waltrace_shutdown(10000, &report));
	CHECK(errno == 4242);
	CHECK(report.produced == 2000 && report.written + report.dropped == 2000);
}

static void errno_is_left_as_it_was(void **state)
{
	(void)state;
	in_child(keep_errno);
}

/* ---- Nothing is lost ------------------------------------------------------------------------------------------------------ */

static void pause_us(long us)
{
	struct timespec t = {0, us * 1000};
	nanosleep(&t, NULL);
}

static void drain_in_time(void)
{
	struct waltrace_config config = config_here();
	config.capacity = 2048;
	config.window_ms = 60000;
	struct waltrace_logger *logger = start_with(&config);
	for (uint64_t i = 0; i < 10000; i++) {
		operate(logger, i);
		if (i % 100 == 99)
			pause_us(3000); /* 200 records each 3 ms: far more in a window than the queue holds */
	}
	stop(20000);
}

static void wake_at_half_full(void)
{
	struct waltrace_config config = config_here();
	config.capacity = 65536;
	config.window_ms = 60000;
	config.drain_ms = 60000;
	struct waltrace_logger *logger = start_with(&config);
	for (uint64_t i = 0; i < 100000; i++) {
		operate(logger, i);
		if (i % 1000 == 999) pause_us(10000);
	}
	stop(200000);
}

static void the_queue_is_drained_before_it_is_full(void **state)
{
	(void)state;
	in_child(drain_in_time);
	in_child(wake_at_half_full);
}

static struct waltrace_logger *shared;

static void *one_operation(void *unused)
{
	operate(shared, 1);
	return unused;
}

static void many_threads(void)
{
	enum { AT_ONCE = 500, ONE_AFTER_ANOTHER = 2000 };
	pthread_t thread[AT_ONCE];
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 256 * 1024);
	shared = start();
	for (int i = 0; i < AT_ONCE; i++) CHECK(!pthread_create(&thread[i], &small, one_operation, NULL));
	for (int i = 0; i < AT_ONCE; i++) pthread_join(thread[i], NULL);
	for (int i = 0; i < ONE_AFTER_ANOTHER; i++) {
		CHECK(!pthread_create(&thread[0], &small, one_operation, NULL));
		pthread_join(thread[0], NULL);
	}
	stop((AT_ONCE + ONE_AFTER_ANOTHER) * 2);
}

static void many_threads_at_once_and_one_after_another_are_recorded(void **state)
{
	(void)state;
	in_child(many_threads);
}

/* ---- What is lost is counted ------------------------------------------------------------------------------------------------ */

static void reach_limit(void)
{
	struct waltrace_config config = config_here();
	struct stat st;
	config.max_bytes = 65536;
	struct waltrace_logger *logger = start_with(&config);
	for (uint64_t i = 0; i < 1000; i++) operate(logger, i);
	CHECK(!waltrace_shutdown(10000, &report));
	CHECK(!strcmp(report.reason, "byte_limit"));
	CHECK(!report.complete);
	CHECK(report.produced == report.written + report.dropped);
	CHECK(!stat(report.path, &st) && st.st_size <= 65536);
	CHECK(file_holds(report.path, "\"event\":\"session_end\""));
}

static void fill_the_disk(void)
{
	struct rlimit files = {100000, 100000};  /* and SIGXFSZ, which would end the process, reaches nobody */
	CHECK(!setrlimit(RLIMIT_FSIZE, &files)); /* writes past it fail as on a full disk */
	struct waltrace_config config = config_here();
	config.drain_ms = 0; /* fails when all have been handed over, not in between: then the last would be refused */
	config.window_ms = 60000;
	struct waltrace_logger *logger = start_with(&config);
	for (uint64_t i = 0; i < 2000; i++) operate(logger, i);
	CHECK(!waltrace_shutdown(10000, &report));
	CHECK(!strcmp(report.reason, "io_error"));
	CHECK(!report.complete);
	CHECK(report.produced == 4000 && report.produced == report.written + report.dropped);
	operate(logger, 1); /* and the caller goes on */
	CHECK(file_holds(report.path, "\"reason\":\"io_error\""));
}

static void a_trace_at_its_limit_or_on_a_full_disk_ends_with_its_sums(void **state)
{
	(void)state;
	in_child(reach_limit);
	in_child(fill_the_disk);
}

static void write_long_text(void)
{
	static char text[300];
	struct waltrace_logger *logger = start();
	struct waltrace_op op;
	memset(text, 'x', sizeof text);
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_APPEND);
	waltrace_op_text(&op, WALTRACE_MODE, text, WALTRACE_MAX_TEXT);
	waltrace_op_end(&op);
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_APPEND);
	waltrace_op_text(&op, WALTRACE_MODE, text, WALTRACE_MAX_TEXT + 1);
	waltrace_op_end(&op);
	CHECK(!waltrace_shutdown(10000, &report));
	CHECK(report.written == 2 && report.omitted == 1 && !report.complete);
}

static void a_text_past_its_limit_is_cut_and_counted(void **state)
{
	(void)state;
	in_child(write_long_text);
}

/* Rows that don't fit into the slot go into a spill buffer; with all of those taken, rows are omitted. */
static void spill_rows(void)
{
	enum { OPERATIONS = 40 };
	static struct waltrace_op op[OPERATIONS];
	static char text[WALTRACE_MAX_TEXT];
	struct waltrace_config config = config_here();
	config.capacity = 262144;
	struct waltrace_logger *logger = start_with(&config);
	memset(text, 'y', sizeof text);
	for (int i = 0; i < OPERATIONS; i++) {
		CHECK(waltrace_op_begin(&op[i], logger, WALTRACE_KIND_MAINTENANCE));
		for (int row = 0; row < WALTRACE_MAX_ROWS; row++) {
			struct waltrace_span span;
			waltrace_span_open(&span, &op[i], WALTRACE_KIND_REPLAY, 0, WALTRACE_W_NONE);
			for (int s = 0; s < WALTRACE_STRINGS; s++)
				waltrace_span_text(&span, (enum waltrace_string)s, text, sizeof text);
			waltrace_span_end(&span);
		}
	}
	for (int i = 0; i < OPERATIONS; i++) waltrace_op_end(&op[i]);
	CHECK(!waltrace_shutdown(10000, &report));
	CHECK(report.produced == report.written);
	CHECK(report.produced + report.omitted == OPERATIONS * WALTRACE_MAX_ROWS);
	CHECK(report.produced >= 32 * WALTRACE_MAX_ROWS && report.omitted > 0);
}

static void rows_that_fill_the_slot_spill_and_then_are_counted(void **state)
{
	(void)state;
	in_child(spill_rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(configuration_is_good_up_to_its_limits_and_refused_past_them),
		cmocka_unit_test(a_start_that_can_not_work_says_why),
		cmocka_unit_test(a_log_that_nobody_asked_to_record_leaves_no_file),
		cmocka_unit_test(the_segment_is_private_reserved_and_gone_at_the_end),
		cmocka_unit_test(who_holds_the_commit_lock_can_be_seen_from_outside),
		cmocka_unit_test(nobody_is_seen_with_anothers_age),
		cmocka_unit_test(when_an_operation_began_can_be_seen_however_it_was_stored),
		cmocka_unit_test(without_shared_memory_recording_works_and_says_so),
		cmocka_unit_test(a_child_of_fork_leaves_its_parents_trace_alone),
		cmocka_unit_test(errno_is_left_as_it_was),
		cmocka_unit_test(the_queue_is_drained_before_it_is_full),
		cmocka_unit_test(many_threads_at_once_and_one_after_another_are_recorded),
		cmocka_unit_test(a_trace_at_its_limit_or_on_a_full_disk_ends_with_its_sums),
		cmocka_unit_test(a_text_past_its_limit_is_cut_and_counted),
		cmocka_unit_test(rows_that_fill_the_slot_spill_and_then_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
