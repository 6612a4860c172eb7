/* Sums of stored values: of rows, of ranks, and of more than 2^53. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Series } from "../src/format/location";
import { finish, seriesOverRanks } from "../src/model/iterations";
import { PhaseIterations } from "../src/model/joint";
import { PathRange, addByCluster, addByMetric, addByPath, idCounts } from "../src/model/sums";

const CLUSTERS = 3;

/** Rows [metric, path], ascending, with values from VALUE; every second row is of small numbers. */
function seriesOf(rows: [number, number][], value: (row: number, cluster: number) => number): Series {
  const at = rows.map((_, row) => (row % 2 ? CLUSTERS * (row >> 1) : -1 - CLUSTERS * (row >> 1)));
  const of = (odd: number): number[] =>
    rows.flatMap((_, row) => (row % 2 === odd ? Array.from({ length: CLUSTERS }, (_, k) => value(row, k)) : []));
  return {
    clusters: CLUSTERS,
    rowMetric: Uint16Array.from(rows, ([metric]) => metric),
    rowPath: Uint32Array.from(rows, ([, path]) => path),
    at: Int32Array.from(at),
    small: Int32Array.from(of(1)),
    wide: Float64Array.from(of(0)),
  } as unknown as Series;
}

function sumsOf(series: Series, parts: number[], range: PathRange): Float64Array {
  const sums = new Float64Array(CLUSTERS);
  addByCluster(series, Uint8Array.from(parts), range, sums);
  return sums;
}

test("sums are of the rows of the metrics and call paths that are asked for", () => {
  const rows: [number, number][] = [[0, 0], [0, 3], [0, 4], [2, 1], [2, 3], [2, 9], [3, 3]];
  const value = (row: number, k: number): number => 10 ** row * (k + 1);
  const series = seriesOf(rows, value);
  const weights = Float64Array.of(1, 0.5, 2);
  for (const range of [{ from: 0, end: 10 }, { from: 3, end: 5 }, { from: 4, end: 9 }, { from: 5, end: 5 }])
    for (const parts of [[1, 0, 0, 0], [0, 1, 1, 0], [1, 1, 1, 1]]) {
      const wanted = new Float64Array(CLUSTERS);
      rows.forEach(([metric, path], row) => {
        if (parts[metric] && path >= range.from && path < range.end) wanted.forEach((_, k) => (wanted[k]! += value(row, k)));
      });
      assert.deepEqual(sumsOf(series, parts, range), wanted);
    }
  const byPath = new Float64Array(10);
  addByPath(series, Uint8Array.of(0, 1, 1, 0), weights, byPath);
  assert.deepEqual([...byPath], [0, 8e3, 0, 8e4, 0, 0, 0, 0, 0, 8e5]);
  const byMetric = new Float64Array(4);
  addByMetric(series, { from: 3, end: 5 }, weights, byMetric);
  assert.deepEqual([...byMetric], [880, 0, 8e4, 8e6]);
});

test("sums above 2^53 are wrong by less than a part in 10^12", () => {
  const value = (row: number, k: number): number => 2 ** 44 + 12345 * row + k;
  const rows = Array.from({ length: 2000 }, (_, path): [number, number] => [0, path]);
  const small = seriesOf(rows, (row, k) => (row % 2 ? 12345 * row + k : value(row, k)));
  const sums = sumsOf(small, [1], { from: 0, end: 2000 });
  sums.forEach((sum, k) => {
    const exact = rows.reduce((all, _, row) => all + BigInt(row % 2 ? 12345 * row + k : value(row, k)), 0n);
    assert.ok(exact > 2n ** 53n);
    const wrong = exact - BigInt(sum);
    assert.ok((wrong < 0n ? -wrong : wrong) * 10n ** 12n < exact, `${sum}, not ${exact}`);
  });
});

test("iterations are counted from any to any, however many states there are", () => {
  for (const [width, Kind] of [[7, Uint8Array], [3000, Uint16Array]] as const) {
    const ids = Kind.from({ length: 7000 }, (_, i) => (i * i) % width);
    for (const [first, last] of [[0, 6999], [5, 5], [1023, 2048], [2999, 6001], [6999, 9000], [0, -1]] as const) {
      const wanted = new Float64Array(width);
      for (let i = first; i <= Math.min(last, 6999); i++) wanted[ids[i]!]!++;
      assert.deepEqual(idCounts(ids, width, first, last), wanted, `${first} to ${last} of ${width}`);
    }
  }
});

test("a series over ranks has least, mean and most of all of them, also of those that are not whole", () => {
  const lengths = [9, 9, 9, 5, 9, 9, 9, 9, 9, 9, 9];
  const ranks = lengths.map((length, rank) => ({
    rank,
    series: [{ lost: rank === 6 ? 1 : 0, unmapped: 0 } as Series],
    locations: [rank],
    states: 4,
    ids: Uint8Array.from({ length }, (_, i) => (rank === 6 && i === 4 ? 3 : (i * rank) % 3)),
    members: new Int32Array(0),
  }));
  const phase: PhaseIterations = { phase: 0, iterations: 9, ranks };
  const tables = ranks.map(({ rank }) => Float64Array.of(rank * 7 % 11, rank * 5 % 13, rank * 3 % 7, NaN));
  for (const [first, last] of [[0, 10], [2, 9], [3, 3], [4, 6]] as const) {
    const series = finish(seriesOverRanks(phase, tables, [first, last]));
    for (let i = 0; i < 9; i++) {
      const values: number[] = [];
      for (let r = first; r <= last; r++) if (i < lengths[r]!) values.push(tables[r]![ranks[r]!.ids[i]!]!);
      const known = values.filter((value) => !Number.isNaN(value));
      assert.equal(series.count[i], known.length);
      assert.equal(series.min[i], known.length ? Math.min(...known) : NaN);
      assert.equal(series.max[i], known.length ? Math.max(...known) : NaN);
      const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
      assert.ok(known.length ? Math.abs(series.mean[i]! - mean) < 1e-12 : Number.isNaN(series.mean[i]));
    }
  }
});
