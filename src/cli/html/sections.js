// SPDX-License-Identifier: MIT
// The report's sections, each made of the JSON's numbers.
"use strict";

const some = path => at(path).exact > 0n;
const join = (list, between) => list.flatMap((item, i) => (i ? [between, item] : [item])).flat();
const several = report.traces.length > 1;
const in_trace = path => several ? [" in trace ", el("span", {}, String(at(path).value + 1))] : [];
const shown_parts = charts.parts.filter(part => some("commit.parts_ns." + part.key) || part.key === "unaccounted");
const QUANTILES = [["p50", "p50"], ["p99", "p99"], ["p999", "p99.9"]];

function swatch(key) {
	const made = el("i", {"class": "swatch"});
	made.style.background = "var(--part-" + key.replace("_", "-") + ")";
	return made;
}

function distribution(path, unit) {
	if (!some(path + ".n")) return ["none"];
	const value = key => unit === "ns" ? num(path + "." + key, "ns") : num(path + "." + key, "count");
	return ["mean ", num(path + ".mean", unit === "ns" ? "ns" : "mean"), ", p50 ", value("p50"), ", p90 ", value("p90"), ", p99 ", value("p99"),
		", p99.9 ", value("p999"), ", max ", value("max"), " (n = ", num(path + ".n", "count"), ")"];
}

// ---- Verdict ------------------------------------------------------------------------------------------------------

const verdict_of = object => object.damaged ? ["DAMAGED", "bad"] : object.complete ? ["COMPLETE", "good"] : ["INCOMPLETE", "bad"];

function trace_card(i) {
	const path = "traces." + i, trace = report.traces[i], [word, mood] = verdict_of(trace);
	return el("section", {"class": "card trace"},
		el("h3", {}, several ? el("span", {"class": "badge " + mood}, word) : null, several ? String(i + 1) + " " : null, text(path + ".path")),
		facts(
			trace.damaged ? ["damage", text(path + ".damage")] : null,
			trace.complete ? null : ["missing", text(path + ".why")],
			["covers", num(path + ".records", "count"), " records over ", num(path + ".observed_ns", "ns"), ": ", num(path + ".covered", "covered"), " of those made"],
			["run", text(path + ".run_id")],
			["build", trace.build_id === null ? "not declared" : text(path + ".build_id")],
			["recorded by", "writer ", text(path + ".writer_version"), ", pid ", num(path + ".pid", "id"), ", session ", text(path + ".session_id")],
			some(path + ".min_ns") ? ["filter", "operations under ", num(path + ".min_ns", "ns"), " were left out on purpose (", num(path + ".filtered", "count"), " of them)"] : null,
			some(path + ".unknown_lines") || some(path + ".unknown_keys") ? ["passed over", num(path + ".unknown_lines", "count"), " lines and ", num(path + ".unknown_keys", "count"), " keys that the reader doesn't know"] : null));
}

function loss_card() {
	if (report.complete) return null;
	const lost = Object.keys(report.lost_by_kind);
	return el("section", {"class": "card warn"}, el("h3", {}, "What the loss touches"),
		report.damaged ? el("p", {}, "Everything: some lines are wrong, and which of the others are can't be told from here (see waltrace verify).") : null,
		el("p", {}, "Counts, sums and rates are at least so much. Means and percentiles are of the records that are there: if the others were lost under load, they are too low."),
		el("p", {}, some("commit.parts_ns.unknown_owner") ? "Some commits waited for batches whose records are missing (unknown owner): whose fsync that was can't be said."
			: "Each commit's own batch is there: whose fsync it waited for is known."),
		lost.length ? facts(...lost.map(kind => [kind, num("lost_by_kind." + kind, "count"), " records lost"])) : null);
}

function verdict() {
	return [report.traces.map((_, i) => trace_card(i)), loss_card()];
}

// ---- Findings -----------------------------------------------------------------------------------------------------

function evidence(path, item, i) {
	const place = path + ".evidence." + i + ".value", name = item.name.replaceAll("_", " ");
	if (!(item.value instanceof Num)) return [name, String(item.value)];
	if (item.unit === "ns" || item.unit === "share" || item.unit === "bytes") return [name, num(place, item.unit)];
	return [name, num(place, /^\d+$/.test(item.value.text) ? "count" : "mean"), item.unit === "count" ? "" : " " + item.unit];
}

function finding(item, i) {
	const path = "findings." + i;
	return el("section", {"class": "card finding"},
		el("h3", {}, item.title, " ", el("code", {}, item.code)),
		el("p", {"class": "advice"}, item.suggestion),
		facts(item.cost_ns.exact ? ["costs", num(path + ".cost_ns", "ns"), ", ", num(path + ".cost_share", "share"), " of all commits' time"] : null,
			...item.evidence.map((one, k) => evidence(path, one, k)),
			item.records.length ? ["records", item.records.map(r => r.kind + " " + r.id.text + (several ? " in trace " + (r.trace.value + 1) : "")).join(", ")] : null,
			["bound", item.threshold], item.caveat ? ["caveat", item.caveat] : null));
}

function findings() {
	if (!report.findings) return null;
	const held = report.findings_withheld || [];
	return [report.findings.length ? report.findings.map(finding) : el("p", {}, "None: no rule found anything."),
		report.findings_judged ? note("Rules that had what they need: ", num("findings_judged", "count"),
			held.length ? ". Not judged, since records were lost: " + held.join(", ") + "." : ".") : null];
}

// ---- Where a commit's time goes -----------------------------------------------------------------------------------

function parts() {
	if (!some("commit.flushes")) return note("There is no flush in this trace.");
	const sums = shown_parts.map(part => at("commit.parts_ns." + part.key).exact), shares = tenths(sums);
	const n = at("commit.flushes").value;
	const columns = QUANTILES.map(([q]) => "commit.quantiles." + q);
	const values = [sums.map(sum => Number(sum) / n), ...columns.map(path => shown_parts.map(part => at(path + ".parts_ns." + part.key).value))];
	const totals = [at("commit.mean_ns").value, ...columns.map(path => at(path + ".total_ns").value)];
	const rows = shown_parts.map((part, i) => [[swatch(part.key), part.name], ns_text(values[0][i]), tenths_text(shares[i], sums[i] > 0n),
		...columns.map(path => num(path + ".parts_ns." + part.key, "ns"))]);
	rows.push([["whole commit"], num("commit.mean_ns", "ns"), "100.0\u00a0%", ...columns.map(path => num(path + ".total_ns", "ns"))]);
	return [
		stacked({id: "chart-parts", title: "Parts of a commit", says: "Parts of a commit: mean, p50, p99 and p99.9. The table below has the same numbers.",
			hint: "Point at a part to read it."}, ["mean", ...QUANTILES.map(([, name]) => name)], shown_parts, values, totals),
		el("div", {"class": "wide"}, table("Time of a commit, by part", ["part", "mean", "share", ...QUANTILES.map(([, name]) => name)], rows, "sums")),
		facts(...shown_parts.filter((_, i) => shares[i] >= 50).map(part => [part.name, part.meaning])),
		note("p50, p99 and p99.9 are known to within 1/32; they are the mean of the ", num("commit.quantiles.p50.n", "count"), ", ", num("commit.quantiles.p99.n", "count"), " and ",
			num("commit.quantiles.p999.n", "count"), " commits in that percentile's step. Longest: ", num("commit.max_ns", "ns"), ". All commits together: ", num("commit.total_ns", "ns"), ".",
			some("commit.failed") ? [" ", num("commit.failed", "count"), " of them failed."] : null,
			some("commit.untimed") ? [" ", num("commit.untimed", "count"), " more have no time and are left out."] : null),
	];
}

// ---- Distribution -------------------------------------------------------------------------------------------------

// Neighbouring buckets are joined until no more than about a hundred bars are left.
function merged(buckets) {
	let group = 1;
	const places = size => new Set(buckets.map(([index]) => Math.floor(index.value / size))).size;
	while (places(group) > 100) group *= 2;
	const bars = [];
	for (const [index, from, below, n] of buckets) {
		const place = Math.floor(index.value / group), last = bars[bars.length - 1];
		if (last && last.place === place) Object.assign(last, {below: below.value, n: last.n + n.value});
		else bars.push({place, from: from.value, below: below.value, n: n.value});
	}
	return bars;
}

function distribution_chart() {
	if (!some("commit.flushes")) return note("There is no flush in this trace.");
	const found = merged(charts.commit_histogram), all = at("commit.flushes").value;
	const low = bar => Math.log10(Math.max(bar.from, 1)), high = bar => Math.log10(Math.max(bar.below, 2));
	let seen = 0;
	for (const bar of found) {
		seen += bar.n;
		bar.upto = seen;
	}
	// Bars are as high as their commits are dense, so that a bar's area is its number of commits.
	const data = found.map(bar => [low(bar), bar.n / (high(bar) - low(bar))]);
	data.push([high(found[found.length - 1]), null]);
	const ends = found.map(high);
	const marks = QUANTILES.map(([q, name]) => [name, at("commit.quantiles." + q + ".total_ns").value]);
	const says = row => found[row] ? ns_text(found[row].from) + " to " + ns_text(found[row].below) + ": " + count_text(String(found[row].n)) + " commits (" +
		share_text(found[row].n / all) + "); " + share_text(found[row].upto / all) + " took less than " + ns_text(found[row].below) : "";
	// The percentiles' names stand above the bars, one below the other where two are close.
	const most = Math.max(...data.map(row => row[1])), plot = bars(ends, () => colour("accent"));
	const mark = event => {
		const context = event.drawingContext, area = event.plotArea;
		context.font = "12px system-ui, sans-serif";
		let last = -Infinity, row = 0;
		for (const [name, value] of marks) {
			const x = event.dygraph.toDomXCoord(Math.log10(Math.max(value, 1)));
			if (x < area.x || x > area.x + area.w) continue;
			row = x - last < 46 ? row + 1 : 0;
			last = x;
			context.fillStyle = colour("text");
			context.fillRect(Math.round(x), area.y, 1, area.h);
			const left = x + 46 > area.x + area.w;
			context.textAlign = left ? "right" : "left";
			context.fillText(name, x + (left ? -4 : 4), area.y + 11 + 14 * row);
		}
	};
	return graph({id: "chart-distribution", title: "How long commits took", says: "Distribution of commit times, with p50, p99 and p99.9 marked.",
		hint: "Height: how dense commits are (area: how many). Time is on a scale of powers of ten.",
		rows: {caption: "Commits by time", head: ["from", "to below", "commits", "quicker than this, or in it"],
			rows: found.map(bar => [ns_text(bar.from), ns_text(bar.below), count_text(String(bar.n)), share_text(bar.upto / all)])}},
	new Zoom(0.02), data, () => ({
		labels: ["time", "commits"], plotter: event => { plot(event); mark(event); }, valueRange: [0, 1.25 * most],
		axes: {x: {ticker: (from, to, pixels) => log_ticks(from, to, pixels, 52), axisLabelWidth: 60, drawGrid: false},
			y: {drawAxis: false, drawGrid: false, axisLabelWidth: 0}},
	}), says);
}

// ---- Over time ----------------------------------------------------------------------------------------------------

function over_time(trace) {
	const run = report.over_time[trace], points = run.points, step = run.step_ns.value;
	if (!points.length) return note("There is no flush in this trace.");
	const zoom = new Zoom(step), path = "over_time." + trace;
	const time = i => points[i].start_ns.value;
	const end = time(points.length - 1) + step;
	const of = value => points.map((point, i) => [time(i), ...value(point)]);
	const rate = of(p => [p.flushes_per_second.value, p.fsyncs.value * 1e9 / step]);
	const times = of(p => p.flushes.value ? [p.p50_ns, p.p99_ns, p.max_ns].map(n => n.value) : [null, null, null]);
	rate.push([end, null, null]);
	times.push([end, null, null, null]);
	const says = row => !points[row] ? "" : "from " + ns_text(time(row)) + ": " + count_text(points[row].flushes.text) + " commits, p50 " + ns_text(points[row].p50_ns.value) + ", p99 " +
		ns_text(points[row].p99_ns.value) + ", longest " + ns_text(points[row].max_ns.value) + "; " + count_text(points[row].fsyncs.text) + " fsyncs, longest " + ns_text(points[row].fsync_max_ns.value);
	const same = {stepPlot: true, strokeWidth: 2};
	return [
		graph({id: "chart-rate-" + trace, title: "Throughput", says: "Commits and fsyncs a second over time.", legend: [["commits/s", "accent"], ["fsyncs/s", "part-fsync"]],
			hint: "A step is " + ns_text(step) + ". Drag to zoom in, double-click for all."}, zoom, rate, () => ({...same,
			labels: ["time", "commits/s", "fsyncs/s"], colors: [colour("accent"), colour("part-fsync")], includeZero: true, fillGraph: true, fillAlpha: 0.12,
			axes: {x: time_axis, y: {axisLabelFormatter: v => count_text(String(Math.round(v))), axisLabelWidth: 64}},
		}), says),
		graph({id: "chart-percentiles-" + trace, title: "Percentiles", says: "p50, p99 and the longest commit over time.", legend: [["p50", "accent"], ["p99", "part-queue"], ["longest", "faint"]],
			hint: "Time of a commit, on a scale of powers of ten.",
			rows: {caption: "Step by step", head: ["from", "commits", "p50", "p99", "longest", "fsyncs", "longest fsync"],
				rows: points.map((_, i) => [num(path + ".points." + i + ".start_ns", "ns"), num(path + ".points." + i + ".flushes", "count"),
					...["p50_ns", "p99_ns", "max_ns"].map(key => num(path + ".points." + i + "." + key, "ns")), num(path + ".points." + i + ".fsyncs", "count"),
					num(path + ".points." + i + ".fsync_max_ns", "ns")])}}, zoom, times, () => ({...same,
			labels: ["time", "p50", "p99", "longest"], colors: [colour("accent"), colour("part-queue"), colour("faint")], logscale: true,
			axes: {x: time_axis, y: {ticker: (from, to, pixels) => log_axis(from, to, pixels), axisLabelWidth: 64}},
		}), says),
	];
}

// ---- Slowest commits ----------------------------------------------------------------------------------------------

function chain(path, slow) {
	const others = slow.earlier_fsyncs.exact ? el("li", {}, "behind ", num(path + ".earlier_fsyncs", "count"), slow.earlier_fsyncs.exact > 1n ? " earlier fsyncs" : " earlier fsync",
		", the last sync_call ", num(path + ".last_earlier_sync_call_id", "id")) : null;
	const own = slow.own_commit_lock_id.exact && slow.own_commit_lock_id.text !== slow.commit_lock_id.text
		? el("li", {}, "its own commit_lock ", num(path + ".own_commit_lock_id", "id")) : null;
	const batch = [el("li", {}, "commit_lock ", num(path + ".commit_lock_id", "id")),
		el("li", {}, "sync_call ", num(path + ".sync_call_id", "id"), ", ", num(path + ".sync_call_ns", "ns"))];
	const led = {timer: "timer_run", checkpoint: "checkpoint_rotation", flush: "flush"}[slow.owner];
	const ends = slow.owner === "nobody" ? [el("li", {}, "waited for nobody's fsync")]
		: slow.owner === "unknown" ? [el("li", {}, "the batch it waited for is not in the trace")]
			: slow.owner === "itself" ? [el("li", {}, "led its batch"), ...batch]
				: [el("li", {}, "waited for the fsync of " + led + " ", num(path + ".owner_id", "id")), ...batch];
	return el("ol", {"class": "chain"}, own, others, ends);
}

function slow_commit(slow, i) {
	const path = "commit.slowest." + i;
	const present = charts.parts.filter(part => slow.parts_ns[part.key].exact > 0n);
	const bar = el("div", {"class": "bar", "aria-hidden": "true"}, present.map(part => {
		const made = el("span", {});
		made.style.background = "var(--part-" + part.key.replace("_", "-") + ")";
		made.style.flexGrow = String(slow.parts_ns[part.key].value / slow.total_ns.value);
		return made;
	}));
	const largest = [...present].sort((a, b) => slow.parts_ns[b.key].value - slow.parts_ns[a.key].value).filter((part, k) => !k || slow.parts_ns[part.key].value * 100 >= slow.total_ns.value);
	return el("li", {"class": "card slow"},
		el("h3", {}, num(path + ".total_ns", "ns"), el("span", {"class": "where"}, "flush ", num(path + ".flush_id", "id"), " at ", num(path + ".start_ns", "ns"), in_trace(path + ".trace"))), bar,
		el("ul", {"class": "parts"}, largest.map(part => el("li", {}, swatch(part.key), part.name + " ", num(path + ".parts_ns." + part.key, "ns")))), chain(path, slow));
}

function slowest() {
	if (!report.commit.slowest.length) return note("There is no flush in this trace.");
	return el("ol", {"class": "slowest"}, report.commit.slowest.map(slow_commit));
}

// ---- Group commit, commit lock, fsync, checkpoints, durability ----------------------------------------------------

function group_commit() {
	const g = "group_commit.", by = g + "flushes_by_owner.", notify = g + "notify.", fsyncs = at(g + "fsyncs").value;
	const outcome = (key, words) => report.group_commit.commit_lock_outcomes[key] ? [", ", num(g + "commit_lock_outcomes." + key, "count"), words] : [];
	return facts(
		["an fsync covers", num(g + "flushes_per_fsync", "mean"), " commits", fsyncs ? [", ", bytes_text(at(g + "block_bytes").value / fsyncs), " of entries, ", bytes_text(at(g + "written_bytes").value / fsyncs), " written"] : []],
		["fsyncs", num(g + "fsyncs", "count"), some(g + "failed_fsyncs") ? [", and ", num(g + "failed_fsyncs", "count"), " that failed"] : []],
		["bytes", num(g + "block_bytes", "bytes"), " of entries, ", num(g + "written_bytes", "bytes"), " written"],
		["records a batch", distribution(g + "batch_records", "count")],
		["batches led by", "flushes ", num(g + "fsyncs_by_trigger.request", "count"), ", delay timer ", num(g + "fsyncs_by_trigger.timer", "count"), ", checkpoints ", num(g + "fsyncs_by_trigger.checkpoint", "count"),
			some(g + "fsyncs_by_trigger.other") ? [", others ", num(g + "fsyncs_by_trigger.other", "count")] : []],
		["flushes that", "led ", num(by + "itself", "count"), ", waited for another's fsync ", num(by + "flush", "count"), ", for the timer's ", num(by + "timer", "count"), ", for a checkpoint's ", num(by + "checkpoint", "count"),
			", for nobody ", num(by + "nobody", "count"), ", for an unknown owner ", num(by + "unknown", "count")],
		["fast paths", num(g + "entry_fast_paths", "count"), " durable on entry", outcome("fast_path", " when the lock was got"), outcome("empty_owner", " found nothing to write")],
		["batch wait", distribution(g + "batch_wait_ns", "ns")],
		["waking waiters", some(notify + "batches") ? [num(notify + "completed", "count"), " woken after ", num(notify + "batches", "count"), " batches, in ", num(notify + "total_ns", "ns"),
			": ", ns_text(at(notify + "total_ns").value / at(notify + "batches").value), " a batch"] : "nobody had to be woken"]);
}

const doing = hold => hold.rotation.exact ? "rotation" : hold.sync.exact ? "fsync" : "own";

function lane(trace) {
	const name = (row => ({id: row[0], logger: row[1], start: row[2], held: row[3], sync: row[4], rotation: row[5], trigger: row[6], outcome: row[7]}));
	const all = charts.traces[trace], holds = all.lock_lane.map(name);
	if (!holds.length) return null;
	const loggers = new Set(holds.map(hold => hold.logger.text)).size;
	const ends = holds.map(hold => hold.start.value + hold.held.value);
	const data = holds.map(hold => [hold.start.value, Math.max(hold.held.value, 1)]);
	data.push([Math.max(...ends), null]);
	const says = row => !holds[row] ? "" : "commit_lock " + holds[row].id.text + (loggers > 1 ? " of logger " + holds[row].logger.text : "") + " (" + holds[row].trigger + ", " + holds[row].outcome + ") at " +
		ns_text(holds[row].start.value) + ": held " + ns_text(holds[row].held.value) + ", of it fsync " + ns_text(holds[row].sync.value) + (holds[row].rotation.exact ? ", rotation " + ns_text(holds[row].rotation.value) : "");
	const thinned = all.holds.value > holds.length ? " of " + count_text(all.holds.text) + " holds: the longest in each of equal slices of time" : " holds";
	return graph({id: "chart-lane-" + trace, title: "Who held the lock", says: "Holds of the commit lock over time, by length and by what the holder was doing.",
		legend: [["fsync", "part-fsync"], ["rotation or split", "part-rotation"], ["no fsync", "part-own"]],
		hint: count_text(String(holds.length)) + thinned + ". From left to right: while it was held; height: for how long, on a scale of powers of ten."},
	new Zoom(1000), data, () => ({labels: ["time", "held"], plotter: bars(ends, i => part_colour(doing(holds[i]))), logscale: true, highlightCircleSize: 3,
		axes: {x: time_axis, y: {ticker: (from, to, pixels) => log_axis(from, to, pixels), axisLabelWidth: 64}}}), says);
}

function longest_holds() {
	const holds = report.commit_lock.longest_holds;
	if (!holds.length) return null;
	const rows = holds.map((_, i) => {
		const path = "commit_lock.longest_holds." + i;
		return [num(path + ".hold_ns", "ns"), num(path + ".acquired_ns", "ns"), [num(path + ".commit_lock_id", "id"), in_trace(path + ".trace")], num(path + ".sync_call_ns", "ns"), num(path + ".rotation_ns", "ns"),
			text(path + ".trigger"), text(path + ".outcome")];
	});
	return el("div", {"class": "wide"}, table("Longest holds", ["held", "at", "commit_lock", "fsync", "rotation", "asked for by", "outcome"], rows, "stacks"));
}

function commit_lock() {
	if (!some("commit_lock.hold_ns.n")) return note("Nobody took it.");
	return [facts(["held", num("commit_lock.utilisation", "share"), " of the time"], ["wait for it", distribution("commit_lock.wait_ns", "ns")], ["hold", distribution("commit_lock.hold_ns", "ns")],
		some("commit_lock.peak_waiting") ? ["peak of waiters", num("commit_lock.peak_waiting", "count"), " (logger ", num("commit_lock.peak_waiting_logger_id", "id"), ")"] : null),
	by_trace(lane), longest_holds()];
}

function scatter(trace) {
	const all = charts.traces[trace];
	const points = all.fsync_points.map(row => ({id: row[0], start: row[1], total: row[2], bytes: row[3], outlier: row[4].exact > 0n}))
		.sort((a, b) => a.start.value - b.start.value);
	if (!points.length) return null;
	const data = points.map(point => point.outlier ? [point.start.value, null, Math.max(point.total.value, 1)] : [point.start.value, Math.max(point.total.value, 1), null]);
	const first = data[0][0], last = data[data.length - 1][0], edge = Math.max((last - first) / 100, 1);
	data.unshift([Math.max(first - edge, 0), null, null]);
	data.push([last + edge, null, null]);
	const says = row => !points[row - 1] ? "" : "sync_call " + points[row - 1].id.text + " at " + ns_text(points[row - 1].start.value) + ": " + ns_text(points[row - 1].total.value) + ", " +
		bytes_text(points[row - 1].bytes.value) + (points[row - 1].outlier ? ", an outlier" : "");
	const thinned = all.fsyncs.value > points.length ? " of " + count_text(all.fsyncs.text) + " (" + (all.outliers.value <= points.filter(p => p.outlier).length ? "all" : "the longest") + " outliers, the others thinned evenly)" : "";
	return graph({id: "chart-fsync-" + trace, title: "Each fsync", says: "Time of each fsync over time, outliers apart.", legend: [["fsync", "part-fsync"], ["outlier", "part-queue"]],
		hint: count_text(String(points.length)) + " fsyncs" + thinned + ". Height: time, on a scale of powers of ten."},
	new Zoom(1000), data, () => ({labels: ["time", "fsync", "outlier"], colors: [colour("part-fsync"), colour("part-queue")], strokeWidth: 0, drawPoints: true, pointSize: 1.5, logscale: true,
		series: {outlier: {pointSize: 3}}, axes: {x: time_axis, y: {ticker: (from, to, pixels) => log_axis(from, to, pixels), axisLabelWidth: 64}}}), says);
}

function fsync() {
	if (!some("fsync.time_ns.n")) return note("There was none.");
	const rhythm = {too_few: ["can't be said: too few bursts"], irregular: ["no: the gaps between bursts differ (spread ", num("fsync.period_spread", "share"), " of a mean of ", num("fsync.period_ns", "ns"), ")"],
		periodic: ["yes, every ", num("fsync.period_ns", "ns"), " (spread ", num("fsync.period_spread", "share"), ")"]}[report.fsync.rhythm];
	const rows = report.fsync.longest.map((_, i) => {
		const path = "fsync.longest." + i;
		return [num(path + ".total_ns", "ns"), num(path + ".start_ns", "ns"), [num(path + ".sync_call_id", "id"), in_trace(path + ".trace")], num(path + ".written_bytes", "bytes")];
	});
	return [facts(["time", distribution("fsync.time_ns", "ns")], ["bandwidth", num("fsync.bytes_per_second", "bandwidth"), " while it runs; ", num("fsync.bytes", "bytes"), " in all"],
		["outliers", num("fsync.outliers", "count"), " took longer than ", num("fsync.outlier_medians", "count"), " medians, in ", num("fsync.bursts", "count"), " bursts"],
		some("fsync.outliers") ? ["periodic?", ...rhythm] : null), by_trace(scatter),
	rows.length ? el("div", {"class": "wide"}, table("Longest outliers", ["time", "at", "sync_call", "written"], rows, "stacks")) : null];
}

function checkpoints() {
	const c = "checkpoints.", kinds = ["rotations", "file_splits", "backups", "confirms", "replays"];
	const seen = kinds.filter(kind => some(c + kind + ".n"));
	if (!seen.length) return note("No rotation, backup, confirm or replay was recorded.");
	const asked = Object.keys(report.checkpoints.rotations_by_trigger);
	return facts(...seen.map(kind => [kind.replace("_", " "), num(c + kind + ".n", "count"), some(c + kind + ".failed") ? [", ", num(c + kind + ".failed", "count"), " without success"] : [],
		some(c + kind + ".time_ns.n") ? [": p50 ", num(c + kind + ".time_ns.p50", "ns"), ", p99 ", num(c + kind + ".time_ns.p99", "ns"), ", max ", num(c + kind + ".time_ns.max", "ns")] : []]),
	asked.length ? ["asked for by", join(asked.map(trigger => [trigger + " ", num(c + "rotations_by_trigger." + trigger, "count")]), ", ")] : null,
	["held up", num(c + "blocked_flushes", "count"), " commits, for ", num(c + "blocked_ns", "ns")],
	some(c + "replays.n") ? ["replayed", num(c + "replayed_records", "count"), " records, ", num(c + "replayed_bytes", "bytes")] : null);
}

function durability() {
	const d = "durability.";
	if (!some(d + "acknowledgements")) return note("No flush with a uid succeeded: nothing was acknowledged.");
	const rows = report.durability.unproven_flushes.map((flush, i) => {
		const path = d + "unproven_flushes." + i;
		return [[num(path + ".flush_id", "id"), in_trace(path + ".trace")], num(path + ".log_uid", "id"), num(path + ".ended_ns", "ns"),
			flush.sync_call_id.exact ? ["sync_call ", num(path + ".sync_call_id", "id"), " at ", num(path + ".sync_ended_ns", "ns")] : "none did"];
	});
	return [el("p", {"class": some(d + "unproven") ? "badge-line bad" : "badge-line good"}, num(d + "unproven", "count"), " of ", num(d + "acknowledgements", "count"), " acknowledgements unproven"),
		facts(["proven", num(d + "proven", "count"), ": a successful sync_call that covered the uid had ended before"],
			some(d + "unknown") ? ["unknown", num(d + "unknown", "count"), ": their fsync isn't in the trace, which may lack records or begin after it"] : null),
		rows.length ? el("div", {"class": "wide"}, table("Unproven: flushes that returned before an fsync that covered them had ended", ["flush", "uid", "returned at", "first covered by"], rows, "stacks")) : null];
}

// A chart of each trace; of many the one that is chosen.
function by_trace(make) {
	if (!several) return make(0);
	return report.traces.map((trace, i) => {
		const made = make(i);
		return made === null ? null : el("div", {}, el("p", {"class": "of-trace"}, "Trace " + (i + 1) + ": " + trace.path), made);
	});
}
