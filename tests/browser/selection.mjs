// Zooming, choosing by keys, going to what stands out, and links that bring back what was shown.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launch } from "./browser.mjs";
import { close } from "./checks.mjs";
import { boxOf, choose, chooseRow, drag, fill, fragmentOf, hover, numbers, open, plot, readout, ready, settle, showView, treeRows } from "./page.mjs";
import { byPath, exported, inclusiveOf, synthetic } from "./summaries.mjs";

const [ITERATIONS, RANKS] = [400, 12];
/** The page begins with the metric of what stands out most: this is for what is told of the time. */
const TIME = { fragment: "metric=time" };
let browser, summary;

before(async () => {
  summary = synthetic("selection.tsprof", "--grid", "4x3", "--iterations", String(ITERATIONS));
  browser = await launch();
});
after(() => browser?.close());

/** The iterations that graph and map show. */
async function shown(page) {
  const title = await page.locator("#time").getByRole("heading").first().textContent();
  const found = /iterations (\d+)–(\d+) shown/.exec(title);
  return found ? found.slice(1).map(Number) : [0, ITERATIONS - 1];
}

const chips = (page) => page.locator(".chips").textContent();

/** In a zoomed graph an iteration is where it belongs, with its value. */
async function checkPlaces(page, rows) {
  const [first, last] = await shown(page);
  const { at } = await plot(page, "#map", last - first + 1, RANKS);
  for (const iteration of [first, Math.floor((first + last) / 2), last]) {
    await hover(page, at(iteration - first, 5));
    const { text, values } = await readout(page);
    assert.match(text, new RegExp(`^Iteration ${iteration}, rank 5: `));
    close(values[0], rows.find((row) => Number(row.iteration) === iteration && row.rank === "5").value, `iteration ${iteration}`);
  }
}

test("dragging over the minimap zooms, moving its window pans, a double click shows all", async () => {
  const rows = exported(summary, "iterations", "--metric", "time");
  await open(browser, summary, async (page) => {
    const { at: inGraph } = await plot(page, "#graph", ITERATIONS);
    const at = async (iteration) => {
      const box = await boxOf(page.locator("#minimap .minimap-layer"));
      return { x: inGraph(iteration).x, y: box.y + box.height / 2 };
    };
    const click = await at(30);
    await page.mouse.move(click.x, click.y);
    await page.mouse.down();
    await page.mouse.move(click.x + 2, click.y);
    await page.mouse.up();
    await settle(page);
    assert.deepEqual(await shown(page), [0, ITERATIONS - 1], "a click on the minimap");
    await drag(page, await at(100), await at(199));
    assert.deepEqual(await shown(page), [100, 199]);
    await checkPlaces(page, rows);
    await drag(page, await at(150), await at(250));
    assert.deepEqual(await shown(page), [200, 299]);
    await checkPlaces(page, rows);
    const { x, y } = await at(20);
    await page.mouse.dblclick(x, y);
    await settle(page);
    assert.deepEqual(await shown(page), [0, ITERATIONS - 1]);
  }, TIME);
});

test("the wheel with Ctrl zooms to what is under the pointer", async () => {
  await open(browser, summary, async (page) => {
    const { at } = await plot(page, "#map", ITERATIONS, RANKS);
    const minimap = await boxOf(page.locator("#minimap .minimap-layer"));
    await page.mouse.move(at(300, 2).x, minimap.y + minimap.height / 2);
    await page.mouse.wheel(0, -100);
    await settle(page);
    assert.deepEqual(await shown(page), [0, ITERATIONS - 1], "without Ctrl over the minimap");
    await page.mouse.move(at(300, 2).x, at(300, 2).y);
    await page.keyboard.down("Control");
    for (let turn = 0; turn < 6; turn++) await page.mouse.wheel(0, -100);
    await page.keyboard.up("Control");
    await settle(page);
    const [first, last] = await shown(page);
    assert.ok(first > 150 && first < 300 && last > 300 && last - first < 100, `${first}–${last}`);
  });
});

test("a brushed part is zoomed to, and shown whole again", async () => {
  const rows = exported(summary, "iterations", "--metric", "time");
  await open(browser, summary, async (page) => {
    const { at } = await plot(page, "#graph", ITERATIONS);
    await drag(page, at(60), at(139));
    const [first, last] = /iterations (\d+)–(\d+)/.exec(await chips(page)).slice(1).map(Number);
    await page.getByRole("button", { name: "Zoom to selection" }).click();
    await settle(page);
    assert.deepEqual(await shown(page), [first, last]);
    await checkPlaces(page, rows);
    await page.getByRole("button", { name: "Show all" }).click();
    await settle(page);
    assert.deepEqual(await shown(page), [0, ITERATIONS - 1]);
  }, TIME);
});

test("keys move, choose, zoom and let go", async () => {
  await open(browser, summary, async (page) => {
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
      await settle(page);
    };
    await page.locator("#map .brush").focus();
    await press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown");
    assert.match((await readout(page)).text, /^Iteration 3, rank 1:/);
    await press("Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown");
    assert.match(await chips(page), /iterations 3–6.*ranks 1–2/);
    const values = exported(summary, "iterations", "--metric", "time", "--iteration", "3-6", "--rank", "1-2");
    close((await numbers(page)).sum, values.reduce((sum, row) => sum + row.value, 0), "what the keys chose");
    await press("Enter");
    assert.deepEqual(await shown(page), [3, 6]);
    await press("0");
    assert.deepEqual(await shown(page), [0, ITERATIONS - 1]);
    await press("Escape");
    assert.match(await chips(page), /the whole run/);
    await press("End", "+");
    const [first, last] = await shown(page);
    assert.ok(last === ITERATIONS - 1 && first > ITERATIONS / 3, `${first}–${last}`);
  }, TIME);
});

test("the page begins with what stands out most, and its metric", async () => {
  await open(browser, summary, async (page) => {
    const [first] = await page.evaluate(() => JSON.parse(document.getElementById("findings").textContent));
    /* Of what is about the whole run, what it comes from. */
    const metric = first.phase === null && first.cause ? first.cause.metric : first.metric;
    assert.match(await page.locator("#time h2").first().textContent(), new RegExp(`^${metric} in ${first.phase ?? "timestep"}`));
    assert.equal(await page.locator("select[name=metric] option:checked").textContent().then((text) => text.trim()), metric);
    const top = async (selector) => (await page.locator(selector).first().boundingBox()).y;
    assert.ok((await top("#findings-panel")) < (await top("#time")), "what stands out comes first");
  });
});

test("on a laptop's screen graph, map and trees are seen together, and the graph stays", async () => {
  const large = synthetic("large.tsprof", "--grid", "8x8", "--iterations", "5000", "--paths", "500");
  await open(browser, large, async (page) => {
    const inside = async (selector) => {
      const { x, y, width, height } = await page.locator(selector).first().boundingBox();
      return { x, y, right: x + width, bottom: y + height };
    };
    const [graph, map, tree] = [await inside("#graph"), await inside("#map"), await inside("[data-testid=call-tree]")];
    assert.ok(graph.bottom <= 900 && map.bottom <= 900 && tree.y < 600, JSON.stringify({ graph, map, tree }));
    assert.ok(tree.x > graph.right, "beside each other");
    const tabs = await page.locator("[role=tab]").evaluateAll((list) => list.map((tab) => tab.getBoundingClientRect().top));
    assert.equal(new Set(tabs.map(Math.round)).size, 1, `tabs are in one line: ${tabs}`);
    const rows = (await treeRows(page, "call-tree")).filter((row) => row.top >= 0 && row.top + 22 <= 900);
    assert.ok(rows.length >= 3, `${rows.length} rows of the tree are seen`);
    await page.mouse.move(tree.x + 5, 200);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await settle(page);
    const { y, bottom } = await inside("#graph");
    assert.ok(y >= 0 && bottom <= 900, `scrolled, the graph is from ${y} to ${bottom}`);
  }, { viewport: { width: 1440, height: 900 }, fragment: "view=trees" });
});

test("what is below does not move while somebody brushes", async () => {
  await open(browser, summary, async (page) => {
    const place = async () => (await page.locator("#map").boundingBox()).y;
    await choose(page, "metric", "mpi");
    const before = await place();
    const { at } = await plot(page, "#map", ITERATIONS, RANKS);
    const there = await place();
    await drag(page, at(50, 2), at(120, 7));
    assert.equal(await place(), there);
    assert.match(await chips(page), /iterations.*ranks/);
    assert.ok(before >= there);
  }, { fragment: "path=main;timestep" });
});

test("search shows what it finds, wherever it is, and leaves the tree as it was", async () => {
  await open(browser, summary, async (page) => {
    const rows = async () => (await treeRows(page, "call-tree")).map(({ path, expanded }) => [path, expanded]);
    const before = await rows();
    const field = page.getByTestId("call-tree-search");
    const paths = [...new Set(exported(summary, "callpaths", "--total", "--metric", "time").map((row) => row.callpath))];
    const wanted = paths.filter((path) => path.split(";").at(-1).includes("MPI_"));
    await field.fill("MPI_");
    await settle(page);
    const found = page.getByTestId("call-tree").locator(".found");
    assert.ok((await found.count()) > 0, "a row that was found is in sight");
    assert.ok(await found.first().isVisible());
    await field.fill("");
    await settle(page);
    assert.deepEqual(await rows(), before);
    await field.fill("MPI_");
    await settle(page);
    const told = await page.locator("span.found", { hasText: /^\d+ found$/ }).textContent();
    assert.equal(Number(told.split(" ")[0]), wanted.length, "as many as there are");
    const chosen = async () => page.locator("[data-testid=call-tree] [aria-selected=true]").getAttribute("data-path");
    const visited = [];
    for (const key of [...wanted.map(() => "Enter"), "Shift+Enter"]) {
      await field.press(key);
      await settle(page);
      visited.push(await chosen());
    }
    assert.deepEqual(new Set(visited.slice(0, -1)), new Set(wanted), "Enter goes to each");
    assert.equal(visited.at(-1), visited.at(-3), "with Shift back to the one before");
  }, { fragment: "view=trees&metric=time" });
});

test("the axis of the graph goes by powers if it is told to", async () => {
  await open(browser, summary, async (page) => {
    const picture = () => page.locator("#graph canvas").first().evaluate((canvas) => canvas.toDataURL());
    const linear = await picture();
    await page.locator("select[name=axis]").selectOption("logarithmic");
    await settle(page);
    assert.notEqual(await picture(), linear);
    assert.match(await fragmentOf(page), /axis=logarithmic/);
  });
});

test("the URL brings everything back in another window", async () => {
  let fragment, before;
  const look = async (page) => ({
    url: await fragmentOf(page),
    numbers: await numbers(page),
    chips: await chips(page),
    shown: await shown(page),
    selected: await page.locator("select").evaluateAll((lists) => lists.map((list) => [list.name, list.value])),
    tree: (await treeRows(page, "call-tree")).map(({ path, value, expanded }) => [path, value, expanded]),
    theme: await page.evaluate(() => document.documentElement.dataset.theme),
    map: await page.locator("#map canvas.map").evaluate((canvas) => canvas.toDataURL()),
  });
  await open(browser, summary, async (page) => {
    await showView(page, "trees");
    await choose(page, "metric", "mpi");
    await chooseRow(page, "call-tree", "path", "main;timestep");
    const { at } = await plot(page, "#map", ITERATIONS, RANKS);
    await drag(page, at(50, 2), at(120, 7));
    await page.getByRole("button", { name: "Zoom to selection" }).click();
    await page.locator("select[name=colouring]").selectOption("equalised");
    await page.locator("select[name=pixel]").selectOption("max");
    await page.locator("select[name=theme]").selectOption("dark");
    await settle(page);
    before = await look(page);
    fragment = before.url.slice(1);
  });
  for (const part of ["view=trees", "metric=mpi", "timestep", "iterations=", "ranks=2-7", "zoom=", "theme=dark"])
    assert.ok(fragment.includes(part), `${part} is in ${fragment}`);
  await open(browser, summary, async (page) => assert.deepEqual(await look(page), before), { fragment });
});

test("a link is copied, and nonsense in one is ignored", async () => {
  const nonsense = "view=nothing&phase=other&metric=zzz&path=a;b;c&iterations=9-3&ranks=99999&zoom=x-y&iteration=1e9&colours=%ff&a=@&x.=&theme=<b>";
  await open(browser, summary, async (page) => {
    assert.match(await chips(page), /the whole run/);
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.locator("#status").getByText("clipboard").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
  }, { fragment: nonsense });
});

/** What is done in each view before the page is loaded again. */
const DEEDS = {
  overview: async (page) => page.locator("input[name=proportional]").check(),
  trees: async (page) => {
    await choose(page, "trees-mode", "% of the root metric");
    await choose(page, "trees-order", "by value");
    await page.locator("input[name=trees-all]").check();
    await chooseRow(page, "call-tree", "path", "main;timestep");
  },
  flame: async (page) => {
    await page.getByTestId("flame").focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  },
  functions: async (page) => page.locator("[data-testid=functions] tbody button").nth(2).click(),
  processes: async (page) => {
    await page.getByTestId("process").focus();
    for (const key of ["ArrowRight", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
  },
  topology: async (page) => {
    await page.getByTestId("animation-forward").click();
    await page.getByTestId("animation-forward").click();
    await choose(page, "topology-shows", "the selection, mean of an iteration");
  },
  surface: async (page) => {
    await page.getByTestId("surface").focus();
    for (const key of ["ArrowLeft", "ArrowLeft", "ArrowUp", "+"]) await page.keyboard.press(key);
    await page.waitForFunction(() => location.hash.includes("x.camera="));
  },
  comparison: async (page) => {
    await fill(page, "compare-a-from", 7);
    await fill(page, "compare-a-to", 9);
    await fill(page, "compare-b-rank-from", 3);
    await choose(page, "compare-kind", "with what it calls");
  },
  cluster: async (page) => {
    await fill(page, "cluster-iteration", 123);
    await fill(page, "cluster-rank", 5);
  },
  about: async () => {},
};

/** All that is on the page: texts, fields, pictures; of the surface, whose camera has fewer digits in the address, where it is seen from. */
async function everything(page) {
  await page.mouse.move(2, 2);
  await settle(page);
  await fragmentOf(page);
  return page.evaluate(() => {
    const seen = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
    return {
      hash: location.hash,
      text: document.getElementById("page").innerText,
      fields: seen("select, input").map((field) => [field.name || field.dataset.testid, field.value, field.checked]),
      chosen: seen("[aria-selected=true]").map((element) => element.textContent),
      expanded: seen("[role=treeitem]").map((row) => [row.textContent, row.getAttribute("aria-expanded")]),
      camera: { ...document.querySelector("[data-testid=surface]")?.dataset },
      pictures: seen("canvas").filter((canvas) => !canvas.closest(".surface-stage")).map((canvas) => canvas.toDataURL()),
    };
  });
}

test("every view comes back as it was when the page is loaded again", async () => {
  await open(browser, summary, async (page) => {
    /* The time line and waits, which this summary has none of, have tests of their own. */
    const views = await page.locator("[role=tab]:not([data-view=timeline], [data-view=waits])").evaluateAll((tabs) => tabs.map((tab) => tab.dataset.view));
    assert.deepEqual(Object.keys(DEEDS), views, "every view has something done in it");
    const { at } = await plot(page, "#map", ITERATIONS, RANKS);
    await drag(page, at(50, 2), at(120, 7));
    const seen = new Set();
    for (const view of views) {
      await showView(page, view);
      const untouched = await fragmentOf(page);
      await DEEDS[view](page);
      const before = await everything(page);
      if (view !== "about") assert.notEqual(before.hash, untouched, `${view}: what is done is in the address`);
      await page.reload();
      assert.equal(await ready(page), "true");
      assert.deepEqual(await everything(page), before, view);
      seen.add(before.hash);
    }
    assert.equal(seen.size, views.length);
  });
});

test("what stands out leads to the iterations and ranks that it speaks of, and to the cause", async () => {
  await open(browser, summary, async (page) => {
    const findings = await page.evaluate(() => JSON.parse(document.getElementById("findings").textContent));
    const items = page.locator("#findings-panel .findings li");
    const shownFirst = await page.locator("#findings-panel > .panel-body > .findings li").count();
    assert.ok(shownFirst >= 3, `${shownFirst} findings`);
    let causes = 0;
    for (const [i, finding] of findings.slice(0, shownFirst).entries()) {
      assert.ok((await items.nth(i).textContent()).includes(finding.text), finding.text);
      if (finding.phase === null) {
        assert.equal(await items.nth(i).getByRole("button", { name: "Show", exact: true }).count(), 0, "of the whole run nothing is chosen");
        continue;
      }
      const iterations = [finding.iterations[0][0], finding.iterations.at(-1)[1]];
      const ranks = finding.ranks.length ? [Math.min(...finding.ranks), Math.max(...finding.ranks)] : [0, RANKS - 1];
      const part = ["--iteration", iterations.join("-"), "--rank", ranks.join("-")];
      const chosen = async () => ({
        iterations: await page.locator("input[name=iterations]").inputValue(),
        ranks: await page.locator("input[name=ranks]").inputValue(),
        metric: (await page.locator("select[name=metric] option:checked").textContent()).trim(),
      });
      const range = ([first, last]) => (first === last ? String(first) : `${first}-${last}`);
      const wanted = { iterations: range(iterations), ranks: finding.ranks.length ? range(ranks) : "" };
      await items.nth(i).getByRole("button", { name: "Show", exact: true }).click();
      await settle(page);
      assert.deepEqual(await chosen(), { ...wanted, metric: finding.metric }, finding.text);
      const values = exported(summary, "iterations", "--metric", finding.metric, ...part);
      close((await numbers(page)).sum, values.reduce((sum, row) => sum + row.value, 0), finding.text);
      assert.match((await readout(page)).text, new RegExp(`^Iteration ${iterations[0]}, rank ${finding.ranks[0] ?? 0}:`));
      const cause = items.nth(i).getByRole("button", { name: "Show the cause" });
      assert.equal(await cause.count(), finding.cause && finding.cause.callpath.length > 1 ? 1 : 0, "a button for the cause");
      if (!(await cause.count())) continue;
      await cause.click();
      await settle(page);
      const callpath = finding.cause.callpath.join(";");
      assert.deepEqual(await chosen(), { ...wanted, metric: finding.cause.metric }, finding.text);
      assert.ok((await chips(page)).includes(finding.cause.callpath.at(-1)), `the call path of: ${finding.text}`);
      close((await numbers(page)).sum, inclusiveOf(byPath(summary, finding.cause.metric, ...part), callpath), `${callpath}: ${finding.text}`);
      causes++;
    }
    assert.ok(causes > 0, "some have a cause");
  });
});

test("on a laptop's screen what is under the pointer is told where it can be seen, in full", async () => {
  const many = synthetic("many-ranks.tsprof", "--grid", "8x8", "--iterations", "600");
  for (const viewport of [{ width: 1440, height: 900 }, { width: 1280, height: 900 }])
    await open(browser, many, async (page) => {
      const box = await page.locator("#map .brush").boundingBox();
      await hover(page, { x: box.x + box.width / 2, y: box.y + box.height / 2 });
      const line = await page.locator("#readout").evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return { text: element.textContent, bottom: range.getBoundingClientRect().bottom };
      });
      assert.match(line.text, /^Iteration \d+, rank \d+/);
      assert.ok(line.bottom <= viewport.height, `${viewport.width}: ${JSON.stringify(line)}`);
    }, { viewport });
});

test("what is under the pointer does not move, however long the text is that tells what it is", async () => {
  await open(browser, summary, async (page) => {
    for (const [name, ranks] of [["#graph", 1], ["#map", RANKS]]) {
      const { box, at } = await plot(page, name, ITERATIONS, ranks);
      await hover(page, at(200, ranks - 1));
      assert.match((await readout(page)).text, /^Iteration 200/);
      for (const length of [0, 40, 400]) {
        await page.locator("#readout").evaluate((line, characters) => { line.textContent = "long ".repeat(characters / 5); }, length);
        assert.deepEqual(await page.locator(`${name} .brush`).boundingBox(), box, `${name}, ${length} characters`);
      }
    }
  });
});
