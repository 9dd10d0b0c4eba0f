/* SPDX-License-Identifier: MIT */
/* The peer `spdlog`: an asynchronous logger into a file, one line a record with the same values. */
#include <memory>
#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <string>
#include <time.h>
#include <unistd.h>

extern "C" {
#include "bench.h"
}

namespace
{

struct load how;
std::shared_ptr<spdlog::async_logger> logger;
std::string path;

/* As its users would, it reads CLOCK_MONOTONIC. */
void operation(uint64_t uid)
{
	uint64_t id = uid * RECORDS_PER_OP;
	uint64_t begin = monotonic_ns(), wait = monotonic_ns();
	CALLER_WORKS();
	uint64_t acquired = monotonic_ns(), sync_begin = monotonic_ns();
	CALLER_WORKS();
	uint64_t sync_end = monotonic_ns();
	logger->info(
		"{{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"sync_call\",\"operation_id\":{},\"start_ns\":{},"
		"\"total_ns\":{},\"parent_id\":{},\"block_bytes\":{},\"batch_max_log_uid\":{},\"written_bytes\":{},"
		"\"poll_count\":{}}}",
		id + 1, sync_begin, sync_end - sync_begin, id + 2, 8192, uid, 8208, 1);
	uint64_t notify_begin = monotonic_ns();
	CALLER_WORKS();
	uint64_t notify_end = monotonic_ns(), releasing = monotonic_ns();
	CALLER_WORKS();
	logger->info(
		"{{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"commit_lock\",\"operation_id\":{},\"start_ns\":{},"
		"\"log_uid\":{},\"parent_id\":{},\"lock_wait_ns\":{},\"lock_hold_ns\":{},\"committed_before\":{},"
		"\"committed_at_acquire\":{},\"lock_seq\":{},\"notify_start_ns\":{},\"notify_total_ns\":{},"
		"\"notify_target_count\":{},\"notify_completed_count\":{},\"notify_send_failed_count\":{}}}",
		id + 2, wait, uid, id + 3, acquired - wait, releasing - acquired, uid, uid, uid + 1, notify_begin,
		notify_end - notify_begin, 2, 2, 0);
	logger->info(
		"{{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"root_flush\",\"operation_id\":{},\"start_ns\":{},"
		"\"total_ns\":{},\"log_uid\":{}}}",
		id + 3, begin, monotonic_ns() - begin, uid);
}

void open_spdlog(const struct load *what)
{
	how = *what;
	path = std::string(how.directory) + "/spdlog.jsonl";
	spdlog::init_thread_pool(QUEUE_RECORDS, 1);
	auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
	logger = std::make_shared<spdlog::async_logger>("bench", sink, spdlog::thread_pool(),
	                                                spdlog::async_overflow_policy::overrun_oldest);
	logger->set_pattern("%v");
}

void run_spdlog(int thread, uint64_t first, uint64_t n)
{
	uint64_t uid = static_cast<uint64_t>(thread) << UID_THREAD_SHIFT | first;
	for (uint64_t i = 0; i < n; i++) operation(uid + i);
}

void drain_spdlog(uint64_t)
{
	while (spdlog::thread_pool()->queue_size()) usleep(1000);
	usleep(2000);
}

void throttle_spdlog(uint64_t) {}

uint64_t close_spdlog(uint64_t)
{
	uint64_t lost = spdlog::thread_pool()->overrun_counter();
	logger.reset();
	spdlog::shutdown(); /* writes what is queued and joins the thread */
	return lost;
}

void verify_spdlog(uint64_t ops) { verify_file(path.c_str(), how.threads, ops); }

} // namespace

extern "C" {
extern const struct peer peer_spdlog;
const struct peer peer_spdlog = {"spdlog",        true,         open_spdlog,  run_spdlog, drain_spdlog,
                                 throttle_spdlog, close_spdlog, verify_spdlog};
}
