/* Iteration graph, value map, what the pointer is at, and minimap, one below the other. */
import { App, ViewInstance } from "../app";
import { Changed, Middle, ValueAxis, measureOf } from "../state";
import { Colouring, PixelValue } from "../model/valuemap";
import { graphCopies, mapCopies } from "./copies";
import { h, select } from "./dom";
import { iterationGraph, shownIterations } from "./graph";
import { binAt, valueMapView } from "./map";
import { minimap } from "./minimap";
import { exactNumber, percent, quantity, rangeText } from "./numbers";
import { panel } from "./panel";
import { clusterError } from "../model/error";
import { seriesOf } from "../model/summary";

export function timePanel(host: HTMLElement, app: App): ViewInstance {
  if (app.state.phase < 0) {
    const empty = panel("No iterations", {
      text: "This summary has the whole run only: no phase was kept apart by iterations. Trees and totals are of all of it.",
    });
    host.append(empty.element);
    return { update: () => undefined };
  }
  const time = panel("", { id: "time" });
  const readout = h("p", { class: "readout", id: "readout", "aria-live": "polite" });
  const legend = h("div", { class: "legend" });
  host.append(time.element);
  time.body.append(legend);

  const hover = (at: { iteration: number; rank: number } | null): void => {
    readout.replaceChildren(...(at ? describe(app, map.current()?.map ?? null, at) : [describeCurrent(app)]));
  };
  const graph = iterationGraph(time.body, app, hover);
  const map = valueMapView(time.body, app, hover);
  /* Below what the pointer is at, which does not move away however long the text is; above the rest, so that it is
     seen on a laptop's screen. */
  time.body.append(readout);
  const mini = minimap(time.body, app);
  const options = h("div", { class: "time-options" });
  time.body.append(options);
  const controls = makeControls(options, app);
  options.append(
    labelled("graph", graphCopies(app, () => time.body.querySelector("#graph canvas"))),
    labelled("map", mapCopies(app, map, () => time.body.querySelector("canvas.map"))),
  );
  const parts: ViewInstance[] = [controls, graph, map, mini];

  return {
    update(changed: Changed) {
      const { summary, state } = app;
      const range = shownIterations(app);
      const zoomed = state.zoom ? `, iterations ${rangeText(range)} shown` : "";
      time.setTitle(`${summary.metrics[state.metric]!.name} in ${summary.phases[state.phase]!.name}${zoomed}`);
      drawLegend(legend, app);
      hover(null);
      for (const part of parts) part.update(changed);
    },
    destroy: () => parts.forEach((part) => part.destroy?.()),
  };
}

function labelled(text: string, buttons: HTMLElement): HTMLElement {
  return h("span", { class: "field" }, h("span", {}, text), buttons);
}

function makeControls(host: HTMLElement, app: App): ViewInstance {
  const middle = select("middle line", "middle", [["mean", "mean"], ["median", "median"]], (value) =>
    app.update({ middle: value as Middle }),
  );
  const axis = select("axis", "axis", [["linear", "linear"], ["logarithmic", "logarithmic"]], (value) =>
    app.update({ axis: value as ValueAxis }),
  );
  const colouring = select(
    "colours",
    "colouring",
    [
      ["percentiles", "percentiles 1 to 99"],
      ["linear", "linear, from the minimum"],
      ["zero", "linear, from zero"],
      ["logarithmic", "logarithmic"],
      ["equalised", "equalised"],
    ],
    (value) => app.update({ colouring: value as Colouring }),
  );
  const pixel = select(
    "per pixel",
    "pixel",
    [["mean", "mean"], ["max", "maximum"], ["median", "median"], ["min", "minimum"]],
    (value) => app.update({ pixel: value as PixelValue }),
  );
  const into = h(
    "button",
    { type: "button", click: () => app.update({ zoom: app.state.iterations, zoomRanks: app.state.ranks }) },
    "Zoom to selection",
  );
  const out = h("button", { type: "button", click: () => app.update({ zoom: null, zoomRanks: null }) }, "Show all");
  host.append(middle.element, axis.element, colouring.element, pixel.element, into, out);
  return {
    update() {
      const { state } = app;
      middle.set(state.middle);
      axis.set(state.axis);
      colouring.set(state.colouring);
      pixel.set(state.pixel);
      into.disabled = !state.iterations && !state.ranks;
      out.disabled = !state.zoom && !state.zoomRanks;
    },
  };
}

function drawLegend(legend: HTMLElement, app: App): void {
  const { state, model, summary } = app;
  const ranks = state.ranks ?? model.allRanks;
  const number = ranks[1] - ranks[0] + 1;
  const entry = (kind: string, text: string): HTMLElement => h("span", { class: "legend-entry" }, h("i", { class: `swatch ${kind}` }), text);
  const of = state.ranks ? `ranks ${rangeText([summary.ranks[ranks[0]]!.rank, summary.ranks[ranks[1]]!.rank])}` : "ranks";
  legend.replaceChildren(
    ...(number > 1
      ? [entry("max", `maximum over ${of}`), entry("mean", state.middle), entry("min", "minimum")]
      : [entry("mean", `rank ${summary.ranks[ranks[0]]!.rank}`)]),
  );
}

/** What is at the iteration that is chosen. */
function describeCurrent(app: App): string {
  const { state, model, summary } = app;
  const metric = summary.metrics[state.metric]!;
  const value = model.value(state.phase, measureOf(state), state.rank, state.iteration);
  return `Iteration ${state.iteration}, rank ${summary.ranks[state.rank]?.rank ?? 0}: ${quantity(value, metric.unit)}${clusterText(app, state.rank, state.iteration)}`;
}

function clusterText(app: App, rank: number, iteration: number): string {
  const { state, model, summary } = app;
  const series = seriesOf(summary.locations[summary.ranks[rank]?.locations[0] ?? 0]!, state.phase);
  const id = series?.ids[iteration];
  if (!series || id === undefined) return "";
  if (id === series.clusters) return summary.facts.has("trace") ? ", not traced" : ", its profile was lost";
  if (id > series.clusters) return ", in a cluster that is not known";
  const error = clusterError(model.quality(state.phase), series, id, state.metric);
  const size = series.sizes[id]!;
  return size === 1 ? ", alone in its cluster" : `, cluster ${id} (${size} iterations, error ${percent(error)} of the largest)`;
}

type Hovered = { iteration: number; rank: number };

function describe(app: App, map: ReturnType<typeof app.model.map> | null, at: Hovered): (HTMLElement | string)[] {
  const { state, model, summary } = app;
  const metric = summary.metrics[state.metric]!;
  const number = (value: number): HTMLElement =>
    h("b", { "data-value": exactNumber(value), title: `${exactNumber(value)} ${metric.unit}` }, quantity(value, metric.unit));
  if (at.rank < 0) {
    const series = model.series(state.phase, measureOf(state), state.ranks);
    const i = at.iteration;
    const slowest = summary.ranks[model.slowest(state.phase, measureOf(state), state.ranks, i)]?.rank;
    return [`Iteration ${i}: maximum `, number(series.max[i]!), slowest === undefined ? "" : ` (rank ${slowest})`, ", mean ", number(series.mean[i]!), ", minimum ", number(series.min[i]!)];
  }
  const bin = map && binAt(map, at);
  const value = model.value(state.phase, measureOf(state), at.rank, at.iteration);
  const parts: (HTMLElement | string)[] = [
    `Iteration ${at.iteration}, rank ${summary.ranks[at.rank]!.rank}: `,
    number(value),
    clusterText(app, at.rank, at.iteration),
  ];
  /* What the pixel stands for, if that is more than one value. */
  const many = bin && [
    bin.iterations[0] !== bin.iterations[1] && `iterations ${rangeText(bin.iterations)}`,
    bin.ranks[0] !== bin.ranks[1] && `ranks ${rangeText([summary.ranks[bin.ranks[0]]!.rank, summary.ranks[bin.ranks[1]]!.rank])}`,
  ].filter(Boolean);
  if (many?.length) parts.push(`; pixel: ${state.pixel} of ${many.join(", ")} `, number(bin!.value));
  return parts;
}
