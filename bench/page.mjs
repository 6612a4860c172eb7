// How quickly the page of a summary opens and answers: node page.mjs SUMMARY PAGE [PART...]
//
// Parts are those of PARTS below; without any, all are used that the page has.
//
// Every interaction is made by mouse or keyboard, as a user does it, several times.  Printed are, each as median
// and worst:
//
//     paint   from the event to the next picture after it: what the user feels
//     done    from the event until all that follows from it has been drawn
//     task    the longest time in which the page could not answer
//     cpu     what the page's main thread computed meanwhile, whatever else the machine did

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const TESTS = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "tests", "browser");
const { launch, visit } = await import(path.join(TESTS, "browser.mjs"));
const { boxOf, settle, showView } = await import(path.join(TESTS, "page.mjs"));

const [summary, file, ...chosen] = process.argv.slice(2);
const TIMES = 7;
const PATIENCE_MS = 300000;

/** In the page: notes when an event came, when there was a picture, and what kept the page busy. */
function watchEvents() {
  const seen = (window.seen = { type: "", begin: 0, paint: 0, done: 0, task: 0 });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.task = Math.max(seen.task, duration);
  }).observe({ type: "longtask" });
  const painted = (then) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => then(performance.now() - seen.begin);
    channel.port2.postMessage(0);
  });
  const isBusy = () => document.body.dataset.busy === "true";
  const finished = (then) => new MutationObserver((_, observer) => {
    if (isBusy()) return;
    observer.disconnect();
    then();
  }).observe(document.body, { attributeFilter: ["data-busy"] });
  const note = (event) => {
    if (event.type !== seen.type) return;
    Object.assign(seen, { type: "", begin: event.timeStamp, paint: 0, done: 0, task: 0 });
    painted((time) => {
      seen.paint = time;
      if (isBusy()) finished(() => painted((last) => (seen.done = last)));
      else seen.done = time;
    });
  };
  for (const type of ["change", "click", "pointermove", "keydown", "wheel", "dblclick"])
    addEventListener(type, note, { capture: true, passive: true });
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const columns = (values) => `${median(values).toFixed(0).padStart(7)}${Math.max(...values).toFixed(0).padStart(7)}`;

async function measure(page, session, name, type, act) {
  const results = { paint: [], done: [], task: [], cpu: [] };
  const cpu = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find((metric) => metric.name === "TaskDuration").value;
  };
  for (let i = 0; i < TIMES; i++) {
    const before = await cpu();
    await page.evaluate((wanted) => (window.seen.type = wanted), type);
    await act(i);
    await page.waitForFunction(() => window.seen.done > 0, null, { timeout: PATIENCE_MS });
    const { paint, done, task } = await page.evaluate(() => window.seen);
    const after = await cpu();
    results.paint.push(paint);
    results.done.push(done);
    results.task.push(task);
    results.cpu.push(after - before);
  }
  console.log(`${name.padEnd(44)}${Object.values(results).map(columns).join("")}`);
}

/** Moves the mouse over a plot, down or not, and measures each step. */
function movesOver(page, run) {
  return async (name, selector, pressed, place) => {
    const box = await boxOf(page.locator(selector));
    const at = (share) => [box.x + box.width * place(share)[0], box.y + box.height * place(share)[1]];
    await page.mouse.move(...at(0));
    await settle(page);
    if (pressed) {
      await page.mouse.down();
      await page.mouse.move(...at(0.2));
      await settle(page);
    }
    await run(name, "pointermove", (i) => page.mouse.move(...at(0.3 + i / 10)));
    if (pressed) await page.mouse.up();
    await settle(page);
  };
}

/** What all parts use: the page, how to measure in it, and its lists. */
async function toolsFor(page, session) {
  const list = (name) => page.locator(`select[name=${name}]`);
  const run = (name, type, act) => measure(page, session, name, type, act);
  const metrics = (await list("metric").locator("option").evaluateAll((options) =>
    options.map((option) => [option.textContent.trim(), option.value])));
  const views = await page.locator("[role=tab]:not([disabled])").evaluateAll((tabs) => tabs.map((tab) => tab.dataset.view));
  return { page, list, run, views, along: movesOver(page, run), metric: (name) => metrics.find(([text]) => text === name)[1] };
}

const GRAPH = "#graph .brush", MAP = "#map .brush";
const across = (share) => [0.1 + 0.8 * share, 0.5];
const aslant = (share) => [0.1 + 0.8 * share, 0.1 + 0.8 * share];

async function metrics({ page, list, run, metric }) {
  const first = ["execution", "computation", "mpi", "visits", "bytes", "mpi_communication", "samples"].map(metric);
  await run("a metric, for the first time", "change", (i) => list("metric").selectOption(first[i]));
  await run("a metric, again", "change", (i) => list("metric").selectOption(first[(i + 3) % first.length]));
  await list("metric").selectOption(metric("time"));
  await settle(page);
}

async function plots({ page, list, run, along }) {
  await run("colours of the map", "change", (i) => list("colouring").selectOption(["equalised", "zero", "linear"][i % 3]));
  for (const pixel of ["max", "median"]) {
    await run(`a pixel is the ${pixel}`, "change", (i) => list("pixel").selectOption(i % 2 ? "mean" : pixel));
    await list("pixel").selectOption("mean");
    await settle(page);
  }
  await run("the middle line is the median", "change", (i) => list("middle").selectOption(i % 2 ? "mean" : "median"));
  await list("middle").selectOption("mean");
  await settle(page);
  await run("the axis is logarithmic", "change", (i) => list("axis").selectOption(i % 2 ? "linear" : "logarithmic"));
  await list("axis").selectOption("linear");
  await settle(page);
  await along("pointing at the graph", GRAPH, false, across);
  await along("pointing at the map", MAP, false, aslant);
  await run("zooming by the wheel", "wheel", async (i) => {
    const box = await boxOf(page.locator(MAP));
    await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
    await page.mouse.wheel(0, i < 4 ? -240 : 240);
  });
  await page.locator(GRAPH).press("Escape");
  await settle(page);
  const shows = page.locator("#findings-panel").getByRole("button", { name: /^Show/ });
  const findings = await shows.count();
  if (findings) await run("going to what stands out", "click", (i) => shows.nth(i % findings).click());
  await page.locator(GRAPH).press("Escape");
  await settle(page);
  await along("the minimap's window", "#minimap .minimap-layer", true, (share) => [0.2 + 0.6 * share, 0.5]);
  await page.locator("#minimap .minimap-layer").press("Escape");
}

async function opening({ page, run, views }) {
  for (const view of views)
    await run(`opening ${view}`, "click", async (i) => {
      await page.evaluate((wanted) => (window.seen.type = wanted), i % 2 ? "" : "click");
      await page.locator(`[role=tab][data-view=${i % 2 ? "about" : view}]`).click();
      if (i % 2 === 0) return;
      await settle(page);
      await page.evaluate(() => (window.seen.type = "click"));
      await page.locator(`[role=tab][data-view=${view}]`).click();
    });
}

async function brushing({ page, along, views }) {
  for (const view of views) {
    await showView(page, view);
    await along(`brushing iterations, with ${view}`, GRAPH, true, across);
    await along(`brushing ranks, too, with ${view}`, MAP, true, aslant);
    await page.locator(GRAPH).press("Escape");
    await settle(page);
  }
}

/** The whole program in a view: what stands out has chosen a metric, and perhaps a call path, with few rows. */
async function wholeProgram({ page, list, metric }, view) {
  await showView(page, "trees");
  await list("metric").selectOption(metric("time"));
  await page.getByTestId("whole-program").click();
  await showView(page, view);
}

async function trees(tools) {
  const { page, run } = tools;
  await wholeProgram(tools, "trees");
  const rows = page.getByTestId("call-tree").locator("[role=treeitem]:visible .tree-label");
  const count = await rows.count(); /* at most: choosing a row may fold others */
  await run("choosing a call path", "click", (i) => rows.nth(1 + i % Math.min(7, count - 1)).click());
  await run("expanding, collapsing a call path", "click", () =>
    page.getByTestId("call-tree").locator('[data-path="main;timestep"] .tree-toggle').click());
  await page.getByTestId("whole-program").click();
  const search = page.getByTestId("call-tree-search");
  await search.focus();
  await run("searching in the call tree", "keydown", (i) => page.keyboard.press(i % 2 ? "Backspace" : "p"));
  await run("going to the next that was found", "keydown", () => page.keyboard.press("Enter"));
  await search.fill("");
}

async function functions(tools) {
  const { page, run } = tools;
  await wholeProgram(tools, "functions");
  const rows = page.locator("[data-testid=functions] tbody button");
  await run("choosing a function", "click", (i) => rows.nth(i + 1).click());
  const search = page.getByTestId("functions-search");
  await search.focus();
  await run("searching among functions", "keydown", (i) => page.keyboard.press(i % 2 ? "Backspace" : "p"));
  await search.fill("");
}

async function flame(tools) {
  const { page, run } = tools;
  await wholeProgram(tools, "flame");
  const search = page.getByTestId("flame-search");
  await search.focus();
  await run("searching in the flame graph", "keydown", (i) => page.keyboard.press(i % 2 ? "Backspace" : "p"));
  await search.fill("MPI_");
  await settle(page);
  await search.focus();
  await run("going to the next frame that was found", "keydown", () => page.keyboard.press("Enter"));
  await search.fill("");
  await page.getByTestId("flame-reset").click();
  await settle(page);
}

async function pictures({ page, list, run, along }) {
  await showView(page, "topology");
  await run("a step of the animation", "click", () => page.getByTestId("animation-forward").click());
  await showView(page, "surface");
  await along("turning the surface", "[data-testid=surface]", true, across);
  await run("dark and light", "change", (i) => list("theme").selectOption(i % 2 ? "light" : "dark"));
}

/** Of a trace, where the page has one. */
async function timeline({ page, run, along, views }) {
  if (!views.includes("timeline")) return;
  await showView(page, "timeline");
  const drawn = "[data-testid=timeline-graph]";
  await along("pointing at the time line", drawn, false, (share) => [0.1 + 0.8 * share, 0.3]);
  await run("zooming into the time line", "wheel", async (i) => {
    const box = await boxOf(page.locator(drawn));
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 3);
    await page.mouse.wheel(0, i < 4 ? -240 : 240);
  });
}

const PARTS = { metrics, plots, opening, brushing, trees, functions, flame, timeline, pictures };

/** Whether a graphics processor puts pictures together; times of one that is simulated say nothing. */
async function drawnBy(browser) {
  const { gpu } = await (await browser.newBrowserCDPSession()).send("SystemInfo.getInfo");
  return gpu.featureStatus.gpu_compositing === "enabled" ? "a graphics processor" : "the processors";
}

async function interactions(page, session) {
  const tools = await toolsFor(page, session);
  for (const [name, part] of Object.entries(PARTS)) if (chosen.length === 0 || chosen.includes(name)) await part(tools);
}

const browser = await launch(["--enable-precise-memory-info"]);
try {
  const begin = performance.now();
  await visit(browser, file, async (page) => {
    page.setDefaultTimeout(PATIENCE_MS);
    await page.waitForFunction(() => document.body.dataset.ready, null, { timeout: PATIENCE_MS });
    await settle(page);
    const opened = performance.now() - begin;
    const heap = await page.evaluate(() => performance.memory.usedJSHeapSize);
    const sizes = [summary, file].map((name) => fs.statSync(name).size);
    console.log(`summary ${(sizes[0] / 1e6).toFixed(1)} MB, page ${(sizes[1] / 1e6).toFixed(1)} MB (${(sizes[1] / sizes[0]).toFixed(2)} of it); ` +
      `opens in ${(opened / 1000).toFixed(1)} s, takes ${(heap / 1e6).toFixed(0)} MB of JavaScript's heap`);
    console.log(`Chromium ${browser.version()}, pictures are made by ${await drawnBy(browser)}`);
    console.log(`${"milliseconds; each median, worst".padEnd(44)}${["paint", "done", "task", "cpu"].map((name) => name.padStart(14)).join("")}`);
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.evaluate(watchEvents);
    await interactions(page, session);
  });
} finally {
  await browser.close();
}
