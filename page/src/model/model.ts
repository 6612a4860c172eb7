/*
 * Questions about a summary, with answers in the metric's unit.  No DOM.  Every function is quick enough to be
 * called while somebody drags (some 10 ms for the largest summaries); results are cached and must not be changed.
 */
import { Profile, Series } from "../format/location";
import { Quality, qualityOf } from "./error";
import { Columns, meansByColumn } from "./columns";
import { IterationSeries, Pieces, finish, mapInPieces, medianOverRanks, seriesOverRanks, slowestRank } from "./iterations";
import { PhaseIterations, RankIterations, phaseIterations, stateValues } from "./joint";
import { profilesOf, stateCounts } from "./ranks";
import { Cache, Measure, Range, Scope, key } from "./scope";
import { Summary, findMetric, metricParts, seriesOf, unitDivisor } from "./summary";
import {
  PathRange,
  addByCluster,
  addByMetric,
  addByPath,
  addCellsByMetric,
  addCellsByPath,
  addTotalsByCluster,
  addTotalsByMetric,
  cellSum,
  iterationWeights,
} from "./sums";
import { unsampledOf } from "./unsampled";
import { MapPart, PixelValue, ValueMap, binsFor, valueMap } from "./valuemap";

/** Iterations, and how many columns there are for them. */
export interface ColumnPart {
  iterations: Range;
  columns: number;
}

export interface Breakdown {
  /** At most as many columns as were asked for, of whole iterations. */
  part: ColumnPart;
  /** Metrics with values of their own, that with most in the whole phase first. */
  metrics: number[];
  /** For each of them, by column: the mean over its iterations and ranks. */
  series: Float64Array[];
}

export class Model {
  private readonly phaseCache = new Map<number, PhaseIterations>();
  private readonly stateCache = new Map<number, Float64Array[]>();
  private readonly qualityCache = new Map<number, Quality>();
  private readonly sumCache = new Cache<Float64Array[]>(12, bytesOfAll);
  private readonly tableCache = new Cache<Float64Array[]>(48, bytesOfAll);
  private readonly seriesCache = new Cache<IterationSeries>(16);
  private readonly medianCache = new Cache<Float64Array>(8);
  /** Of all iterations, for map and surface; and of parts of them. */
  private readonly wholeColumnCache = new Cache<Columns>(2);
  private readonly columnCache = new Cache<Columns>(3);
  private readonly mapCache = new Cache<ValueMap>(8);
  private readonly breakdownCache = new Cache<Breakdown>(6);
  private readonly profileCache = new Cache<Float64Array>(24);
  private readonly weightCache = new Cache<(Float64Array | null)[]>(8);

  constructor(readonly summary: Summary) {}

  /** Phases that have iterations. */
  get keptPhases(): number[] {
    return this.summary.phases
      .filter((phase) => this.summary.locations.some((location) => seriesOf(location, phase.index)))
      .map((phase) => phase.index);
  }

  get allRanks(): Range {
    return [0, this.summary.ranks.length - 1];
  }

  phase(phase: number): PhaseIterations {
    return finish(this.phaseInPieces(phase));
  }

  *phaseInPieces(phase: number): Pieces<PhaseIterations> {
    let found = this.phaseCache.get(phase);
    if (!found) this.phaseCache.set(phase, (found = yield* phaseIterations(this.summary, phase)));
    return found;
  }

  /** The first iteration that the first rank has a profile of: of a trace that need not be the first of all. */
  firstIteration(phase: number): number {
    const series = this.summary.ranks[0]?.locations.map((i) => seriesOf(this.summary.locations[i]!, phase)).find((one) => one);
    return Math.max(0, series?.ids.findIndex((id) => id !== series.clusters) ?? 0);
  }

  /** All that `phase` answers with. */
  *phasesInPieces(): Pieces<void> {
    for (const phase of this.keptPhases) yield* this.phaseInPieces(phase);
  }

  /** By rank: by state, how many iterations have it. */
  stateWeights(phase: number): Float64Array[] {
    let found = this.stateCache.get(phase);
    if (!found) {
      const { ranks, iterations } = this.phase(phase);
      this.stateCache.set(phase, (found = ranks.map((rank) => stateCounts(rank, [0, iterations - 1]))));
    }
    return found;
  }

  private columns(phase: number, { iterations, columns }: ColumnPart): Columns {
    const count = binsFor(iterations, columns);
    const isWhole = iterations[0] === 0 && iterations[1] + 1 === this.phase(phase).iterations;
    return (isWhole ? this.wholeColumnCache : this.columnCache).get(key(phase, iterations, count), () => new Columns(this.phase(phase), iterations, count));
  }

  quality(phase: number): Quality {
    let found = this.qualityCache.get(phase);
    if (!found) this.qualityCache.set(phase, (found = qualityOf(this.summary, phase)));
    return found;
  }

  private range(measure: Measure): PathRange {
    const end = measure.ownPath ? measure.path + 1 : this.summary.paths[measure.path]!.end;
    return { from: measure.path, end };
  }

  private isAll(range: PathRange): boolean {
    return range.from === 0 && range.end === this.summary.paths.length;
  }

  private measureKey(measure: Measure): unknown[] {
    return [measure.metric, measure.ownMetric, measure.path, measure.ownPath];
  }

  /** Of a series: adds to SUMS, by cluster, what it has, in stored units. */
  private summing(measure: Measure): (series: Series, sums: Float64Array) => void {
    const parts = metricParts(this.summary.metrics, measure.metric, measure.ownMetric);
    const range = this.range(measure);
    return this.isAll(range)
      ? (series, sums) => addTotalsByCluster(series, parts, sums)
      : (series, sums) => addByCluster(series, parts, range, sums);
  }

  /** By location: by cluster, its sums in stored units; empty where the location has no series of the phase. */
  private *sumsInPieces(phase: number, measure: Measure): Pieces<Float64Array[]> {
    const { locations } = this.summary;
    const sum = this.summing(measure);
    return yield* this.sumCache.inPieces(key(phase, ...this.measureKey(measure)), () => {
      const sums = together(locations.map((location) => seriesOf(location, phase)?.clusters ?? 0));
      return mapInPieces(sums, (one, i) => {
        const series = seriesOf(locations[i]!, phase);
        if (series) sum(series, one);
        return one;
      });
    });
  }

  /** By rank: the measure's value by state (joint.ts), NaN where there is no profile. */
  tables(phase: number, measure: Measure): Float64Array[] {
    return finish(this.tablesInPieces(phase, measure));
  }

  *tablesInPieces(phase: number, measure: Measure): Pieces<Float64Array[]> {
    return yield* this.tableCache.inPieces(key(phase, ...this.measureKey(measure)), () => this.makeTables(phase, measure));
  }

  private *makeTables(phase: number, measure: Measure): Pieces<Float64Array[]> {
    const sums = yield* this.sumsInPieces(phase, measure);
    const { ranks } = this.phase(phase);
    const tables = together(ranks.map((rank) => rank.states));
    return yield* mapInPieces(ranks, (rank, i) =>
      this.fillTable(rank, measure, rank.locations.map((location) => sums[location]!), tables[i]!),
    );
  }

  /** Fills TABLE, by state of RANK, with the measure's values; SUMS are those of its series. */
  private fillTable(rank: RankIterations, measure: Measure, sums: Float64Array[], table: Float64Array): Float64Array {
    const divisor = unitDivisor(this.summary.metrics[measure.metric]!);
    return stateValues(rank, sums.map((sum, i) => means(rank.series[i]!, sum, divisor)), table);
  }

  /** That of one rank, without those of the others. */
  private rankTable(phase: number, measure: Measure, rank: number): Float64Array {
    const known = this.tableCache.known(key(phase, ...this.measureKey(measure)));
    if (known) return known[rank]!;
    const one = this.phase(phase).ranks[rank]!;
    const sums = one.series.map((series) => new Float64Array(series.clusters));
    sums.forEach((sum, i) => this.summing(measure)(one.series[i]!, sum));
    return this.fillTable(one, measure, sums, new Float64Array(one.states));
  }

  /** The value of one iteration on one rank (an index); NaN if there is no profile. */
  value(phase: number, measure: Measure, rank: number, iteration: number): number {
    const ids = this.phase(phase).ranks[rank]?.ids;
    if (!ids || iteration < 0 || iteration >= ids.length) return NaN;
    return this.rankTable(phase, measure, rank)[ids[iteration]!]!;
  }

  private *withTables<T>(phase: number, measure: Measure, make: (tables: Float64Array[]) => Pieces<T>): Pieces<T> {
    return yield* make(yield* this.tablesInPieces(phase, measure));
  }

  /*
   * What takes longer for the largest summaries can be made in pieces, too (`Slices` in app.ts): the function
   * whose name says so is a generator that ends with the result.
   */

  /** By iteration: minimum, mean and maximum over RANKS (null: all). */
  series(phase: number, measure: Measure, ranks: Range | null): IterationSeries {
    return finish(this.seriesInPieces(phase, measure, ranks));
  }

  *seriesInPieces(phase: number, measure: Measure, ranks: Range | null): Pieces<IterationSeries> {
    const name = key(phase, ...this.measureKey(measure), ranks);
    return yield* this.seriesCache.inPieces(name, () =>
      this.withTables(phase, measure, (tables) => seriesOverRanks(this.phase(phase), tables, ranks ?? this.allRanks)),
    );
  }

  /** The rank (an index, of RANKS) with the largest value in ITERATION; -1 if none has one. */
  slowest(phase: number, measure: Measure, ranks: Range | null, iteration: number): number {
    return slowestRank(this.phase(phase), this.tables(phase, measure), ranks ?? this.allRanks, iteration);
  }

  /** By iteration: the median over RANKS. */
  medians(phase: number, measure: Measure, ranks: Range | null): Float64Array {
    return finish(this.mediansInPieces(phase, measure, ranks));
  }

  *mediansInPieces(phase: number, measure: Measure, ranks: Range | null): Pieces<Float64Array> {
    const name = key(phase, ...this.measureKey(measure), ranks);
    return yield* this.medianCache.inPieces(name, () =>
      this.withTables(phase, measure, (tables) => medianOverRanks(this.phase(phase), tables, ranks ?? this.allRanks)),
    );
  }

  /** One rank's values by iteration. */
  rankSeries(phase: number, measure: Measure, rank: number): Float64Array {
    const { ids } = this.phase(phase).ranks[rank]!;
    const table = this.rankTable(phase, measure, rank);
    return Float64Array.from({ length: this.phase(phase).iterations }, (_, i) => (i < ids.length ? table[ids[i]!]! : NaN));
  }

  /** The value map of a part of the run, for at most columns × rows pixels. */
  map(phase: number, measure: Measure, view: MapPart, how: PixelValue): ValueMap {
    return finish(this.mapInPieces(phase, measure, view, how));
  }

  *mapInPieces(phase: number, measure: Measure, view: MapPart, how: PixelValue): Pieces<ValueMap> {
    const name = key(phase, ...this.measureKey(measure), view, how);
    return yield* this.mapCache.inPieces(name, () =>
      this.withTables(phase, measure, (tables) => valueMap(this.columns(phase, view), tables, view, how)),
    );
  }

  /** Of the metrics with own values that are METRIC or parts of it: means over RANKS by column. */
  breakdown(phase: number, metric: number, path: number, ranks: Range | null, part: ColumnPart): Breakdown {
    return finish(this.breakdownInPieces(phase, metric, path, ranks, part));
  }

  *breakdownInPieces(phase: number, metric: number, path: number, ranks: Range | null, part: ColumnPart): Pieces<Breakdown> {
    const name = key(phase, metric, path, ranks, part);
    return yield* this.breakdownCache.inPieces(name, () => this.makeBreakdown(phase, metric, path, ranks, part));
  }

  private *makeBreakdown(phase: number, metric: number, path: number, ranks: Range | null, part: ColumnPart): Pieces<Breakdown> {
    const { metrics, used } = this.summary;
    const parts = metricParts(metrics, metric, false);
    const own: { metric: number; tables: Float64Array[]; sum: number }[] = [];
    for (const { index, kind } of metrics) {
      if (!parts[index] || !used[index] || kind === "derived") continue;
      const tables = yield* this.tablesInPieces(phase, { metric: index, ownMetric: true, path, ownPath: false });
      const sum = sumOfTables(tables, this.stateWeights(phase));
      if (sum !== 0) own.push({ metric: index, tables, sum });
    }
    own.sort((a, b) => b.sum - a.sum);
    const columns = this.columns(phase, part);
    const means = yield* meansByColumn(columns, own.map(({ tables }) => tables), ranks ?? this.allRanks);
    return {
      part: { iterations: part.iterations, columns: columns.count },
      metrics: own.map(({ metric }) => metric),
      series: own.map((_, i) => everyNth(means, own.length, i)),
    };
  }

  /** Locations of the scope's ranks. */
  locationsOf(scope: Scope): number[] {
    const [first, last] = scope.ranks ?? this.allRanks;
    return this.summary.ranks.slice(first, last + 1).flatMap((rank) => rank.locations);
  }

  /** By location, null where it is not in the scope or has none: weights of clusters. */
  private weights(scope: Scope): (Float64Array | null)[] {
    const [first, last] = scope.iterations!;
    return this.weightCache.get(key(scope), () => {
      const wanted = new Set(this.locationsOf(scope));
      return this.summary.locations.map((location, i) => {
        const series = wanted.has(i) ? seriesOf(location, scope.phase) : undefined;
        return series ? iterationWeights(series, first, last) : null;
      });
    });
  }

  /** Counts iterations as brushed parts need them, which takes longest in the first of them. */
  *prepareInPieces(phase: number): Pieces<unknown> {
    return yield* mapInPieces(this.summary.locations, (location) => {
      const series = seriesOf(location, phase);
      return series && iterationWeights(series, 0, -1);
    });
  }

  /** How many iterations the scope has: what sums are divided by to have the mean of one; 1 for the whole run. */
  iterationsIn(scope: Scope): number {
    if (!scope.iterations) return 1;
    const end = Math.min(scope.iterations[1] + 1, this.phase(scope.phase).iterations);
    return Math.max(1, end - scope.iterations[0]);
  }

  /** How many profiles of an iteration and rank the scope has, of the whole run how many ranks: what sums are divided by. */
  profilesIn(scope: Scope): number {
    const [first, last] = scope.ranks ?? this.allRanks;
    if (!scope.iterations) return last - first + 1;
    const ranks = this.phase(scope.phase).ranks.slice(first, last + 1);
    return ranks.reduce((sum, rank) => sum + profilesOf(rank, scope.iterations!), 0);
  }

  /**
   * By call path, exclusive over call paths: the sum of METRIC over the scope's ranks and iterations.
   */
  profile(scope: Scope, metric: number, ownMetric: boolean): Float64Array {
    return finish(this.profileInPieces(scope, metric, ownMetric));
  }

  *profileInPieces(scope: Scope, metric: number, ownMetric: boolean): Pieces<Float64Array> {
    const { metrics, paths } = this.summary;
    const parts = metricParts(metrics, metric, ownMetric);
    return yield* this.profileCache.inPieces(key(scope, metric, ownMetric), () =>
      this.sumOver(
        scope,
        new Float64Array(paths.length),
        (series, weights, out) => addByPath(series, parts, weights, out),
        (whole, out) => addCellsByPath(whole, parts, out),
        () => unitDivisor(metrics[metric]!),
      ),
    );
  }

  /** The same inclusive over call paths. */
  inclusiveProfile(scope: Scope, metric: number, ownMetric: boolean): Float64Array {
    return this.profileCache.get(key("inclusive", scope, metric, ownMetric), () => {
      const values = this.profile(scope, metric, ownMetric).slice();
      const { paths } = this.summary;
      for (let p = paths.length - 1; p > 0; p--) values[paths[p]!.parent]! += values[p]!;
      return values;
    });
  }

  /** By path: what `profile` has that no sample has found (unsampled.ts). */
  unsampled(scope: Scope, metric: number, ownMetric: boolean): Float64Array {
    return finish(this.unsampledInPieces(scope, metric, ownMetric));
  }

  *unsampledInPieces(scope: Scope, metric: number, ownMetric: boolean): Pieces<Float64Array> {
    const { summary } = this;
    const [computation, samples] = [findMetric(summary, "computation"), findMetric(summary, "samples")];
    if (computation < 0 || samples < 0 || !metricParts(summary.metrics, metric, ownMetric)[computation]) return new Float64Array(summary.paths.length);
    const taken = yield* this.profileInPieces(scope, samples, false);
    const values = yield* this.profileInPieces(scope, computation, false);
    return unsampledOf(summary, values, taken);
  }

  /** By metric, exclusive over metrics: the sum over the scope of what PATH has. */
  metricValues(scope: Scope, path: number, ownPath: boolean): Float64Array {
    return finish(this.metricValuesInPieces(scope, path, ownPath));
  }

  *metricValuesInPieces(scope: Scope, path: number, ownPath: boolean): Pieces<Float64Array> {
    const { metrics } = this.summary;
    const range = this.range({ metric: 0, ownMetric: false, path, ownPath });
    return yield* this.profileCache.inPieces(key("metrics", scope, path, ownPath), () =>
      this.sumOver(
        scope,
        new Float64Array(metrics.length),
        this.isAll(range) ? addTotalsByMetric : (series, weights, out) => addByMetric(series, range, weights, out),
        (whole, out) => addCellsByMetric(whole, range, out),
        (m) => unitDivisor(metrics[m]!),
      ),
    );
  }

  /** OUT, to which ADD adds what iterations have, or ADD_WHOLE the whole run of each location in SCOPE; and divided. */
  private *sumOver(
    scope: Scope,
    out: Float64Array,
    add: (series: Series, weights: Float64Array, out: Float64Array) => void,
    addWhole: (whole: Profile, out: Float64Array) => void,
    divisor: (i: number) => number,
  ): Pieces<Float64Array> {
    const { locations } = this.summary;
    const weights = scope.iterations && this.weights(scope);
    yield* mapInPieces(this.locationsOf(scope), (i) => {
      if (!weights) addWhole(locations[i]!.whole, out);
      else if (weights[i]) add(seriesOf(locations[i]!, scope.phase)!, weights[i], out);
    });
    return out.map((value, i) => value / divisor(i));
  }

  /** The same inclusive over metrics. */
  inclusiveMetricValues(scope: Scope, path: number, ownPath: boolean): Float64Array {
    const values = this.metricValues(scope, path, ownPath).slice();
    const { metrics } = this.summary;
    for (let m = metrics.length - 1; m >= 0; m--)
      if (metrics[m]!.parent >= 0) values[metrics[m]!.parent]! += values[m]!;
    return values;
  }

  /** By location, in stored units: the measure's sum over the scope; NaN where there is none. */
  private *storedByLocation(scope: Scope, measure: Measure): Pieces<Float64Array> {
    const name = key("locations", scope, ...this.measureKey(measure));
    return yield* this.profileCache.inPieces(name, () => this.makeStoredByLocation(scope, measure));
  }

  private *makeStoredByLocation(scope: Scope, measure: Measure): Pieces<Float64Array> {
    const out = new Float64Array(this.summary.locations.length).fill(NaN);
    if (scope.iterations) {
      const sums = yield* this.sumsInPieces(scope.phase, measure);
      this.weights(scope).forEach((weight, i) => {
        if (weight) out[i] = weight.reduce((sum, w, k) => sum + w * sums[i]![k]!, 0);
      });
      return out;
    }
    const parts = metricParts(this.summary.metrics, measure.metric, measure.ownMetric);
    const range = this.range(measure);
    yield* mapInPieces(this.locationsOf(scope), (i) => (out[i] = cellSum(this.summary.locations[i]!.whole, parts, range)));
    return out;
  }

  /** By location: the measure's sum over the scope; NaN for locations that are not in it or have none of it. */
  byLocation(scope: Scope, measure: Measure): Float64Array {
    return finish(this.byLocationInPieces(scope, measure));
  }

  *byLocationInPieces(scope: Scope, measure: Measure): Pieces<Float64Array> {
    const values = yield* this.storedByLocation(scope, measure);
    return divide(values.slice(), unitDivisor(this.summary.metrics[measure.metric]!));
  }

  /** By rank (index): sums over its threads; NaN for ranks that are not in the scope or have none of it. */
  byRank(scope: Scope, measure: Measure): Float64Array {
    return finish(this.byRankInPieces(scope, measure));
  }

  *byRankInPieces(scope: Scope, measure: Measure): Pieces<Float64Array> {
    const values = yield* this.storedByLocation(scope, measure);
    const sums = Float64Array.from(this.summary.ranks, (rank) => {
      const present = rank.locations.map((i) => values[i]!).filter((value) => value === value);
      return present.length ? present.reduce((sum, value) => sum + value, 0) : NaN;
    });
    return divide(sums, unitDivisor(this.summary.metrics[measure.metric]!));
  }
}

/** WEIGHTS[rank][state] times what TABLES have there. */
function sumOfTables(tables: Float64Array[], weights: Float64Array[]): number {
  let sum = 0;
  tables.forEach((table, rank) => {
    const weight = weights[rank]!;
    for (let state = 0; state < table.length; state++) if (weight[state]) sum += weight[state]! * (table[state]! || 0);
  });
  return sum;
}

/** VALUES[first], and every STEP-th after it. */
function everyNth(values: Float64Array, step: number, first: number): Float64Array {
  return Float64Array.from({ length: values.length / step }, (_, i) => values[i * step + first]!);
}

/** Arrays of these LENGTHS, of zeros, that lie in one: thousands of their own take long to make and to collect. */
function together(lengths: number[]): Float64Array[] {
  const all = new Float64Array(lengths.reduce((sum, length) => sum + length, 0));
  let end = 0;
  return lengths.map((length) => all.subarray(end, (end += length)));
}

function bytesOfAll(arrays: Float64Array[]): number {
  return arrays.reduce((sum, array) => sum + array.byteLength, 0);
}

/** By cluster: the mean of an iteration, in the unit. */
function means({ sizes }: Series, sums: Float64Array, divisor: number): Float64Array {
  const values = new Float64Array(sums.length);
  for (let k = 0; k < values.length; k++) values[k] = sums[k]! / (sizes[k]! * divisor);
  return values;
}

function divide(values: Float64Array, divisor: number): Float64Array {
  for (let i = 0; i < values.length; i++) values[i]! /= divisor;
  return values;
}
