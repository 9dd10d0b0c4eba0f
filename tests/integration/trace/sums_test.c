/* SPDX-License-Identifier: MIT */
/* What the trace says of itself adds up, also when it lost something: loss lines, histograms, filter, CRC.
 *
 *   trace-sums-test [OPERATIONS]   of each of two threads at full speed (100,000) */
#include <pthread.h>
#include <sys/stat.h>

#include "base/crc32.h"
#include "waltrace.h"

#include "../../lib/child.h"
#include "../../lib/trace_file.h"

static unsigned long long operations = 100000;
static struct waltrace_report report;
static struct waltrace_logger *logger;

static void start(struct waltrace_config *config)
{
	mkdir("wal", 0700);
	config->directory = ".";
	config->run_id = "sums";
	CHECK(!waltrace_start(config, NULL));
	struct waltrace_logger_config wal = {.wal_directory = "wal"};
	logger = waltrace_logger_register(&wal);
	CHECK(logger);
}

/* Two rows, three with a sync_call; an operation that takes at least `ns`. */
static void operate(bool sync, uint64_t ns)
{
	struct waltrace_op op;
	struct waltrace_span root, lock, call;
	waltrace_op_begin(&op, logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace_op_root(&op, &root);
	waltrace_span_begin(&root);
	waltrace_span_open(&lock, &op, WALTRACE_KIND_COMMIT_LOCK, waltrace_span_id(&root), WALTRACE_W_REQUEST);
	waltrace_span_wait_commit(&lock);
	waltrace_span_acquired(&lock, true);
	if (sync) {
		waltrace_span_open(&call, &op, WALTRACE_KIND_SYNC_CALL, waltrace_span_id(&lock), WALTRACE_W_REQUEST);
		waltrace_span_begin(&call);
		waltrace_span_result(&call, -5);
		waltrace_span_end(&call);
	}
	for (uint64_t begin = waltrace_now(); waltrace_now() - begin < ns;)
		;
	waltrace_span_releasing(&lock);
	waltrace_span_end(&lock);
	waltrace_span_finish(&root, WALTRACE_W_SUCCESS);
	waltrace_span_end(&root);
	waltrace_op_end(&op);
}

/* ---- Sums over the lines ------------------------------------------------------------------------------------------------ */

static struct {
	uint64_t records, lost, dropped_full, counted, in_buckets, errors, filtered, recorders, crc_wrong;
	uint32_t crc;
} sum;

static void add_buckets(const char *line)
{
	const char *at = strstr(line, "\"buckets\":[");
	for (at = strchr(at, '['); (at = strchr(at + 1, '[')); at = strchr(at, ']'))
		sum.in_buckets += strtoull(strchr(at, ',') + 1, NULL, 10);
}

static void add_line(const char *line)
{
	sum.records += is_event(line, "root_flush") || is_event(line, "commit_lock") || is_event(line, "sync_call");
	if (is_event(line, "loss")) {
		sum.lost += number_in(line, "n");
		if (strstr(line, "\"cause\":\"queue_full\"")) sum.dropped_full += number_in(line, "n");
	}
	if (is_event(line, "histogram")) {
		sum.counted += number_in(line, "count");
		sum.errors += number_in(line, "errors");
		add_buckets(line);
	}
	if (is_event(line, "recorder")) {
		sum.recorders++;
		sum.filtered += number_in(line, "filtered");
		sum.crc_wrong += number_in(line, "crc32") != sum.crc;
		sum.crc = 0;
	}
	sum.crc = wt_crc32(sum.crc, line, strlen(line));
}

static void stop(void)
{
	CHECK(!waltrace_shutdown(60000, &report));
	each_line(report.path, add_line);
	CHECK(sum.records == report.written);
	CHECK(sum.recorders > 0 && sum.crc_wrong == 0);
	CHECK(sum.lost == report.dropped + report.omitted);
}

static void *full_speed(void *unused)
{
	for (uint64_t i = 0; i < operations; i++) operate(false, 0);
	return unused;
}

static void overflow(void)
{
	pthread_t thread[2];
	struct waltrace_config config;
	waltrace_config_init(&config);
	config.capacity = operations > 1000000 ? 262144 : 4096;
	config.max_bytes = 16ull << 30;
	config.window_ms = 50;
	start(&config);
	for (int i = 0; i < 2; i++) CHECK(!pthread_create(&thread[i], NULL, full_speed, NULL));
	for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
	stop();
	fprintf(stderr, "produced %llu, written %llu, dropped %llu\n", (unsigned long long)report.produced,
	        (unsigned long long)report.written, (unsigned long long)report.dropped);
	CHECK(report.produced == 4 * operations);
	CHECK(report.produced == report.written + report.dropped);
	CHECK(sum.dropped_full == report.dropped);
	CHECK(sum.counted == report.produced && sum.in_buckets == report.produced); /* every row, written or not */
}

static void at_full_speed_every_row_is_written_or_counted_as_lost_and_in_a_histogram(void **state)
{
	(void)state;
	in_child(overflow);
}

static void keep_the_slow(void)
{
	enum { FAST = 300, SLOW = 5, SYNCS = 7 };
	struct waltrace_config config;
	waltrace_config_init(&config);
	config.min_ns = 2000000;
	start(&config);
	for (int i = 0; i < FAST; i++) operate(false, 0);
	for (int i = 0; i < SLOW; i++) operate(false, 3000000);
	for (int i = 0; i < SYNCS; i++) operate(true, 0);
	stop();
	/* A fast one may have been held up by the machine: it is kept then, and the sums say so. */
	CHECK(report.complete && report.produced >= SLOW * 2 + SYNCS * 3 && report.produced < FAST);
	CHECK(sum.filtered + report.produced == (FAST + SLOW) * 2 + SYNCS * 3);
	CHECK(sum.counted == (FAST + SLOW) * 2 + SYNCS * 3);
	CHECK(sum.errors == SYNCS);
}

static void the_fast_leave_only_their_share_of_the_histograms(void **state)
{
	(void)state;
	in_child(keep_the_slow);
}

static void lose_in_every_way(void)
{
	static struct waltrace_op held[WALTRACE_MAX_OPERATIONS];
	static char long_text[300], path[WALTRACE_MAX_PATH_BYTES + 1];
	struct waltrace_config config;
	struct waltrace_helper helper;
	struct waltrace_span span;
	waltrace_config_init(&config);
	start(&config);
	for (int i = 0; i < WALTRACE_MAX_OPERATIONS; i++)
		CHECK(waltrace_op_begin(&held[i], logger, WALTRACE_KIND_MAINTENANCE));
	struct waltrace_op none;
	CHECK(!waltrace_op_begin(&none, logger, WALTRACE_KIND_REPLAY)); /* slots */
	for (int i = 0; i < WALTRACE_MAX_ROWS + 2; i++) {               /* rows: 2 */
		waltrace_span_open(&span, &held[0], WALTRACE_KIND_REPLAY, 0, WALTRACE_W_NONE);
		waltrace_span_end(&span);
	}
	memset(long_text, 't', sizeof long_text);
	waltrace_span_open(&span, &held[1], WALTRACE_KIND_REPLAY, 0, WALTRACE_W_NONE);
	waltrace_span_text(&span, WALTRACE_MODE, long_text, sizeof long_text); /* strings */
	waltrace_span_path(&span, 0, path, sizeof path);                       /* paths */
	waltrace_span_end(&span);
	waltrace_helper_begin(&helper, &held[2]);
	for (int i = 0; i < WALTRACE_MAX_HELPER_ROWS + 1; i++) { /* helper_rows: 1 too many, 2 never sent */
		waltrace_span_open(&span, &helper.op, WALTRACE_KIND_REPLAY, 0, WALTRACE_W_NONE);
		waltrace_span_end(&span);
	}
	waltrace_op_end(&helper.op);
	waltrace_op_omit(&held[3]); /* omit */
	struct waltrace_logger_config missing = {.wal_directory = "nowhere"};
	CHECK(!waltrace_logger_register(&missing)); /* loggers */
	for (int i = 0; i < WALTRACE_MAX_OPERATIONS; i++) waltrace_op_end(&held[i]);
	CHECK(!waltrace_shutdown(60000, &report));
	each_line(report.path, add_line);
	CHECK(report.omitted == 1 + 2 + 1 + 1 + 3 + 1 + 1);
	CHECK(sum.lost == report.omitted);
}

static void each_cause_of_loss_has_its_line(void **state)
{
	(void)state;
	in_child(lose_in_every_way);
}

int main(int argc, char **argv)
{
	if (argc > 1) operations = strtoull(argv[1], NULL, 10);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_full_speed_every_row_is_written_or_counted_as_lost_and_in_a_histogram),
		cmocka_unit_test(the_fast_leave_only_their_share_of_the_histograms),
		cmocka_unit_test(each_cause_of_loss_has_its_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
