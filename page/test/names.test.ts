/* Names in brief are those of the command, whose own test has the cases; and no two look the same. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { briefName, shownName, shownNames } from "../src/model/names";
import { pathNames } from "../src/model/summary";
import { NAMES, ROOT, golden } from "./golden";

test("names in brief are those of the command", () => {
  const cases = readFileSync(join(ROOT, "tests", "unit", "utils", "print", "test_brief_name.c"), "utf8");
  const pairs = [...cases.matchAll(/\{"([^"]*)",\s*"([^"]*)"\}/g)];
  assert.ok(pairs.length >= 30, `${pairs.length} cases`);
  for (const [, name, brief] of pairs) assert.equal(briefName(name!), brief);
});

test("template arguments can be kept", () =>
  assert.equal(briefName("void ns::solve<std::pair<int, b> >(int*) const", "templates"), "ns::solve<std::pair<int, b> >"));

test("functions that would look the same are shown with what differs", () => {
  const names = ["main", "void run<int>(int)", "void run<long>(long)", "f(int)", "f(long)", "g(int)"];
  const summary = { paths: names.map((name) => ({ name })) } as unknown as Parameters<typeof shownName>[0];
  assert.deepEqual(names.map((name) => shownName(summary, name)), ["main", "run<int>", "run<long>", "f(int)", "f(long)", "g"]);
});

test("as many names are shown as there are", () => {
  for (const { summary } of NAMES.map(golden)) {
    const names = new Set(summary.paths.map(({ name }) => name));
    assert.equal(new Set([...names].map((name) => shownName(summary, name))).size, names.size);
    summary.paths.forEach((_, path) => assert.equal(shownNames(summary, path).length, pathNames(summary, path).length));
  }
});
