/* What is made in pieces goes on after a failure. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Slices } from "../src/app";

test("after a failure the next is made, and nothing counts as being made any more", () => {
  Object.assign(globalThis, { document: { body: { dataset: {} } } });
  const slices = new Slices();
  const seen: number[] = [];
  const make = function* (value: number) {
    yield;
    if (value < 0) throw new Error("made of nothing");
    return value;
  };
  assert.throws(() => slices.run(() => make(-1), (value) => seen.push(value)), /made of nothing/);
  assert.equal(Slices.active, 0);
  const failing = (): void => {
    slices.run(() => make(2), (value) => seen.push(value));
    throw new Error("cannot be shown");
  };
  assert.throws(() => slices.run(() => make(1), failing), /cannot be shown/);
  assert.equal(Slices.active, 0);
  slices.run(() => make(3), (value) => seen.push(value));
  assert.deepEqual(seen, [2, 3]);
  assert.equal(Slices.active, 0);
});
