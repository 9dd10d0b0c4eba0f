/* SPDX-License-Identifier: MIT */
/* A tally that a test fills in, and what the rules say of it. */
#ifndef WT_TESTS_READ_JUDGED_H
#define WT_TESTS_READ_JUDGED_H

#include <stdlib.h>
#include <string.h>

#include "../../lib/cm.h"
#include "read/findings.h"

static struct wt_tally *tally;
static struct wt_findings findings;

static inline int new_tally(void **state)
{
	(void)state;
	tally = calloc(1, sizeof *tally);
	if (tally) tally->traces = 1;
	return !tally;
}

static inline int free_tally(void **state)
{
	(void)state;
	free(tally);
	return 0;
}

/* `n` flushes of 1,000 ns, this many of them in the part, the rest in the flush's own code. */
static inline void flushes(uint64_t n, enum wt_part part, uint64_t part_ns)
{
	struct wt_split split = {0};
	split.part_ns[part] = part_ns;
	split.part_ns[WT_PART_OWN] += 1000 - part_ns;
	for (uint64_t i = 0; i < n; i++) wt_parted_add(&tally->flush, 1000, &split);
	tally->duration_ns += n * 100; /* ten at once */
}

static inline void ends_a_sentence(const char *text, size_t room)
{
	assert_in_range(strlen(text), 1, room - 2); /* and wasn't cut */
	assert_int_equal(text[strlen(text) - 1], '.');
}

static inline void check_form(const struct wt_finding *f)
{
	ends_a_sentence(f->title, sizeof f->title);
	ends_a_sentence(f->threshold, sizeof f->threshold);
	ends_a_sentence(f->suggestion, sizeof f->suggestion);
	assert_in_range(f->evidences, 1, WT_FINDING_EVIDENCE);
	assert_true(f->cost_ns <= tally->flush.total.sum);
}

static inline const struct wt_finding *judge(enum wt_finding_code code)
{
	const struct wt_finding *found = NULL;
	wt_find(tally, &findings);
	assert_true(findings.n <= findings.judged && findings.judged + findings.withhelds <= WT_FINDINGS);
	for (uint32_t i = 0; i < findings.n; i++) {
		check_form(&findings.found[i]);
		if (findings.found[i].code == code) found = &findings.found[i];
	}
	return found;
}

/* The finding of this code, which must be there. */
static inline const struct wt_finding *found(enum wt_finding_code code)
{
	const struct wt_finding *f = judge(code);
	if (f) return f;
	fail_msg("%s isn't found", wt_finding_code[code]);
	abort();
}

static inline bool withheld(enum wt_finding_code code)
{
	judge(code);
	for (uint32_t i = 0; i < findings.withhelds; i++)
		if (findings.withheld[i] == code) return true;
	return false;
}

static inline double evidence_of(const struct wt_finding *f, const char *name)
{
	for (uint32_t i = 0; i < f->evidences; i++)
		if (!strcmp(f->evidence[i].name, name)) return f->evidence[i].value;
	fail_msg("no evidence called %s", name);
	return 0;
}

#endif
