#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real traces obey docs/trace-schema.json, and what doesn't is seen.

usage: schema.py SCHEMA SAMPLE RUNNER CASES INSTRUMENT
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SCHEMA, SAMPLE, RUNNER, CASES, INSTRUMENT = (pathlib.Path(a).resolve() for a in sys.argv[1:6])
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def problems(value, schema, where=""):
    """What is wrong with a value, for the words of JSON Schema that our schema uses."""
    if "const" in schema and (value != schema["const"] or type(value) is not type(schema["const"])):
        yield f"{where}: not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {value!r} isn't one of the known ones"
    types = schema.get("type", [])
    if types and not any(is_type(value, t) for t in ([types] if isinstance(types, str) else types)):
        yield f"{where}: {value!r} isn't {types}"
        return
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{where}: {value[:40]!r} has another form"
    if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{where}: {value} is out of range"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        yield from (f"{where}: {k} is missing" for k in schema.get("required", []) if k not in value)
        if schema.get("additionalProperties") is False:
            yield from (f"{where}: {k} isn't known" for k in value if k not in known)
        for k in value.keys() & known.keys():
            yield from problems(value[k], known[k], f"{where}.{k}")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield f"{where}: {len(value)} items"
        for i, item in enumerate(value):
            part = schema["prefixItems"][i] if i < len(schema.get("prefixItems", [])) else schema.get("items", {})
            yield from problems(item, part, f"{where}[{i}]")


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lines = {s["title"]: s for s in json.loads(SCHEMA.read_text(encoding="utf-8"))["oneOf"]}
        cls.seen = set()

    def check(self, path):
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            line = json.loads(text)
            self.assertIn(line["event"], self.lines)
            self.seen.add(line["event"])
            found = list(problems(line, self.lines[line["event"]], line["event"]))
            self.assertEqual(found, [], f"{path.name}:{number}")

    def test_the_reference_s_sample(self):
        self.check(SAMPLE)

    def test_every_kind_field_error_string_and_path(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PI_STORE_WAL_TRACE")}
        for case in ("all_kinds", "all_fields", "error_kinds", "strings", "paths", "helpers_merge", "byte_limit", "windows"):
            with tempfile.TemporaryDirectory() as work:
                subprocess.run([RUNNER, CASES / (case + ".script")], cwd=work, env=environment, check=True, capture_output=True)
                for path in pathlib.Path(work).rglob("wal-trace-*.jsonl"):
                    self.check(path)

    def test_the_lines_that_the_reference_has_not(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PI_STORE_WAL_TRACE")}
        with tempfile.TemporaryDirectory() as work:
            subprocess.run([INSTRUMENT, work], env=environment, check=True, capture_output=True)
            for path in pathlib.Path(work).rglob("wal-trace-*.jsonl"):
                self.check(path)
        self.assertTrue({"histogram", "recorder"} <= self.seen)

    def test_what_is_wrong_is_seen(self):
        good = json.loads(next(t for t in SAMPLE.read_text().splitlines() if '"event":"sync_call","session' in t))
        kind = self.lines["sync_call"]
        self.assertEqual(list(problems(good, kind)), [])
        for change in ({"operation_id": 0}, {"start_ns": -1}, {"start_ns": 2**64}, {"start_ns": "1"}, {"outcome": None},
                       {"nonsense": 1}, {"payload_bytes": 1}, {"commit_uid": "0"}, {"error_kind": "Nothing"},
                       {"source_path": {"encoding": "unix_hex", "value": "0"}}):
            self.assertNotEqual(list(problems({**good, **change}, kind)), [], change)
        self.assertNotEqual(list(problems({k: v for k, v in good.items() if k != "outcome"}, kind)), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
