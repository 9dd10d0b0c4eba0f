/* SPDX-License-Identifier: MIT */
/* Asked before newterm, which doesn't free what it made for a terminal that it doesn't know. */
#include <curses.h>
#include <stdbool.h>
#include <stdio.h>
#include <term.h>

bool wt_top_terminal_is_known(void);

bool wt_top_terminal_is_known(void)
{
	int problem;
	if (setupterm(NULL, fileno(stdout), &problem) != OK) return false;
	del_curterm(cur_term);
	return true;
}
