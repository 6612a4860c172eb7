/* The value map, rank × iteration, put together for as many pixels as there are. */
import { Pieces, median } from "./iterations";
import { PhaseIterations } from "./joint";
import { Range } from "./scope";

export type PixelValue = "mean" | "min" | "max" | "median";

/** What is to be shown, and the pixels that there are for it. */
export interface MapPart {
  iterations: Range;
  ranks: Range;
  columns: number;
  rows: number;
}

/** Bins of whole iterations and ranks. */
export interface ValueMap {
  iterations: Range;
  ranks: Range;
  columns: number;
  rows: number;
  /** [row * columns + column]; NaN where there is no profile. */
  values: Float64Array;
}

/** The first member of bin I if RANGE is cut into COUNT bins; of I = COUNT one after the last. */
export function binStart(range: Range, count: number, i: number): number {
  return range[0] + Math.floor((i * (range[1] - range[0] + 1)) / count);
}

/** The bin, of COUNT, that a member of RANGE is in. */
export function binOf(range: Range, count: number, member: number): number {
  const length = range[1] - range[0] + 1;
  let bin = Math.floor(((member - range[0]) * count) / length);
  while (binStart(range, count, bin + 1) <= member) bin++;
  return bin;
}

/** At most COLUMNS × ROWS bins; where there are fewer iterations or ranks each has its own. */
export function* valueMap(
  phase: PhaseIterations,
  tables: Float64Array[],
  view: MapPart,
  how: PixelValue,
): Pieces<ValueMap> {
  const { iterations, ranks } = view;
  const columns = Math.max(1, Math.min(Math.floor(view.columns), iterations[1] - iterations[0] + 1));
  const rows = Math.max(1, Math.min(Math.floor(view.rows), ranks[1] - ranks[0] + 1));
  const map: ValueMap = { iterations, ranks, columns, rows, values: new Float64Array(rows * columns) };
  const starts = Int32Array.from({ length: columns + 1 }, (_, i) => binStart(iterations, columns, i));
  const fill = { mean: fillMean, min: fillExtreme(1), max: fillExtreme(-1), median: fillMedian }[how];
  for (let row = 0; row < rows; row++) {
    const span: Range = [binStart(ranks, rows, row), binStart(ranks, rows, row + 1) - 1];
    fill(phase, tables, span, starts, map.values.subarray(row * columns, (row + 1) * columns));
    yield;
  }
  return map;
}

type Fill = (phase: PhaseIterations, tables: Float64Array[], ranks: Range, starts: Int32Array, out: Float64Array) => void;

const fillMean: Fill = (phase, tables, ranks, starts, out) => {
  const counts = new Uint32Array(out.length);
  for (let r = ranks[0]; r <= ranks[1]; r++) {
    const ids = phase.ranks[r]!.ids;
    const table = tables[r]!;
    for (let column = 0; column < out.length; column++) {
      const end = Math.min(starts[column + 1]!, ids.length);
      let sum = 0;
      let count = 0;
      for (let i = starts[column]!; i < end; i++) {
        const value = table[ids[i]!]!;
        if (value === value) {
          sum += value;
          count++;
        }
      }
      out[column]! += sum;
      counts[column]! += count;
    }
  }
  for (let column = 0; column < out.length; column++)
    out[column] = counts[column] ? out[column]! / counts[column]! : NaN;
};

/** The least value for sign 1, the largest for -1. */
const fillExtreme =
  (sign: 1 | -1): Fill =>
  (phase, tables, ranks, starts, out) => {
    out.fill(NaN);
    for (let r = ranks[0]; r <= ranks[1]; r++) {
      const ids = phase.ranks[r]!.ids;
      const table = tables[r]!;
      for (let column = 0; column < out.length; column++) {
        const end = Math.min(starts[column + 1]!, ids.length);
        let most = out[column]!;
        for (let i = starts[column]!; i < end; i++) {
          const value = table[ids[i]!]!;
          if (sign * value < sign * most || most !== most) most = value;
        }
        out[column] = most;
      }
    }
  };

const fillMedian: Fill = (phase, tables, ranks, starts, out) => {
  let widest = 0;
  for (let column = 0; column < out.length; column++) widest = Math.max(widest, starts[column + 1]! - starts[column]!);
  const values = new Float64Array(widest * (ranks[1] - ranks[0] + 1));
  for (let column = 0; column < out.length; column++) {
    let count = 0;
    for (let r = ranks[0]; r <= ranks[1]; r++) {
      const ids = phase.ranks[r]!.ids;
      const table = tables[r]!;
      const end = Math.min(starts[column + 1]!, ids.length);
      for (let i = starts[column]!; i < end; i++) {
        const value = table[ids[i]!]!;
        if (value === value) values[count++] = value;
      }
    }
    out[column] = median(values, count);
  }
};

export type Colouring = "linear" | "zero" | "equalised";

/** From values to 0 … 1. */
export interface Scale {
  min: number;
  max: number;
  colouring: Colouring;
  /** NaN stays NaN. */
  position(value: number): number;
  /** The value at a position; the inverse. */
  value(position: number): number;
}

const QUANTILES = 1024;
const SAMPLED = 65536;

/** A scale for VALUES, NaN among them left out. */
export function makeScale(values: Float64Array, colouring: Colouring): Scale {
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (min > max) min = max = 0;
  if (colouring === "equalised") return equalised(values, min, max);
  if (colouring === "zero") {
    min = Math.min(min, 0);
    max = Math.max(max, 0);
  }
  const width = max - min || 1;
  return {
    min,
    max,
    colouring,
    position: (value) => (value - min) / width,
    value: (position) => min + position * (max - min),
  };
}

/** Equal areas of the map have equal shares of the colours (histogram equalisation). */
function equalised(values: Float64Array, min: number, max: number): Scale {
  const step = Math.max(1, Math.floor(values.length / SAMPLED));
  const sample = new Float64Array(Math.ceil(values.length / step));
  let count = 0;
  for (let i = 0; i < values.length; i += step) if (values[i] === values[i]) sample[count++] = values[i]!;
  const sorted = sample.subarray(0, count).sort();
  const edges = new Float64Array(QUANTILES + 1);
  for (let q = 0; q <= QUANTILES; q++) edges[q] = count ? sorted[Math.round((q / QUANTILES) * (count - 1))]! : 0;
  edges[0] = min;
  edges[QUANTILES] = max;
  const near = firstGuesses(edges);
  return {
    min,
    max,
    colouring: "equalised",
    position: (value) => (value === value ? quantileOf(edges, near, value) : NaN),
    value: (position) => {
      const at = Math.min(Math.max(position, 0), 1) * QUANTILES;
      const q = Math.min(Math.floor(at), QUANTILES - 1);
      return edges[q]! + (at - q) * (edges[q + 1]! - edges[q]!);
    },
  };
}

const GUESSES = 4096;

/** By part of the range between the least and the largest edge: the first edge that is in it or above. */
function firstGuesses(edges: Float64Array): Uint16Array {
  const width = (edges[QUANTILES]! - edges[0]!) / GUESSES;
  const near = new Uint16Array(GUESSES + 1);
  for (let part = 0, edge = 0; part <= GUESSES; part++) {
    while (edge < QUANTILES && edges[edge]! < edges[0]! + part * width) edge++;
    near[part] = edge;
  }
  return near;
}

/** Where VALUE is among the edges, 0 … 1; in the middle of those that are equal to it. */
function quantileOf(edges: Float64Array, near: Uint16Array, value: number): number {
  const width = edges[QUANTILES]! - edges[0]!;
  const part = width > 0 ? Math.floor(((value - edges[0]!) / width) * GUESSES) : 0;
  const from = Math.max(0, near[Math.min(Math.max(part, 0), GUESSES)]! - 1);
  const to = Math.min(edges.length, near[Math.min(Math.max(part + 1, 0), GUESSES)]! + 2);
  const below = firstNot(edges, from, to, (edge) => edge < value);
  const above = firstNot(edges, below, edges.length, (edge) => edge <= value);
  if (above > below) return (below + above - 1) / 2 / QUANTILES;
  if (below === 0) return 0;
  if (below > QUANTILES) return 1;
  const gap = edges[below]! - edges[below - 1]!;
  return (below - 1 + (gap > 0 ? (value - edges[below - 1]!) / gap : 0)) / QUANTILES;
}

/** The first index from FROM on whose element is not IS; TO if there is none.  IS must hold up to some index only. */
function firstNot(sorted: Float64Array, from: number, to: number, is: (element: number) => boolean): number {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (is(sorted[middle]!)) from = middle + 1;
    else to = middle;
  }
  return from;
}
