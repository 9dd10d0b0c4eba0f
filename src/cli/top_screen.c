/* SPDX-License-Identifier: MIT */
/* The live screen: a look each interval, keys between. Whatever ends it, the terminal is given back as it was: signals
 * only set a flag, and the one that came is raised again after that. */
#define NCURSES_NOMACROS
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cmd.h"
#include "cli/top.h"

enum { WIDEST = WT_LINE_BYTES / 4, NARROWEST = 20, IDLE_MS = 50 };
enum sort { BY_ID, BY_AGE, BY_WAITERS, BY_FLUSHES, SORTS };

static const char *const sort_name[SORTS] = {"logger", "held", "wait", "flushes/s"};
static const char *const help_line[] = {
	"waltrace top: who holds the commit lock, and since when",
	"",
	"  q         quit",
	"  p         pause: the numbers stay as they are",
	"  s         sort the loggers by number, time held, waiters, flushes a second",
	"  up, down  choose the logger whose latencies are shown",
	"  h         this help, and back",
	"",
	"owner      operation_id of the commit_lock record to come; held: since it got the lock",
	"stage      acquired, syncing, waking (its waiters), after_sync (maintenance)",
	"wait, peak threads that wait for the commit lock now, and most that ever did",
	"latency    to within 1/32; all: since the start; lost and filtered records count, too",
	"in flight  operations that have not ended; rows: their records so far",
	"behind     at most so much is missing at the end of the trace's file",
};

struct screen {
	struct wt_snapshot *room; /* two, used in turn */
	struct wt_view view;
	uint32_t taken; /* snapshots so far */
	uint32_t order[WALTRACE_SHM_LOGGERS];
	double held[WALTRACE_SHM_LOGGERS]; /* what the order goes by */
	uint32_t chosen, from;
	enum sort sort;
	bool paused, help, quit, colour;
	double interval_s;
};

static volatile sig_atomic_t caught;

static void note_signal(int number) { caught = number; }

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- Numbers -------------------------------------------------------------------------------------------------------------- */

/* Once it is over, what was seen last stays. */
static bool is_over(const struct screen *s)
{
	const struct wt_snapshot *now = s->view.now;
	return now && (!now->whole || now->life == WT_LIFE_ENDED || now->life == WT_LIFE_DEAD);
}

static void look(struct screen *s)
{
	struct wt_snapshot *now = &s->room[s->taken % 2];
	wt_snapshot_take(now, s->view.target);
	s->view.before = s->taken ? &s->room[(s->taken + 1) % 2] : NULL;
	s->view.now = now;
	s->taken++;
}

static double sort_value(const struct screen *s, uint32_t i)
{
	const struct wt_top_logger *l = &s->view.now->logger[i];
	switch (s->sort) {
	case BY_AGE: return l->owner.id ? (double)wt_age_ns(s->view.now, l->owner.since_ns) : -1;
	case BY_WAITERS: return (double)l->waiters;
	case BY_FLUSHES: return wt_view_logger_rates(&s->view, i).flushes;
	default: return 0;
	}
}

static int by_value(const void *a, const void *b, void *context)
{
	const double *held = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	if (held[x] != held[y]) return held[x] > held[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void put_in_order(struct screen *s)
{
	uint32_t n = s->view.now->loggers;
	for (uint32_t i = 0; i < n; i++) {
		s->order[i] = i;
		s->held[i] = sort_value(s, i);
	}
	qsort_r(s->order, n, sizeof *s->order, by_value, s->held);
}

static uint32_t place_of_chosen(const struct screen *s)
{
	for (uint32_t i = 0; i < s->view.now->loggers; i++)
		if (s->order[i] == s->chosen) return i;
	return 0;
}

static void choose(struct screen *s, int step)
{
	uint32_t n = s->view.now->loggers, at = place_of_chosen(s);
	if (!n || (step < 0 && !at) || (step > 0 && at + 1 >= n)) return;
	s->chosen = s->order[step < 0 ? at - 1 : at + 1];
}

/* ---- Drawing --------------------------------------------------------------------------------------------------------------- */

/* The terminal's, of so much of the loggers and operations as there is room for. */
static void compose(struct screen *s, struct wt_top_lines *lines, int rows)
{
	const struct wt_snapshot *now = s->view.now;
	wt_top_head(lines, &s->view);
	if (!now->whole) return;
	int left = rows - (int)lines->n - 9; /* headings, blank lines, latencies */
	if (left < 2) left = 2;
	int want = now->operations < (uint32_t)left / 2 ? (int)now->operations : left / 2;
	uint32_t count = (uint32_t)(left - want) < now->loggers ? (uint32_t)(left - want) : now->loggers;
	put_in_order(s);
	uint32_t at = place_of_chosen(s);
	if (at < s->from) s->from = at;
	if (at >= s->from + count) s->from = at - count + 1;
	wt_top_lines_add(lines, WT_INK_NONE, "%s", "");
	wt_top_loggers(lines, &s->view, s->order, s->from, count, s->chosen);
	wt_top_lines_add(lines, WT_INK_NONE, "%s", "");
	if (now->loggers) wt_top_times(lines, &s->view, s->chosen);
	wt_top_lines_add(lines, WT_INK_NONE, "%s", "");
	int most = rows - (int)lines->n - 1;
	if (most < (int)now->operations || now->under_way > now->operations) most--;
	wt_top_operations(lines, &s->view, most > 0 ? (uint32_t)most : 0);
}

static void put(const struct screen *s, int row, const struct wt_top_line *line)
{
	static const attr_t attribute[] = {A_NORMAL, A_BOLD, A_DIM, A_BOLD, A_BOLD, A_BOLD};
	static const short pair[] = {0, 0, 0, 1, 2, 3};
	attr_t a = attribute[line->ink];
	if (line->chosen) a |= A_REVERSE;
	wattr_set(stdscr, a, s->colour ? pair[line->ink] : 0, NULL);
	mvwaddstr(stdscr, row, 0, line->text);
}

static void put_keys(const struct screen *s, int row, int columns)
{
	struct wt_top_lines lines = {.columns = columns};
	wt_top_lines_add(&lines, WT_INK_NONE, " q quit  p %s  s sort: %s  up/down logger  h %s   %s%.*g s ",
	                 s->paused ? "go on" : "pause", sort_name[s->sort], s->help ? "back" : "help",
	                 s->paused    ? "PAUSED, "
	                 : is_over(s) ? "OVER, "
	                              : "every ",
	                 4, s->interval_s);
	if (!lines.n) return;
	lines.line[0].chosen = true;
	put(s, row, &lines.line[0]);
	wt_top_lines_free(&lines);
}

static void draw(struct screen *s)
{
	int rows, columns;
	getmaxyx(stdscr, rows, columns);
	/* The last column stays free, so that no terminal wraps. */
	struct wt_top_lines lines = {.columns = columns <= NARROWEST ? NARROWEST : columns > WIDEST ? WIDEST : columns};
	if (s->help)
		for (size_t i = 0; i < WT_COUNT(help_line); i++)
			wt_top_lines_add(&lines, i ? WT_INK_NONE : WT_INK_BOLD, "%s", help_line[i]);
	else compose(s, &lines, rows - 1);
	werase(stdscr);
	for (int i = 0; i < (int)lines.n && i < rows - 1; i++) put(s, i, &lines.line[i]);
	put_keys(s, rows - 1, lines.columns);
	wt_top_lines_free(&lines);
	wrefresh(stdscr);
}

/* ---- Keys ------------------------------------------------------------------------------------------------------------------- */

static void obey(struct screen *s, int key)
{
	switch (key) {
	case 'q':
	case 'Q': s->quit = true; break;
	case 'p':
	case ' ': s->paused = !s->paused; break;
	case 's': s->sort = (enum sort)((s->sort + 1) % SORTS); break;
	case 'h':
	case '?': s->help = !s->help; break;
	case KEY_UP:
	case 'k': choose(s, -1); break;
	case KEY_DOWN:
	case 'j': choose(s, 1); break;
	case 'L' - '@': clearok(stdscr, TRUE); break;
	default: break;
	}
}

/* Until the time has come, a key was pressed, the window changed or a signal came. */
static void wait_for_key(struct screen *s, uint64_t until_ms)
{
	uint64_t now = now_ms(), left = until_ms > now ? until_ms - now : 0;
	wtimeout(stdscr, left > 1000 ? 1000 : (int)left);
	int key = wgetch(stdscr);
	if (key != ERR) {
		obey(s, key);
	} else if (!caught && left > IDLE_MS && now_ms() - now < IDLE_MS / 2) {
		/* Input that has ended gives no key and doesn't wait. */
		const struct timespec pause = {0, IDLE_MS * 1000000};
		nanosleep(&pause, NULL);
	}
}

static void run(struct screen *s)
{
	const uint64_t interval_ms = (uint64_t)(s->interval_s * 1000);
	uint64_t next_ms = now_ms();
	while (!s->quit && !caught) {
		if (now_ms() >= next_ms) {
			if (!s->paused && !is_over(s)) look(s);
			next_ms = now_ms() + interval_ms;
		}
		draw(s);
		wait_for_key(s, next_ms);
	}
}

/* ---- The terminal ------------------------------------------------------------------------------------------------------------ */

static void prepare_terminal(struct screen *s)
{
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	s->colour = wt_wants_colour(stdout) && has_colors();
	if (!s->colour) return;
	start_color();
	use_default_colors();
	init_pair(1, COLOR_GREEN, -1);
	init_pair(2, COLOR_RED, -1);
	init_pair(3, COLOR_YELLOW, -1);
}

static void catch_signals(bool on)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction action = {.sa_handler = on ? note_signal : SIG_DFL}; /* without SA_RESTART: waiting ends */
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < WT_COUNT(signals); i++) sigaction(signals[i], &action, NULL);
}

/* Units are written with a µ. */
static void choose_characters(void)
{
	if (setlocale(LC_CTYPE, "") && !strcmp(nl_langinfo(CODESET), "UTF-8")) return;
	setlocale(LC_CTYPE, "C.UTF-8");
}

static int show(struct screen *s)
{
	choose_characters();
	SCREEN *terminal = wt_top_terminal_is_known() ? newterm(NULL, stdout, stdin) : NULL;
	if (!terminal) return -ENOTTY;
	prepare_terminal(s);
	caught = 0;
	catch_signals(true);
	run(s);
	endwin();
	delscreen(terminal);
	catch_signals(false);
	if (caught) raise(caught);
	return wt_top_status(s->view.now);
}

int wt_top_screen(const struct wt_target *target, double interval_s)
{
	struct screen *s = calloc(1, sizeof *s);
	int status = -ENOMEM;
	if (s) s->room = calloc(2, sizeof *s->room);
	if (s && s->room) {
		s->view.target = target;
		s->interval_s = interval_s;
		status = show(s);
	}
	if (s) free(s->room);
	free(s);
	return status;
}
