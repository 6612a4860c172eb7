/* The iteration graph: maximum, mean or median, and minimum over ranks (thesis figure 3.1 b). */
import uPlot from "uplot";
import { App, Slices, ViewInstance } from "../app";
import { IterationSeries, alone } from "../model/iterations";
import { Range, key } from "../model/scope";
import { Changed, State, measureOf } from "../state";
import { Brush } from "./brush";
import { cssVariable } from "./colours";
import { h, observeSize } from "./dom";
import { Axis, LEFT, RIGHT } from "./geometry";
import { logarithmicTicks, unitTicks } from "../draw/ticks";
import { axisLabels, quantity } from "./numbers";

const HEIGHT = 190;
const AXIS_HEIGHT = 22;
const TOP = 8;

/** The iterations that are shown. */
export function shownIterations(app: App): Range {
  return app.state.zoom ?? [0, Math.max(0, app.model.phase(app.state.phase).iterations - 1)];
}

export function shownRanks(app: App): Range {
  return app.state.zoomRanks ?? app.model.allRanks;
}

/** Of an x axis with these iterations: each is in the middle of its place. */
export function edgesOf([first, last]: Range): { min: number; max: number } {
  return { min: first - 0.5, max: last + 0.5 };
}

/** A custom property of the style sheet, as it is whenever something is drawn. */
export const inColour = (name: string) => (): string => cssVariable(name);

/** Axis options of uPlot for values in UNIT. */
export function valueAxis(unit: string): uPlot.Axis {
  return {
    size: LEFT,
    stroke: inColour("--fg"),
    grid: { stroke: inColour("--line"), width: 1 },
    ticks: { stroke: inColour("--line"), width: 1, size: 4 },
    font: "12px system-ui, sans-serif",
    splits: (_, __, min, max, step) => unitTicks(min, max, step, unit),
    values: (plot, splits, axis) => axisLabels(splits, unit, endOf(plot, axis)),
  };
}

/** The end of an axis that is further from 0. */
function endOf(plot: uPlot, axis: number): number {
  const { min, max } = plot.scales[plot.axes[axis]!.scale!]!;
  return Math.max(Math.abs(min ?? 0), Math.abs(max ?? 0));
}

/** The same with powers of ten at equal distances; each label has its own prefix. */
export function logarithmicAxis(unit: string): uPlot.Axis {
  return {
    ...valueAxis(unit),
    splits: (_, __, min, max) => logarithmicTicks(min, max),
    filter: (_, splits) => splits,
    values: (_, splits) => splits.map((value) => quantity(value, unit)),
  };
}

export function iterationAxis(label: string): uPlot.Axis {
  return {
    size: AXIS_HEIGHT,
    label,
    labelSize: 16,
    labelFont: "12px system-ui, sans-serif",
    labelGap: -2,
    gap: 3,
    stroke: inColour("--fg"),
    grid: { show: false },
    ticks: { stroke: inColour("--line"), width: 1, size: 4 },
    font: "12px system-ui, sans-serif",
    incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7, 1e8, 1e9],
    values: (_, splits) => splits.map((value) => (Number.isInteger(value) ? String(value) : "")),
  };
}

/** VALUES with NaN where they have no logarithm. */
function positive(values: Float64Array): Float64Array {
  return values.map((value) => (value > 0 ? value : NaN));
}

/** NaN is no number to uPlot either, but it wants null. */
export function gaps(values: ArrayLike<number>): (number | null)[] | Float64Array {
  if (values instanceof Float64Array && !values.some(Number.isNaN)) return values;
  return Array.from(values, (value) => (value === value ? value : null));
}

export function iterationGraph(host: HTMLElement, app: App, hover: (at: { iteration: number; rank: number } | null) => void): ViewInstance {
  const element = h("div", { class: "graph", id: "graph" });
  host.append(element);
  const brush = new Brush(app, {
    label: "Iteration graph",
    iterations: () => new Axis(shownIterations(app), Math.max(1, element.clientWidth - LEFT - RIGHT)),
    ranks: () => null,
    hover,
  });
  const slices = new Slices();
  let plot: uPlot | null = null;
  /** What another plot is needed for if it changes. */
  let shape = "";

  const edges = (): { min: number; max: number } => edgesOf(shownIterations(app));
  const isLogarithmic = (): boolean => app.state.axis === "logarithmic";

  function draw(): void {
    const { state, model } = app;
    const measure = measureOf(state);
    slices.run(function* () {
      const series = yield* model.seriesInPieces(state.phase, measure, state.ranks);
      const middle = state.middle === "median" ? yield* model.mediansInPieces(state.phase, measure, state.ranks) : series.mean;
      return { series, middle };
    }, ({ series, middle }) => {
      if (app.state.phase === state.phase) drawSeries(state, series, middle);
    });
  }

  function drawSeries(state: State, series: IterationSeries, middle: Float64Array): void {
    const { unit } = app.summary.metrics[state.metric]!;
    const [first, last] = state.ranks ?? app.model.allRanks;
    /* The middle last: where lines coincide it is the one that is seen. */
    const drawn = [series.max, series.min, middle].map((values) => gaps(state.axis === "logarithmic" ? positive(values) : values));
    const data = [middle.map((_, i) => i), ...drawn] as uPlot.AlignedData;
    const wanted = key(unit, first === last, middle.length === 1, state.axis, element.clientWidth);
    if (plot && wanted === shape) plot.setData(data);
    else {
      shape = wanted;
      plot?.destroy();
      plot = new uPlot(options(unit, first === last, middle.length === 1), data, element);
      plot.over.append(brush.element);
    }
    brush.draw();
  }

  function options(unit: string, singleRank: boolean, singleIteration: boolean): uPlot.Options {
    const line = (name: string, width: number): uPlot.Series => ({
      stroke: inColour(name),
      width,
      /* What has no neighbour has no line: of a trace, some iterations are alone between others without a profile. */
      points: singleIteration ? { show: true, size: 6 } : { show: true, size: 5, filter: (plot, series) => alone(plot.data[series]!) },
    });
    return {
      width: Math.max(200, element.clientWidth),
      height: HEIGHT,
      padding: [TOP, RIGHT, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: () => [edges().min, edges().max] },
        y: isLogarithmic()
          ? { distr: 3, range: (_, min, max) => logarithmicRange(min, max) }
          : { range: (_, min, max) => valueRange(min, max, app.state.colouring === "zero") },
      },
      axes: [iterationAxis("iteration"), isLogarithmic() ? logarithmicAxis(unit) : valueAxis(unit)],
      series: [
        {},
        { ...line("--max", 1.2), show: !singleRank },
        { ...line("--min", 1.2), show: !singleRank },
        line("--mean", 1.6),
      ],
      bands: singleRank ? [] : [{ series: [1, 2], fill: inColour("--band") }],
    };
  }

  const unobserve = observeSize(element, () => {
    if (plot && Math.abs(plot.width - element.clientWidth) > 1) draw();
  });
  const redraws = ["phase", "metric", "ownMetric", "path", "ownPath", "ranks", "middle", "axis", "colouring"] as const;
  return {
    update(changed: Changed) {
      if (redraws.some((name) => changed.has(name))) draw();
      else if (changed.has("zoom")) plot?.setScale("x", edges());
      else if (changed.has("theme")) plot?.redraw(false);
      brush.draw();
    },
    destroy() {
      slices.stop();
      unobserve();
      plot?.destroy();
    },
  };
}

/** A little room above and below; something where no value is above 0. */
function logarithmicRange(min: number | null, max: number | null): [number, number] {
  if (!min || !max) return [1, 10];
  const room = Math.max((max / min) ** 0.05, 1.05);
  return [min / room, max * room];
}

/** A little room above and below; from 0 where that is wanted or close. */
function valueRange(min: number | null, max: number | null, zero: boolean): [number, number] {
  let low = min ?? 0;
  let high = max ?? 1;
  if (zero || (low >= 0 && low < 0.3 * high)) low = Math.min(0, low);
  if (zero) high = Math.max(0, high);
  if (low === high) {
    const room = Math.abs(low) || 1;
    return low === 0 ? [0, room] : [low - room / 2, high + room / 2];
  }
  const room = (high - low) * 0.05;
  return [low === 0 ? 0 : low - room, high === 0 ? 0 : high + room];
}
