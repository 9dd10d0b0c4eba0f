/* SPDX-License-Identifier: MIT */
/* The one session of the process: where its parts are. Written by the start, before `gate` opens; afterwards read only,
 * except for what says otherwise. */
#ifndef WT_TRACE_SESSION_H
#define WT_TRACE_SESSION_H

#include "base/err.h"
#include "base/os.h"
#include "trace/layout.h"
#include "trace/pool.h"
#include "trace/queue.h"

/* What may happen now. In a page of its own that fork leaves empty in the child (MADV_WIPEONFORK): a child finds
 * WT_GATE_OFF and leaves its parent's segment and file alone. */
enum wt_gate {
	WT_GATE_OFF = 0,  /* no session, or a child of fork */
	WT_GATE_OPEN = 1, /* operations are admitted */
	WT_GATE_CLOSING,  /* only those begun on behalf of one that hasn't ended */
	WT_GATE_FAILED,   /* none; what is handed over is counted as stopped */
	WT_GATE_ENDED,    /* the footer is written: nothing counts any more */
};

struct wt_config {
	char directory[4096]; /* as given, then canonical */
	char run_id[WT_ID_BYTES_MAX + 1];
	char build_id[WT_ID_BYTES_MAX + 1];
	bool has_build_id;
	uint64_t window_ms, capacity, max_bytes, drain_ms, min_ns;
	bool rotate; /* on_limit */
};

struct wt_session {
	struct wt_segment *segment;
	struct wt_queue queue;
	_Atomic uint32_t *state; /* a word a slot, see admission.c */
	char *slots;
	struct wt_loss_place *losses;
	struct wt_latencies *latencies;
	struct wt_blocks paths, packets;
	struct waltrace_logger *logger;
	char *logger_text;
	struct wt_config config;
	char session_id[64];
	char path[4352];
	char segment_name[96]; /* "" on private memory */
	uint64_t pid, epoch_ns;
	const struct wt_os *os;
	int fd;
};

extern struct wt_session wt_session;

/* Opens when a session is ready; closed by shutdown, failure or fork. Never NULL; changes once, at the start. Public
 * inline code compares it with WT_GATE_OPEN, hence its place in the public header. */
static inline enum wt_gate wt_gate_now(void)
{
	uint32_t *gate = __atomic_load_n(&waltrace__gate, __ATOMIC_RELAXED);
	return (enum wt_gate)__atomic_load_n(gate, __ATOMIC_RELAXED);
}

/* The same in the one order that all threads agree on (see admission.c). */
static inline enum wt_gate wt_gate_in_order(void)
{
	uint32_t *gate = __atomic_load_n(&waltrace__gate, __ATOMIC_RELAXED);
	return (enum wt_gate)__atomic_load_n(gate, __ATOMIC_SEQ_CST);
}

static inline void wt_gate_set(enum wt_gate gate) { __atomic_store_n(waltrace__gate, gate, __ATOMIC_SEQ_CST); }

/* Starts the session from the environment if none was tried yet; whether there is one. */
bool wt_session_from_environment(const char *wal_directory);

/* Configuration from PI_STORE_WAL_TRACE_*; 0, or a negative errno with the fixed text in `fixed` and detail in err. */
int wt_environment_read(const char *wal_directory, struct wt_config *config, char *fixed, size_t fixed_bytes,
                        struct wt_err *err);

/* PI_STORE_WAL_TRACE=off; PI_STORE_WAL_TRACE_QUIET=1; any PI_STORE_WAL_TRACE* is set and it isn't off. */
bool wt_environment_off(void);
bool wt_environment_quiet(void);
bool wt_environment_asks(void);

#endif
