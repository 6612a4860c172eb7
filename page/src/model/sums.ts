/*
 * Sums over rows of one series.  Stored values are whole numbers, so sums of them are exact as long as they stay
 * below 2^53; what is divided is divided once.
 */
import { Ids, Profile, Series } from "../format/location";

/** A range of call paths: `from` up to and without `end`. */
export interface PathRange {
  from: number;
  end: number;
}

/** The first of the rows of METRICS and PATHS, which ascend by metric, then path, that has METRIC and PATH or is after it. */
function rowAt(metrics: Uint16Array, paths: Uint32Array, metric: number, path: number): number {
  let from = 0;
  let to = metrics.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (metrics[middle]! < metric || (metrics[middle] === metric && paths[middle]! < path)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Calls BACK for each row of the metrics in PARTS on the call paths of RANGE. */
function eachRow(metrics: Uint16Array, paths: Uint32Array, parts: Uint8Array, range: PathRange, back: (row: number) => void): void {
  for (let metric = 0; metric < parts.length; metric++) {
    if (!parts[metric]) continue;
    let row = rowAt(metrics, paths, metric, range.from);
    while (row < metrics.length && metrics[row] === metric && paths[row]! < range.end) back(row++);
  }
}

/** Adds to SUMS[cluster] what its iterations have, in stored units, of the metrics in PARTS on the call paths of RANGE. */
export function addByCluster(series: Series, parts: Uint8Array, range: PathRange, sums: Float64Array): void {
  const { rowMetric, rowPath, at, small, wide } = series;
  eachRow(rowMetric, rowPath, parts, range, (row) => {
    const start = at[row]!;
    if (start >= 0) addSmall(sums, small, start);
    else addWide(sums, wide, -1 - start);
  });
}

/** The same over all call paths, from the totals. */
export function addTotalsByCluster(series: Series, parts: Uint8Array, sums: Float64Array): void {
  for (let metric = 0; metric < parts.length; metric++)
    if (parts[metric]) addWide(sums, series.totals, metric * series.clusters);
}

/** Adds to OUT[path] what iterations with the cluster weights WEIGHTS have of the metrics in PARTS. */
export function addByPath(series: Series, parts: Uint8Array, weights: Float64Array, out: Float64Array): void {
  const { rowMetric, rowPath } = series;
  eachRow(rowMetric, rowPath, parts, ALL_PATHS, (row) => {
    out[rowPath[row]!]! += weighted(series, row, weights);
  });
}

/** Adds to OUT[metric] what such iterations have on the call paths of RANGE; exclusive over metrics. */
export function addByMetric(series: Series, range: PathRange, weights: Float64Array, out: Float64Array): void {
  const { rowMetric, rowPath } = series;
  eachRow(rowMetric, rowPath, everyMetric(out), range, (row) => {
    out[rowMetric[row]!]! += weighted(series, row, weights);
  });
}

/** Adds to OUT[path] what PROFILE has of the metrics in PARTS. */
export function addCellsByPath({ metrics, paths, values }: Profile, parts: Uint8Array, out: Float64Array): void {
  eachRow(metrics, paths, parts, ALL_PATHS, (row) => {
    out[paths[row]!]! += values[row]!;
  });
}

/** Adds to OUT[metric] what PROFILE has on the call paths of RANGE; exclusive over metrics. */
export function addCellsByMetric({ metrics, paths, values }: Profile, range: PathRange, out: Float64Array): void {
  eachRow(metrics, paths, everyMetric(out), range, (row) => {
    out[metrics[row]!]! += values[row]!;
  });
}

/** What PROFILE has of the metrics in PARTS on the call paths of RANGE. */
export function cellSum({ metrics, paths, values }: Profile, parts: Uint8Array, range: PathRange): number {
  let sum = 0;
  eachRow(metrics, paths, parts, range, (row) => (sum += values[row]!));
  return sum;
}

const ALL_PATHS: PathRange = { from: 0, end: 2 ** 32 };

const everyMetric = (out: Float64Array): Uint8Array => new Uint8Array(out.length).fill(1);

/** The same over all call paths, from the totals. */
export function addTotalsByMetric(series: Series, weights: Float64Array, out: Float64Array): void {
  for (let metric = 0; metric < out.length; metric++)
    out[metric]! += dotWide(series.totals, metric * series.clusters, weights);
}

function weighted({ at, small, wide }: Series, row: number, weights: Float64Array): number {
  const start = at[row]!;
  return start >= 0 ? dotSmall(small, start, weights) : dotWide(wide, -1 - start, weights);
}

/* Two functions each, so that one sees one type of array and is compiled well. */
function addSmall(sums: Float64Array, values: Int32Array, start: number): void {
  for (let k = 0; k < sums.length; k++) sums[k]! += values[start + k]!;
}

function addWide(sums: Float64Array, values: Float64Array, start: number): void {
  for (let k = 0; k < sums.length; k++) sums[k]! += values[start + k]!;
}

function dotSmall(values: Int32Array, start: number, weights: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < weights.length; k++) sum += values[start + k]! * weights[k]!;
  return sum;
}

function dotWide(values: Float64Array, start: number, weights: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < weights.length; k++) sum += values[start + k]! * weights[k]!;
  return sum;
}

const LEAST_BLOCK = 1024;
const counted = new WeakMap<Ids, Uint32Array>();

/** Counts are kept at the ends of blocks; there are no more of them than iterations. */
const blockFor = (width: number): number => Math.max(LEAST_BLOCK, width);

/** [block * width + id]: iterations of the id, which is below WIDTH, before the block. */
function countsBefore(ids: Ids, width: number): Uint32Array {
  let counts = counted.get(ids);
  if (counts) return counts;
  const length = blockFor(width);
  const blocks = Math.floor(ids.length / length) + 1;
  counts = new Uint32Array(blocks * width);
  for (let block = 1; block < blocks; block++) {
    counts.copyWithin(block * width, (block - 1) * width, block * width);
    for (let i = (block - 1) * length; i < block * length; i++) counts[block * width + ids[i]!]!++;
  }
  counted.set(ids, counts);
  return counts;
}

/** Adds FACTOR for each iteration before END to COUNTS[id]. */
function addCounts(ids: Ids, end: number, factor: number, counts: Float64Array): void {
  const width = counts.length;
  const before = countsBefore(ids, width);
  const block = Math.floor(end / blockFor(width));
  for (let id = 0; id < width; id++) counts[id]! += factor * before[block * width + id]!;
  for (let i = block * blockFor(width); i < end; i++) counts[ids[i]!]! += factor;
}

/** By id, all of which are below WIDTH: how many of the iterations FIRST to LAST have it. */
export function idCounts(ids: Ids, width: number, first: number, last: number): Float64Array {
  const counts = new Float64Array(width);
  addCounts(ids, Math.min(last + 1, ids.length), 1, counts);
  addCounts(ids, Math.min(first, ids.length), -1, counts);
  return counts;
}

/** By cluster: what its sums are multiplied with to have those of the iterations FIRST to LAST. */
export function iterationWeights(series: Series, first: number, last: number): Float64Array {
  /* After the clusters come what was lost and what is not known. */
  const counts = idCounts(series.ids, series.clusters + 2, first, last);
  return counts.subarray(0, series.clusters).map((count, k) => count / series.sizes[k]!);
}
