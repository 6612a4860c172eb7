/* What the time consisted of, efficiencies, how good the numbers are, notes. */
import uPlot from "uplot";
import { App, Slices, View, ViewInstance } from "../app";
import { composed, copyButtons, csvOf, fileNameOf } from "../draw/copy";
import { ERROR_LIMIT } from "../model/error";
import { Breakdown, ColumnPart } from "../model/model";
import { Range, key } from "../model/scope";
import { Pieces } from "../model/iterations";
import { originOf } from "../model/origin";
import { pathErrors, phantomsOf } from "../model/presence";
import { findMetric, unitDivisor } from "../model/summary";
import { binStart } from "../model/columns";
import { Changed } from "../state";
import { OTHERS, cssVariable, partColours } from "../ui/colours";
import { h, observeSize } from "../ui/dom";
import { RIGHT, mapColumns } from "../ui/geometry";
import { edgesOf, gaps, iterationAxis, shownIterations, valueAxis } from "../ui/graph";
import { count, percent, quantity, rangeText } from "../ui/numbers";
import { panel } from "../ui/panel";
import { nameOf, pathText } from "./common";
import { efficiencyPanel } from "./efficiency";

const MOST_NOTES = 12;
const MOST_PARTS = 9;

export const overview: View = {
  name: "overview",
  title: "Overview",
  text: "The breakdown over iterations, efficiencies, and how good the numbers are.",
  create(host, app) {
    const parts: ViewInstance[] = [];
    const columns = h("div", { class: "panels" });
    host.append(columns);
    parts.push(breakdownPanel(columns, app));
    const sides = h("div", { class: "side" });
    columns.append(sides);
    const efficiency = efficiencyPanel(sides, app);
    if (efficiency) parts.push(efficiency);
    parts.push(qualityPanel(sides, app));
    if (!app.summary.derived) sides.append(costPanel(app));
    const notes = notesPanel(app);
    if (notes) sides.append(notes);
    return {
      update: (changed) => parts.forEach((part) => part.update(changed)),
      destroy: () => parts.forEach((part) => part.destroy?.()),
    };
  },
};

interface Shown {
  names: string[];
  series: Float64Array[];
  metrics: number[];
  colours: string[];
}

/** The largest parts, the others joined. */
function largestParts(app: App, { metrics, series }: Breakdown): Shown {
  const { summary } = app;
  const own = partColours(metrics.slice(0, MOST_PARTS).map((metric) => summary.metrics[metric]!.name));
  const shown: Shown = { names: [], series: [], metrics: [], colours: [...own, OTHERS] };
  metrics.forEach((metric, i) => {
    if (i < MOST_PARTS) {
      shown.names.push(summary.metrics[metric]!.name);
      shown.series.push(series[i]!);
      shown.metrics.push(metric);
      return;
    }
    if (i === MOST_PARTS) {
      shown.names.push("others");
      shown.series.push(new Float64Array(series[i]!.length));
      shown.metrics.push(-1);
    }
    series[i]!.forEach((value, k) => (shown.series[MOST_PARTS]![k]! += value));
  });
  return shown;
}

/** The tree of metrics that the chosen one is in: of time the breakdown is of all time. */
function rootMetric(app: App): number {
  let at = app.state.metric;
  while (app.summary.metrics[at]!.parent >= 0) at = app.summary.metrics[at]!.parent;
  return at;
}

/** Where the columns of PART are: the middles of their iterations. */
function middles({ iterations, columns }: ColumnPart): number[] {
  return Array.from({ length: columns }, (_, i) => (binStart(iterations, columns, i) + binStart(iterations, columns, i + 1) - 1) / 2);
}

function breakdownPanel(host: HTMLElement, app: App): ViewInstance {
  const box = panel(app.state.phase < 0 ? "Breakdown" : "Breakdown over iterations", { className: "wide", id: "breakdown" });
  host.append(box.element);
  if (app.state.phase < 0) return wholeBreakdown(box.body, app);
  const proportional = h("input", { type: "checkbox", name: "proportional", change: () => setProportional(proportional.checked) });
  box.actions.append(h("label", { class: "field" }, proportional, h("span", {}, "as shares")));
  const legend = h("div", { class: "legend" });
  const element = h("div", { class: "graph" });
  const note = h("p", { class: "muted" });
  box.body.append(legend, element, note);
  const slices = new Slices();
  let plot: uPlot | null = null;
  let drawn: Breakdown | null = null;
  /** What another plot is needed for if it changes. */
  let shape = "";
  box.actions.append(
    copyButtons("breakdown", {
      fileName: () => fileNameOf(app.summary.facts.get("program") ?? "run", "breakdown"),
      csv: () => breakdownCsv(app, drawn),
      picture: () =>
        composed(`${app.summary.metrics[rootMetric(app)]!.name} over iterations, mean over ranks`, plot ? [plot.ctx.canvas] : [], {
          background: cssVariable("--panel"),
          text: cssVariable("--fg"),
        }),
    }),
  );

  function setProportional(on: boolean): void {
    const { shares: _, ...rest } = app.state.extra;
    app.update({ extra: on ? { ...rest, shares: "1" } : rest });
  }

  function make(): Pieces<Breakdown> {
    const { state, model } = app;
    return model.breakdownInPieces(state.phase, rootMetric(app), state.path, state.ranks, { iterations: shownIterations(app), columns: mapColumns() });
  }

  function draw(): void {
    const { phase } = app.state;
    const root = rootMetric(app);
    slices.run(make, (breakdown) => {
      if (app.state.phase === phase && rootMetric(app) === root) drawBreakdown(breakdown);
    });
  }

  /** What is there is stretched, until it is known better. */
  function zoom(): void {
    plot?.setScale("x", edgesOf(shownIterations(app)));
    slices.runAtRest(make, drawBreakdown);
  }

  function drawBreakdown(breakdown: Breakdown): void {
    const { state, summary } = app;
    const shares = state.extra.shares === "1";
    drawn = breakdown;
    const parts = largestParts(app, breakdown);
    const range = breakdown.part.iterations;
    const at = middles(breakdown.part);
    const width = Math.max(200, element.clientWidth);
    const stacked = stack(parts.series, shares);
    const unit = summary.metrics[rootMetric(app)]!.unit;
    const perPoint = (range[1] - range[0] + 1) / at.length;
    proportional.checked = shares;
    note.textContent = `Mean over ranks${perPoint > 1.01 ? `; mean of ${perPoint.toFixed(1)} iterations per point` : ""}.`;
    legend.replaceChildren(
      ...parts.names.map((name, i) => {
        const swatch = h("i", { class: "swatch" });
        swatch.style.background = parts.colours[i]!;
        const title = parts.metrics[i]! >= 0 ? summary.metrics[parts.metrics[i]!]!.text : "What is smaller";
        return h("span", { class: "legend-entry", title }, swatch, name);
      }),
    );
    /* The highest sum first: those drawn later cover its lower part. */
    const order = stacked.map((_, i) => i).reverse();
    const areSteps = at.length < 60;
    const data = steps(at, order.map((i) => stacked[i]!), range, areSteps);
    const colours = order.map((i) => parts.colours[i]!);
    const wanted = key(unit, shares, colours.join(), width);
    if (plot && wanted === shape) plot.setData(data);
    else {
      shape = wanted;
      plot?.destroy();
      plot = new uPlot(options(unit, shares, colours, width), data, element);
    }
  }

  function options(unit: string, shares: boolean, colours: string[], width: number): uPlot.Options {
    const axis = valueAxis(unit);
    if (shares) axis.values = (_, splits) => splits.map((value) => `${Math.round(value * 100)} %`);
    const ends = (): { min: number; max: number } => edgesOf(shownIterations(app));
    return {
      width,
      height: 240,
      padding: [8, RIGHT, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: () => [ends().min, ends().max] },
        y: { range: (_, min, max) => (shares ? [0, 1] : [Math.min(0, min ?? 0), (max ?? 1) * 1.05 || 1]) },
      },
      axes: [iterationAxis("iteration"), axis],
      series: [
        {},
        ...colours.map((colour): uPlot.Series => ({
          stroke: colour,
          fill: colour,
          width: 0.5,
          points: { show: false },
        })),
      ],
    };
  }

  const unobserve = observeSize(element, () => {
    if (plot && Math.abs(plot.width - element.clientWidth) > 1) draw();
  });
  const redraws = ["phase", "metric", "path", "ranks", "extra"] as const;
  return {
    update(changed: Changed) {
      if (redraws.some((name) => changed.has(name))) draw();
      else if (changed.has("zoom")) zoom();
      else if (changed.has("theme")) plot?.redraw(false);
    },
    destroy() {
      slices.stop();
      unobserve();
      plot?.destroy();
    },
  };
}

/** Of every iteration that is shown what is drawn of it. */
function breakdownCsv(app: App, drawn: Breakdown | null): string {
  const { summary, state, model } = app;
  const [begin, last] = shownIterations(app);
  const rows: (string | number)[][] = [];
  for (let first = begin; drawn && first <= last; first += CSV_BLOCK) {
    const iterations: Range = [first, Math.min(last, first + CSV_BLOCK - 1)];
    const { metrics, series } = model.breakdown(state.phase, rootMetric(app), state.path, state.ranks, { iterations, columns: CSV_BLOCK });
    for (let iteration = first; iteration <= iterations[1]; iteration++)
      for (const metric of drawn.metrics)
        rows.push([summary.phases[state.phase]!.name, iteration, summary.metrics[metric]!.name, series[metrics.indexOf(metric)]?.[iteration - first] ?? 0]);
  }
  return csvOf(["phase", "iteration", "metric", "mean"], rows);
}

/** So many iterations at once, each a column, take little memory. */
const CSV_BLOCK = 512;

/**
 * Data for uPlot.  Of few bins each is a step as wide as the bin, from its left end to just before that of the next: so
 * one between others without a value is as wide as the others.
 */
function steps(at: number[], series: Float64Array[], range: Range, stepped: boolean): uPlot.AlignedData {
  if (!stepped) return [at, ...series.map(gaps)];
  const half = (range[1] - range[0] + 1) / at.length / 2;
  const twice = <T>(values: ArrayLike<T>): T[] => Array.from(values).flatMap((value) => [value, value]);
  return [at.flatMap((x) => [x - half, x + half * (1 - 1e-6)]), ...series.map((values) => twice<number | null>(gaps(values)))];
}

/** Sums up to each series; of shares the whole is 1. */
function stack(series: Float64Array[], shares: boolean): Float64Array[] {
  const sums = series.map((values) => values.slice());
  for (let s = 1; s < sums.length; s++) sums[s]!.forEach((value, i) => (sums[s]![i] = value + sums[s - 1]![i]!));
  const top = sums[sums.length - 1]?.slice();
  if (shares && top) for (const values of sums) values.forEach((value, i) => (values[i] = top[i] ? value / top[i]! : NaN));
  return sums;
}

/** Without iterations: shares of the whole run. */
function wholeBreakdown(host: HTMLElement, app: App): ViewInstance {
  const table = h("table", { class: "numbers" });
  host.append(table);
  return {
    update() {
      const { model, state, summary } = app;
      const root = rootMetric(app);
      const scope = { phase: -1, iterations: null, ranks: state.ranks };
      const values = model.inclusiveMetricValues(scope, state.path, state.ownPath);
      const rows = summary.metrics
        .filter((metric) => metric.kind !== "derived" && values[metric.index] && isPart(app, metric.index, root))
        .sort((a, b) => values[b.index]! - values[a.index]!);
      table.replaceChildren(
        h("tbody", {}, ...rows.map((metric) => h("tr", {}, h("th", { scope: "row", title: metric.text }, metric.name), h("td", {}, quantity(values[metric.index]!, metric.unit)), summary.derived ? null : h("td", {}, percent(values[metric.index]! / values[root]!))))),
      );
    },
  };
}

function isPart(app: App, metric: number, of: number): boolean {
  for (let at = metric; at >= 0; at = app.summary.metrics[at]!.parent) if (at === of) return true;
  return false;
}

function qualityPanel(host: HTMLElement, app: App): ViewInstance {
  const box = panel("Accuracy of iterations", { id: "quality" });
  if (app.state.phase < 0) return { update: () => undefined };
  host.append(box.element);
  return {
    update(changed: Changed) {
      if (!changed.has("phase")) return;
      const { model, summary, state } = app;
      const quality = model.quality(state.phase);
      const phase = summary.phases[state.phase]!.name;
      const lines: (HTMLElement | string)[] = [
        h("p", {}, `${count(model.phase(state.phase).iterations, "iteration")} of ${phase} on ${count(summary.ranks.length, "rank")}, ${quality.asked ? `at most ${count(quality.asked, "cluster")} each` : "each kept"}.`),
      ];
      const origin = originOf(summary, state.phase);
      if (origin) lines.push(h("p", { class: "origin" }, origin));
      if (quality.lost) lines.push(h("p", { class: "warning" }, `${count(quality.lost, "profile")} of iterations were lost.`));
      if (quality.unmapped) lines.push(h("p", { class: "warning" }, `Of ${count(quality.unmapped, "iteration")} the cluster is not known.`));
      lines.push(errorTable(app, quality.errors, quality.judged));
      lines.push(
        quality.verdict >= 0
          ? h("p", { class: "warning" }, `The error of ${summary.metrics[quality.verdict]!.name} is above ${percent(ERROR_LIMIT)}: single iterations are not to be trusted; more clusters help.`)
          : h("p", { class: "muted" }, "Root mean square of what iterations differ from their clusters' means, as a share of the largest iteration."),
      );
      if (quality.clustered) lines.push(...presenceLines(app), ...pathErrorLines(app));
      box.body.replaceChildren(...lines);
    },
  };
}

/** How many of the call paths that are shown did not occur in the iteration. */
function presenceLines({ summary, state }: App): HTMLElement[] {
  const share = phantomsOf(summary, state.phase);
  if (!share) return [h("p", { class: "muted", "data-testid": "phantoms" }, "Whether call paths occurred in each iteration that they are shown in is not known.")];
  const exact = share.most - share.least < 0.0005;
  const shown = exact ? percent(share.most) : `${percent(share.least)} to ${percent(share.most)}`;
  const words = share.most > 0 ? `${shown} of the call paths shown did not occur in the iteration.` : "Every call path is shown where it occurred.";
  return [h("p", { class: "muted", "data-testid": "phantoms", "data-least": share.least, "data-most": share.most }, words)];
}

const LISTED_PATH_ERRORS = 3;

function pathErrorLines({ summary, state }: App): HTMLElement[] {
  const errors = pathErrors(summary, state.phase).slice(0, LISTED_PATH_ERRORS);
  if (errors.length === 0) return [];
  const rows = errors.map(({ path, metric, rms, largest }) =>
    h(
      "tr",
      { "data-path": pathText(summary, path), "data-value": rms },
      h("th", { scope: "row", title: pathText(summary, path) }, nameOf(summary, path)),
      h("td", {}, summary.metrics[metric]!.name),
      h("td", {}, `± ${quantity(rms / unitDivisor(summary.metrics[metric]!), summary.metrics[metric]!.unit)}`),
      h("td", {}, percent(rms / largest)),
    ),
  );
  return [
    h(
      "table",
      { class: "numbers", "data-testid": "path-errors" },
      h("caption", { class: "muted" }, "Single call paths are off the most in (root mean square, and as a share of their largest value)"),
      h("tbody", {}, ...rows),
    ),
  ];
}

function errorTable(app: App, errors: Float64Array, judged: number[]): HTMLElement {
  return h(
    "table",
    { class: "numbers" },
    h("caption", { class: "sr-only" }, "Errors by metric"),
    h("tbody", {}, ...judged.map((metric) => h("tr", {}, h("th", { scope: "row" }, app.summary.metrics[metric]!.name), h("td", { "data-value": errors[metric]! }, percent(errors[metric]!))))),
  );
}

function costPanel(app: App): HTMLElement {
  const { summary, model } = app;
  const box = panel("What measuring cost", { id: "cost" });
  const fact = (name: string): number => summary.locations.reduce((sum, location) => sum + (location.costs.get(name) ?? 0), 0);
  const wall = summary.locations.reduce((sum, location) => sum + location.wallNs, 0) / 1e9;
  const overhead = findMetric(summary, "overhead");
  const values = model.metricValues({ phase: -1, iterations: null, ranks: null }, 0, false);
  const rows: [string, string][] = [];
  if (overhead >= 0 && wall > 0) rows.push(["of the run", percent(values[overhead]! / wall)]);
  if (fact("calls")) rows.push(["MPI calls", quantity(fact("calls"), "occ")]);
  if (fact("samples")) rows.push(["samples", quantity(fact("samples"), "occ")]);
  const memory = memoryPerProcess(app);
  if (memory) rows.push(["memory per process", quantity(memory, "bytes")]);
  rows.push(["summary", quantity(summary.fileBytes, "bytes")]);
  box.body.append(
    h("table", { class: "numbers" }, h("tbody", {}, ...rows.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value))))),
  );
  return box.element;
}

function memoryPerProcess(app: App): number {
  return app.summary.ranks.reduce((most, rank) => {
    const bytes = rank.locations.reduce((sum, i) => sum + (app.summary.locations[i]!.costs.get("memory_bytes") ?? 0), 0);
    return Math.max(most, bytes);
  }, 0);
}

/** Whom a note concerns: ranks that follow each other are told together. */
function placesText(ranks: number[], threads: string[]): string {
  const runs = ranks.reduce<[number, number][]>((found, rank) => {
    const last = found.at(-1);
    if (last && rank === last[1] + 1) last[1] = rank;
    else if (!last || rank !== last[1]) found.push([rank, rank]);
    return found;
  }, []);
  const all = runs.map(rangeText).join(", ");
  return [...(ranks.length > 0 ? [`${runs.length > 1 || runs[0]![0] < runs[0]![1] ? "ranks" : "rank"} ${all}`] : []), ...threads].join("; ");
}

/** What processes and threads note, each text once. */
function notesOf(app: App): { where: string; note: string }[] {
  const places = new Map<string, { ranks: number[]; threads: string[] }>();
  for (const { rank, thread, ending, notes } of app.summary.locations)
    for (const note of [...(ending ? [ending] : []), ...notes]) {
      if (!places.has(note)) places.set(note, { ranks: [], threads: [] });
      const { ranks, threads } = places.get(note)!;
      if (thread) threads.push(`rank ${rank}, thread ${thread}`);
      else ranks.push(rank);
    }
  return [...places].map(([note, { ranks, threads }]) => ({ where: placesText(ranks, threads), note }));
}

function notesPanel(app: App): HTMLElement | null {
  const notes = notesOf(app);
  if (notes.length === 0) return null;
  const box = panel("Notes", { id: "notes" });
  box.body.append(
    h("ul", {}, ...notes.slice(0, MOST_NOTES).map(({ where, note }) => h("li", {}, h("b", {}, `${where}: `), note))),
    notes.length > MOST_NOTES ? h("p", { class: "muted" }, `and ${notes.length - MOST_NOTES} more; tsprof info lists them.`) : "",
  );
  return box.element;
}
