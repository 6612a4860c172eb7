/* Numbers by rank over a range of iterations, members of clusters. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Series } from "../src/format/location";
import { finish } from "../src/model/iterations";
import { PhaseIterations, phaseIterations, stateValues } from "../src/model/joint";
import { medianIteration, membersOf } from "../src/model/members";
import { imbalance, statisticsByRank } from "../src/model/ranks";
import { Summary } from "../src/model/summary";

function seriesOf(ids: number[], clusters: number): Series {
  return { clusters, ids: Uint8Array.from(ids) } as unknown as Series;
}

function phaseOf(...ranks: Series[][]): PhaseIterations {
  return {
    phase: 0,
    iterations: Math.max(...ranks.flat().map((series) => series.ids.length)),
    ranks: ranks.map((series, rank) => {
      const [one] = series as [Series];
      const states = one.clusters + 2;
      return { rank, series, locations: [rank], states, ids: one.ids, members: Int32Array.from({ length: states }, (_, i) => i) };
    }),
  };
}

test("statistics of a rank are those of the iterations asked for, lost ones left out", () => {
  /* Cluster 2 stands for lost iterations. */
  const phase = phaseOf([seriesOf([0, 0, 1, 2, 1], 2)], [seriesOf([0, 0], 1)]);
  const tables = [[10, 30], [5]].map((values, rank) => stateValues(phase.ranks[rank]!, [Float64Array.from(values)]));
  const { min, mean, max, count } = statisticsByRank(phase, tables, [1, 4], [0, 1]);
  assert.deepEqual([min[0], mean[0], max[0], count[0]], [10, 70 / 3, 30, 3]);
  assert.deepEqual([min[1], mean[1], max[1], count[1]], [5, 5, 5, 1], "a rank that ended earlier");
  const none = statisticsByRank(phase, tables, [3, 3], [0, 0]);
  assert.ok(Number.isNaN(none.mean[0]) && none.count[0] === 0, "only a lost iteration");
  assert.ok(Number.isNaN(none.mean[1]), "a rank that is not asked for");
});

test("imbalance is 0 of equal values, 1 if one rank has everything, and unknown of one rank or below 0", () => {
  assert.equal(imbalance(2, 2, 2, 3), 0);
  assert.equal(imbalance(0, 2, 8, 4), 1);
  assert.equal(imbalance(1, 2, 4, 3), 0.75);
  for (const [min, mean, max, ranks] of [[1, 1, 1, 1], [0, 0, 0, 2], [-1, 1, 3, 2]] as const)
    assert.ok(Number.isNaN(imbalance(min, mean, max, ranks)));
});

test("statistics of ranks with several threads come from their states", () => {
  const threads = [seriesOf([0, 0, 1], 2), seriesOf([0, 1, 1], 2)];
  const states = Int32Array.from([0, 0, 0, 1, 1, 1]);
  const phase: PhaseIterations = {
    phase: 0,
    iterations: 3,
    ranks: [{ rank: 0, series: threads, locations: [0, 1], states: 3, ids: Uint8Array.from([0, 1, 2]), members: states }],
  };
  const tables = [stateValues(phase.ranks[0]!, [Float64Array.from([1, 2]), Float64Array.from([10, 20])])];
  const { min, mean, max } = statisticsByRank(phase, tables, [1, 2], [0, 0]);
  assert.deepEqual([min[0], mean[0], max[0]], [21, 21.5, 22]);
});

test("states of threads are what all of them are in, each once, whatever they are and however they end", () => {
  for (const clusters of [2, 30000]) {
    const threads = [40, 60, 0, 50].map((length, t) =>
      seriesOf(Array.from({ length }, (_, i) => (i * (t + 3)) % Math.min(clusters + 2, 256)), clusters),
    );
    const locations = threads.map((series) => ({ series: [Object.assign(series, { phase: 0 })] }));
    const summary = { ranks: [{ index: 0, locations: [0, 1, 2, 3] }], locations } as unknown as Summary;
    const { ids, members, states } = finish(phaseIterations(summary, 0)).ranks[0]!;
    const tuple = (state: number): string => members.slice(state * 4, state * 4 + 4).join();
    assert.equal(ids.length, 60);
    ids.forEach((state, i) => assert.equal(tuple(state), threads.map((one) => one.ids[i] ?? -1).join()));
    assert.equal(new Set(Array.from({ length: states }, (_, state) => tuple(state))).size, states);
    assert.equal(new Set(ids).size, states);
  }
});

test("members of a cluster are ranges that do not touch", () => {
  const series = seriesOf([0, 0, 1, 0, 1, 1, 0], 2);
  assert.deepEqual(membersOf(series, 0), [[0, 1], [3, 3], [6, 6]]);
  assert.deepEqual(membersOf(series, 1), [[2, 2], [4, 5]]);
});

test("the median iteration is one of those in the range that have a value", () => {
  const values = Float64Array.from([9, 1, NaN, 5, 3, 100]);
  assert.equal(medianIteration(values, [0, 4]), 4);
  assert.equal(medianIteration(values, [1, 3]), 1);
  assert.equal(medianIteration(values, [2, 2]), -1);
});
