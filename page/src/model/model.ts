/*
 * Questions about a summary, with answers in the metric's unit.  No DOM.  Every function is quick enough to be
 * called while somebody drags (some 10 ms for the largest summaries); results are cached and must not be changed.
 */
import { Profile, Series } from "../format/location";
import { Quality, qualityOf } from "./error";
import { IterationSeries, Pieces, finish, mapInPieces, meansOverRanks, medianOverRanks, seriesOverRanks } from "./iterations";
import { PhaseIterations, RankIterations, phaseIterations, stateValues } from "./joint";
import { profilesOf } from "./ranks";
import { Cache, Measure, Range, Scope, key } from "./scope";
import { Summary, metricParts, seriesOf, unitDivisor } from "./summary";
import {
  PathRange,
  addByMetric,
  addByPath,
  addTotalsByMetric,
  clusterSums,
  clusterTotals,
  iterationCounts,
  iterationWeights,
} from "./sums";
import { MapPart, PixelValue, ValueMap, valueMap } from "./valuemap";

export interface Breakdown {
  /** Metrics with values of their own, largest first. */
  metrics: number[];
  /** For each of them, by iteration: the mean over ranks. */
  series: Float64Array[];
}

export class Model {
  private readonly phaseCache = new Map<number, PhaseIterations>();
  private readonly qualityCache = new Map<number, Quality>();
  private readonly sumCache = new Cache<Float64Array[]>(12, bytesOfAll);
  private readonly tableCache = new Cache<Float64Array[]>(48, bytesOfAll);
  private readonly seriesCache = new Cache<IterationSeries>(16);
  private readonly medianCache = new Cache<Float64Array>(8);
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
    let found = this.phaseCache.get(phase);
    if (!found) this.phaseCache.set(phase, (found = phaseIterations(this.summary, phase)));
    return found;
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

  /** Of a series: by cluster, its sums in stored units. */
  private summing(measure: Measure): (series: Series) => Float64Array {
    const parts = metricParts(this.summary.metrics, measure.metric, measure.ownMetric);
    const range = this.range(measure);
    return this.isAll(range) ? (series) => clusterTotals(series, parts) : (series) => clusterSums(series, parts, range);
  }

  /** By location: by cluster, its sums in stored units; empty where the location has no series of the phase. */
  private *sumsInPieces(phase: number, measure: Measure): Pieces<Float64Array[]> {
    const { locations } = this.summary;
    const sum = this.summing(measure);
    const none = new Float64Array(0);
    return yield* this.sumCache.inPieces(key(phase, ...this.measureKey(measure)), () =>
      mapInPieces(locations, (location) => {
        const series = seriesOf(location, phase);
        return series ? sum(series) : none;
      }),
    );
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
    return yield* mapInPieces(this.phase(phase).ranks, (rank) =>
      this.table(rank, measure, rank.locations.map((location) => sums[location]!)),
    );
  }

  /** By state of RANK: the measure's value; SUMS are those of its series. */
  private table(rank: RankIterations, measure: Measure, sums: Float64Array[]): Float64Array {
    const divisor = unitDivisor(this.summary.metrics[measure.metric]!);
    return stateValues(rank, sums.map((sum, i) => means(rank.series[i]!, sum, divisor)));
  }

  /** That of one rank, without those of the others. */
  private rankTable(phase: number, measure: Measure, rank: number): Float64Array {
    const known = this.tableCache.known(key(phase, ...this.measureKey(measure)));
    if (known) return known[rank]!;
    const one = this.phase(phase).ranks[rank]!;
    return this.table(one, measure, one.series.map(this.summing(measure)));
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
      this.withTables(phase, measure, (tables) => valueMap(this.phase(phase), tables, view, how)),
    );
  }

  /** Of the metrics with own values that are METRIC or parts of it: means over RANKS by iteration. */
  breakdown(phase: number, metric: number, path: number, ranks: Range | null): Breakdown {
    return finish(this.breakdownInPieces(phase, metric, path, ranks));
  }

  *breakdownInPieces(phase: number, metric: number, path: number, ranks: Range | null): Pieces<Breakdown> {
    const name = key(phase, metric, path, ranks);
    return yield* this.breakdownCache.inPieces(name, () => this.makeBreakdown(phase, metric, path, ranks));
  }

  private *makeBreakdown(phase: number, metric: number, path: number, ranks: Range | null): Pieces<Breakdown> {
    const { metrics, used } = this.summary;
    const parts = metricParts(metrics, metric, false);
    const own = metrics.filter((m) => parts[m.index] && used[m.index] && m.kind !== "derived").map((m) => m.index);
    const tables: Float64Array[][] = [];
    for (const m of own) tables.push(yield* this.tablesInPieces(phase, { metric: m, ownMetric: true, path, ownPath: false }));
    const series = yield* meansOverRanks(this.phase(phase), tables, ranks ?? this.allRanks);
    const order = own
      .map((m, i) => ({ m, series: series[i]!, sum: series[i]!.reduce((sum, value) => sum + (value || 0), 0) }))
      .filter((one) => one.sum !== 0)
      .sort((a, b) => b.sum - a.sum);
    return { metrics: order.map((one) => one.m), series: order.map((one) => one.series) };
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
      return series && iterationCounts(series, 0, -1);
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
    return this.profileCache.get(key(scope, metric, ownMetric), () => {
      const { summary } = this;
      const parts = metricParts(summary.metrics, metric, ownMetric);
      const out = new Float64Array(summary.paths.length);
      if (scope.iterations) {
        const weights = this.weights(scope);
        summary.locations.forEach((location, i) => {
          if (weights[i]) addByPath(seriesOf(location, scope.phase)!, parts, weights[i], out);
        });
      } else {
        for (const i of this.locationsOf(scope))
          eachCell(summary.locations[i]!.whole, (m, path, value) => {
            if (parts[m]) out[path]! += value;
          });
      }
      return divide(out, unitDivisor(summary.metrics[metric]!));
    });
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

  /** By metric, exclusive over metrics: the sum over the scope of what PATH has. */
  metricValues(scope: Scope, path: number, ownPath: boolean): Float64Array {
    return this.profileCache.get(key("metrics", scope, path, ownPath), () => {
      const { summary } = this;
      const range = this.range({ metric: 0, ownMetric: false, path, ownPath });
      const out = new Float64Array(summary.metrics.length);
      if (scope.iterations) this.addMetrics(scope, range, out);
      else
        for (const i of this.locationsOf(scope))
          eachCell(summary.locations[i]!.whole, (m, p, value) => {
            if (p >= range.from && p < range.end) out[m]! += value;
          });
      return out.map((value, m) => value / unitDivisor(summary.metrics[m]!));
    });
  }

  private addMetrics(scope: Scope, range: PathRange, out: Float64Array): void {
    const weights = this.weights(scope);
    this.summary.locations.forEach((location, i) => {
      if (!weights[i]) return;
      const series = seriesOf(location, scope.phase)!;
      if (this.isAll(range)) addTotalsByMetric(series, weights[i], out);
      else addByMetric(series, range, weights[i], out);
    });
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
    yield* mapInPieces(this.locationsOf(scope), (i) => (out[i] = this.wholeRun(i, parts, range)));
    return out;
  }

  private wholeRun(location: number, parts: Uint8Array, range: PathRange): number {
    let sum = 0;
    eachCell(this.summary.locations[location]!.whole, (m, p, value) => {
      if (parts[m] && p >= range.from && p < range.end) sum += value;
    });
    return sum;
  }

  /** By location: the measure's sum over the scope; NaN for locations that are not in it or have none of it. */
  byLocation(scope: Scope, measure: Measure): Float64Array {
    return divide(finish(this.storedByLocation(scope, measure)).slice(), unitDivisor(this.summary.metrics[measure.metric]!));
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

function bytesOfAll(arrays: Float64Array[]): number {
  return arrays.reduce((sum, array) => sum + array.byteLength, 0);
}

/** By cluster: the mean of an iteration, in the unit. */
function means(series: Series, sums: Float64Array, divisor: number): Float64Array {
  return sums.map((sum, k) => sum / (series.sizes[k]! * divisor));
}

function divide(values: Float64Array, divisor: number): Float64Array {
  for (let i = 0; i < values.length; i++) values[i]! /= divisor;
  return values;
}

function eachCell(profile: Profile, take: (metric: number, path: number, value: number) => void): void {
  for (let i = 0; i < profile.values.length; i++) take(profile.metrics[i]!, profile.paths[i]!, profile.values[i]!);
}
