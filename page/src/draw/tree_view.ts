/*
 * One tree with a value at every node, as CUBE shows it: a collapsed node has its inclusive
 * value, an expanded one its exclusive value.  The ARIA tree pattern for keys; virtual rows.
 */
import { childrenOf, isLeaf, markAbove, reveal, visibleRows, type Tree } from "./tree";
import { runKey } from "./stage";
import { RowOwner, VirtualRows } from "./virtual";
import { h } from "../ui/dom";

export type SortOrder = "tree" | "value" | "name";

export interface TreeContent {
  tree: Tree;
  /** By node. */
  exclusive: Float64Array;
  inclusive: Float64Array;
  label(node: number): string;
  /** What stands after the label, such as a source line; empty for none. */
  detail(node: number): string;
  /** What the pointer shows. */
  title(node: number): string;
  /** VALUE of NODE as text. */
  format(value: number, node: number): string;
  /** A CSS colour for VALUE of NODE, or null for an empty box. */
  colour(value: number, node: number): string | null;
  /** Unrounded numbers and names, for data attributes of the row. */
  data(value: number, node: number): Record<string, string>;
  /** Nodes with 0 are not shown. */
  kept: Uint8Array | null;
  /** How many nodes every content of this tree has; those after them may be others each time.  Default: all. */
  lasting?: number;
}

export interface TreeEvents {
  /** NODE was chosen, or expanded or collapsed while it is chosen. */
  chosen(node: number): void;
  /** Enter, or a double click. */
  activated?(node: number): void;
}

const ROW_HEIGHT = 22;
const INDENT = 14;
/** Deeper levels are not indented further, so that labels stay in sight. */
const DEEPEST_INDENT = 24;
const TYPING_PAUSE_MS = 800;

export class TreeView implements RowOwner {
  readonly element: HTMLElement;
  private readonly rowsView: VirtualRows;
  private content: TreeContent | null = null;
  private rows: Int32Array = new Int32Array(0);
  private rowOf = new Map<number, number>();
  private lasting = 0;
  private expanded: Uint8Array = new Uint8Array(0);
  private chosenNode = -1;
  private marked = -1;
  private cursor = -1;
  private order: SortOrder = "tree";
  private found: Uint8Array | null = null;
  /** What was expanded before anything was searched for. */
  private unsearched: Uint8Array | null = null;
  private typed = "";
  private typedAt = 0;

  constructor(
    private readonly name: string,
    label: string,
    private readonly events: TreeEvents,
  ) {
    this.element = h("div", { class: "tree", id: name, "data-testid": name, tabindex: 0, role: "tree", "aria-label": label });
    this.rowsView = new VirtualRows(this.element, ROW_HEIGHT, this);
    this.element.addEventListener("dblclick", (event) => this.doubleClick(event));
  }

  /** Shows CONTENT; which nodes are expanded stays if the tree has as many lasting nodes as before. */
  show(content: TreeContent, expandedAtFirst: (node: number) => boolean): void {
    const count = content.tree.parent.length;
    const lasting = content.lasting ?? count;
    if (this.lasting !== lasting) {
      this.lasting = lasting;
      this.expanded = new Uint8Array(count);
      for (let node = 0; node < lasting; node++) this.expanded[node] = expandedAtFirst(node) ? 1 : 0;
      this.found = this.unsearched = null;
      this.cursor = -1;
    } else if (count > lasting || this.expanded.length > lasting) {
      this.keepLasting(count);
    }
    this.content = content;
    this.layout();
  }

  /** Of what is known of nodes, that of those that last; there are COUNT now. */
  private keepLasting(count: number): void {
    const kept = (old: Uint8Array): Uint8Array => {
      const all = new Uint8Array(count);
      all.set(old.subarray(0, this.lasting));
      return all;
    };
    this.expanded = kept(this.expanded);
    this.found = this.found && kept(this.found);
    this.unsearched = this.unsearched && kept(this.unsearched);
    if (this.cursor >= this.lasting) this.cursor = this.content!.tree.parent[this.cursor]!;
    if (this.chosenNode >= this.lasting) this.chosenNode = -1;
  }

  /** Marks NODE as chosen (-1: none) and shows it; OWN says whether it is to be expanded, if not null. */
  choose(node: number, own: boolean | null): void {
    if (!this.content || node >= this.expanded.length) return;
    const isNew = node !== this.chosenNode;
    const turns = node >= 0 && own !== null && !isLeaf(this.content.tree, node) && this.isExpanded(node) !== own;
    this.chosenNode = node;
    if (turns) this.expanded[node] = own ? 1 : 0;
    if (isNew && node >= 0) {
      reveal(this.content.tree, this.expanded, node);
      this.cursor = node;
    }
    if (!isNew && !turns) return;
    this.layout();
    if (isNew) this.scrollToCursor();
  }

  /** Marks NODE as what is looked at elsewhere, more weakly than what is chosen; -1 for none. */
  mark(node: number): void {
    if (node === this.marked) return;
    this.marked = node;
    this.rowsView.refresh();
  }

  /** The node above NODE; -1 for none. */
  parentOf(node: number): number {
    return this.content?.tree.parent[node] ?? -1;
  }

  isExpanded(node: number): boolean {
    return this.content !== null && !isLeaf(this.content.tree, node) && this.expanded[node]! === 1;
  }

  sort(order: SortOrder): void {
    if (order === this.order) return;
    this.order = order;
    this.layout();
  }

  /**
   * Marks labels and details that contain TEXT, expands what hides them and goes to the first; how many nodes do.
   * Without TEXT everything is as it was before.
   */
  search(text: string): number {
    const wanted = text.trim().toLowerCase();
    const content = this.content;
    this.found = null;
    let count = 0;
    if (content && wanted !== "") {
      this.found = new Uint8Array(this.expanded.length);
      for (let node = 0; node < this.found.length; node++) {
        if (content.kept && !content.kept[node]!) continue;
        const words = `${content.label(node)} ${content.detail(node)}`.toLowerCase();
        if (words.includes(wanted)) {
          this.found[node] = 1;
          count++;
        }
      }
    }
    this.expandFound();
    this.layout();
    if (count > 0) this.showFirstFound();
    return count;
  }

  /** Expands what is above the nodes that were found; of an earlier search nothing stays expanded. */
  private expandFound(): void {
    const was = this.chosenNode >= 0 && this.isExpanded(this.chosenNode);
    this.expandAsFound();
    /* An expanded row has its own value only: so has what is chosen. */
    if (this.chosenNode >= 0 && this.isExpanded(this.chosenNode) !== was) this.events.chosen(this.chosenNode);
  }

  private expandAsFound(): void {
    if (this.unsearched) this.expanded = this.unsearched;
    this.unsearched = null;
    if (this.content && this.chosenNode >= 0) reveal(this.content.tree, this.expanded, this.chosenNode);
    if (!this.content || !this.found) return;
    this.unsearched = this.expanded.slice();
    const above = markAbove(this.content.tree, this.found);
    for (let node = 0; node < above.length; node++)
      if (above[node] && childrenOf(this.content.tree, node).some((child) => above[child])) this.expanded[node] = 1;
  }

  private showFirstFound(): void {
    const row = this.rows.findIndex((node) => this.found![node] === 1);
    if (row >= 0) this.rowsView.scrollTo(row);
  }

  /** Moves to the next node that was found, or the one before; expands what hides it. */
  goToFound(step: 1 | -1): void {
    const content = this.content;
    if (!content || !this.found) return;
    const all = new Uint8Array(this.expanded.length).fill(1);
    const order = visibleRows(content.tree, this.rowOptions(content, all));
    const from = order.indexOf(this.cursor);
    for (let i = 1; i <= order.length; i++) {
      const node = order[(from + step * i + 2 * order.length) % order.length]!;
      if (!this.found[node]) continue;
      reveal(content.tree, this.expanded, node);
      this.layout();
      this.moveTo(node);
      this.setChosen(node);
      return;
    }
  }

  /** Nodes from top to bottom as they are seen, with the values that are shown: for copying. */
  shown(): { node: number; value: number }[] {
    return Array.from(this.rows, (node) => ({ node, value: this.valueOf(node) }));
  }

  /** The value that is shown at NODE. */
  valueOf(node: number): number {
    const content = this.content!;
    return this.isExpanded(node) ? content.exclusive[node]! : content.inclusive[node]!;
  }

  private rowOptions(content: TreeContent, expanded: Uint8Array) {
    const { inclusive } = content;
    const compare =
      this.order === "value"
        ? (a: number, b: number) => inclusive[b]! - inclusive[a]! || a - b
        : this.order === "name"
          ? (a: number, b: number) => content.label(a).localeCompare(content.label(b)) || a - b
          : null;
    return { expanded, compare, kept: content.kept };
  }

  private layout(): void {
    if (!this.content) return;
    this.rows = visibleRows(this.content.tree, this.rowOptions(this.content, this.expanded));
    this.rowOf = new Map(Array.from(this.rows, (node, row) => [node, row]));
    if (!this.rowOf.has(this.cursor)) this.cursor = this.rows.length > 0 ? this.rows[0]! : -1;
    this.rowsView.setCount(this.rows.length);
    this.tellCursor();
  }

  private rowId(node: number): string {
    return `${this.name}-${node}`;
  }

  private tellCursor(): void {
    if (this.cursor >= 0) this.element.setAttribute("aria-activedescendant", this.rowId(this.cursor));
    else this.element.removeAttribute("aria-activedescendant");
  }

  createRow(): HTMLElement {
    return h(
      "div",
      { role: "treeitem" },
      h("span", { class: "tree-box", "aria-hidden": "true" }),
      h("span", { class: "tree-value" }),
      h("span", { class: "tree-toggle", "aria-hidden": "true" }),
      h("span", { class: "tree-label" }),
      h("span", { class: "tree-detail" }),
    );
  }

  fillRow(row: HTMLElement, index: number): void {
    const content = this.content;
    if (!content) return;
    const node = this.rows[index]!;
    const value = this.valueOf(node);
    const leaf = isLeaf(content.tree, node);
    const [box, number, toggle, label, detail] = Array.from(row.children) as [
      HTMLElement,
      HTMLElement,
      HTMLElement,
      HTMLElement,
      HTMLElement,
    ];
    const colour = content.colour(value, node);
    row.id = this.rowId(node);
    row.dataset.node = String(node);
    Object.assign(row.dataset, content.data(value, node));
    row.title = content.title(node);
    row.setAttribute("aria-level", String(content.tree.depth[node]! + 1));
    row.setAttribute("aria-selected", String(node === this.chosenNode));
    if (leaf) row.removeAttribute("aria-expanded");
    else row.setAttribute("aria-expanded", String(this.isExpanded(node)));
    row.classList.toggle("cursor", node === this.cursor);
    row.classList.toggle("marked", node === this.marked);
    row.classList.toggle("found", this.found !== null && this.found[node] === 1);
    row.classList.toggle("nothing", value === 0);
    box.style.background = colour ?? "transparent";
    number.textContent = content.format(value, node);
    toggle.textContent = leaf ? "" : this.isExpanded(node) ? "▾" : "▸";
    toggle.style.marginInlineStart = `${INDENT * Math.min(content.tree.depth[node]!, DEEPEST_INDENT)}px`;
    label.textContent = content.label(node);
    detail.textContent = content.detail(node);
  }

  private nodeAt(event: Event): number {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[role=treeitem]");
    return row?.dataset.node === undefined ? -1 : Number(row.dataset.node);
  }

  click(event: MouseEvent): void {
    const node = this.nodeAt(event);
    if (node < 0) return;
    this.moveTo(node);
    if ((event.target as HTMLElement).classList.contains("tree-toggle")) this.toggle(node);
    else this.setChosen(node);
  }

  private doubleClick(event: MouseEvent): void {
    const node = this.nodeAt(event);
    if (node < 0 || (event.target as HTMLElement).classList.contains("tree-toggle")) return;
    if (this.events.activated) this.events.activated(node);
    else this.toggle(node);
  }

  private setChosen(node: number): void {
    this.chosenNode = node;
    this.rowsView.refresh();
    this.events.chosen(node);
  }

  private tellIfChosen(): void {
    if (this.chosenNode >= 0) this.events.chosen(this.chosenNode);
  }

  private toggle(node: number): void {
    if (!this.content || isLeaf(this.content.tree, node)) return;
    this.expanded[node]! ^= 1;
    this.layout();
    if (node === this.chosenNode) this.events.chosen(node);
  }

  private moveTo(node: number): void {
    this.cursor = node;
    this.scrollToCursor();
    this.tellCursor();
  }

  private scrollToCursor(): void {
    const row = this.rowOf.get(this.cursor);
    if (row !== undefined) this.rowsView.scrollTo(row);
  }

  private step(by: number): void {
    const row = (this.rowOf.get(this.cursor) ?? 0) + by;
    if (this.rows.length > 0)
      this.moveTo(this.rows[Math.max(0, Math.min(this.rows.length - 1, row))]!);
  }

  private goRight(): void {
    const tree = this.content!.tree;
    if (isLeaf(tree, this.cursor)) return;
    if (!this.isExpanded(this.cursor)) this.toggle(this.cursor);
    else this.step(1);
  }

  private goLeft(): void {
    const above = this.content!.tree.parent[this.cursor]!;
    if (this.isExpanded(this.cursor)) this.toggle(this.cursor);
    else if (above >= 0) this.moveTo(above);
  }

  private expandSiblings(): void {
    const tree = this.content!.tree;
    const above = tree.parent[this.cursor]!;
    for (const node of above < 0 ? tree.roots : childrenOf(tree, above)) this.expanded[node] = 1;
    this.layout();
    this.tellIfChosen();
  }

  /** Goes to the next row whose label begins with what is being typed. */
  private type(character: string): void {
    const now = performance.now();
    this.typed = now - this.typedAt > TYPING_PAUSE_MS ? character : this.typed + character;
    this.typedAt = now;
    const from = this.rowOf.get(this.cursor) ?? 0;
    for (let i = this.typed.length === 1 ? 1 : 0; i <= this.rows.length; i++) {
      const node = this.rows[(from + i) % this.rows.length]!;
      if (this.content!.label(node).toLowerCase().startsWith(this.typed)) {
        this.moveTo(node);
        return;
      }
    }
  }

  key(event: KeyboardEvent): void {
    if (!this.content || this.cursor < 0) return;
    const letter = event.key.length === 1 && /[\p{L}\p{N}_[]/u.test(event.key);
    runKey(event, {
      ...(letter ? { [event.key]: () => this.type(event.key.toLowerCase()) } : {}),
      ArrowDown: () => this.step(1),
      ArrowUp: () => this.step(-1),
      ArrowRight: () => this.goRight(),
      ArrowLeft: () => this.goLeft(),
      Home: () => this.step(-this.rows.length),
      End: () => this.step(this.rows.length),
      PageDown: () => this.step(this.rowsView.rowsInSight()),
      PageUp: () => this.step(-this.rowsView.rowsInSight()),
      " ": () => this.setChosen(this.cursor),
      Enter: () => {
        this.setChosen(this.cursor);
        this.events.activated?.(this.cursor);
      },
      "*": () => this.expandSiblings(),
    });
  }

  destroy(): void {
    this.rowsView.destroy();
  }
}
