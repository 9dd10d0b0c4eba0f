# SPDX-License-Identifier: MIT
# bash completion for waltrace. Commands and options are asked of the program itself, so they are those it has.

_waltrace_commands() {
	waltrace --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'
}

_waltrace_options() {
	echo --help
	waltrace "$1" --help 2>/dev/null | grep -oE -- '(^|[^-[:alnum:]])--[a-z][a-z-]*' | grep -oE -- '--[a-z][a-z-]*' | sort -u
}

_waltrace() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_waltrace_commands) help --help --version" -- "$word")
		return
	fi
	case $command:$before in
	help:*) mapfile -t COMPREPLY < <(compgen -W "$(_waltrace_commands)" -- "$word") ;;
	wal:wal) mapfile -t COMPREPLY < <(compgen -W "ls dump verify repair" -- "$word") ;;
	report:--format) mapfile -t COMPREPLY < <(compgen -W "text json html" -- "$word") ;;
	*:--format) mapfile -t COMPREPLY < <(compgen -W "text json" -- "$word") ;;
	*)
		case $word in
		-*) mapfile -t COMPREPLY < <(compgen -W "$(_waltrace_options "$command")" -- "$word") ;;
		*) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
		esac
		;;
	esac
}

complete -o filenames -F _waltrace waltrace
