/* Answers of the model, compared with what a plain loop over iterations and ranks makes of single values. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterError, qualityOf } from "../src/model/error";
import { Model } from "../src/model/model";
import { finish, median } from "../src/model/iterations";
import { Cache, Measure, Range, Scope } from "../src/model/scope";
import { findMetric, findPath, pathNames } from "../src/model/summary";
import { NAMES, golden } from "./golden";

const WITH_ITERATIONS = NAMES.filter((name) => golden(name).keptPhases.length > 0);

function close(value: number, wanted: number, text: string): void {
  assert.ok(Math.abs(value - wanted) <= 1e-12 * Math.max(Math.abs(wanted), 1e-9), `${text}: ${value}, not ${wanted}`);
}

/** Every phase with several parts of its iterations and ranks. */
function scopes(model: Model): Scope[] {
  const last = model.allRanks[1];
  return model.keptPhases.flatMap((phase) => {
    const end = model.phase(phase).iterations - 1;
    const iterations: Range[] = [[0, end], [0, 0], [Math.floor(end / 3), Math.max(Math.floor(end / 3), end - 1)], [end, end + 5]];
    return iterations.flatMap((range) => [null, [last, last] as Range].map((ranks) => ({ phase, iterations: range, ranks })));
  });
}

/** The sum of single iterations' values. */
function summed(model: Model, scope: Scope, measure: Measure): number {
  const [first, last] = scope.ranks ?? model.allRanks;
  let sum = 0;
  for (let rank = first; rank <= last; rank++)
    for (let i = scope.iterations![0]; i <= scope.iterations![1]; i++)
      sum += model.value(scope.phase, measure, rank, i) || 0;
  return sum;
}

for (const name of WITH_ITERATIONS) {
  const model = golden(name);
  const { summary } = model;
  const time = findMetric(summary, "time");
  const metrics = ["time", "mpi", "visits", "bytes"].map((metric) => findMetric(summary, metric));

  test(`${name}: a profile by call path is the sum of the iterations'`, () => {
    for (const scope of scopes(model))
      for (const metric of metrics) {
        const profile = model.profile(scope, metric, false);
        const inclusive = model.inclusiveProfile(scope, metric, false);
        for (const { index } of summary.paths) {
          close(profile[index]!, summed(model, scope, { metric, ownMetric: false, path: index, ownPath: true }), "exclusive");
          close(inclusive[index]!, summed(model, scope, { metric, ownMetric: false, path: index, ownPath: false }), "inclusive");
        }
      }
  });

  test(`${name}: values by metric, by rank and of all call paths agree`, () => {
    for (const scope of scopes(model)) {
      for (const path of [0, Math.min(1, summary.paths.length - 1), summary.paths.length - 1]) {
        const values = model.inclusiveMetricValues(scope, path, false);
        for (const metric of metrics) {
          close(values[metric]!, model.inclusiveProfile(scope, metric, false)[path]!, "metric");
          const ranks = model.byRank(scope, { metric, ownMetric: false, path, ownPath: false });
          close(ranks.reduce((sum, value) => sum + (value || 0), 0), values[metric]!, "ranks");
        }
      }
    }
  });

  test(`${name}: profiles are counted where there are values`, () => {
    for (const scope of scopes(model)) {
      const [first, last] = scope.ranks ?? model.allRanks;
      let count = 0;
      for (let rank = first; rank <= last; rank++)
        for (let i = scope.iterations![0]; i <= scope.iterations![1]; i++)
          if (!Number.isNaN(model.value(scope.phase, { metric: time, ownMetric: false, path: 0, ownPath: false }, rank, i))) count++;
      assert.equal(model.profilesIn(scope), count);
    }
  });

  test(`${name}: series have minimum, mean, median and maximum of the ranks`, () => {
    const measure = { metric: time, ownMetric: false, path: 0, ownPath: false };
    for (const phase of model.keptPhases) {
      const series = model.series(phase, measure, null);
      const medians = model.medians(phase, measure, null);
      for (let i = 0; i < model.phase(phase).iterations; i++) {
        const values = summary.ranks.map((rank) => model.value(phase, measure, rank.index, i)).filter((value) => !Number.isNaN(value));
        assert.equal(series.count[i], values.length);
        if (values.length === 0) {
          assert.ok(Number.isNaN(series.min[i]) && Number.isNaN(series.mean[i]) && Number.isNaN(medians[i]));
          continue;
        }
        const sorted = [...values].sort((a, b) => a - b);
        assert.equal(series.min[i], sorted[0]);
        assert.equal(series.max[i], sorted[sorted.length - 1]);
        assert.equal(model.value(phase, measure, model.slowest(phase, measure, null, i), i), series.max[i]);
        close(series.mean[i]!, values.reduce((sum, value) => sum + value, 0) / values.length, "mean");
        close(medians[i]!, (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2, "median");
      }
    }
  });

  test(`${name}: the breakdown adds up to the whole`, () => {
    const phase = model.keptPhases[0]!;
    const iterations: Range = [0, model.phase(phase).iterations - 1];
    const { series } = model.breakdown(phase, time, 0, null, { iterations, columns: Infinity });
    const mean = model.series(phase, { metric: time, ownMetric: false, path: 0, ownPath: false }, null).mean;
    mean.forEach((value, i) => {
      if (value === value) close(series.reduce((sum, one) => sum + one[i]!, 0), value, `iteration ${i}`);
    });
  });

  test(`${name}: a column of the breakdown is the mean of its iterations and ranks`, () => {
    const phase = model.keptPhases[0]!;
    const last = model.phase(phase).iterations - 1;
    for (const ranks of [null, [0, 0]] as (Range | null)[]) {
      const whole = model.breakdown(phase, time, 0, ranks, { iterations: [0, last], columns: 1 });
      whole.metrics.forEach((metric, m) => {
        const scope: Scope = { phase, iterations: [0, last], ranks };
        close(whole.series[m]![0]!, model.metricValues(scope, 0, false)[metric]! / model.profilesIn(scope), summary.metrics[metric]!.name);
      });
    }
  });

  test(`${name}: errors are those that spreads and maxima have`, () => {
    for (const phase of model.keptPhases) {
      const quality = qualityOf(summary, phase);
      const squares = new Map<number, number>();
      for (const { series } of summary.locations)
        for (const one of series.filter((s) => s.phase === phase))
          for (let k = 0; k < one.clusters; k++)
            one.maximumMetrics.forEach((metric) => {
              const error = clusterError(quality, one, k, metric) * quality.maxima[metric]!;
              squares.set(metric, (squares.get(metric) ?? 0) + error * error * one.sizes[k]!);
            });
      squares.forEach((sum, metric) => close(quality.errors[metric]!, Math.sqrt(sum / quality.iterations) / quality.maxima[metric]!, "error"));
    }
  });
}

test("paths are found by their names", () => {
  for (const name of NAMES) {
    const { summary } = golden(name);
    for (const { index } of summary.paths) assert.equal(findPath(summary, pathNames(summary, index)), index);
  }
});

test("what several want is made once, in turns, and begun again if all let go", () => {
  const cache = new Cache<number[]>(2);
  let begun = 0;
  function* make() {
    begun++;
    yield;
    yield;
    return [begun];
  }
  const [one, two] = [cache.inPieces("a", make), cache.inPieces("a", make)];
  assert.ok(!one.next().done && !two.next().done);
  const made = one.next().value;
  assert.deepEqual(made, [1]);
  assert.equal(two.next().value, made);
  assert.equal(finish(cache.inPieces("a", make)), made);
  const dropped = cache.inPieces("b", make);
  dropped.next();
  dropped.return([]);
  assert.deepEqual(finish(cache.inPieces("b", make)), [3]);
});

test("a table is made in pieces, and one rank's number needs none of the others'", () => {
  const model = golden(WITH_ITERATIONS[0]!);
  const phase = model.keptPhases[0]!;
  const measure = { metric: findMetric(model.summary, "time"), ownMetric: false, path: 1, ownPath: true };
  const alone = model.value(phase, measure, 0, 0);
  assert.equal(alone, model.tables(phase, measure)[0]![model.phase(phase).ranks[0]!.ids[0]!]);
  assert.equal(model.value(phase, measure, 0, 0), alone);
});

test("the median is that of the sorted values", () => {
  for (let n = 1; n < 60; n++)
    for (const spread of [1, 3, 1000]) {
      const values = Float64Array.from({ length: n }, (_, i) => (i * 7919 * 31) % spread);
      const sorted = values.slice().sort();
      assert.equal(median(values, n), (sorted[(n - 1) >> 1]! + sorted[n >> 1]!) / 2);
    }
});
