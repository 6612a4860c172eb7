/* What would gain most, and beside which findings it is told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { worthOf } from "../src/model/findings";
import { gainsOf, labelledRanks, waitMatrix } from "../src/model/waits";

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

/** What the matrix reads of a summary of RANKS processes of one thread. */
function ofRanks(ranks: number): Parameters<typeof waitMatrix>[0] {
  const list = Array.from({ length: ranks }, (_, i) => ({ rank: i, index: i, locations: [i] }));
  return { ranks: list, locations: list } as unknown as Parameters<typeof waitMatrix>[0];
}

const pair = (location: number, cause: number, ns: number) => ({ location, cause, ns }) as Parameters<typeof waitMatrix>[1][number];

test("who waits for whom: a row for each rank, or for as many as make them few enough", () => {
  const few = waitMatrix(ofRanks(4), [pair(0, 3, 2e9), pair(0, 3, 1e9), pair(2, 1, 1e9)], 420);
  assert.deepEqual([few.rows, few.size, few.most, few.seconds[3], few.seconds[9]], [4, 1, 3, 3, 1]);
  const many = waitMatrix(ofRanks(1024), [pair(0, 1023, 1e9), pair(2, 1019, 2e9), pair(5, 9, 4e9)], 210);
  assert.deepEqual([many.rows, many.size], [205, 5], "all groups but the last have as many ranks");
  assert.equal(many.seconds[203], 2, "rank 2 for rank 1019");
  assert.equal(many.seconds[204], 1, "rank 0 for rank 1023");
  assert.equal(many.seconds[205 + 1], 4);
});

test("labels of ranks are round numbers, and no more than there is room for", () => {
  assert.deepEqual(labelledRanks(4, 9), [0, 1, 2, 3]);
  assert.deepEqual(labelledRanks(64, 10), [0, 10, 20, 30, 40, 50, 60]);
  assert.deepEqual(labelledRanks(1024, 6), [0, 200, 400, 600, 800, 1000]);
});
