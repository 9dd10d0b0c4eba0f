/* SPDX-License-Identifier: MIT */
/* Every limit of reading a trace. Past it there is a clear error: nothing grows, nests or prints without end. */
#ifndef WT_READ_LIMITS_H
#define WT_READ_LIMITS_H

enum {
	/* The longest legal line carries two paths of 8 MiB each, two digits a byte, and less than 64 KiB of other keys. A
	 * longer one ends the reading: what has no newline for so long is no trace, and may have none ever. */
	WT_READ_LINE_MAX = 33 * 1024 * 1024,
	WT_READ_CHUNK = 256 * 1024,  /* asked for at once */
	WT_READ_PACKED = 256 * 1024, /* of a compressed file, held at once */
	WT_SET_FILES_MAX = 1024,     /* files of one rotated trace; the recorder keeps 8 */
	WT_DEPTH_MAX = 32,           /* arrays and objects inside one another, in a value that nobody knows */
	WT_SHAPE_KEYS_MAX = 63,      /* keys of one kind of line: those seen are a bit each */
	WT_UNKNOWN_KEYS = 64,        /* of one line, that nobody knows; more are an error */
	WT_PROBLEMS_SHOWN = 20,      /* of one file; the others are counted */
	WT_PROBLEM_TEXT = 384,       /* bytes of one problem, its hint included; longer ones are cut */
	WT_SLICES_MIN = 8,           /* slices of the shorter run: fewer say nothing about chance */
	WT_SLICES_MERGED_MIN = 16,   /* they aren't made longer if so few would be left */
	WT_SLICES_LEAST = 64,        /* where there are fewer windows than this */
	WT_SLICES_MOST = 256,        /* where there are more windows than this */
	WT_SLICES_LONGER = 1024,     /* of the longer run */
	WT_SLICE_COMMITS = 5,        /* flushes and sync_calls that a slice has on average, at least */
	WT_GATES_MAX = 32,           /* of one comparison */
	WT_GATE_TEXT = 64,           /* bytes of a gate */
	WT_CHART_POINTS_MAX = 2000,  /* fsyncs, and as many holds of a commit lock, that a page of charts shows */
	WT_VERDICT_TEXT = 264,       /* bytes kept of run_id and build_id, and of why a trace isn't complete */
};
_Static_assert(WT_READ_LINE_MAX > 2 * 2 * 8 * 1024 * 1024 + 65536, "two paths fit");

#endif
