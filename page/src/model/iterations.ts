/* Numbers over iterations: each rank's state in an iteration, looked up in a table of its values by state. */
import { Ids } from "../format/location";
import { PhaseIterations, RankIterations } from "./joint";
import { Range } from "./scope";

/** By iteration, over ranks that have a profile of it; NaN where none has. */
export interface IterationSeries {
  min: Float64Array;
  mean: Float64Array;
  max: Float64Array;
  /** Ranks that have a profile. */
  count: Uint32Array;
}

/** TABLES[rank] has the values by state (stateValues); RANKS are indices. */
export function* seriesOverRanks(phase: PhaseIterations, tables: Float64Array[], ranks: Range): Pieces<IterationSeries> {
  const n = phase.iterations;
  const series: IterationSeries = {
    min: new Float64Array(n).fill(Infinity),
    mean: new Float64Array(n),
    max: new Float64Array(n).fill(-Infinity),
    count: new Uint32Array(n),
  };
  const whole: number[] = [];
  let together = 0;
  for (let r = ranks[0]; r <= ranks[1]; r++) {
    if (isWhole(phase.ranks[r]!, n)) {
      whole.push(r);
      if (whole.length < TOGETHER) continue;
      addFour(series, whole.map((one) => phase.ranks[one]!.ids), whole.map((one) => tables[one]!));
      whole.length = 0;
      together += TOGETHER;
    } else addRank(series, phase.ranks[r]!, tables[r]!);
    yield;
  }
  for (const r of whole) addRank(series, phase.ranks[r]!, tables[r]!);
  for (let i = 0; i < n; i++)
    if ((series.count[i]! += together)) series.mean[i]! /= series.count[i]!;
    else series.min[i] = series.mean[i] = series.max[i] = NaN;
  return series;
}

const TOGETHER = 4;

/** It has a profile of each of N iterations. */
function isWhole(rank: RankIterations, n: number): boolean {
  return rank.ids.length === n && rank.series.length === 1 && rank.series[0]!.lost + rank.series[0]!.unmapped === 0;
}

/** Whole ranks together: what the series has is read and written for all of them once. */
function addFour({ min, mean, max }: IterationSeries, ids: Ids[], tables: Float64Array[]): void {
  const [idsA, idsB, idsC, idsD] = ids as [Ids, Ids, Ids, Ids];
  const [tableA, tableB, tableC, tableD] = tables as [Float64Array, Float64Array, Float64Array, Float64Array];
  for (let i = 0; i < mean.length; i++) {
    const a = tableA[idsA[i]!]!;
    const b = tableB[idsB[i]!]!;
    const c = tableC[idsC[i]!]!;
    const d = tableD[idsD[i]!]!;
    let low = min[i]!;
    if (a < low) low = a;
    if (b < low) low = b;
    if (c < low) low = c;
    if (d < low) low = d;
    min[i] = low;
    let high = max[i]!;
    if (a > high) high = a;
    if (b > high) high = b;
    if (c > high) high = c;
    if (d > high) high = d;
    max[i] = high;
    mean[i]! += a + b + c + d;
  }
}

function addRank({ min, mean, max, count }: IterationSeries, { ids }: RankIterations, table: Float64Array): void {
  for (let i = 0; i < ids.length; i++) {
    const value = table[ids[i]!]!;
    if (value !== value) continue;
    mean[i]! += value;
    count[i]!++;
    if (value < min[i]!) min[i] = value;
    if (value > max[i]!) max[i] = value;
  }
}

/** Of RANKS the first with the largest value in ITERATION; -1 if none has one. */
export function slowestRank(phase: PhaseIterations, tables: Float64Array[], ranks: Range, iteration: number): number {
  let slowest = -1;
  let most = -Infinity;
  for (let r = ranks[0]; r <= ranks[1]; r++) {
    const { ids } = phase.ranks[r]!;
    const value = iteration < ids.length ? tables[r]![ids[iteration]!]! : NaN;
    if (value > most) {
      most = value;
      slowest = r;
    }
  }
  return slowest;
}

/** Work that can be done in pieces: each `next` does one, of some milliseconds at most. */
export type Pieces<T> = Generator<undefined, T, undefined>;

export function finish<T>(pieces: Pieces<T>): T {
  for (;;) {
    const step = pieces.next();
    if (step.done) return step.value;
  }
}

/** So many ranks' tables are a millisecond or a few. */
const MAP_BLOCK = 16;

/** ITEMS.map(MAKE). */
export function* mapInPieces<A, B>(items: readonly A[], make: (item: A, i: number) => B): Pieces<B[]> {
  const made: B[] = [];
  for (const item of items) {
    made.push(make(item, made.length));
    if (made.length % MAP_BLOCK === 0) yield;
  }
  return made;
}

/** By iteration: the median over ranks (the mean of the two in the middle), NaN where no rank has a profile. */
export function* medianOverRanks(phase: PhaseIterations, tables: Float64Array[], ranks: Range): Pieces<Float64Array> {
  const medians = new Float64Array(phase.iterations);
  const width = ranks[1] - ranks[0] + 1;
  const values = new Float64Array(MEDIAN_BLOCK * width);
  const counts = new Uint32Array(MEDIAN_BLOCK);
  for (let from = 0; from < medians.length; from += MEDIAN_BLOCK) {
    const end = Math.min(medians.length, from + MEDIAN_BLOCK);
    counts.fill(0);
    for (let r = ranks[0]; r <= ranks[1]; r++) gather(phase.ranks[r]!, tables[r]!, from, end, values, counts, width);
    for (let i = from; i < end; i++)
      medians[i] = median(values.subarray((i - from) * width, (i - from + 1) * width), counts[i - from]!);
    yield;
  }
  return medians;
}

const MEDIAN_BLOCK = 64;

/** Appends a rank's values of the iterations FROM to END to each one's part of VALUES. */
function gather(
  rank: RankIterations,
  table: Float64Array,
  from: number,
  end: number,
  values: Float64Array,
  counts: Uint32Array,
  width: number,
): void {
  const last = Math.min(end, rank.ids.length);
  for (let i = from; i < last; i++) {
    const value = table[rank.ids[i]!]!;
    if (value === value) values[(i - from) * width + counts[i - from]!++] = value;
  }
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

/** Where VALUES are known, but not on either side. */
export function alone(values: ArrayLike<number | null | undefined>): number[] {
  const isKnown = (i: number): boolean => values[i] !== null && values[i] !== undefined;
  return Array.from(values, (_, i) => i).filter((i) => isKnown(i) && !isKnown(i - 1) && !isKnown(i + 1));
}
