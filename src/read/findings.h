/* SPDX-License-Identifier: MIT */
/* Section 9 of a report: named rules, each with its evidence, what it costs, and what to change. Pure: from a tally to
 * findings, nothing is read and nothing is allocated. docs/findings.md says what each code means.
 *
 * A rule speaks only with evidence in hand. Where records are missing that could prove it wrong or right, it is withheld. */
#ifndef WT_READ_FINDINGS_H
#define WT_READ_FINDINGS_H

#include <stdint.h>

#include "read/tally.h"

/* WT_FINDING(id, code, the rule that looks for it). Codes are promised; new ones are only added. */
#define WT_FINDINGS_LIST(WT_FINDING) \
	WT_FINDING(DELAY_DOMINATES, "delay-dominates", wt_rule_delay_dominates) \
	WT_FINDING(FSYNC_DOMINATES, "fsync-dominates", wt_rule_fsync_dominates) \
	WT_FINDING(LOCK_CONVOY, "lock-convoy", wt_rule_lock_convoy) \
	WT_FINDING(SMALL_BLOCKS, "small-blocks", wt_rule_small_blocks) \
	WT_FINDING(WAKEUP_STORM, "wakeup-storm", wt_rule_wakeup_storm) \
	WT_FINDING(PIPELINE_BUSY, "pipeline-busy", wt_rule_pipeline_busy) \
	WT_FINDING(FSYNC_TOO_FAST, "fsync-too-fast", wt_rule_fsync_too_fast) \
	WT_FINDING(INCOMPLETE_TRACE, "incomplete-trace", wt_rule_incomplete_trace)

enum wt_finding_code {
#define WT_FINDING(id, code, rule) WT_FINDING_##id,
	WT_FINDINGS_LIST(WT_FINDING)
#undef WT_FINDING
		WT_FINDINGS
};
extern const char *const wt_finding_code[WT_FINDINGS];

enum {
	WT_FINDING_EVIDENCE = 10, /* numbers of a finding */
	WT_FINDING_TITLE = 160,
	WT_FINDING_TEXT = 480,
};

enum wt_unit_of { WT_UNIT_COUNT, WT_UNIT_NS, WT_UNIT_SHARE, WT_UNIT_BYTES, WT_UNIT_RATE, WT_UNIT_MS, WT_UNITS };
extern const char *const wt_unit_key[WT_UNITS];

struct wt_evidence {
	const char *name;
	double value;
	enum wt_unit_of unit;
};

struct wt_finding_record {
	uint32_t trace;
	enum waltrace_kind kind;
	uint64_t id;
};

struct wt_finding {
	enum wt_finding_code code;
	char title[WT_FINDING_TITLE]; /* one sentence */
	uint64_t cost_ns;             /* time of commits; 0: not a matter of their time */
	double cost_share;            /* of all commits' time */
	struct wt_evidence evidence[WT_FINDING_EVIDENCE];
	uint32_t evidences;
	struct wt_finding_record record[WT_SIGNS_KEPT];
	uint32_t records;
	char threshold[WT_FINDING_TEXT];  /* the bound, and why it is there */
	char suggestion[WT_FINDING_TEXT]; /* what to change */
	char caveat[WT_FINDING_TEXT];     /* what loss may have done to it; "": nothing */
};

/* Tens of kilobytes, nothing to free. */
struct wt_findings {
	struct wt_finding found[WT_FINDINGS]; /* most costly first */
	uint32_t n;
	uint32_t judged; /* rules that had what they need */
	enum wt_finding_code withheld[WT_FINDINGS];
	uint32_t withhelds; /* that couldn't be judged because records were lost */
};

void wt_find(const struct wt_tally *tally, struct wt_findings *findings);

#endif
