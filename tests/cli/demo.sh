#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh WALTRACE [UNACCOUNTED]: runs `waltrace demo` and `waltrace bench` as people do, and looks at what they print and leave.
set -u
waltrace=$(realpath "$1")
unaccounted=${2:-0.01} # share of a commit that may be unexplained; instrumented code has longer gaps between its clocks
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cd "$root" || exit 1
for name in $(env | sed -n 's/^\(PI_STORE_WAL_TRACE[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
bad=0

no() {
	echo "NOT SO: $1"
	bad=1
}

# run STATUS ARGUMENT…: the command must end with it; its output is in out and err.
run() {
	want=$1
	shift
	"$waltrace" "$@" >out 2>err
	got=$?
	[ "$got" = "$want" ] || { no "exit $want of waltrace $* (it was $got)"; cat out err; }
}

says() { # FILE WORDS
	grep -q -- "$2" "$1" || { no "$1 has '$2'"; cat "$1"; }
}

# The demo: three complete traces, nothing missing, the table, the files.
run 0 demo --seconds 1 --dir d
says out 'Side by side'
says out '^commits per fsync '
says out '^where the time goes '
says out 'What the recorder cost'
says out 'Where the files are'
[ "$(grep -c 'trace  complete: ' out)" = 3 ] || no 'three traces are complete'
[ "$(grep -c 'WAL    0 of [0-9,]* acknowledged commits missing' out)" = 3 ] || no 'no commit is missing in three logs'
[ -s err ] && no 'nothing on stderr'
[ "$(awk '{ gsub(/[^\001-\177]/, "") } length > 80' out | wc -l)" = 0 ] || no 'no line is longer than 80 columns'
grep -q "$(printf '\033')" out && no 'no colour in a file'
for name in timer-8 leader-8 many-64; do
	[ -s "d/demo-$name.jsonl" ] || no "d/demo-$name.jsonl is there"
	[ -d "d/demo-$name-wal" ] || no "d/demo-$name-wal is there"
	head -n 1 "d/demo-$name.jsonl" | grep -q "\"run_id\":\"demo-$name\"" || no "its run id is demo-$name"
	run 0 verify "d/demo-$name.jsonl"
	run 0 report --json "d/demo-$name.jsonl"
	python3 -c 'import json, sys
commit = json.load(sys.stdin)["commit"]
parts = commit["parts_ns"]
assert sum(parts.values()) == commit["total_ns"] > 0
assert min(parts.values()) >= 0
assert parts["unaccounted"] < float(sys.argv[1]) * commit["total_ns"]' "$unaccounted" <out ||
		no "the parts of $name add up, less than $unaccounted unaccounted"
done
[ "$(find d -mindepth 1 -maxdepth 1 | wc -l)" = 6 ] || no 'nothing else is left'
# The parts of the timer's run: the timer is there, and it isn't where there is none.
grep -q '^{"keyword":"PI_STORE_WAL_TRACE","event":"timer_run"' d/demo-timer-8.jsonl || no 'the timer is in the trace'
grep -q '^{"keyword":"PI_STORE_WAL_TRACE","event":"timer_run"' d/demo-leader-8.jsonl && no 'no timer in the other trace'

# A directory that holds something is left alone.
run 1 demo --seconds 1 --dir d
says err "isn't empty"
rm -rf d

# Wrong usage, and places where nothing can be written.
for wrong in --seconds=0 --seconds=11 --committers=0 --committers=513 --payload=15 --payload=65537 --nonsense word \
	--dir --seconds=x --json; do
	run 3 demo "$wrong"
	says err '^waltrace: demo: '
done
for wrong in --seconds=601 --committers=513 --payload=15 --delay-ms=11 --block-limit=2047 --block-limit=33554433 \
	--format=xml --no-trace=1; do
	run 3 bench "$wrong"
	says err '^waltrace: bench: '
done
: >file
run 1 demo --seconds 1 --dir file
says err 'file'
run 1 demo --seconds 1 --dir no/where
says err 'the directory above it must exist'
run 1 bench --seconds 1 --dir /proc/waltrace-test
says err '/proc/waltrace-test'
[ "$(id -u)" = 0 ] || {
	mkdir -m 555 locked
	run 1 demo --seconds 1 --dir locked
	says err "can't write there"
	run 1 bench --seconds 1 --dir locked/d
	says err 'Permission denied'
}

# The recorder switched off: the demo can't do without, and says how to mend it.
PI_STORE_WAL_TRACE=off "$waltrace" demo --seconds 1 --dir off >out 2>err && no 'a demo without the recorder fails'
says err 'trace disabled'

# help
run 0 demo --help
says out '^Usage: waltrace demo'
says out 'Examples:'
run 0 bench --help
says out '^Usage: waltrace bench'

# bench: figures as JSON, with and without the recorder, and nothing left behind.
rm -rf off
before=$(ls)
run 0 bench --seconds 1 --committers 4 --json
cp out traced.json
run 0 bench --seconds 1 --committers 4 --no-trace --format json --delay-ms 1 --block-limit 2048 --payload 16
cp out plain.json
python3 - traced.json plain.json <<'EOF' || no 'bench --json is right'
import json, sys

traced, plain = (json.loads(open(name).read()) for name in sys.argv[1:])
KEYS = """bench peer mode threads p50_ns p99_ns commits_per_s commits_per_fsync payload_bytes mb_per_s rss_mb traced
lost p90_ns p999_ns max_ns fsyncs batches missing""".split()
for one in traced, plain:
    assert [key for key in KEYS if key not in one] == []
    assert one["bench"] == "commitlog" and one["threads"] == 4
    assert one["missing"] == one["wrong"] == one["lost"] == 0
    assert one["acknowledged"] == one["commits"] > 0
    assert 0 < one["p50_ns"] <= one["p90_ns"] <= one["p99_ns"] <= one["p999_ns"] <= one["max_ns"]
    assert 1 <= one["batch_p50"] <= one["batch_max"] and one["fsyncs"] > 0
assert traced["traced"] is True and traced["complete"] is True and traced["payload_bytes"] == 256
assert plain["traced"] is False and "complete" not in plain and plain["payload_bytes"] == 16
assert plain["delay_ms"] == 1 and plain["p50_ns"] > 1000000  # the timer's millisecond
EOF
rm -f traced.json plain.json
[ "$(ls)" = "$before" ] || no 'bench leaves nothing behind'
run 0 bench --seconds 1 --committers 2 --dir kept
says out '^WAL  *0 of [0-9,]* acknowledged commits missing'
says out '^trace  *complete: '
[ -s kept/bench.jsonl ] || no 'a directory that was named is kept'

# Files that fill faster than the next one can be prepared: nothing is lost then either.
run 0 bench --seconds 1 --committers 512 --payload 65536 --no-trace
says out '^WAL  *0 of [0-9,]* acknowledged commits missing'

# Interrupted: it says so, ends by the signal, and leaves no process and no directory.
"$waltrace" bench --seconds 60 >out 2>err &
pid=$!
sleep 1
kill -TERM $pid
wait $pid 2>/dev/null
[ $? = 143 ] || no 'an interrupted bench ends by its signal'
says err 'interrupted'
[ -z "$(find . -name 'waltrace-bench-*')" ] || no 'an interrupted bench leaves nothing behind'

exit $bad
