/* SPDX-License-Identifier: MIT */
/* Rules about the trace itself: what is missing from it. */
#include "read/rule.h"
#include "read/units.h"

enum wt_judgement wt_rule_incomplete_trace(const struct wt_tally *t, struct wt_finding *f)
{
	const struct wt_signs *s = &t->signs;
	if (!s->incomplete) return WT_SILENT;
	wt_title(f, "%s of %s traces %s incomplete.", wt_count(s->incomplete).text, wt_count(t->traces).text,
	         s->incomplete > 1 ? "are" : "is");
	wt_evidence(f, "records", (double)s->records, WT_UNIT_COUNT);
	wt_evidence(f, "missing", s->uncovered, WT_UNIT_SHARE);
	wt_evidence(f, "dropped", (double)s->dropped, WT_UNIT_COUNT);
	wt_evidence(f, "omitted", (double)s->omitted, WT_UNIT_COUNT);
	wt_evidence(f, "outstanding", (double)s->outstanding, WT_UNIT_COUNT);
	wt_evidence(f, "damage", (double)s->problems, WT_UNIT_COUNT);
	wt_threshold(f, "One record that is missing, one line that is wrong, or no footer: a trace is complete or it "
	                "isn't.");
	wt_suggest(f, "The first: %.200s. %.200s%s", s->why, s->mend[0] ? s->mend : "waltrace verify says what else",
	           ".");
	wt_caveat(f, "What isn't found in an incomplete trace may have happened all the same.");
	return WT_FOUND;
}
