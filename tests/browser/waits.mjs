// Who waits for whom: the page has what tsprof export has, a click on the matrix lists the waits of
// two ranks, and from a wait one click leads to what caused it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { axeSource, launch } from "./browser.mjs";
import { checkEfficiencies, efficiencyRows, efficiencyTable } from "./checks.mjs";
import { colours, copyCsv, fragmentOf, openPage, ready, settle, showView } from "./page.mjs";
import { exported, html, noTraces, traced, tsprof } from "./summaries.mjs";

const RANKS = 4;
const skip = noTraces() ?? false;
let browser, page_, rows, causes, said, iterations;

before(async () => {
  if (skip) return;
  const trace = traced("waits", RANKS, "--steps", "3").summary;
  const summary = trace.replace(/\.tsprof$/, "-found.tsprof");
  const found = tsprof("waits", trace, "-o", summary);
  assert.equal(found.status, 0, found.stderr);
  page_ = html(summary);
  rows = exported(summary, "waits");
  iterations = exported(summary, "iterations", "--metric", "time");
  causes = exported(summary, "causes");
  said = tsprof("report", summary).stdout;
  browser = await launch();
});
after(() => browser?.close());

const show = (body, options) => openPage(browser, page_, async (page) => {
  await showView(page, "waits");
  await body(page);
}, options);

const keyOf = (row) => [row.rank, row.callpath, row.metric, row.cause_rank].join("|");

test("the table has what tsprof export has", { skip }, async () => {
  await show(async (page) => {
    const shown = new Map((await copyCsv(page, "waits")).map((row) => [keyOf(row), row]));
    assert.ok(rows.length > 3, "there are waits");
    assert.equal(shown.size, new Set(rows.map(keyOf)).size);
    for (const row of rows) {
      assert.equal(Number(shown.get(keyOf(row)).time), Number(row.time), keyOf(row));
      assert.equal(shown.get(keyOf(row)).count, row.count, keyOf(row));
    }
  });
});

/** The middle of a cell of the matrix, in its own pixels. */
async function middleOf(matrix, row, column) {
  const { left, top, cell } = await matrix.evaluate((canvas) => ({ ...canvas.dataset }));
  return { x: Number(left) + (column + 0.5) * Number(cell), y: Number(top) + (row + 0.5) * Number(cell) };
}

test("rows and columns of the matrix are labelled with their ranks", { skip }, async () => {
  await show(async (page) => {
    const matrix = page.getByTestId("wait-matrix");
    for (let rank = 0; rank < RANKS; rank++) {
      const { x, y } = await middleOf(matrix, rank, rank);
      const drawn = await matrix.evaluate((canvas, [x, y]) => {
        const { left, top, cell } = canvas.dataset;
        const ratio = canvas.width / canvas.clientWidth;
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
        copy.drawImage(canvas, 0, 0);
        const ink = (...box) => {
          const { data } = copy.getImageData(...box.map((one) => Math.round(one * ratio)));
          return data.filter((value, i) => i % 4 === 3 && value > 128).length;
        };
        return [ink(0, y - cell / 2, left, cell), ink(x - cell / 2, 0, cell, top)];
      }, [x, y]);
      assert.ok(drawn.every((count) => count >= 5), `rank ${rank}: ${drawn}`);
    }
  });
});

test("the matrix can be used by keys", { skip }, async () => {
  await show(async (page) => {
    const matrix = page.getByTestId("wait-matrix");
    await matrix.focus();
    for (const key of ["Home", "ArrowUp", "ArrowRight", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
    assert.match(await page.getByTestId("wait-matrix-readout").textContent(), /^rank 1 for rank 2: /);
    await page.keyboard.press("Enter");
    await settle(page);
    assert.match(await fragmentOf(page), /waits=1-2/);
    assert.equal((await copyCsv(page, "waits")).length, rows.filter((row) => row.rank === "1" && row.cause_rank === "2").length);
  });
});

test("on a laptop's screen matrix, causes and waits are seen together", { skip }, async () => {
  await show(async (page) => {
    const boxes = await Promise.all([".wait-matrix-panel", ".wait-reasons", "[data-testid=wait-pairs] [role=row] >> nth=1"].map((one) =>
      page.locator(one).boundingBox()));
    for (const box of boxes) assert.ok(box.y + Math.min(box.height, 120) <= 900, JSON.stringify(boxes));
  }, { viewport: { width: 1440, height: 900 } });
});

test("in a narrow window all columns of the list can be scrolled to, below their titles", { skip }, async () => {
  await show(async (page) => {
    const rows = await page.getByTestId("wait-pairs").evaluate((table) => {
      table.closest(".value-table, *").scrollIntoView();
      const scroller = table.matches(".value-table") ? table : table.closest(".value-table");
      scroller.scrollLeft = scroller.scrollWidth;
      const edges = (row) => [...row.children].map((cell) => Math.round(cell.getBoundingClientRect().right));
      return [edges(scroller.querySelector(".value-table-head")), edges(scroller.querySelector(".value-table-row")), [scroller.getBoundingClientRect().right]];
    });
    assert.deepEqual(rows[0], rows[1], "cells are below their titles");
    assert.ok(rows[1].at(-1) <= rows[2][0] + 1, `the last one is seen: ${rows[1].at(-1)}, ${rows[2][0]}`);
  }, { viewport: { width: 480, height: 900 } });
});

test("a click on the matrix lists the waits of two ranks, and is in the address", { skip }, async () => {
  const { rank, cause_rank: cause } = rows[0];
  await show(async (page) => {
    const matrix = page.getByTestId("wait-matrix");
    await matrix.click({ position: await middleOf(matrix, Number(rank), Number(cause)) });
    await settle(page);
    const wanted = rows.filter((row) => row.rank === rank && row.cause_rank === cause);
    assert.equal((await copyCsv(page, "waits")).length, wanted.length);
    assert.match(await fragmentOf(page), new RegExp(`waits=${rank}-${cause}`));
    const sum = wanted.reduce((all, row) => all + Number(row.time), 0);
    assert.match(await page.getByTestId("wait-matrix-readout").textContent(), new RegExp(`^rank ${rank} for rank ${cause}: `));
    assert.ok(sum > 0);
    await page.reload();
    assert.equal(await ready(page), "true");
    assert.equal((await copyCsv(page, "waits")).length, wanted.length, "after a reload");
    await page.getByTestId("wait-all").click();
    await settle(page);
    assert.equal((await copyCsv(page, "waits")).length, rows.length);
  });
});

test("the first iteration that was traced is looked at first, and in the breakdown each is as wide as the others", { skip }, async () => {
  await openPage(browser, page_, async (page) => {
    const traced_ = [...new Set(iterations.map((row) => Number(row.iteration)))].sort((a, b) => a - b);
    const alone = traced_.filter((one) => !traced_.includes(one - 1) && !traced_.includes(one + 1));
    assert.ok(alone.length > 0 && traced_[0] > 0, traced_.join());
    assert.match(await page.locator("#readout").textContent(), new RegExp(`^Iteration ${traced_[0]}, rank 0: [\\d.]+ `));
    assert.doesNotMatch(await fragmentOf(page), /iteration=/);
    await showView(page, "overview");
    await page.locator("input[name=proportional]").check();
    await settle(page);
    const [canvas, inner] = await Promise.all(["canvas", ".u-over"].map((part) => page.locator(`#breakdown ${part}`).boundingBox()));
    const last = traced_.at(-1);
    const at = (iteration) => [Math.round(inner.x - canvas.x + (iteration * inner.width) / (last + 1)), Math.round(inner.y - canvas.y + inner.height - 4)];
    const [behind] = await colours(page, "#breakdown canvas", [at(0.5)]);
    for (let iteration = 0; iteration <= last; iteration++) {
      const seen = await colours(page, "#breakdown canvas", [0.05, 0.5, 0.95].map((share) => at(iteration + share)));
      assert.deepEqual(seen.map((colour) => String(colour) !== String(behind)), Array(3).fill(traced_.includes(iteration)), `iteration ${iteration}`);
    }
    const line = await page.locator("#efficiency canvas").boundingBox();
    const plotted = await page.locator("#efficiency .u-over").boundingBox();
    for (const iteration of traced_) {
      const x = Math.round(plotted.x - line.x + ((iteration + 0.5) * plotted.width) / (last + 1));
      /* Across the lines of the grid, whose colour is the same from left to right. */
      const [here, beside] = await Promise.all([0, 7].map((right) =>
        colours(page, "#efficiency canvas", Array.from({ length: Math.round(plotted.height) - 2 }, (_, y) => [x - right, Math.round(plotted.y - line.y) + 1 + y]))));
      assert.ok(!alone.includes(iteration) || here.filter((colour, y) => String(colour) !== String(beside[y])).length >= 4, `the efficiency of iteration ${iteration} is seen`);
    }
  });
});

test("an iteration that was not traced is said to be that", { skip }, async () => {
  await show(async (page) => {
    assert.match(await page.locator("#readout").textContent(), /^Iteration 0, rank 0: –, not traced$/);
    await showView(page, "cluster");
    assert.match(await page.locator("#view").innerText(), /no profile of it: it was not traced/);
  }, { fragment: "iteration=0" });
});

test("from a wait one click leads to its cause in the trees", { skip }, async () => {
  await show(async (page) => {
    const longest = rows.reduce((most, row) => (Number(row.time) > Number(most.time) ? row : most));
    /* Names are shown without template arguments. */
    const brief = (path) => path.split(";").join(" > ").replace(/<[^>]*>/g, "");
    const wanted = causes.filter((row) => keyOf(row) === keyOf(longest)).map((row) => row.cause);
    const told = page.getByTestId("wait-reasons").locator("li");
    assert.equal(await told.count(), wanted.length);
    const first = told.first().getByTestId("wait-path");
    const text = (await first.textContent()).replace(/ \([^)]*\)$/, "");
    const cause = wanted.find((path) => brief(path) === text);
    assert.ok(cause, text);
    await first.click();
    await settle(page);
    const fragment = await fragmentOf(page);
    assert.match(fragment, /view=trees/);
    assert.match(decodeURIComponent(fragment), new RegExp(`path=${cause.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`));
  });
});

test("what would gain most is there as the summary has it", { skip }, async () => {
  await show(async (page) => {
    const gains = page.getByTestId("wait-gains").locator("li");
    const wanted = said.split("What would gain most")[1].split("\n").slice(1).filter((line) => /^ +[0-9]/.test(line));
    assert.ok(wanted.length > 0, "something gains");
    assert.equal(await gains.count(), Math.min(5, wanted.length));
    const question = (await gains.first().locator("code").textContent()).trim();
    assert.ok(wanted[0].includes(question), question);
  });
});

for (const colorScheme of ["light", "dark"])
  test(`everybody can use it, ${colorScheme}`, { skip }, async () => {
    await show(async (page) => {
      await page.evaluate(axeSource());
      const faults = await page.evaluate(() => window.axe.run("#view", { resultTypes: ["violations"] }));
      assert.deepEqual(faults.violations.map(({ id, nodes }) => [id, nodes[0].html]), []);
    }, { colorScheme });
  });

test("the overview divides communication efficiency as the report does", { skip }, async () => {
  const wanted = efficiencyRows(said);
  assert.ok(wanted.has("serialisation") && wanted.has("transfer"), said);
  await openPage(browser, page_, async (page) => {
    await showView(page, "overview");
    checkEfficiencies(await efficiencyTable(page), wanted);
  });
});

test("without waits it says where they come from", { skip }, async () => {
  const plain = html(traced("plain-waits", RANKS, "--steps", "3").summary);
  await openPage(browser, plain, async (page) => {
    const tab = page.locator("[role=tab][data-view=waits]");
    assert.match(await tab.getAttribute("title"), /tsprof waits/);
  });
});
