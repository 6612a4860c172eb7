// Names and data that were made to do harm are shown, or refused, and nothing else.

import assert from "node:assert/strict";
import fs from "node:fs";
import { after, before, test } from "node:test";

import { launch, visit } from "./browser.mjs";
import { open, ready, showView, settle } from "./page.mjs";
import { html, measure, place, synthetic } from "./summaries.mjs";

const DATA = /(<script type="application\/octet-stream;base64">)([^<]*)(<\/script>)/g;
let browser;

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Every call path has some: the page may begin with another metric. */
const TIME = { fragment: "metric=time" };

/** No view makes anything of a name but text. */
async function checkNames(page, names) {
  const tabs = await page.locator("[role=tab]:not([disabled])").evaluateAll((list) => list.map((tab) => tab.dataset.view));
  let seen = "";
  for (const tab of tabs) {
    await showView(page, tab);
    seen += await page.evaluate(() => document.body.innerText);
    seen += (await page.locator("[title]").evaluateAll((list) => list.map((element) => element.title))).join("\n");
    assert.equal(await page.locator("img, iframe, object, embed, b[onclick]").count(), 0, `${tab}: no elements from names`);
  }
  for (const name of names) assert.ok(seen.includes(name), `${name} is shown as it is`);
}

test("phases of a program that are called like markup", async () => {
  const summary = measure("markup.tsprof", 2, "nesting", ["markup"]);
  await open(browser, summary, (page) =>
    checkNames(page, ["<script>alert(1)</script>", "</script><img src=x onerror=alert(2)>"]), TIME);
});

test("a function and a phase with names that end scripts and texts", async () => {
  const names = ["</script><script>alert(1)</script><!--", "a\"b'c&lt;<b onclick=alert(2)>&amp;\\u003c`${alert(3)}`"];
  const summary = synthetic("names.tsprof", "--ranks", "2", "--region", names[0], "--phase", names[1]);
  await open(browser, summary, (page) => checkNames(page, names), TIME);
});

test("a link with such a name finds it", async () => {
  const name = "<script>alert(1)</script>";
  const summary = synthetic("link.tsprof", "--ranks", "2", "--region", name);
  const path = `main;timestep;${name}`;
  await open(browser, summary, async (page) =>
    assert.ok((await page.locator(".chips [title]").first().getAttribute("title")).includes(name)), { fragment: `path=${encodeURIComponent(path)}` });
});

/** Bytes of the summary in a page, through `change`, in one piece. */
function damage(page, change) {
  let bytes = Buffer.alloc(0);
  const rest = page.replace(DATA, (_, begin, text) => {
    bytes = Buffer.concat([bytes, Buffer.from(text, "base64")]);
    return begin === undefined ? "" : "@DATA@";
  });
  const data = `<script type="application/octet-stream;base64">${change(bytes).toString("base64")}</script>`;
  return rest.replace("@DATA@", () => data).replaceAll("@DATA@", "");
}

const flipped = (bytes, at) => {
  const changed = Buffer.from(bytes);
  changed[at] ^= 0x10;
  return changed;
};

const DAMAGES = {
  "nothing in it": () => Buffer.alloc(0),
  "half of it": (bytes) => bytes.subarray(0, bytes.length / 2),
  "the last byte missing": (bytes) => bytes.subarray(0, bytes.length - 1),
  "another file": () => Buffer.from("GIF89a, or something else that is no summary at all, and long enough for a header of one"),
  "a later version": (bytes) => { const later = Buffer.from(bytes); later[8] = 9; return later; },
  "a bit of the section map turned over": (bytes) => flipped(bytes, 64 + 2 * 48 + 17),
  "a bit of the names turned over": (bytes) => flipped(bytes, 64 + 48 * 20 + 40),
  "a bit of the numbers turned over": (bytes) => flipped(bytes, bytes.length - 500),
  "zeros near the end": (bytes) => { const holes = Buffer.from(bytes); holes.fill(0, bytes.length - 900, bytes.length - 600); return holes; },
};

test("data that is damaged is refused in words", async () => {
  const page = fs.readFileSync(html(synthetic("damaged.tsprof", "--ranks", "8")), "utf8");
  for (const [what, change] of Object.entries(DAMAGES)) {
    const file = place("damaged.html");
    fs.writeFileSync(file, damage(page, change));
    await visit(browser, file, async (opened) => {
      assert.equal(await ready(opened), "error", what);
      const said = await opened.locator("#status").innerText();
      assert.match(said, /cannot be shown: .{10,}/, what);
      assert.ok(said.length < 300, `${what}: ${said}`);
    });
  }
});

test("a page that was cut off says so", async () => {
  const page = fs.readFileSync(html(synthetic("cut.tsprof", "--ranks", "8")), "utf8");
  const file = place("cut.html");
  fs.writeFileSync(file, page.slice(0, page.length * 0.4));
  await visit(browser, file, async (opened) =>
    assert.match(await opened.evaluate(() => document.body.innerText), /missing|incomplete|cut/));
});
