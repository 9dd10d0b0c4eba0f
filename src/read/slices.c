/* SPDX-License-Identifier: MIT */
#include "read/slices.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "read/chain.h"
#include "read/limits.h"
#include "read/units.h"

struct extent {
	uint64_t from_ns, to_ns; /* first flush's start, last flush's end */
	uint64_t flushes, syncs;
};

static uint64_t flush_end(const struct wt_flush_row *flush) { return wt_end_ns(flush->start_ns, flush->total_ns); }

static uint64_t sync_end(const struct wt_sync_row *sync) { return wt_end_ns(sync->start_ns, sync->total_ns); }

static struct extent extent_of(const struct wt_store *run)
{
	struct extent extent = {.from_ns = UINT64_MAX, .flushes = run->flushes, .syncs = run->syncs};
	for (size_t i = 0; i < run->flushes; i++) {
		uint64_t end_ns = flush_end(&run->flush[i]);
		if (run->flush[i].start_ns < extent.from_ns) extent.from_ns = run->flush[i].start_ns;
		if (end_ns > extent.to_ns) extent.to_ns = end_ns;
	}
	if (!run->flushes) extent.from_ns = 0;
	return extent;
}

static double length(const struct extent *extent) { return (double)(extent->to_ns - extent->from_ns); }

static uint32_t slice_of(const struct extent *extent, uint32_t slices, uint64_t at_ns)
{
	if (at_ns <= extent->from_ns) return 0;
	double place = (double)(at_ns - extent->from_ns) / length(extent) * slices;
	return place < slices ? (uint32_t)place : slices - 1;
}

/* ---- How many ------------------------------------------------------------------------------------------------- */

/* Correlation of the logarithms of neighbouring slices' mean flush times; 0 if there is nothing to be said. */
static double resemblance(const struct wt_store *run, const struct extent *extent, uint32_t slices, double *work)
{
	double *sum = work, *n = work + slices, mean = 0, square = 0, product = 0;
	uint32_t used = 0;
	for (uint32_t i = 0; i < 2 * slices; i++) work[i] = 0;
	for (size_t i = 0; i < run->flushes; i++) {
		uint32_t at = slice_of(extent, slices, flush_end(&run->flush[i]));
		sum[at] += (double)run->flush[i].total_ns;
		n[at]++;
	}
	for (uint32_t i = 0; i < slices; i++) {
		if (!(n[i] > 0)) continue;
		sum[used] = log(sum[i] / n[i] + 1);
		mean += sum[used++];
	}
	if (used < 2) return 0;
	mean /= used;
	for (uint32_t i = 0; i < used; i++) {
		square += (sum[i] - mean) * (sum[i] - mean);
		if (i) product += (sum[i] - mean) * (sum[i - 1] - mean);
	}
	return square > 0 ? product / square : 0;
}

static uint32_t least(uint64_t a, uint64_t b, uint64_t c)
{
	return (uint32_t)(a < b ? (a < c ? a : c) : b < c ? b : c);
}

/* Of the shorter run, before neighbours are compared. */
static uint32_t begin_with(const struct extent *shorter, uint64_t window_ns, double ratio)
{
	double windows = window_ns ? length(shorter) / (double)window_ns : 0;
	uint32_t n = windows < WT_SLICES_LEAST  ? WT_SLICES_LEAST
	             : windows > WT_SLICES_MOST ? WT_SLICES_MOST
	                                        : (uint32_t)windows;
	uint64_t syncs = shorter->syncs ? shorter->syncs / WT_SLICE_COMMITS : n;
	n = least(n, shorter->flushes / WT_SLICE_COMMITS, syncs);
	return least(n, n, (uint64_t)(WT_SLICES_LONGER / ratio));
}

static uint32_t scaled(uint32_t n, double ratio)
{
	double many = n * ratio + 0.5;
	return many < WT_SLICES_LONGER ? (uint32_t)many : WT_SLICES_LONGER;
}

/* Twice as long while the means of neighbours resemble each other by more than chance makes them: one standard error. */
static uint32_t settle(const struct wt_store *const run[2], const struct extent extent[2], const double ratio[2],
                       uint32_t n, double *work)
{
	while (n / 2 >= WT_SLICES_MERGED_MIN) {
		double most = 0;
		for (int r = 0; r < 2; r++) {
			uint32_t slices = scaled(n, ratio[r]);
			double alike = resemblance(run[r], &extent[r], slices, work) * sqrt(slices);
			if (alike > most) most = alike;
		}
		if (most <= 1) break;
		n /= 2;
	}
	return n;
}

static int too_little(const struct extent *extent, int which, struct wt_err *err)
{
	const char *name = which ? "B" : "A";
	if (extent->flushes < WT_SLICES_MIN * WT_SLICE_COMMITS)
		return wt_err_set(err, -ENODATA, "%s has %s flushes, and it takes %d to compare: record a longer run",
		                  name, wt_count(extent->flushes).text, WT_SLICES_MIN * WT_SLICE_COMMITS);
	if (extent->syncs && extent->syncs < WT_SLICES_MIN * WT_SLICE_COMMITS)
		return wt_err_set(err, -ENODATA,
		                  "%s has %s sync_calls, and it takes %d to compare: record a longer run", name,
		                  wt_count(extent->syncs).text, WT_SLICES_MIN * WT_SLICE_COMMITS);
	if (extent->to_ns == extent->from_ns)
		return wt_err_set(err, -ENODATA, "the flushes of %s take no time: compare runs that do", name);
	return 0;
}

static int choose(struct wt_slices *slices, const struct wt_store *const run[2], const struct extent extent[2],
                  const uint64_t window_ns[2], struct wt_err *err)
{
	int shorter = length(&extent[1]) < length(&extent[0]);
	double ratio[2] = {1, 1};
	for (int r = 0; r < 2; r++) {
		int result = too_little(&extent[r], r, err);
		if (result) return result;
	}
	ratio[!shorter] = length(&extent[!shorter]) / length(&extent[shorter]);
	uint32_t n = begin_with(&extent[shorter], window_ns[shorter], ratio[!shorter]);
	if (n < WT_SLICES_MIN)
		return wt_err_set(err, -ENODATA,
		                  "%s lasts %s and %s %s: compare runs of like length (at most %d times)",
		                  shorter ? "A" : "B", wt_ns(length(&extent[!shorter])).text, shorter ? "B" : "A",
		                  wt_ns(length(&extent[shorter])).text, WT_SLICES_LONGER / WT_SLICES_MIN);
	double *work = malloc(2 * WT_SLICES_LONGER * sizeof *work);
	if (!work) return wt_err_set(err, -ENOMEM, "out of memory for a comparison");
	n = settle(run, extent, ratio, n, work);
	for (int r = 0; r < 2; r++) slices->n[r] = scaled(n, ratio[r]);
	free(work);
	return 0;
}

/* ---- Filling -------------------------------------------------------------------------------------------------- */

static void mark(struct wt_slices *slices, const struct wt_store *run)
{
	for (size_t i = 0; i < run->flushes; i++) wt_ranks_mark(&slices->flush, run->flush[i].total_ns);
	for (size_t i = 0; i < run->syncs; i++) wt_ranks_mark(&slices->sync, run->sync[i].total_ns);
}

static void add_flush(struct wt_slice *slice, const struct wt_store *run, const struct wt_flush_row *flush)
{
	struct wt_chain chain;
	struct wt_claims claims;
	struct wt_split split;
	wt_chain_of(run, flush, &chain);
	wt_chain_claims(run, &chain, &claims);
	wt_attribute(&claims, &split);
	slice->flushes++;
	slice->total_ns += flush->total_ns;
	slice->behind_others_ns += split.behind_others_ns;
	for (int p = 0; p < WT_PARTS; p++) slice->part_ns[p] += split.part_ns[p];
}

static void fill(struct wt_slices *slices, int which, const struct wt_store *run, const struct extent *extent)
{
	uint32_t first = which ? slices->n[0] : 0, n = slices->n[which];
	for (uint32_t i = 0; i < n; i++) slices->at[first + i].span_ns = length(extent) / n;
	for (size_t i = 0; i < run->flushes; i++) {
		const struct wt_flush_row *flush = &run->flush[i];
		uint32_t at = first + slice_of(extent, n, flush_end(flush));
		add_flush(&slices->at[at], run, flush);
		wt_ranks_add(&slices->flush, flush->total_ns, at);
		slices->failed[which] += !flush->good;
	}
	for (size_t i = 0; i < run->syncs; i++) {
		const struct wt_sync_row *sync = &run->sync[i];
		uint32_t at = first + slice_of(extent, n, sync_end(sync));
		slices->at[at].syncs++;
		slices->at[at].sync_ns += sync->total_ns;
		wt_ranks_add(&slices->sync, sync->total_ns, at);
	}
}

int wt_slices_cut(struct wt_slices *slices, const struct wt_store *const run[2], const uint64_t window_ns[2],
                  struct wt_err *err)
{
	const struct extent extent[2] = {extent_of(run[0]), extent_of(run[1])};
	*slices = (struct wt_slices){0};
	int result = choose(slices, run, extent, window_ns, err);
	if (result) return result;
	uint32_t all = slices->n[0] + slices->n[1];
	slices->at = calloc(all, sizeof *slices->at);
	for (int r = 0; r < 2; r++) mark(slices, run[r]);
	if (!slices->at || wt_ranks_room(&slices->flush, all) || wt_ranks_room(&slices->sync, all))
		return wt_err_set(err, -ENOMEM, "out of memory for a comparison");
	for (int r = 0; r < 2; r++) fill(slices, r, run[r], &extent[r]);
	wt_ranks_close(&slices->flush);
	wt_ranks_close(&slices->sync);
	return 0;
}

void wt_slices_free(struct wt_slices *slices)
{
	free(slices->at);
	wt_ranks_free(&slices->flush);
	wt_ranks_free(&slices->sync);
	slices->at = NULL;
}
