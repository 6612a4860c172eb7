/* Efficiencies of the run and of its iterations, in the overview. */
import uPlot from "uplot";
import { App, Slices, ViewInstance } from "../app";
import { copyButtons, composed, csvOf, fileNameOf } from "../draw/copy";
import { binStart } from "../model/columns";
import { Efficiency, efficiencyByIteration, efficiencyOf, efficiencyOfTraced, residentMost } from "../model/efficiency";
import { alone } from "../model/iterations";
import { Changed } from "../state";
import { cssVariable } from "../ui/colours";
import { h, observeSize } from "../ui/dom";
import { RIGHT, mapColumns } from "../ui/geometry";
import { edgesOf, gaps, iterationAxis, shownIterations, valueAxis } from "../ui/graph";
import { percent, quantity } from "../ui/numbers";
import { panel } from "../ui/panel";

const HEIGHT = 150;
/** As many as the report has. */
const MOST_COLUMNS = 4;

/** Rows of the table, as the report has them; the deeper a row, the further in. */
const ROWS: { key: keyof Efficiency; name: string; depth: number; text: string }[] = [
  { key: "parallel", name: "parallel efficiency", depth: 0, text: "What processes compute, on average, of the time of the one that takes longest: load balance × communication efficiency" },
  { key: "balance", name: "load balance", depth: 1, text: "What processes compute on average, of what the one computes that computes longest" },
  { key: "communication", name: "communication efficiency", depth: 1, text: "What the process computes that computes longest, of the time of the one that takes longest" },
  { key: "serialisation", name: "serialisation", depth: 2, text: "What would be left of it on a network that takes no time" },
  { key: "transfer", name: "transfer", depth: 2, text: "What the network leaves of the time" },
  { key: "processor", name: "processor use", depth: 0, text: "The share of the time in which processes had a processor, or wanted none" },
];

interface Column {
  name: string;
  efficiency: Efficiency;
}

function columnsOf({ summary, model, state }: App): Column[] {
  const { ranks } = state;
  const named: [string, Efficiency | null][] = [
    ["run", efficiencyOf(summary, { phase: -1, ranks })],
    ["traced", ranks ? null : efficiencyOfTraced(summary)],
    ...model.keptPhases.map((phase): [string, Efficiency | null] => [summary.phases[phase]!.name, efficiencyOf(summary, { phase, ranks })]),
  ];
  return named.flatMap(([name, efficiency]) => (efficiency ? [{ name, efficiency }] : [])).slice(0, MOST_COLUMNS);
}

/** The most memory that a process of those that are chosen had; none where that is not known. */
function memoryRow({ summary, state }: App, columns: Column[]): HTMLElement[] {
  const most = residentMost(summary, state.ranks);
  if (most === 0) return [];
  return [
    h(
      "tr",
      { "data-testid": "memory" },
      h("th", { scope: "row", title: "The most memory that a process had resident at once, program and tsprof" }, "memory high-water"),
      h("td", { "data-value": most }, quantity(most, "bytes")),
      ...columns.slice(1).map(() => h("td", {})),
    ),
  ];
}

function tableOf(app: App, columns: Column[]): HTMLElement {
  const rows = ROWS.filter(({ key }) => columns.some(({ efficiency }) => !Number.isNaN(efficiency[key])));
  const cell = (column: Column, key: keyof Efficiency): HTMLElement => {
    const share = column.efficiency[key];
    return h("td", { "data-column": column.name, "data-row": key, "data-value": Number.isNaN(share) ? undefined : share }, percent(share));
  };
  return h(
    "table",
    { class: "numbers", "data-testid": "efficiency" },
    h("thead", {}, h("tr", {}, h("td", {}), ...columns.map(({ name }) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ...rows.map(({ key, name, depth, text }) => h("tr", {}, h("th", { scope: "row", title: text, class: `depth-${depth}` }, name), ...columns.map((column) => cell(column, key)))), ...memoryRow(app, columns)),
  );
}

/** Null where the summary has none. */
export function efficiencyPanel(host: HTMLElement, app: App): ViewInstance | null {
  if (columnsOf(app).length === 0) return null;
  const box = panel("Efficiency", { id: "efficiency" });
  const table = h("div", {});
  host.append(box.element);
  box.body.append(table);
  const line = app.state.phase >= 0 && app.summary.ranks.length > 1 ? efficiencyLine(box.body, box.actions, app) : null;
  return {
    update(changed: Changed) {
      if (changed.has("ranks") || changed.has("phase")) table.replaceChildren(tableOf(app, columnsOf(app)));
      line?.update(changed);
    },
    destroy: () => line?.destroy?.(),
  };
}

/** Means of VALUES in COLUMNS of the iterations FIRST to LAST, and where they are. */
function means(values: Float64Array, [first, last]: [number, number], columns: number): { at: number[]; mean: Float64Array } {
  const count = Math.min(columns, last - first + 1);
  const mean = new Float64Array(count);
  const at = Array.from(mean, (_, c) => {
    const [from, end] = [binStart([first, last], count, c), binStart([first, last], count, c + 1)];
    const known = values.subarray(from, end).filter((value) => !Number.isNaN(value));
    mean[c] = known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : NaN;
    return (from + end - 1) / 2;
  });
  return { at, mean };
}

function efficiencyLine(host: HTMLElement, actions: HTMLElement, app: App): ViewInstance {
  const element = h("div", { class: "graph" });
  const note = h("p", { class: "muted", "data-testid": "efficiency-note" });
  host.append(element, note);
  const slices = new Slices();
  let values: Float64Array | null = null;
  let plot: uPlot | null = null;
  actions.append(
    copyButtons("efficiency", {
      fileName: () => fileNameOf(app.summary.facts.get("program") ?? "run", "efficiency"),
      csv: () => csvOfLine(app, values),
      picture: () =>
        composed("parallel efficiency over iterations", plot ? [plot.ctx.canvas] : [], { background: cssVariable("--panel"), text: cssVariable("--fg") }),
    }),
  );

  function make(): void {
    const { phase, ranks } = app.state;
    slices.run(
      () => efficiencyByIteration(app.summary, phase, ranks),
      (made) => {
        if (app.state.phase !== phase) return;
        values = made;
        draw();
      },
    );
  }

  function draw(): void {
    if (!values) return;
    const { at, mean } = means(values, shownIterations(app), mapColumns());
    const width = Math.max(200, element.clientWidth);
    plot?.destroy();
    plot = new uPlot(options(app, width), [at, gaps(mean)], element);
    if (values.every((value) => Number.isNaN(value))) {
      note.textContent = "Not known for the iterations of this phase.";
      delete note.dataset.least;
      return;
    }
    const least = values.reduce((lowest, value, i) => (value < values![lowest]! || Number.isNaN(values![lowest]!) ? i : lowest), 0);
    note.textContent = `Parallel efficiency by iteration: least in iteration ${least}, ${percent(values[least]!)}.`;
    note.dataset.least = String(values[least]!);
  }

  const unobserve = observeSize(element, () => {
    if (plot && Math.abs(plot.width - element.clientWidth) > 1) draw();
  });
  return {
    update(changed: Changed) {
      if (changed.has("phase") || changed.has("ranks")) make();
      else if (changed.has("zoom")) draw();
      else if (changed.has("theme")) plot?.redraw(false);
    },
    destroy() {
      slices.stop();
      unobserve();
      plot?.destroy();
    },
  };
}

function options(app: App, width: number): uPlot.Options {
  const axis = valueAxis("");
  const ends = (): { min: number; max: number } => edgesOf(shownIterations(app));
  axis.values = (_, splits) => splits.map((value) => `${Math.round(value * 100)} %`);
  return {
    width,
    height: HEIGHT,
    padding: [8, RIGHT, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, range: () => [ends().min, ends().max] }, y: { range: () => [0, 1] } },
    axes: [iterationAxis("iteration"), axis],
    series: [{}, { stroke: () => cssVariable("--mean"), width: 1.5, points: { show: true, size: 5, filter: (plot, series) => alone(plot.data[series]!) } }],
  };
}

function csvOfLine(app: App, values: Float64Array | null): string {
  const [first, last] = shownIterations(app);
  const rows: (string | number)[][] = [];
  for (let i = first; values && i <= last; i++) rows.push([app.summary.phases[app.state.phase]!.name, i, values[i] ?? NaN]);
  return csvOf(["phase", "iteration", "parallel_efficiency"], rows);
}
