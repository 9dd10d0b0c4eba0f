#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""waltrace diff, from outside, on runs whose times are made up: diff.py WALTRACE SAMPLE

The runs cost no time and are the same on every machine; diff_pairs.py has real ones."""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

WALTRACE, SAMPLE = sys.argv[1], sys.argv[2]
DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/diff.md")
KINDS = ["root_append", "root_flush", "commit_lock", "sync_call", "timer_spawn", "timer_run", "checkpoint_rotation",
         "file_split", "backup_rename", "root_confirm", "replay", "maintenance"]


def line(event, **keys):
    text = json.dumps({"keyword": "PI_STORE_WAL_TRACE", "event": event, **keys}, separators=(",", ":"))
    return text.encode() + b"\n"


def record(event, session, number, outcome, **keys):
    return line(event, session_id=session, logger_id=1, operation_id=number, outcome=outcome, **keys)


def commits(session, seed, factor, committers, seconds):
    """Each in turn takes the commit lock, syncs its own batch, and asks again: rows and the last instant."""
    draw, rows, free_ns, uid = random.Random(seed), [], 0, 0
    asks = [10_000 * (i + 1) for i in range(committers)]
    while True:
        start = min(asks)
        if start > seconds * 1e9:
            return rows, free_ns
        uid += 1
        flush, lock, sync = 3 * uid - 2, 3 * uid - 1, 3 * uid
        got = max(start + 2_000, free_ns)
        begins, takes = got + 1_000, int(factor * draw.lognormvariate(0, 0.3) * 300_000)
        free_ns = begins + takes + 2_000
        ended = free_ns + 3_000
        rows.append(record("sync_call", session, sync, "success", trigger="request", start_ns=begins, total_ns=takes,
                           parent_id=lock, block_bytes=4096, batch_max_log_uid=uid, written_bytes=4112))
        rows.append(record("commit_lock", session, lock, "owner_success", trigger="request", start_ns=start + 1_000,
                           log_uid=uid, parent_id=flush, lock_wait_ns=got - start - 1_000, lock_hold_ns=free_ns - got,
                           committed_before=uid - 1, committed_at_acquire=uid - 1, lock_seq=uid))
        rows.append(record("root_flush", session, flush, "success", start_ns=start, total_ns=ended - start, log_uid=uid,
                           entry_uid_fast_path=0))
        asks[asks.index(start)] = ended + draw.randrange(5_000, 15_000)


def run_of(seed, factor=1.0, committers=1, seconds=0.4, dropped=0, min_ns=None):
    session = f"1-{seed}"
    rows, last_ns = commits(session, seed, factor, committers, seconds)
    n = len(rows) // 3
    head = dict(schema_version=2, session_id=session, pid=1, epoch_ns=str(seed), run_id="made up", pi_store="1",
                build_id_declared=None, window_ms=1000, capacity=65536, record_bytes=600, operation_slots=1024,
                records_per_operation=32, helpers_per_operation=8, path_budget_bytes=8388608, max_bytes=2147483648,
                global_clock_ms_verified=None, worker_sleep_ms_verified=None)
    if min_ns is not None:
        head["min_ns"] = min_ns
    path = {"encoding": "unix_hex", "value": "2f77"}
    lines = [line("session_start", **head),
             line("root_logger_ready", session_id=session, logger_id=1, runtime_id=1, wal_path=path, initial_file=path,
                  block_limit=8192, delay_ms=0, checkpoint_limit=33554432, collect_interval_ms=10000, auto_split=False),
             *rows]
    counted = {"root_flush": n, "commit_lock": n, "sync_call": n}
    lines.append(line("window", session_id=session, window=1, start_ns=0, end_ns=last_ns + 1_000_000, write_elapsed_ns=1,
                      event_produced=3 * n + dropped, event_written=3 * n, dropped_full=dropped, dropped_stopped=0, omitted=0,
                      operation_outstanding=0, recorder_inflight=0, queue_depth=0, queue_capacity=65536,
                      retained_path_bytes=0, file_bytes_before_summary=sum(map(len, lines)), waiter_registered=0,
                      notify_completed=0,
                      counts=[{"event": k, "completed_records": counted.get(k, 0), "errors": 0} for k in KINDS],
                      sync=[{"trigger": t, "calls": n if t == "request" else 0,
                             "block_bytes": 4096 * n if t == "request" else 0} for t in ("request", "timer", "checkpoint")]))
    lines.append(line("session_end", session_id=session, reason="shutdown", event_produced=3 * n + dropped,
                      event_written=3 * n, event_dropped=dropped, omitted=0, outstanding=0, complete=not dropped))
    return b"".join(lines)


def diff(*args, data=None):
    done = subprocess.run([WALTRACE, "diff", *args], input=data, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Diff(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.scratch.cleanup()

    def file(self, name, data):
        path = os.path.join(self.scratch.name, name)
        with open(path, "wb") as out:
            out.write(data)
        return path

    def pair(self, a, b):
        return self.file("a.jsonl", run_of(**a)), self.file("b.jsonl", run_of(**b))

    def test_made_up_runs_are_complete(self):
        done = subprocess.run([WALTRACE, "verify", self.file("a.jsonl", run_of(1, committers=4))], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_three_pairs_of_the_same_load_have_no_difference(self):
        for seed in (1, 2, 3):
            status, out, err = diff(*self.pair(dict(seed=2 * seed), dict(seed=2 * seed + 1)), "--json")
            self.assertEqual((status, json.loads(out)["verdict"], err), (0, "same", ""), out)

    def test_three_pairs_with_fsync_a_tenth_slower_are_slower_and_fsync_is_named(self):
        for seed, committers in ((1, 1), (2, 1), (3, 4)):
            result = diff(*self.pair(dict(seed=2 * seed, committers=committers),
                                     dict(seed=2 * seed + 1, committers=committers, factor=1.1)), "--json")
            found = json.loads(result[1])
            self.assertEqual((result[0], found["verdict"]), (1, "slower"), found["headline"])
            self.assertEqual(found["explained_by"]["part"], "fsync")
            self.assertEqual(found["explained_by"]["through_others"], committers > 1)
            self.assertGreater(found["explained_by"]["share"], 0.9)
            self.assertAlmostEqual(found["metrics"]["fsync_mean"]["change"], 0.1, delta=0.04)
            self.assertAlmostEqual(sum(p["share_of_change"] for p in found["parts"].values()), 1, places=6)

    def test_the_other_way_round_is_faster_and_good(self):
        a, b = self.pair(dict(seed=2, factor=1.1), dict(seed=3))
        status, out, _ = diff(a, b)
        self.assertEqual(status, 0)
        self.assertTrue(out.startswith("FASTER"), out)
        self.assertIn("fsync explains", " ".join(out.split()))

    def test_output_is_the_same_each_time(self):
        a, b = self.pair(dict(seed=2), dict(seed=3))
        self.assertEqual(diff(a, b), diff(a, b))
        self.assertEqual(diff(a, b, "--json"), diff(a, "--format", "json", b))

    def test_values_are_those_of_the_records(self):
        a, b = self.pair(dict(seed=2), dict(seed=3))
        found = json.loads(diff(a, b, "--json")[1])
        for key, path in (("a", a), ("b", b)):
            with open(path, "rb") as file:
                rows = [json.loads(row) for row in file]
            flushes = sorted(r["total_ns"] for r in rows if r["event"] == "root_flush")
            self.assertEqual(found[key]["flushes"], len(flushes))
            mean = sum(flushes) / len(flushes)
            self.assertAlmostEqual(found["metrics"]["mean"][key], mean, delta=1e-6 * mean)
            self.assertAlmostEqual(sum(p[key] for p in found["parts"].values()), mean, delta=1e-6 * mean)
            for name, share in (("p50", 0.5), ("p90", 0.9)):
                exact = flushes[round(share * len(flushes)) - 1]
                self.assertAlmostEqual(found["metrics"][name][key], exact, delta=exact / 200)

    def test_gates_decide_the_exit_status(self):
        slower, same = self.pair(dict(seed=2), dict(seed=3, factor=1.1)), None
        status, out, _ = diff(*slower, "--gate", "p50<+5%", "--gate", "fsync_mean<+50%", "--json")
        states = [g["state"] for g in json.loads(out)["gates"]]
        self.assertEqual((status, states), (1, ["broken", "held"]))
        same = self.pair(dict(seed=4), dict(seed=5))
        self.assertEqual(diff(*same, "--gate", "p50<+5%", "--gate=throughput>-5%")[0], 0)
        status, out, _ = diff(*same, "--gate", "throughput>+20%")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"throughput>\+20% +broken")
        faster = self.pair(dict(seed=6, factor=1.1), dict(seed=7))
        self.assertEqual(diff(*faster, "--gate", "mean<-1%")[0], 0)
        status, out, _ = diff(*same, "--gate", "p999<+1%")
        self.assertEqual(status, 0)
        self.assertIn("undecided", out)

    def test_wrong_usage_is_3_and_says_what(self):
        a, b = self.pair(dict(seed=4), dict(seed=5))
        for args, said in (((a,), "Give two"), ((), "Give two"), ((a, b, SAMPLE), "more than two traces"),
                           (("-", "-"), "only one"), ((a, b, "--gate", "p98<5%"), "no such metric"),
                           ((a, b, "--gate"), "a value is missing after --gate"), ((a, b, "--bad"), "unknown option --bad"),
                           ((a, b, "--format", "xml"), "not xml"),
                           ((a, b, *(["--gate", "p50<1%"] * 33)), "32 at most")):
            status, out, err = diff(*args)
            self.assertEqual((status, out), (3, ""), args)
            self.assertIn(said, err)
        self.assertIn(diff(a, b, *(["--gate", "p50<50%"] * 32))[0], (0, 1))

    def test_incomplete_input_is_2_unless_allowed(self):
        a, b = self.pair(dict(seed=4), dict(seed=5, dropped=7))
        status, out, err = diff(a, b)
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(err, r"b\.jsonl: incomplete: .*--allow-incomplete")
        status, out, err = diff(a, b, "--allow-incomplete")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("B is incomplete", out)
        self.assertIn("What that touches", out)
        self.assertFalse(json.loads(diff(a, b, "--allow-incomplete", "--json")[1])["b"]["complete"])

    def test_runs_filtered_differently_are_2_unless_allowed(self):
        a, b = self.pair(dict(seed=4), dict(seed=5, min_ns=1000))
        status, out, err = diff(a, b)
        self.assertEqual((status, out), (2, ""))
        self.assertIn("(min_ns)", err)
        self.assertEqual(diff(a, b, "--allow-incomplete")[0], 0)

    def test_damaged_unreadable_and_too_short_input_is_2_and_named(self):
        a = self.file("a.jsonl", run_of(4))
        lines = run_of(5).splitlines(keepends=True)
        damaged = self.file("d.jsonl", b"".join(lines[:50] + lines[51:]))
        bad = self.file("bad.jsonl", b"".join(lines[:50] + [b"{\n"] + lines[50:]))
        text = self.file("t.jsonl", b"no trace\n")
        short = self.file("s.jsonl", run_of(5, seconds=0.005))
        for b, said in ((damaged, "d.jsonl:"), (bad, "bad.jsonl:51:"), (text, "not a trace"), (short, "B has"),
                        (os.path.join(self.scratch.name, "none"), "can't open it"), (self.scratch.name, "a directory")):
            status, out, err = diff(a, b)
            self.assertEqual((status, out), (2, ""), b)
            self.assertIn(said, err)
            self.assertEqual(diff(b, a)[0], 2)
            self.assertEqual(diff(a, b, "--allow-incomplete")[0], 2)

    def test_one_may_come_from_standard_input(self):
        a, b = self.pair(dict(seed=4), dict(seed=5))
        with open(b, "rb") as file:
            status, out, _ = diff(a, "-", "--json", data=file.read())
        self.assertEqual(status, 0)
        self.assertEqual(json.loads(out)["metrics"], json.loads(diff(a, b, "--json")[1])["metrics"])

    def test_reference_trace_compared_with_itself(self):
        status, out, _ = diff(SAMPLE, SAMPLE)
        self.assertEqual(status, 0)
        self.assertTrue(out.startswith("SAME"))

    def test_text_fits_80_columns(self):
        a, b = self.pair(dict(seed=2, committers=4), dict(seed=3, committers=4, factor=1.5))
        out = diff(a, b, "--gate", "p50<+5%")[1]
        self.assertLessEqual(max(len(row) for row in out.splitlines() if ".jsonl" not in row), 80)
        self.assertNotIn("\033", out)

    def test_each_key_is_documented(self):
        a, b = self.pair(dict(seed=2), dict(seed=3, factor=1.1))
        with open(DOCS, encoding="utf-8") as file:
            text = file.read()

        def check(value):
            for item in value if isinstance(value, list) else []:
                check(item)
            for key, item in value.items() if isinstance(value, dict) else []:
                self.assertTrue(f"`{key}`" in text, key)
                check(item)
        check(json.loads(diff(a, b, "--json", "--gate", "p50<+5%")[1]))

    def test_help_is_good(self):
        status, out, _ = diff("--help")
        self.assertEqual(status, 0)
        self.assertIn("--gate", out)
        self.assertLessEqual(max(map(len, out.splitlines())), 80)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
