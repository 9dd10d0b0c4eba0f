/* SPDX-License-Identifier: MIT */
/*
 * libcommitlog: a segmented write-ahead log with group commit and checkpoints, with the flight recorder built in.
 *
 * The life of a commit:
 *
 *   commitlog_append    copies the record into memory and registers the transaction with the current checkpoint file
 *   commitlog_flush     returns when the batch that holds the record is on stable storage
 *   (publish)           the caller makes the commit visible
 *   commitlog_confirm   recovery doesn't need the record any more
 *
 * After a crash or a close: commitlog_open, commitlog_replay (the records that were not confirmed, and some that were),
 * commitlog_finish_replay.
 *
 * When every transaction of a finished checkpoint file is confirmed, and those of all older files, it becomes a .bak.
 *
 * Rules that hold for every call unless its own text says otherwise:
 *
 *   Results   0, or a negative errno. A call that can refuse bad input for many reasons also fills an error's message.
 *   Threads   any number of threads may use one log at once. Close is called once, when no other call on that log is
 *             under way but flushes, which it settles; none begins after it.
 *   Blocking  calls may wait for a checkpoint (rotation) under way; what else may block says so.
 *   Pointers  must not be NULL where the text doesn't say what NULL does. Bytes and strings are copied in the call.
 *   Failure   after a failed write or fsync the log has failed for good: every later append, flush and checkpoint
 *             returns that same errno, nothing is acknowledged again, until it is closed and opened anew.
 *   State     there is none outside the log that open returns.
 */
#ifndef COMMITLOG_H
#define COMMITLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COMMITLOG_VERSION "0.1.0"

/* Limits; the sizes are in bytes. */
enum {
	COMMITLOG_MAX_PAYLOAD = 32 << 20,   /* of one record */
	COMMITLOG_MAX_UNFLUSHED = 64 << 20, /* appended and not durable yet, all together, as they lie in the block */
	COMMITLOG_MAX_DIRECTORY = 3072,     /* length of the directory's name, from the root on */
	COMMITLOG_MAX_ASYNC = 65536,        /* flushes asked for with flush_async and not called back */
	COMMITLOG_REPLAY_RECORD_BYTES = 16  /* that replay counts a record beside its value */
};

/* ---- Options ------------------------------------------------------------------------------------------------ */

enum commitlog_trace {
	COMMITLOG_TRACE_OFF = 0, /* records nothing */
	COMMITLOG_TRACE_ENV = 1, /* default: if a session runs or a PI_STORE_WAL_TRACE* variable asks for one */
	COMMITLOG_TRACE_ON = 2   /* registers with the recorder, which may start a session from the environment */
};

/* Fill with commitlog_options_init, then set what differs. A value out of its range falls back to its default, which
 * is reported: bits of enum commitlog_fallback in the log's statistics. */
struct commitlog_options {
	uint64_t
		block_limit_bytes; /* 2 KiB … 32 MiB; default 8 KiB. Timer mode: who fills a block to this commits it */
	uint64_t delay_ms;         /* 0 (default): the first committer leads at once; 1 … 10: delay timer; else 1 */
	uint64_t
		checkpoint_limit_bytes; /* 2 MiB … 2 GiB; default 32 MiB. A file of this size is followed by a new one */
	uint64_t
		collect_interval_ms; /* 5,000 … 300,000; default 10,000. How often the size is looked at in background */
	uint64_t prefill_bytes;      /* 0: off; 64 KiB … 2 GiB; default 32 MiB. Zeros written ahead of the records */
	enum commitlog_trace trace;
};

enum commitlog_fallback {
	COMMITLOG_FELL_BACK_BLOCK_LIMIT = 1,
	COMMITLOG_FELL_BACK_DELAY = 2,
	COMMITLOG_FELL_BACK_CHECKPOINT_LIMIT = 4,
	COMMITLOG_FELL_BACK_COLLECT_INTERVAL = 8,
	COMMITLOG_FELL_BACK_PREFILL = 16,
	COMMITLOG_FELL_BACK_TRACE = 32
};

/* Sets every member to its default. */
void commitlog_options_init(struct commitlog_options *options);

/* ---- Opening and closing ------------------------------------------------------------------------------------ */

struct commitlog; /* owned by whoever opened it, until close */

struct commitlog_error {
	int code;          /* 0 or a negative errno */
	char message[512]; /* what, where, how to mend it; NUL-terminated */
};

/* Opens the log in `directory`, which is created if it is missing (its parent must exist). Only one process, and one
 * log in it, has a directory open: the lock is the kernel's and ends with the process. The working directory, from which a
 * relative name is taken, may change afterwards.
 *
 * Every file that isn't a .bak is read from front to back and every block checked. A torn tail of the last file (a
 * write that a crash cut short: no valid block follows it) is cut off and kept beside it as NAME.torn; what was found
 * and cut is in the log's statistics. Anything else that isn't valid is refused and nothing is changed. New records go
 * to a new file. If records were found, no file becomes a .bak before they were replayed: see commitlog_replay.
 *
 * `options` NULL: all defaults. `error` NULL: no message wanted. Returns 0 and the log in *log, or:
 *   -EBADMSG       damage; the message names file, offset and reason
 *   -EWOULDBLOCK   the directory is open elsewhere
 *   -ENAMETOOLONG  directory, from the root on, longer than COMMITLOG_MAX_DIRECTORY
 *   -ENOTDIR, -EACCES, -ENOSPC, -EIO, -ENOMEM …  what the system said
 * *log is NULL after an error. Blocks: reads all the files, writes the prefill, starts the log's threads. */
int commitlog_open(const char *directory, const struct commitlog_options *options, struct commitlog_error *error,
                   struct commitlog **log);

/* Makes durable what was appended, stops the threads, cuts the file to its true length, releases the directory and
 * frees the log. NULL: nothing. Returns 0 or the first error; the log is gone either way. After a failure nothing more
 * is written. Blocks. Flushes under way return their result before close does. */
int commitlog_close(struct commitlog *log);

/* ---- Commit ------------------------------------------------------------------------------------------------- */

/* Id of a commit or transaction, chosen by the caller. On disk: 16 bytes, little-endian, `low` first. */
struct commitlog_cid {
	uint64_t high, low;
};

/* Appends a record of `bytes` bytes to the current block in memory and registers `cid` with the current checkpoint
 * file; a cid that is registered already moves to it. The record's handle is put in *handle: 1, 2, 3 … in the order in
 * which records lie in the log. An empty payload is not a record: 0, handle 0, counted and registered nowhere.
 * `payload` may be NULL if `bytes` is 0; `handle` may be NULL.
 *   -EMSGSIZE  payload over COMMITLOG_MAX_PAYLOAD
 *   -EAGAIN    it would exceed COMMITLOG_MAX_UNFLUSHED: flush, then try again
 *   -ENOMEM
 *   the log's failure
 * Writes nothing. */
int commitlog_append(struct commitlog *log, struct commitlog_cid cid, const void *payload, size_t bytes,
                     uint64_t *handle);

/* Returns when the record with this handle, and all before it, are on stable storage. Handle 0: 0 at once.
 *   -EINVAL  a handle that append never gave out
 *   the log's failure: this record must be taken as not durable
 * Blocks. */
int commitlog_flush(struct commitlog *log, uint64_t handle);

/* Gets the outcome of a flush_async: what commitlog_flush would have returned. */
typedef void commitlog_flushed(void *context, uint64_t handle, int result);

/* The same without a blocked thread: returns at once, and `callback` is called once, later, never from within this call.
 * All callbacks of a log run on one thread of its own, which the first use starts, one after another in the order of the
 * calls, with no lock held. So a callback may use the log (but not close it), and delays those after it while it runs.
 * The failure of a batch reaches each callback that it concerns.
 *   -EINVAL    a handle that append never gave out
 *   -EAGAIN    COMMITLOG_MAX_ASYNC are outstanding
 *   -ECANCELED the log is being closed
 *   -ENOMEM, or what the system said about the thread
 * After an error there is no callback. Close waits for the outstanding ones and calls each; no flush_async may be under
 * way when it begins, but those in callbacks, which are refused. May be called inside a callback. Never blocks on I/O. */
int commitlog_flush_async(struct commitlog *log, uint64_t handle, commitlog_flushed *callback, void *context);

/* Says that recovery doesn't need this transaction any more. Unknown or repeated: 0, no effect. Is not itself durable:
 * after a crash a confirmed record may be replayed. May block: a confirm that brings the current file over its limit
 * or completes a file rotates or renames it, and returns the error if that fails. */
int commitlog_confirm(struct commitlog *log, struct commitlog_cid cid);

/* ---- Replay ------------------------------------------------------------------------------------------------- */

enum commitlog_method { COMMITLOG_METHOD_REMOVE = 0, COMMITLOG_METHOD_APPEND = 1 };

/* One entry; its bytes are valid during the callback only. */
struct commitlog_entry {
	uint64_t file_index;
	uint64_t offset;        /* of the entry in its file */
	uint64_t block_offset;  /* of its block */
	uint64_t block_time_ms; /* wall clock when the block was written */
	enum commitlog_method method;
	const void *key; /* of commits: the 16 bytes of the cid */
	size_t key_bytes;
	const void *value;
	size_t value_bytes;
	struct commitlog_cid cid; /* the key as a cid; zero if the key isn't 16 bytes long */
};

/* Returns 0 to go on; any other value ends the replay or scan, which returns it. */
typedef int commitlog_visit(void *context, const struct commitlog_entry *entry);

struct commitlog_replay_summary {
	uint64_t files, records;
	uint64_t bytes; /* of the records' values, and COMMITLOG_REPLAY_RECORD_BYTES for each */
	struct commitlog_error error;
};

/* Gives the records that open found in files that aren't .bak to `visit`, oldest first, in the order in which they were
 * appended, each with its method and the time of its block. Which of them were confirmed isn't on disk: any may have
 * been, so applying a record again must do no harm. All that is given is durable.
 *
 * What is still needed afterwards is the callback's to say: for each such record it calls commitlog_append_replay, which
 * registers the transaction with the file that the record came from. A transaction that isn't registered so needs no
 * further replay. commitlog_finish_replay then makes a .bak of each file for which nobody waits, nor for an older one.
 * Without replay and finish nothing ever becomes a .bak, also of what is appended since (see needs_replay in the
 * statistics): the next open finds all of it again.
 *
 * Other threads may append, flush and confirm meanwhile, and so may the callback. What was appended since open isn't
 * replayed; if there is any when the replay begins, it begins a new file. Only a window of one file is in memory.
 *
 * `visit` NULL: just checks and counts. `summary`: NULL if not wanted; filled also after an error. Returns 0, what `visit`
 * returned, or:
 *   -EBUSY     a replay is under way
 *   -EALREADY  it was finished; to read once more, use commitlog_scan or open the log anew
 *   -EBADMSG   a file isn't any more as open found it
 *   what the system said
 * After an error or a callback's refusal it can be called again and begins at the oldest record; registrations remain.
 * Blocks (reads); holds no lock while the callback runs. */
int commitlog_replay(struct commitlog *log, commitlog_visit *visit, void *context,
                     struct commitlog_replay_summary *summary);

/* During replay, or after it until finish: registers the entry's transaction with the file it came from. Writes nothing.
 * Only file_index, cid and key_bytes of the entry are looked at, so that it may be a copy, and any thread may call. In
 * *handle (NULL: not wanted) is 0: it is durable already. One that is registered with an older file stays there.
 *   -EINVAL  no replay, or it is finished; not a file that open found; not the key of a commit (16 bytes)
 *   -ENOMEM */
int commitlog_append_replay(struct commitlog *log, const struct commitlog_entry *entry, uint64_t *handle);

/* Flush of what append_replay gave: 0 for handle 0, else -EINVAL. For engines whose commit calls append, flush, confirm. */
int commitlog_flush_replay(struct commitlog *log, uint64_t handle);

/* During replay, or after it until finish: says that recovery won't need the transaction any more. Takes effect at
 * finish, unless it is registered again in between. Unknown or repeated: 0, no effect. -EINVAL: no replay, or it is
 * finished. */
int commitlog_confirm_replay(struct commitlog *log, struct commitlog_cid cid);

/* Ends a replay that has returned 0: applies the confirms and makes a .bak of each old file that nobody waits for, oldest
 * first. What is still registered is confirmed with commitlog_confirm. Returns 0; -EINVAL (there was no replay that
 * returned 0), -EBUSY (it is under way), or the error of a rename (the finish counts; call it again to try the rename
 * again, as the log does by itself now and then). Blocks. */
int commitlog_finish_replay(struct commitlog *log);

/* ---- Checkpoints -------------------------------------------------------------------------------------------- */

/* Commits the pending block to the current file, finishes that file and begins the next one; no append comes between.
 * The index of the new current file is put in *file_index (NULL: not wanted). Returns 0 or the error of what failed
 * (a failed write or fsync is the log's failure). Blocks. */
int commitlog_checkpoint(struct commitlog *log, uint64_t *file_index);

/* Index of the file with which `cid` is registered, in *file_index; -ENOENT if it isn't (unknown or confirmed). */
int commitlog_checkpoint_of(struct commitlog *log, struct commitlog_cid cid, uint64_t *file_index);

/* The next file index to be given out: that of the current file + 1. */
uint64_t commitlog_current_checkpoint(struct commitlog *log);

/* Transactions registered and not confirmed. */
uint64_t commitlog_waiting_confirm_count(struct commitlog *log);

/* Records appended to this log since it was opened. */
uint64_t commitlog_append_total(struct commitlog *log);

/* Confirms that had an effect since it was opened. */
uint64_t commitlog_confirm_total(struct commitlog *log);

/* ---- What it did -------------------------------------------------------------------------------------------- */

struct commitlog_stats {
	struct commitlog_options options; /* as they are in force */
	uint32_t fallbacks;               /* bits of enum commitlog_fallback */
	int failed;                       /* 0, or the negative errno with which the log has failed for good */

	/* Since open. */
	uint64_t appended;        /* records */
	uint64_t durable;         /* records on stable storage = the newest durable handle */
	uint64_t confirmed;       /* confirms that had an effect */
	uint64_t waiting_confirm; /* transactions registered now */
	uint64_t batches;         /* blocks written */
	uint64_t commit_syncs;    /* fdatasync calls made for blocks */
	uint64_t other_syncs;     /* fsync calls for files begun and finished and for the directory */
	uint64_t entry_bytes;     /* bytes of entries in the blocks written */
	uint64_t written_bytes;   /* the same with trailers */
	uint64_t rotations;
	uint64_t backups; /* files that became .bak */

	/* Found by open. */
	uint64_t found_files; /* that aren't .bak */
	uint64_t found_blocks;
	uint64_t found_records;
	uint64_t torn_bytes; /* cut off the last file, and kept in a .torn file */

	bool needs_replay; /* records were found and replay isn't finished: no file becomes a .bak */
};

/* A snapshot; its numbers may be of slightly different instants while the log is in use. */
void commitlog_stats(struct commitlog *log, struct commitlog_stats *stats);

/* ---- Reading without opening -------------------------------------------------------------------------------- */

enum commitlog_scan_files {
	COMMITLOG_SCAN_LIVE = 0, /* files that recovery would read */
	COMMITLOG_SCAN_ALL = 1   /* those and the .bak ones */
};

struct commitlog_scan_summary {
	uint64_t files, blocks, records, bytes; /* bytes: of whole blocks */
	uint64_t torn_bytes;                    /* after the last whole block of the last file, prefill not counted */
	char torn_file[32];                     /* its name; "" if there is none */
};

/* Reads the entries of a log's files in order, oldest file first, front to back, each block checked before its first
 * entry is given out. The directory needn't be locked and is not changed; of a log that is being written, blocks being
 * written at this moment may show as a torn tail. `visit` NULL: just checks and counts. `summary`, `error`: NULL if not
 * wanted. Returns 0 (also with a torn tail: see the summary), what `visit` returned, -EBADMSG (damage: file, offset and
 * reason in the message), -EFBIG (an entry of more than 64 MiB) or what the system said. Blocks (reads). */
int commitlog_scan(const char *directory, enum commitlog_scan_files files, commitlog_visit *visit, void *context,
                   struct commitlog_scan_summary *summary, struct commitlog_error *error);

enum commitlog_tail {
	COMMITLOG_TAIL_NONE = 0,   /* the last block ends where the file does */
	COMMITLOG_TAIL_ZEROS = 1,  /* written ahead; open cuts it off */
	COMMITLOG_TAIL_TORN = 2,   /* a write that a crash cut short, in the last file; open cuts it off */
	COMMITLOG_TAIL_DAMAGED = 3 /* anything else; open refuses it */
};

/* One file of a log. */
struct commitlog_file {
	char name[32];
	uint64_t index;
	bool backup;          /* .bak */
	uint64_t file_bytes;  /* with what follows the blocks */
	uint64_t whole_bytes; /* of the whole blocks from its begin on; a torn or damaged tail begins here */
	uint64_t blocks, records;
	uint64_t first_time_ms, last_time_ms; /* of its blocks; 0 if there is none */
	enum commitlog_tail tail;
	uint64_t tail_bytes; /* of a torn or damaged tail, up to the last byte that isn't zero */
	char reason[256];    /* of a torn or damaged tail, with the offset */
};

/* Returns 0 to go on; any other value ends the inspection, which returns it. */
typedef int commitlog_visit_file(void *context, const struct commitlog_file *file);

/* Checks every block of a log's files and tells what is in them, oldest file first. As commitlog_scan, but damage is no
 * error: it is what is told. `error`: NULL if not wanted. Returns 0, what `visit` returned, or what the system said. */
int commitlog_inspect(const char *directory, enum commitlog_scan_files files, commitlog_visit_file *visit,
                      void *context, struct commitlog_error *error);

/* ---- Salvage ------------------------------------------------------------------------------------------------ */

/* Bytes of a file that are in no valid block. */
struct commitlog_loss {
	const char *file;  /* name */
	uint64_t from, to; /* offsets */
	const char *reason;
};

/* Returns 0 to go on; any other value ends the repair, which returns it. */
typedef int commitlog_visit_loss(void *context, const struct commitlog_loss *loss);

struct commitlog_repair_summary {
	uint64_t files, blocks, records, bytes; /* written */
	uint64_t losses, lost_bytes;
};

/* Copies every valid block of the log in `from`, .bak files too, into files of the same names in `to`, which must be
 * empty or not exist yet. `from` isn't changed; it must not be open. What lies between valid blocks is left out, and told
 * to `visit` (NULL: nobody): acknowledged commits may have been in it, which is why this is never done by itself. Behind
 * damage only trailers say where blocks are: a block that was the value of a record in a damaged block may be taken for
 * one of the log. `to` is durable when it returns 0. `summary`, `error`: NULL if not wanted.
 *   -ENOTEMPTY    there is something in `to`
 *   -EWOULDBLOCK  the log is open
 *   what `visit` returned, or what the system said; `to` is then incomplete: remove it
 * Blocks (reads and writes). */
int commitlog_repair(const char *from, const char *to, commitlog_visit_loss *visit, void *context,
                     struct commitlog_repair_summary *summary, struct commitlog_error *error);

#ifdef __cplusplus
}
#endif

#endif
