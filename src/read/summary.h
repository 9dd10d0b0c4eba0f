/* SPDX-License-Identifier: MIT */
/* A trace in a few numbers: what a benchmark or a comparison needs of a report. Values only, nothing to free. */
#ifndef WT_READ_SUMMARY_H
#define WT_READ_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "read/part.h"

enum { WT_SUMMARY_TEXT = 200 };

struct wt_summary {
	bool complete;                    /* the whole is there: footer says so and nothing is missing */
	char incomplete[WT_SUMMARY_TEXT]; /* why not; "" if it is */
	char headline[WT_SUMMARY_TEXT];   /* one sentence: where a commit's time goes */

	uint64_t flushes, failed_flushes; /* with a total time; how many of them failed */
	uint64_t fsyncs, failed_fsyncs;
	uint64_t duration_ns; /* first flush's start to last flush's end */
	double flushes_per_second;
	double flushes_per_fsync; /* successful flushes without uid fast paths, per successful fsync; 0: no fsync */

	/* Time of a flush. Percentiles are known to within 1/32. */
	double mean_ns;
	uint64_t p50_ns, p99_ns, p999_ns, max_ns;
	double part_mean_ns[WT_PARTS];  /* add up to mean_ns */
	uint64_t part_sum_ns[WT_PARTS]; /* add up to total_ns, exactly */
	uint64_t total_ns;
	double behind_others_ns; /* mean time spent while other batches' fsyncs ran: part of queue, or others' fsync */

	/* Time of a sync_call. */
	double fsync_mean_ns;
	uint64_t fsync_p50_ns, fsync_p99_ns, fsync_max_ns;
};

#endif
