/* SPDX-License-Identifier: MIT */
/* Sections of the text report. */
#ifndef WT_CLI_TEXT_H
#define WT_CLI_TEXT_H

#include "cli/page.h"
#include "cli/report.h"
#include "read/units.h"

void wt_text_parts(const struct wt_page *page, const struct wt_report *report);
void wt_text_slowest(const struct wt_page *page, const struct wt_report *report);
void wt_text_group(const struct wt_page *page, const struct wt_report *report);
void wt_text_lock(const struct wt_page *page, const struct wt_report *report);
void wt_text_fsync(const struct wt_page *page, const struct wt_report *report);
void wt_text_checkpoints(const struct wt_page *page, const struct wt_report *report);
void wt_text_over_time(const struct wt_page *page, const struct wt_report *report);
void wt_text_durability(const struct wt_page *page, const struct wt_report *report);

#endif
