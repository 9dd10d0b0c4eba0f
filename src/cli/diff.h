/* SPDX-License-Identifier: MIT */
/* Two traces compared, as text or JSON. */
#ifndef WT_CLI_DIFF_H
#define WT_CLI_DIFF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/report.h"
#include "read/diff.h"

struct wt_comparison {
	struct wt_report_trace trace[2]; /* A, B */
	struct wt_store store[2];
	struct wt_gate gate[WT_GATES_MAX];
	uint32_t gates;
	struct wt_diff diff;
};

extern const char *const wt_diff_verdict_key[WT_DIFF_MIXED + 1];
extern const char *const wt_gate_state_key[WT_GATE_UNDECIDED + 1];

void wt_diff_text(const struct wt_comparison *comparison, FILE *out, bool colour);
void wt_diff_json(const struct wt_comparison *comparison, FILE *out);

#endif
