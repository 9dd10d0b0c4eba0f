/* SPDX-License-Identifier: MIT */
/* The same from C++11: the headers compile, link, and the guards end what an exception passes through. */
#include <waltrace.hpp>

#include <iostream>
#include <stdexcept>
#include <string>

static void flush_that_throws(waltrace_logger *logger)
{
	waltrace::operation op(logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace::span root(op);
	root.begin();
	throw std::runtime_error("the disk is gone");
}

static int failed(const std::string &what)
{
	std::cerr << "consumer.cc: " << what << '\n';
	return 1;
}

int main(int argc, char **argv)
{
	if (argc != 2) return failed("usage: consumer DIRECTORY, with wal and trace in it");
	const std::string wal = std::string(argv[1]) + "/wal", trace = std::string(argv[1]) + "/trace";
	waltrace_config config;
	waltrace_error error;
	waltrace_config_init(&config);
	config.directory = trace.c_str();
	config.run_id = "consumer";
	if (waltrace_start(&config, &error)) return failed(error.message);
	waltrace_logger_config log = {};
	log.wal_directory = wal.c_str();
	waltrace_logger *logger = waltrace_logger_register(&log);
	if (!logger) return failed("not registered: " + wal);
	try {
		flush_that_throws(logger);
		return failed("nothing was thrown");
	} catch (const std::runtime_error &) {
	}
	waltrace_report report;
	if (waltrace_shutdown(10000, &report)) return failed("no report");
	if (!report.complete || report.written != 1) return failed(report.reason);
	std::cout << report.path << '\n';
	return 0;
}
