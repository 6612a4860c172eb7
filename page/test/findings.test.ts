/* Which findings are seen at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { divided, sentenceOf } from "../src/model/findings";

test("what could gain next to nothing is shown on demand, unless it is the first", () => {
  const run = { phase: null, gain: 0, of: 10 };
  const large = { phase: "step", gain: 1, of: 10 };
  const little = { phase: "step", gain: 0.004, of: 10 };
  const unknown = { phase: "step", gain: null, of: null };
  const another = { ...large };
  assert.deepEqual(divided([run, little, large, unknown, another], 3), [[run, large, unknown], [little, another]]);
  assert.deepEqual(divided([little, { ...little }], 3), [[little], [little]]);
  assert.deepEqual(divided([], 3), [[], []]);
});

test("where there are several phases it is said which one it is about", () => {
  assert.equal(sentenceOf({ phase: "loop 5", text: "Time grows." }, 2), "loop 5: Time grows.");
  assert.equal(sentenceOf({ phase: "step", text: "Time grows." }, 1), "Time grows.");
  assert.equal(sentenceOf({ phase: null, text: "Ranks wait." }, 2), "Ranks wait.");
});
