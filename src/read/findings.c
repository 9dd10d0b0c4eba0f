/* SPDX-License-Identifier: MIT */
#include "read/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "read/rule.h"
#include "read/units.h"

/* A trace that lacks more than a tenth of its records proves nothing by what isn't in it. */
#define UNCOVERED_MOST 0.1

const char *const wt_finding_code[WT_FINDINGS] = {
#define WT_FINDING(id, code, rule) code,
	WT_FINDINGS_LIST(WT_FINDING)
#undef WT_FINDING
};

const char *const wt_unit_key[WT_UNITS] = {"count", "ns", "share", "bytes", "per second", "ms"};

/* ---- What the rules are made of ----------------------------------------------------------------------------- */

#define PRINT(to) \
	va_list arguments; \
	va_start(arguments, format); \
	vsnprintf(to, sizeof(to), format, arguments); \
	va_end(arguments)

void wt_title(struct wt_finding *f, const char *format, ...) { PRINT(f->title); }
void wt_threshold(struct wt_finding *f, const char *format, ...) { PRINT(f->threshold); }
void wt_suggest(struct wt_finding *f, const char *format, ...) { PRINT(f->suggestion); }
void wt_caveat(struct wt_finding *f, const char *format, ...) { PRINT(f->caveat); }

void wt_evidence(struct wt_finding *f, const char *name, double value, enum wt_unit_of unit)
{
	if (f->evidences < WT_FINDING_EVIDENCE) f->evidence[f->evidences++] = (struct wt_evidence){name, value, unit};
}

void wt_record_of(struct wt_finding *f, uint32_t trace, enum waltrace_kind kind, uint64_t id)
{
	if (f->records < WT_SIGNS_KEPT) f->record[f->records++] = (struct wt_finding_record){trace, kind, id};
}

void wt_records_of(struct wt_finding *f, enum waltrace_kind kind, const struct wt_sign_list *list)
{
	for (uint32_t i = 0; i < list->n; i++) wt_record_of(f, list->at[i].trace, kind, list->at[i].id);
}

double wt_part_share(const struct wt_tally *t, enum wt_part part)
{
	return wt_ratio((double)t->flush.sum[part], (double)t->flush.total.sum);
}

double wt_concurrency(const struct wt_tally *t) { return wt_ratio((double)t->flush.total.sum, (double)t->duration_ns); }

enum wt_judgement wt_below(const struct wt_tally *t, double share, double bound)
{
	return share + wt_part_share(t, WT_PART_UNKNOWN_OWNER) >= bound ? WT_WITHHELD : WT_SILENT;
}

/* ---- Judging ------------------------------------------------------------------------------------------------ */

static int by_cost(const void *a, const void *b)
{
	const struct wt_finding *x = a, *y = b;
	if (x->cost_ns != y->cost_ns) return x->cost_ns < y->cost_ns ? 1 : -1;
	return (int)x->code - (int)y->code;
}

static void qualify(const struct wt_tally *t, struct wt_finding *f)
{
	const struct wt_signs *s = &t->signs;
	if (f->caveat[0]) return;
	if (s->problems) wt_caveat(f, "Some lines are damaged: which of these numbers that touches can't be said.");
	else if (s->lossy)
		wt_caveat(f,
		          "%s of the records are missing: counts and sums are at least so much, shares and "
		          "percentiles are of the records that are there.",
		          wt_share(s->uncovered, 1).text);
	else if (s->filtered)
		wt_caveat(f, "Fast operations were left out on purpose (min_ns): shares and percentiles are of "
		             "the others.");
}

static void judge(const struct wt_tally *t, enum wt_finding_code code, wt_rule *rule, struct wt_findings *out)
{
	struct wt_finding *f = &out->found[out->n];
	*f = (struct wt_finding){.code = code};
	enum wt_judgement judgement = rule(t, f);
	bool blind = t->signs.problems || t->signs.uncovered > UNCOVERED_MOST;
	if ((judgement == WT_SILENT || judgement == WT_NOT_JUDGED) && blind) judgement = WT_WITHHELD;
	switch (judgement) {
	case WT_WITHHELD: out->withheld[out->withhelds++] = code; break;
	case WT_FOUND:
		f->cost_share = wt_ratio((double)f->cost_ns, (double)t->flush.total.sum);
		qualify(t, f);
		out->n++;
		out->judged++;
		break;
	case WT_SILENT: out->judged++; break;
	default: break;
	}
}

void wt_find(const struct wt_tally *t, struct wt_findings *out)
{
	static wt_rule *const rules[WT_FINDINGS] = {
#define WT_FINDING(id, code, rule) rule,
		WT_FINDINGS_LIST(WT_FINDING)
#undef WT_FINDING
	};
	out->n = out->judged = out->withhelds = 0;
	for (enum wt_finding_code code = 0; code < WT_FINDINGS; code++) judge(t, code, rules[code], out);
	qsort(out->found, out->n, sizeof out->found[0], by_cost);
}
