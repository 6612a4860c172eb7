// The time line has the calls and messages that the trace was made with, and is moved, zoomed and
// remembered; a picture of tens of thousands of calls is drawn with as many boxes as have room.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { axeSource, launch } from "./browser.mjs";
import { colours, copyCsv, copyPng, drag, fragmentOf, hover, openPage, ready, settle, showView } from "./page.mjs";
import { html, noTraces, traced } from "./summaries.mjs";

const RANKS = 4;
const GUTTER = 84;
const RULER = 24;
const skip = noTraces() ?? false;
let browser, page_, truth, large;

before(async () => {
  if (skip) return;
  const made = traced("timeline", RANKS, "--steps", "3");
  truth = made.truth;
  page_ = html(made.summary, "--trace");
  large = html(traced("large", 64, "--steps", "60", "--iterations", "5").summary, "--trace");
  browser = await launch();
});
after(() => browser?.close());

const show = (body, options) => openPage(browser, page_, async (page) => {
  await showView(page, "timeline");
  await body(page);
}, options);

const graph = (page) => page.getByTestId("timeline-graph");

async function boxOf(page) {
  await graph(page).evaluate((canvas) => canvas.scrollIntoView({ block: "center" }));
  return graph(page).boundingBox();
}

/** What the line below the graph says, and its data. */
const told = (page) => page.getByTestId("timeline-graph-readout").evaluate((line) => ({ text: line.textContent, ...line.dataset }));

async function pick(page, text) {
  const list = page.locator("select[name=timeline-iteration]");
  await list.selectOption(await list.locator("option").evaluateAll((all, wanted) => all.find((one) => one.textContent.startsWith(wanted)).value, text));
  await settle(page);
}

const check = async (page, id, on) => {
  await page.getByTestId(id).setChecked(on);
  await settle(page);
};

test("an iteration has the calls that it was traced with", { skip }, async () => {
  await show(async (page) => {
    const list = await page.locator("select[name=timeline-iteration] option").allTextContents();
    assert.deepEqual(list.map((text) => text.split(":")[0]), ["timestep 3", "timestep 7", "timestep 8"]);
    const counted = {};
    for (const name of ["timestep 3", "timestep 7", "timestep 8"]) {
      await pick(page, name);
      for (const row of await copyCsv(page, "timeline")) {
        counted[row.function] = (counted[row.function] ?? 0) + 1;
        assert.ok(Number(row.begin) >= 0 && Number(row.end) >= Number(row.begin), JSON.stringify(row));
      }
    }
    const { main, ...inIterations } = truth.calls;
    assert.deepEqual(counted, inIterations, "all but what is around iterations");
    assert.match(list[0], new RegExp(`: .*, ${truth.messages.length / 3} messages$`));
  });
});

test("what the pointer is at is said: a call, where it is and in what; a message and its ends", { skip }, async () => {
  await show(async (page) => {
    await check(page, "timeline-messages", false);
    const rows = (await copyCsv(page, "timeline")).filter((row) => row.row === "rank 1" && row.function === "MPI_Waitall");
    const whole = (await copyCsv(page, "timeline")).filter((row) => row.function === "timestep");
    const length = Math.max(...whole.map((row) => Number(row.end)));
    const box = await boxOf(page);
    const perSecond = (box.width - GUTTER) / length;
    const height = (box.height - RULER) / RANKS;
    const middle = (Number(rows[0].begin) + Number(rows[0].end)) / 2;
    await hover(page, { x: box.x + GUTTER + middle * perSecond, y: box.y + RULER + height + 2 + 2 * 15 + 7 });
    const call = await told(page);
    assert.deepEqual([call.kind, call.name, call.metric, Number(call.begin) / 1e9], ["call", "MPI_Waitall", "mpi_point2point", Number(rows[0].begin)]);
    assert.match(call.text, /^rank 1: MPI_Waitall \(app\.c:18\), .* in timestep > exchange$/);
    await check(page, "timeline-messages", true);
    const start = Math.min(...truth.messages.map((one) => one.sent_ns));
    const message = truth.messages.find((one) => one.iteration === 3 && one.from === 1 && one.tag === 2);
    const begin = await page.evaluate(() => window.tsprof.timeline.iterations[0].begin);
    const at = (ns) => box.x + GUTTER + ((ns - begin) / 1e9) * perSecond;
    const y = (rank) => box.y + RULER + (rank + 0.5) * height;
    assert.ok(start > begin);
    await hover(page, { x: (at(message.sent_ns) + at(message.received_ns)) / 2, y: (y(1) + y(2)) / 2 });
    const line = await told(page);
    assert.deepEqual([line.kind, line.from, line.to], ["message", "1", "2"], line.text);
    assert.match(line.text, /^Message from rank 1 to rank 2: \d+ B, tag \d; sent at /);
  });
});

test("calls have the colours of their metrics", { skip }, async () => {
  await show(async (page) => {
    await check(page, "timeline-messages", false);
    await check(page, "timeline-stacks", false);
    const legend = await page.getByTestId("timeline-legend").locator("li").evaluateAll((list) =>
      list.map((item) => [item.textContent, getComputedStyle(item.firstElementChild).backgroundColor]));
    assert.deepEqual(legend.map(([name]) => name).sort(), ["computation", "mpi_collective", "mpi_point2point"]);
    const box = await boxOf(page);
    const size = await graph(page).evaluate((canvas) => canvas.width);
    const ratio = size / box.width;
    /* The last thing in every row is MPI_Allreduce. */
    const [last] = await colours(page, "[data-testid=timeline-graph]", [[Math.round(size - 4 * ratio), Math.round((RULER + 8) * ratio)]]);
    assert.equal(`rgb(${last.join(", ")})`, legend.find(([name]) => name === "mpi_collective")[1]);
  });
});

test("it is zoomed and moved by wheel, pointer and keys, and comes back as it was", { skip }, async () => {
  await show(async (page) => {
    const all = await told(page);
    const before = await graph(page).evaluate((canvas) => canvas.toDataURL());
    const box = await boxOf(page);
    await page.keyboard.down("Shift");
    await drag(page, { x: box.x + 300, y: box.y + 60 }, { x: box.x + 500, y: box.y + 60 });
    await page.keyboard.up("Shift");
    const window1 = /x\.tw=(\d+)-(\d+)/.exec(await fragmentOf(page));
    assert.ok(window1, "what is shown is in the address");
    assert.notEqual(await graph(page).evaluate((canvas) => canvas.toDataURL()), before);
    await drag(page, { x: box.x + 600, y: box.y + 60 }, { x: box.x + 500, y: box.y + 60 });
    const window2 = /x\.tw=(\d+)-(\d+)/.exec(await fragmentOf(page));
    assert.ok(Number(window2[1]) > Number(window1[1]), "moved to later times");
    assert.ok(Math.abs(Number(window2[2]) - Number(window2[1]) - (Number(window1[2]) - Number(window1[1]))) <= 2, "of the same length");
    await page.mouse.move(2, 2);
    await settle(page);
    const picture = await graph(page).evaluate((canvas) => canvas.toDataURL());
    await page.reload();
    assert.equal(await ready(page), "true");
    await settle(page);
    assert.equal(await graph(page).evaluate((canvas) => canvas.toDataURL()), picture, "the same after it is loaded again");
    await graph(page).focus();
    await page.keyboard.press("+");
    await settle(page);
    const window3 = /x\.tw=(\d+)-(\d+)/.exec(await fragmentOf(page));
    assert.ok(Number(window3[2]) - Number(window3[1]) < 0.6 * (Number(window2[2]) - Number(window2[1])), "+ zooms in");
    await page.keyboard.press("ArrowDown");
    await settle(page);
    assert.match((await told(page)).text, /^rank 1/, "the arrows go from row to row");
    await page.keyboard.press("0");
    await settle(page);
    assert.doesNotMatch(await fragmentOf(page), /x\.tw=/, "0 shows all");
    await page.mouse.move(2, 2);
    await settle(page);
    assert.ok(all.text.startsWith("4") || all.text.length > 20);
    await page.getByTestId("timeline-next").click();
    await settle(page);
    assert.match(await page.getByTestId("timeline-line").textContent(), /^Iteration 7 of timestep/);
    assert.match(await fragmentOf(page), /x\.ti=timestep%207/);
  });
});

test("the picture is copied, and all can be read without eyes", { skip }, async () => {
  for (const colorScheme of ["dark", "light"])
    await show(async (page) => {
      const picture = await copyPng(page, "timeline");
      assert.ok(picture.width > 500 && picture.colours > 20, JSON.stringify(picture));
      await page.evaluate(axeSource());
      const faults = await page.evaluate(() => window.axe.run("#view", { resultTypes: ["violations"] }));
      assert.deepEqual(faults.violations.map(({ id, nodes }) => [id, nodes[0].html]), [], colorScheme);
    }, { colorScheme });
});

test("of tens of thousands of calls as much is drawn as has room", { skip }, async () => {
  await openPage(browser, large, async (page) => {
    await showView(page, "timeline");
    assert.match(await page.getByTestId("timeline-line").textContent(), /34,\d+ calls, 11,520 messages/);
    const box = await boxOf(page);
    const work = await page.evaluate(async ([x, y]) => {
      const { prototype } = CanvasRenderingContext2D;
      const counts = { fillRect: 0, lineTo: 0, fillText: 0 };
      for (const name of Object.keys(counts)) {
        const real = prototype[name];
        prototype[name] = function (...all) {
          counts[name]++;
          return real.apply(this, all);
        };
      }
      const canvas = document.querySelector("[data-testid=timeline-graph]");
      let most = 0;
      for (let i = 0; i < 20; i++) {
        for (const name of Object.keys(counts)) counts[name] = 0;
        canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: i < 10 ? -100 : 100, ctrlKey: true, clientX: x, clientY: y, bubbles: true, cancelable: true }));
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        most = Math.max(most, counts.fillRect + counts.lineTo + counts.fillText);
      }
      return { most, last: counts };
    }, [box.x + 600, box.y + 200]);
    /* 64 rows of about 1,150 pixels, of which a box takes more than one; 1,500 messages. */
    assert.ok(work.most > 1000 && work.most < 45000, JSON.stringify(work));
  });
});

test("a page without a trace says how to get one", { skip }, async () => {
  const made = traced("without", 2);
  await openPage(browser, html(made.summary), async (page) => {
    const tab = page.locator("[role=tab][data-view=timeline]");
    assert.ok(await tab.isDisabled());
    assert.match(await tab.getAttribute("title"), /tsprof html --trace/);
  });
});
