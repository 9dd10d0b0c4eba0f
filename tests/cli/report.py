#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""waltrace report, from outside: report.py WALTRACE SAMPLE"""
import json
import os
import pty
import subprocess
import sys
import tempfile
import unittest

WALTRACE, SAMPLE = sys.argv[1], sys.argv[2]
PARTS = ["rotation", "fsync", "delay", "queue", "woken", "other_fsync", "own", "unknown_owner", "unaccounted"]


def run(*args, stdin=None, env=None):
    return subprocess.run([WALTRACE, "report", *args], input=stdin, capture_output=True, timeout=60,
                          env={**os.environ, **(env or {})})


def trace(lines):
    """A trace of these lines, as a file that is removed when it is closed."""
    file = tempfile.NamedTemporaryFile(suffix=".jsonl")
    file.write(b"".join(lines))
    file.flush()
    return file


with open(SAMPLE, "rb") as sample:
    LINES = sample.readlines()


class Report(unittest.TestCase):
    def assert_adds_up(self, report):
        commit = report["commit"]
        self.assertEqual(list(commit["parts_ns"]), PARTS)
        self.assertEqual(sum(commit["parts_ns"].values()), commit["total_ns"])
        for q in commit["quantiles"].values():
            self.assertEqual(sum(q["parts_ns"].values()), q["total_ns"])
            self.assertTrue(q["from_ns"] <= q["total_ns"] < q["below_ns"])
        for slow in commit["slowest"]:
            self.assertEqual(sum(slow["parts_ns"].values()), slow["total_ns"])

    def test_sample_says_that_commits_wait_for_one_anothers_fsyncs(self):
        result = run(SAMPLE)
        self.assertEqual(result.returncode, 0, result.stderr)
        text = result.stdout.decode()
        self.assertTrue(text.startswith("COMPLETE"))
        self.assertIn("commits wait for one another's fsyncs", " ".join(text.split()))
        self.assertNotIn("\033", text)

    def test_text_fits_80_columns(self):
        text = run(SAMPLE).stdout.decode()
        path_line, *others = text.splitlines()
        self.assertLessEqual(max(map(len, others)), 80)
        for section in ("Where a commit's time goes", "Slowest commits", "Group commit", "Commit lock", "fsync"):
            self.assertTrue(any(line.startswith(section) for line in others), section)

    def test_json_agrees_with_the_records_counted_here(self):
        report = json.loads(run("--json", SAMPLE).stdout)
        records = [json.loads(line) for line in LINES]
        flushes = [r["total_ns"] for r in records if r["event"] == "root_flush"]
        syncs = [r["total_ns"] for r in records if r["event"] == "sync_call"]
        locks = [r for r in records if r["event"] == "commit_lock"]
        self.assert_adds_up(report)
        self.assertTrue(report["complete"])
        self.assertEqual(report["commit"]["total_ns"], sum(flushes))
        self.assertEqual(report["commit"]["max_ns"], max(flushes))
        self.assertEqual(report["commit"]["parts_ns"]["fsync"], sum(syncs))
        self.assertEqual(report["commit"]["parts_ns"]["queue"], sum(r["lock_wait_ns"] for r in locks))
        self.assertEqual(report["commit_lock"]["hold_ns"]["sum"], sum(r["lock_hold_ns"] for r in locks))
        self.assertEqual(report["fsync"]["time_ns"]["max"], max(syncs))
        self.assertEqual([s["total_ns"] for s in report["commit"]["slowest"]], sorted(flushes, reverse=True)[:10])
        for q, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
            exact = sorted(flushes)[int(share * len(flushes)) - 1]
            self.assertAlmostEqual(report["commit"]["quantiles"][q]["total_ns"], exact, delta=exact / 32)

    def test_each_key_is_documented(self):
        docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/report-json.md")
        with open(docs, encoding="utf-8") as file:
            text = file.read()

        def check(value, exempt=False):
            for item in value if isinstance(value, list) else []:
                check(item)
            for key, item in value.items() if isinstance(value, dict) else []:
                self.assertTrue(exempt or f"`{key}`" in text, key)
                check(item, key in ("commit_lock_outcomes", "lost_by_kind"))
        check(json.loads(run("--json", SAMPLE).stdout))

    def test_findings_are_named_at_the_top_and_explained_at_the_end(self):
        report = json.loads(run("--json", SAMPLE).stdout)
        found = report["findings"]
        # One lock, an fsync a commit, no gap between them: that is how the sample was made.
        self.assertLessEqual({"small-blocks", "lock-convoy", "pipeline-busy"}, {f["code"] for f in found})
        self.assertEqual([f["cost_ns"] for f in found], sorted((f["cost_ns"] for f in found), reverse=True))
        self.assertEqual(report["findings_withheld"], [])
        known = {r["operation_id"]: r["event"] for r in map(json.loads, LINES) if "operation_id" in r}
        for f in found:
            self.assertAlmostEqual(f["cost_share"], f["cost_ns"] / report["commit"]["total_ns"])
            self.assertIsNone(f["caveat"])
            self.assertTrue(f["evidence"])
            for record in f["records"]:
                self.assertEqual(record["kind"], known[record["id"]])
        text = " ".join(run(SAMPLE).stdout.decode().split())
        self.assertIn(f"Findings: {found[0]['code']}: {found[0]['title']} And {len(found) - 1} more", text)
        for f in found:
            self.assertIn(f["title"], text)
            self.assertIn(f["suggestion"], text)

    def test_findings_of_a_lossy_trace_are_qualified(self):
        with trace(LINES[:-1]) as file:
            report = json.loads(run("--json", file.name).stdout)
        self.assertEqual([f["code"] for f in report["findings"] if f["cost_ns"] == 0][-1], "incomplete-trace")

    def test_queue_behind_others_agrees_with_a_count_by_hand(self):
        report = json.loads(run("--json", SAMPLE).stdout)
        records = [json.loads(line) for line in LINES]
        syncs = [r for r in records if r["event"] == "sync_call"]
        own = {r["parent_id"]: r["start_ns"] for r in syncs}
        behind = 0
        for lock in (r for r in records if r["event"] == "commit_lock"):
            start, end = lock["start_ns"], lock["start_ns"] + lock["lock_wait_ns"]
            end = min(end, own[lock["operation_id"]])
            behind += sum(max(0, min(end, s["start_ns"] + s["total_ns"]) - max(start, s["start_ns"])) for s in syncs)
        self.assertEqual(report["commit"]["queue_behind_others_ns"], behind)

    def test_owners_rows_deleted_make_its_flush_unknown(self):
        gone = json.loads(LINES[2])["parent_id"]  # a commit_lock; its sync_call and itself
        kept = [line for line in LINES if f'"operation_id":{gone},'.encode() not in line
                and f'"parent_id":{gone},'.encode() not in line]
        self.assertEqual(len(kept), len(LINES) - 2)
        with trace(kept) as file:
            result = run("--json", file.name)
            report = json.loads(result.stdout)
        self.assertGreaterEqual(result.returncode, 1)
        self.assertFalse(report["complete"])
        self.assert_adds_up(report)
        self.assertEqual(report["group_commit"]["flushes_by_owner"]["unknown"], 1)
        flush = next(json.loads(line) for line in LINES if b'"root_flush"' in line and b'"operation_id":1,' in line)
        self.assertEqual(report["commit"]["parts_ns"]["unknown_owner"], flush["total_ns"])

    def test_cut_trace_is_incomplete_unless_allowed(self):
        with trace(LINES[:-1] + [LINES[-1][:60]]) as file:
            refused, allowed = run(file.name), run("--allow-incomplete", file.name)
        self.assertEqual(refused.returncode, 1)
        self.assertIn(b"INCOMPLETE", refused.stdout)
        self.assertIn(b"What that touches", refused.stdout)
        self.assertEqual(allowed.returncode, 0)
        self.assertEqual(allowed.stdout, refused.stdout)

    def test_damaged_trace_is_2_even_if_incomplete_is_allowed(self):
        with trace(LINES[:100] + [b"{]\n"] + LINES[100:]) as file:
            result = run("--allow-incomplete", file.name)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"DAMAGED", result.stdout)
        self.assertIn(f"{file.name}:101:".encode(), result.stderr)

    def test_what_is_no_trace_is_2_with_a_message_and_no_report(self):
        with trace([]) as empty, trace([os.urandom(1 << 20)]) as noise:
            for path in (empty.name, noise.name, "/", "/no/such/file"):
                result = run(path)
                self.assertEqual(result.returncode, 2, path)
                self.assertEqual(result.stdout, b"", path)
                self.assertTrue(result.stderr.startswith(b"waltrace: "), result.stderr)

    def test_standard_input_reads_the_same(self):
        with open(SAMPLE, "rb") as sample:
            piped = json.loads(run("--json", "-", stdin=sample.read()).stdout)
        direct = json.loads(run("--json", SAMPLE).stdout)
        self.assertEqual(piped["commit"], direct["commit"])

    def test_several_files_are_added_and_the_worst_decides(self):
        report = json.loads(run("--format", "json", SAMPLE, SAMPLE).stdout)
        self.assertEqual(report["commit"]["flushes"], 4800)
        self.assertEqual(len(report["traces"]), 2)
        result = run("--json", SAMPLE, "/no/such/file")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(json.loads(result.stdout)["commit"]["flushes"], 2400)

    def test_output_goes_where_it_is_told(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "out")
            self.assertEqual(run("-o", path, SAMPLE).stdout, b"")
            with open(path, "rb") as file:
                self.assertEqual(file.read(), run(SAMPLE).stdout)
            result = run("-o", os.path.join(directory, "none", "out"), SAMPLE)
            self.assertEqual(result.returncode, 2)
            self.assertIn(b"can't create", result.stderr)

    def test_every_acknowledgement_of_the_sample_is_proven_durable(self):
        audit = json.loads(run("--json", SAMPLE).stdout)["durability"]
        self.assertEqual(audit, {"acknowledgements": 2400, "proven": 2400, "unproven": 0, "unknown": 0,
                                 "unproven_flushes": []})

    def test_a_flush_that_returned_before_its_fsync_ended_is_named(self):
        with open(SAMPLE) as sample:
            lines = sample.readlines()
        at, flush = next((i, json.loads(line)) for i, line in enumerate(lines)
                         if i > len(lines) // 2 and '"event":"root_flush"' in line)
        lines[at] = lines[at].replace(f'"total_ns":{flush["total_ns"]}', '"total_ns":1000')
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as trace:
            trace.write("".join(lines))
            trace.flush()
            audit = json.loads(run("--json", trace.name).stdout)["durability"]
            text = run(trace.name).stdout.decode()
        self.assertEqual((audit["unproven"], audit["proven"]), (1, 2399))
        self.assertEqual([u["flush_id"] for u in audit["unproven_flushes"]], [flush["operation_id"]])
        self.assertIn(f"flush {flush['operation_id']} ", text)

    def test_full_disk_is_an_error(self):
        result = run("-o", "/dev/full", SAMPLE)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"can't write the report", result.stderr)

    def test_wrong_usage_is_3(self):
        for args in ((), ("--format", "xml", SAMPLE), ("--nonsense", SAMPLE), ("-o",)):
            result = run(*args)
            self.assertEqual(result.returncode, 3, args)
            self.assertEqual(result.stdout, b"")
            self.assertIn(b"--help", result.stderr)

    def test_help_has_examples(self):
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"Examples:", result.stdout)

    def test_colour_on_a_terminal_unless_refused(self):
        def on_terminal(**env):
            ours, theirs = pty.openpty()
            with subprocess.Popen([WALTRACE, "report", SAMPLE], stdout=theirs, env={**os.environ, "TERM": "xterm", **env}):
                os.close(theirs)
                seen = b""
                try:
                    while piece := os.read(ours, 65536):
                        seen += piece
                except OSError:  # how Linux says that the other end is closed
                    pass
            os.close(ours)
            return seen
        self.assertIn(b"\033[", on_terminal(NO_COLOR=""))
        self.assertNotIn(b"\033[", on_terminal(NO_COLOR="1"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
