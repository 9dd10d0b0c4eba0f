#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""verify and report as a person calls them: exit status, streams, and messages, good input and bad.

usage: verify.py WALTRACE SAMPLE"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL, SAMPLE = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*args, data=None, env=None):
    environment = dict(os.environ, **(env or {}))
    done = subprocess.run([TOOL, *map(str, args)], input=data, capture_output=True, timeout=60, env=environment)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Tool(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.scratch.name)
        self.lines = SAMPLE.read_bytes().splitlines(keepends=True)

    def tearDown(self):
        self.scratch.cleanup()

    def file(self, data, name="trace.jsonl"):
        path = self.dir / name
        path.write_bytes(data)
        return path

    def test_the_sample_is_complete(self):
        status, out, err = run("verify", SAMPLE)
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out.splitlines()[0], "reference-7200.jsonl: complete")
        self.assertIn("7,200 records", out)

    def test_json_says_the_same(self):
        status, out, err = run("verify", "--json", SAMPLE)
        trace = json.loads(out)["traces"][0]
        self.assertEqual((status, err), (0, ""))
        self.assertEqual((trace["verdict"], trace["records"], trace["problems"]), ("complete", 7200, 0))
        self.assertEqual(run("verify", "--format", "json", SAMPLE)[1], out)

    def test_a_cut_last_line_is_incomplete_and_named(self):
        whole = SAMPLE.read_bytes()
        cut = self.file(whole[: len(whole) - len(self.lines[-1]) // 2])
        status, out, _ = run("verify", cut)
        self.assertEqual(status, 1)
        self.assertRegex(out.splitlines()[0], f"incomplete: line {len(self.lines)} is cut off")
        self.assertEqual(run("report", cut)[0], 1)
        self.assertEqual(run("report", cut, "--allow-incomplete")[0], 0)

    def test_a_bad_line_elsewhere_is_damage_and_named(self):
        self.lines[99] = self.lines[99][:80] + b"\n"
        path = self.file(b"".join(self.lines))
        status, out, _ = run("verify", path)
        self.assertEqual(status, 2)
        self.assertIn("damaged", out.splitlines()[0])
        self.assertIn(f"{path}:100: ", out)
        self.assertEqual(run("report", path)[0], 2)

    def test_many_problems_are_limited_and_counted(self):
        for i in range(100, 200):
            self.lines[i] = b"garbage\n"
        status, out, _ = run("verify", self.file(b"".join(self.lines)))
        self.assertEqual(status, 2)
        self.assertLess(len(out.splitlines()), 60)
        self.assertRegex(out, r"… and \d+ more")

    def test_what_is_no_trace_is_said_clearly(self):
        random = self.file(os.urandom(1_000_000), "random")
        empty = self.file(b"", "empty")
        for command in ("verify", "report"):
            for path, what in ((random, "not a trace"), (empty, "nothing in it"), (self.dir, "a directory"),
                               (self.dir / "none", "can't open it")):
                status, out, err = run(command, path)
                self.assertEqual(status, 2, (command, path))
                self.assertEqual(out, "")
                self.assertRegex(err, rf"^waltrace: {path}.*{what}")
                self.assertEqual(len(err.splitlines()), 1)

    def test_standard_input(self):
        self.assertEqual(run("verify", "-", data=SAMPLE.read_bytes())[0], 0)
        status, _, err = run("verify", "-", data=b"")
        self.assertEqual(status, 2)
        self.assertIn("standard input", err)

    def test_of_several_files_the_highest_status(self):
        cut = self.file(b"".join(self.lines[:-1]))
        self.assertEqual(run("verify", SAMPLE, cut)[0], 1)
        self.assertEqual(run("verify", cut, self.dir / "none", SAMPLE)[0], 2)

    def test_hostile_lines_end_in_time(self):
        header = self.lines[0]
        for line in (b"[" * 5_000_000, b'{"event":"' + b"x" * 40_000_000, b"\0" * 1_000_000, b"\xff" * 1000,
                     b'{"a":' * 100_000, b'{"keyword":"PI_STORE_WAL_TRACE","event":"window"}'):
            status, out, _ = run("verify", self.file(header + line + b"\n" + self.lines[1]))
            self.assertEqual(status, 2)
            self.assertIn("trace.jsonl:2: ", out)

    def test_wrong_usage_is_3(self):
        for args in ((), ("nonsense",), ("verify",), ("report",), ("verify", "--nope", SAMPLE),
                     ("report", "--format", "xml", SAMPLE), ("verify", "--format")):
            status, out, err = run(*args)
            self.assertEqual((status, out), (3, ""), args)
            self.assertIn("waltrace", err)

    def test_help_and_version(self):
        for args in (("--help",), ("verify", "--help"), ("report", "--help")):
            status, out, _ = run(*args)
            self.assertEqual(status, 0)
            self.assertIn("Examples:", out)
            self.assertLessEqual(max(map(len, out.splitlines())), 80)
        self.assertRegex(run("--version")[1], r"^waltrace \d+\.\d+\.\d+\n$")

    def test_no_colour_where_there_is_no_terminal(self):
        self.assertNotIn("\033", run("verify", SAMPLE)[1] + run("report", SAMPLE)[1])

    def test_report_of_the_sample_says_that_commits_wait_for_one_anothers_fsyncs(self):
        status, out, err = run("report", SAMPLE)
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(" ".join(out.split()), "commits wait for one another's fsyncs")
        # But for the line with the file's name, which may be as long as it likes.
        self.assertLessEqual(max(len(line) for line in out.splitlines() if SAMPLE not in line), 80)
        self.assertEqual(json.loads(run("report", "--json", SAMPLE)[1])["complete"], True)

    def test_an_output_that_is_full_is_no_success(self):
        if not os.path.exists("/dev/full"):
            return
        with open("/dev/full", "w") as full:
            self.assertEqual(subprocess.run([TOOL, "verify", SAMPLE], stdout=full, stderr=subprocess.DEVNULL).returncode, 2)

    def test_zstd(self):
        zstd = "/usr/bin/zstd"
        if not os.path.exists(zstd):
            return
        packed = subprocess.run([zstd, "-c", SAMPLE], capture_output=True, check=True).stdout
        path = self.file(packed, "trace.jsonl.zst")
        self.assertEqual(run("verify", path)[0], 0)
        self.assertEqual(run("verify", "-", data=packed)[0], 0)
        self.assertEqual(run("verify", self.file(packed[: len(packed) // 2], "cut.zst"))[0], 1)
        damaged = packed[:5000] + bytes(64) + packed[5064:]
        self.assertEqual(run("verify", self.file(damaged, "damaged.zst"))[0], 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
