/* The value map, rank × iteration, put together for as many pixels as there are. */
import { Columns, binStart } from "./columns";
import { Pieces, median } from "./iterations";
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
export interface ValueMap extends MapPart {
  /** [row * columns + column]; NaN where there is no profile. */
  values: Float64Array;
}

/** As many bins as there are pixels for; where there are fewer members each has its own. */
export function binsFor([first, last]: Range, pixels: number): number {
  return Math.max(1, Math.min(Math.floor(pixels), last - first + 1));
}

/** COLUMNS are those of PART's iterations. */
export function* valueMap(columns: Columns, tables: Float64Array[], part: MapPart, how: PixelValue): Pieces<ValueMap> {
  const rows = binsFor(part.ranks, part.rows);
  const map: ValueMap = { ...part, columns: columns.count, rows, values: new Float64Array(rows * columns.count) };
  const fill = { mean: fillMean, min: fillExtreme(1), max: fillExtreme(-1), median: fillMedian }[how];
  for (let row = 0; row < rows; row++) {
    const ranks: Range = [binStart(part.ranks, rows, row), binStart(part.ranks, rows, row + 1) - 1];
    fill(columns, tables, ranks, map.values.subarray(row * columns.count, (row + 1) * columns.count));
    yield;
  }
  return map;
}

type Fill = (columns: Columns, tables: Float64Array[], ranks: Range, out: Float64Array) => void;

const fillMean: Fill = (columns, tables, ranks, out) => {
  const profiles = new Float64Array(out.length);
  for (let r = ranks[0]; r <= ranks[1]; r++) {
    const { first, states, counts } = columns.of(r);
    const table = tables[r]!;
    for (let column = 0; column < out.length; column++) {
      const end = first[column + 1]!;
      let sum = 0;
      let count = 0;
      for (let entry = first[column]!; entry < end; entry++) {
        const value = table[states[entry]!]!;
        if (value !== value) continue;
        sum += counts[entry]! * value;
        count += counts[entry]!;
      }
      out[column]! += sum;
      profiles[column]! += count;
    }
  }
  for (let column = 0; column < out.length; column++) out[column]! /= profiles[column]!;
};

/** The least value for sign 1, the largest for -1. */
const fillExtreme =
  (sign: 1 | -1): Fill =>
  (columns, tables, ranks, out) => {
    out.fill(NaN);
    for (let r = ranks[0]; r <= ranks[1]; r++) {
      const { first, states } = columns.of(r);
      const table = tables[r]!;
      for (let column = 0; column < out.length; column++) {
        const end = first[column + 1]!;
        let most = out[column]!;
        for (let entry = first[column]!; entry < end; entry++) {
          const value = table[states[entry]!]!;
          if (sign * value < sign * most || most !== most) most = value;
        }
        out[column] = most;
      }
    }
  };

const fillMedian: Fill = (columns, tables, ranks, out) => {
  const { starts } = columns;
  let widest = 0;
  for (let column = 0; column < out.length; column++) widest = Math.max(widest, starts[column + 1]! - starts[column]!);
  const values = new Float64Array(widest * (ranks[1] - ranks[0] + 1));
  for (let column = 0; column < out.length; column++) {
    let count = 0;
    for (let r = ranks[0]; r <= ranks[1]; r++) {
      const { first, states, counts } = columns.of(r);
      const table = tables[r]!;
      const end = first[column + 1]!;
      for (let entry = first[column]!; entry < end; entry++) {
        const value = table[states[entry]!]!;
        if (value === value) for (let i = counts[entry]!; i > 0; i--) values[count++] = value;
      }
    }
    out[column] = median(values, count);
  }
};

export type Colouring = "percentiles" | "linear" | "zero" | "logarithmic" | "equalised";

/** From values to 0 … 1. */
export interface Scale {
  /** Of all values. */
  min: number;
  max: number;
  colouring: Colouring;
  /** NaN stays NaN. */
  position(value: number): number;
  /** The value at a position; the inverse. */
  value(position: number): number;
  /** Whether a value is below (-1) or above (1) those that have a place of their own on the scale. */
  side(value: number): -1 | 0 | 1;
}

const QUANTILES = 1024;
const SAMPLED = 65536;

/** Of `percentiles`: the share of the values that is left out at either end. */
const CLIPPED = 0.01;
/** Nothing is clipped where that would not make the scale so many times finer. */
const WORTH_CLIPPING = 2;

/** A scale for VALUES, NaN among them left out; each is there WEIGHTS times, or once. */
export function makeScale(values: Float64Array, colouring: Colouring, weights: Float64Array | null = null): Scale {
  let min = Infinity;
  let max = -Infinity;
  let positive = Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < min) min = value;
    if (value > max) max = value;
    if (value > 0 && value < positive) positive = value;
  }
  if (min > max) min = max = 0;
  const all = { min, max, colouring };
  if (colouring === "equalised") return { ...all, ...equalised(sampled(values, weights), min, max) };
  if (colouring === "logarithmic") return { ...all, ...logarithmic(positive, min, max) };
  if (colouring === "zero") return { ...all, ...even(Math.min(min, 0), Math.max(max, 0)) };
  return { ...all, ...(colouring === "percentiles" ? middle(sampled(values, weights), min, max) : even(min, max)) };
}

type Places = Pick<Scale, "position" | "value" | "side">;

/** Evenly from LOW to HIGH. */
function even(low: number, high: number): Places {
  const width = high - low || 1;
  return {
    position: (value) => Math.min(Math.max((value - low) / width, 0), 1),
    value: (position) => low + position * (high - low),
    side: (value) => (value < low ? -1 : value > high ? 1 : 0),
  };
}

/** Without the largest and the least, so that a few of them do not take the colours from all others. */
function middle(sorted: Float64Array, min: number, max: number): Places {
  const last = sorted.length - 1;
  const low = last < 0 ? min : sorted[Math.floor(CLIPPED * last)]!;
  const high = last < 0 ? max : sorted[Math.ceil((1 - CLIPPED) * last)]!;
  return high > low && max - min > WORTH_CLIPPING * (high - low) ? even(low, high) : even(min, max);
}

/** By powers, from LOW, the least value above 0; what is not above 0 is below the scale. */
function logarithmic(low: number, min: number, max: number): Places {
  if (!(max > 0)) return even(min, max);
  const places = even(Math.log(low), Math.log(max));
  return {
    position: (value) => (value === value ? places.position(Math.log(Math.max(value, low))) : NaN),
    value: (position) => Math.exp(places.value(position)),
    side: (value) => (value < low ? -1 : value > max ? 1 : 0),
  };
}

/** As many of VALUES as show how often each is there, ascending. */
function sampled(values: Float64Array, weights: Float64Array | null): Float64Array {
  const total = weights ? weights.reduce((sum, weight) => sum + weight, 0) : values.length;
  const step = Math.max(1, total / SAMPLED);
  const sample: number[] = [];
  for (let i = 0, end = 0, next = step / 2; i < values.length; i++)
    for (end += weights ? weights[i]! : 1; next < end; next += step) if (values[i] === values[i]) sample.push(values[i]!);
  return Float64Array.from(sample).sort();
}

/** Equal areas of the map have equal shares of the colours (histogram equalisation).  SORTED is a sample of its values. */
function equalised(sorted: Float64Array, min: number, max: number): Places {
  const count = sorted.length;
  const edges = new Float64Array(QUANTILES + 1);
  for (let q = 0; q <= QUANTILES; q++) edges[q] = count ? sorted[Math.round((q / QUANTILES) * (count - 1))]! : 0;
  edges[0] = min;
  edges[QUANTILES] = max;
  const near = firstGuesses(edges);
  return {
    position: (value) => (value === value ? quantileOf(edges, near, value) : NaN),
    value: (position) => {
      const at = Math.min(Math.max(position, 0), 1) * QUANTILES;
      const q = Math.min(Math.floor(at), QUANTILES - 1);
      return edges[q]! + (at - q) * (edges[q + 1]! - edges[q]!);
    },
    side: () => 0,
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
