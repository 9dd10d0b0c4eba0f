#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""waltrace top on a process that works, hangs, is stopped, has died: what it shows, and that the process can't tell.

usage: top.py WALTRACE WATCHED DOCUMENT"""
import array
import fcntl
import hashlib
import json
import os
import pathlib
import pty
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

TOOL, WATCHED, DOCUMENT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3])
PATIENCE_S = 60
HEAD = "<QIIQ64sQQQ40sQQII"  # of waltrace_shm.h, as far as it is needed here
VERSION_AT, BYTES_AT, SHARDS_AT = 8, 16, 176


def top(*args, env=None):
    done = subprocess.run([TOOL, "top", *map(str, args)], capture_output=True, timeout=PATIENCE_S, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, **(env or {})))
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Target:
    """A watched process; leaves nothing behind."""

    def __init__(self, **settings):
        self.scratch = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.scratch.name)
        (self.dir / "trace").mkdir()
        env = {k: v for k, v in os.environ.items() if not k.startswith("PI_STORE_WAL_TRACE")}
        env.update({"PI_STORE_WAL_TRACE_" + k: str(v) for k, v in settings.items()}, PI_STORE_WAL_TRACE_QUIET="1",
                   PI_STORE_WAL_TRACE_DIR=str(self.dir / "trace"))
        self.process = subprocess.Popen([WATCHED, str(self.dir)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env,
                                        text=True)
        self.pid = self.process.pid
        self.expect_ok()

    def expect_ok(self):
        answer = self.process.stdout.readline()
        assert answer == "ok\n", answer

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self.expect_ok()

    def end(self):
        """Ends it properly; the lines of its trace."""
        self.process.stdin.write("end\n")
        self.process.stdin.flush()
        path = self.process.stdout.readline().strip()
        assert self.process.wait(PATIENCE_S) == 0
        return [json.loads(line) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]

    @property
    def segment(self):
        names = [p for p in os.listdir("/dev/shm") if p.startswith(f"waltrace-{self.pid}-")]
        return pathlib.Path("/dev/shm") / names[0]

    def look(self, *args):
        status, out, err = top("--json", self.pid, *args)
        assert status in (0, 1), (status, err)
        return json.loads(out)

    def settled(self):
        """A snapshot in which all that was produced is in the file."""
        end = time.monotonic() + PATIENCE_S
        while True:
            seen = self.look()
            if seen["recorder"]["written"] == seen["recorder"]["produced"] and not seen["recorder"]["queue_depth"]:
                return seen
            assert time.monotonic() < end, seen["recorder"]

    def switches(self):
        """Of all its threads: they have run if this has changed."""
        texts = [(task / "status").read_text() for task in pathlib.Path(f"/proc/{self.pid}/task").iterdir()]
        return sorted(re.findall(r"ctxt_switches:\s*(\d+)", text) for text in texts)

    def stop(self):
        os.kill(self.pid, signal.SIGSTOP)
        while not re.search(r"State:\s+T", pathlib.Path(f"/proc/{self.pid}/status").read_text()):
            time.sleep(0.001)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        for name in os.listdir("/dev/shm"):
            if name.startswith(f"waltrace-{self.pid}-"):
                os.unlink("/dev/shm/" + name)
        self.scratch.cleanup()


class Terminal:
    """waltrace top on a pseudo-terminal."""

    def __init__(self, *args, rows=24, columns=80, **env):
        self.master, self.slave = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.slave)
        environment = dict(os.environ, **{"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"} | env)
        if "NO_COLOR" not in env:
            environment.pop("NO_COLOR", None)
        self.process = subprocess.Popen([TOOL, "top", *map(str, args)], stdin=self.slave, stdout=self.slave,
                                        stderr=self.slave, env=environment, start_new_session=True)
        self.seen = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read_until(self, what, since=0):
        end = time.monotonic() + PATIENCE_S
        while what not in self.seen[since:]:
            assert time.monotonic() < end, self.seen[since:]
            if select.select([self.master], [], [], 0.1)[0]:
                self.seen += os.read(self.master, 65536)
            else:
                assert self.process.poll() is None or what in self.seen[since:], self.seen[since:]

    def press(self, keys):
        os.write(self.master, keys)

    def wait(self):
        end = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < end
            if select.select([self.master], [], [], 0.05)[0]:
                self.seen += os.read(self.master, 65536)
        while select.select([self.master], [], [], 0.05)[0]:
            self.seen += os.read(self.master, 65536)
        return self.process.returncode

    def restored(self):
        return termios.tcgetattr(self.slave) == self.before and b"\x1b[?1049l" in self.seen

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


def rows(trace, event):
    return [line for line in trace if line["event"] == event]


def quantile(values, share):
    values = sorted(values)
    return values[max(0, -int(-share * len(values) // 1) - 1)]


class Test(unittest.TestCase):
    def target(self, **settings):
        target = Target(**settings)
        self.addCleanup(target.close)
        return target

    def terminal(self, *args, **env):
        terminal = Terminal(*args, **env)
        self.addCleanup(terminal.close)
        return terminal


class Values(Test):
    def test_the_numbers_are_those_of_the_trace(self):
        target = self.target()
        target.tell("commit 50")
        target.tell("rows 30")
        seen = target.settled()
        trace = target.end()
        self.assertEqual((seen["complete"], seen["process"]["state"], seen["losses"]), (True, "running", []))
        self.assertEqual((seen["in_flight"], seen["operations"]), (0, []))
        log, other = seen["loggers"]
        self.assertEqual([log["logger_id"], other["logger_id"]], [1, 2])
        self.assertTrue(log["directory"].endswith("/wal") and other["directory"].endswith("/other"))
        self.assertEqual((log["owner"], log["waiters"]), (None, 0))
        locks = [r for r in rows(trace, "commit_lock") if r["start_ns"] < seen["now_ns"]]
        self.assertEqual(log["acquisitions"], max(r["lock_seq"] for r in locks))
        for kind, key, field in (("root_flush", "root_flush", "total_ns"), ("sync_call", "sync_call", "total_ns"),
                                 ("commit_lock", "commit_lock_wait", "lock_wait_ns")):
            values = [r[field] for r in rows(trace, kind) if r["start_ns"] < seen["now_ns"]]
            times = log[key]["since_start"]
            self.assertEqual((times["n"], times["errors"], log[key]["interval"]), (len(values), 0, None), key)
            for share, name in ((0.5, "p50_ns"), (0.99, "p99_ns"), (0.999, "p999_ns")):
                self.assertAlmostEqual(times[name], quantile(values, share), delta=1 + quantile(values, share) / 32)
        self.assertEqual(other["root_flush"]["since_start"], {"n": 0, "errors": 0, "p50_ns": None, "p99_ns": None, "p999_ns": None})
        produced = sum(len(rows(trace, kind)) for kind in ("root_append", "root_flush", "commit_lock", "sync_call"))
        self.assertLessEqual(seen["recorder"]["produced"], trace[-1]["event_produced"])
        self.assertGreaterEqual(seen["recorder"]["produced"], 30 + 200)
        self.assertGreaterEqual(produced, 30 + 200)

    def test_an_interval_holds_what_came_in_it(self):
        target = self.target()
        target.tell("commit 20")
        before = target.settled()
        watch = subprocess.Popen([TOOL, "top", "--json", "--once", "--interval", "0.5", str(target.pid)], stdout=subprocess.PIPE)
        while not select.select([watch.stdout], [], [], 0.005)[0]:
            target.tell("commit 2")
        after = json.loads(watch.communicate(timeout=PATIENCE_S)[0])
        flushes, earlier = after["loggers"][0]["root_flush"], before["loggers"][0]["root_flush"]["since_start"]["n"]
        self.assertGreaterEqual(flushes["interval"]["n"], 1)
        self.assertGreaterEqual(flushes["since_start"]["n"] - flushes["interval"]["n"], earlier)
        self.assertLessEqual(flushes["interval"]["p50_ns"], flushes["interval"]["p99_ns"])
        self.assertGreaterEqual(after["interval_ns"], 500_000_000)
        rates, seconds = after["rates"], after["rates"]["over_s"]
        self.assertAlmostEqual(seconds, after["interval_ns"] / 1e9, places=6)
        self.assertAlmostEqual(rates["flushes_per_s"] * seconds, flushes["interval"]["n"], places=3)
        self.assertGreater(rates["records_per_s"] * seconds, 0)
        self.assertLessEqual(rates["records_per_s"] * seconds, after["recorder"]["produced"] - before["recorder"]["produced"] + 0.01)

    def test_no_age_or_kind_of_one_is_shown_with_another(self):
        target = self.target(MAX_BYTES=1 << 30, CAPACITY=262144)
        target.tell("spin 50000")  # all their records fit into the queue; two seconds and more
        seen = [target.look() for _ in range(20)]
        target.tell("halt")
        target.settled()
        trace = target.end()
        self.assertTrue(trace[-1]["complete"])
        locks = {r["operation_id"]: r["start_ns"] + r["lock_wait_ns"] for r in rows(trace, "commit_lock")}
        roots = {r["operation_id"]: r["start_ns"] for r in rows(trace, "root_flush")}
        owners = [s["loggers"][1]["owner"] for s in seen if s["loggers"][1]["owner"]]
        flying = [o for s in seen for o in s["operations"]]
        self.assertTrue(owners and flying)
        for owner in owners:
            self.assertEqual(owner["since_ns"], locks[owner["operation_id"]])
            self.assertEqual(owner["stage"], "acquired")
        for operation in flying:
            self.assertEqual((operation["kind"], operation["logger_id"]), ("root_flush", 2))
            self.assertIn(operation["since_ns"], (None, roots[operation["operation_id"]]))

    def test_every_key_is_documented(self):
        def keys(value):
            for item in value if isinstance(value, list) else value.values() if isinstance(value, dict) else []:
                yield from keys(item)
            if isinstance(value, dict):
                yield from value

        target = self.target(CAPACITY=16, DRAIN_MS=0, WINDOW_MS=60000)
        target.tell("rows 20")
        target.tell("hang")
        seen = target.look("--interval", "0.1")
        target.tell("release")
        named = set(re.findall(r"`([a-z_0-9]+)`", DOCUMENT.read_text(encoding="utf-8")))
        self.assertEqual(set(keys(seen)) - named, set())


class Trouble(Test):
    def test_a_hanging_fsync_has_an_owner_a_stage_and_an_age_that_grows(self):
        target = self.target()
        target.tell("hang")
        first = target.look()
        time.sleep(1.1)
        second = target.look()
        owners = [s["loggers"][0]["owner"] for s in (first, second)]
        self.assertEqual(owners[0]["operation_id"], owners[1]["operation_id"])
        self.assertEqual([o["stage"] for o in owners], ["syncing", "syncing"])
        self.assertGreaterEqual(owners[1]["age_ns"] - owners[0]["age_ns"], 1_100_000_000)
        self.assertEqual(second["in_flight"], 4)
        ages = [o["age_ns"] for o in second["operations"]]
        self.assertEqual(ages, sorted(ages, reverse=True))
        self.assertTrue(all(o["kind"] == "root_flush" and o["age_ns"] > 1_000_000_000 for o in second["operations"]))
        self.assertIn("has held the commit lock for", " ".join(second["verdict"]))
        status, out, err = top(target.pid)
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"(?m)^ +1 +%d +1\.\d\d s syncing" % owners[1]["operation_id"])
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        target.tell("release")
        self.assertIsNone(target.settled()["loggers"][0]["owner"])

    def test_a_stopped_process_is_shown_and_does_not_notice(self):
        target = self.target()
        target.tell("commit 5")
        target.tell("hang")
        target.stop()
        digest = hashlib.sha256(target.segment.read_bytes()).digest()
        switches = target.switches()
        seen = [target.look() for _ in range(50)]
        self.assertEqual(target.switches(), switches)
        self.assertEqual(hashlib.sha256(target.segment.read_bytes()).digest(), digest)
        self.assertEqual({s["process"]["state"] for s in seen}, {"stopped"})
        self.assertEqual(len({s["loggers"][0]["owner"]["since_ns"] for s in seen}), 1)
        ages = [s["loggers"][0]["owner"]["age_ns"] for s in seen]
        self.assertEqual(ages, sorted(set(ages)))
        os.kill(target.pid, signal.SIGCONT)
        target.tell("release")
        target.tell("commit 5")
        self.assertTrue(target.end()[-1]["complete"])

    def test_records_that_the_queue_refused_touch_the_trace_only(self):
        target = self.target(CAPACITY=16, DRAIN_MS=0, WINDOW_MS=60000)
        target.tell("rows 20")
        status, out, err = top(target.pid)
        self.assertEqual((status, err), (1, ""))
        self.assertIn("incomplete: something was lost", out.splitlines()[0])
        self.assertRegex(out, r"4 records missing in the trace's file only \(queue_full 4\)")
        seen = target.look()
        self.assertEqual(seen["losses"], [{"cause": "queue_full", "logger_id": 2, "kind": "root_append", "n": 4, "touches": ["trace"]}])
        recorder = seen["recorder"]
        self.assertEqual([recorder[k] for k in ("produced", "written", "dropped", "omitted", "queue_depth", "queue_capacity")],
                         [20, 0, 4, 0, 16, 16])
        self.assertGreater(recorder["writer_lag_ns"], 0)
        self.assertEqual(top(target.pid, "--allow-incomplete")[0], 0)
        self.assertGreaterEqual(target.end()[-1]["event_dropped"], 4)

    def test_operations_that_found_no_slot_touch_the_rates_and_the_lock(self):
        target = self.target()
        target.tell("fill")
        seen = target.look()
        self.assertFalse(seen["complete"])
        self.assertEqual([(l["cause"], l["n"], l["touches"]) for l in seen["losses"]], [("slots", 1, ["trace", "rates", "lock"])])
        self.assertEqual((seen["in_flight"], len(seen["operations"])), (1024, 1024))
        self.assertEqual((seen["operations"][0]["age_ns"], seen["operations"][0]["kind"]), (None, "root_confirm"))
        self.assertIn("1 operation not admitted (slots 1)", " ".join(seen["verdict"]))
        self.assertIn("and 1004 more", top(target.pid)[1])

    def test_a_killed_process_is_said_to_be_dead_and_how_to_finish_its_trace(self):
        target = self.target()
        target.tell("commit 2")
        segment = "/" + target.segment.name
        target.process.kill()
        target.process.wait()
        for argument in (target.pid, segment, "/dev/shm" + segment):
            status, out, err = top(argument)
            self.assertEqual((status, out), (2, ""))
            self.assertRegex(err, rf"^waltrace: top: process {target.pid} is dead .*waltrace recover \S*{segment}")
            self.assertEqual(len(err.splitlines()), 1)

    def test_a_session_that_ended_has_no_segment(self):
        target = self.target()
        segment = target.segment.name
        trace = target.end()
        self.assertTrue(trace[-1]["complete"])
        status, _, err = top(target.pid)
        self.assertEqual(status, 2)
        self.assertIn(f"there is no process {target.pid}", err)
        status, _, err = top(segment)
        self.assertEqual(status, 2)
        self.assertIn("isn't there", err)
        status, _, err = top(os.getpid())
        self.assertEqual(status, 2)
        self.assertIn(f"process {os.getpid()} has no segment", err)


class Arguments(Test):
    def test_wrong_usage_is_named(self):
        for args, what in ((["--no-such"], "unknown option --no-such"), (["--format", "xml", "1"], "text or json, not xml"),
                           (["--interval", "0", "1"], "0.1 to 3600 seconds, not 0"), (["--interval", "nan", "1"], "not nan"),
                           (["--interval", "3601", "1"], "not 3601"), (["--interval"], "a value is missing after --interval"),
                           (["1", "2"], "one process at a time"), (["no-such"], "no-such is no PID"), ([""], "is no PID"),
                           (["\x1b[2J"], "\\x1b[2J is no PID"), (["12345678901"], "is no PID")):
            status, out, err = top(*args)
            self.assertEqual((status, out), (3, ""), args)
            self.assertRegex(err, "^waltrace: top: .*" + re.escape(what))
            self.assertEqual(len(err.splitlines()), 1)
        status, out, err = top("--help")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("Examples:", out)

    def test_every_way_to_name_it(self):
        target = self.target()
        name = target.segment.name
        trace = next((target.dir / "trace").iterdir())
        for argument in (target.pid, name, "/" + name, target.segment, trace, trace.name):
            status, out, err = top(argument, "--once")
            self.assertEqual((status, err), (0, ""), argument)
            self.assertIn(f"process {target.pid} (running)", out)

    def test_without_an_argument_the_only_one_or_a_list(self):
        first = self.target()
        status, out, err = top()
        if status == 0:  # nobody else's test runs at this moment
            self.assertIn(f"process {first.pid} ", out)
        second = self.target()
        status, out, err = top()
        self.assertEqual((status, out), (3, ""))
        self.assertIn("waltrace top PID", err)
        for target in (first, second):
            self.assertRegex(err, rf"(?m)^  {target.pid} +/.*/trace/wal-trace-{target.pid}-")

    def test_what_is_no_segment_is_refused(self):
        target = self.target()
        copy = target.dir / "copy"
        for change, what in ((lambda f: f.truncate(100), "is no segment"), (lambda f: f.truncate(os.stat(copy).st_size - 4096), "damaged"),
                             (lambda f: (f.seek(VERSION_AT), f.write(struct.pack("<I", 7))), "layout version 7, this waltrace reads version 2"),
                             (lambda f: f.write(b"\0" * 8), "no recorder's segment"),
                             (lambda f: (f.seek(BYTES_AT), f.write(b"\xff" * 8)), "damaged"),
                             (lambda f: (f.seek(SHARDS_AT), f.write(b"\xf0" + b"\xff" * 7)), "damaged")):
            shutil.copyfile(target.segment, copy)
            with open(copy, "r+b") as file:
                change(file)
            status, out, err = top(copy)
            self.assertEqual((status, out), (2, ""), what)
            self.assertRegex(err, f"^waltrace: top: {copy} .*{what}")
        for path, what in ((target.dir, "is no segment"), ("/dev/null", "is no segment"), (target.dir / "none", "isn't there")):
            status, _, err = top(path)
            self.assertEqual(status, 2)
            self.assertIn(what, err)
        (target.dir / "link").symlink_to(target.segment)
        self.assertEqual(top(target.dir / "link")[0], 2)

    def test_another_users_is_refused_and_said_whose(self):
        if os.geteuid() == 0:
            target = self.target()
            path = target.dir / "copy"
            shutil.copyfile(target.segment, path)
            os.chown(path, 65534, 65534)
            whose = "nobody"
        else:
            path, whose = "/etc/passwd", "root"
        status, out, err = top(path)
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(err, f"belongs to user {whose}: .*sudo -u {whose} waltrace top")

    def test_damage_anywhere_is_met_without_a_crash(self):
        target = self.target()
        target.tell("commit 3")
        target.tell("hang")
        chance = random.Random(1)
        copy = target.dir / "copy"
        size = target.segment.stat().st_size
        shutil.copyfile(target.segment, copy)
        parts = array.array("Q", copy.read_bytes()[SHARDS_AT:SHARDS_AT + 96])
        with open(copy, "r+b") as file:
            for turn in range(40):
                # The head, then the beginnings of its parts, where what is in use lies.
                at = chance.randrange(0, 512) if turn < 20 else chance.choice(parts) + chance.randrange(0, 16384)
                at = min(at, size - 8)
                file.seek(at)
                kept = file.read(8)
                file.seek(at)
                file.write(chance.choice([b"\xff" * 8, b"\0" * 8, chance.randbytes(8)]))
                file.flush()
                for form in ("text", "json"):
                    status, out, err = top(copy, "--format", form)
                    self.assertIn(status, (0, 1, 2), (at, err))
                    self.assertTrue(out or err)
                    self.assertNotIn("Sanitizer", err)
                    if form == "json" and out:
                        json.loads(out)
                if turn < 20:
                    file.seek(at)
                    file.write(kept)
                    file.flush()
        target.tell("release")


class Screen(Test):
    def test_it_draws_obeys_and_gives_the_terminal_back(self):
        target = self.target()
        target.tell("commit 3")
        terminal = self.terminal(target.pid, "--interval", "0.1")
        terminal.read_until(b"q quit")
        for what in (b"process %d (running)" % target.pid, b"logger", b"flushes/s", b"latency", b"in flight"):
            self.assertIn(what, terminal.seen)
        maps = pathlib.Path(f"/proc/{terminal.process.pid}/maps").read_text()
        self.assertEqual(re.findall(r"(\S{4}) \S+ \S+ \S+ +/dev/shm/waltrace-%d-" % target.pid, maps), ["r--s"])
        mark = len(terminal.seen)
        target.tell("hang")
        terminal.read_until(b"syncing", mark)
        target.tell("release")
        for key, what in ((b"p", b"PAUSED"), (b"p", b"every"), (b"s", b"held"), (b"h", b"so much is missing"), (b"h", b"latency"),
                          (b"\x0c", b"7m     1 "), (b"\x1bOB\x0c", b"7m     2 "), (b"\x1bOA\x0c", b"7m     1 ")):
            mark = len(terminal.seen)
            terminal.press(key)
            terminal.read_until(what, mark)
        terminal.press(b"q")
        self.assertEqual(terminal.wait(), 0)
        self.assertTrue(terminal.restored())
        self.assertTrue(target.end()[-1]["complete"])

    def test_a_signal_gives_the_terminal_back_too(self):
        target = self.target()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            terminal = self.terminal(target.pid)
            terminal.read_until(b"q quit")
            terminal.process.send_signal(number)
            self.assertEqual(terminal.wait(), -number)
            self.assertTrue(terminal.restored())

    def test_other_sizes_and_no_colour(self):
        target = self.target()
        terminal = self.terminal(target.pid, "--interval", "0.1", NO_COLOR="1")
        terminal.read_until(b"q quit")
        for rows_, columns in ((50, 200), (5, 20), (1, 1), (24, 80)):
            mark = len(terminal.seen)
            terminal.resize(rows_, columns)
            terminal.process.send_signal(signal.SIGWINCH)
            time.sleep(0.05)
            terminal.read_until(b"\x1b[", mark)
        terminal.read_until(b"q quit", mark)
        terminal.press(b"q")
        self.assertEqual(terminal.wait(), 0)
        self.assertNotRegex(terminal.seen, rb"\x1b\[[0-9;]*3[0-7]m")

    def test_it_says_what_became_of_the_process(self):
        target = self.target()
        terminal = self.terminal(target.pid, "--interval", "0.1")
        terminal.read_until(b"q quit")
        mark = len(terminal.seen)
        target.process.kill()
        target.process.wait()
        terminal.read_until(b"waltrace recover", mark)
        terminal.press(b"q")
        self.assertEqual(terminal.wait(), 1)

    def test_a_terminal_that_can_not_gets_one_snapshot(self):
        target = self.target()
        terminal = self.terminal(target.pid, TERM="no-such-terminal")
        self.assertEqual(terminal.wait(), 0)
        self.assertIn(b"this terminal can't show a screen", terminal.seen)
        self.assertIn(b"flushes/s", terminal.seen)


if __name__ == "__main__":
    # ThreadSanitizer puts signals off until the program calls something, now and then for ever; the screen has one thread.
    if "--without-screen" in sys.argv:
        del Screen
    unittest.main(argv=sys.argv[:1], verbosity=2)
