// A browser for tests of pages: Debian's Chromium, opened by Playwright, off line.  Whatever a
// page must never do fails the test: ask for anything but itself, throw, write an error to the
// console, open a dialog or another window.

import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const HERE = path.dirname(fileURLToPath(import.meta.url));
// The modules are where `npm ci` put them: beside the build or beside the source.
const MODULES = [process.env.BROWSER_MODULES, HERE].find(
  (directory) => directory && fs.existsSync(path.join(directory, "node_modules")));
const load = createRequire(path.join(MODULES ?? HERE, "package.json"));

export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PATIENCE_MS = 20000;

// WebGL without a graphics processor, and all else as this browser draws it on such a machine by itself: a graphics
// processor that is simulated takes 100 ms for a picture.  The processes share little memory in containers.
const ARGUMENTS = ["--enable-unsafe-swiftshader", "--disable-dev-shm-usage",
  ...(process.getuid() === 0 ? ["--no-sandbox"] : [])];

/** The source of axe-core, to be evaluated in a page. */
export const axeSource = () => fs.readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");

export async function launch(more = []) {
  const { chromium } = load("playwright-core");
  return chromium.launch({ executablePath: CHROMIUM, args: [...ARGUMENTS, ...more] });
}

// What the browser says of itself where it copies what WebGL has drawn.
const OF_THE_BROWSER = /GL Driver Message .*GPU stall due to ReadPixels/;

/** What `page` does that it must not, in words; filled while it is open. */
function watch(page, url, forbidden) {
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== url && !/^(blob|data):/.test(request.url()))
      forbidden.push(`it asks for ${request.url().slice(0, 200)}`);
  });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !OF_THE_BROWSER.test(message.text())) forbidden.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => forbidden.push(`uncaught: ${error.stack ?? error}`));
  page.on("crash", () => forbidden.push("it crashed"));
  page.on("popup", (other) => forbidden.push(`it opens ${other.url()}`));
  page.on("dialog", (dialog) => {
    forbidden.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
}

/**
 * Opens a file and hands the page to `test`.  Options: those of a browser's context, and
 * `fragment`, what stands behind the # of the URL.
 */
export async function visit(browser, file, test, { fragment = "", ...settings } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"], ...settings });
  const forbidden = [];
  const url = pathToFileURL(file).href;
  try {
    await context.setOffline(true);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    watch(page, url, forbidden);
    await page.goto(url + (fragment && `#${fragment}`));
    await test(page);
    assert.deepEqual(forbidden, [], "what the page must not do");
  } catch (error) {
    if (forbidden.length) error.message += `\nThe page: ${forbidden.join("\n")}`;
    throw error;
  } finally {
    await context.close();
  }
}
