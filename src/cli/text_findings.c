/* SPDX-License-Identifier: MIT */
/* Section 9: what was found, and what to change. The most costly stands at the top of the report, too. */
#include <inttypes.h>
#include <string.h>

#include "cli/text.h"

/* "delay_share" as "delay share". */
static void put_name(char *to, size_t room, const char *name)
{
	snprintf(to, room, "%s", name);
	for (; *to; to++)
		if (*to == '_') *to = ' ';
}

static struct wt_unit number(const struct wt_evidence *e)
{
	struct wt_unit text;
	switch (e->unit) {
	case WT_UNIT_NS: return wt_ns(e->value);
	case WT_UNIT_SHARE: return wt_share(e->value, 1);
	case WT_UNIT_BYTES: return wt_bytes(e->value);
	case WT_UNIT_MS: return wt_ns(e->value * 1e6);
	default: break;
	}
	if (e->value < 100 && e->value != (double)(uint64_t)e->value)
		snprintf(text.text, sizeof text.text, "%.1f", e->value);
	else text = wt_count((uint64_t)(e->value + 0.5));
	return text;
}

static void list_evidence(const struct wt_finding *f, char *out, size_t room)
{
	size_t used = 0;
	out[0] = 0;
	for (uint32_t i = 0; i < f->evidences; i++) {
		char name[64];
		put_name(name, sizeof name, f->evidence[i].name);
		int n = snprintf(out + used, room - used, "%s%s %s", i ? ", " : "", name, number(&f->evidence[i]).text);
		if (n < 0 || (used += (size_t)n) >= room) return;
	}
}

static void list_records(const struct wt_report *report, const struct wt_finding *f, char *out, size_t room)
{
	size_t used = 0;
	out[0] = 0;
	for (uint32_t i = 0; i < f->records; i++) {
		const struct wt_finding_record *r = &f->record[i];
		int n = snprintf(out + used, room - used, "%s%s %" PRIu64, i ? ", " : "", wt_kind_name[r->kind].text,
		                 r->id);
		if (n < 0 || (used += (size_t)n) >= room) return;
		if (report->traces < 2) continue;
		n = snprintf(out + used, room - used, " of trace %" PRIu32, r->trace + 1);
		if (n < 0 || (used += (size_t)n) >= room) return;
	}
}

static void show(const struct wt_page *page, const struct wt_report *report, const struct wt_finding *f)
{
	char text[WT_PAGE_TEXT];
	fputs("  ", page->out);
	wt_page_ink(page, WT_INK_BOLD, wt_finding_code[f->code]);
	fputc('\n', page->out);
	if (f->cost_ns)
		wt_page_row(page, "costs", "%s, %s of all commits' time", wt_ns((double)f->cost_ns).text,
		            wt_share(f->cost_share, 1).text);
	wt_page_row(page, "found", "%s", f->title);
	list_evidence(f, text, sizeof text);
	wt_page_row(page, "evidence", "%s", text);
	list_records(report, f, text, sizeof text);
	if (f->records) wt_page_row(page, "records", "%s", text);
	wt_page_row(page, "bound", "%s", f->threshold);
	wt_page_row(page, "to do", "%s", f->suggestion);
	if (f->caveat[0]) wt_page_row(page, "but", "%s", f->caveat);
}

static void show_withheld(const struct wt_page *page, const struct wt_findings *findings)
{
	char text[WT_PAGE_TEXT] = "";
	size_t used = 0;
	for (uint32_t i = 0; i < findings->withhelds; i++) {
		int n = snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "",
		                 wt_finding_code[findings->withheld[i]]);
		if (n < 0 || (used += (size_t)n) >= sizeof text) break;
	}
	if (findings->withhelds) wt_page_row(page, "not judged", "%s: records are missing that it takes.", text);
}

void wt_text_findings(const struct wt_page *page, const struct wt_report *report, const struct wt_findings *findings)
{
	char remark[64];
	snprintf(remark, sizeof remark, "%" PRIu32 " of %d rules had what they need", findings->judged, WT_FINDINGS);
	wt_page_heading(page, "Findings", remark);
	if (!findings->n) wt_page_note(page, "None.");
	for (uint32_t i = 0; i < findings->n; i++) show(page, report, &findings->found[i]);
	show_withheld(page, findings);
	wt_page_note(page, "docs/findings.md says what each means and what it can't know.");
}

void wt_text_first_finding(const struct wt_page *page, const struct wt_findings *findings)
{
	char text[WT_PAGE_TEXT], more[64] = "";
	const struct wt_finding *first = &findings->found[0];
	wt_page_ink(page, WT_INK_BOLD, "Findings: ");
	if (findings->n > 1) snprintf(more, sizeof more, " And %" PRIu32 " more: see the end.", findings->n - 1);
	if (findings->n) snprintf(text, sizeof text, "%s: %s%s", wt_finding_code[first->code], first->title, more);
	else
		snprintf(text, sizeof text, "none (%" PRIu32 " of %d rules had what they need).", findings->judged,
		         WT_FINDINGS);
	wt_page_wrap(page, text, 10, 2);
}
