/* SPDX-License-Identifier: MIT */
/* The one home of compiler extensions; everything else is C11. */
#ifndef WT_BASE_COMPILER_H
#define WT_BASE_COMPILER_H

#define wt_likely(x) __builtin_expect(!!(x), 1)
#define wt_unlikely(x) __builtin_expect(!!(x), 0)
#define WT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define WT_ALIGNED(bytes) __attribute__((aligned(bytes)))
#define WT_MUST_CHECK __attribute__((warn_unused_result))
#define WT_NOINLINE __attribute__((noinline))
#define WT_COLD __attribute__((cold, noinline))
#define WT_EXPORT __attribute__((visibility("default")))
/* Reached on every record, from inside a shared library: a TLS slot at a fixed offset needs no call. */
#define WT_TLS _Thread_local __attribute__((tls_model("initial-exec")))
#define WT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
