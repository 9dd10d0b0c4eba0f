/* SPDX-License-Identifier: MIT */
#include "read/attribute.h"

#include <stddef.h>

enum { CUTS_MAX = 2 * (2 * WT_CLAIMS_MAX + 4) + 1 };

struct cuts {
	uint64_t at[CUTS_MAX];
	uint32_t n;
};

static void claim(struct wt_span *list, uint32_t *n, struct wt_span span)
{
	if (span.end_ns > span.start_ns && *n < WT_CLAIMS_MAX) list[(*n)++] = span;
}

void wt_claim_queue(struct wt_claims *claims, struct wt_span span) { claim(claims->queue, &claims->queues, span); }

void wt_claim_wait(struct wt_claims *claims, struct wt_span span) { claim(claims->wait, &claims->waits, span); }

static void cut(struct cuts *cuts, const struct wt_span *flush, uint64_t t)
{
	if (t <= flush->start_ns || t >= flush->end_ns) return;
	uint32_t i = cuts->n++;
	for (; i && cuts->at[i - 1] > t; i--) cuts->at[i] = cuts->at[i - 1];
	cuts->at[i] = t;
}

static void cut_span(struct cuts *cuts, const struct wt_span *flush, const struct wt_span *span)
{
	if (span->end_ns <= span->start_ns) return;
	cut(cuts, flush, span->start_ns);
	cut(cuts, flush, span->end_ns);
}

static void cut_all(struct cuts *cuts, const struct wt_claims *c)
{
	cut_span(cuts, &c->flush, &c->fsync);
	cut_span(cuts, &c->flush, &c->delay);
	cut_span(cuts, &c->flush, &c->woken);
	cut_span(cuts, &c->flush, &c->in_line);
	for (uint32_t i = 0; i < c->queues; i++) cut_span(cuts, &c->flush, &c->queue[i]);
	for (uint32_t i = 0; i < c->waits; i++) cut_span(cuts, &c->flush, &c->wait[i]);
	cut(cuts, &c->flush, c->others_until_ns);
}

/* No claim begins or ends inside a piece, so it lies in a span or outside. */
static bool in(const struct wt_span *piece, const struct wt_span *span)
{
	return span->start_ns <= piece->start_ns && piece->end_ns <= span->end_ns;
}

static bool in_any(const struct wt_span *piece, const struct wt_span *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (in(piece, &list[i])) return true;
	return false;
}

static enum wt_part rest_of(const struct wt_claims *c, const struct wt_span *piece, bool waits)
{
	if (!waits) return c->rows_missing ? WT_PART_UNKNOWN_OWNER : WT_PART_OWN;
	if (in(piece, &c->in_line)) return WT_PART_QUEUE;
	return c->owner_unknown ? WT_PART_UNKNOWN_OWNER : WT_PART_UNACCOUNTED;
}

static void give(const struct wt_claims *c, const struct wt_span *piece, struct wt_split *split)
{
	uint64_t length = piece->end_ns - piece->start_ns;
	uint64_t rotation = wt_spans_in(c->rotations, piece->start_ns, piece->end_ns), others = 0;
	split->part_ns[WT_PART_ROTATION] += rotation;
	length -= rotation;
	if (in(piece, &c->fsync)) {
		split->part_ns[WT_PART_FSYNC] += length;
		return;
	}
	if (in(piece, &c->delay)) {
		split->part_ns[WT_PART_DELAY] += length;
		return;
	}
	if (piece->end_ns <= c->others_until_ns) {
		others = wt_spans_in(c->busy, piece->start_ns, piece->end_ns);
		others = others > rotation ? others - rotation : 0;
	}
	if (in_any(piece, c->queue, c->queues)) {
		split->part_ns[WT_PART_QUEUE] += length;
		split->behind_others_ns += others;
		return;
	}
	if (in(piece, &c->woken)) {
		split->part_ns[WT_PART_WOKEN] += length;
		return;
	}
	bool waits = in_any(piece, c->wait, c->waits);
	if (!waits) others = 0;
	split->part_ns[WT_PART_OTHER_FSYNC] += others;
	split->behind_others_ns += others;
	split->part_ns[rest_of(c, piece, waits)] += length - others;
}

void wt_attribute(const struct wt_claims *c, struct wt_split *split)
{
	struct cuts cuts = {.n = 0};
	struct wt_span piece = {.start_ns = c->flush.start_ns};
	*split = (struct wt_split){0};
	cut_all(&cuts, c);
	for (uint32_t i = 0; i <= cuts.n; i++) {
		piece.end_ns = i < cuts.n ? cuts.at[i] : c->flush.end_ns;
		if (piece.end_ns > piece.start_ns) give(c, &piece, split);
		piece.start_ns = piece.end_ns;
	}
}
