#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The durability audit on traces of a WAL that is right, and of one that acknowledges a commit before its fsync has ended.

usage: audit.py WALTRACE EARLY"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL, EARLY = sys.argv[1], os.path.abspath(sys.argv[2])
ROUNDS = 60


class Audit(unittest.TestCase):
    def audit(self, wrong, **settings):
        env = {k: v for k, v in os.environ.items() if not k.startswith("PI_STORE_WAL_TRACE")}
        env |= {f"PI_STORE_WAL_TRACE_{k}": str(v) for k, v in settings.items()}
        with tempfile.TemporaryDirectory() as work:
            env |= {"PI_STORE_WAL_TRACE_DIR": work, "PI_STORE_WAL_TRACE_QUIET": "1"}
            log = pathlib.Path(work) / "log"
            log.mkdir()
            made = subprocess.run([EARLY, str(ROUNDS), str(wrong)], env=env, cwd=log, capture_output=True, check=True, timeout=60)
            path, flush = made.stdout.decode().split()
            done = subprocess.run([TOOL, "report", "--json", path], capture_output=True, timeout=60, check=False)
            text = subprocess.run([TOOL, "report", path], capture_output=True, timeout=60, check=False).stdout.decode()
        return json.loads(done.stdout)["durability"], int(flush), text

    def test_a_wal_that_waits_for_its_fsyncs_is_proven(self):
        audit, _, text = self.audit(0)
        self.assertEqual((audit["acknowledgements"], audit["proven"], audit["unproven"]), (2 * ROUNDS, 2 * ROUNDS, 0))
        self.assertIn(f"0 of {2 * ROUNDS} acknowledgements", text)

    def test_the_one_acknowledgement_before_its_fsync_is_named(self):
        for wrong in (1, ROUNDS // 2, ROUNDS):
            audit, flush, text = self.audit(wrong)
            self.assertEqual((audit["proven"], audit["unproven"], audit["unknown"]), (2 * ROUNDS - 1, 1, 0))
            (found,) = audit["unproven_flushes"]
            self.assertEqual((found["flush_id"], found["log_uid"]), (flush, 2 * wrong))
            self.assertGreater(found["sync_ended_ns"], found["ended_ns"])
            self.assertIn(f"flush {flush} ", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
