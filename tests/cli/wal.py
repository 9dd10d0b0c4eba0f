#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""wal.py WALTRACE KV: waltrace wal on directories that are made here from the format's description, good and bad, and
on one that the example store wrote."""
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

WALTRACE, KV = sys.argv[1:3]
TIME = 1_790_000_000_000


def append(cid, value, key=None):
    key = cid.to_bytes(16, "little") if key is None else key
    return struct.pack("<BH", 1, len(key)) + key + struct.pack("<I", len(value)) + value


def remove(key):
    return struct.pack("<BH", 0, len(key)) + key


def block(entries, time_ms=TIME):
    body = b"".join(entries)
    stamp = struct.pack("<Q", time_ms)
    return body + stamp + struct.pack("<II", zlib.crc32(body + stamp), len(body))


def run(*arguments, stdout=subprocess.PIPE):
    return subprocess.run([WALTRACE, "wal", *map(str, arguments)], stdout=stdout, stderr=subprocess.PIPE, timeout=60)


class Wal(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.directory = pathlib.Path(self.scratch.name) / "log"
        self.directory.mkdir()

    def tearDown(self):
        self.scratch.cleanup()

    def put(self, name, *blocks):
        (self.directory / name).write_bytes(b"".join(blocks))

    def put_three(self):
        """A confirmed file and two live ones; records 1 … 6."""
        self.put("000000001.bak", block([append(1, b"one")], TIME + 1))
        self.put("000000002", block([append(2, b"two"), append(3, b"three")], TIME + 2), block([append(4, b"4" * 100)], TIME + 3))
        self.put("000000003", block([append(5, b"five")], TIME + 4), block([append(6, b"")], TIME + 5))

    def check(self, status, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    def objects(self, status, *arguments):
        return json.loads(self.check(status, *arguments, "--json")[0])

    def dump(self, status, *arguments):
        out, _ = self.check(status, "dump", "--json", *arguments, self.directory)
        return [json.loads(line) for line in out.splitlines()]

    # ---- ls and verify

    def test_ls_tells_what_is_in_each_file(self):
        self.put_three()
        found = self.objects(0, "ls", self.directory)
        self.assertEqual([f["name"] for f in found["files"]], ["000000001.bak", "000000002", "000000003"])
        self.assertEqual([f["records"] for f in found["files"]], [1, 3, 2])
        self.assertEqual([f["backup"] for f in found["files"]], [True, False, False])
        second = found["files"][1]
        self.assertEqual((second["blocks"], second["first_time_ms"], second["last_time_ms"]), (2, TIME + 2, TIME + 3))
        self.assertEqual(second["file_bytes"], (self.directory / "000000002").stat().st_size)
        self.assertEqual((found["verdict"], found["blocks"], found["records"]), ("good", 5, 6))
        text, _ = self.check(0, "ls", self.directory)
        self.assertIn("good: 3 files, 5 blocks, 6 records", text.splitlines()[0])
        self.assertIn("2026-09-21T14:13:20.001Z", text)
        self.assertEqual(len(self.objects(0, "ls", "--live", self.directory)["files"]), 2)

    def test_zeros_written_ahead_are_good(self):
        self.put("000000001", block([append(1, b"one")]), bytes(70000))
        found = self.objects(0, "verify", self.directory)
        self.assertEqual(found["files"][0]["tail"], "prefilled")

    def test_torn_tail_of_the_last_file_is_told_with_its_offset(self):
        whole = block([append(1, b"one")])
        self.put("000000001", whole, block([append(2, b"two")])[:-5])
        out, _ = self.check(1, "verify", self.directory)
        self.assertIn(f"000000001: torn at offset {len(whole)}, ", out)
        self.assertEqual(self.objects(1, "ls", self.directory)["files"][0]["tail"], "torn")
        self.put("000000002", block([append(3, b"three")]))
        self.assertIn("isn't the last file", self.check(2, "verify", self.directory)[0])

    def test_damage_is_told_with_its_offset(self):
        self.put_three()
        data = bytearray((self.directory / "000000002").read_bytes())
        data[25] ^= 1
        self.put("000000002", data)
        out, _ = self.check(2, "verify", self.directory)
        self.assertIn("damaged: 3 files", out.splitlines()[0])
        self.assertIn("000000002: damaged at offset 0, ", out)
        self.assertIn("waltrace wal repair", out)
        self.assertEqual(self.objects(2, "verify", self.directory)["damaged_files"], 1)

    # ---- dump

    def test_dump_gives_records_in_order_with_their_values(self):
        self.put_three()
        found = self.dump(0, "--values")
        self.assertEqual([int(r["cid"], 16) for r in found], [1, 2, 3, 4, 5, 6])
        self.assertEqual(found[2]["value"], b"three".hex())
        self.assertEqual([(r["file"], r["block"]) for r in found], [(1, 0), (2, 0), (2, 0), (2, 70), (3, 0), (3, 43)])
        self.assertEqual((found[2]["offset"], found[3]["time_ms"], found[3]["value_bytes"]), (26, TIME + 3, 100))
        self.assertEqual([int(r["cid"], 16) for r in self.dump(0, "--live")], [2, 3, 4, 5, 6])
        self.assertEqual([int(r["cid"], 16) for r in self.dump(0, "--file", 2)], [2, 3, 4])
        self.assertNotIn("value", self.dump(0)[2])
        text, _ = self.check(0, "dump", self.directory)
        self.assertIn("append  00000000000000000000000000000003  5 bytes  three", text)

    def test_dump_shows_any_key_and_method(self):
        self.put("000000001", block([remove(b"\x01\xff"), append(0, b"\x00\n\x1b", key=b""), append(1 << 127, b"x")]))
        found = self.dump(0, "--values")
        self.assertEqual([r["method"] for r in found], ["remove", "append", "append"])
        self.assertEqual((found[0]["key"], found[1]["key"], found[2]["cid"]), ("01ff", "", "8" + "0" * 31))
        self.assertNotIn("\x1b", self.check(0, "dump", self.directory)[0])

    def test_dump_gives_what_lies_before_damage(self):
        self.put_three()
        self.put("000000002", (self.directory / "000000002").read_bytes()[:-1])
        self.assertEqual(len(self.dump(2)), 3)
        self.assertIn("000000002: the block at offset 70", self.check(2, "dump", self.directory)[1])

    def test_torn_tail_is_told_after_the_records(self):
        self.put("000000001", block([append(1, b"one")]), b"\x01\x10\x00torn")
        out, err = self.check(1, "dump", self.directory)
        self.assertEqual(len(out.splitlines()), 1)
        self.assertIn("000000001: 7 bytes at its end are torn", err)

    # ---- repair

    def repair(self, status):
        target = pathlib.Path(self.scratch.name) / "salvaged"
        found = self.objects(status, "repair", self.directory, target)
        self.directory = target
        return found

    def test_repair_of_a_good_log_copies_it(self):
        self.put_three()
        before = {p.name: p.read_bytes() for p in self.directory.iterdir()}
        found = self.repair(0)
        self.assertEqual((found["left_out"], found["records"], found["lost_bytes"]), ([], 6, 0))
        self.assertEqual({p.name: p.read_bytes() for p in self.directory.iterdir()}, before)

    def test_repair_keeps_every_valid_block_and_says_what_it_left_out(self):
        blocks = [block([append(n, b"x" * n)], TIME + n) for n in range(1, 9)]
        starts = [sum(map(len, blocks[:n])) for n in range(9)]
        for n in (2, 5):
            blocks[n] = b"\xee" * len(blocks[n])
        self.put("000000001", *blocks, b"\x01torn")
        self.put("000000002", block([append(20, b"after")]), bytes(5000))
        before = (self.directory / "000000001").read_bytes()
        found = self.repair(1)
        self.assertEqual((pathlib.Path(self.scratch.name) / "log/000000001").read_bytes(), before)
        lost = [(r["file"], r["from"], r["to"]) for r in found["left_out"]]
        self.assertEqual(lost, [("000000001", starts[2], starts[3]), ("000000001", starts[5], starts[6]),
                                ("000000001", starts[8], starts[8] + 5)])
        self.assertEqual([int(r["cid"], 16) for r in self.dump(0)], [1, 2, 4, 5, 7, 8, 20])
        self.assertEqual(self.objects(0, "verify", self.directory)["records"], 7)
        self.assertEqual(found["records"], 7)

    def test_repair_never_writes_into_what_is_there(self):
        self.put_three()
        target = pathlib.Path(self.scratch.name) / "full"
        target.mkdir()
        (target / "mine").write_text("here")
        self.assertIn("isn't empty", self.check(2, "repair", self.directory, target)[1])
        self.assertIn("isn't empty", self.check(2, "repair", self.directory, self.directory)[1])
        self.assertEqual([p.name for p in target.iterdir()], ["mine"])

    def test_store_that_was_damaged_opens_again_after_repair(self):
        for pair in ("a", "1"), ("b", "2"), ("c", "3"):
            subprocess.run([KV, self.directory, "set", *pair], check=True, capture_output=True)
        path = self.directory / "000000002"
        data = bytearray(path.read_bytes())
        data[-20] ^= 4
        path.write_bytes(data)
        refused = subprocess.run([KV, self.directory, "get", "a"], capture_output=True)
        self.assertEqual(refused.returncode, 2)
        self.assertIn(b"000000002", refused.stderr)
        self.assertEqual(self.repair(1)["records"], 2)
        values = [subprocess.run([KV, self.directory, "get", k], capture_output=True).stdout for k in "abc"]
        self.assertEqual(values, [b"1\n", b"", b"3\n"])

    # ---- bad input

    def test_what_is_no_log_is_refused(self):
        self.assertIn("no files of a log", self.check(2, "verify", self.directory)[1])
        self.assertIn("no files of a log", self.check(2, "dump", self.directory)[1])
        self.assertIn("list the directory", self.check(2, "ls", self.directory / "missing")[1])
        self.put("plain", b"")
        self.assertIn("list the directory", self.check(2, "dump", self.directory / "plain")[1])
        self.assertIn("longer than", self.check(2, "ls", "x" * 3073)[1])
        self.put("notes", b"mine")
        self.put("000000000", b"not a number of a log's file")
        self.assertIn("no files of a log", self.check(2, "ls", self.directory)[1])

    def test_wrong_usage_is_3(self):
        for arguments in ([], ["ls"], ["look", "."], ["ls", ".", "."], ["repair", "."], ["ls", "--values", "."],
                          ["dump", "--file", "."], ["dump", "--file", "0", "."], ["dump", "--file", "-1", "."],
                          ["dump", "--file", "9x", "."], ["ls", "--format", "xml", "."], ["ls", "--format"],
                          ["ls", "--", "."], ["ls", "--liv", "."]):
            self.assertTrue(self.check(3, *arguments)[1], arguments)
        self.assertIn("usage: waltrace wal ls", self.check(0, "--help")[0])
        self.assertIn("usage: waltrace wal ls", self.check(0, "dump", "--help")[0])

    def test_output_that_can_not_be_written_is_an_error(self):
        self.put_three()
        with open("/dev/full", "wb") as full:
            done = run("dump", self.directory, stdout=full)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"standard output", done.stderr)

    def test_no_bytes_crash_it_or_hang_it(self):
        seed = random.Random(4)
        good = b"".join(block([append(n * 3 + i, bytes([n]) * n) for i in range(3)]) for n in range(1, 20))
        for n in range(150):
            data = bytearray(good)
            for _ in range(seed.randint(1, 4)):
                at = seed.randrange(len(data))
                if seed.random() < 0.3:
                    del data[at:at + seed.randint(1, 40)]
                else:
                    data[at] = seed.randrange(256)
            self.put("000000001", data)
            for command in ("verify", "dump"):
                self.assertIn(run(command, self.directory).returncode, (0, 1, 2), (n, command))
            target = os.path.join(self.scratch.name, f"salvaged{n}")
            self.assertIn(run("repair", self.directory, target).returncode, (0, 1), n)
            self.assertEqual(run("verify", target).returncode, 0, n)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
