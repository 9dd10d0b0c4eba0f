/* SPDX-License-Identifier: MIT */
/*
 * C++11 face of waltrace.h: an operation and a span that end with their scope.
 *
 *     waltrace::operation op(logger, WALTRACE_KIND_ROOT_FLUSH);
 *     waltrace::span flush(op);                                                  // its primary record
 *     flush.begin();
 *     {
 *         waltrace::span sync(flush, WALTRACE_KIND_SYNC_CALL, WALTRACE_W_REQUEST);
 *         sync.begin();
 *         sync.result(append_and_sync());                                        // may throw: the outcome is "unwind"
 *     }
 *     flush.finish(WALTRACE_W_SUCCESS);
 *
 * Nothing here throws, allocates or blocks, and all rules of waltrace.h hold. Objects stay where they are: they can't
 * be copied or moved. Order of declaration is order of ending, backwards: the operation first, then its spans from the
 * outside in, your lock guards last, so that locks are released and spans ended before the operation hands over.
 *
 * How a scope ends them. An object that is destroyed while an exception passes which began after the object was made
 * ends in its unwind form: without an outcome of its own the record says "unwind". Destroyed otherwise (the end of the
 * block, a return), a record without an outcome says "cancelled". Before C++17 the language only tells whether any
 * exception is under way: an object made while one is (in a destructor, during unwinding) then ends in the plain
 * form. pthread_cancel and pthread_exit unwind a stack without an exception, so a record that they leave open says
 * "cancelled".
 */
#ifndef WALTRACE_HPP
#define WALTRACE_HPP

#include <exception>

#include "waltrace.h"

namespace waltrace
{

namespace detail
{

/* Number of exceptions under way, as far as the language tells. */
inline int exceptions() noexcept
{
#if defined(__cpp_lib_uncaught_exceptions)
	return std::uncaught_exceptions();
#else
	return std::uncaught_exception() ? 1 : 0;
#endif
}

/* Whether an exception passes that wasn't under way when this was made. */
class unwinding
{
	int before_;

      public:
	unwinding() noexcept : before_(exceptions()) {}
	bool now() const noexcept { return exceptions() > before_; }
};

} // namespace detail

class span;

/* Says that an operation is a timer's: operation(waltrace::timer, parent). */
enum timer_tag { timer };

/* waltrace_op_begin … waltrace_op_end. */
class operation
{
	struct waltrace_op op_;
	detail::unwinding unwinding_;

      public:
	/* `logger` may be NULL: the operation is inactive then. */
	operation(struct waltrace_logger *logger, enum waltrace_kind kind) noexcept
	{
		waltrace_op_begin(&op_, logger, kind);
	}
	/* waltrace_op_timer: `parent` has not ended. */
	operation(timer_tag, const operation &parent) noexcept { waltrace_op_timer(&op_, &parent.op_); }
	~operation()
	{
		if (unwinding_.now()) waltrace_op_end_unwind(&op_);
		else waltrace_op_end(&op_);
	}
	operation(const operation &) = delete;
	operation &operator=(const operation &) = delete;

	/* Ends it before its scope does; the destructor then does nothing. */
	void end() noexcept { waltrace_op_end(&op_); }

	/* For the calls of waltrace.h that have no shorthand here. */
	struct waltrace_op *get() noexcept { return &op_; }
	const struct waltrace_op *get() const noexcept { return &op_; }

	bool active() const noexcept { return waltrace_op_active(&op_); }
	uint64_t now() const noexcept { return waltrace_op_now(&op_); }
	uint64_t id() const noexcept { return waltrace_op_id(&op_); }
	void omit() noexcept { waltrace_op_omit(&op_); }

	/* The primary record, until a span opens it. */
	void set(enum waltrace_field field, uint64_t value) noexcept { waltrace_op_set(&op_, field, value); }
	void word(enum waltrace_string which, enum waltrace_word word) noexcept { waltrace_op_word(&op_, which, word); }
	void text(enum waltrace_string which, const char *text, size_t bytes) noexcept
	{
		waltrace_op_text(&op_, which, text, bytes);
	}
	void cid(uint64_t high, uint64_t low) noexcept { waltrace_op_cid(&op_, high, low); }
	void error(int os_code) noexcept { waltrace_op_error(&op_, os_code); }
};

/* waltrace_op_root, _span_open or _span_child … waltrace_span_end. Its operation (and parent) must outlive it. */
class span
{
	struct waltrace_span span_;
	detail::unwinding unwinding_;

      public:
	/* The operation's primary record. */
	explicit span(operation &op) noexcept { waltrace_op_root(op.get(), &span_); }
	/* A span of `kind`; `parent_id`: id of the record around it, 0 for none. */
	span(operation &op, enum waltrace_kind kind, enum waltrace_word trigger = WALTRACE_W_NONE,
	     uint64_t parent_id = 0) noexcept
	{
		waltrace_span_open(&span_, op.get(), kind, parent_id, trigger);
	}
	/* A span inside `parent`; `link`: a field of the parent that takes this span's id, WALTRACE_FIELDS for none. */
	span(span &parent, enum waltrace_kind kind, enum waltrace_word trigger = WALTRACE_W_NONE,
	     enum waltrace_field link = WALTRACE_FIELDS) noexcept
	{
		waltrace_span_child(&span_, &parent.span_, kind, trigger, link);
	}
	~span()
	{
		if (unwinding_.now()) waltrace_span_end_unwind(&span_);
		else waltrace_span_end(&span_);
	}
	span(const span &) = delete;
	span &operator=(const span &) = delete;

	/* Ends it before its scope does; the destructor then does nothing. */
	void end() noexcept { waltrace_span_end(&span_); }

	struct waltrace_span *get() noexcept { return &span_; }
	const struct waltrace_span *get() const noexcept { return &span_; }

	uint64_t id() const noexcept { return waltrace_span_id(&span_); }
	void begin() noexcept { waltrace_span_begin(&span_); }
	void mark(enum waltrace_field field) noexcept { waltrace_span_mark(&span_, field); }
	void set(enum waltrace_field field, uint64_t value) noexcept { waltrace_span_set(&span_, field, value); }
	void word(enum waltrace_string which, enum waltrace_word word) noexcept
	{
		waltrace_span_word(&span_, which, word);
	}
	void text(enum waltrace_string which, const char *text, size_t bytes) noexcept
	{
		waltrace_span_text(&span_, which, text, bytes);
	}
	void cid(uint64_t high, uint64_t low) noexcept { waltrace_span_cid(&span_, high, low); }
	void path(int slot, const void *path, size_t bytes) noexcept { waltrace_span_path(&span_, slot, path, bytes); }
	void finish(enum waltrace_word outcome) noexcept { waltrace_span_finish(&span_, outcome); }
	/* 0, or a negative errno. */
	void result(int result) noexcept { waltrace_span_result(&span_, result); }
	void error(int os_code) noexcept { waltrace_span_error(&span_, os_code); }
	void error(enum waltrace_error_kind kind) noexcept { waltrace_span_error_kind(&span_, kind); }

	void wait_commit() noexcept { waltrace_span_wait_commit(&span_); }
	void acquired(bool commit) noexcept { waltrace_span_acquired(&span_, commit); }
	void stage(uint64_t stage) noexcept { waltrace_span_stage(&span_, stage); }
	void releasing() noexcept { waltrace_span_releasing(&span_); }
	void released() noexcept { waltrace_span_released(&span_); }
};

} // namespace waltrace

#endif
