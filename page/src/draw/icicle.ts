/*
 * Where the frames of a flame graph lie, root at the top.  A frame is as wide as what it and
 * the frames below it have; of values below 0 their size counts, so that a difference has a
 * place for what is less.
 */
import { childrenOf, type Tree } from "./tree";

export interface Icicle {
  readonly tree: Tree;
  /** By node, of the whole width: where it begins, how much it takes. */
  readonly left: Float64Array;
  readonly width: Float64Array;
  /** By node: its value with those below it. */
  readonly inclusive: Float64Array;
  readonly exclusive: Float64Array;
  /** What has the whole width, in the unit of the values. */
  readonly total: number;
}

/** Children of one frame stand in ORDER, or as in the tree. */
export function layOut(
  tree: Tree,
  exclusive: Float64Array,
  inclusive: Float64Array,
  order: ((a: number, b: number) => number) | null,
): Icicle {
  const count = exclusive.length;
  const size = new Float64Array(count);
  for (let node = count - 1; node >= 0; node--) {
    size[node]! += Math.abs(exclusive[node]!);
    if (tree.parent[node]! >= 0) size[tree.parent[node]!]! += size[node]!;
  }
  let total = 0;
  for (const root of tree.roots) total += size[root]!;
  const left = new Float64Array(count);
  const width = new Float64Array(count);
  const place = (nodes: Int32Array, from: number): void => {
    let at = from;
    for (const node of order ? Array.from(nodes).sort(order) : nodes) {
      left[node] = at;
      width[node] = total > 0 ? size[node]! / total : 0;
      at += width[node];
    }
  };
  place(tree.roots, 0);
  for (let node = 0; node < count; node++)
    if (width[node]! > 0) place(childrenOf(tree, node), left[node]!);
  return { tree, left, width, inclusive, exclusive, total };
}

/** The part of the width that is looked at. */
export interface Window {
  left: number;
  width: number;
  /** The topmost level that has room of its own; those above it are one row high each, too. */
  depth: number;
}

export function windowOf(icicle: Icicle, node: number): Window {
  if (node < 0 || icicle.width[node]! === 0) return { left: 0, width: 1, depth: 0 };
  return { left: icicle.left[node]!, width: icicle.width[node]!, depth: icicle.tree.depth[node]! };
}

/** What has the whole width (-1: all) so that NODE has LEAST of it: ZOOM if it does, else the outermost that will do. */
export function windowFor(icicle: Icicle, zoom: number, node: number, least: number): number {
  const above: number[] = [];
  for (let at = node; at >= 0; at = icicle.tree.parent[at]!) above.unshift(at);
  const isWide = (whole: number): boolean => icicle.width[node]! >= least * windowOf(icicle, whole).width;
  if ((zoom < 0 || above.includes(zoom)) && isWide(zoom)) return zoom;
  return [-1, ...above].find(isWide) ?? node;
}

/** The share of the width that lies below the frames that are MARKED, each part once. */
export function coveredBy(icicle: Icicle, marked: Uint8Array): number {
  const inside = new Uint8Array(marked.length);
  let share = 0;
  for (let node = 0; node < marked.length; node++) {
    const above = icicle.tree.parent[node]!;
    inside[node] = marked[node] || (above >= 0 && inside[above]) ? 1 : 0;
    if (marked[node] && !(above >= 0 && inside[above])) share += icicle.width[node]!;
  }
  return share;
}

/** The frame at X, of the window's width, on level DEPTH; -1 for none. */
export function frameAt(icicle: Icicle, window: Window, x: number, depth: number): number {
  const at = window.left + x * window.width;
  let nodes = icicle.tree.roots;
  for (;;) {
    const node = nodes.find((n) => at >= icicle.left[n]! && at < icicle.left[n]! + icicle.width[n]!);
    if (node === undefined) return -1;
    if (icicle.tree.depth[node]! === depth) return node;
    nodes = childrenOf(icicle.tree, node);
  }
}

/** The widest child of NODE (of the roots for -1), where the arrow down leads; -1 for none. */
export function widestChild(icicle: Icicle, node: number): number {
  const nodes = node < 0 ? icicle.tree.roots : childrenOf(icicle.tree, node);
  let best = -1;
  for (const child of nodes)
    if (icicle.width[child]! > 0 && (best < 0 || icicle.width[child]! > icicle.width[best]!)) best = child;
  return best;
}

/** The frame beside NODE on its level, STEP to the right (1) or left (-1), or NODE. */
export function beside(icicle: Icicle, node: number, step: 1 | -1): number {
  const depth = icicle.tree.depth[node]!;
  let best = node;
  for (let other = 0; other < icicle.width.length; other++) {
    if (icicle.tree.depth[other]! !== depth || icicle.width[other]! === 0) continue;
    const distance = (icicle.left[other]! - icicle.left[node]!) * step;
    const known = best === node ? Infinity : (icicle.left[best]! - icicle.left[node]!) * step;
    if (distance > 0 && distance < known) best = other;
  }
  return best;
}
