/* What would gain most, and beside which findings it is told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { worthOf } from "../src/model/findings";
import { gainsOf } from "../src/model/waits";

test("gains are facts, the best first, up to the first that is none", () => {
  const facts = new Map([
    ["gain.1", "1.5 balance solve"],
    ["gain.2", "0.25 zero-wait main;MPI_Recv@3"],
    ["gain.3", "soon balance main"],
    ["gain.4", "0.1 balance iterations"],
    ["gain.of", "6.0"],
  ]);
  assert.deepEqual(gainsOf(facts), [
    { seconds: 1.5, question: "balance solve" },
    { seconds: 0.25, question: "zero-wait main;MPI_Recv@3" },
  ]);
  assert.deepEqual(gainsOf(new Map()), []);
});

test("a finding says what it would be worth to mend it, where a prediction is about it", () => {
  const text = "balance solve would gain 1.5 s, 25 % of what was traced";
  assert.equal(worthOf({ prediction: { seconds: 1.5, percent: 25, text } }), `What if: ${text}`);
  assert.equal(worthOf({ prediction: null }), null);
  assert.equal(worthOf({}), null);
});
