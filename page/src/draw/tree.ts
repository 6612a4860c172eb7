/*
 * Trees as arrays, for metrics, call paths and the system: nodes are numbers, parents come
 * before their children.  Pure functions; nothing here knows what a node stands for.
 */

export interface Tree {
  /** By node; -1 for a root. */
  readonly parent: Int32Array;
  /** Roots are at depth 0. */
  readonly depth: Int32Array;
  /** Where the children of a node begin in `children`; one entry more than there are nodes. */
  readonly first: Int32Array;
  /** Children in ascending order, those of one node after those of another. */
  readonly children: Int32Array;
  readonly roots: Int32Array;
}

/** The tree in which node i is below PARENTS[i], which is smaller than i, or -1. */
export function makeTree(parents: ArrayLike<number>): Tree {
  const count = parents.length;
  const parent = Int32Array.from(parents);
  const depth = new Int32Array(count);
  const first = new Int32Array(count + 1);
  const roots: number[] = [];
  for (let node = 0; node < count; node++) {
    const above = parent[node]!;
    if (above < 0) {
      roots.push(node);
    } else {
      depth[node] = depth[above]! + 1;
      first[above + 1]!++;
    }
  }
  for (let node = 0; node < count; node++) first[node + 1]! += first[node]!;
  const next = first.slice();
  const children = new Int32Array(count - roots.length);
  for (let node = 0; node < count; node++)
    if (parent[node]! >= 0) children[next[parent[node]!]!++] = node;
  return { parent, depth, first, children, roots: Int32Array.from(roots) };
}

/** The children of NODE in the tree's order: a view, not a copy. */
export function childrenOf(tree: Tree, node: number): Int32Array {
  return tree.children.subarray(tree.first[node]!, tree.first[node + 1]!);
}

export function isLeaf(tree: Tree, node: number): boolean {
  return tree.first[node]! === tree.first[node + 1]!;
}

/** By node: its own value and those of all nodes below it. */
export function addUp(tree: Tree, exclusive: ArrayLike<number>): Float64Array {
  const inclusive = Float64Array.from(exclusive);
  for (let node = inclusive.length - 1; node >= 0; node--) {
    const above = tree.parent[node]!;
    if (above >= 0) inclusive[above]! += inclusive[node]!;
  }
  return inclusive;
}

/** By node: 1 if it or a node below it is marked in FLAGS. */
export function markAbove(tree: Tree, flags: ArrayLike<number>): Uint8Array {
  const marked = Uint8Array.from(flags);
  for (let node = marked.length - 1; node >= 0; node--) {
    const above = tree.parent[node]!;
    if (marked[node]! && above >= 0) marked[above] = 1;
  }
  return marked;
}

export interface RowOptions {
  expanded: Uint8Array;
  /** Siblings come in this order; without it in the tree's own. */
  compare?: ((a: number, b: number) => number) | null;
  /** Nodes with 0 are left out, with all that is below them. */
  kept?: Uint8Array | null;
}

/** The nodes that are seen, from top to bottom. */
export function visibleRows(tree: Tree, options: RowOptions): Int32Array {
  const rows: number[] = [];
  const push = (stack: number[], nodes: Int32Array): void => {
    let list: Int32Array | number[] = nodes;
    if (options.kept) list = Array.from(list).filter((node) => options.kept![node]!);
    if (options.compare) list = Array.from(list).sort(options.compare);
    for (let i = list.length - 1; i >= 0; i--) stack.push(list[i]!);
  };
  const stack: number[] = [];
  push(stack, tree.roots);
  while (stack.length > 0) {
    const node = stack.pop()!;
    rows.push(node);
    if (options.expanded[node]! && !isLeaf(tree, node)) push(stack, childrenOf(tree, node));
  }
  return Int32Array.from(rows);
}

/** Expands all that is above NODE, so that it is seen. */
export function reveal(tree: Tree, expanded: Uint8Array, node: number): void {
  for (let above = tree.parent[node]!; above >= 0; above = tree.parent[above]!) expanded[above] = 1;
}
