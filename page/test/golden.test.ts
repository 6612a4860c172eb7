/* What the page shows is what `tsprof export` writes. */
import assert from "node:assert/strict";
import { test } from "node:test";
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
