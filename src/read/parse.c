/* SPDX-License-Identifier: MIT */
#include "read/parse.h"

#include <errno.h>
#include <string.h>

#include "base/hex.h"
#include "read/scan.h"
#include "read/shape.h"

static const char keyword[] = "PI_STORE_WAL_TRACE";
static const char head[] = "{\"keyword\":\"PI_STORE_WAL_TRACE\",\"event\":\"";

struct parse {
	struct wt_scan scan;
	struct wt_parser *parser;
	struct wt_line *line;
	const struct wt_shape *shape;
	uint64_t seen;   /* keys of the shape, by their number */
	uint8_t last;    /* the one before, plus 1 */
	uint8_t unknown; /* keys that aren't known, in the parser */
};

/* ---- Well-known words --------------------------------------------------------------------------------------- */

static uint32_t word_hash(const char *text, size_t n)
{
	return ((uint32_t)n * 29 + (uint8_t)text[0] * 5u + (uint8_t)text[n - 1] * 17u + (uint8_t)text[n / 2]) %
	       WT_WORD_SLOTS;
}

void wt_parser_init(struct wt_parser *p)
{
	memset(p->next, 0, sizeof p->next);
	memset(p->needed, 0, sizeof p->needed);
	for (int shape = 0; shape < WT_SHAPES; shape++) {
		for (uint8_t key = 0; key < wt_shape[shape].keys; key++) {
			p->next[shape][key] = key;
			p->needed[shape] |= (uint64_t)wt_shape[shape].key[key].needed << key;
		}
	}
	memset(p->word, 0, sizeof p->word);
	for (uint8_t w = 1; w < WALTRACE_WORDS; w++) {
		uint32_t slot = word_hash(wt_word_text[w].text, wt_word_text[w].bytes);
		while (p->word[slot]) slot = (slot + 1) % WT_WORD_SLOTS;
		p->word[slot] = w;
	}
}
_Static_assert(WALTRACE_WORDS < WT_WORD_SLOTS / 2, "an empty slot ends the search for a word");

static uint8_t word_of(const struct wt_parser *p, const struct wt_text *text)
{
	if (!text->n) return WALTRACE_W_NONE;
	for (uint32_t slot = word_hash(text->bytes, text->n); p->word[slot]; slot = (slot + 1) % WT_WORD_SLOTS) {
		const struct wt_name *word = &wt_word_text[p->word[slot]];
		if (word->bytes == text->n && !memcmp(word->text, text->bytes, text->n)) return p->word[slot];
	}
	return WT_WORD_OTHER;
}

static bool same(const struct wt_text *text, const char *name, size_t n)
{
	return text->n == n && !memcmp(text->bytes, name, n);
}

/* Remembers a key that nobody knows, and passes over its value. From `first` on are those of the same object. */
static bool unknown_value(struct parse *p, const struct wt_text *name, unsigned first)
{
	struct wt_text *known = p->parser->unknown;
	for (unsigned i = first; i < p->unknown; i++)
		if (same(name, known[i].bytes, known[i].n))
			return wt_scan_fail(&p->scan, "a key that was there before");
	if (p->unknown == WT_UNKNOWN_KEYS) return wt_scan_fail(&p->scan, "too many keys that aren't known");
	known[p->unknown++] = *name;
	p->line->unknown_keys++;
	return wt_scan_any(&p->scan);
}

/* ---- Small objects ------------------------------------------------------------------------------------------ */

struct member {
	const char *name;
	struct wt_text *text; /* one of the two */
	uint64_t *number;
};

static bool small_member(struct parse *p, const struct member *member, unsigned n, unsigned *got, unsigned first)
{
	struct wt_scan *s = &p->scan;
	struct wt_text name;
	if (!wt_scan_string(s, &name)) return false;
	if (!wt_scan_if(s, ':')) return wt_scan_fail(s, "a colon is expected here");
	for (unsigned i = 0; i < n; i++) {
		if (!same(&name, member[i].name, strlen(member[i].name))) continue;
		if (*got & 1u << i) return wt_scan_fail(s, "a key that was there before");
		if (i && !(*got & 1u << (i - 1))) p->line->known_order = false;
		*got |= 1u << i;
		return member[i].text ? wt_scan_string(s, member[i].text) : wt_scan_u64(s, member[i].number);
	}
	return unknown_value(p, &name, first);
}

static bool small_object(struct parse *p, const struct member *member, unsigned n)
{
	struct wt_scan *s = &p->scan;
	unsigned got = 0, first = p->unknown;
	if (!wt_scan_if(s, '{')) return wt_scan_fail(s, "an object is expected here");
	do
		if (!small_member(p, member, n, &got, first)) return false;
	while (wt_scan_if(s, ','));
	p->unknown = (uint8_t)first;
	if (got != (1u << n) - 1) return wt_scan_fail(s, "an object that lacks one of its keys");
	if (*s->at != '}') return wt_scan_fail(s, "a closing brace is expected here");
	s->at++;
	return true;
}

/* Without a way out of the loop, so that the compiler looks at many digits at a time. */
static bool all_hex(const struct wt_text *digits)
{
	uint8_t others = 0;
	for (size_t i = 0; i < digits->n; i++) {
		uint8_t c = (uint8_t)digits->bytes[i], small = c | 0x20;
		others |= (uint8_t)(((uint8_t)(c - '0') > 9) & ((uint8_t)(small - 'a') > 5));
	}
	return !others;
}

/* A path as the recorders write it, which is most of them. */
static bool usual_path(struct wt_scan *s, struct wt_text *digits)
{
	static const char before[] = "{\"encoding\":\"unix_hex\",\"value\":";
	char *from = s->at;
	if (wt_scan_long_text(s, before, sizeof before - 1) && wt_scan_plain(s, digits) && *s->at == '}') {
		s->at++;
		return true;
	}
	s->at = from;
	return false;
}

/* A path in any order of its keys. */
static bool any_path(struct parse *p, struct wt_text *digits)
{
	struct wt_text encoding;
	const struct member member[2] = {{"encoding", &encoding, NULL}, {"value", digits, NULL}};
	if (!small_object(p, member, 2)) return false;
	return same(&encoding, "unix_hex", 8) || same(&encoding, "windows_utf16_hex", 17) ||
	       wt_scan_fail(&p->scan, "a path in an encoding that isn't known");
}

static bool path_value(struct parse *p, struct wt_text *digits)
{
	if (!usual_path(&p->scan, digits) && !any_path(p, digits)) return false;
	if (!all_hex(digits)) return wt_scan_fail(&p->scan, "a path with a character that is no hexadecimal digit");
	return digits->n % 2 == 0 || wt_scan_fail(&p->scan, "a path with half a byte");
}

static int sync_trigger(const struct wt_text *name)
{
	return same(name, "request", 7) ? 0 : same(name, "timer", 5) ? 1 : same(name, "checkpoint", 10) ? 2 : -1;
}

static int kind_number(const struct wt_text *name)
{
	for (int kind = 0; kind < WALTRACE_KINDS; kind++)
		if (same(name, wt_kind_name[kind].text, wt_kind_name[kind].bytes)) return kind;
	return -1;
}

/* An array of one object for each record kind, or for each trigger of a sync. */
static bool window_sums(struct parse *p, bool counts)
{
	struct wt_scan *s = &p->scan;
	struct wt_window_line *w = &p->line->window;
	struct wt_text name;
	uint64_t first, second;
	unsigned got = 0, all = counts ? (1u << WALTRACE_KINDS) - 1 : 7;
	const struct member member[3] = {{counts ? "event" : "trigger", &name, NULL},
	                                 {counts ? "completed_records" : "calls", NULL, &first},
	                                 {counts ? "errors" : "block_bytes", NULL, &second}};
	if (!wt_scan_if(s, '[')) return wt_scan_fail(s, "an array is expected here");
	do {
		if (!small_object(p, member, 3)) return false;
		int i = counts ? kind_number(&name) : sync_trigger(&name);
		if (i < 0) continue; /* of a later version */
		if (got & 1u << i) return wt_scan_fail(s, "a sum that was there before");
		if (got != (1u << i) - 1) p->line->known_order = false;
		got |= 1u << i;
		(counts ? w->count : w->syncs)[i] = first;
		(counts ? w->errors : w->sync_bytes)[i] = second;
	} while (wt_scan_if(s, ','));
	if (got != all) return wt_scan_fail(s, "an array that lacks one of its sums");
	return wt_scan_if(s, ']') || wt_scan_fail(s, "a closing bracket is expected here");
}

/* ---- Values ------------------------------------------------------------------------------------------------- */

static bool string_value(struct parse *p, int i)
{
	struct wt_record *r = &p->line->record;
	if (!wt_scan_string(&p->scan, &r->string[i])) return false;
	r->word[i] = word_of(p->parser, &r->string[i]);
	return true;
}

static bool uid_value(struct parse *p)
{
	struct wt_text digits;
	uint64_t half[2];
	struct wt_record *r = &p->line->record;
	if (!wt_scan_string(&p->scan, &digits)) return false;
	if (digits.n != 32 || wt_hex_get(half, digits.bytes, 32))
		return wt_scan_fail(&p->scan, "a commit_uid that isn't 32 hexadecimal digits");
	r->value[WALTRACE_CID_HI] = __builtin_bswap64(half[0]);
	r->value[WALTRACE_CID_LO] = __builtin_bswap64(half[1]);
	r->mask |= 1ull << WALTRACE_CID_HI | 1ull << WALTRACE_CID_LO;
	return true;
}
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "commit_uid is printed high byte first");

static bool error_value(struct parse *p)
{
	struct wt_text name;
	if (!wt_scan_string(&p->scan, &name)) return false;
	p->line->record.error_kind = WALTRACE_ERROR_KINDS;
	for (int i = 1; i < WALTRACE_ERROR_KINDS; i++)
		if (same(&name, wt_error_kind_name[i].text, wt_error_kind_name[i].bytes))
			p->line->record.error_kind = (enum waltrace_error_kind)i;
	return true;
}

static bool bool_value(struct wt_scan *s, bool *value)
{
	*value = *s->at == 't';
	if (*value ? wt_scan_text(s, "true", 4) : wt_scan_text(s, "false", 5)) return true;
	return wt_scan_fail(s, "true or false is expected here");
}

static bool array_value(struct wt_scan *s, struct wt_text *text)
{
	if (*s->at != '[') return wt_scan_fail(s, "an array is expected here");
	text->bytes = s->at;
	if (!wt_scan_any(s)) return false;
	text->n = (size_t)(s->at - text->bytes);
	return true;
}

static bool fixed_value(struct parse *p, bool is_event)
{
	struct wt_text text;
	if (!wt_scan_string(&p->scan, &text)) return false;
	if (is_event) p->line->event = text; /* the shape was chosen by it */
	if (is_event || same(&text, keyword, sizeof keyword - 1)) return true;
	return wt_scan_fail(&p->scan, "a keyword other than PI_STORE_WAL_TRACE");
}

static WT_NOINLINE bool other_value(struct parse *p, const struct wt_key *key)
{
	struct wt_scan *s = &p->scan;
	struct wt_record *r = &p->line->record;
	void *to = (char *)p->line + key->to;
	switch ((enum wt_type)key->type) {
	case WT_T_U64: return wt_scan_u64(s, to);
	case WT_T_STRING: return string_value(p, key->to);
	case WT_T_TEXT: return wt_scan_string(s, to);
	case WT_T_NULLABLE: return wt_scan_text(s, "null", 4) || wt_scan_string(s, to);
	case WT_T_BOOL: return bool_value(s, to);
	case WT_T_PATH: return path_value(p, to);
	case WT_T_RECORD_PATH: return path_value(p, &r->path[key->to]);
	case WT_T_UID: return uid_value(p);
	case WT_T_ERROR_KIND: return error_value(p);
	case WT_T_COUNTS: return window_sums(p, true);
	case WT_T_SYNCS: return window_sums(p, false);
	case WT_T_ARRAY: return array_value(s, to);
	case WT_T_CRC: p->line->recorder.has_crc32 = true; return wt_scan_u64(s, to);
	case WT_T_KEYWORD: return fixed_value(p, false);
	case WT_T_EVENT: return fixed_value(p, true);
	case WT_T_FIELD:
	case WT_T_ANY: break;
	}
	return wt_scan_any(s);
}

/* Nearly all keys of a record are fields: they need no call. */
static inline bool value(struct parse *p, const struct wt_key *key)
{
	struct wt_record *r = &p->line->record;
	if (key->type != WT_T_FIELD) return other_value(p, key);
	r->mask |= 1ull << key->to;
	return wt_scan_u64(&p->scan, &r->value[key->to]);
}

/* ---- Keys --------------------------------------------------------------------------------------------------- */

/* At a comma: passes over it and this key and its colon, if they are what stands there. */
static inline bool is_next(struct wt_scan *s, const struct wt_key *key)
{
	size_t n = wt_key_bytes(key);
	if (wt_unlikely(!key->bytes)) return false;
	return n < 8 ? wt_scan_text(s, key->text, n) : wt_scan_long_text(s, key->text, n);
}

/* The key that stands here, or NULL for one that isn't known; s->at at its value. The search begins at the one that
 * follows the key before. */
static bool find_key(struct parse *p, const struct wt_key **found, struct wt_text *name)
{
	struct wt_scan *s = &p->scan;
	*found = NULL;
	if (!wt_scan_string(s, name)) return false;
	if (!wt_scan_if(s, ':')) return wt_scan_fail(s, "a colon is expected here");
	for (uint8_t i = 0, at = p->last; i < p->shape->keys && !*found; i++, at++) {
		if (at >= p->shape->keys) at = 0;
		const struct wt_key *key = &p->shape->key[at];
		if (key->bytes && same(name, wt_key_name(key), key->bytes)) *found = key;
	}
	return true;
}

static inline bool known_value(struct parse *p, const struct wt_key *key)
{
	uint8_t number = (uint8_t)(key - p->shape->key);
	uint64_t later = p->seen >> number;
	if (wt_unlikely(later & 1)) return wt_scan_fail(&p->scan, "a key that was there before");
	if (wt_unlikely(later)) p->line->known_order = false;
	p->seen |= 1ull << number;
	p->last = (uint8_t)(number + 1);
	if (wt_unlikely((unsigned char)*p->scan.at <= ' ')) wt_scan_spaces(&p->scan);
	return value(p, key);
}

/* The members that are those that came last time, each after its comma. */
static bool guessed_members(struct parse *p)
{
	const struct wt_key *keys = p->shape->key;
	const uint8_t *next = p->parser->next[p->shape - wt_shape];
	while (is_next(&p->scan, &keys[next[p->last]]))
		if (!known_value(p, &keys[next[p->last]])) return false;
	return true;
}

static bool member(struct parse *p)
{
	const struct wt_key *key;
	struct wt_text name;
	if (!find_key(p, &key, &name)) return false;
	if (!key) return unknown_value(p, &name, 0);
	p->parser->next[p->shape - wt_shape][p->last] = (uint8_t)(key - p->shape->key);
	return known_value(p, key);
}

static bool members(struct parse *p)
{
	struct wt_scan *s = &p->scan;
	if (*s->at != ',' && !member(p)) return false;
	for (;;) {
		if (!guessed_members(p)) return false;
		if (!wt_scan_if(s, ',')) break;
		if (!member(p)) return false;
	}
	if (!wt_scan_if(s, '}')) return wt_scan_fail(s, "a comma or the closing brace is expected here");
	return s->at == s->end || wt_scan_fail(s, "something after the closing brace");
}

/* ---- Lines -------------------------------------------------------------------------------------------------- */

static const struct wt_shape *shape_of(const struct wt_text *event)
{
	for (int i = 0; i < WT_SHAPE_UNKNOWN; i++)
		if (same(event, wt_shape[i].event, wt_shape[i].event_bytes)) return &wt_shape[i];
	return &wt_shape[WT_SHAPE_UNKNOWN];
}

/* Looks for the event when it isn't where the format has it. Changes nothing in the line. */
static bool search_event(struct wt_scan *s, struct wt_text *event)
{
	event->bytes = NULL;
	if (!wt_scan_if(s, '{')) return wt_scan_fail(s, "a line of a trace begins with {");
	do {
		const char *name = s->at;
		if (*name != '"') return wt_scan_fail(s, "a key is expected here");
		if (!wt_scan_any(s)) return false;
		bool found = s->at - name == 7 && !memcmp(name, "\"event\"", 7);
		if (!wt_scan_if(s, ':')) return wt_scan_fail(s, "a colon is expected here");
		const char *from = s->at;
		if (!wt_scan_any(s)) return false;
		if (found && *from == '"') *event = (struct wt_text){from + 1, (size_t)(s->at - from) - 2};
	} while (wt_scan_if(s, ','));
	if (*s->at != '}') return wt_scan_fail(s, "a comma or the closing brace is expected here");
	return event->bytes || wt_scan_fail(s, "a line without an event");
}

/* Chooses the shape; the scan is at the first key that is to be read then. */
static bool begin(struct parse *p)
{
	struct wt_scan *s = &p->scan;
	struct wt_text event;
	if (wt_scan_text(s, head, sizeof head - 1)) {
		const char *end = memchr(s->at, '"', wt_scan_left(s) < 32 ? wt_scan_left(s) : 32);
		if (end && end[1] == ',') {
			event = (struct wt_text){s->at, (size_t)(end - s->at)};
			p->shape = shape_of(&event);
			if (p->shape != &wt_shape[WT_SHAPE_UNKNOWN]) {
				p->line->event = event;
				s->at += event.n + 1;
				p->seen = 3;
				p->last = 2;
				return true;
			}
		}
		s->at = s->start;
	}
	if (!search_event(s, &event)) return false;
	p->shape = shape_of(&event);
	s->at = s->start;
	return wt_scan_if(s, '{');
}

static void clear(struct wt_line *line)
{
	if (line->kind != WT_LINE_RECORD) {
		memset(&line->header, 0, sizeof *line - offsetof(struct wt_line, header));
		return;
	}
	line->record.mask = 0;
	line->record.error_kind = WALTRACE_E_NONE;
	memset(line->record.string, 0, sizeof line->record.string);
	memset(line->record.word, 0, sizeof line->record.word);
	memset(line->record.path, 0, sizeof line->record.path);
}

static uint64_t missing(const struct parse *p) { return p->parser->needed[p->shape - wt_shape] & ~p->seen; }

static int fail(const struct parse *p, struct wt_err *err)
{
	return wt_err_set(err, -EBADMSG, "column %zu: %s", (size_t)(p->scan.at - p->scan.start) + 1, p->scan.wrong);
}

static int fail_missing(const struct parse *p, struct wt_err *err)
{
	const struct wt_key *key = &p->shape->key[__builtin_ctzll(missing(p))];
	return wt_err_set(err, -EBADMSG, "a %s line without its key %.*s", p->shape->event, key->bytes,
	                  wt_key_name(key));
}

int wt_parse_line(struct wt_parser *parser, char *text, size_t n, struct wt_line *line, struct wt_err *err)
{
	struct parse p = {.scan = {.at = text, .start = text, .end = text + n}, .parser = parser, .line = line};
	text[n] = '\n';
	line->unknown_keys = 0;
	line->known_order = true;
	line->session_id = (struct wt_text){NULL, 0};
	if (!begin(&p)) return fail(&p, err);
	line->kind = (enum wt_line_kind)p.shape->kind;
	clear(line);
	if (line->kind == WT_LINE_RECORD) line->record.kind = (enum waltrace_kind)(p.shape - wt_shape);
	if (!members(&p)) return fail(&p, err);
	if (missing(&p)) return fail_missing(&p, err);
	if (p.scan.spaced) line->known_order = false;
	return 0;
}
