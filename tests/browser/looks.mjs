// Dark and light, and the page without a mouse and without eyes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { axeSource, launch } from "./browser.mjs";
import { fragmentOf, open, settle, showView } from "./page.mjs";
import { synthetic } from "./summaries.mjs";

let browser, summary;

before(async () => {
  summary = synthetic("looks.tsprof", "--grid", "4x3", "--iterations", "60");
  browser = await launch();
});
after(() => browser?.close());

/** The names of the views that have something to show. */
const viewNames = (page) => page.locator("[role=tab]:not([disabled])").evaluateAll((tabs) => tabs.map((tab) => tab.dataset.view));

/** How bright, from 0 to 1, background and text of the page are. */
const brightness = (page) => page.evaluate(() => {
  const bright = (colour) => {
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = context.getImageData(0, 0, 1, 1).data;
    return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
  };
  const style = getComputedStyle(document.body);
  return { background: bright(style.backgroundColor), text: bright(style.color) };
});

async function checkTheme(page, theme) {
  await settle(page);
  const { background, text } = await brightness(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme);
  assert.ok(theme === "dark" ? background < 0.2 && text > 0.7 : background > 0.8 && text < 0.3,
    `${theme}: background ${background}, text ${text}`);
}

test("the page is as dark as the system, or as it is told", async () => {
  await open(browser, summary, async (page) => {
    await checkTheme(page, "dark");
    const dark = await page.locator("#graph canvas").first().evaluate((canvas) => canvas.toDataURL());
    await page.emulateMedia({ colorScheme: "light" });
    await checkTheme(page, "light");
    assert.notEqual(await page.locator("#graph canvas").first().evaluate((canvas) => canvas.toDataURL()), dark,
      "pictures are drawn again");
    await page.locator("select[name=theme]").selectOption("dark");
    await checkTheme(page, "dark");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("select[name=theme]").selectOption("light");
    await checkTheme(page, "light");
    await page.locator("select[name=theme]").selectOption("auto");
    await checkTheme(page, "dark");
  }, { colorScheme: "dark" });
});

test("dark and light: what is around the surface is drawn again, the surface, which takes long, is not", async () => {
  await open(browser, summary, async (page) => {
    await showView(page, "surface");
    await page.evaluate(() => {
      window.drawn = 0;
      const { drawElements } = WebGL2RenderingContext.prototype;
      WebGL2RenderingContext.prototype.drawElements = function (...all) {
        window.drawn++;
        return drawElements.apply(this, all);
      };
    });
    const around = () => page.locator(".surface-axes").evaluate((canvas) => canvas.toDataURL());
    const before = await around();
    await page.emulateMedia({ colorScheme: "dark" });
    await checkTheme(page, "dark");
    assert.notEqual(await around(), before);
    assert.equal(await page.evaluate(() => window.drawn), 0);
    await page.getByTestId("surface").focus();
    await page.keyboard.press("ArrowLeft");
    await settle(page);
    assert.ok((await page.evaluate(() => window.drawn)) > 0, "turning draws it");
  }, { colorScheme: "light" });
});

test("paper is light: what is printed of a dark page is what a light one has", async () => {
  const pictures = (page) => page.locator("canvas").evaluateAll((list) => list.map((canvas) => canvas.toDataURL()));
  const say = async (page, event) => {
    await page.evaluate((name) => dispatchEvent(new Event(name)), event);
  };
  await open(browser, summary, async (page) => {
    for (const view of ["overview", "flame", "topology"]) {
      await showView(page, view);
      await page.emulateMedia({ colorScheme: "light" });
      await checkTheme(page, "light");
      const light = await pictures(page);
      await page.emulateMedia({ colorScheme: "dark" });
      await checkTheme(page, "dark");
      const dark = await pictures(page);
      await say(page, "beforeprint");
      /* At once: nobody waits for what is drawn later. */
      assert.deepEqual(await pictures(page), light, `${view}, printed`);
      await say(page, "afterprint");
      await checkTheme(page, "dark");
      assert.deepEqual(await pictures(page), dark, `${view}, afterwards`);
    }
  });
});

for (const theme of ["light", "dark"])
  test(`an audit finds nothing that keeps people out: contrast, names, roles (${theme})`, async () => {
    await open(browser, summary, async (page) => {
      await page.evaluate(axeSource());
      const all = [];
      for (const view of await viewNames(page)) {
        await showView(page, view);
        const found = await page.evaluate(async () => {
          const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
          return violations.flatMap(({ id, impact, nodes }) => nodes.map((node) => `${id} (${impact}): ${node.html.slice(0, 160)}; ${node.any[0]?.message ?? ""}`));
        });
        all.push(...found.map((what) => `${view}: ${what}`));
      }
      assert.deepEqual(all, []);
    }, { colorScheme: theme });
  });

/** Everything that can be operated and is to be seen, by number; and where the focus is. */
const MARK = () => {
  const wanted = "a[href], button, select, input, summary, [tabindex='0']";
  const able = [...document.querySelectorAll(wanted)].filter((element) =>
    !element.disabled && element.tabIndex >= 0 && element.checkVisibility());
  able.forEach((element, i) => (element.dataset.stop = String(i)));
  return able.map((element) => element.outerHTML.slice(0, 120));
};

const FOCUS = () => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  return { stop: element.dataset.stop, html: element.outerHTML.slice(0, 120),
    visible: (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none" };
};

test("Tab reaches everything that can be operated, and shows where it is", async () => {
  await open(browser, summary, async (page) => {
    for (const view of await viewNames(page)) {
      await showView(page, view);
      const all = await page.evaluate(MARK);
      await page.evaluate(() => document.activeElement.blur());
      await page.locator("h1").click();
      const reached = new Set();
      for (let i = 0; i < all.length + 5; i++) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate(FOCUS);
        if (!at) break;
        assert.ok(at.visible, `${view}: the focus is to be seen on ${at.html}`);
        reached.add(at.stop);
      }
      const missed = all.filter((_, i) => !reached.has(String(i)));
      assert.deepEqual(missed, [], `${view}: reached by Tab`);
    }
  });
});

test("every view is opened, and its main part operated, by keys", async () => {
  await open(browser, summary, async (page) => {
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
      await settle(page);
    };
    const selected = () => page.locator("[role=tab][aria-selected=true]").getAttribute("data-view");
    const names = await viewNames(page);
    await page.locator("[role=tab][aria-selected=true]").focus();
    for (const name of [...names.slice(1), names[0]]) {
      await press("ArrowRight");
      assert.equal(await selected(), name);
    }
    await showView(page, "trees");
    await page.getByTestId("call-tree").focus();
    const expanded = () => page.getByTestId("call-tree").locator("[role=treeitem].cursor").evaluate((row) =>
      [row.dataset.path, row.getAttribute("aria-expanded")]);
    await press("Home", "ArrowDown");
    const [path, first] = await expanded();
    await press(first === "true" ? "ArrowLeft" : "ArrowRight");
    assert.deepEqual(await expanded(), [path, first === "true" ? "false" : "true"], "arrows expand and collapse");
    await press(" ");
    assert.match(await fragmentOf(page), /path=main/);
    await showView(page, "flame");
    await page.getByTestId("flame").focus();
    await press("ArrowDown", "ArrowDown", "ArrowDown");
    assert.ok(await page.getByTestId("flame-readout").getAttribute("data-path"), "a frame is found by keys");
    await showView(page, "processes");
    await page.getByTestId("process").focus();
    await press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft");
    assert.match(await fragmentOf(page), /&rank=2(&|$)/, "no key is lost, however quick they are");
    await press("Home");
    await showView(page, "topology");
    await page.getByTestId("topology").focus();
    await press("ArrowRight", "ArrowDown", "Enter");
    assert.equal(await page.getByTestId("topology-readout").getAttribute("data-rank"), "4");
    await page.getByTestId("animation-slider").focus();
    await press("ArrowRight", "ArrowRight");
    assert.equal(await page.getByTestId("animation-iteration").getAttribute("data-iteration"), "2");
    await page.locator("select[name=metric]").focus();
    await press("ArrowDown");
    assert.doesNotMatch(await fragmentOf(page), /metric=time(&|$)/);
  });
});

test("? and a button open the list of keys, which has every view's and closes again", async () => {
  await open(browser, summary, async (page) => {
    const help = page.getByTestId("help");
    const press = async (key) => {
      await page.keyboard.press(key);
      await settle(page);
    };
    await page.locator("input[name=iterations]").focus();
    await press("?");
    assert.equal(await help.isVisible(), false, "in a text field ? is a letter");
    await page.locator("input[name=iterations]").fill("");
    await page.locator("#graph .brush").focus();
    await press("?");
    assert.equal(await help.isVisible(), true);
    assert.equal(await page.evaluate(() => document.activeElement.closest("dialog") !== null), true, "the focus is in it");
    const parts = await help.locator("h3").allTextContents();
    for (const part of ["Everywhere", "Iteration graph and value map", "Tabs", "Trees", "Flame graph", "Surface", "Topology", "Animation", "Tables"])
      assert.ok(parts.includes(part), `keys of ${part}`);
    const box = await help.boundingBox();
    assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= 1280 && box.y + box.height <= 900, `within the window: ${JSON.stringify(box)}`);
    await page.evaluate(axeSource());
    assert.deepEqual(await page.evaluate(async () => (await window.axe.run("dialog", { resultTypes: ["violations"] })).violations.map((one) => one.id)), []);
    await press("Escape");
    assert.equal(await help.isVisible(), false, "after Esc");
    assert.equal(await page.evaluate(() => document.activeElement.className), "brush", "the focus is where it was");
    await page.getByTestId("open-help").click();
    assert.equal(await help.isVisible(), true);
    await page.getByTestId("help-close").click();
    assert.equal(await help.isVisible(), false, "after Close");
    await page.getByTestId("open-help").click();
    await page.mouse.click(5, 5);
    assert.equal(await help.isVisible(), false, "after a click beside it");
  });
});

test("nothing is wider than the window, from 480 to 2000 pixels", async () => {
  for (const width of [480, 800, 2000])
    await open(browser, summary, async (page) => {
      for (const view of await viewNames(page)) {
        await showView(page, view);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `${view} at ${width}: ${wide} pixels too wide`);
      }
    }, { viewport: { width, height: 900 } });
});
