/* What the page shows is what `tsprof export` writes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { partlyPresent, pathErrors, phantomsOf } from "../src/model/presence";
import { findMetric, findPath } from "../src/model/summary";
import { exactNumber } from "../src/ui/numbers";
import { NAMES, golden, table } from "./golden";

for (const name of NAMES) {
  const model = golden(name);
  const { summary } = model;
  const phaseOf = (text: string): number => summary.phases.find((phase) => phase.name === text)!.index;
  const rankOf = (text: string): number => summary.ranks.find((rank) => rank.rank === Number(text))!.index;

  test(`${name}: values of iterations are those of the export, to the last digit`, () => {
    const rows = table(name, "iterations");
    assert.equal(rows.length > 0, model.keptPhases.length > 0);
    for (const row of rows) {
      const measure = { metric: findMetric(summary, row["metric"]!), ownMetric: false, path: 0, ownPath: false };
      const value = model.value(phaseOf(row["phase"]!), measure, rankOf(row["rank"]!), Number(row["iteration"]));
      assert.equal(exactNumber(value), row["value"], JSON.stringify(row));
    }
  });

  test(`${name}: values of call paths are those of the export, to the last digit`, () => {
    const rows = table(name, "callpaths");
    assert.ok(rows.length > 0);
    for (const row of rows) {
      const path = findPath(summary, row["callpath"]!.split(";"));
      const measure = { metric: findMetric(summary, row["metric"]!), ownMetric: false, path, ownPath: true };
      const value =
        row["phase"] === ""
          ? model.byRank({ phase: -1, iterations: null, ranks: null }, measure)[rankOf(row["rank"]!)]!
          : model.value(phaseOf(row["phase"]!), measure, rankOf(row["rank"]!), Number(row["iteration"]));
      assert.equal(exactNumber(value), row["value"], JSON.stringify(row));
    }
  });

  test(`${name}: iterations are in the clusters of the export`, () => {
    for (const row of table(name, "clusters")) {
      const rank = model.phase(phaseOf(row["phase"]!)).ranks[rankOf(row["rank"]!)]!;
      const series = rank.series[0]!;
      const id = series.ids[Number(row["iteration"])]!;
      assert.equal(id < series.clusters ? String(id) : "", row["cluster"]);
      assert.equal(id < series.clusters ? String(series.classOf[id]) : "", row["class"]);
    }
  });
}

test("presence: call paths occurred in the iterations of the export", () => {
  const model = golden("presence");
  const { summary } = model;
  const rows = table("presence", "presence");
  assert.ok(rows.length > 0);
  const told = new Set<string>();
  for (const row of rows) {
    const path = findPath(summary, row["callpath"]!.split(";"));
    const rank = summary.ranks.find((one) => one.rank === Number(row["rank"]))!.index;
    const series = model.phase(summary.phases.find((phase) => phase.name === row["phase"])!.index).ranks[rank]!.series[0]!;
    const cluster = series.ids[Number(row["iteration"])]!;
    const share = partlyPresent(series, cluster).get(path);
    assert.deepEqual([share?.least, share?.most].map(String), [Number(row["least"]), Number(row["most"])].map(String), JSON.stringify(row));
    told.add(`${rank} ${cluster} ${path}`);
  }
  assert.ok(told.size > 3);
});

test("presence: phantoms and errors of call paths are what info says", () => {
  const model = golden("presence");
  const [phase] = model.keptPhases;
  const share = phantomsOf(model.summary, phase!)!;
  assert.ok(share.least > 0 && share.most >= share.least && share.most < 1);
  const errors = pathErrors(model.summary, phase!);
  assert.ok(errors.length > 0 && errors.every((error, i) => error.rms > 0 && error.rms <= error.largest && (i === 0 || errors[i - 1]!.rms >= error.rms)));
});

test("largest: of an older file nothing is known of presence", () => {
  const model = golden("largest");
  assert.ok(model.keptPhases.some((phase) => phantomsOf(model.summary, phase) === null));
});
