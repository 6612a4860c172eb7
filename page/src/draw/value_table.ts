/*
 * A table that can be sorted by each column, with as many rows as one likes.  Rows are chosen
 * with the pointer or the arrow keys.
 */
import { runKey } from "./stage";
import { RowOwner, VirtualRows } from "./virtual";

export interface Column {
  id: string;
  title: string;
  /** CSS width, such as `8em` or `minmax(10em, 1fr)`. */
  width: string;
  isNumber: boolean;
  text(row: number): string;
  /** What it is sorted by; numbers from the largest, texts from A. */
  key(row: number): number | string;
  /** A CSS background, or null. */
  colour?(row: number): string | null;
  /** CSS colour of the text on that background. */
  ink?(row: number): string;
  tooltip?(row: number): string;
}

export interface TableContent {
  rows: number;
  columns: Column[];
  /** Unrounded numbers for data- attributes of the row. */
  data(row: number): Record<string, string>;
}

export interface TableEvents {
  chosen(row: number): void;
}

const ROW_HEIGHT = 24;

export class ValueTable implements RowOwner {
  readonly element: HTMLElement;
  private readonly head: HTMLElement;
  private readonly body: HTMLElement;
  private readonly rowsView: VirtualRows;
  private content: TableContent | null = null;
  private order: number[] = [];
  private sortedBy = "";
  private reversed = false;
  private cursor = 0;

  constructor(
    private readonly name: string,
    label: string,
    firstSort: string,
    private readonly events: TableEvents,
  ) {
    this.sortedBy = firstSort;
    this.element = document.createElement("div");
    this.element.className = "value-table";
    this.element.dataset.testid = name;
    this.element.setAttribute("role", "grid");
    this.element.setAttribute("aria-label", label);
    this.head = document.createElement("div");
    this.head.className = "value-table-head";
    this.head.setAttribute("role", "row");
    this.body = document.createElement("div");
    this.body.className = "value-table-body";
    this.body.id = name;
    this.body.tabIndex = 0;
    this.body.setAttribute("role", "rowgroup");
    this.element.append(this.head, this.body);
    this.rowsView = new VirtualRows(this.body, ROW_HEIGHT, this);
  }

  show(content: TableContent): void {
    this.content = content;
    this.element.style.setProperty("--columns", content.columns.map((column) => column.width).join(" "));
    this.element.setAttribute("aria-rowcount", String(content.rows + 1));
    this.fillHead();
    this.sort();
  }

  /** Row numbers in the order in which they are seen. */
  rowsInOrder(): readonly number[] {
    return this.order;
  }

  private sort(): void {
    const content = this.content!;
    const column = content.columns.find((c) => c.id === this.sortedBy) ?? content.columns[0]!;
    const keys = Array.from({ length: content.rows }, (_, row) => column.key(row));
    const sign = this.reversed ? -1 : 1;
    this.order = keys
      .map((_, row) => row)
      .sort((a, b) => sign * compareKeys(keys[a]!, keys[b]!) || a - b);
    this.cursor = Math.min(this.cursor, Math.max(0, content.rows - 1));
    this.rowsView.setCount(content.rows);
  }

  private sortBy(id: string): void {
    this.reversed = this.sortedBy === id && !this.reversed;
    this.sortedBy = id;
    this.fillHead();
    this.sort();
  }

  private fillHead(): void {
    this.head.replaceChildren(
      ...this.content!.columns.map((column) => {
        const cell = document.createElement("div");
        cell.setAttribute("role", "columnheader");
        const isSorted = column.id === this.sortedBy;
        const rises = column.isNumber === this.reversed;
        cell.setAttribute("aria-sort", !isSorted ? "none" : rises ? "ascending" : "descending");
        cell.className = column.isNumber ? "number" : "";
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = column.title + (isSorted ? (rises ? " ▴" : " ▾") : "");
        button.dataset.testid = `${this.name}-sort-${column.id}`;
        button.addEventListener("click", () => {
          this.sortBy(column.id);
          this.head.querySelector<HTMLElement>(`[data-testid="${this.name}-sort-${column.id}"]`)?.focus();
        });
        cell.append(button);
        return cell;
      }),
    );
  }

  createRow(): HTMLElement {
    const row = document.createElement("div");
    row.setAttribute("role", "row");
    row.className = "value-table-row";
    return row;
  }

  fillRow(element: HTMLElement, index: number): void {
    const content = this.content!;
    const row = this.order[index]!;
    while (element.children.length < content.columns.length) {
      const cell = document.createElement("div");
      cell.setAttribute("role", "gridcell");
      element.append(cell);
    }
    element.id = `${this.name}-row-${index}`;
    element.setAttribute("aria-rowindex", String(index + 2));
    element.classList.toggle("cursor", index === this.cursor);
    for (const [key, value] of Object.entries(content.data(row))) element.dataset[key] = value;
    content.columns.forEach((column, i) => {
      const cell = element.children[i]! as HTMLElement;
      cell.textContent = column.text(row);
      cell.className = column.isNumber ? "number" : "";
      cell.style.background = column.colour?.(row) ?? "";
      cell.style.color = cell.style.background === "" ? "" : (column.ink?.(row) ?? "");
      cell.title = column.tooltip?.(row) ?? "";
    });
  }

  private moveTo(index: number): void {
    if (this.order.length === 0) return;
    this.cursor = Math.max(0, Math.min(this.order.length - 1, index));
    this.body.setAttribute("aria-activedescendant", `${this.name}-row-${this.cursor}`);
    this.rowsView.scrollTo(this.cursor);
  }

  private choose(): void {
    const row = this.order[this.cursor]!;
    if (row !== undefined) this.events.chosen(row);
  }

  click(event: MouseEvent): void {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[role=row]");
    if (!row?.dataset.index) return;
    this.moveTo(Number(row.dataset.index));
    this.choose();
  }

  key(event: KeyboardEvent): void {
    runKey(event, {
      ArrowDown: () => this.moveTo(this.cursor + 1),
      ArrowUp: () => this.moveTo(this.cursor - 1),
      PageDown: () => this.moveTo(this.cursor + this.rowsView.rowsInSight()),
      PageUp: () => this.moveTo(this.cursor - this.rowsView.rowsInSight()),
      Home: () => this.moveTo(0),
      End: () => this.moveTo(this.order.length - 1),
      Enter: () => this.choose(),
      " ": () => this.choose(),
    });
  }

  destroy(): void {
    this.rowsView.destroy();
  }
}

/** Large numbers first, what is no number last; texts from A. */
function compareKeys(a: number | string, b: number | string): number {
  if (typeof a === "string" || typeof b === "string") return String(a).localeCompare(String(b));
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return b - a;
}
