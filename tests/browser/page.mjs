// The page of `tsprof html` as its user has it: what the tests know of its elements is here.

import { visit } from "./browser.mjs";
import { html, parseCsv } from "./summaries.mjs";

/** Waits until all that a change leads to has been drawn. */
export async function settle(page) {
  await page.evaluate(() => new Promise((done) => {
    const busy = () => document.body.dataset.busy === "true";
    /* Some changes, of the system's colours for one, are told to the page only with the next frame. */
    const painted = () => requestAnimationFrame(() => requestAnimationFrame(() => (busy() ? look() : done())));
    const look = () => (busy() ? setTimeout(look, 10) : painted());
    setTimeout(look);
  }));
}

/** The fragment of the page's URL, which follows what is shown after a while. */
export async function fragmentOf(page) {
  await page.waitForFunction(() => document.body.dataset.address !== "pending");
  return new URL(page.url()).hash;
}

/** Waits until the page is there, or says why it is not; returns which. */
export async function ready(page) {
  await page.waitForFunction(() => document.body.dataset.ready);
  return page.evaluate(() => document.body.dataset.ready);
}

/** Opens the page of a summary, as `visit` does. */
export function open(browser, summary, test, options) {
  return openPage(browser, html(summary), test, options);
}

/** The same of a page that is there. */
export function openPage(browser, file, test, options) {
  return visit(browser, file, async (page) => {
    const state = await ready(page);
    if (state !== "true") throw new Error(`${state}: ${await page.locator("#status").textContent()}`);
    await settle(page);
    await test(page);
  }, options);
}

/** The option of this text, without what indents it, in a list. */
export async function choose(page, name, text) {
  const list = page.locator(`select[name="${name}"]`);
  const values = await list.locator("option").evaluateAll((options) =>
    options.map((option) => [option.textContent.trim(), option.value]));
  const found = values.find(([shown]) => shown === text);
  if (!found) throw new Error(`no ${text} in ${name}: ${values.map(([shown]) => shown).join(", ")}`);
  await list.selectOption(found[1]);
  await settle(page);
}

/** Writes into a field, by its test id, and leaves it. */
export async function fill(page, id, value) {
  await page.getByTestId(id).fill(String(value));
  await page.getByTestId(id).press("Tab");
  await settle(page);
}

/** The numbers of what is chosen, by what they are. */
export async function numbers(page) {
  return Object.fromEntries(await page.locator("#numbers dd").evaluateAll((list) =>
    list.map((element) => [element.dataset.key, Number(element.dataset.value)])));
}

/** The line that tells what the pointer is at: its text, and its numbers with all digits. */
export async function readout(page) {
  const line = page.locator("#readout");
  return {
    text: await line.textContent(),
    values: await line.locator("[data-value]").evaluateAll((list) =>
      list.map((element) => Number(element.dataset.value))),
  };
}

/** Where an element is on the screen, moved to where nothing covers it. */
export async function boxOf(locator) {
  await locator.evaluate((element) => element.scrollIntoView({ block: "center" }));
  return locator.boundingBox();
}

/** Where the iterations and ranks of a plot (#graph or #map) are on the screen. */
export async function plot(page, name, iterations, ranks = 1) {
  const box = await boxOf(page.locator(`${name} .brush`));
  return {
    box,
    /** The middle of an iteration and a rank. */
    at: (iteration, rank = 0) => ({
      x: box.x + ((iteration + 0.5) * box.width) / iterations,
      y: box.y + ((rank + 0.5) * box.height) / ranks,
    }),
  };
}

export async function hover(page, { x, y }) {
  await page.mouse.move(x, y);
  await settle(page);
}

/** Drags from one place to another, as a hand does, and waits for what follows. */
export async function drag(page, from, to) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let step = 1; step <= 4; step++)
    await page.mouse.move(from.x + ((to.x - from.x) * step) / 4, from.y + ((to.y - from.y) * step) / 4);
  await page.mouse.up();
  await settle(page);
}

export async function showView(page, name) {
  await page.locator(`[role=tab][data-view="${name}"]`).click();
  await settle(page);
}

/** Colours of some points of a canvas, in its own pixels: [red, green, blue]. */
export function colours(page, selector, points) {
  return page.locator(selector).evaluate((canvas, places) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    return places.map(([x, y]) => [...data.subarray(4 * (y * canvas.width + x), 4 * (y * canvas.width + x) + 3)]);
  }, points);
}

/** What a view's CSV button copies, as rows. */
export async function copyCsv(page, view) {
  await copy(page, "csv", view);
  return parseCsv(await page.evaluate(() => navigator.clipboard.readText()));
}

/** What a view's PNG button copies: its size, and how many different colours are in it. */
export async function copyPng(page, view) {
  await copy(page, "png", view);
  return page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const picture = await createImageBitmap(await item.getType("image/png"));
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d", { willReadFrequently: true });
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, picture.width, picture.height);
    return { width: picture.width, height: picture.height, colours: new Set(new Uint32Array(data.buffer)).size };
  });
}

async function copy(page, kind, view) {
  const button = page.getByTestId(`copy-${kind}-${view}`);
  await button.click();
  await button.locator("xpath=..").getByText("copied").waitFor();
}

/** The rows of a tree that are on the screen, from top to bottom. */
export function treeRows(page, tree) {
  return page.getByTestId(tree).locator("[role=treeitem]:visible").evaluateAll((rows) => rows
    .map((row) => ({ top: row.getBoundingClientRect().top, expanded: row.getAttribute("aria-expanded"),
      level: Number(row.getAttribute("aria-level")), ...row.dataset, value: Number(row.dataset.value),
      text: row.querySelector(".tree-value").textContent, detail: row.querySelector(".tree-detail").textContent, title: row.title }))
    .sort((a, b) => a.top - b.top));
}

/** Until every row that can be is expanded. */
export async function expandAll(page, tree) {
  const collapsed = page.getByTestId(tree).locator("[role=treeitem][aria-expanded=false]:visible .tree-toggle");
  while (await collapsed.count()) {
    await collapsed.first().click();
    await settle(page);
  }
}

/** Chooses the row of a tree with this data attribute. */
export async function chooseRow(page, tree, attribute, value, part = ".tree-label") {
  await page.getByTestId(tree).locator(`[role=treeitem][data-${attribute}="${value}"]:visible ${part}`).click();
  await settle(page);
}
