#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""verify and report as a person calls them: exit status, streams, and messages, good input and bad.

usage: verify.py WALTRACE SAMPLE RECORD"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL, SAMPLE = sys.argv[1], pathlib.Path(sys.argv[2])
RECORD = os.path.abspath(sys.argv[3])


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
        for line in (b"[" * 5_000_000, b"\0" * 1_000_000, b"\xff" * 1000,
                     b'{"a":' * 100_000, b'{"keyword":"PI_STORE_WAL_TRACE","event":"window"}'):
            status, out, _ = run("verify", self.file(header + line + b"\n" + self.lines[1]))
            self.assertEqual(status, 2)
            self.assertIn("trace.jsonl:2: ", out)

    def test_a_line_without_end_is_an_error_in_time(self):
        if os.path.exists("/dev/zero"):
            for command in ("verify", "report"):
                status, out, err = run(command, "/dev/zero")
                self.assertEqual((status, out), (2, ""))
                self.assertRegex(err, r"^waltrace: /dev/zero:1: not a trace: no end of a line in its first 33 MiB\n$")
        long = self.lines[0] + b'{"event":"' + b"x" * (33 << 20) + b"\n" + self.lines[1]
        status, _, err = run("verify", self.file(long))
        self.assertEqual(status, 2)
        self.assertRegex(err, r"trace\.jsonl:2: a line of over 33 MiB")
        endless = subprocess.Popen([TOOL, "verify", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        with self.assertRaises(BrokenPipeError):
            for _ in range(200):
                endless.stdin.write(b"x" * (1 << 20))
        self.assertEqual(endless.wait(timeout=60), 2)
        self.assertIn(b"standard input:1: not a trace", endless.stderr.read())
        endless.stderr.close()
        try:
            endless.stdin.close()
        except BrokenPipeError:
            pass

    def test_control_characters_never_reach_the_terminal(self):
        self.lines[0] = self.lines[0].replace(b'"run_id":"', b'"run_id":"\\u001b[31m\\u009bX\x7f\xc2\x9b', 1)
        path = self.file(b"".join(self.lines), "a\033[2Jb\x9b.jsonl")
        for args in (("verify", path), ("verify", self.dir / "none\033c"), ("verify", SAMPLE, "\033")):
            done = subprocess.run([TOOL, *map(str, args)], capture_output=True, timeout=60)
            text = (done.stdout + done.stderr).decode()
            self.assertFalse([c for c in text if c != "\n" and (ord(c) < 32 or 0x7f <= ord(c) < 0xa0)], args)
            self.assertIn("\\x1b", text)

    def test_problems_say_how_to_mend_them_on_a_line_each(self):
        del self.lines[500]
        path = self.file(b"".join(self.lines))
        status, out, _ = run("verify", path)
        self.assertEqual(status, 2)
        problems = [line for line in out.splitlines() if line.startswith("waltrace: ")]
        self.assertTrue(0 < len(problems) <= 20)
        for line in problems:
            self.assertRegex(line, rf"^waltrace: {path}:\d+: .+ \([a-z_0-9]+\): .+")

    def test_help_of_a_command_and_the_name_that_was_meant(self):
        for command in ("demo", "bench", "verify", "report", "recover", "wal"):
            self.assertEqual(run("help", command), run(command, "--help"))
        self.assertEqual(run("help"), run("--help"))
        for name, meant in (("verfy", "verify"), ("reprot", "report"), ("ver", "verify"), ("dmeo", "demo")):
            for args in ((name,), ("help", name)):
                status, out, err = run(*args)
                self.assertEqual((status, out), (3, ""))
                self.assertIn(f"did you mean waltrace {meant}?", err)
        for name in ("xyzzy", "x" * 10_000, ""):
            self.assertNotIn("did you mean", run(name)[2])
        self.assertEqual(run("help", "demo", "bench")[0], 3)

    def record(self, operations, **settings):
        env = {k: v for k, v in os.environ.items() if not k.startswith("PI_STORE_WAL_TRACE")}
        env |= {f"PI_STORE_WAL_TRACE_{k}": str(v) for k, v in settings.items()}
        env |= {"PI_STORE_WAL_TRACE_DIR": str(self.dir), "PI_STORE_WAL_TRACE_QUIET": "1"}
        log = self.dir / "log"
        log.mkdir()
        done = subprocess.run([RECORD, str(operations)], capture_output=True, timeout=60, env=env, cwd=log)
        self.assertEqual(done.returncode, 0, done.stderr)
        return pathlib.Path(done.stdout.decode().strip())

    def test_operations_below_min_ns_leave_gaps_that_are_no_damage(self):
        path = self.record(500, MIN_NS=2_000_000)
        status, out, _ = run("verify", "--json", path)
        trace = json.loads(out)["traces"][0]
        self.assertEqual((status, trace["verdict"], trace["problems"]), (0, "complete", 0))
        self.assertGreaterEqual(trace["records"], 20)
        self.assertEqual(trace["records"] + trace["filtered"], 1000)
        seqs = [json.loads(line)["lock_seq"] for line in path.read_text().splitlines() if '"lock_seq"' in line]
        self.assertGreater(max(seqs), len(seqs))

    def test_a_queue_that_ran_over_is_incomplete_and_its_losses_add_up(self):
        path = self.record(20_000, CAPACITY=16, DRAIN_MS=50)
        status, out, _ = run("verify", "--json", path)
        trace = json.loads(out)["traces"][0]
        self.assertEqual((status, trace["verdict"], trace["problems"]), (1, "incomplete", 0), trace)
        self.assertGreater(trace["dropped"], 0)
        self.assertIn("raise capacity", trace["mend"])
        lines = path.read_bytes().splitlines(keepends=True)
        losses = [line for line in lines if b'"event":"loss"' in line]
        path.write_bytes(b"".join(line for line in lines if line != losses[-1]))
        self.assertEqual(run("verify", path)[0], 2)
        self.assertIn("(loss lines)", run("verify", path)[1])

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
        self.assertLessEqual(max(len(line) for line in out.splitlines() if str(SAMPLE) not in line), 80)
        self.assertEqual(json.loads(run("report", "--json", SAMPLE)[1])["complete"], True)

    def test_an_output_that_is_full_is_no_success(self):
        if not os.path.exists("/dev/full"):
            return
        with open("/dev/full", "w") as full:
            self.assertEqual(subprocess.run([TOOL, "verify", SAMPLE], stdout=full, stderr=subprocess.DEVNULL).returncode, 2)

    def rotated(self, operations):
        """The files of a trace of eight times 64 KiB at most, oldest first."""
        name = self.record(operations, ON_LIMIT="rotate", MAX_BYTES=8 * 65536, WINDOW_MS=10).name
        parts = {int(path.suffix[1:]) if path.suffix != ".jsonl" else 0: path for path in self.dir.glob(name + "*")}
        return [parts[part] for part in sorted(parts)]

    def test_the_files_of_a_rotated_trace_are_one(self):
        files = self.rotated(400)
        self.assertGreater(len(files), 2)
        for order in (files, files[::-1]):  # as a shell sorts ….9 and ….10, or worse
            status, out, err = run("verify", "--json", *order)
            self.assertEqual((status, err), (0, ""))
            (trace,) = json.loads(out)["traces"]
            self.assertEqual((trace["verdict"], trace["files"], trace["records"]), ("complete", len(files), 800))
        status, out, _ = run("report", "--json", SAMPLE, *files)
        self.assertEqual((status, [trace["records"] for trace in json.loads(out)["traces"]]), (0, [7200, 800]))

    def test_a_file_of_a_rotated_trace_that_is_not_given_is_missed(self):
        files = self.rotated(400)
        for given, why in ((files[:1], "no session_end"), (files[1:], "records are in parts that aren't given"),
                           (files[-1:], "records are in parts that aren't given"),
                           (files[:1] + files[2:], "a file in the middle")):
            status, out, _ = run("verify", *given)
            self.assertEqual(status, 1, out)
            self.assertRegex(out.splitlines()[0], f"incomplete: .*{why}.*: give all files of the trace")

    def test_what_a_rotated_trace_deleted_is_said(self):
        files = self.rotated(4000)
        status, out, _ = run("verify", *files)
        self.assertEqual((status, len(files)), (1, 8))
        self.assertRegex(out.splitlines()[0], r"and 7 more: incomplete: \d+ records are in files that the recorder deleted")
        self.assertNotIn("wrong", out)

    def test_damage_in_a_rotated_trace_names_the_file_and_its_line(self):
        files = self.rotated(400)
        lines = files[1].read_bytes().splitlines(keepends=True)
        files[1].write_bytes(b"".join(lines[:20] + [b"garbage\n"] + lines[21:]))
        status, out, _ = run("verify", *files)
        self.assertEqual(status, 2)
        self.assertIn(f"{files[1]}:21: ", out)
        self.assertRegex(run("report", *files)[2], f"{files[1]}:21: ")
        files[1].write_bytes(b"".join(lines[:20]) + lines[20][:30])
        self.assertRegex(run("verify", *files)[1], f"{files[1]}:21: cut off, though another file")
        files[1].write_bytes(b"".join(lines[:20] + lines[19:]))
        self.assertRegex(run("verify", *files)[1], f"{files[1]}:21: operation_id \\d+ was given before, in line 20 of file 2")

    def test_zstd(self):
        zstd = "/usr/bin/zstd"
        if not os.path.exists(zstd):
            return
        packed = subprocess.run([zstd, "-c", SAMPLE], capture_output=True, check=True).stdout
        path = self.file(packed, "trace.jsonl.zst")
        self.assertEqual(run("verify", path)[0], 0)
        self.assertEqual(run("verify", "-", data=packed)[0], 0)
        self.assertEqual(run("verify", self.file(packed[: len(packed) // 2], "cut.zst"))[0], 1)
        for held in (2, 4, 9, 100):
            status, _, err = run("verify", self.file(packed[:held], "begun.zst"))
            self.assertEqual(status, 2)
            self.assertRegex(err, "begun.zst: cut off: ")
        damaged = packed[:5000] + bytes(64) + packed[5064:]
        self.assertEqual(run("verify", self.file(damaged, "damaged.zst"))[0], 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
