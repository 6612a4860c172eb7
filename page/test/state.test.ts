/* The state in the URL, and numbers as people and scripts read them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findMetric } from "../src/model/summary";
import { State, differences, initialState, readFragment, writeFragment } from "../src/state";
import { axisLabels, exactNumber, percent, quantity, rangeText } from "../src/ui/numbers";
import { clampRange, zoomRange } from "../src/ui/geometry";
import { decodeBase64 } from "../src/load";
import { NAMES, golden } from "./golden";

test("what is written into the URL is read from it", () => {
  for (const name of NAMES) {
    const model = golden(name);
    const usual = initialState(model);
    const iterations = usual.phase >= 0;
    const state: State = {
      ...usual,
      view: "trees",
      metric: findMetric(model.summary, "mpi"),
      ownMetric: true,
      path: model.summary.paths.length - 1,
      ownPath: true,
      iterations: iterations ? [1, 2] : null,
      ranks: [0, model.allRanks[1]],
      zoom: iterations ? [0, 2] : null,
      zoomRanks: [0, 0],
      colouring: "equalised",
      pixel: "max",
      middle: "median",
      iteration: iterations ? 2 : 0,
      rank: model.allRanks[1],
      a: { iterations: iterations ? [0, 1] : null, ranks: [0, 0] },
      b: { iterations: iterations ? [2, 2] : null, ranks: null },
      theme: "dark",
      extra: { turn: "30;45", "a=b&c": "1 & 2=ü" },
    };
    assert.deepEqual(readFragment(`#${writeFragment(state, model)}`, model), state);
    assert.deepEqual(readFragment(writeFragment(usual, model), model), usual);
    for (const path of model.summary.paths)
      assert.equal(readFragment(writeFragment({ ...usual, path: path.index }, model), model).path, path.index);
  }
});

test("what makes no sense in a URL is as usual", () => {
  const model = golden("plain");
  const usual = initialState(model);
  for (const text of ["", "#", "nonsense", "#phase=nowhere&metric=nothing&path=a;b", "#iterations=9-3&ranks=99999&zoom=-1", "#%ff=%ff&colours=pink", "#iteration=1e9&rank=x"])
    assert.deepEqual(readFragment(text, model), { ...usual, extra: {} }, text);
  const last = model.phase(usual.phase).iterations - 1;
  assert.deepEqual(readFragment("#iterations=1-999999", model).iterations, [1, last]);
  assert.deepEqual(readFragment(`#iterations=${last + 1}-${last + 9}`, model).iterations, null);
});

test("differences are told by name", () => {
  const state = initialState(golden("plain"));
  assert.deepEqual([...differences(state, { ...state, ranks: [0, 0], extra: {} })], ["ranks"]);
});

test("quantities have three digits, a prefix and a unit", () => {
  const wanted: [number, string, string][] = [
    [0, "s", "0 s"],
    [1, "s", "1 s"],
    [0.0123, "s", "12.3 ms"],
    [0.0009996, "s", "1.00 ms"],
    [1e-9, "s", "1 ns"],
    [2.5e-10, "s", "250 ps"],
    [-0.5, "s", "\u2212500 ms"],
    [999.4, "s", "999 s"],
    [1700, "s", "28.3 min"],
    [-72000, "s", "\u221220 h"],
    [4560000, "bytes", "4.56 MB"],
    [999, "occ", "999"],
    [999.7, "occ", "1.00 k"],
    [1234567, "occ", "1.23 M"],
    [0.25, "occ", "0.250"],
    [NaN, "s", "–"],
  ];
  for (const [value, unit, text] of wanted) assert.equal(quantity(value, unit), text);
  assert.equal(percent(0.1234), "12.3 %");
  assert.equal(percent(0), "0 %");
  assert.equal(percent(1), "100 %");
  assert.equal(rangeText([3, 3]), "3");
});

test("labels of an axis have one prefix and the decimals that they need", () => {
  assert.deepEqual(axisLabels([0, 2e-5, 4e-5], "s"), ["0", "20 µs", "40 µs"]);
  assert.deepEqual(axisLabels([0, 0.0025, 0.005, 0.0075, 0.01], "s"), ["0", "2.5 ms", "5.0 ms", "7.5 ms", "10.0 ms"]);
  assert.deepEqual(axisLabels([0, 0.1 + 0.2, 0.6], "occ"), ["0", "0.3", "0.6"]);
  assert.deepEqual(axisLabels([-1e6, 0, 1e6], "bytes"), ["\u22121 MB", "0", "1 MB"]);
  assert.deepEqual(axisLabels([0, 200, 400], "s"), ["0", "200 s", "400 s"]);
  assert.deepEqual(axisLabels([0, 900, 1800], "s"), ["0", "15 min", "30 min"]);
  assert.deepEqual(axisLabels([0, 600], "s", 1100), ["0", "10 min"]);
  assert.deepEqual(axisLabels([0, 36000, 72000], "s"), ["0", "10 h", "20 h"]);
  assert.deepEqual(axisLabels([], "s"), []);
  assert.deepEqual(axisLabels([0], "s"), ["0"]);
});

test("the phase that is shown first is the one that takes most time", () => {
  const model = golden("plain");
  const wall = model.keptPhases.map((phase) =>
    model.summary.locations.reduce((sum, { series }) => sum + (series.find((one) => one.phase === phase)?.wall ?? []).reduce((a, b) => a + b, 0), 0),
  );
  assert.equal(initialState(model).phase, model.keptPhases[wall.indexOf(Math.max(...wall))]);
});

test("what stands out most is seen first, as far as the summary has it", () => {
  const model = golden("plain");
  const { summary } = model;
  const usual = initialState(model);
  const phase = summary.phases[model.keptPhases[0]!]!.name;
  const metric = summary.metrics.findIndex((one) => one.name === "mpi");
  assert.deepEqual(initialState(model, { phase, metric: "mpi" }), { ...usual, phase: model.keptPhases[0], metric });
  assert.deepEqual(initialState(model, { phase: "", metric: "" }), usual);
  assert.deepEqual(initialState(model, { phase: "no such phase", metric: "no such metric" }), usual);
  assert.equal(readFragment("#metric=time", model, { phase, metric: "mpi" }).metric, usual.metric, "the address counts for more");
});

test("exact numbers are those of C's %.17g", () => {
  const wanted: [number, string][] = [
    [0.1, "0.10000000000000001"],
    [0.5, "0.5"],
    [1e-5, "1.0000000000000001e-05"],
    [1.5e-7, "1.4999999999999999e-07"],
    [0.00012, "0.00012"],
    [-2.5e-9, "-2.5000000000000001e-09"],
    [3, "3"],
    [1e15, "1000000000000000"],
    [1234.5, "1234.5"],
    [1e22, "1e+22"],
    [NaN, ""],
  ];
  for (const [value, text] of wanted) assert.equal(exactNumber(value), text);
});

test("ranges stay inside and keep what is under the pointer", () => {
  assert.deepEqual(clampRange([-5, 4], [0, 99]), [0, 9]);
  assert.deepEqual(clampRange([95, 104], [0, 99]), [90, 99]);
  assert.deepEqual(clampRange([-5, 204], [0, 99]), [0, 99]);
  assert.equal(zoomRange([10, 19], [0, 99], 15, 20), null);
  for (let centre = 0; centre < 100; centre += 7)
    for (const factor of [0.1, 0.5, 0.8, 1.3]) {
      const range = zoomRange([0, 69], [0, 99], centre % 70, factor);
      if (range) assert.ok(range[0] >= 0 && range[1] <= 99 && range[0] <= centre % 70 && centre % 70 <= range[1]);
    }
});

test("Base64 is decoded whatever the length", () => {
  for (let size = 0; size < 70; size++) {
    const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 89 + size * 37) & 255);
    const text = btoa(String.fromCharCode(...bytes));
    const out = new Uint8Array(size + 3);
    assert.equal(decodeBase64(text, out, 1), size);
    assert.deepEqual(out.subarray(1, size + 1), bytes);
  }
});
