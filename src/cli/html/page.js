// SPDX-License-Identifier: MIT
// Puts the page together, and lets its reader choose between light and dark.
"use strict";

const SECTIONS = [
	["findings", "Findings", findings], ["parts", "Where a commit's time goes", parts], ["distribution", "Distribution", distribution_chart],
	["time", "Over time", () => by_trace(over_time)], ["slowest", "Slowest commits", slowest], ["group", "Group commit", group_commit],
	["lock", "Commit lock", commit_lock], ["fsync", "fsync", fsync], ["checkpoints", "Checkpoints", checkpoints],
	["durability", "Durability audit", durability], ["traces", several ? "Traces" : "Trace", verdict], ["help", "How to use this page", help],
];

function help() {
	return [facts(["zoom in", "drag over a stretch of a chart, or ", el("kbd", {}, "+"), ", or its button"], ["zoom out", el("kbd", {}, "−"), ", or its button"],
		["all of it", el("kbd", {}, "0"), ", a double-click, or Reset"], ["move", el("kbd", {}, "←"), " and ", el("kbd", {}, "→"), ", or drag with ", el("kbd", {}, "Shift")],
		["keys", "go to the chart that has the focus: ", el("kbd", {}, "Tab"), " reaches each"], ["exact numbers", "point at a number to see all its digits"]),
	note("Times count from the begin of the recording. The page holds all its data and fetches nothing: ", count_text(String(document.getElementById("report").textContent.length)),
		" bytes of it are the JSON that waltrace report --format json prints.")];
}

// ---- Theme --------------------------------------------------------------------------------------------------------

const system_dark = matchMedia("(prefers-color-scheme: dark)");
let chosen = null; // "light" or "dark"; null: as the system
const theme = () => chosen || (system_dark.matches ? "dark" : "light");
const toggle = button("Change between light and dark", "", () => {
	chosen = theme() === "dark" ? "light" : "dark";
	show_theme(theme());
});

function show_theme(name) {
	document.documentElement.dataset.theme = name;
	toggle.textContent = name === "dark" ? "Light" : "Dark";
	for (const draw of drawers) draw();
}

system_dark.addEventListener("change", () => show_theme(theme()));
addEventListener("beforeprint", () => show_theme("light"));
addEventListener("afterprint", () => show_theme(theme()));

// ---- The page -----------------------------------------------------------------------------------------------------

function head() {
	const [word, mood] = verdict_of(report);
	return [el("div", {"class": "line"}, el("h1", {}, "waltrace report"), toggle),
		el("p", {"class": "verdict"}, el("span", {"class": "badge " + mood, "data-key": "verdict"}, word), several ? report.traces.length + " traces" : text("traces.0.path")),
		el("p", {"class": "headline"}, text("headline")), key_numbers()];
}

function key_numbers() {
	if (!some("commit.flushes")) return null;
	const rate = at("commit.duration_ns").value ? count_text((at("commit.flushes").value * 1e9 / at("commit.duration_ns").value).toFixed(0)) : "–";
	return el("dl", {"class": "keys"}, [["commits", [num("commit.flushes", "count")]], ["commits/s", [rate]], ["p50", [num("commit.quantiles.p50.total_ns", "ns")]],
		["p99", [num("commit.quantiles.p99.total_ns", "ns")]], ["p99.9", [num("commit.quantiles.p999.total_ns", "ns")]], ["longest", [num("commit.max_ns", "ns")]],
		["fsync p50", [num("fsync.time_ns.p50", "ns")]], ["commits an fsync", [num("group_commit.flushes_per_fsync", "mean")]],
		["unproven", [num("durability.unproven", "count")]]].map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function section(id, title, content) {
	return el("section", {id, "aria-labelledby": id + "-title"}, el("h2", {id: id + "-title"}, title), content);
}

const made = SECTIONS.map(([id, title, make]) => [id, title, make()]).filter(([, , content]) => content !== null);
document.title = "waltrace report: " + (several ? report.traces.length + " traces" : report.traces[0].path.replace(/^.*\//, ""));
document.getElementById("top").append(...head().filter(child => child !== null));
document.getElementById("contents").append(el("ul", {}, made.map(([id, title]) => el("li", {}, el("a", {href: "#" + id}, title)))));
document.getElementById("content").append(...made.map(entry => section(...entry)));
document.getElementById("foot").append("report version " + report.report_version.text + ", made by waltrace. Percentiles are known to within " + share_text(report.percentile_precision.value) + ".");
show_theme(theme());
