#!/bin/bash
# SPDX-License-Identifier: MIT
# bash offers every command, every option that a command's help names, and files elsewhere.
#
# usage: completion.sh WALTRACE COMPLETION
set -u
tool=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$tool" "$work/waltrace"
PATH=$work:$PATH
# shellcheck source=/dev/null
. "$2"
cd "$work" || exit 1
bad=0

# offers WORD… : what is offered for the last one, a line each
offers() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_waltrace
	printf '%s\n' "${COMPREPLY[@]}"
}

# expect WHAT WORD… : it is offered for the last word
expect() {
	what=$1
	shift
	offers "$@" | grep -qxF -- "$what" && return
	echo "not offered for '$*': $what"
	bad=1
}

for command in demo bench verify report recover top diff wal help; do expect $command waltrace ''; done
[ "$(offers waltrace rep)" = report ] || { echo "rep: $(offers waltrace rep)"; bad=1; }
expect report waltrace help re
for command in demo bench verify report recover top diff; do
	expect --help waltrace $command --
	options=$(waltrace $command --help | grep -oE -- '^  (-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+')
	[ -n "$options" ] || { echo "no options in $command --help"; bad=1; }
	for option in $options; do expect "$option" waltrace $command --; done
done
for part in ls dump verify repair; do expect $part waltrace wal ''; done
expect json waltrace report --format j
expect html waltrace report --format h
[ -z "$(offers waltrace verify --format h)" ] || { echo 'html offered for verify'; bad=1; }
touch "$work/trace.jsonl"
expect trace.jsonl waltrace report tr
exit $bad
