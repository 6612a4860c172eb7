/*
 * Sums over rows of one series.  Stored values are whole numbers, so sums of them are exact as long as they stay
 * below 2^53; what is divided is divided once.
 */
import { Series } from "../format/location";

/** A range of call paths: `from` up to and without `end`. */
export interface PathRange {
  from: number;
  end: number;
}

/** By cluster: the sums, over its iterations, of the metrics in PARTS on the call paths of RANGE; stored units. */
export function clusterSums(series: Series, parts: Uint8Array, range: PathRange): Float64Array {
  const { clusters, rowMetric, rowPath, at, small, wide } = series;
  const sums = new Float64Array(clusters);
  for (let row = 0; row < rowMetric.length; row++) {
    if (!parts[rowMetric[row]!] || rowPath[row]! < range.from || rowPath[row]! >= range.end) continue;
    const start = at[row]!;
    if (start >= 0) for (let k = 0; k < clusters; k++) sums[k]! += small[start + k]!;
    else for (let k = 0; k < clusters; k++) sums[k]! += wide[k - 1 - start]!;
  }
  return sums;
}

/** The same over all call paths, from the totals. */
export function clusterTotals(series: Series, parts: Uint8Array): Float64Array {
  const { clusters, totals } = series;
  const sums = new Float64Array(clusters);
  parts.forEach((wanted, metric) => {
    if (wanted) for (let k = 0; k < clusters; k++) sums[k]! += totals[metric * clusters + k]!;
  });
  return sums;
}

/** Adds to OUT[path] what iterations with the cluster weights WEIGHTS have of the metrics in PARTS. */
export function addByPath(series: Series, parts: Uint8Array, weights: Float64Array, out: Float64Array): void {
  const { clusters, rowMetric, rowPath, at, small, wide } = series;
  for (let row = 0; row < rowMetric.length; row++) {
    if (!parts[rowMetric[row]!]) continue;
    const start = at[row]!;
    out[rowPath[row]!]! += start >= 0 ? dotSmall(small, start, weights, clusters) : dotWide(wide, -1 - start, weights, clusters);
  }
}

/** Adds to OUT[metric] what such iterations have on the call paths of RANGE; exclusive over metrics. */
export function addByMetric(series: Series, range: PathRange, weights: Float64Array, out: Float64Array): void {
  const { clusters, rowMetric, rowPath, at, small, wide } = series;
  for (let row = 0; row < rowMetric.length; row++) {
    if (rowPath[row]! < range.from || rowPath[row]! >= range.end) continue;
    const start = at[row]!;
    out[rowMetric[row]!]! +=
      start >= 0 ? dotSmall(small, start, weights, clusters) : dotWide(wide, -1 - start, weights, clusters);
  }
}

/** The same over all call paths, from the totals. */
export function addTotalsByMetric(series: Series, weights: Float64Array, out: Float64Array): void {
  for (let metric = 0; metric < out.length; metric++)
    out[metric]! += dotWide(series.totals, metric * series.clusters, weights, series.clusters);
}

/* Two functions, so that each sees one type of array and is compiled well. */
function dotSmall(values: Int32Array, start: number, weights: Float64Array, count: number): number {
  let sum = 0;
  for (let k = 0; k < count; k++) sum += values[start + k]! * weights[k]!;
  return sum;
}

function dotWide(values: Float64Array, start: number, weights: Float64Array, count: number): number {
  let sum = 0;
  for (let k = 0; k < count; k++) sum += values[start + k]! * weights[k]!;
  return sum;
}

const BLOCK = 1024;
const counted = new WeakMap<Series, Uint32Array>();

/** [block * (clusters + 2) + id]: iterations of the id before the block. */
function countsBefore(series: Series): Uint32Array {
  let counts = counted.get(series);
  if (counts) return counts;
  const width = series.clusters + 2;
  const blocks = Math.ceil(series.ids.length / BLOCK) + 1;
  counts = new Uint32Array(blocks * width);
  for (let block = 1; block < blocks; block++) {
    counts.copyWithin(block * width, (block - 1) * width, block * width);
    const end = Math.min(block * BLOCK, series.ids.length);
    for (let i = (block - 1) * BLOCK; i < end; i++) counts[block * width + series.ids[i]!]!++;
  }
  counted.set(series, counts);
  return counts;
}

/** Adds FACTOR for each iteration before END to COUNTS[id]. */
function addCounts(series: Series, end: number, factor: number, counts: Float64Array): void {
  const width = series.clusters + 2;
  const before = countsBefore(series);
  const block = Math.floor(end / BLOCK);
  for (let id = 0; id < width; id++) counts[id]! += factor * before[block * width + id]!;
  for (let i = block * BLOCK; i < end; i++) counts[series.ids[i]!]! += factor;
}

/** By cluster, then lost, then unmapped: how many of the iterations FIRST to LAST are in it. */
export function iterationCounts(series: Series, first: number, last: number): Float64Array {
  const counts = new Float64Array(series.clusters + 2);
  addCounts(series, Math.min(last + 1, series.ids.length), 1, counts);
  addCounts(series, Math.min(first, series.ids.length), -1, counts);
  return counts;
}

/** By cluster: what its sums are multiplied with to have those of the iterations FIRST to LAST. */
export function iterationWeights(series: Series, first: number, last: number): Float64Array {
  const counts = iterationCounts(series, first, last);
  const weights = new Float64Array(series.clusters);
  for (let k = 0; k < weights.length; k++) weights[k] = counts[k]! / series.sizes[k]!;
  return weights;
}
