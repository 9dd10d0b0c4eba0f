/* SPDX-License-Identifier: MIT */
#include "cli/json_findings.h"

#include "read/findings.h"

static void put_evidence(struct wt_json *j, const struct wt_finding *f)
{
	wt_json_open(j, "evidence", '[');
	for (uint32_t i = 0; i < f->evidences; i++) {
		wt_json_open(j, NULL, '{');
		wt_json_text(j, "name", f->evidence[i].name);
		wt_json_real(j, "value", f->evidence[i].value);
		wt_json_text(j, "unit", wt_unit_key[f->evidence[i].unit]);
		wt_json_close(j, '}');
	}
	wt_json_close(j, ']');
}

static void put_records(struct wt_json *j, const struct wt_finding *f)
{
	wt_json_open(j, "records", '[');
	for (uint32_t i = 0; i < f->records; i++) {
		wt_json_open(j, NULL, '{');
		wt_json_count(j, "trace", f->record[i].trace);
		wt_json_text(j, "kind", wt_kind_name[f->record[i].kind].text);
		wt_json_count(j, "id", f->record[i].id);
		wt_json_close(j, '}');
	}
	wt_json_close(j, ']');
}

static void put_finding(struct wt_json *j, const struct wt_finding *f)
{
	wt_json_open(j, NULL, '{');
	wt_json_text(j, "code", wt_finding_code[f->code]);
	wt_json_text(j, "title", f->title);
	wt_json_count(j, "cost_ns", f->cost_ns);
	wt_json_real(j, "cost_share", f->cost_share);
	put_evidence(j, f);
	put_records(j, f);
	wt_json_text(j, "threshold", f->threshold);
	wt_json_text(j, "suggestion", f->suggestion);
	if (f->caveat[0]) wt_json_text(j, "caveat", f->caveat);
	else wt_json_null(j, "caveat");
	wt_json_close(j, '}');
}

void wt_json_findings(struct wt_json *j, const struct wt_tally *tally)
{
	struct wt_findings findings;
	wt_find(tally, &findings);
	wt_json_open(j, "findings", '[');
	for (uint32_t i = 0; i < findings.n; i++) put_finding(j, &findings.found[i]);
	wt_json_close(j, ']');
	wt_json_count(j, "findings_judged", findings.judged);
	wt_json_open(j, "findings_withheld", '[');
	for (uint32_t i = 0; i < findings.withhelds; i++) wt_json_text(j, NULL, wt_finding_code[findings.withheld[i]]);
	wt_json_close(j, ']');
}
