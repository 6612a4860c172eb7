/* The value map: bins, what they hold, and colours. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Range } from "../src/model/scope";
import { PhaseIterations } from "../src/model/joint";
import { Columns, binOf, binStart, meansByColumn } from "../src/model/columns";
import { PixelValue, binsFor, makeScale, valueMap } from "../src/model/valuemap";
import { finish } from "../src/model/iterations";

/** RANKS ranks that are in state (rank * 7 + iteration * 3) % STATES; the last state has no profile. */
function invented(ranks: number, iterations: number, states: number): { phase: PhaseIterations; tables: Float64Array[] } {
  const tables = Array.from({ length: ranks }, (_, r) =>
    Float64Array.from({ length: states }, (_, s) => (s === states - 1 ? NaN : (s * 31 + r * 17) % 101)),
  );
  const phase: PhaseIterations = {
    phase: 0,
    iterations,
    ranks: tables.map((_, r) => ({
      rank: r,
      series: [],
      locations: [r],
      states,
      ids: Uint8Array.from({ length: iterations - (r % 3) }, (_, i) => (r * 7 + i * 3) % states),
      members: new Int32Array(0),
    })),
  };
  return { phase, tables };
}

const among: Record<PixelValue, (values: number[]) => number> = {
  mean: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  median: (values) => {
    const sorted = [...values].sort((a, b) => a - b);
    return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
  },
};

test("each pixel has what is asked for of the values in it", () => {
  const { phase, tables } = invented(11, 50, 6);
  for (const how of ["mean", "min", "max", "median"] as const)
    for (const [iterations, ranks, columns, rows] of [
      [[0, 49], [0, 10], 7, 3],
      [[13, 40], [2, 9], 28, 8],
      [[48, 49], [0, 10], 100, 100],
      [[5, 5], [3, 3], 9, 9],
    ] as [Range, Range, number, number][]) {
      const cut = new Columns(phase, iterations, binsFor(iterations, columns));
      /* What is asked for again is counted. */
      const first = finish(valueMap(cut, tables, { iterations, ranks, columns, rows }, how));
      const map = finish(valueMap(cut, tables, { iterations, ranks, columns, rows }, how));
      map.values.forEach((value, i) => assert.ok(Object.is(value, first.values[i]!) || Math.abs(value - first.values[i]!) < 1e-9));
      assert.equal(map.columns, Math.min(columns, iterations[1] - iterations[0] + 1));
      for (let row = 0; row < map.rows; row++)
        for (let column = 0; column < map.columns; column++) {
          const values: number[] = [];
          for (let r = binStart(ranks, map.rows, row); r < binStart(ranks, map.rows, row + 1); r++)
            for (let i = binStart(iterations, map.columns, column); i < binStart(iterations, map.columns, column + 1); i++) {
              const id = phase.ranks[r]!.ids[i];
              const value = id === undefined ? NaN : tables[r]![id]!;
              if (!Number.isNaN(value)) values.push(value);
            }
          const value = map.values[row * map.columns + column]!;
          if (values.length === 0) assert.ok(Number.isNaN(value));
          else assert.ok(Math.abs(value - among[how](values)) < 1e-9, `${how}: ${value} of ${values}`);
        }
    }
});

test("every member is in the bin that begins at or before it", () => {
  for (const range of [[0, 0], [3, 99], [0, 19999]] as Range[])
    for (const count of [1, 2, 7, 1188].filter((n) => n <= range[1] - range[0] + 1)) {
      assert.equal(binStart(range, count, 0), range[0]);
      assert.equal(binStart(range, count, count), range[1] + 1);
      for (let member = range[0]; member <= range[1]; member += 1 + Math.floor(range[1] / 500)) {
        const bin = binOf(range, count, member);
        assert.ok(binStart(range, count, bin) <= member && member < binStart(range, count, bin + 1));
      }
    }
});

test("scales take the least value to 0, the largest to 1, and back", () => {
  const values = Float64Array.from({ length: 5000 }, (_, i) => 1 + ((i * 7919) % 4999) ** 3);
  for (const colouring of ["linear", "zero", "equalised"] as const) {
    const scale = makeScale(values, colouring);
    assert.equal(scale.max, Math.max(...values));
    assert.equal(scale.min, 1);
    assert.equal(scale.position(scale.max), 1);
    assert.equal(scale.position(colouring === "zero" ? 0 : 1), 0);
    assert.ok(values.every((value) => scale.side(value) === 0));
    assert.ok(Number.isNaN(scale.position(NaN)));
    let before = -1;
    for (const value of values.slice().sort()) {
      const position = scale.position(value);
      assert.ok(position >= before && position <= 1);
      assert.ok(Math.abs(scale.value(position) - value) <= 1e-6 * scale.max);
      before = position;
    }
  }
});

test("percentiles leave out a few of the largest and the least, and say which", () => {
  const values = Float64Array.from({ length: 1000 }, (_, i) => 100 + i / 10);
  values[17] = 9000;
  values[18] = 3;
  values[19] = NaN;
  const scale = makeScale(values, "percentiles");
  assert.deepEqual([scale.min, scale.max], [3, 9000]);
  assert.ok(Math.abs(scale.value(0) - 101) < 0.5 && Math.abs(scale.value(1) - 199) < 0.5, `${scale.value(0)} to ${scale.value(1)}`);
  assert.deepEqual([3, 150, 9000].map((value) => scale.side(value)), [-1, 0, 1]);
  assert.deepEqual([3, 9000].map((value) => scale.position(value)), [0, 1]);
  assert.ok(Number.isNaN(scale.position(NaN)));
  const clipped = values.filter((value) => scale.side(value) !== 0).length;
  assert.ok(clipped >= 10 && clipped <= 21, `${clipped} of 1000`);
  const weighted = makeScale(Float64Array.of(1, 2, 500), "percentiles", Float64Array.of(6000, 6000, 1));
  assert.deepEqual([weighted.value(0), weighted.value(1), weighted.side(500)], [1, 2, 1]);
});

test("percentiles leave out nothing where that would not show more", () => {
  for (const values of [[1, 2, 3, 4, 5], [5, 5, 5], Array.from({ length: 1000 }, (_, i) => i)]) {
    const scale = makeScale(Float64Array.from(values), "percentiles");
    assert.deepEqual(values.map((value) => scale.side(value)), values.map(() => 0));
    assert.equal(scale.value(0), Math.min(...values));
  }
});

test("logarithmic colours go by powers, and what has no logarithm is below them", () => {
  const scale = makeScale(Float64Array.of(0, 1, 10, 100, NaN), "logarithmic");
  assert.deepEqual([1, 10, 100].map((value) => Math.round(1e6 * scale.position(value)) / 1e6), [0, 0.5, 1]);
  assert.ok(Math.abs(scale.value(0.5) - 10) < 1e-9);
  assert.deepEqual([-2, 0, 1, 100].map((value) => scale.side(value)), [-1, -1, 0, 0]);
  assert.equal(scale.position(0), 0);
});

test("equalised colours are each used as often", () => {
  const values = Float64Array.from({ length: 10000 }, (_, i) => Math.exp(i / 500));
  const scale = makeScale(values, "equalised");
  const used = new Uint32Array(10);
  values.forEach((value) => used[Math.min(9, Math.floor(scale.position(value) * 10))]!++);
  for (const number of used) assert.ok(Math.abs(number - 1000) < 30, String(used));
});

test("values that are there more often have more of the equalised colours", () => {
  const values = Float64Array.from({ length: 100 }, (_, i) => i);
  const scale = makeScale(values, "equalised", values.map((value) => (value < 10 ? 9000 : 1000)));
  assert.ok(Math.abs(scale.position(9.5) - 0.5) < 0.01, String(scale.position(9.5)));
  assert.ok(Math.abs(scale.position(54.5) - 0.75) < 0.01, String(scale.position(54.5)));
});

test("one value, and none, have a scale", () => {
  for (const values of [[], [NaN], [5], [5, 5, NaN], [0, 0]])
    for (const colouring of ["percentiles", "linear", "zero", "logarithmic", "equalised"] as const) {
      const scale = makeScale(Float64Array.from(values), colouring);
      for (const value of values.filter((one) => one === one)) assert.ok(scale.position(value) >= 0 && scale.position(value) <= 1);
    }
});

test("a state that fills a column more often than an entry can count is there in full", () => {
  const iterations = 200_000;
  const phase: PhaseIterations = {
    phase: 0,
    iterations,
    ranks: [{ rank: 0, series: [], locations: [0], states: 2, ids: new Uint8Array(iterations).fill(1, 150_000), members: new Int32Array(0) }],
  };
  const columns = new Columns(phase, [0, iterations - 1], 1);
  for (let asked = 0; asked < 3; asked++) {
    const { states, counts } = columns.of(0);
    const sums = [0, 0];
    states.forEach((state, i) => (sums[state]! += counts[i]!));
    assert.deepEqual(sums, [150_000, 50_000]);
  }
  const tables = [[Float64Array.of(1, 5)], [Float64Array.of(0, NaN)]];
  assert.deepEqual([...finish(meansByColumn(columns, [tables[0]!], [0, 0]))], [2]);
  assert.deepEqual([...finish(meansByColumn(columns, [tables[1]!], [0, 0]))], [0]);
});
