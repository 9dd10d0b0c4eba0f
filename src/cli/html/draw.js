// SPDX-License-Identifier: MIT
// Charts: each in a figure with its buttons, its keys, a line that says what the pointer is at, and a table of the same
// numbers. Drawn anew when the theme changes.
"use strict";

const drawers = []; // draws each chart in the colours of now
const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const part_colour = key => colour("part-" + key.replace("_", "-"));

// Lines and bars only: no legend of the library's own, and a finger that drags moves the page.
Dygraph.PLUGINS = Dygraph.PLUGINS.filter(plugin => !/Legend|Range ?Selector|Annotations/.test(plugin.prototype.toString.call({})));
const mouse_only = Object.fromEntries(Object.entries(Dygraph.defaultInteractionModel).filter(([name]) => !name.startsWith("touch")));

class Zoom {
	// Charts that share a Zoom show the same stretch of x.
	constructor(least) {
		this.graphs = [];
		this.range = null;
		this.least = least;
	}
	get full() { return this.graphs[0].xAxisExtremes(); }
	show(from, to) {
		const [first, last] = this.full;
		const width = Math.min(Math.max(to - from, this.least), last - first);
		from = Math.min(Math.max((from + to - width) / 2, first), last - width);
		this.set(width > (last - first) * 0.999 ? null : [from, from + width]);
	}
	set(range) {
		this.range = range;
		for (const graph of this.graphs) graph.updateOptions({dateWindow: range, valueRange: null});
	}
	by(factor) {
		const [from, to] = this.range || this.full, middle = (from + to) / 2, half = (to - from) / 2 * factor;
		this.show(middle - half, middle + half);
	}
	move(share) {
		if (!this.range) return;
		const [first, last] = this.full, width = this.range[1] - this.range[0];
		const from = Math.min(Math.max(this.range[0] + width * share, first), last - width);
		this.set([from, from + width]);
	}
	key(event) {
		const actions = {
			"+": () => this.by(1 / 2), "=": () => this.by(1 / 2), "-": () => this.by(2), "0": () => this.set(null),
			"ArrowLeft": () => this.move(-1 / 4), "ArrowRight": () => this.move(1 / 4),
		};
		if (event.ctrlKey || event.metaKey || event.altKey || !actions[event.key]) return;
		event.preventDefault();
		actions[event.key]();
	}
}

function button(label, sign, action) {
	const made = el("button", {type: "button", "aria-label": label, title: label}, sign);
	made.addEventListener("click", action);
	return made;
}

function legend_of(entries) {
	return el("ul", {"class": "legend"}, entries.map(([name, css]) => {
		const swatch = el("i", {"class": "swatch"});
		swatch.style.background = "var(--" + css + ")";
		return el("li", {}, swatch, name);
	}));
}

// id, title, says (for those who can't see it), legend: [[name, colour]…], rows: {caption, head, rows}
function figure(spec, zoom) {
	const place = el("div", {"class": "chart", id: spec.id, tabindex: "0", role: "img", "aria-label": spec.says,
		"aria-keyshortcuts": zoom ? "ArrowLeft ArrowRight + - 0" : null});
	const readout = el("p", {"class": "readout", "aria-live": "polite"}, spec.hint || "");
	const tools = zoom ? el("span", {"class": "tools"}, button("Zoom in: " + spec.title, "+", () => zoom.by(1 / 2)),
		button("Zoom out: " + spec.title, "−", () => zoom.by(2)),
		button("Show all: " + spec.title, "Reset", () => zoom.set(null))) : null;
	if (zoom) place.addEventListener("keydown", event => zoom.key(event));
	const element = el("figure", {}, el("figcaption", {}, el("h3", {}, spec.title), tools), spec.legend ? legend_of(spec.legend) : null,
		place, readout, spec.rows ? el("details", {}, el("summary", {}, "The same as a table"),
			el("div", {"class": "wide"}, table(spec.rows.caption, spec.rows.head, spec.rows.rows, "stacks"))) : null);
	return {element, place, say: words => { readout.textContent = words || spec.hint || ""; }};
}

const axis_options = () => ({
	axisLineColor: colour("line"), gridLineColor: colour("grid"), axisLabelFontSize: 12, rightGap: 12,
	legend: "never", interactionModel: mouse_only, highlightCircleSize: 4, animatedZooms: false, yRangePad: 6,
});

// A chart over x by dygraphs. `options` is called at each drawing, for the colours; `says(row, x)` words for the readout.
function graph(spec, zoom, data, options, says) {
	const made = figure(spec, zoom);
	let drawn = null;
	const draw = () => {
		if (drawn) {
			zoom.graphs.splice(zoom.graphs.indexOf(drawn), 1);
			drawn.destroy();
		}
		drawn = new Dygraph(made.place, data, {...axis_options(), ...options(), dateWindow: zoom.range,
			zoomCallback: (from, to) => zoom.show(from, to),
			highlightCallback: (event, x, points, row) => made.say(says(row, x)), unhighlightCallback: () => made.say()});
		zoom.graphs.push(drawn);
	};
	drawers.push(draw);
	return made.element;
}

// Ticks at nice times on an axis of logarithms.
function log_ticks(from, to, pixels, least) {
	const ticks = [], room = pixels / Math.max(to - from, 1e-9); // of a power of ten
	const steps = room > 170 ? [1, 2, 3, 5, 7] : room > 90 ? [1, 2, 5] : [1];
	const fine = to - from < 0.35 ? Array.from({length: 90}, (_, i) => 1 + i / 10) : steps;
	let last = -Infinity;
	for (let power = Math.floor(from); power <= Math.ceil(to); power++)
		for (const step of fine) {
			const v = power + Math.log10(step);
			if (v < from || v > to || (v - last) * room < least) continue;
			ticks.push({v, label: short_ns(10 ** v)});
			last = v;
		}
	return ticks;
}
// The same for an axis that dygraphs makes logarithmic itself: its values aren't logarithms.
function log_axis(from, to, pixels) {
	return log_ticks(Math.log10(Math.max(from, 1)), Math.log10(Math.max(to, 1)), pixels, 18).map(tick => ({v: 10 ** tick.v, label: tick.label}));
}
const short_ns = ns => ns_text(ns).replace(/\.0+(?=\u00a0)|(\.\d*?)0+(?=\u00a0)/, "$1");
const time_axis = {axisLabelFormatter: short_ns, pixelsPerLabel: 76};

// Bars from x to the end of each, as high as y.
function bars(ends, fills) {
	return event => {
		const context = event.drawingContext, area = event.plotArea, graph = event.dygraph;
		const bottom = area.y + area.h;
		for (const point of event.points) {
			if (!Number.isFinite(point.yval)) continue;
			const end = graph.toDomXCoord(ends[point.idx]);
			const left = Math.max(point.canvasx, area.x), right = Math.min(Math.max(end, point.canvasx + 1), area.x + area.w);
			if (right <= left) continue;
			const top = Math.min(point.canvasy, bottom - 2);
			context.fillStyle = fills(point.idx);
			context.fillRect(left, top, Math.max(right - left - (right - left > 4 ? 1 : 0), 1), bottom - top);
		}
	};
}

// The stacked bars, by Chart.js.
function stacked(spec, labels, parts, values, totals) {
	const made = figure(spec, null);
	const canvas = el("canvas", {});
	made.place.append(canvas);
	let drawn = null, as_share = true;
	const draw = () => {
		if (drawn) drawn.destroy();
		Chart.defaults.color = colour("text");
		Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
		drawn = new Chart(canvas, {
			type: "bar",
			data: {labels, datasets: parts.map((part, p) => ({label: part.name, backgroundColor: part_colour(part.key),
				borderColor: colour("paper"), borderWidth: {right: 1}, barPercentage: 0.85, categoryPercentage: 0.9,
				data: values.map((column, i) => as_share ? (totals[i] ? 100 * column[p] / totals[i] : 0) : column[p])}))},
			options: {
				indexAxis: "y", animation: false, responsive: true, maintainAspectRatio: false,
				plugins: {legend: {display: false}, tooltip: {enabled: false}},
				onHover: (event, items) => made.say(items.length ? words(items[0]) : ""),
				scales: {
					x: {stacked: true, max: as_share ? 100 : Math.max(...totals), grid: {color: colour("grid")},
						ticks: {callback: v => as_share ? v + " %" : short_ns(v), maxRotation: 0, autoSkipPadding: 16}},
					y: {stacked: true, grid: {display: false}},
				},
			},
		});
	};
	const words = item => parts[item.datasetIndex].name + ", " + labels[item.index] + ": " + ns_text(values[item.index][item.datasetIndex]) +
		" of " + ns_text(totals[item.index]) + " (" + share_text(values[item.index][item.datasetIndex] / totals[item.index]) + ")";
	const choice = button("Shares or times", "Show times", () => {
		as_share = !as_share;
		choice.textContent = as_share ? "Show times" : "Show shares";
		draw();
	});
	made.element.querySelector("figcaption").append(el("span", {"class": "tools"}, choice));
	drawers.push(draw);
	return made.element;
}
