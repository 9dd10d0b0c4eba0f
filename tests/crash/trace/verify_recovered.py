#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A load dies with its recorder on, its trace is recovered: verify calls it incomplete, never damaged, before and after.

usage: verify_recovered.py WALTRACE KILLS"""
import ctypes
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

TOOL, KILLS = sys.argv[1], int(sys.argv[2])


def verdict(path):
    done = subprocess.run([TOOL, "verify", "--json", path], capture_output=True, timeout=60, check=False)
    trace = json.loads(done.stdout)["traces"][0]
    return done.returncode, trace


def header_of(directory, load):
    """The first line of the trace, as soon as it is whole, and the trace's path."""
    for _ in range(3000):
        for path in pathlib.Path(directory).rglob("*.jsonl"):
            with open(path, "rb") as file:
                line = file.readline()
            if line.endswith(b"\n"):
                return json.loads(line), path
        if load.poll() is not None:
            break
        time.sleep(0.01)
    sys.exit("the load made no trace")


def kill_once(work, settings):
    directory = pathlib.Path(work) / "load"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PI_STORE_WAL_TRACE")}
    load = subprocess.Popen([TOOL, "bench", "--seconds", "60", "--dir", directory, *settings], env=environment,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    header, path = header_of(work, load)
    time.sleep(random.uniform(0, 0.6))
    load.kill()  # first who would recover the trace at once
    os.kill(header["pid"], signal.SIGKILL)
    load.wait()
    os.waitpid(header["pid"], 0)  # ours now: what isn't waited for still counts as running
    found = []
    for when in ("killed", "recovered"):
        status, trace = verdict(path)
        if status != 1 or trace["verdict"] != "incomplete":
            found.append(f"{when}: exit {status}, {trace['verdict']}: {trace['why']}: {trace.get('first_problems')}")
        if when == "killed":
            subprocess.run([TOOL, "recover", header["segment"]], check=True, stdout=subprocess.DEVNULL,
                           timeout=60)
        elif trace["reason"] != "recovered":
            found.append(f"its reason is {trace['reason']}")
    return found, trace["records"]


def main():
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    seed = random.randrange(1 << 32)
    random.seed(seed)
    records, found = 0, []
    for i in range(KILLS):
        with tempfile.TemporaryDirectory() as work:
            more, n = kill_once(work, ("--delay-ms", "1") if i % 2 else ())
        records += n
        found += more
    print(f"seed {seed}: {KILLS} kills, {records} records, {len(found)} problems")
    print("\n".join(found), end="\n" if found else "")
    return 1 if found or not records else 0


if __name__ == "__main__":
    sys.exit(main())
