/* SPDX-License-Identifier: MIT */
/* Sections of the text report. */
#ifndef WT_CLI_TEXT_H
#define WT_CLI_TEXT_H

#include "cli/page.h"
#include "cli/report.h"
#include "read/findings.h"
#include "read/units.h"

void wt_text_parts(const struct wt_page *page, const struct wt_report *report);
void wt_text_slowest(const struct wt_page *page, const struct wt_report *report);
void wt_text_group(const struct wt_page *page, const struct wt_report *report);
void wt_text_lock(const struct wt_page *page, const struct wt_report *report);
void wt_text_fsync(const struct wt_page *page, const struct wt_report *report);
void wt_text_checkpoints(const struct wt_page *page, const struct wt_report *report);
void wt_text_over_time(const struct wt_page *page, const struct wt_report *report);
void wt_text_durability(const struct wt_page *page, const struct wt_report *report);
void wt_text_findings(const struct wt_page *page, const struct wt_report *report, const struct wt_findings *findings);
/* The most costly one, in a line or two. */
void wt_text_first_finding(const struct wt_page *page, const struct wt_findings *findings);

#endif
