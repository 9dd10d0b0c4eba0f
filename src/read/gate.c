/* SPDX-License-Identifier: MIT */
#include "read/gate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "read/shown.h"

static const double limit_max = 10000; /* per cent */

static int refuse(struct wt_err *err, const char *text, const char *what)
{
	char shown[4 * WT_GATE_TEXT + 1], head[WT_GATE_TEXT + 1];
	size_t n = strnlen(text, WT_GATE_TEXT);
	memcpy(head, text, n);
	wt_shown(shown, sizeof shown, head, n);
	return wt_err_set(err, -EINVAL, "gate '%s': %s: write it as p99<+5%% or throughput>-5%%", shown, what);
}

static const char *pass_blanks(const char *at) { return at + strspn(at, " "); }

static const char *read_metric(const char *at, enum wt_metric *metric)
{
	size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
	for (enum wt_metric m = 0; m < WT_METRICS; m++) {
		if (strlen(wt_metric_about[m].key) != n || memcmp(at, wt_metric_about[m].key, n) != 0) continue;
		*metric = m;
		return at + n;
	}
	return NULL;
}

/* Without strtod, which takes nan, hexadecimal digits and, in some languages, a comma. */
static const char *read_number(const char *at, double *number)
{
	size_t whole = strspn(at, "0123456789"), rest = 0;
	double value = 0, unit = 1;
	for (size_t i = 0; i < whole; i++) value = value * 10 + (at[i] - '0');
	at += whole;
	if (*at == '.') {
		rest = strspn(at + 1, "0123456789");
		for (size_t i = 1; i <= rest; i++) value += (at[i] - '0') * (unit /= 10);
		at += rest + 1;
		if (!rest) return NULL;
	}
	*number = value;
	return whole ? at : NULL;
}

static void list_metrics(char *to, size_t room)
{
	size_t used = (size_t)snprintf(to, room, "no such metric, they are");
	for (int m = 0; m < WT_METRICS && used < room; m++)
		used += (size_t)snprintf(to + used, room - used, "%s %s", m ? "," : "", wt_metric_about[m].key);
}

int wt_gate_parse(struct wt_gate *gate, const char *text, struct wt_err *err)
{
	char metrics[256];
	*gate = (struct wt_gate){0};
	if (strlen(text) >= sizeof gate->text) return refuse(err, text, "too long");
	memcpy(gate->text, text, strlen(text));
	const char *at = read_metric(pass_blanks(text), &gate->metric);
	if (!at) {
		list_metrics(metrics, sizeof metrics);
		return refuse(err, text, metrics);
	}
	at = pass_blanks(at);
	if (*at != '<' && *at != '>') return refuse(err, text, "< or > is expected behind the metric");
	gate->below = *at == '<';
	at = pass_blanks(at + 1);
	bool negative = *at == '-';
	if (*at == '+' || *at == '-') at++;
	at = read_number(at, &gate->limit);
	if (!at) return refuse(err, text, "a number is expected behind < or >");
	if (gate->limit > limit_max) return refuse(err, text, "a bound over 10000 %");
	gate->limit *= negative ? -0.01 : 0.01;
	at = pass_blanks(at);
	if (*at != '%') return refuse(err, text, "% is expected behind the number");
	return *pass_blanks(at + 1) ? refuse(err, text, "something stands behind the %") : 0;
}
