/* SPDX-License-Identifier: MIT */
/*
 * libwaltrace: a flight recorder for write-ahead logs.
 *
 * It records, inside the process, what every commit waits for, and proves whether its record is complete.
 *
 *   1. A control thread starts a session (waltrace_start), or the first logger does from the environment.
 *   2. Each log registers itself as a logger (waltrace_logger_register).
 *   3. Each unit of work is an operation (waltrace_op_begin … waltrace_op_end), in which spans record steps.
 *   4. The control thread ends the session (waltrace_shutdown) and reads the report.
 *
 * Rules that hold for every call unless its own text says otherwise:
 *
 *   Waiting   never blocks, allocates, does I/O or makes a system call. Exceptions: start, shutdown, register
 *             and packet_receive, which say so.
 *   Threads   an operation and its spans are used by one thread at a time and may move between threads (the
 *             caller's own synchronisation orders the uses). Different operations are independent.
 *   Locks     records are handed over in waltrace_op_end (and packet_send): call those after releasing your
 *             locks. Everything else only fills memory that belongs to the operation.
 *   Inactive  with no session, a NULL logger, a session that failed or no free slot, begin leaves an inactive
 *             operation, and every call on it or on its spans is a no-op of a few instructions, inlined here.
 *   Memory    the caller provides each struct waltrace_op, _span, _helper and _packet; they needn't be
 *             initialised before the call that begins them, must stay where they are until the call that ends
 *             them, and have no members for direct use. Strings, paths and bytes are copied during the call.
 *   Pointers  op, span, helper, packet, config, report must not be NULL; a logger may be.
 *   errno     is preserved by every call that returns no error.
 *   Losses    are counted, never silent: see struct waltrace_report.
 *   Times     are nanoseconds since the session began.
 */
#ifndef WALTRACE_H
#define WALTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define WALTRACE_VERSION "0.1.0"
#define WALTRACE__ALIGN8 __attribute__((aligned(8)))

/* Limits. Past one of them the recorder gives up records (and counts them), never the caller's work. */
enum {
	WALTRACE_MAX_OPERATIONS = 1024,   /* operations at once, helpers not counted */
	WALTRACE_MAX_ROWS = 32,           /* records of an operation */
	WALTRACE_MAX_CHANNELS = 8,        /* channels that an operation hosts */
	WALTRACE_MAX_HELPER_ROWS = 2,     /* records of a helper */
	WALTRACE_MAX_LOGGERS = 1024,      /* loggers of a session */
	WALTRACE_MAX_TEXT = 255,          /* bytes of a string; what is longer is cut and counted */
	WALTRACE_MAX_PATH = 65536,        /* bytes of a logger's path */
	WALTRACE_MAX_PATH_BYTES = 8388608 /* bytes of all paths in records that aren't written yet */
};

enum waltrace_field {
	WALTRACE_START_NS,                  /* when the work began */
	WALTRACE_TOTAL_NS,                  /* how long it took */
	WALTRACE_LOG_UID,                   /* handle of the record concerned */
	WALTRACE_CID_LO,                    /* low half of the commit id */
	WALTRACE_CID_HI,                    /* high half of the commit id */
	WALTRACE_PARENT_ID,                 /* operation_id of the span around this one */
	WALTRACE_LOCK_WAIT_NS,              /* from asking for the lock to having it */
	WALTRACE_LOCK_HOLD_NS,              /* from having the lock to just before its release */
	WALTRACE_COMMITTED_BEFORE,          /* newest durable uid before the lock was asked for */
	WALTRACE_COMMITTED_AT_ACQUIRE,      /* newest durable uid when the lock was got */
	WALTRACE_LOCK_SEQ,                  /* number of this acquisition of the commit lock, from 1 */
	WALTRACE_BLOCK_BYTES,               /* bytes of entries in the block (payload_bytes in root_append) */
	WALTRACE_BATCH_MAX_LOG_UID,         /* newest uid that the block holds */
	WALTRACE_WRITTEN_BYTES,             /* bytes written to the file, trailer included */
	WALTRACE_POLL_COUNT,                /* how often write and sync had to be driven */
	WALTRACE_NOTIFY_START_NS,           /* when waking the waiters began */
	WALTRACE_NOTIFY_TOTAL_NS,           /* how long waking them took */
	WALTRACE_NOTIFY_TARGET_COUNT,       /* waiters to wake */
	WALTRACE_NOTIFY_COMPLETED_COUNT,    /* waiters woken */
	WALTRACE_NOTIFY_SEND_FAILED_COUNT,  /* waiters that were gone */
	WALTRACE_ENTRY_UID_FAST_PATH,       /* 1 if the uid was durable on entry */
	WALTRACE_BATCH_WAIT_START_NS,       /* when waiting for the batch began */
	WALTRACE_BATCH_WAIT_NS,             /* how long the wait for the batch took */
	WALTRACE_REQUESTED_DELAY_MS,        /* the timer's delay */
	WALTRACE_CALL_START_NS,             /* when the call was made */
	WALTRACE_FIRST_POLL_NS,             /* when it first ran */
	WALTRACE_CHECKPOINT_WAIT_START_NS,  /* when the checkpoint lock was asked for */
	WALTRACE_CHECKPOINT_ACQUIRED_NS,    /* when the checkpoint lock was got */
	WALTRACE_APPEND_START_NS,           /* when copying into the block began */
	WALTRACE_APPEND_END_NS,             /* when it ended */
	WALTRACE_REGISTRATION_END_NS,       /* when the commit id was registered */
	WALTRACE_CURRENT_LOCK_WAIT_NS,      /* wait for the block's own lock */
	WALTRACE_MEMORY_APPEND_NS,          /* copying into the block, lock held */
	WALTRACE_OLD_FILE_INDEX,            /* file before */
	WALTRACE_NEW_FILE_INDEX,            /* file after */
	WALTRACE_MARK_OLD_CONFIRMED,        /* 1 if the old file needs no replay */
	WALTRACE_PENDING_LOG_UID,           /* uid that was pending at rotation */
	WALTRACE_PENDING_COMMIT_NS,         /* committing the pending block */
	WALTRACE_REGISTRATION_FOUND,        /* 1 if the commit id was registered */
	WALTRACE_CHECKPOINT_PENDING_BEFORE, /* unconfirmed commits of the file before */
	WALTRACE_ROTATION_ID_1,             /* first rotation caused by this */
	WALTRACE_ROTATION_ID_2,             /* second rotation caused by this */
	WALTRACE_RETURNED_RECORDS,          /* records given to the caller */
	WALTRACE_RETURNED_BYTES,            /* bytes of them, 16 a record included */
	WALTRACE_BUFFERED_AT_START,         /* confirms buffered when replay ended */
	WALTRACE_CONFIRM_OK_COUNT,          /* buffered confirms that were applied */
	WALTRACE_OS_ERROR,                  /* errno */
	WALTRACE_TIMER_ID,                  /* operation_id of the timer's run */
	WALTRACE_FIELDS                     /* how many there are */
};

enum waltrace_kind {
	WALTRACE_KIND_ROOT_APPEND,
	WALTRACE_KIND_ROOT_FLUSH,
	WALTRACE_KIND_COMMIT_LOCK,
	WALTRACE_KIND_SYNC_CALL,
	WALTRACE_KIND_TIMER_SPAWN,
	WALTRACE_KIND_TIMER_RUN,
	WALTRACE_KIND_CHECKPOINT_ROTATION,
	WALTRACE_KIND_FILE_SPLIT,
	WALTRACE_KIND_BACKUP_RENAME,
	WALTRACE_KIND_ROOT_CONFIRM,
	WALTRACE_KIND_REPLAY,
	WALTRACE_KIND_MAINTENANCE,
	WALTRACE_KINDS /* how many there are */
};

enum waltrace_word {
	WALTRACE_W_NONE = 0, /* the empty string: its key is left out */
	WALTRACE_W_CANCELLED,
	WALTRACE_W_UNWIND,
	WALTRACE_W_SUCCESS,
	WALTRACE_W_ERROR,
	WALTRACE_W_FAST_PATH,
	WALTRACE_W_RETRY_DELAY_OWNER_CHANGED,
	WALTRACE_W_WAITER_REGISTERED,
	WALTRACE_W_EMPTY_OWNER,
	WALTRACE_W_OWNER_SUCCESS,
	WALTRACE_W_SYNC_ERROR,
	WALTRACE_W_ROTATE_ERROR,
	WALTRACE_W_COVERED,
	WALTRACE_W_PROMOTED,
	WALTRACE_W_RECEIVED,
	WALTRACE_W_CLOSED,
	WALTRACE_W_TIMEOUT,
	WALTRACE_W_REQUEST,
	WALTRACE_W_TIMER,
	WALTRACE_W_CHECKPOINT,
	WALTRACE_W_EXPLICIT_APPEND_CHECKPOINT,
	WALTRACE_W_CONFIRM_SIZE_LIMIT,
	WALTRACE_W_CONFIRM_CHECKPOINT_DRAINED,
	WALTRACE_W_BACKGROUND_SIZE_LIMIT,
	WALTRACE_W_CONFIRM_CLEANUP,
	WALTRACE_W_REPLAY,
	WALTRACE_W_REPLAY_EMPTY_CLEANUP,
	WALTRACE_W_NORMAL,
	WALTRACE_W_REPLAY_BUFFERED,
	WALTRACE_W_READ,
	WALTRACE_W_READ_EXT,
	WALTRACE_W_FINISH,
	WALTRACE_W_PENDING_COMMIT,
	WALTRACE_W_SPLIT,
	WALTRACE_W_PUBLISH_CHECKPOINT,
	WALTRACE_WORDS /* how many there are, the empty one included */
};

enum waltrace_error_kind {
	WALTRACE_E_NONE = 0,
	WALTRACE_E_NOT_FOUND,
	WALTRACE_E_PERMISSION_DENIED,
	WALTRACE_E_CONNECTION_REFUSED,
	WALTRACE_E_CONNECTION_RESET,
	WALTRACE_E_HOST_UNREACHABLE,
	WALTRACE_E_NETWORK_UNREACHABLE,
	WALTRACE_E_CONNECTION_ABORTED,
	WALTRACE_E_NOT_CONNECTED,
	WALTRACE_E_ADDR_IN_USE,
	WALTRACE_E_ADDR_NOT_AVAILABLE,
	WALTRACE_E_NETWORK_DOWN,
	WALTRACE_E_BROKEN_PIPE,
	WALTRACE_E_ALREADY_EXISTS,
	WALTRACE_E_WOULD_BLOCK,
	WALTRACE_E_NOT_A_DIRECTORY,
	WALTRACE_E_IS_A_DIRECTORY,
	WALTRACE_E_DIRECTORY_NOT_EMPTY,
	WALTRACE_E_READ_ONLY_FILESYSTEM,
	WALTRACE_E_FILESYSTEM_LOOP,
	WALTRACE_E_STALE_NETWORK_FILE_HANDLE,
	WALTRACE_E_INVALID_INPUT,
	WALTRACE_E_INVALID_DATA,
	WALTRACE_E_TIMED_OUT,
	WALTRACE_E_WRITE_ZERO,
	WALTRACE_E_STORAGE_FULL,
	WALTRACE_E_NOT_SEEKABLE,
	WALTRACE_E_QUOTA_EXCEEDED,
	WALTRACE_E_FILE_TOO_LARGE,
	WALTRACE_E_RESOURCE_BUSY,
	WALTRACE_E_EXECUTABLE_FILE_BUSY,
	WALTRACE_E_DEADLOCK,
	WALTRACE_E_CROSSES_DEVICES,
	WALTRACE_E_TOO_MANY_LINKS,
	WALTRACE_E_INVALID_FILENAME,
	WALTRACE_E_ARGUMENT_LIST_TOO_LONG,
	WALTRACE_E_INTERRUPTED,
	WALTRACE_E_UNSUPPORTED,
	WALTRACE_E_UNEXPECTED_EOF,
	WALTRACE_E_OUT_OF_MEMORY,
	WALTRACE_E_IN_PROGRESS,
	WALTRACE_E_OTHER,
	WALTRACE_E_UNCATEGORIZED,
	WALTRACE_ERROR_KINDS /* how many there are, "none" included */
};

/* Strings of a record, in the order of their keys. */
enum waltrace_string {
	WALTRACE_OUTCOME,
	WALTRACE_TRIGGER,
	WALTRACE_MODE,
	WALTRACE_LAST_STAGE,
	WALTRACE_PENDING_COMMIT_OUTCOME,
	WALTRACE_BATCH_WAIT_OUTCOME,
	WALTRACE_STRINGS /* how many there are */
};

/* Stages of a commit-lock holder, shown live. Other values are recorded as they are. */
enum waltrace_stage {
	WALTRACE_STAGE_NONE = 0,
	WALTRACE_STAGE_ACQUIRED = 1,
	WALTRACE_STAGE_SYNCING = 2,
	WALTRACE_STAGE_WAKING = 3,
	WALTRACE_STAGE_AFTER_SYNC = 4
};

/* ---- Session ------------------------------------------------------------------------------------------------ */

struct waltrace_error {
	int code;          /* negative errno */
	char message[128]; /* fixed text, for programs that compare */
	char detail[512];  /* which value, what range, how to mend it */
};

enum waltrace_on_limit {
	WALTRACE_ON_LIMIT_STOP = 0, /* the session ends with reason byte_limit */
	WALTRACE_ON_LIMIT_ROTATE /* eight files of max_bytes / 8, the oldest is deleted (max_bytes at least 512 KiB) */
};

/* Fill with waltrace_config_init, then set what differs. Pointers are read during waltrace_start only. */
struct waltrace_config {
	const char *directory; /* must exist; the file is created in it */
	const char *run_id;    /* 1 … 128 bytes */
	const char *build_id;  /* 1 … 128 bytes, or NULL: PI_STORE_WAL_TRACE_BUILD_ID, or none */
	uint64_t window_ms;    /* 10 … 60,000; default 1,000 */
	uint64_t capacity;     /* records in the queue, 16 … 262,144; default 65,536 */
	uint64_t max_bytes;    /* of the file, 65,536 … 16 GiB; default 2 GiB */
	uint64_t drain_ms;     /* 1 … 60,000; default 10; 0: drain at window ends only, without a wake-up */
	enum waltrace_on_limit on_limit;
	uint64_t min_ns; /* an operation faster than this leaves only its share of the histograms, unless it holds a
	                          sync_call; 0 (the default): keep all. The trace says so, and it isn't a loss. */
};

struct waltrace_report {
	const char *path; /* of the trace; lives as long as the process */
	uint64_t produced;
	uint64_t written;
	uint64_t dropped;     /* produced and given up */
	uint64_t omitted;     /* never produced: refused operations, rows past a limit, unsent helper rows */
	uint64_t outstanding; /* operations that had not ended */
	bool complete;        /* the observation has no gap; says nothing of the WAL's data */
	char reason[16]; /* shutdown, byte_limit, io_error, recovered, or rotated: shutdown, but files were deleted */
};

/* Sets every member to its default; directory and run_id to NULL, and these must then be set. Any thread. */
void waltrace_config_init(struct waltrace_config *config);

/* Starts the process's one session and its writer thread. `error` may be NULL.
 * Returns 0; -EINVAL (value out of range: "invalid trace configuration"), -ENOENT ("trace directory must exist"),
 * -EEXIST (a session was started or tried before), -ECANCELED (PI_STORE_WAL_TRACE=off: "trace disabled"), or the
 * errno of what failed. A failed start uses up the one session too. May block (files, memory, a thread): call it
 * from a control thread that holds no lock. */
int waltrace_start(const struct waltrace_config *config, struct waltrace_error *error);

/* Path of the session's trace, or NULL if there is no session. Lives as long as the process. Any thread. */
const char *waltrace_path(void);

/* Stops admitting operations, waits up to `timeout_ms` (0: just looks) until those admitted have ended and the
 * trace is closed, and fills the report. Returns 0; -ETIMEDOUT (nothing is cancelled: call it again); -ENOENT (no
 * session). Once there is a report every call returns the same one. Blocks: control thread only. */
int waltrace_shutdown(uint64_t timeout_ms, struct waltrace_report *report);

/* ---- Recovery --------------------------------------------------------------------------------------------------- */

/* Finishes the trace of a process that is gone: writes what it had handed over and what it was doing, and a session_end
 * with reason "recovered". `segment` is the name in the trace's header ("/waltrace-…"). `error` may be NULL.
 * Returns 0 with the report (its path lives as long as the process); -EBUSY (the process still runs, or another
 * recovers it now), -ENOENT (no such segment; or its trace is gone, and then the segment is removed), -EPERM (another
 * user's), -EXDEV (it belongs to another pid namespace: recover it there), -EBADMSG (damaged, left as it is), or another
 * errno. May be interrupted at any moment and called again. Blocks (files). */
int waltrace_recover(const char *segment, struct waltrace_report *report, struct waltrace_error *error);

/* Recovers every segment of this user whose process is gone, in `directory` (of the traces; NULL: in any), and calls
 * `each` with what came of it. Returns how many segments it looked at, or a negative errno. Blocks (files). */
int waltrace_recover_all(const char *directory,
                         void (*each)(void *context, const char *segment, int result,
                                      const struct waltrace_report *report, const struct waltrace_error *error),
                         void *context);

/* ---- Loggers ------------------------------------------------------------------------------------------------ */

struct waltrace_logger; /* lives as long as the process */

struct waltrace_logger_config {
	const char *wal_directory; /* must exist; must not be the trace directory or hold it */
	const void *initial_file;  /* path as the log prints it: any bytes; may be NULL if the size is 0 */
	size_t initial_file_bytes; /* 0 … WALTRACE_MAX_PATH */
	uint64_t runtime_id;
	uint64_t block_limit;
	uint64_t delay_ms;
	uint64_t checkpoint_limit;
	uint64_t collect_interval_ms;
};

/* Registers a root WAL directory. If nobody started a session yet, this is the moment in which the environment
 * starts one (PI_STORE_WAL_TRACE_DIR and its relatives; see waltrace(7)). Returns the logger, or NULL, which every
 * call takes as "inactive": no session, or refused and counted as omitted. Blocks (files): call it when the log is
 * opened, with no lock held. */
struct waltrace_logger *waltrace_logger_register(const struct waltrace_logger_config *config);

/* Registers only if a session runs or the environment asks for one (a PI_STORE_WAL_TRACE* variable is set and
 * PI_STORE_WAL_TRACE isn't "off"); otherwise NULL. For logs that must not fill a disk that nobody asked them to. */
struct waltrace_logger *waltrace_logger_register_if_asked(const struct waltrace_logger_config *config);

/* ---- Clock -------------------------------------------------------------------------------------------------- */

/* Private: ticks to session time. Replaced as a whole when recalibrated, so a pointer once read stays valid. */
struct waltrace__clock {
	int64_t base_ticks;
	int64_t base_ns;
	uint64_t mult; /* ns a tick, 32.32 fixed point; 0: no usable tick counter */
};
extern const struct waltrace__clock *waltrace__clock;
uint64_t waltrace__now_slow(void);

/* Nanoseconds since the session began; meaningless without one. Any thread. */
static inline uint64_t waltrace_now(void)
{
#if defined(__x86_64__)
	/* Acquire, with the release of who published it: the members are whole. A plain load on x86. */
	const struct waltrace__clock *c = __atomic_load_n(&waltrace__clock, __ATOMIC_ACQUIRE);
	if (__builtin_expect(c->mult != 0, 1)) {
		int64_t ticks = (int64_t)__builtin_ia32_rdtsc() - c->base_ticks;
		__extension__ typedef __int128 wide;
		return (uint64_t)(c->base_ns + (int64_t)(((wide)ticks * (wide)c->mult) >> 32));
	}
#endif
	return waltrace__now_slow();
}

/* ---- Operations and spans: memory --------------------------------------------------------------------------- */

/* Private: a record while it is filled in. Only what `mask` and `word` name holds anything. */
struct waltrace__row {
	uint64_t id;
	uint64_t mask;  /* bit f: value[f] is set; bits 48, 49: a path is */
	uint64_t words; /* a byte a string (255: it is in text), then kind, then error kind: see waltrace__words */
	uint64_t value[WALTRACE_FIELDS];
	uint32_t path_bytes[2], path_block[2];
	uint8_t text_bytes[WALTRACE_STRINGS];
	char text[WALTRACE_STRINGS][WALTRACE_MAX_TEXT];
	char path[2][WALTRACE_MAX_TEXT]; /* a path of up to 255 bytes; a longer one is in the session's blocks */
};

struct waltrace_helper;
struct wt_slot;

struct waltrace_op {
	struct waltrace_logger *logger; /* NULL: inactive */
	struct wt_slot *slot;           /* NULL: a helper */
	struct waltrace_helper *helper; /* not NULL: a helper */
	uint32_t lost[8];               /* omissions so far, an entry a cause */
	uint8_t flush_set, flush_fast, flush_word, flush_text_bytes;
	uint64_t flush_start_ns, flush_ns;
	bool primary_waiting; /* the primary record isn't opened yet */
	struct waltrace__row primary;
	char flush_text[WALTRACE_MAX_TEXT];
};

struct waltrace_span {
	struct waltrace__row *row; /* NULL: inactive */
	struct waltrace_op *op;
	uint64_t acquired_ns;
	uint8_t state; /* bits: waiting 1, owns the commit lock 2, acquired 4 */
	struct waltrace__row own;
};

enum {
	WALTRACE__ROW_MAX =
		32 + WALTRACE_FIELDS * 8 + WALTRACE_STRINGS * (WALTRACE_MAX_TEXT + 1) + 2 * (WALTRACE_MAX_TEXT + 9)
};

struct waltrace_helper {
	struct waltrace_op op;
	uint8_t rows;
	uint16_t bytes;
	WALTRACE__ALIGN8 unsigned char row[(int)WALTRACE_MAX_HELPER_ROWS * (int)WALTRACE__ROW_MAX];
};

struct waltrace_packet {
	int result;      /* what the helper sent: 0 or a negative errno; valid after a successful receive */
	int result_kind; /* enum waltrace_error_kind of it */
	uint8_t rows;
	uint16_t bytes;
	WALTRACE__ALIGN8 unsigned char row[(int)WALTRACE_MAX_HELPER_ROWS * (int)WALTRACE__ROW_MAX];
};

/* Private: 1 while operations are admitted. The pointer changes once, at the start. */
extern uint32_t *waltrace__gate;
static inline bool waltrace__open(void)
{
	uint32_t *gate = __atomic_load_n(&waltrace__gate, __ATOMIC_RELAXED);
	return __atomic_load_n(gate, __ATOMIC_RELAXED) == 1;
}

/* Private: the out-of-line parts of the inline calls below. */
bool waltrace__op_begin(struct waltrace_op *op, struct waltrace_logger *logger, enum waltrace_kind kind);
bool waltrace__op_timer(struct waltrace_op *timer, const struct waltrace_op *parent);
void waltrace__op_since(const struct waltrace_op *op, uint64_t start_ns);
void waltrace__op_end(struct waltrace_op *op, bool unwinding);
void waltrace__helper_begin(struct waltrace_helper *helper, const struct waltrace_op *parent);
void waltrace__span_open(struct waltrace_span *span, struct waltrace_op *op, enum waltrace_kind kind,
                         uint64_t parent_id, enum waltrace_word trigger);
void waltrace__span_wait_commit(struct waltrace_span *span);
void waltrace__span_acquired(struct waltrace_span *span, bool commit);
void waltrace__span_stage(struct waltrace_span *span, uint64_t stage);
void waltrace__span_disown(struct waltrace_span *span);
void waltrace__span_end(struct waltrace_span *span, bool unwinding);
void waltrace__row_text(struct waltrace_op *op, struct waltrace__row *row, enum waltrace_string which, const char *text,
                        size_t bytes);
void waltrace__row_path(struct waltrace_op *op, struct waltrace__row *row, int slot, const void *path, size_t bytes);

static inline void waltrace__row_set(struct waltrace__row *row, enum waltrace_field field, uint64_t value)
{
	row->value[field] = value;
	row->mask |= 1ull << field;
}

/* Bytes 0 … 5 are the strings, 6 the kind, 7 the error kind. Always written and read whole: a byte's store followed by a
 * load of all eight would have to wait for the cache. */
static inline uint64_t waltrace__words(uint64_t words, unsigned which, unsigned value)
{
	return (words & ~(255ull << 8 * which)) | (uint64_t)value << 8 * which;
}

static inline void waltrace__row_word(struct waltrace__row *row, enum waltrace_string which, unsigned word)
{
	row->words = waltrace__words(row->words, which, word);
}

static inline void waltrace__row_error(struct waltrace__row *row, enum waltrace_error_kind kind)
{
	row->words =
		waltrace__words(waltrace__words(row->words, WALTRACE_OUTCOME, WALTRACE_W_ERROR), 7, (unsigned)kind);
}

static inline void waltrace__row_finish(struct waltrace__row *row)
{
	if (!(row->mask & 1ull << WALTRACE_START_NS)) return;
	uint64_t now = waltrace_now(), start = row->value[WALTRACE_START_NS];
	waltrace__row_set(row, WALTRACE_TOTAL_NS, now > start ? now - start : 0);
}

/* ---- Operations --------------------------------------------------------------------------------------------- */

/* Begins an operation of `kind` and takes a slot for it. Returns whether it was admitted; the calls that follow are
 * the same either way. The record of the operation itself (its primary) has its id from now on, except for
 * WALTRACE_KIND_MAINTENANCE, which has none. */
static inline bool waltrace_op_begin(struct waltrace_op *op, struct waltrace_logger *logger, enum waltrace_kind kind)
{
	if (logger && waltrace__open()) return waltrace__op_begin(op, logger, kind);
	op->logger = NULL;
	return false;
}

/* Begins the operation of a timer (kind timer_run) on behalf of `parent`, which must not have ended: admitted also
 * while the session is closing. Its primary record is a timer_run. The two may end in either order. */
static inline bool waltrace_op_timer(struct waltrace_op *timer, const struct waltrace_op *parent)
{
	if (parent->logger) return waltrace__op_timer(timer, parent);
	timer->logger = NULL;
	return false;
}

static inline bool waltrace_op_active(const struct waltrace_op *op) { return op->logger != NULL; }

/* waltrace_now() if active, else 0. */
static inline uint64_t waltrace_op_now(const struct waltrace_op *op) { return op->logger ? waltrace_now() : 0; }

/* Id of the primary record while it isn't opened by waltrace_op_root; else 0. */
static inline uint64_t waltrace_op_id(const struct waltrace_op *op)
{
	return op->logger && op->primary_waiting ? op->primary.id : 0;
}

/* Ends the operation: its hosted channels are closed and drained and its records handed over. All its spans have
 * ended, all your locks are released. Its slot is free afterwards. */
static inline void waltrace_op_end(struct waltrace_op *op)
{
	if (op->logger) waltrace__op_end(op, false);
}

/* The same while the stack unwinds (a C++ exception, pthread cancellation): an unfinished primary becomes "unwind". */
static inline void waltrace_op_end_unwind(struct waltrace_op *op)
{
	if (op->logger) waltrace__op_end(op, true);
}

/* Counts one omission of the caller's: something that should have been recorded wasn't. */
static inline void waltrace_op_omit(struct waltrace_op *op)
{
	if (op->logger) op->lost[0]++;
}

/* What every root_flush record of this operation takes over when its span ends. Waits of a batch: */
static inline void waltrace_op_flush_fast(struct waltrace_op *op, bool fast)
{
	op->flush_fast = fast;
	op->flush_set |= 1;
}
static inline void waltrace_op_batch_wait_start(struct waltrace_op *op, uint64_t start_ns)
{
	op->flush_start_ns = start_ns;
	op->flush_set |= 2;
}
static inline void waltrace_op_batch_wait(struct waltrace_op *op, uint64_t wait_ns)
{
	op->flush_ns = wait_ns;
	op->flush_set |= 4;
}
static inline void waltrace_op_batch_wait_outcome(struct waltrace_op *op, enum waltrace_word outcome)
{
	op->flush_word = (uint8_t)outcome;
}
/* The same with any text of up to WALTRACE_MAX_TEXT bytes. */
void waltrace_op_batch_wait_outcome_text(struct waltrace_op *op, const char *text, size_t bytes);

/* The primary record while it isn't opened; afterwards these do nothing (use the span). */
static inline void waltrace_op_set(struct waltrace_op *op, enum waltrace_field field, uint64_t value)
{
	if (!waltrace_op_id(op)) return;
	waltrace__row_set(&op->primary, field, value);
	if (field == WALTRACE_START_NS) waltrace__op_since(op, value);
}
static inline void waltrace_op_word(struct waltrace_op *op, enum waltrace_string which, enum waltrace_word word)
{
	if (waltrace_op_id(op)) waltrace__row_word(&op->primary, which, (unsigned)word);
}
static inline void waltrace_op_text(struct waltrace_op *op, enum waltrace_string which, const char *text, size_t bytes)
{
	if (waltrace_op_id(op)) waltrace__row_text(op, &op->primary, which, text, bytes);
}
static inline void waltrace_op_cid(struct waltrace_op *op, uint64_t high, uint64_t low)
{
	waltrace_op_set(op, WALTRACE_CID_LO, low);
	waltrace_op_set(op, WALTRACE_CID_HI, high);
}
/* Error without an errno, and with one (`os_code` as the system gives it, positive). */
static inline void waltrace_op_error_kind(struct waltrace_op *op, enum waltrace_error_kind kind)
{
	if (waltrace_op_id(op)) waltrace__row_error(&op->primary, kind);
}
enum waltrace_error_kind waltrace_error_kind_of(int os_code);
static inline void waltrace_op_error(struct waltrace_op *op, int os_code)
{
	waltrace_op_error_kind(op, waltrace_error_kind_of(os_code));
	waltrace_op_set(op, WALTRACE_OS_ERROR, (uint64_t)(int64_t)os_code);
}

/* ---- Spans -------------------------------------------------------------------------------------------------- */

/* Opens the operation's primary record as a span; inactive if there is none or it was opened before. */
static inline void waltrace_op_root(struct waltrace_op *op, struct waltrace_span *span)
{
	span->op = op;
	span->state = 0;
	span->row = waltrace_op_id(op) ? &op->primary : NULL;
	if (op->logger) op->primary_waiting = false;
}

/* Opens a span of `kind` in the operation. `parent_id`: id of the record around it, 0 for none. `trigger`: what set
 * it off, WALTRACE_W_NONE for nothing. Spans of one operation end innermost first. */
static inline void waltrace_span_open(struct waltrace_span *span, struct waltrace_op *op, enum waltrace_kind kind,
                                      uint64_t parent_id, enum waltrace_word trigger)
{
	span->row = NULL;
	span->op = op;
	if (op->logger) waltrace__span_open(span, op, kind, parent_id, trigger);
}

/* Id of the span's record, 0 if inactive. */
static inline uint64_t waltrace_span_id(const struct waltrace_span *span) { return span->row ? span->row->id : 0; }

static inline void waltrace_span_set(struct waltrace_span *span, enum waltrace_field field, uint64_t value)
{
	if (!span->row) return;
	waltrace__row_set(span->row, field, value);
	if (field == WALTRACE_START_NS && span->row == &span->op->primary) waltrace__op_since(span->op, value);
}

/* Opens a span inside `parent`. `link` is a field of the parent that takes the child's id, or WALTRACE_FIELDS. Inside
 * an inactive span of an active operation (the root of one without a primary) it is a span without a parent. */
static inline void waltrace_span_child(struct waltrace_span *child, struct waltrace_span *parent,
                                       enum waltrace_kind kind, enum waltrace_word trigger, enum waltrace_field link)
{
	waltrace_span_open(child, parent->op, kind, waltrace_span_id(parent), trigger);
	if (link != WALTRACE_FIELDS) waltrace_span_set(parent, link, waltrace_span_id(child));
}

/* Stores now in a field. */
static inline void waltrace_span_mark(struct waltrace_span *span, enum waltrace_field field)
{
	if (span->row) waltrace__row_set(span->row, field, waltrace_now());
}

/* Stores start_ns. */
static inline void waltrace_span_begin(struct waltrace_span *span)
{
	if (!span->row) return;
	waltrace_span_set(span, WALTRACE_START_NS, waltrace_now());
}

static inline void waltrace_span_word(struct waltrace_span *span, enum waltrace_string which, enum waltrace_word word)
{
	if (span->row) waltrace__row_word(span->row, which, (unsigned)word);
}
/* Any text: what is longer than WALTRACE_MAX_TEXT bytes is cut and counted; empty leaves the key out. */
static inline void waltrace_span_text(struct waltrace_span *span, enum waltrace_string which, const char *text,
                                      size_t bytes)
{
	if (span->row) waltrace__row_text(span->op, span->row, which, text, bytes);
}

static inline void waltrace_span_cid(struct waltrace_span *span, uint64_t high, uint64_t low)
{
	waltrace_span_set(span, WALTRACE_CID_LO, low);
	waltrace_span_set(span, WALTRACE_CID_HI, high);
}

/* Keeps a path (any bytes). `slot` 0: source_path, 1: target_path. A path past WALTRACE_MAX_PATH_BYTES of all paths
 * is left out and counted. Copying takes time in proportion to `bytes`. */
static inline void waltrace_span_path(struct waltrace_span *span, int slot, const void *path, size_t bytes)
{
	if (span->row) waltrace__row_path(span->op, span->row, slot, path, bytes);
}

/* total_ns = now − start_ns if the span has begun, and the outcome. */
static inline void waltrace_span_finish(struct waltrace_span *span, enum waltrace_word outcome)
{
	if (!span->row) return;
	waltrace__row_finish(span->row);
	waltrace__row_word(span->row, WALTRACE_OUTCOME, (unsigned)outcome);
}

/* Outcome "error" and its kind; with an errno also os_error. */
static inline void waltrace_span_error_kind(struct waltrace_span *span, enum waltrace_error_kind kind)
{
	if (span->row) waltrace__row_error(span->row, kind);
}
static inline void waltrace_span_error(struct waltrace_span *span, int os_code)
{
	if (!span->row) return;
	waltrace__row_error(span->row, waltrace_error_kind_of(os_code));
	waltrace__row_set(span->row, WALTRACE_OS_ERROR, (uint64_t)(int64_t)os_code);
}

/* Finishes with "success" for 0, with "error" and its details for a negative errno. */
static inline void waltrace_span_result(struct waltrace_span *span, int result)
{
	waltrace_span_finish(span, result < 0 ? WALTRACE_W_ERROR : WALTRACE_W_SUCCESS);
	if (result < 0) waltrace_span_error(span, -result);
}

/* Before asking for the commit lock: begins, and counts this thread among the logger's waiters. */
static inline void waltrace_span_wait_commit(struct waltrace_span *span)
{
	if (span->row) waltrace__span_wait_commit(span);
}

/* Just after getting a lock: lock_wait_ns. `commit`: it is the logger's commit lock; takes the next lock_seq and
 * publishes this span as the owner. */
static inline void waltrace_span_acquired(struct waltrace_span *span, bool commit)
{
	if (span->row) waltrace__span_acquired(span, commit);
}

/* Publishes what the owner of the commit lock is doing; nothing for other spans. */
static inline void waltrace_span_stage(struct waltrace_span *span, uint64_t stage)
{
	if (span->row && span->state & 2) waltrace__span_stage(span, stage);
}

/* Just before releasing the lock: lock_hold_ns, and the logger has no owner any more. */
static inline void waltrace_span_releasing(struct waltrace_span *span)
{
	if (!span->row || !(span->state & 4)) return;
	uint64_t now = waltrace_now();
	waltrace__row_set(span->row, WALTRACE_LOCK_HOLD_NS, now > span->acquired_ns ? now - span->acquired_ns : 0);
	if (span->state & 2) waltrace__span_disown(span);
}

/* After releasing it, where the total is to hold the release too: total_ns, the outcome stays. */
static inline void waltrace_span_released(struct waltrace_span *span)
{
	if (span->row) waltrace__row_finish(span->row);
}

/* Ends the span: its record joins the operation. Without an outcome it is "cancelled". */
static inline void waltrace_span_end(struct waltrace_span *span)
{
	if (span->row) waltrace__span_end(span, false);
}

/* The same while the stack unwinds: without an outcome it is "unwind". */
static inline void waltrace_span_end_unwind(struct waltrace_span *span)
{
	if (span->row) waltrace__span_end(span, true);
}

/* ---- Helpers: sub-tasks that hand their records back to the operation that started them ------------------------ */

/* A one-shot channel from a fixed pool. NULL when the pool is empty: the calls below take NULL as "closed". */
struct waltrace_channel;

/* A channel with both ends open, or NULL (no session, or the pool is empty, which counts as omitted). */
struct waltrace_channel *waltrace_channel_open(void);

/* Gives the receiving end to `parent`, which closes and drains it at its end. False, and nothing done, if the parent
 * hosts 8, is inactive or is a helper. */
bool waltrace_channel_host(struct waltrace_op *parent, struct waltrace_channel *channel);

/* Closes an end. The receiving end only if it isn't hosted. */
void waltrace_channel_close_receiver(struct waltrace_channel *channel);
void waltrace_channel_close_sender(struct waltrace_channel *channel);

/* Begins a helper of `parent`, which must not have ended. Use &helper->op as its operation: it has no primary record,
 * stages at most 2 rows, and is ended with waltrace_op_end. Admitted also while the session is closing. */
static inline void waltrace_helper_begin(struct waltrace_helper *helper, const struct waltrace_op *parent)
{
	helper->op.logger = NULL;
	if (parent->logger) waltrace__helper_begin(helper, parent);
}

/* Sends the helper's rows and `result` (0 or a negative errno; `result_kind` names an error without an errno, else
 * WALTRACE_E_NONE). If the parent has closed its end, the rows are handed over from here, so hold no lock. If the
 * channel is full the rows count as omitted. Wakes the receiver: one system call if it sleeps. */
void waltrace_packet_send(struct waltrace_helper *helper, struct waltrace_channel *channel, int result,
                          enum waltrace_error_kind result_kind);

/* Waits for the packet of a channel that `parent` hosts, up to `timeout_ms` (UINT64_MAX: as long as it takes).
 * Returns 0, -EPIPE (the sender is gone) or -ETIMEDOUT. Blocks. A received packet must be merged or discarded. */
int waltrace_packet_receive(struct waltrace_op *parent, struct waltrace_channel *channel,
                            struct waltrace_packet *packet, uint64_t timeout_ms);

/* Takes the packet's rows into the operation (those past 32 are omitted) and returns the helper's result. */
int waltrace_packet_merge(struct waltrace_op *parent, struct waltrace_packet *packet);

/* Drops a received packet; its rows count as omitted. */
void waltrace_packet_discard(struct waltrace_op *parent, struct waltrace_packet *packet);

/* ---- Scope guards ------------------------------------------------------------------------------------------- */

/* Declares an operation or span that is ended in its unwind form if the scope is left while it is still open (pthread
 * cancellation, an exception passing through C code built with -fexceptions). The normal path ends it itself.
 *     WALTRACE_GUARDED_OP(op);  waltrace_op_begin(&op, logger, kind); … waltrace_op_end(&op);
 */
static inline void waltrace__op_guard(struct waltrace_op *op) { waltrace_op_end_unwind(op); }
static inline void waltrace__span_guard(struct waltrace_span *span) { waltrace_span_end_unwind(span); }
#define WALTRACE_GUARDED_OP(name) \
	__attribute__((cleanup(waltrace__op_guard))) struct waltrace_op name; \
	name.logger = NULL
#define WALTRACE_GUARDED_SPAN(name) \
	__attribute__((cleanup(waltrace__span_guard))) struct waltrace_span name; \
	name.row = NULL

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
