#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kv_kill.py KV [ROUNDS [SEED]]: the example store is killed at a random moment while it prints which pairs are durable,
again and again in one directory; after each time every pair that it ever printed is there."""
import os
import pathlib
import random
import select
import subprocess
import sys
import tempfile
import time

KV = sys.argv[1]
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 8
LONGEST_S = 0.15
MOST_KEYS = 500  # of a round, where syncs cost nothing


def load_and_kill(directory, longest_s):
    """The keys that it printed. A line that the kill cut short was not printed."""
    child = subprocess.Popen([KV, directory, "load", "1000000000"], stdout=subprocess.PIPE)
    out, end = b"", time.monotonic() + longest_s
    while out.count(b"\n") < MOST_KEYS and (left := end - time.monotonic()) > 0:
        if select.select([child.stdout], [], [], left)[0]:
            more = os.read(child.stdout.fileno(), 4096)
            assert more, f"it ended by itself: {child.wait()}"
            out += more
    child.kill()
    out += child.communicate()[0]
    assert child.returncode == -9, child.returncode
    return out.decode().split("\n")[:-1]


def missing(directory, keys):
    """The first key that isn't there with its value, or None. A load's values are its keys."""
    done = subprocess.run([KV, directory, "get", *keys], capture_output=True, timeout=60)
    assert done.returncode < 2, done.stderr
    values = done.stdout.decode().splitlines()
    return next((k for i, k in enumerate(keys) if values[i:i + 1] != [k]), None)


def main():
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    moments, keys = random.Random(seed), ["first"]
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch) / "store"
        done = subprocess.run([KV, directory, "set", "first", "first"], capture_output=True, check=True)
        assert done.stdout == b"ok\n", done.stdout
        for number in range(ROUNDS):
            # The last one runs until something was printed, however slow the machine.
            longest_s = moments.uniform(0, LONGEST_S) if number < ROUNDS - 1 or len(keys) > 1 else 60
            more = load_and_kill(directory, longest_s)
            assert not set(more) & set(keys), "a key is printed again: its record was lost"
            keys += more
            lost = missing(directory, keys)
            assert lost is None, f"round {number}, seed {seed}: {lost} is lost"
    assert len(keys) > 1
    print(f"{ROUNDS} kills, {len(keys)} pairs, none lost")


if __name__ == "__main__":
    main()
