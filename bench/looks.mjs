// Pictures of every view of the page, dark and light, on a laptop's screen, for people to look at:
//
//     node looks.mjs DIRECTORY          writes DIRECTORY/NAME-VIEW-THEME.png

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const TESTS = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "tests", "browser");
const { launch } = await import(path.join(TESTS, "browser.mjs"));
const { openPage, settle, showView } = await import(path.join(TESTS, "page.mjs"));
const { html, noTraces, synthetic, traced, tsprof } = await import(path.join(TESTS, "summaries.mjs"));

const SCREEN = { width: 1440, height: 900 };
const [directory] = process.argv.slice(2);

/** Pages by name; `views`: those that only they have, or null for all that are there. */
function pages() {
  const large = synthetic("large.tsprof", "--grid", "8x8", "--iterations", "5000", "--paths", "500");
  const all = [{ name: "large", file: html(large), views: null }];
  const reason = noTraces();
  if (reason) {
    console.log(`no pictures of time line and waits: ${reason}`);
    return all;
  }
  const { summary } = traced("traced", 16, "--steps", "20");
  const found = summary.replace(/\.tsprof$/, "-found.tsprof");
  const { status, stderr } = tsprof("waits", summary, "-o", found);
  if (status !== 0) throw new Error(stderr);
  return [...all, { name: "traced", file: html(summary, "--trace"), views: ["timeline"] }, { name: "found", file: html(found), views: ["overview", "waits"] }];
}

async function take(browser, { name, file, views }, theme) {
  await openPage(browser, file, async (page) => {
    const there = await page.locator("[role=tab]:not([disabled])").evaluateAll((tabs) => tabs.map((tab) => tab.dataset.view));
    for (const view of views ?? there) {
      await showView(page, view);
      await page.evaluate(() => scrollTo(0, 0));
      await settle(page);
      await page.screenshot({ path: path.join(directory, `${name}-${view}-${theme}.png`) });
    }
  }, { viewport: SCREEN, colorScheme: theme });
}

fs.mkdirSync(directory, { recursive: true });
const browser = await launch();
try {
  for (const one of pages()) for (const theme of ["dark", "light"]) await take(browser, one, theme);
} finally {
  await browser.close();
}
console.log(`pictures of all views are in ${directory}`);
