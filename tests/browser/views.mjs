// What the views show is what `tsprof export` says, and they follow what is chosen anywhere else.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { launch } from "./browser.mjs";
import { close, overRanks } from "./checks.mjs";
import { boxOf, choose, chooseRow, colours, copyCsv, copyPng, drag, expandAll, fill, hover, open, plot, settle, showView, treeRows } from "./page.mjs";
import { GOLDEN, byPath, exported, inclusiveOf, measure, place, sumBy, synthetic, tsprof } from "./summaries.mjs";

const [ITERATIONS, RANKS] = [50, 20];
/** How high frames of the flame graph are. */
const ROW = 20;
let browser, grid;

before(async () => {
  grid = synthetic("views.tsprof", "--grid", "5x4", "--iterations", String(ITERATIONS));
  browser = await launch();
});
after(() => browser?.close());

/** Shows a view, with a metric chosen. */
const show = (view, metric, body, options) => open(browser, grid, async (page) => {
  await showView(page, view);
  await choose(page, "metric", metric);
  await body(page);
}, options);

/** Brushes iterations and, unless they are null, ranks. */
async function brush(page, iterations, ranks) {
  const { at } = await plot(page, ranks ? "#map" : "#graph", ITERATIONS, ranks ? RANKS : 1);
  await drag(page, at(iterations[0], ranks?.[0]), at(iterations[1], ranks?.[1]));
}

const range = (iterations, ranks) => ["--iteration", iterations.join("-"), ...(ranks ? ["--rank", ranks.join("-")] : [])];

/** A copy, for pages are written beside their summaries. */
function golden(name) {
  fs.copyFileSync(path.join(GOLDEN, `${name}.tsprof`), place(`${name}.tsprof`));
  return place(`${name}.tsprof`);
}

/** By call path, and below those that have it what no sample has found: what trees show of a metric that computation is part of. */
function apart(file, metric, ...options) {
  const [all, computation, samples] = [metric, "computation", "samples"].map((one) => byPath(file, one, ...options));
  for (const [path, value] of computation) {
    if (samples.get(path)) continue;
    all.set(path, all.get(path) - value);
    all.set(`${path};(not sampled)`, value);
  }
  return all;
}

function checkCallTree(rows, sums, what) {
  assert.ok(rows.length > 5, `${what}: ${rows.length} rows`);
  for (const row of rows) {
    const wanted = row.expanded === "true" ? sums.get(row.path) ?? 0 : inclusiveOf(sums, row.path);
    close(row.value, wanted, `${what}: ${row.path}, ${row.expanded === "true" ? "its own" : "in all"}`);
  }
}

test("an expanded row of the call tree has its own value, a collapsed one all that is in it", async () => {
  await show("trees", "mpi", async (page) => {
    const sums = byPath(grid, "mpi", "--total");
    checkCallTree(await treeRows(page, "call-tree"), sums, "at first");
    for (const expanded of ["false", "true"]) {
      await chooseRow(page, "call-tree", "path", "main;timestep", ".tree-toggle");
      const rows = await treeRows(page, "call-tree");
      assert.equal(rows.find((row) => row.path === "main;timestep").expanded, expanded);
      checkCallTree(rows, sums, `after a click on its arrow, ${expanded}`);
    }
    const copied = new Map((await copyCsv(page, "call-tree")).map((row) => [row.callpath, Number(row.value)]));
    for (const [path, value] of sums) close(copied.get(path) ?? 0, value, `copied: ${path}`);
  });
});

test("no name in a tree is cut while there is still a place in the source beside it", async () => {
  const many = synthetic("hosts.tsprof", "--ranks", "256", "--iterations", "12", "--paths", "200");
  await open(browser, many, async (page) => {
    await showView(page, "trees");
    const rows = await page.locator(".tree [role=treeitem]:visible").evaluateAll((list) => list.map((row) => {
      const [label, detail] = [".tree-label", ".tree-detail"].map((one) => row.querySelector(one));
      const text = document.createRange();
      text.selectNodeContents(label);
      const [whole, width, beside] = [text, label, detail].map((one) => one.getBoundingClientRect().width);
      return { text: label.textContent, isCut: whole > width + 0.01, beside, isLong: width >= 24 * parseFloat(getComputedStyle(label).fontSize) - 1 };
    }));
    assert.ok(rows.some((row) => row.text.startsWith("node0")), "there are several hosts");
    assert.deepEqual(rows.filter((row) => row.isCut && row.beside > 1 && !row.isLong), []);
  }, { viewport: { width: 1440, height: 900 } });
});

test("the trees are coupled: metric, call path, rank", async () => {
  await show("trees", "time", async (page) => {
    await chooseRow(page, "metric-tree", "metric", "computation");
    assert.equal(await page.locator("select[name=metric] option:checked").textContent().then((text) => text.trim()), "computation");
    checkCallTree(await treeRows(page, "call-tree"), apart(grid, "computation", "--total"), "computation");
    await chooseRow(page, "call-tree", "path", "main;timestep;assemble_halo_2");
    const rows = exported(grid, "callpaths", "--total", "--metric", "computation");
    const isExpanded = (await treeRows(page, "call-tree")).find((row) => row.path === "main;timestep;assemble_halo_2").expanded === "true";
    for (const row of (await treeRows(page, "system-tree")).filter((one) => one.rank !== undefined)) {
      const sums = sumBy(rows.filter((one) => one.rank === row.rank), (one) => one.callpath);
      close(row.value, isExpanded ? sums.get("main;timestep;assemble_halo_2") ?? 0 : inclusiveOf(sums, "main;timestep;assemble_halo_2"), `rank ${row.rank}`);
    }
  });
});

test("the metric tree has the values of all metrics", async () => {
  await show("trees", "time", async (page) => {
    const totals = sumBy(exported(grid, "callpaths", "--total"), (row) => row.metric);
    const rows = await treeRows(page, "metric-tree");
    for (const row of rows)
      if (row.expanded !== "true") close(row.value, totals.get(row.metric), row.metric);
      else assert.equal(row.value, 0, `${row.metric} is the sum of its parts`);
    assert.ok(rows.length >= 8);
  });
});

test("trees follow what is brushed", async () => {
  await show("trees", "execution", async (page) => {
    await brush(page, [12, 30]);
    checkCallTree(await treeRows(page, "call-tree"), apart(grid, "execution", ...range([12, 30])), "iterations 12 to 30");
    await brush(page, [5, 20], [3, 9]);
    checkCallTree(await treeRows(page, "call-tree"), apart(grid, "execution", ...range([5, 20], [3, 9])), "of ranks 3 to 9");
  });
});

test("the flame graph has the values of call paths, and follows what is brushed", async () => {
  await show("flame", "time", async (page) => {
    const check = async (sums, what) => {
      const rows = await copyCsv(page, "flame");
      assert.ok(rows.length > 10, `${rows.length} frames`);
      const copied = new Map(rows.map((row) => [row.callpath, Number(row.value)]));
      for (const [path, value] of sums) close(copied.get(path) ?? 0, value, `${what}: ${path}`);
    };
    await check(byPath(grid, "time", "--total"), "the whole run");
    await brush(page, [12, 30]);
    await check(byPath(grid, "time", ...range([12, 30])), "iterations 12 to 30");
    const sums = apart(grid, "time", ...range([12, 30]));
    const box = await boxOf(page.getByTestId("flame"));
    let frames = 0;
    for (let y = 10; y < box.height; y += 20) {
      await hover(page, { x: box.x + box.width / 4, y: box.y + y });
      const { path, value } = await page.getByTestId("flame-readout").evaluate((line) => ({ ...line.dataset }));
      if (!path) continue;
      close(Number(value), inclusiveOf(sums, path), `the frame of ${path}`);
      frames++;
    }
    assert.ok(frames >= 3, "frames are found by the pointer");
  });
});

test("functions of MPI have in the flame graph the colours that their metrics have in the breakdown", async () => {
  const legendOf = (page, selector) => page.locator(selector).evaluateAll((entries) => entries.map((entry) =>
    [entry.textContent, getComputedStyle(entry.firstElementChild).backgroundColor]));
  await show("overview", "mpi", async (page) => {
    const parts = new Map(await legendOf(page, "#breakdown .legend-entry"));
    await showView(page, "flame");
    const legend = new Map(await legendOf(page, "[data-testid=flame-legend] li"));
    const calls = [...legend.keys()].filter((name) => name.startsWith("mpi_"));
    const inBoth = calls.filter((name) => parts.has(name));
    assert.ok(inBoth.length >= 3, calls.join());
    for (const name of inBoth) assert.equal(legend.get(name), parts.get(name), name);
    const metricOf = new Map();
    for (const name of calls) for (const [path, value] of byPath(grid, name, "--total")) if (value > 0) metricOf.set(path, name);
    const box = await boxOf(page.getByTestId("flame"));
    const at = [];
    for (let row = 1; row * ROW < box.height; row++)
      for (let x = 5; x < box.width; x += 15) {
        await page.mouse.move(box.x + x, box.y + row * ROW + 3);
        const path = await page.getByTestId("flame-readout").getAttribute("data-path");
        if (metricOf.has(path)) at.push({ x, y: row * ROW + 3, metric: metricOf.get(path) });
      }
    await page.mouse.move(2, 2);
    assert.ok(new Set(at.map(({ metric }) => metric)).size >= 3, "several are wide enough");
    const seen = await colours(page, "canvas[data-testid=flame]", at.map(({ x, y }) => [x, y]));
    at.forEach(({ x, y, metric }, i) => {
      const far = Math.max(...channels(legend.get(metric)).map((channel, k) => Math.abs(channel - seen[i][k])));
      assert.ok(far <= 1, `${metric} at ${x}, ${y}: ${seen[i]}`);
    });
  });
});

test("functions have what they take over all call paths, and those that call them", async () => {
  const wanted = new Map();
  for (const row of exported(grid, "functions", "--metric", "mpi")) {
    const sum = wanted.get(row.function) ?? { self: 0, total: 0 };
    wanted.set(row.function, { self: sum.self + Number(row.self), total: sum.total + Number(row.total) });
  }
  await show("functions", "mpi", async (page) => {
    const rows = await page.$$eval("[data-testid=functions] tbody tr", (all) => all.map((row) => ({ ...row.dataset })));
    const least = 0.0001 * Math.max(...[...wanted.values()].map(({ total }) => total));
    const listed = [...wanted].filter(([, { self, total }]) => self !== 0 && Math.max(self, total) >= least);
    assert.deepEqual(new Set(rows.map((row) => row.function)), new Set(listed.map(([name]) => name)));
    for (const row of rows) {
      close(Number(row.self), wanted.get(row.function).self, `${row.function} itself`);
      close(Number(row.total), wanted.get(row.function).total, `${row.function} in total`);
    }
    const name = rows.at(-1).function;
    await page.click(`[data-testid=functions] tr[data-function="${name}"] button`);
    await settle(page);
    const callers = await page.$$eval("[data-testid=callers-table] tbody tr", (all) => all.map((row) => ({ ...row.dataset })));
    assert.equal(callers[0].caller, name);
    close(Number(callers[0].value), wanted.get(name).total, `${name} by all callers`);
    const sums = byPath(grid, "mpi", "--total");
    const above = new Map();
    for (const [path, value] of sums) {
      const names = path.split(";");
      if (names.at(-1) === name && names.length > 1) above.set(names.at(-2), (above.get(names.at(-2)) ?? 0) + value);
    }
    for (const row of callers.filter((one) => one.depth === "1")) close(Number(row.value), above.get(row.caller), `from ${row.caller}`);
    assert.ok(callers.some((row) => row.depth === "1"));
  });
});

test("functions of C++ are shown without parameters, none like another, and uncut on a laptop's screen; titles have all", async () => {
  const many = synthetic("many.tsprof", "--ranks", "2", "--iterations", "20", "--paths", "300");
  await open(browser, many, async (page) => {
    await showView(page, "functions");
    await choose(page, "metric", "time");
    const rows = await page.$$eval("[data-testid=functions] tbody tr", (all) => all.map((row) => {
      const button = row.querySelector("button");
      return { full: row.dataset.function, title: button?.title, shown: row.querySelector("th").textContent,
        cut: button !== null && button.scrollWidth > button.clientWidth };
    }));
    assert.equal(new Set(rows.map(({ shown }) => shown)).size, rows.length);
    const ink = await page.$$eval("[data-testid=functions] tbody th, [data-testid=functions] tbody td", (all) =>
      all.map((cell) => getComputedStyle(cell.querySelector("button") ?? cell).color));
    assert.equal(new Set(ink).size, 1, "names are as dark as numbers");
    const templates = rows.filter(({ full }) => full.startsWith("grid<"));
    assert.ok(templates.length > 3, `${templates.length} functions of templates`);
    for (const { full, title, shown, cut } of templates) {
      assert.equal(shown, full.replace(/\(.*/, ""));
      assert.equal(title, full);
      assert.ok(!cut, shown);
    }
    await showView(page, "trees");
    await page.getByTestId("call-tree-search").fill("grid<");
    await settle(page);
    const found = await page.getByTestId("call-tree").locator(".found .tree-label").allTextContents();
    assert.ok(found.length > 0 && found.every((label) => /^grid<double, \d+u>::apply$/.test(label)), found.join(", "));
  }, { viewport: { width: 1440, height: 900 } });
});
test("a search among functions lists those that it finds, and Enter shows who calls the first", async () => {
  await show("functions", "time", async (page) => {
    const rows = () => page.$$eval("[data-testid=functions] tbody tr", (all) => all.map((row) => ({ ...row.dataset })));
    const told = () => page.getByTestId("functions-found").textContent();
    const before = await rows();
    const wanted = before.filter((row) => row.function.includes("MPI_"));
    assert.ok(wanted.length > 1 && wanted.length < before.length, `${wanted.length} of ${before.length}`);
    const field = page.getByTestId("functions-search");
    await field.fill("mpi_");
    await settle(page);
    const all = Math.max(...before.map((row) => Number(row.total)));
    const found = await rows();
    const small = found.filter((row) => Number(row.total) < 0.0001 * all);
    assert.deepEqual(found.filter((row) => !small.includes(row)), wanted, "in their order");
    assert.ok(small.every((row) => !before.some((other) => other.function === row.function)), "less than 0.01 % is found and not listed");
    const share = found.reduce((sum, row) => sum + Number(row.self), 0) / all;
    const [number, percent] = (await told()).match(/[\d.]+/g).map(Number);
    assert.equal(number, found.length);
    assert.ok(Math.abs(percent - 100 * share) < 0.06, `${percent} % rather than ${100 * share}`);
    await field.press("Enter");
    await settle(page);
    assert.equal(await page.locator("[data-testid=callers-table] tbody tr").first().getAttribute("data-caller"), wanted[0].function);
    const current = page.locator("[data-testid=functions] tbody tr[aria-current]");
    assert.deepEqual(await current.evaluateAll((list) => list.map((row) => row.dataset.function)), [wanted[0].function], "the row whose callers are shown is marked, and no other");
    await field.fill("no function is called so");
    await settle(page);
    assert.deepEqual(await rows(), []);
    await field.fill("");
    await settle(page);
    assert.deepEqual(await rows(), before);
    assert.equal(await told(), "");
  });
});

test("a search in the flame graph leads to each frame that it finds, and makes it wide enough to be seen", async () => {
  await show("flame", "time", async (page) => {
    const sums = apart(grid, "time", "--total");
    const wanted = [...sums.keys()].filter((path) => path.split(";").at(-1).includes("MPI_") && sums.get(path) > 0);
    const field = page.getByTestId("flame-search");
    const place = () => page.getByTestId("flame-readout").evaluate((line) => line.dataset.path);
    await field.fill("mpi_");
    await settle(page);
    assert.equal(Number((await page.getByTestId("flame-found").textContent()).split(" ")[0]), wanted.length);
    const visited = [];
    for (const key of [...wanted.map(() => "Enter"), "Shift+Enter"]) {
      await field.press(key);
      await settle(page);
      visited.push(await place());
    }
    const order = visited.slice(0, -1);
    assert.deepEqual(new Set(order), new Set(wanted), "Enter goes to each");
    const values = order.map((path) => sums.get(path));
    assert.deepEqual(values, [...values].sort((a, b) => b - a), "the widest first");
    assert.equal(visited.at(-1), visited.at(-3), "with Shift back to the one before");
    await field.press("Enter");
    await settle(page);
    const box = await boxOf(page.getByTestId("flame"));
    const last = order.at(-1);
    let pixels = 0;
    for (let x = 1; x < box.width; x += 4) {
      await page.mouse.move(box.x + x, box.y + 20 * last.split(";").length + 10);
      if ((await place()) === last) pixels += 4;
    }
    assert.ok(pixels >= 20, `the narrowest has ${pixels} pixels`);
  });
});

test("computation that no sample has found is nobody's own", async () => {
  const file = measure("rare.tsprof", 2, "particles", ["--iterations", "60", "--size", "400"], { RATE: "20" });
  const [computation, samples] = ["computation", "samples"].map((metric) => byPath(file, metric, "--total"));
  const unsampled = new Map([...computation].filter(([path]) => !samples.get(path)));
  const wanted = apart(file, "time", "--total");
  const all = [...unsampled.values()].reduce((sum, value) => sum + value, 0);
  assert.ok(unsampled.has("main;timestep") && all > 0, "something is not sampled");
  await open(browser, file, async (page) => {
    await choose(page, "metric", "time");
    await showView(page, "trees");
    await expandAll(page, "call-tree");
    const rows = await treeRows(page, "call-tree");
    checkCallTree(rows, wanted, "the trees");
    assert.deepEqual(new Set(rows.map((row) => row.path).filter((path) => path.endsWith("(not sampled)"))), new Set([...unsampled.keys()].map((path) => `${path};(not sampled)`)));
    await chooseRow(page, "call-tree", "path", "main;timestep;(not sampled)");
    assert.equal(await page.locator("[data-testid=call-tree] [role=treeitem][aria-selected=true]").getAttribute("data-path"), "main;timestep", "its row chooses what the function has without others");
    await showView(page, "functions");
    const functions = await page.$$eval("[data-testid=functions] tbody tr", (list) => list.map((row) => ({ ...row.dataset })));
    const self = sumBy([...wanted].map(([path, value]) => ({ path, value })), (row) => row.path.split(";").at(-1));
    for (const row of functions) close(Number(row.self), self.get(row.function) ?? 0, `${row.function} itself`);
    const largest = new Map();
    for (const row of exported(file, "functions", "--metric", "time")) largest.set(row.function, Math.max(largest.get(row.function) ?? 0, Number(row.largest)));
    for (const row of functions) close(Number(row.largest ?? 0), largest.get(row.function) ?? 0, `${row.function} in an iteration`);
    assert.ok(Math.max(...largest.values()) > 0);
    assert.ok(functions.some((row) => row.function === "(not sampled)") && functions.some((row) => row.function === "timestep"));
    await showView(page, "flame");
    await choose(page, "metric", "computation");
    await page.getByTestId("flame-reset").click();
    await page.getByTestId("flame-search").fill("(not sampled)");
    const found = await page.getByTestId("flame-found").textContent();
    assert.ok(found.startsWith(`${unsampled.size} found`), found);
    const share = all / [...computation.values()].reduce((sum, value) => sum + value, 0);
    assert.ok(Math.abs(Number(found.match(/([\d.]+)\s*%/)[1]) / 100 - share) < 0.006, `${found}, not ${share}`);
  });
});

test("of functions there is no column that nothing stands in", async () => {
  const titles = async (metric) => {
    let list;
    await show("functions", metric, async (page) => {
      const rows = await page.locator("[data-testid=functions] tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
      rows[0].forEach((title, i) => assert.ok(rows.slice(1).some((row) => row[i] !== ""), `${metric}: ${title}`));
      list = rows[0];
    });
    return list;
  };
  assert.ok((await titles("mpi")).includes("per call"));
  assert.ok(!(await titles("computation")).includes("bytes"));
});

test("functions follow what is brushed", async () => {
  await show("functions", "mpi", async (page) => {
    await brush(page, [10, 19], null);
    await settle(page);
    const rows = await page.$$eval("[data-testid=functions] tbody tr", (all) => all.map((row) => ({ ...row.dataset })));
    const wanted = sumBy(exported(grid, "callpaths", "--metric", "mpi", "--iteration", "10-19"), (row) => row.callpath.split(";").at(-1));
    for (const row of rows) close(Number(row.self), wanted.get(row.function), row.function);
    assert.ok(rows.length > 2);
  });
});

test("the process graph has each rank's smallest, mean and largest iteration", async () => {
  await show("processes", "computation", async (page) => {
    const rows = exported(grid, "iterations", "--metric", "computation");
    const copied = await copyCsv(page, "process");
    assert.equal(copied.length, RANKS);
    for (const row of copied) {
      const values = rows.filter((one) => one.rank === row.rank).map((one, i) => [i, one.value]);
      const wanted = overRanks(new Map(values));
      for (const key of ["min", "mean", "max"]) close(Number(row[key]), wanted[key], `rank ${row.rank}, ${key}`);
    }
  });
});

test("the topology shows the value of each rank at its place, iteration by iteration", async () => {
  const rows = exported(grid, "iterations", "--metric", "execution");
  const places = new Map(exported(grid, "topologies").map((row) => [row.rank, row.coordinates]));
  await show("topology", "execution", async (page) => {
    const check = async (iteration) => {
      assert.equal(await page.getByTestId("animation-iteration").getAttribute("data-iteration"), String(iteration));
      const copied = await copyCsv(page, "topology");
      assert.equal(copied.length, RANKS);
      for (const row of copied) {
        assert.equal(row.coordinates, places.get(row.rank), `the place of rank ${row.rank}`);
        const wanted = rows.find((one) => one.rank === row.rank && Number(one.iteration) === iteration);
        close(Number(row.value), wanted.value, `rank ${row.rank} in iteration ${iteration}`);
      }
    };
    await check(0);
    for (const [press, iteration] of [["forward", 1], ["forward", 2], ["back", 1]]) {
      await page.getByTestId(`animation-${press}`).click();
      await settle(page);
      await check(iteration);
    }
    const pictures = new Set();
    const look = async () => pictures.add(await page.getByTestId("topology").evaluate((canvas) => canvas.toDataURL()));
    await look();
    await page.getByTestId("animation-play").click();
    await page.waitForFunction(() => Number(document.querySelector("[data-testid=animation-iteration]").dataset.iteration) >= 4);
    await page.getByTestId("animation-play").click();
    await settle(page);
    await look();
    assert.equal(pictures.size, 2, "the picture changes as it plays");
    const stopped = Number(await page.getByTestId("animation-iteration").getAttribute("data-iteration"));
    await check(stopped);
    await page.waitForTimeout(300);
    await check(stopped);
  });
});

test("the surface turns and zooms, by mouse and by keys, and tells what is at the pointer", async () => {
  await show("surface", "computation", async (page) => {
    const canvas = page.getByTestId("surface");
    assert.equal(await page.locator(".surface").getAttribute("data-drawn-with"), "webgl");
    const look = () => canvas.evaluate((element) => ({ ...element.dataset }));
    const pictures = new Set([(await canvas.screenshot()).toString("base64")]);
    const box = await boxOf(canvas);
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const before = await look();
    await drag(page, middle, { x: middle.x + 120, y: middle.y + 30 });
    const dragged = await look();
    assert.notEqual(dragged.azimuth, before.azimuth);
    assert.notEqual(dragged.elevation, before.elevation);
    pictures.add((await canvas.screenshot()).toString("base64"));
    await page.mouse.wheel(0, -200);
    await settle(page);
    assert.notEqual((await look()).zoom, dragged.zoom);
    pictures.add((await canvas.screenshot()).toString("base64"));
    await canvas.press("ArrowLeft");
    await canvas.press("ArrowUp");
    await settle(page);
    pictures.add((await canvas.screenshot()).toString("base64"));
    assert.equal(pictures.size, 4, "every picture is another one");
    await hover(page, middle);
    assert.match(await page.getByTestId("surface-readout").textContent(), /rank \d+.*s/);
    const rows = exported(grid, "iterations", "--metric", "computation");
    const copied = await copyCsv(page, "surface");
    assert.equal(copied.length, ITERATIONS * RANKS);
    for (const row of copied.filter((_, i) => i % 37 === 0)) {
      const wanted = rows.find((one) => one.rank === row.rank && one.iteration === row.iteration);
      close(Number(row.value), wanted.value, `rank ${row.rank} in iteration ${row.iteration}`);
    }
  });
});

/** A comparison of two parts, each of ranges of iterations and ranks, is what the export has of them. */
async function checkComparison(page, parts) {
  const sizes = [], sums = [];
  for (const [name, { iterations, ranks }] of Object.entries(parts)) {
    for (const [field, value] of [["from", iterations[0]], ["to", iterations[1]], ["rank-from", ranks[0]], ["rank-to", ranks[1]]])
      await fill(page, `compare-${name}-${field}`, value);
    sizes.push((iterations[1] - iterations[0] + 1) * (ranks[1] - ranks[0] + 1));
    sums.push(byPath(grid, "time", ...range(iterations, ranks)));
  }
  const wanted = (path) => sums.map((one, i) => (one.get(path) ?? 0) / sizes[i]);
  const rows = await copyCsv(page, "compare");
  assert.ok(rows.length > 20, `${rows.length} rows`);
  for (const row of rows) {
    const [left, right] = wanted(row.callpath);
    close(Number(row.a), left, `A, ${row.callpath}`);
    close(Number(row.b), right, `B, ${row.callpath}`);
    close(Number(row.difference), left - right, `A − B, ${row.callpath}`, 1e-6);
  }
  const paths = new Set(rows.map((row) => row.callpath));
  for (const path of sums.flatMap((one) => [...one.keys()]))
    assert.ok(paths.has(path) || wanted(path)[0] === wanted(path)[1], `${path} is there`);
  const differences = rows.map((row) => Math.abs(Number(row.difference)));
  assert.deepEqual(differences, [...differences].sort((x, y) => y - x), "the largest difference comes first");
  const first = await page.getByTestId("compare").locator("[data-path]").first().evaluate((row) => ({ ...row.dataset }));
  close(Number(first.difference), Number(rows[0].difference), "the first row");
  const total = await page.getByTestId("compare-total").evaluate((line) => ({ ...line.dataset }));
  sums.forEach((one, i) => close(Number(total["ab"[i]]), inclusiveOf(one, "program") / sizes[i], `all of ${"AB"[i]}`));
}

test("the comparison has the difference of two ranges of iterations and of ranks, mean of an iteration and rank, by call path", async () => {
  const all = [0, RANKS - 1];
  await show("comparison", "time", async (page) => {
    await checkComparison(page, { a: { iterations: [40, 49], ranks: all }, b: { iterations: [3, 7], ranks: all } });
    await checkComparison(page, { a: { iterations: [10, 19], ranks: [2, 4] }, b: { iterations: [10, 19], ranks: [12, 16] } });
    await checkComparison(page, { a: { iterations: [0, 11], ranks: [19, 19] }, b: { iterations: [30, 30], ranks: [0, 9] } });
  });
});

/** The numbers in texts like "3" and "5–7". */
const listed = (texts) => texts.map((text) => text.split("–").map(Number)).flatMap(([first, last = first]) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i));

test("the card of a cluster tells which call paths some members lack", async () => {
  const file = golden("presence");
  const told = exported(file, "presence").filter((row) => row.iteration === "1" && row.rank === "0");
  assert.ok(told.length > 0);
  await open(browser, file, async (page) => {
    await showView(page, "cluster");
    await fill(page, "cluster-iteration", 1);
    const rows = await page.$$eval("[data-testid=cluster-presence] tr", (all) => all.map((row) => ({ ...row.dataset })));
    const shares = new Map(rows.map((row) => [row.path.replaceAll(" > ", ";"), row]));
    for (const row of told) {
      close(Number(shares.get(row.callpath)?.least), Number(row.least), row.callpath);
      close(Number(shares.get(row.callpath)?.most), Number(row.most), row.callpath);
    }
    assert.equal(shares.size, told.length);
  });
});

test("the overview states phantoms as compare and info do, calls in several lines included", async () => {
  const file = measure("sometimes.tsprof", 2, "sometimes", [], { CLUSTERS: "2", EQUIVALENCE: "none", RATE: "0" });
  const stated = tsprof("compare", file, file, "--format", "csv").stdout.split("\n").find((row) => row.includes(",phantom_paths_stated,all,"));
  const said = tsprof("info", file).stdout.match(/([\d.]+ %) of the call paths shown did not occur/)[1];
  await open(browser, file, async (page) => {
    await showView(page, "overview");
    const { most, words } = await page.$eval("[data-testid=phantoms]", (line) => ({ ...line.dataset, words: line.textContent }));
    assert.ok(Number(most) > 0);
    close(Number(most), Number(stated.split(",").at(-1)), "the share");
    assert.ok(words.replaceAll("\u00a0", " ").includes(said), `${words}, ${said}`);
  });
});

test("the card of a cluster has its number, class, size and members as exported", async () => {
  const rows = exported(grid, "clusters").filter((row) => row.rank === "7");
  await show("cluster", "time", async (page) => {
    for (const iteration of [0, 24, 49]) {
      await fill(page, "cluster-rank", 7);
      await fill(page, "cluster-iteration", iteration);
      const card = page.locator("[data-testid=cluster]");
      const { cluster, class: kind, size } = await card.evaluate((element) => ({ ...element.dataset }));
      const row = rows.find((one) => Number(one.iteration) === iteration);
      const members = rows.filter((one) => one.cluster === row.cluster);
      assert.deepEqual([cluster, kind, size], [row.cluster, row.class, String(members.length)], `iteration ${iteration}`);
      const told = await page.getByTestId("cluster-members").getByRole("button").allTextContents();
      assert.deepEqual(listed(told), members.map((one) => Number(one.iteration)));
      assert.deepEqual(await copyCsv(page, "cluster"), rows);
    }
  });
});

test("the parts of the time over iterations are means over ranks as exported, and are all of it", async () => {
  const means = (metric) => {
    const sums = sumBy(exported(grid, "iterations", "--metric", metric), (row) => Number(row.iteration));
    return (iteration) => sums.get(iteration) / RANKS;
  };
  await show("overview", "time", async (page) => {
    const rows = await copyCsv(page, "breakdown");
    const computation = rows.filter((row) => row.metric === "computation");
    assert.equal(computation.length, ITERATIONS);
    const [part, whole] = [means("computation"), means("time")];
    for (const row of computation) close(Number(row.mean), part(Number(row.iteration)), `computation, ${row.iteration}`);
    const sums = sumBy(rows.map((row) => ({ ...row, value: Number(row.mean) })), (row) => Number(row.iteration));
    for (const [iteration, sum] of sums) close(sum, whole(iteration), `all parts, ${iteration}`);
  });
});

/** Red, green and blue of CSS such as "rgb(1, 2, 3)". */
const channels = (text) => text.match(/\d+/g).map(Number);

test("as shares the parts fill the graph, each as high as its share of the exported time", async () => {
  await show("overview", "time", async (page) => {
    const parts = (await copyCsv(page, "breakdown")).map((row) => ({ ...row, mean: Number(row.mean) }));
    await page.locator("input[name=proportional]").check();
    await settle(page);
    const legend = await page.locator("#breakdown .legend-entry").evaluateAll((entries) => entries.map((entry) =>
      ({ name: entry.textContent, colour: getComputedStyle(entry.querySelector(".swatch")).backgroundColor })));
    const [canvas, inner] = await Promise.all(["canvas", ".u-over"].map((part) => page.locator(`#breakdown ${part}`).boundingBox()));
    let seen = 0;
    for (const iteration of [0, 9, 23, 24, 49]) {
      const means = legend.map(({ name }) => parts.find((row) => row.metric === name && Number(row.iteration) === iteration).mean);
      const whole = means.reduce((sum, mean) => sum + mean, 0);
      const x = Math.round(inner.x - canvas.x + ((iteration + 0.5) * inner.width) / ITERATIONS);
      let below = 0;
      for (const [i, mean] of means.entries()) {
        const share = mean / whole;
        const middle = below + share / 2;
        below += share;
        /* Of thin parts there may be no pixel without a neighbour's colour in it. */
        if (share * inner.height < 3) continue;
        const y = Math.round(inner.y - canvas.y + (1 - middle) * inner.height - 0.5);
        const [got] = await colours(page, "#breakdown canvas", [[x, y]]);
        const far = Math.max(...channels(legend[i].colour).map((channel, k) => Math.abs(channel - got[k])));
        assert.ok(far <= 2, `iteration ${iteration}, ${legend[i].name} at ${middle}: ${got}, not ${legend[i].colour}`);
        seen++;
      }
      close(below, 1, "all shares");
    }
    assert.ok(seen > 8, `${seen} places looked at`);
  });
});

test("values of trees are shares of the root or of what is chosen, if that is asked for", async () => {
  await show("trees", "mpi", async (page) => {
    await chooseRow(page, "call-tree", "path", "main;timestep");
    const whole = inclusiveOf(byPath(grid, "time", "--total"), "program");
    const chosen = inclusiveOf(byPath(grid, "mpi", "--total"), "program");
    for (const [mode, of] of [["% of the root metric", whole], ["% of what is chosen to the left", chosen]]) {
      await choose(page, "trees-mode", mode);
      for (const row of await treeRows(page, "call-tree")) {
        const shown = parseFloat(row.text.replace("\u2212", "-"));
        assert.match(row.text, /^[\d.]+ %$/, row.path);
        assert.ok(Math.abs(shown - (100 * row.value) / of) <= 0.051, `${mode}: ${row.path} is ${row.text}, not ${(100 * row.value) / of}`);
      }
    }
  });
});

test("pictures are copied as PNG", async () => {
  const views = { flame: "flame", processes: "process", topology: "topology", surface: "surface" };
  await open(browser, grid, async (page) => {
    for (const [view, name] of Object.entries(views)) {
      await showView(page, view);
      const picture = await copyPng(page, name);
      assert.ok(picture.width > 200 && picture.height > 100 && picture.colours > 8, `${view}: ${JSON.stringify(picture)}`);
    }
  });
});
