/* SPDX-License-Identifier: MIT */
/* waltrace wal repair: salvages a damaged log into a new directory. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cmd_wal.h"
#include "cli/json.h"

struct repair {
	const struct wt_wal_arguments *arguments;
	struct wt_json json;
};

static int tell_loss(void *context, const struct commitlog_loss *loss)
{
	struct repair *r = context;
	struct wt_json *json = &r->json;
	if (!r->arguments->json) {
		printf("%s/%s: left out: bytes %" PRIu64 " to %" PRIu64 ": %s\n", r->arguments->directory, loss->file,
		       loss->from, loss->to, loss->reason);
		return 0;
	}
	wt_json_open(json, NULL, '{');
	wt_json_text(json, "file", loss->file);
	wt_json_count(json, "from", loss->from);
	wt_json_count(json, "to", loss->to);
	wt_json_text(json, "reason", loss->reason);
	wt_json_close(json, '}');
	return 0;
}

static void put_json_end(struct wt_json *json, const struct commitlog_repair_summary *sum, int result)
{
	wt_json_close(json, ']');
	wt_json_flag(json, "done", !result);
	wt_json_count(json, "files", sum->files);
	wt_json_count(json, "blocks", sum->blocks);
	wt_json_count(json, "records", sum->records);
	wt_json_count(json, "bytes", sum->bytes);
	wt_json_count(json, "lost_bytes", sum->lost_bytes);
	wt_json_close(json, '}');
}

int wt_wal_repair(const struct wt_wal_arguments *arguments)
{
	struct commitlog_repair_summary sum;
	struct commitlog_error error;
	struct repair r = {.arguments = arguments, .json = {.out = stdout}};
	if (arguments->json) {
		wt_json_open(&r.json, NULL, '{');
		wt_json_text(&r.json, "from", arguments->directory);
		wt_json_text(&r.json, "to", arguments->target);
		wt_json_open(&r.json, "left_out", '[');
	}
	int result = commitlog_repair(arguments->directory, arguments->target, tell_loss, &r, &sum, &error);
	if (arguments->json) put_json_end(&r.json, &sum, result);
	if (result) return wt_wal_complain(error.message);
	if (!sum.files) return wt_wal_complain_empty(arguments->directory);
	if (!arguments->json)
		printf("%s: %" PRIu64 " files, %" PRIu64 " blocks, %" PRIu64 " records, %" PRIu64
		       " bytes; left out %" PRIu64 " bytes in %" PRIu64 " places\n",
		       arguments->target, sum.files, sum.blocks, sum.records, sum.bytes, sum.lost_bytes, sum.losses);
	return sum.losses ? WT_EXIT_INCOMPLETE : WT_EXIT_GOOD;
}
