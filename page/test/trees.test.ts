/* Trees, flame graphs and topologies as numbers: what the views draw. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellAt, coordinatesOf, memberAt, neighbour, planeLayout, stackLayout } from "../src/draw/cartesian";
import { beside, coveredBy, frameAt, layOut, widestChild, windowFor, windowOf } from "../src/draw/icicle";
import { addUp, makeTree, markAbove, reveal, visibleRows } from "../src/draw/tree";

/*  0 ─ 1 ─ 3
 *    └ 2      and 4 */
const TREE = makeTree([-1, 0, 0, 1, -1]);

test("inclusive values are those of a node and all below it", () => {
  assert.deepEqual([...addUp(TREE, [1, 2, 4, 8, 16])], [15, 10, 4, 8, 16]);
});

test("what is expanded is seen, in the order asked for", () => {
  const expanded = Uint8Array.from([1, 0, 0, 0, 0]);
  assert.deepEqual([...visibleRows(TREE, { expanded })], [0, 1, 2, 4]);
  assert.deepEqual([...visibleRows(TREE, { expanded, compare: (a, b) => b - a })], [4, 0, 2, 1]);
  assert.deepEqual([...visibleRows(TREE, { expanded, kept: Uint8Array.from([1, 0, 1, 1, 1]) })], [0, 2, 4]);
});

test("revealing a node expands what is above it and nothing else", () => {
  const expanded = new Uint8Array(5);
  reveal(TREE, expanded, 3);
  assert.deepEqual([...expanded], [1, 1, 0, 0, 0]);
});

test("marks reach the roots", () => {
  assert.deepEqual([...markAbove(TREE, [0, 0, 0, 1, 0])], [1, 1, 0, 1, 0]);
});

test("frames are as wide as their share, children lie below their parents", () => {
  const own = Float64Array.from([0, 2, 4, 2, 8]);
  const icicle = layOut(TREE, own, addUp(TREE, own), null);
  assert.equal(icicle.total, 16);
  assert.deepEqual([...icicle.left], [0, 0, 0.25, 0, 0.5]);
  assert.deepEqual([...icicle.width], [0.5, 0.25, 0.25, 0.125, 0.5]);
  const all = windowOf(icicle, -1);
  assert.equal(frameAt(icicle, all, 0.1, 2), 3);
  assert.equal(frameAt(icicle, all, 0.2, 2), -1, "what a frame has itself has nothing below");
  assert.equal(frameAt(icicle, windowOf(icicle, 1), 0.9, 1), 1, "a frame that is zoomed to has the whole width");
  assert.equal(widestChild(icicle, 0), 1);
  assert.equal(beside(icicle, 1, 1), 2);
  assert.equal(beside(icicle, 2, 1), 2, "there is nothing further to the right");
});

test("a frame is zoomed to as little as makes it wide enough", () => {
  const own = Float64Array.from([0, 2, 4, 2, 8]);
  const icicle = layOut(TREE, own, addUp(TREE, own), null);
  assert.equal(windowFor(icicle, -1, 3, 0.125), -1, "it is wide enough");
  assert.equal(windowFor(icicle, -1, 3, 0.2), 0, "an eighth of all is a quarter of that");
  assert.equal(windowFor(icicle, -1, 3, 0.4), 1);
  assert.equal(windowFor(icicle, -1, 3, 0.9), 3);
  assert.equal(windowFor(icicle, 1, 3, 0.1), 1, "where it is seen nothing changes");
  assert.equal(windowFor(icicle, 2, 3, 0.1), -1, "it is beside what is seen");
  assert.equal(windowFor(icicle, 3, 1, 0.1), -1, "and above it");
});

test("what lies below several frames counts once", () => {
  const own = Float64Array.from([0, 2, 4, 2, 8]);
  const icicle = layOut(TREE, own, addUp(TREE, own), null);
  assert.equal(coveredBy(icicle, Uint8Array.from([0, 1, 0, 1, 0])), 0.25);
  assert.equal(coveredBy(icicle, Uint8Array.from([0, 0, 1, 1, 0])), 0.375);
});

test("values below 0 have a width, too", () => {
  const own = Float64Array.from([0, -3, 1, 0, 0]);
  const icicle = layOut(TREE, own, addUp(TREE, own), null);
  assert.equal(icicle.total, 4);
  assert.equal(icicle.width[1], 0.75);
  assert.equal(icicle.inclusive[0], -2);
});

test("members of a grid are in row-major order", () => {
  assert.deepEqual(coordinatesOf([2, 3, 4], 23), [1, 2, 3]);
  for (let member = 0; member < 24; member++) assert.equal(memberAt([2, 3, 4], coordinatesOf([2, 3, 4], member)), member);
  assert.equal(neighbour([2, 3, 4], 0, "across", 1), 1);
  assert.equal(neighbour([2, 3, 4], 0, "down", 1), 4);
  assert.equal(neighbour([2, 3, 4], 0, "plane", 1), 12);
  assert.equal(neighbour([2, 3, 4], 0, "down", -1), 0, "not beyond the border");
  assert.equal(neighbour([5], 2, "down", 1), 2, "there is one dimension only");
});

test("every member has a cell of its own within the layout", () => {
  const cases: [number[], typeof planeLayout][] = [
    [[7], planeLayout],
    [[100], planeLayout],
    [[3, 5], planeLayout],
    [[3, 4, 5], planeLayout],
    [[3, 4, 5], stackLayout],
    [[2, 2, 3, 4], planeLayout],
  ];
  for (const [sizes, make] of cases) {
    const layout = make(sizes, 800, 400);
    assert.equal(layout.cells.length, sizes.reduce((a, b) => a * b));
    layout.cells.forEach((cell, member) => {
      assert.equal(cell.member, member);
      const [x, y] = [0, 1].map((axis) => cell.corners.reduce((sum, corner) => sum + corner[axis as 0 | 1] / 4, 0)) as [number, number];
      assert.equal(cellAt(layout, x, y)?.member, member, `${sizes}: member ${member}`);
      for (const corner of cell.corners)
        assert.ok(corner[0] >= -0.01 && corner[0] <= layout.width + 0.01 && corner[1] <= layout.height + 0.01, `${sizes}: within`);
    });
    assert.ok(layout.width <= 800.01, `${sizes}: as wide as there is room`);
  }
});
