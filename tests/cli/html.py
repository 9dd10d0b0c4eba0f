#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""waltrace report --format html in a real Chromium: html.py WALTRACE SAMPLE MAKE-PAGE"""
import decimal
import json
import os
import pty
import re
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser  # noqa: E402  (beside this file)

WALTRACE, SAMPLE, MAKE_PAGE = sys.argv[1], sys.argv[2], sys.argv[3]
HOSTILE = "</script><img src=x onerror=document.title='owned'><!--<script>&amp;\u2028\u2029\"'"
HUGE = 2**63 + 1
with open(SAMPLE, "rb") as sample:
    LINES = sample.readlines()

# Everything that isn't as it should be: leaves the page, lies on other words, or is cut off by its box.
LAYOUT = r"""
const wrong = [], wide = innerWidth;
if (document.documentElement.scrollWidth > wide) wrong.push('the page is wider than the window');
const leaves = [];
const name = e => e.tagName + ' "' + e.textContent.slice(0, 30) + '"';
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
	const node = walk.currentNode, parent = node.parentElement;
	if (!node.textContent.trim() || parent.closest('script, noscript, style, .jump') || !parent.checkVisibility()) continue;
	const range = document.createRange();
	range.selectNodeContents(node);
	for (const box of range.getClientRects()) if (box.width > 1) leaves.push([parent, box]);
	for (let e = parent; e !== document.body; e = e.parentElement) {
		const style = getComputedStyle(e);
		if (style.display === 'inline' || style.overflowX === 'visible') continue;
		if (e.scrollWidth > e.clientWidth + 1) wrong.push('cut off: ' + name(parent) + ' in ' + e.className);
	}
}
for (const [e, box] of leaves)
	if (box.left < -0.5 || box.right > wide + 0.5) wrong.push('beyond the edge: ' + name(e));
leaves.sort((a, b) => a[1].top - b[1].top);
for (let i = 0; i < leaves.length; i++)
	for (let k = i + 1; k < leaves.length && leaves[k][1].top < leaves[i][1].bottom - 1; k++) {
		const [a, p] = leaves[i], [b, q] = leaves[k];
		const across = Math.min(p.right, q.right) - Math.max(p.left, q.left), down = Math.min(p.bottom, q.bottom) - q.top;
		if (across > 1.5 && down > Math.min(p.height, q.height) / 3) wrong.push('on each other: ' + name(a) + ' and ' + name(b));
	}
for (const chart of document.querySelectorAll('.chart')) {
	const canvas = chart.querySelector('canvas'), outer = chart.getBoundingClientRect();
	if (!canvas || outer.height < 100) wrong.push('not drawn: ' + chart.id);
	for (const e of chart.querySelectorAll('canvas, .dygraph-axis-label')) {
		const box = e.getBoundingClientRect();
		if (box.right > outer.right + 1 || box.left < outer.left - 1) wrong.push('beyond its chart: ' + chart.id + ' ' + name(e));
	}
}
return [...new Set(wrong)];
"""


def waltrace(*args, **more):
    return subprocess.run([WALTRACE, "report", *args], capture_output=True, timeout=60, **more)


def at(report, path):
    for key in path.split("."):
        report = report[int(key)] if isinstance(report, list) else report[key]
    return report


def written(value, unit):
    """A number as the page writes it, worked out here a second time."""
    def rounded(number, decimals):
        exponent = decimal.Decimal(1).scaleb(-decimals)
        return str(decimal.Decimal(float(number)).quantize(exponent, rounding=decimal.ROUND_HALF_UP))

    def three(number, name):
        return rounded(number, 2 if number < 9.995 else 1 if number < 99.95 else 0) + "\u00a0" + name
    number = float(value)
    if unit == "ns":
        scales = [(99.95 * 86400e9, 86400e9, "d"), (9999.5e9, 3600e9, "h"), (999.5e6, 1e9, "s"), (999.5e3, 1e6, "ms"),
                  (999.5, 1e3, "µs")]
        for least, scale, name in scales:
            if number >= least:
                return rounded(number / scale, 0) + "\u00a0d" if name == "d" else three(number / scale, name)
        return rounded(number, 0) + "\u00a0ns"
    if unit in ("bytes", "bandwidth"):
        names = ["B", "KiB", "MiB", "GiB", "TiB"]
        while number >= 999.5 and len(names) > 1:
            number /= 1024
            names.pop(0)
        text = rounded(number, 0) + "\u00a0B" if names[0] == "B" else three(number, names[0])
        return text + ("/s" if unit == "bandwidth" else "")
    if unit == "count":
        return f"{int(value):,}"
    if unit == "id":
        return value
    if unit == "mean":
        return rounded(number, 2)
    if unit == "covered":
        return "100\u00a0%" if number >= 1 else rounded(100 * min(number, 0.9999), 2) + "\u00a0%"
    assert unit == "share", unit
    percent = 100 * number
    if 0 < percent < 0.05:
        return "<0.1\u00a0%"
    return (rounded(percent, 1 if percent < 9.95 else 0) if percent > 0 else "0") + "\u00a0%"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.directory = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.directory.cleanup()

    def make(self, *traces, status=0):
        """The page of these traces, each a path or lines; and their JSON report."""
        paths = []
        for trace in traces:
            if isinstance(trace, list):
                paths.append(os.path.join(self.directory.name, f"{self._testMethodName}-{len(paths)}.jsonl"))
                with open(paths[-1], "wb") as file:
                    file.writelines(trace)
            else:
                paths.append(trace)
        page = os.path.join(self.directory.name, self._testMethodName + ".html")
        made = waltrace("--format", "html", "-o", page, *paths)
        self.assertEqual(made.returncode, status, made.stderr)
        self.assertEqual(made.stdout, b"")
        return page, waltrace("--json", *paths).stdout

    def show(self, page, width=1280, dark=False):
        self.browser.size(width, 900, dark)
        self.browser.log("performance")
        self.browser.log("browser")
        self.browser.open(page)

    def assert_quiet(self, page):
        """Nothing on the console, and nothing asked for but the page itself."""
        self.assertEqual([entry["message"] for entry in self.browser.log("browser")], [])
        asked = [json.loads(entry["message"])["message"] for entry in self.browser.log("performance")]
        self.assertEqual({m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"},
                         {"file://" + os.path.realpath(page)})

    def assert_numbers(self, raw, least):
        """Each number on the page is the JSON's, digit by digit, and written as it should be."""
        exact = json.loads(raw, parse_int=str, parse_float=str)
        seen = self.browser.run("return [...document.querySelectorAll('[data-value]')].map(e => "
                                "[e.dataset.key, e.dataset.value, e.dataset.unit || null, e.textContent])")
        self.assertGreaterEqual(len(seen), least)
        for key, value, unit, shown in seen:
            self.assertEqual(value, at(exact, key), key)
            self.assertEqual(shown, written(value, unit) if unit else value, key)

    def test_numbers_equal_the_json_and_nothing_is_fetched(self):
        page, raw = self.make(SAMPLE)
        self.show(page)
        self.assert_quiet(page)
        self.assert_numbers(raw, 300)
        self.assertEqual(json.loads(self.browser.run("return document.getElementById('report').textContent")), json.loads(raw))
        self.assertEqual(self.browser.run("return document.querySelectorAll('.chart canvas').length > 0 && "
                                          "[...document.querySelectorAll('.chart')].map(e => e.id)"),
                         ["chart-parts", "chart-distribution", "chart-rate-0", "chart-percentiles-0", "chart-lane-0", "chart-fsync-0"])

    def test_shares_of_the_parts_add_up(self):
        page, _ = self.make(SAMPLE)
        self.show(page)
        shares = self.browser.run("return [...document.querySelectorAll('.sums tbody tr')].map(r => r.children[2].textContent)")
        tenths = [0 if s.startswith("<") else int(s.split("\u00a0")[0].replace(".", "")) for s in shares]
        self.assertEqual(sum(tenths[:-1]), 1000)
        self.assertEqual(tenths[-1], 1000)

    def test_nothing_is_cut_off_or_overlaps(self):
        page, _ = self.make(SAMPLE)
        for width in (1280, 390):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    self.show(page, width, dark)
                    self.assertEqual(self.browser.run(LAYOUT), [])
                    self.browser.run("for (const e of document.querySelectorAll('details')) e.open = true")
                    self.assertEqual(self.browser.run(LAYOUT), [])

    def test_theme_follows_the_system_and_the_button(self):
        page, _ = self.make(SAMPLE)
        paper = "return getComputedStyle(document.body).backgroundColor"
        self.show(page, dark=True)
        dark = self.browser.run(paper)
        self.browser.run("document.querySelector('header button').click()")
        light = self.browser.run(paper)
        self.show(page, dark=False)
        self.assertEqual(self.browser.run(paper), light)
        self.assertNotEqual(dark, light)

    def test_keys_zoom_move_and_reset(self):
        page, _ = self.make(SAMPLE)
        self.show(page)
        first = "return document.querySelector('#chart-fsync-0 .dygraph-axis-label-x').textContent"
        labels = "return [...document.querySelectorAll('#chart-fsync-0 .dygraph-axis-label-x')].map(e => e.textContent).join()"
        self.browser.run("document.getElementById('chart-fsync-0').focus()")
        whole = self.browser.run(labels)
        self.browser.keys("+", "+")
        near = self.browser.run(labels)
        self.assertNotEqual(near, whole)
        self.browser.keys("\ue014")  # arrow right
        self.assertNotEqual(self.browser.run(labels), near)
        self.browser.keys("\ue012")  # and back
        self.assertEqual(self.browser.run(labels), near)
        self.browser.keys("-", "-")
        self.assertEqual(self.browser.run(labels), whole)
        self.browser.keys("+", "0")
        self.assertEqual(self.browser.run(labels), whole)
        self.assertTrue(self.browser.run(first))
        self.assert_quiet(page)

    def test_what_a_trace_says_is_never_markup(self):
        header = json.loads(LINES[0])
        header["run_id"] = HOSTILE
        line = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        path = os.path.join(self.directory.name, "<img src=x onerror=alert(1)>&lt;.jsonl")
        with open(path, "wb") as file:
            file.writelines([line] + LINES[1:])
        page, raw = self.make(path, status=2)  # a longer line, so that its bytes aren't those that were counted
        self.show(page)
        self.assert_quiet(page)
        self.assertEqual(self.browser.run("return document.querySelector('.verdict').lastChild.textContent"), path)
        self.assertEqual(self.browser.run("return [document.images.length, document.title.includes('owned')]"), [0, False])
        self.assertEqual(self.browser.run("return document.querySelector('[data-key=\"traces.0.run_id\"]').textContent"),
                         json.loads(raw)["traces"][0]["run_id"])
        with open(page, encoding="utf-8") as file:
            self.assertNotIn("<img", file.read())

    def test_numbers_above_two_to_the_53_keep_their_digits(self):
        old = json.loads(next(line for line in LINES if b'"root_flush"' in line))["log_uid"]
        page, raw = self.make([re.sub(b'"log_uid":%d\\b' % old, b'"log_uid":%d' % HUGE, line) for line in LINES], status=2)
        self.show(page)
        self.assert_numbers(raw, 300)
        self.assertEqual(self.browser.run(f"return tenths([{HUGE}n, 1n]).join()"), "1000,0")
        self.assertEqual(self.browser.run(f"return parse_exactly('{{\"a\":[{HUGE},-1.5e3,\"1,2\"]}}').a.map(v => v.text || v).join()"),
                         f"{HUGE},-1.5e3,1,2")

    def test_traces_without_flushes_or_with_little_else(self):
        def without(*events):
            return [line for line in LINES if json.loads(line)["event"] not in events]
        for name, lines in (("no flush", without("root_flush")), ("no fsync", without("sync_call", "commit_lock")),
                            ("a header and no more", LINES[:1])):
            with self.subTest(name):
                made = [status for status in (1, 2) if self.attempt(lines, status)]
                self.assertEqual(len(made), 1)

    def attempt(self, lines, status):
        path = os.path.join(self.directory.name, "little.jsonl")
        page = os.path.join(self.directory.name, "little.html")
        with open(path, "wb") as file:
            file.writelines(lines)
        if waltrace("--format", "html", "-o", page, path).returncode != status:
            return False
        for width in (1280, 390):
            self.show(page, width)
            self.assert_quiet(page)
            self.assert_numbers(waltrace("--json", path).stdout, 15)
            self.assertEqual(self.browser.run(LAYOUT), [])
        return True

    def test_incomplete_traces_say_so_first(self):
        page, raw = self.make(LINES[:-1] + [LINES[-1][:60]], status=1)
        self.show(page, 390)
        self.assertEqual(self.browser.run("return document.querySelector('.verdict .badge').textContent"), "INCOMPLETE")
        self.assertIn("What the loss touches", self.browser.run("return document.body.innerText"))
        self.assert_numbers(raw, 300)
        self.assertEqual(self.browser.run(LAYOUT), [])

    def test_several_traces_have_a_chart_each(self):
        page, raw = self.make(SAMPLE, LINES)
        self.show(page, 390)
        self.assert_quiet(page)
        self.assert_numbers(raw, 400)
        self.assertEqual(self.browser.run("return document.querySelectorAll('#chart-fsync-0, #chart-fsync-1').length"), 2)
        points = self.browser.run("return charts.traces.map(t => t.fsync_points.length + t.lock_lane.length)")
        self.assertEqual(len(points), 2)
        self.assertTrue(all(0 < n <= 2000 for n in points), points)
        self.assertEqual(self.browser.run(LAYOUT), [])

    def test_without_scripts_the_text_report_is_there(self):
        page, _ = self.make(SAMPLE)
        with open(page, encoding="utf-8") as file:
            plain = re.search("<noscript>.*<pre>(.*)</pre>", file.read(), re.S)[1]
        text = waltrace(SAMPLE).stdout.decode()
        self.assertEqual(plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"), text)


class Command(unittest.TestCase):
    def test_a_terminal_gets_no_page(self):
        ours, theirs = pty.openpty()
        result = subprocess.run([WALTRACE, "report", "--format", "html", SAMPLE], stdout=theirs, stderr=subprocess.PIPE,
                                timeout=60, check=False)
        os.close(theirs)
        os.close(ours)
        self.assertEqual(result.returncode, 3)
        self.assertIn(b"-o report.html", result.stderr)

    def test_a_pipe_gets_the_page(self):
        self.assertTrue(waltrace("--format", "html", SAMPLE).stdout.startswith(b"<!DOCTYPE html>"))

    def test_output_is_there_as_a_whole_or_as_it_was(self):
        with tempfile.TemporaryDirectory() as directory:
            path, link = os.path.join(directory, "out"), os.path.join(directory, "link")
            with open(path, "w", encoding="utf-8") as file:
                file.write("as it was")
            os.chmod(path, 0o640)
            os.symlink("out", link)
            limit = f'ulimit -f 8; trap "" XFSZ; exec "{WALTRACE}" report --format html -o "{link}" "{SAMPLE}"'
            failed = subprocess.run(["sh", "-c", limit], capture_output=True, timeout=60, check=False)
            self.assertEqual(failed.returncode, 2)
            self.assertIn(b"can't write the report", failed.stderr)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "as it was")
            self.assertEqual(sorted(os.listdir(directory)), ["link", "out"])
            self.assertEqual(waltrace("--format", "html", "-o", link, SAMPLE).returncode, 0)
            self.assertTrue(os.path.islink(link))
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o640)
            with open(path, "rb") as file:
                self.assertEqual(file.read(), waltrace("--format", "html", SAMPLE).stdout)

    def test_a_build_without_the_libraries_says_how_to_mend_it(self):
        with tempfile.TemporaryDirectory() as directory:
            out, program = os.path.join(directory, "page.c"), os.path.join(directory, "page")
            subprocess.run([MAKE_PAGE, directory, out, "page.html", "page.css"], check=True)
            source = os.path.join(os.path.dirname(MAKE_PAGE), "../src")
            main = 'int main(void) { return puts(wt_html_missing) < 0; }\n'
            with open(out, "a", encoding="utf-8") as file:
                file.write("#include <stdio.h>\n" + main)
            subprocess.run(["cc", "-std=gnu11", "-I", source, "-I", source + "/../include", out, "-o", program], check=True)
            says = subprocess.run([program], capture_output=True, check=True).stdout
        self.assertIn(b"apt-get install libjs-dygraphs libjs-chart.js", says)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
