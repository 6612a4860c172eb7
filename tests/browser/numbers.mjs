// Numbers on the page are those of `tsprof export`: of the whole run, of one iteration, of a
// pixel of the value map, of what was brushed; and so are colours, errors, files and lines.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { launch } from "./browser.mjs";
import { checkEfficiencies, close, efficiencyRows, efficiencyTable, overRanks } from "./checks.mjs";
import { choose, colours, copyCsv, drag, expandAll, fill, hover, numbers, open, plot, readout, settle, showView, treeRows } from "./page.mjs";
import { SOURCE, derive, exported, measure, place, sumBy, synthetic, told, tsprof } from "./summaries.mjs";

const RANKS = 4;
const ITERATIONS = 60;
let browser, every, particles, grid;

before(async () => {
  every = measure("every.tsprof", RANKS, "particles", ["--iterations", String(ITERATIONS)], { CLUSTERS: "0" });
  particles = derive("particles.tsprof", "compress", every, "--clusters", "8");
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

/** How high the only line of the graph is at iterations FIRST to LAST, all that are shown, in pixels from above. */
async function heights(page, first, last) {
  const { box } = await plot(page, "#graph", last - first + 1);
  const canvas = await page.locator("#graph canvas").first().boundingBox();
  const ink = await page.evaluate(() => {
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--mean").trim();
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  });
  const found = [];
  for (let iteration = first; iteration <= last; iteration++) {
    const x = Math.round(box.x - canvas.x + ((iteration - first + 0.5) * box.width) / (last - first + 1));
    const column = await colours(page, "#graph canvas", Array.from({ length: Math.round(canvas.height) }, (_, y) => [x, y]));
    const rows = column.flatMap((colour, y) => (Math.max(...colour.map((channel, k) => Math.abs(channel - ink[k]))) < 60 ? [y] : []));
    assert.ok(rows.length > 0 && rows.at(-1) - rows[0] <= 8, `iteration ${iteration}: ${rows}`);
    found.push((rows[0] + rows.at(-1)) / 2);
  }
  return found;
}

/** How far points are at most from the line that is nearest to them. */
function bend(points) {
  const mean = (of) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(([a]) => a), mean(([, b]) => b)];
  const slope = mean(([a, b]) => (a - x) * (b - y)) / mean(([a]) => (a - x) ** 2);
  return Math.max(...points.map(([a, b]) => Math.abs(b - y - slope * (a - x))));
}

test("heights in the iteration graph are values, or on the logarithmic axis their logarithms", async () => {
  const values = exported(grid, "iterations", "--metric", "mpi_other", "--rank", "3").map((row) => row.value);
  const least = values.indexOf(Math.min(...values));
  const [first, last] = [Math.max(0, Math.min(least, 43) - 4), Math.max(0, Math.min(least, 43) - 4) + 10];
  const shown = values.slice(first, last + 1);
  assert.ok(Math.max(...shown) > 3 * Math.min(...shown), shown.join());
  await open(browser, grid, async (page) => {
    await choose(page, "metric", "mpi_other");
    for (const [axis, is, isNot] of [["linear", Number, Math.log], ["logarithmic", Math.log, Number]]) {
      await choose(page, "axis", axis);
      const rows = await heights(page, first, last);
      const [right, wrong] = [is, isNot].map((of) => bend(rows.map((y, i) => [of(shown[i]), y])));
      assert.ok(right < 1.5 && wrong > 6, `${axis}: ${right} pixels off, ${wrong} if it were the other`);
    }
  }, { fragment: `ranks=3&zoom=${first}-${last}` });
});

test("where lines of the iteration graph coincide the middle one is seen", async () => {
  const values = exported(grid, "iterations", "--metric", "syncs");
  const same = Array.from({ length: 50 }, (_, i) => i).filter((i) => new Set(values.filter((row) => row.iteration === String(i)).map((row) => row.value)).size === 1);
  assert.ok(same.length > 10, `${same.length} iterations have the same on all ranks`);
  await open(browser, grid, async (page) => {
    await choose(page, "metric", "syncs");
    const { box } = await plot(page, "#graph", 50);
    const canvas = await page.locator("#graph canvas").first().boundingBox();
    const line = (name) => page.evaluate((property) => {
      const context = new OffscreenCanvas(1, 1).getContext("2d");
      context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(property).trim();
      context.fillRect(0, 0, 1, 1);
      return String([...context.getImageData(0, 0, 1, 1).data.slice(0, 3)]);
    }, name);
    const [mean, min] = [await line("--mean"), await line("--min")];
    let seen = 0;
    for (const iteration of same.filter((one) => same.includes(one + 1) && same.includes(one - 1))) {
      const x = Math.round(box.x - canvas.x + ((iteration + 0.5) * box.width) / 50);
      const column = (await colours(page, "#graph canvas", Array.from({ length: Math.round(canvas.height) }, (_, y) => [x, y]))).map(String);
      assert.ok(!column.includes(min), `iteration ${iteration}`);
      if (column.includes(mean)) seen++;
    }
    assert.ok(seen > 5, `the middle line is seen in ${seen} iterations`);
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
    /* As the page does it: without a hundredth at either end, if that makes the scale twice as fine at least. */
    const sorted = [...all].sort((a, b) => a - b);
    const last = sorted.length - 1;
    const middle = [sorted[Math.floor(0.01 * last)], sorted[Math.ceil(0.99 * last)]];
    const [low, high] = most - least > 2 * (middle[1] - middle[0]) ? middle : [least, most];
    const clipped = await look("percentiles");
    let beyond = 0;
    all.forEach((value, i) => {
      /* What is beyond has a colour of its own, which is nowhere on the bar. */
      if (value < low || value > high) return beyond++;
      const wanted = (value - low) / (high - low);
      assert.ok(Math.abs(clipped[i] - wanted) < 0.02, `percentiles, pixel ${points[i]}: ${clipped[i]}, not ${wanted}`);
    });
    assert.equal(beyond > 0, low > least || high < most);
    const logarithmic = await look("logarithmic");
    all.forEach((value, i) => {
      const wanted = Math.log(value / least) / Math.log(most / least);
      assert.ok(Math.abs(logarithmic[i] - wanted) < 0.02, `logarithmic, pixel ${points[i]}: ${logarithmic[i]}, not ${wanted}`);
    });
    const order = [...all.keys()].sort((a, b) => all[a] - all[b]);
    const equalised = await look("equalised");
    order.forEach((i, place) => {
      if (place > 0)
        assert.ok(equalised[i] >= equalised[order[place - 1]] - 0.01, "a larger value has no lower colour");
    });
    const share = equalised.filter((position) => position < 0.5).length / equalised.length;
    assert.ok(share > 0.4 && share < 0.6, `half of the pixels have half of the colours: ${share}`);
  });
});

/** The value map of `tsprof plot`: its colours in the middle of each field, the highest row first. */
async function plotted(page, colouring) {
  const file = place(`map-${colouring}.svg`);
  const { status, stderr } = tsprof("plot", grid, "--kind", "map", "--metric", "execution", "--color", colouring, "-o", file);
  assert.equal(status, 0, stderr);
  const [, image] = fs.readFileSync(file, "utf8").match(/class="map"[^]*?href="(data:image\/png;base64,[^"]+)"/);
  return page.evaluate(async ([source, columns, rows]) => {
    const bytes = Uint8Array.from(atob(source.split(",")[1]), (letter) => letter.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d", { willReadFrequently: true });
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, picture.width, picture.height);
    const at = (x, y) => [...data.slice(4 * (y * picture.width + x), 4 * (y * picture.width + x) + 3)];
    return Array.from({ length: rows * columns }, (_, i) =>
      at(Math.floor((((i % columns) + 0.5) * picture.width) / columns), Math.floor(((Math.floor(i / columns) + 0.5) * picture.height) / rows)));
  }, [image, 50, 20]);
}

test("page and picture show the same values in the same colours, hot ones included, and have the same rank on top", async () => {
  await open(browser, grid, async (page) => {
    await choose(page, "metric", "execution");
    const { box } = await plot(page, "#map", 50, 20);
    const canvas = await page.locator("#map canvas.map").boundingBox();
    const points = Array.from({ length: 50 * 20 }, (_, i) => [Math.round(box.x - canvas.x + (((i % 50) + 0.5) * box.width) / 50),
      Math.round(box.y - canvas.y + ((Math.floor(i / 50) + 0.5) * box.height) / 20)]);
    for (const [colouring, word] of [["percentiles", "percentiles"], ["linear", "linear"], ["zero", "zero"], ["equalised", "equalized"]]) {
      await page.locator("select[name=colouring]").selectOption(colouring);
      await settle(page);
      const here = await colours(page, "#map canvas.map", points);
      const there = await plotted(page, word);
      assert.ok(new Set(here.map(String)).size > 20, "there is something to see");
      /* One has 253 steps, the other 256; of equal values equalised takes the first or the middle. */
      const most = colouring === "equalised" ? 6 : 2;
      here.forEach((colour, i) => {
        const far = Math.max(...colour.map((channel, k) => Math.abs(channel - there[i][k])));
        assert.ok(far <= most, `${colouring}, rank ${Math.floor(i / 50)}, iteration ${i % 50}: ${colour} in the page, ${there[i]} in the picture`);
      });
    }
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

/** Where call paths are by what the report says: "main > timestep" of "MPI_Bcast" at "particles.c:81". */
function reportedPlaces(summary) {
  const entries = told("report", summary, "--top", "100").matchAll(/(\S+) {2}(\S+:\d+)\n +in ([^\n]+(?:\n {30,}[^\n]+)*)/g);
  return new Map([...entries].map(([, name, where, parent]) => [`${parent.replace(/\s+/g, " ")} > ${name}`, where]));
}

test("files and lines in the tree are those of the export, the report and the program", async () => {
  const regions = new Map(exported(particles, "regions").map((row) => [row.region, row]));
  const places = reportedPlaces(particles);
  const lines = fs.readFileSync(path.join(SOURCE, "tests", "programs", "particles.c"), "utf8").split("\n");
  await open(browser, particles, async (page) => {
    await showView(page, "trees");
    await choose(page, "metric", "visits");
    await expandAll(page, "call-tree");
    const found = { defined: 0, called: 0, reported: 0 };
    for (const { path: callpath, detail, title } of await treeRows(page, "call-tree")) {
      const names = callpath.split(";");
      const { file, line } = regions.get(names.at(-1));
      const defined = /defined in (\S+?)(?::(\d+))?(?:;|$)/.exec(title) ?? ["", "", ""];
      assert.deepEqual([defined[1], defined[2] ?? ""], [file, line], `${callpath}: ${title}`);
      if (line) {
        assert.ok(detail.startsWith(`${path.basename(file)}:${line}`), `${callpath}: ${detail}`);
        found.defined++;
      }
      const called = /called in lines? ([\d, ]+) of particles\.c/.exec(title);
      if (!called) continue;
      const sites = called[1].split(", ").map(Number);
      assert.ok(detail.includes(`:${sites.join(", ")}`), `${callpath}: ${detail}`);
      /* A call of several lines may be said to be in any of them. */
      if (names.at(-1).startsWith("MPI_"))
        for (const site of sites) {
          assert.ok(lines.slice(site - 3, site).join("\n").includes(names.at(-1)), `${callpath}: line ${site} is ${lines[site - 1]}`);
          found.called++;
        }
      const reported = places.get(names.join(" > "));
      if (reported === undefined) continue;
      const shown = names.at(-1).startsWith("MPI_") ? `particles.c:${sites[0]}` : `${path.basename(file)}:${line}`;
      assert.equal(shown, reported, `${callpath} in the report`);
      found.reported++;
    }
    assert.ok(found.defined > 5 && found.called > 4 && found.reported > 4, JSON.stringify(found));
  });
});

const rootMeanSquare = (values) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);

/** What the clusters are from the iterations that they stand for, in METRIC: by rank and cluster, and in all. */
function errors(metric) {
  const values = new Map(exported(every, "iterations", "--metric", metric).map((row) => [`${row.rank} ${row.iteration}`, row.value]));
  const most = Math.max(...values.values());
  const clusters = new Map();
  for (const { rank, iteration, cluster } of exported(particles, "clusters")) {
    const name = `${rank} ${cluster}`;
    clusters.set(name, [...(clusters.get(name) ?? []), values.get(`${rank} ${iteration}`)]);
  }
  const differences = new Map([...clusters].map(([name, members]) => {
    const mean = members.reduce((sum, value) => sum + value, 0) / members.length;
    return [name, members.map((value) => value - mean)];
  }));
  return {
    of: (rank, cluster) => rootMeanSquare(differences.get(`${rank} ${cluster}`)) / most,
    all: rootMeanSquare([...differences.values()].flat()) / most,
  };
}

test("the card of a cluster states the error that its iterations have, and the one of info", async () => {
  const rows = exported(particles, "clusters");
  const info = told("info", particles, "--top", "100");
  await open(browser, particles, async (page) => {
    await choose(page, "metric", "bytes");
    await showView(page, "cluster");
    for (const rank of [0, RANKS - 1]) {
      const sizes = sumBy(rows.filter((row) => row.rank === String(rank)).map((row) => ({ ...row, value: 1 })), (row) => row.cluster);
      const largest = [...sizes].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
      await fill(page, "cluster-rank", rank);
      await fill(page, "cluster-iteration", rows.find((row) => row.rank === String(rank) && row.cluster === largest).iteration);
      const card = page.getByTestId("cluster");
      assert.equal(await card.getAttribute("data-cluster"), largest);
      const shown = await card.locator("tr[data-metric]").evaluateAll((list) => list.map((row) =>
        ({ ...row.dataset, cells: [...row.cells].map((cell) => cell.textContent) })));
      /* Of ranks that share processors hardly any computes: that is not judged then. */
      assert.deepEqual(shown.map((row) => row.metric).filter((metric) => metric !== "computation").sort(), ["bytes", "execution", "mpi"]);
      for (const { metric, value, cells } of shown) {
        const wanted = errors(metric);
        close(Number(value), wanted.of(rank, largest), `${metric} of rank ${rank}, cluster ${largest}`, 1e-6);
        assert.ok(Math.abs(parseFloat(cells[3]) / 100 - wanted.all) < 0.001, `${metric} in the whole phase: ${cells[3]}, ${wanted.all}`);
        const stated = new RegExp(`\\b${metric} (\\S+) %`).exec(info);
        assert.ok(Math.abs(parseFloat(cells[3]) - Number(stated[1])) < 0.1, `${metric}: ${cells[3]} here, ${stated[1]} % in info`);
      }
      close(Number(await card.getAttribute("data-error")), errors("bytes").of(rank, largest), "the error of what is chosen", 1e-6);
    }
  });
});

test("the overview says where iterations come from that are not marked, as the report does", async () => {
  const found = measure("found.tsprof", 2, "main_loops", ["steps"], { ITERATION: "auto" });
  const slices = measure("slices.tsprof", 2, "main_loops", ["irregular"], { ITERATION: "auto" });
  const said = (summary) => told("report", summary).replace(/\s+/g, " ");
  const shown = async (summary) => {
    let text = "";
    await open(browser, summary, async (page) => {
      text = await page.locator("#quality .origin").textContent();
    });
    return text;
  };
  const border = /found by tsprof: (border before MPI_\w+ in \w+ at main_loops\.c:\d+, \d+ % of the time)/.exec(said(found));
  assert.equal(await shown(found), `Found by tsprof: ${border?.[1]}.`);
  const why = /(of 0\.1 s, since .*?): TSPROF_ITERATION can name others/.exec(said(slices));
  assert.equal(await shown(slices), `Slices of time ${why?.[1]}; TSPROF_ITERATION can name others.`);
});

test("efficiencies of the run and of its iterations are those of the report", async () => {
  for (const summary of [particles, grid]) {
    const said = tsprof("report", summary).stdout;
    const wanted = efficiencyRows(said);
    const [, memory] = said.match(/^memory high-water +([\d.]+ .B) /m);
    assert.ok(wanted.size >= 4 && wanted.get("load balance").length === 2, "the report has a table");
    await open(browser, summary, async (page) => {
      checkEfficiencies(await efficiencyTable(page), wanted);
      assert.equal(await page.getByTestId("memory").locator("td").first().textContent(), memory);
    });
  }
});

test("the line of efficiency has what ranks compute of the longest time in each iteration", async () => {
  const [computation, time] = ["computation", "time"].map((metric) => exported(particles, "iterations", "--metric", metric));
  const values = (rows, iteration) => rows.filter((row) => Number(row.iteration) === iteration).map((row) => Number(row.value));
  await open(browser, particles, async (page) => {
    const rows = await copyCsv(page, "efficiency");
    assert.equal(rows.length, ITERATIONS);
    let least = 1;
    rows.forEach((row, i) => {
      const own = values(computation, i);
      const wanted = own.reduce((sum, value) => sum + value, 0) / own.length / Math.max(...values(time, i));
      assert.equal(Number(row.iteration), i);
      close(Number(row.parallel_efficiency), wanted, `iteration ${i}`);
      least = Math.min(least, wanted);
    });
    close(Number(await page.getByTestId("efficiency-note").getAttribute("data-least")), least, "the least");
    const drawn = await page.locator("#efficiency canvas").evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    });
    assert.ok(drawn > 3, "it is drawn");
  });
});

test("efficiencies are of the ranks that are chosen", async () => {
  const wanted = efficiencyRows(tsprof("report", particles, "--rank", "1-2").stdout);
  await open(browser, particles, async (page) => {
    await page.evaluate(() => { location.hash = `${location.hash}&ranks=1-2`; });
    await settle(page);
    checkEfficiencies(await efficiencyTable(page), wanted);
  });
});
