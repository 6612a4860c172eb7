// Numbers on the page are those of `tsprof export`: of the whole run, of one iteration, of a
// pixel of the value map, of what was brushed; and so are the colours.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launch } from "./browser.mjs";
import { close, overRanks } from "./checks.mjs";
import { choose, colours, drag, hover, numbers, open, plot, readout, settle } from "./page.mjs";
import { exported, measure, sumBy, synthetic } from "./summaries.mjs";

const RANKS = 4;
const ITERATIONS = 60;
let browser, particles, grid;

before(async () => {
  particles = measure("particles.tsprof", RANKS, "particles",
    ["--iterations", String(ITERATIONS)], { CLUSTERS: "8" });
  grid = synthetic("grid.tsprof", "--grid", "5x4", "--iterations", "50");
  browser = await launch();
});
after(() => browser?.close());

const byRank = (rows) => sumBy(rows, (row) => Number(row.rank));

function wholeRun(summary, metric) {
  return overRanks(byRank(exported(summary, "callpaths", "--total", "--metric", metric)));
}

/** What chosen iterations and ranks have: one value for each rank. */
function chosen(summary, metric, iterations, ranks) {
  return overRanks(byRank(exported(summary, "iterations", "--metric", metric,
    "--iteration", iterations.join("-"), "--rank", ranks.join("-"))));
}

function checkNumbers(shown, wanted, what) {
  for (const key of ["sum", "min", "max", "mean"])
    if (key in shown || key === "sum") close(shown[key], wanted[key], `${what}, ${key}`);
}

test("the numbers of the whole run are those of the export, in every tree of metrics", async () => {
  await open(browser, particles, async (page) => {
    for (const metric of ["time", "computation", "mpi_collective", "visits", "bytes", "comms"]) {
      await choose(page, "metric", metric);
      checkNumbers(await numbers(page), wholeRun(particles, metric), metric);
    }
  });
});

test("the iteration graph tells maximum, mean and minimum of an iteration as exported", async () => {
  const rows = exported(particles, "iterations", "--metric", "mpi");
  await open(browser, particles, async (page) => {
    await choose(page, "metric", "mpi");
    const { at } = await plot(page, "#graph", ITERATIONS);
    for (const iteration of [0, 17, ITERATIONS - 1]) {
      await hover(page, at(iteration));
      const { text, values } = await readout(page);
      const wanted = overRanks(byRank(rows.filter((row) => Number(row.iteration) === iteration)));
      assert.match(text, new RegExp(`^Iteration ${iteration}: `));
      ["max", "mean", "min"].forEach((key, i) => close(values[i], wanted[key], `${iteration}, ${key}`));
    }
  });
});

test("the value map tells the value at the pointer as exported", async () => {
  const rows = exported(grid, "iterations", "--metric", "computation");
  await open(browser, grid, async (page) => {
    await choose(page, "metric", "computation");
    const { at } = await plot(page, "#map", 50, 20);
    for (const [iteration, rank] of [[0, 0], [7, 19], [31, 4], [49, 11]]) {
      await hover(page, at(iteration, rank));
      const { text, values } = await readout(page);
      const row = rows.find((one) => Number(one.iteration) === iteration && Number(one.rank) === rank);
      assert.match(text, new RegExp(`^Iteration ${iteration}, rank ${rank}: `));
      close(values[0], row.value, `iteration ${iteration}, rank ${rank}`);
    }
  });
});

/** Where on the colour bar, from 0 to 1, each colour is. */
async function positions(page, seen) {
  const width = await page.locator(".colour-bar canvas").first().evaluate((canvas) => canvas.width);
  const places = Array.from({ length: width }, (_, x) => [x, 4]);
  const bar = await colours(page, ".colour-bar canvas >> nth=0", places);
  const distance = (a, b) => a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0);
  return seen.map((colour) => {
    const best = bar.reduce((found, one, i) =>
      distance(one, colour) < distance(bar[found], colour) ? i : found, 0);
    return best / (width - 1);
  });
}

test("the colours of the value map stand for the exported values, in each way of colouring", async () => {
  const rows = exported(grid, "iterations", "--metric", "execution");
  const values = Array.from({ length: 20 }, () => new Array(50));
  for (const row of rows) values[Number(row.rank)][Number(row.iteration)] = row.value;
  const all = values.flat();
  const [least, most] = [Math.min(...all), Math.max(...all)];
  await open(browser, grid, async (page) => {
    await choose(page, "metric", "execution");
    const { box } = await plot(page, "#map", 50, 20);
    const canvas = await page.locator("#map canvas.map").boundingBox();
    const points = [];
    for (let rank = 0; rank < 20; rank++)
      for (let iteration = 0; iteration < 50; iteration++)
        points.push([Math.round(box.x - canvas.x + ((iteration + 0.5) * box.width) / 50),
          Math.round(box.y - canvas.y + ((rank + 0.5) * box.height) / 20)]);
    const look = async (colouring) => {
      await page.locator("select[name=colouring]").selectOption(colouring);
      await settle(page);
      return positions(page, await colours(page, "#map canvas.map", points));
    };
    for (const [colouring, from] of [["linear", least], ["zero", 0]]) {
      const seen = await look(colouring);
      seen.forEach((position, i) => {
        const wanted = (all[i] - from) / (most - from);
        assert.ok(Math.abs(position - wanted) < 0.02, `${colouring}, pixel ${points[i]}: ${position}, not ${wanted}`);
      });
    }
    const equalised = await look("equalised");
    const order = [...all.keys()].sort((a, b) => all[a] - all[b]);
    order.forEach((i, place) => {
      if (place > 0)
        assert.ok(equalised[i] >= equalised[order[place - 1]] - 0.01, "a larger value has no lower colour");
    });
    const share = equalised.filter((position) => position < 0.5).length / equalised.length;
    assert.ok(share > 0.4 && share < 0.6, `half of the pixels have half of the colours: ${share}`);
  });
});

test("brushing iterations and ranks gives the numbers of that selection", async () => {
  await open(browser, particles, async (page) => {
    await choose(page, "metric", "mpi");
    const graph = await plot(page, "#graph", ITERATIONS);
    await drag(page, graph.at(10), graph.at(24));
    let shown = await numbers(page);
    let wanted = chosen(particles, "mpi", [10, 24], [0, RANKS - 1]);
    checkNumbers(shown, wanted, "iterations 10 to 24");
    close(shown.perIteration, wanted.sum / 15, "per iteration");

    const map = await plot(page, "#map", ITERATIONS, RANKS);
    await drag(page, map.at(20, 1), map.at(39, 2));
    shown = await numbers(page);
    wanted = chosen(particles, "mpi", [20, 39], [1, 2]);
    checkNumbers(shown, wanted, "iterations 20 to 39 of ranks 1 and 2");
    close(shown.share, wanted.sum / wholeRun(particles, "mpi").sum, "share of the whole run");
    const chips = await page.locator(".chips").textContent();
    assert.match(chips, /iterations 20–39/);
    assert.match(chips, /ranks 1–2/);

    await page.getByRole("button", { name: "Remove: iterations 20–39" }).click();
    await page.getByRole("button", { name: "Remove: ranks 1–2" }).click();
    await settle(page);
    checkNumbers(await numbers(page), wholeRun(particles, "mpi"), "the whole run again");
  });
});
