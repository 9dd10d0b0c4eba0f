/* SPDX-License-Identifier: MIT */
/* What the rules of findings.h are made of. A rule looks at a tally, and fills in a finding if there is one. */
#ifndef WT_READ_RULE_H
#define WT_READ_RULE_H

#include "base/compiler.h"
#include "read/findings.h"

enum wt_judgement {
	WT_NOT_JUDGED, /* what it takes isn't in the trace: there was nothing of the kind */
	WT_SILENT,     /* looked, and found nothing */
	WT_FOUND,
	WT_WITHHELD, /* records that it takes were lost */
};

typedef enum wt_judgement wt_rule(const struct wt_tally *tally, struct wt_finding *finding);

#define WT_FINDING(id, code, rule) wt_rule rule;
WT_FINDINGS_LIST(WT_FINDING)
#undef WT_FINDING

void wt_title(struct wt_finding *finding, const char *format, ...) WT_PRINTF(2, 3);
void wt_threshold(struct wt_finding *finding, const char *format, ...) WT_PRINTF(2, 3);
void wt_suggest(struct wt_finding *finding, const char *format, ...) WT_PRINTF(2, 3);
void wt_caveat(struct wt_finding *finding, const char *format, ...) WT_PRINTF(2, 3);
void wt_evidence(struct wt_finding *finding, const char *name, double value, enum wt_unit_of unit);
void wt_record_of(struct wt_finding *finding, uint32_t trace, enum waltrace_kind kind, uint64_t id);
void wt_records_of(struct wt_finding *finding, enum waltrace_kind kind, const struct wt_sign_list *list);

static inline double wt_ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }
/* Of all commits' time. */
double wt_part_share(const struct wt_tally *tally, enum wt_part part);
/* Commits under way at once, on average (Little's law). */
double wt_concurrency(const struct wt_tally *tally);
/* A part below its bound, which the time with unknown owners could have lifted over it. */
enum wt_judgement wt_below(const struct wt_tally *tally, double share, double bound);

#endif
