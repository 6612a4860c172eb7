/*
 * Long lists of rows of one height: only those in sight have elements.
 */

/** Rows beyond each edge that are there already when one scrolls. */
const OVERSCAN = 4;

/** Whose rows they are. */
export interface RowOwner {
  createRow(): HTMLElement;
  /** Makes ROW, which may have shown another row, show row INDEX. */
  fillRow(row: HTMLElement, index: number): void;
  key(event: KeyboardEvent): void;
  click(event: MouseEvent): void;
}

export class VirtualRows {
  private readonly body: HTMLElement;
  private readonly pool: HTMLElement[] = [];
  private readonly observer: ResizeObserver;
  private count = 0;

  /** SCROLLER is emptied, and scrolls. */
  constructor(
    private readonly scroller: HTMLElement,
    private readonly rowHeight: number,
    private readonly owner: RowOwner,
  ) {
    this.body = document.createElement("div");
    this.body.className = "virtual-body";
    this.body.setAttribute("role", "presentation");
    scroller.replaceChildren(this.body);
    scroller.classList.add("virtual");
    scroller.addEventListener("keydown", (event) => owner.key(event));
    scroller.addEventListener("click", (event) => owner.click(event));
    scroller.addEventListener("scroll", () => this.refresh(), { passive: true });
    this.observer = new ResizeObserver(() => this.refresh());
    this.observer.observe(scroller);
  }

  setCount(count: number): void {
    this.count = count;
    this.body.style.height = `${count * this.rowHeight}px`;
    this.refresh();
  }

  rowsInSight(): number {
    return Math.max(1, Math.floor(this.scroller.clientHeight / this.rowHeight));
  }

  scrollTo(index: number): void {
    const top = index * this.rowHeight;
    const height = this.scroller.clientHeight;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    else if (top + this.rowHeight > this.scroller.scrollTop + height)
      this.scroller.scrollTop = top + this.rowHeight - height;
    this.refresh();
  }

  refresh(): void {
    const height = this.rowHeight;
    const top = Math.floor(this.scroller.scrollTop / height);
    const first = Math.max(0, top - OVERSCAN);
    const last = Math.min(
      this.count,
      top + Math.ceil(this.scroller.clientHeight / height) + 1 + OVERSCAN,
    );
    while (this.pool.length < last - first) this.addRow();
    this.pool.forEach((row, i) => {
      const index = first + i;
      row.hidden = index >= last;
      if (row.hidden) return;
      row.dataset.index = String(index);
      row.style.transform = `translateY(${index * height}px)`;
      this.owner.fillRow(row, index);
    });
  }

  private addRow(): void {
    const row = this.owner.createRow();
    row.classList.add("virtual-row");
    row.style.height = `${this.rowHeight}px`;
    this.pool.push(row);
    this.body.append(row);
  }

  destroy(): void {
    this.observer.disconnect();
  }
}
