// SPDX-License-Identifier: MIT
// Numbers of the report, exactly as they stand in its JSON, and how they are written for people.
"use strict";

// A number of the JSON: its digits are kept, since a double loses those above 2^53.
class Num {
	constructor(text) {
		this.text = text;
		this.value = Number(text);
	}
	get exact() { return BigInt(this.text); }
}

// Outside of strings each number becomes {"#": "its digits"} before JSON.parse sees it, and a Num behind it.
function parse_exactly(text) {
	const tagged = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g,
		token => token[0] === '"' ? token : '{"#":"' + token + '"}');
	return JSON.parse(tagged, (key, value) =>
		value !== null && typeof value === "object" && typeof value["#"] === "string" ? new Num(value["#"]) : value);
}

const report = parse_exactly(document.getElementById("report").textContent);
const charts = parse_exactly(document.getElementById("charts").textContent);

// "commit.quantiles.p50.total_ns"
function at(path) { return path.split(".").reduce((object, key) => object[key], report); }

function three_digits(value, unit) {
	return value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + "\u00a0" + unit;
}

function ns_text(ns) {
	if (ns >= 99.95 * 86400e9) return (ns / 86400e9).toFixed(0) + "\u00a0d";
	if (ns >= 9999.5e9) return three_digits(ns / 3600e9, "h");
	if (ns >= 999.5e6) return three_digits(ns / 1e9, "s");
	if (ns >= 999.5e3) return three_digits(ns / 1e6, "ms");
	if (ns >= 999.5) return three_digits(ns / 1e3, "µs");
	return ns.toFixed(0) + "\u00a0ns";
}

function bytes_text(bytes) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB"];
	let i = 0;
	for (; bytes >= 999.5 && i + 1 < units.length; i++) bytes /= 1024;
	return i ? three_digits(bytes, units[i]) : bytes.toFixed(0) + "\u00a0B";
}

function count_text(digits) { return digits.replace(/\B(?=(\d{3})+$)/g, ","); }

function share_text(share) {
	const percent = 100 * share;
	if (percent > 0 && percent < 0.05) return "<0.1\u00a0%";
	return (percent > 0 ? percent.toFixed(percent < 9.95 ? 1 : 0) : "0") + "\u00a0%";
}

// As share_text, but what isn't the whole is never called 100 %.
function covered_text(share) { return share < 1 ? (100 * Math.min(share, 0.9999)).toFixed(2) + "\u00a0%" : "100\u00a0%"; }

const writers = {
	ns: n => ns_text(n.value),
	bytes: n => bytes_text(n.value),
	count: n => count_text(n.text),
	id: n => n.text,
	share: n => share_text(n.value),
	covered: n => covered_text(n.value),
	mean: n => n.value.toFixed(2),
	rate: n => count_text(n.value.toFixed(0)) + "/s",
	bandwidth: n => bytes_text(n.value) + "/s",
};

// What a number is, if its short form doesn't say all of it.
function exact_text(n, unit) {
	if (unit === "ns" && /^\d+$/.test(n.text)) return count_text(n.text) + " ns";
	if (unit === "bytes" && /^\d+$/.test(n.text)) return count_text(n.text) + " bytes";
	return "";
}

// Shares of a whole in tenths of a percent that add up to 100.0: what rounding leaves goes to the largest remainders.
function tenths(values) {
	const whole = values.reduce((sum, v) => sum + v, 0n);
	if (!whole) return values.map(() => 0);
	const out = values.map(v => Number(v * 1000n / whole));
	const rest = values.map((v, i) => [v * 1000n % whole, i]).sort((a, b) => (a[0] < b[0] ? 1 : a[0] > b[0] ? -1 : a[1] - b[1]));
	const left = 1000 - out.reduce((sum, v) => sum + v, 0);
	for (let i = 0; i < left; i++) out[rest[i][1]]++;
	return out;
}
function tenths_text(n, present) { return !n && present ? "<0.1\u00a0%" : (n / 10).toFixed(1) + "\u00a0%"; }

// ---- Elements: what a trace says is text, never markup ------------------------------------------------------------

function el(name, attributes, ...children) {
	const element = document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {}))
		if (value !== null && value !== undefined) element.setAttribute(key, value);
	element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== ""));
	return element;
}

// The number at a place of the report; data-key says which, so that it can be compared.
function num(path, unit) {
	const n = at(path);
	return el("span", {"class": "num", "data-key": path, "data-value": n.text, "data-unit": unit, "title": exact_text(n, unit) || null},
		writers[unit](n));
}

function text(path) {
	const value = at(path);
	return el("span", {"data-key": path, "data-value": value}, value);
}

// [[heading, class]…], [[cell…]…]
function table(caption, head, rows, kind) {
	return el("table", {"class": kind || null},
		el("caption", {}, caption),
		el("thead", {}, el("tr", {}, head.map(name => el("th", {scope: "col"}, name)))),
		el("tbody", {}, rows.map(cells => el("tr", {}, cells.map((cell, i) =>
			el(i ? "td" : "th", {scope: i ? null : "row", "data-label": head[i]}, cell))))));
}

// Name and value, name and value …
function facts(...pairs) {
	return el("dl", {"class": "facts"}, pairs.filter(pair => pair).map(([name, ...value]) =>
		el("div", {}, el("dt", {}, name), el("dd", {}, ...value))));
}

function note(...children) { return el("p", {"class": "note"}, ...children); }
