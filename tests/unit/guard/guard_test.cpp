/* SPDX-License-Identifier: MIT */
// waltrace.hpp: how a scope that is left ends its records. Built as C++11 and as C++17, which differ in what the language
// tells during unwinding.
#include <stdexcept>

#include "trace_outcome.h"
#include "waltrace.hpp"

namespace
{

enum uid : uint64_t {
	UID_FINISHED = 1,
	UID_LEFT,
	UID_THROWN,
	UID_GIVEN,
	UID_ENDED,
	UID_AROUND,
	UID_CAUGHT_INSIDE,
	UID_IN_CLEANUP,
	UID_THROWN_IN_CLEANUP,
	UID_UNOPENED_LEFT,
	UID_UNOPENED_THROWN,
	UID_TIMER
};

waltrace_logger *logger;

void finish_span()
{
	waltrace::operation op(logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace::span flush(op);
	flush.set(WALTRACE_LOG_UID, UID_FINISHED);
	flush.begin();
	flush.finish(WALTRACE_W_SUCCESS);
}

void leave_span()
{
	waltrace::operation op(logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace::span flush(op);
	flush.set(WALTRACE_LOG_UID, UID_LEFT);
}

void throw_through_spans()
{
	waltrace::operation op(logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace::span flush(op);
	flush.set(WALTRACE_LOG_UID, UID_THROWN);
	waltrace::span ended(flush, WALTRACE_KIND_MAINTENANCE);
	ended.set(WALTRACE_LOG_UID, UID_ENDED);
	ended.end();
	waltrace::span given(flush, WALTRACE_KIND_SYNC_CALL, WALTRACE_W_REQUEST);
	given.set(WALTRACE_LOG_UID, UID_GIVEN);
	given.finish(WALTRACE_W_SUCCESS);
	throw std::runtime_error("the disk is gone");
}

// An exception that begins and ends inside a span doesn't concern it.
void catch_inside_span()
{
	waltrace::operation op(logger, WALTRACE_KIND_ROOT_FLUSH);
	waltrace::span around(op);
	around.set(WALTRACE_LOG_UID, UID_AROUND);
	try {
		waltrace::span inner(around, WALTRACE_KIND_MAINTENANCE);
		inner.set(WALTRACE_LOG_UID, UID_CAUGHT_INSIDE);
		throw std::runtime_error("mended at once");
	} catch (const std::runtime_error &) {
	}
}

// Works while an exception passes: what it records isn't unwound by that one.
struct cleanup {
	~cleanup()
	{
		waltrace::operation op(logger, WALTRACE_KIND_MAINTENANCE);
		{
			waltrace::span own(op, WALTRACE_KIND_MAINTENANCE);
			own.set(WALTRACE_LOG_UID, UID_IN_CLEANUP);
		}
		try {
			waltrace::span own(op, WALTRACE_KIND_MAINTENANCE);
			own.set(WALTRACE_LOG_UID, UID_THROWN_IN_CLEANUP);
			throw std::logic_error("another one");
		} catch (const std::logic_error &) {
		}
	}
};

void throw_through_cleanup()
{
	cleanup works;
	throw std::runtime_error("passes through a destructor");
}

void leave_operation(bool by_exception)
{
	waltrace::operation op(logger, WALTRACE_KIND_ROOT_APPEND);
	op.set(WALTRACE_LOG_UID, by_exception ? UID_UNOPENED_THROWN : UID_UNOPENED_LEFT);
	if (by_exception) throw std::runtime_error("before its span was opened");
}

void time_out()
{
	waltrace::operation op(logger, WALTRACE_KIND_MAINTENANCE);
	waltrace::operation timer(waltrace::timer, op);
	waltrace::span run(timer);
	op.end();
	run.set(WALTRACE_LOG_UID, UID_TIMER);
	run.begin();
	run.result(-5);
}

template <class Function> void expect_throw(Function function)
{
	try {
		function();
	} catch (const std::runtime_error &) {
		return;
	}
	trace_failures++;
}

// Everything is a no-op, whatever is thrown.
void stay_inactive()
{
	waltrace::operation op(nullptr, WALTRACE_KIND_ROOT_FLUSH);
	waltrace::span flush(op);
	if (op.active() || op.id() || flush.id() || op.now()) trace_failures++;
	flush.begin();
	flush.wait_commit();
	flush.acquired(true);
	flush.releasing();
	throw std::runtime_error("through inactive spans");
}

} // namespace

int main()
{
#if defined(__cpp_lib_uncaught_exceptions)
	const char *nested = "unwind";
#else
	const char *nested = "cancelled"; // as waltrace.hpp says
#endif
	logger = trace_begin();
	finish_span();
	leave_span();
	expect_throw(throw_through_spans);
	catch_inside_span();
	expect_throw(throw_through_cleanup);
	leave_operation(false);
	expect_throw([] { leave_operation(true); });
	time_out();
	expect_throw(stay_inactive);
	trace_end();
	trace_expect(UID_FINISHED, "success", "a span with an outcome");
	trace_expect(UID_LEFT, "cancelled", "a span left without an outcome");
	trace_expect(UID_THROWN, "unwind", "a span that an exception passed");
	trace_expect(UID_GIVEN, "success", "a span with an outcome that an exception passed");
	trace_expect(UID_ENDED, "cancelled", "a span ended before the exception");
	trace_expect(UID_AROUND, "cancelled", "a span around an exception that was caught inside it");
	trace_expect(UID_CAUGHT_INSIDE, "unwind", "a span inside the try block");
	trace_expect(UID_IN_CLEANUP, "cancelled", "a span made and left while an exception passes");
	trace_expect(UID_THROWN_IN_CLEANUP, nested, "a span that a second exception passed");
	trace_expect(UID_UNOPENED_LEFT, "cancelled", "an operation left before its primary was opened");
	trace_expect(UID_UNOPENED_THROWN, "unwind",
	             "an operation that an exception passed before its primary was opened");
	trace_expect(UID_TIMER, "error", "a timer's run that outlived its parent");
	trace_remove();
	return trace_failures != 0;
}
