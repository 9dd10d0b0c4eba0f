/* SPDX-License-Identifier: MIT */
// How to instrument a write-ahead log of your own in C++: a toy log (append to a file and fdatasync, under a mutex; errors
// are exceptions), four threads that commit 100 records, and the recorder around it.
//
//     instrument_cpp DIRECTORY        makes DIRECTORY/toy-wal and DIRECTORY/trace; then: waltrace report TRACE
#include <cerrno>
#include <fcntl.h>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>
#include <waltrace.hpp>

namespace
{

[[noreturn]] void fail(const std::string &what) { throw std::system_error(errno, std::generic_category(), what); }

class toy_wal
{
	std::mutex mutex_;
	int fd_;
	uint64_t last_uid_ = 0; // of the newest durable record; under mutex_
	waltrace_logger *logger_;

	void write_and_sync(const std::string &record)
	{
		ssize_t written = write(fd_, record.data(), record.size());
		if (written >= 0 && static_cast<size_t>(written) < record.size()) errno = ENOSPC;
		if (written != static_cast<ssize_t>(record.size()) || fdatasync(fd_)) fail("commit");
	}

      public:
	explicit toy_wal(const std::string &directory)
	{
		std::string path = directory + "/000000001";
		fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		if (fd_ < 0) fail(path);
		waltrace_logger_config config = waltrace_logger_config();
		config.wal_directory = directory.c_str();
		config.initial_file = path.data();
		config.initial_file_bytes = path.size();
		logger_ = waltrace_logger_register(&config); // NULL is fine: nothing is recorded then
	}
	~toy_wal() { close(fd_); }
	toy_wal(const toy_wal &) = delete;
	toy_wal &operator=(const toy_wal &) = delete;

	void commit(const std::string &record);
};

/* [begin] */
// Spans and operation end with the scope, from the inside out; if an exception passes, they say "unwind".
void toy_wal::commit(const std::string &record)
{
	waltrace::operation op(logger_, WALTRACE_KIND_ROOT_FLUSH);
	waltrace::span flush(op); // the record of the whole commit
	flush.begin();

	waltrace::span lock(flush, WALTRACE_KIND_COMMIT_LOCK, WALTRACE_W_REQUEST);
	lock.wait_commit();
	std::unique_lock<std::mutex> guard(mutex_);
	lock.acquired(true);
	uint64_t uid = last_uid_ + 1;
	flush.set(WALTRACE_LOG_UID, uid);
	lock.set(WALTRACE_LOG_UID, uid);
	{
		waltrace::span sync(lock, WALTRACE_KIND_SYNC_CALL, WALTRACE_W_REQUEST);
		lock.stage(WALTRACE_STAGE_SYNCING);
		sync.set(WALTRACE_BATCH_MAX_LOG_UID, uid); // all records up to this one become durable
		sync.set(WALTRACE_BLOCK_BYTES, record.size());
		sync.begin();
		write_and_sync(record);
		sync.finish(WALTRACE_W_SUCCESS);
	}
	last_uid_ = uid;
	lock.word(WALTRACE_OUTCOME, WALTRACE_W_OWNER_SUCCESS);
	lock.releasing();
	guard.unlock();
	lock.end();
	flush.finish(WALTRACE_W_SUCCESS);
} // op hands the records over here: after the unlock
/* [end] */

void start_recorder(const std::string &directory)
{
	waltrace_config config;
	waltrace_error error;
	waltrace_config_init(&config);
	config.directory = directory.c_str();
	config.run_id = "instrument_cpp";
	if (waltrace_start(&config, &error)) throw std::runtime_error(std::string(error.message) + ": " + error.detail);
}

bool stop_recorder()
{
	waltrace_report report;
	int result = waltrace_shutdown(5000, &report);
	if (result) throw std::system_error(-result, std::generic_category(), "shutdown");
	std::cout << "records: " << report.written << " written of " << report.produced << ", " << report.dropped
		  << " dropped, " << report.omitted << " omitted; complete: " << (report.complete ? "yes" : "no")
		  << "\ntrace: " << report.path << '\n';
	return report.complete;
}

void make_directory(const std::string &path)
{
	if (mkdir(path.c_str(), 0755) && errno != EEXIST) fail(path);
}

void commit_from_threads(toy_wal &wal)
{
	enum { THREADS = 4, COMMITS = 100 };
	std::vector<std::thread> threads;
	for (int i = 0; i < THREADS; i++)
		threads.emplace_back([&wal] {
			try {
				for (int k = 0; k < COMMITS / THREADS; k++) wal.commit(std::string(256, 'r'));
			} catch (const std::exception &e) {
				std::cerr << e.what() << '\n';
			}
		});
	for (std::thread &thread : threads) thread.join();
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 2) {
		std::cerr << "usage: instrument_cpp DIRECTORY\n";
		return 3;
	}
	try {
		std::string directory = argv[1];
		make_directory(directory + "/toy-wal");
		make_directory(directory + "/trace");
		start_recorder(directory + "/trace");
		toy_wal wal(directory + "/toy-wal");
		commit_from_threads(wal);
		return stop_recorder() ? 0 : 1;
	} catch (const std::exception &e) {
		std::cerr << "instrument_cpp: " << e.what() << '\n';
		return 1;
	}
}
