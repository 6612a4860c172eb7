// Every kind of summary makes a page: old files, one rank, no iterations, several and nested phases,
// threads, what is derived, what a killed job left, large grids.  Each view that it has something for opens.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { launch } from "./browser.mjs";
import { close } from "./checks.mjs";
import { choose, numbers, open, settle, showView } from "./page.mjs";
import { GOLDEN, derive, exported, killed, measure, place, some, synthetic } from "./summaries.mjs";

let browser;

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** A copy, for pages are written beside their summaries. */
function golden(name) {
  fs.copyFileSync(path.join(GOLDEN, `${name}.tsprof`), place(`${name}.tsprof`));
  return place(`${name}.tsprof`);
}

const KINDS = {
  "a summary with C++ names": () => golden("templates"),
  "one in which every iteration was kept": () => golden("every"),
  "one with topologies of every kind": () => golden("grids"),
  "one with threads": () => golden("threads"),
  "a partial one": () => golden("plain"),
  "that of a single process": () => golden("alone"),
  "one of one rank": () => synthetic("one.tsprof", "--ranks", "1"),
  "one of one iteration": () => synthetic("once.tsprof", "--iterations", "1", "--ranks", "3"),
  "one without iterations": () => synthetic("none.tsprof", "--iterations", "0", "--grid", "2x2"),
  "one of two phases": () => measure("sequence.tsprof", 2, "nesting", ["sequence"]),
  "one of nested phases": () => measure("nested.tsprof", 2, "nesting", ["nested"]),
  "a difference": () => derive("difference.tsprof", "diff", golden("templates"), "--iteration", "0-2", "--minus-iteration", "3-5"),
  "one of a grid of 80 × 25": () => synthetic("wide.tsprof", "--grid", "80x25", "--iterations", "12", "--paths", "12", "--clusters", "3"),
  "one of a grid of three dimensions": () => synthetic("deep.tsprof", "--grid", "4x3x2", "--iterations", "20"),
};

for (const [name, make] of some(Object.entries(KINDS)))
  test(`the page of ${name}: every view opens, the whole run's numbers are exported`, async () => {
    const summary = make();
    await open(browser, summary, async (page) => {
      const tabs = await page.locator("[role=tab]").evaluateAll((list) => list.map((tab) =>
        ({ name: tab.dataset.view, disabled: tab.disabled, title: tab.title })));
      for (const tab of tabs)
        if (tab.disabled) assert.match(tab.title, /Not here: \S/, `why there is no ${tab.name}`);
        else {
          await showView(page, tab.name);
          assert.ok((await page.locator("#view").innerText()).trim().length > 20, `${tab.name} shows something`);
        }
      for (const metric of ["time", "visits"]) {
        await choose(page, "metric", metric);
        const rows = exported(summary, "callpaths", "--total", "--metric", metric);
        close((await numbers(page)).sum, rows.reduce((sum, row) => sum + row.value, 0), metric);
      }
    });
  });

test("of several phases each has its own iterations", async () => {
  const summary = measure("phases.tsprof", 2, "nesting", ["nested"], { CLUSTERS: "0" });
  await open(browser, summary, async (page) => {
    await choose(page, "metric", "visits");
    for (const [phase, iterations] of [["outer", 4], ["inner", 12]]) {
      await choose(page, "phase", phase);
      await page.locator("#graph .brush").focus();
      await page.keyboard.press("End");
      await settle(page);
      assert.match(await page.locator("#readout").textContent(), new RegExp(`^Iteration ${iterations - 1}, `));
      await page.keyboard.press("Home");
      for (let i = 1; i < iterations; i++) await page.keyboard.press("Shift+ArrowRight");
      await settle(page);
      const rows = exported(summary, "iterations", "--phase", phase, "--metric", "visits");
      close((await numbers(page)).sum, rows.reduce((sum, row) => sum + row.value, 0), phase);
    }
  });
});

test("what is partial is said to be", async () => {
  await open(browser, golden("plain"), async (page) =>
    assert.match(await page.locator("header.title").innerText(), /partial: not every process/));
});

test("the page of what a killed job left is that of the summary which merge makes of it", async () => {
  const parts = killed("killed", 2);
  const merged = derive("merged.tsprof", "merge", parts);
  await open(browser, parts, async (page) => {
    assert.match(await page.locator("header.title").innerText(), /partial: not every process/);
    for (const metric of ["time", "bytes_sent"]) {
      await choose(page, "metric", metric);
      const rows = exported(merged, "callpaths", "--total", "--metric", metric);
      const wanted = rows.reduce((sum, row) => sum + row.value, 0);
      assert.ok(wanted > 0, `there is ${metric}`);
      close((await numbers(page)).sum, wanted, metric);
    }
    assert.match(await page.locator("#notes").innerText(), /rank 0: .+\nrank 1: .+|ranks 0–1: .+/, "how each rank ended");
    const notes = (await page.locator("#notes li").allInnerTexts()).map((note) => note.replace(/^.*?: /, ""));
    assert.equal(new Set(notes).size, notes.length, "each note once");
  });
});
