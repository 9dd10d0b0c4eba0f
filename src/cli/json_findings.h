/* SPDX-License-Identifier: MIT */
#ifndef WT_CLI_JSON_FINDINGS_H
#define WT_CLI_JSON_FINDINGS_H

#include "cli/json.h"
#include "read/tally.h"

/* The keys `findings`, `findings_judged` and `findings_withheld` of the object that is open. */
void wt_json_findings(struct wt_json *json, const struct wt_tally *tally);

#endif
