// Comparisons that several tests need.

import assert from "node:assert/strict";

/** Doubles that are computed in another order differ in their last digits. */
export function close(got, wanted, what, tolerance = 1e-9) {
  const scale = Math.max(Math.abs(got), Math.abs(wanted));
  assert.ok(Math.abs(got - wanted) <= tolerance * scale || scale < 1e-12,
    `${what}: ${got} is shown, ${wanted} is exported`);
}

/** Sums, minimum, maximum and mean of what ranks have. */
export function overRanks(byRank) {
  const values = [...byRank.values()];
  const sum = values.reduce((total, value) => total + value, 0);
  return { sum, min: Math.min(...values), max: Math.max(...values), mean: sum / values.length };
}

/** Rows of the report's table of efficiencies: by name, what each column has, in per cent. */
export function efficiencyRows(said) {
  const [, ...lines] = said.slice(said.indexOf("\nEfficiency")).trim().split("\n");
  const rows = lines.slice(0, lines.findIndex((line) => line.trim() === "")).filter((line) => !line.startsWith("memory")).map((line) => line.match(/^ *([a-z ]+?) {2,}(.*)$/));
  return new Map(rows.map(([, name, values]) => [name, [...values.matchAll(/([\d.]+) %|-(?= |$)/g)].map(([, value]) => value)]));
}

/** What the page's table has, as the report shows it. */
export async function efficiencyTable(page) {
  const rows = page.getByTestId("efficiency").locator("tbody tr:not([data-testid=memory])");
  return new Map(await rows.evaluateAll((list) => list.map((row) =>
    [row.querySelector("th").textContent, [...row.querySelectorAll("td")].map(({ dataset }) => dataset.value)])));
}

export function checkEfficiencies(shown, wanted) {
  assert.deepEqual([...shown.keys()], [...wanted.keys()]);
  for (const [name, values] of wanted) {
    assert.equal(shown.get(name).length, values.length, name);
    values.forEach((value, i) => {
      const got = shown.get(name)[i];
      if (value === undefined) assert.equal(got, undefined, `${name} is not known`);
      else assert.ok(Math.abs(Number(value) - 100 * Number(got)) < 0.06, `${name}: ${got} rather than ${value} %`);
    });
  }
}
