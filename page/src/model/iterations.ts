/* Numbers over iterations: each rank's state in an iteration, looked up in a table of its values by state. */
import { PhaseIterations, RankIterations } from "./joint";
import { Range } from "./scope";

/** By iteration, over ranks that have a profile of it; NaN where none has. */
export interface IterationSeries {
  min: Float64Array;
  mean: Float64Array;
  max: Float64Array;
  /** Index of the rank that has the maximum; the first of them. */
  slowest: Int32Array;
  /** Ranks that have a profile. */
  count: Uint32Array;
}

/** TABLES[rank] has the values by state (stateValues); RANKS are indices. */
export function seriesOverRanks(phase: PhaseIterations, tables: Float64Array[], ranks: Range): IterationSeries {
  const n = phase.iterations;
  const series: IterationSeries = {
    min: new Float64Array(n).fill(NaN),
    mean: new Float64Array(n),
    max: new Float64Array(n).fill(NaN),
    slowest: new Int32Array(n).fill(-1),
    count: new Uint32Array(n),
  };
  for (let r = ranks[0]; r <= ranks[1]; r++) addRank(series, phase.ranks[r]!, tables[r]!, r);
  for (let i = 0; i < n; i++) series.mean[i] = series.count[i] ? series.mean[i]! / series.count[i]! : NaN;
  return series;
}

function addRank(series: IterationSeries, rank: RankIterations, table: Float64Array, number: number): void {
  const { min, mean, max, slowest, count } = series;
  const ids = rank.ids;
  for (let i = 0; i < ids.length; i++) {
    const value = table[ids[i]!]!;
    if (value !== value) continue;
    mean[i]! += value;
    count[i]!++;
    /* The comparisons hold for NaN, too. */
    if (!(value >= min[i]!)) min[i] = value;
    if (!(value <= max[i]!)) {
      max[i] = value;
      slowest[i] = number;
    }
  }
}

/** By iteration: the median over ranks (the mean of the two in the middle), NaN where no rank has a profile. */
export function medianOverRanks(phase: PhaseIterations, tables: Float64Array[], ranks: Range): Float64Array {
  const medians = new Float64Array(phase.iterations);
  const values = new Float64Array(ranks[1] - ranks[0] + 1);
  for (let i = 0; i < medians.length; i++) {
    let count = 0;
    for (let r = ranks[0]; r <= ranks[1]; r++) {
      const ids = phase.ranks[r]!.ids;
      const value = i < ids.length ? tables[r]![ids[i]!]! : NaN;
      if (value === value) values[count++] = value;
    }
    medians[i] = median(values, count);
  }
  return medians;
}

/** The median of the first COUNT of VALUES, which are put into another order; NaN of none. */
export function median(values: Float64Array, count: number): number {
  if (count === 0) return NaN;
  const middle = count >> 1;
  const upper = quickselect(values, count, middle);
  if (count & 1) return upper;
  let lower = -Infinity;
  for (let i = 0; i < middle; i++) if (values[i]! > lower) lower = values[i]!;
  return (lower + upper) / 2;
}

/** Puts the smallest WANTED values first; returns the next one (Hoare's algorithm). */
function quickselect(values: Float64Array, count: number, wanted: number): number {
  let from = 0;
  let to = count - 1;
  while (from < to) {
    const pivot = values[(from + to) >> 1]!;
    let i = from;
    let j = to;
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i <= j) {
        const swap = values[i]!;
        values[i++] = values[j]!;
        values[j--] = swap;
      }
    }
    if (wanted <= j) to = j;
    else if (wanted >= i) from = i;
    else break;
  }
  return values[wanted]!;
}

/** What several tables have over iterations, one series of means over ranks for each. */
export function meansOverRanks(phase: PhaseIterations, tables: Float64Array[][], ranks: Range): Float64Array[] {
  const n = phase.iterations;
  const width = tables.length;
  const sums = new Float64Array(n * width);
  const counts = new Uint32Array(n);
  for (let r = ranks[0]; r <= ranks[1]; r++) {
    const rank = phase.ranks[r]!;
    addRankTables(sums, counts, rank, interleave(rank, tables.map((table) => table[r]!)), width);
  }
  return tables.map((_, m) => Float64Array.from({ length: n }, (_, i) => (counts[i] ? sums[i * width + m]! / counts[i]! : NaN)));
}

/** [state * tables + table]. */
function interleave(rank: RankIterations, tables: Float64Array[]): Float64Array {
  const all = new Float64Array(rank.states * tables.length);
  tables.forEach((table, m) => {
    for (let state = 0; state < rank.states; state++) all[state * tables.length + m] = table[state]!;
  });
  return all;
}

function addRankTables(
  sums: Float64Array,
  counts: Uint32Array,
  rank: RankIterations,
  table: Float64Array,
  width: number,
): void {
  const ids = rank.ids;
  for (let i = 0; i < ids.length; i++) {
    const from = ids[i]! * width;
    const first = table[from]!;
    if (first !== first) continue;
    counts[i]!++;
    for (let m = 0, at = i * width; m < width; m++, at++) sums[at]! += table[from + m]!;
  }
}
