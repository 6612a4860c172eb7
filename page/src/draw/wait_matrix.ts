/* Who waits for whom, a cell for each two ranks or groups of ranks: rows wait, columns are waited for. */
import { groupOf, labelledRanks, type WaitMatrix } from "../model/waits";
import { css, sequential } from "../ui/colours";
import { h, sizeCanvas } from "../ui/dom";
import { CanvasStyle, canvasStyle, textWidth } from "./canvas";
import { Keys, Stage } from "./stage";

/** Row and column. */
export type Cell = [number, number];

export interface WaitMatrixContent {
  matrix: WaitMatrix;
  /** By index: the rank as the program counts it. */
  ranks: readonly number[];
  /** What is listed beside; null: all. */
  chosen: Cell | null;
  describe(cell: Cell): string;
}

/** Of the matrix on the screen. */
const MATRIX_PIXELS = 420;
const CELL_PIXELS = 36;
/** A cell alone is still seen. */
const LEAST_CELL_PIXELS = 2;
/** More ranks are shown in groups. */
export const MOST_ROWS = MATRIX_PIXELS / LEAST_CELL_PIXELS;
const LABEL_HEIGHT = 16;
const LABEL_GAP = 8;
/** Where cells are smaller a frame would hide others. */
const FRAMED_FROM = 4;

export class WaitMatrixView extends Stage {
  readonly element: HTMLElement;
  private content: WaitMatrixContent | null = null;
  private left = 0;
  private cell = 1;
  private hover: Cell | null = null;
  private cursor: Cell = [0, 0];

  constructor(private readonly chosen: (cell: Cell) => void) {
    super("wait-matrix", "Who waits for whom; the table has the numbers", "matrix");
    this.element = h("div", { class: "wait-matrix" }, this.canvas, this.line);
    this.canvas.addEventListener("pointermove", (event) => this.point(this.at(event)));
    this.canvas.addEventListener("pointerleave", () => this.point(null));
    this.canvas.addEventListener("click", (event) => {
      const cell = this.at(event);
      if (cell) this.choose(cell);
    });
    this.canvas.addEventListener("focus", () => this.draw());
    this.canvas.addEventListener("blur", () => this.draw());
  }

  show(content: WaitMatrixContent): void {
    this.content = content;
    if (content.chosen) this.cursor = content.chosen;
    this.draw();
  }

  private choose(cell: Cell): void {
    this.cursor = cell;
    this.chosen(cell);
  }

  private point(cell: Cell | null): void {
    this.hover = cell;
    this.tell();
  }

  private at(event: MouseEvent): Cell | null {
    const row = Math.floor((event.offsetY - LABEL_HEIGHT) / this.cell);
    const column = Math.floor((event.offsetX - this.left) / this.cell);
    const rows = this.content?.matrix.rows ?? 0;
    return row >= 0 && column >= 0 && row < rows && column < rows ? [row, column] : null;
  }

  /** The cell that the pointer is at, or that keys have come to. */
  private tell(): void {
    const cell = this.hover ?? (document.activeElement === this.canvas ? this.cursor : this.content?.chosen);
    this.line.textContent = cell ? this.content!.describe(cell) : "";
  }

  draw(): void {
    if (!this.content) return;
    const { matrix, ranks, chosen } = this.content;
    const style = canvasStyle();
    this.cell = Math.max(LEAST_CELL_PIXELS, Math.min(CELL_PIXELS, Math.floor(MATRIX_PIXELS / matrix.rows)));
    const size = matrix.rows * this.cell;
    this.left = widestLabel(this.canvas.getContext("2d")!, ranks, style) + LABEL_GAP;
    const context = sizeCanvas(this.canvas, this.left + size + LABEL_GAP, LABEL_HEIGHT + size);
    Object.assign(this.canvas.dataset, { left: this.left, top: LABEL_HEIGHT, cell: this.cell });
    this.drawLabels(context, style, size);
    context.translate(this.left, LABEL_HEIGHT);
    drawCells(context, matrix, this.cell);
    context.strokeStyle = style.line;
    context.strokeRect(-0.5, -0.5, size + 1, size + 1);
    if (chosen) this.frame(context, chosen, style.text);
    if (document.activeElement === this.canvas) this.frame(context, this.cursor, style.accent);
    this.tell();
  }

  private drawLabels(context: CanvasRenderingContext2D, style: CanvasStyle, size: number): void {
    const { matrix, ranks } = this.content!;
    const middle = (rank: number): number => (groupOf(rank, matrix.size) + 0.5) * this.cell;
    context.font = style.font;
    context.fillStyle = style.text;
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const rank of labelledRanks(ranks.length, size / LABEL_HEIGHT))
      context.fillText(String(ranks[rank]), this.left - LABEL_GAP / 2, LABEL_HEIGHT + Math.min(Math.max(middle(rank), 5), size));
    context.textAlign = "center";
    for (const rank of labelledRanks(ranks.length, size / (this.left + LABEL_GAP)))
      context.fillText(String(ranks[rank]), this.left + middle(rank), LABEL_HEIGHT / 2);
  }

  private frame(context: CanvasRenderingContext2D, [row, column]: Cell, colour: string): void {
    if (this.cell < FRAMED_FROM) return;
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.strokeRect(column * this.cell + 1, row * this.cell + 1, this.cell - 2, this.cell - 2);
  }

  protected keys(): Keys {
    const go = (down: number, right: number) => () => {
      const last = (this.content?.matrix.rows ?? 1) - 1;
      const within = (at: number): number => Math.min(Math.max(at, 0), last);
      this.cursor = [within(this.cursor[0] + down), within(this.cursor[1] + right)];
      this.hover = null;
      this.draw();
    };
    return {
      ArrowRight: go(0, 1),
      ArrowLeft: go(0, -1),
      ArrowDown: go(1, 0),
      ArrowUp: go(-1, 0),
      Enter: () => this.choose(this.cursor),
      " ": () => this.choose(this.cursor),
    };
  }
}

function widestLabel(context: CanvasRenderingContext2D, ranks: readonly number[], style: CanvasStyle): number {
  context.font = style.font;
  return Math.ceil(textWidth(context, String(ranks[ranks.length - 1])));
}

/** Where nobody waits nothing is drawn. */
function drawCells(context: CanvasRenderingContext2D, { rows, seconds, most }: WaitMatrix, cell: number): void {
  seconds.forEach((value, i) => {
    if (value <= 0) return;
    context.fillStyle = css(sequential(value / most));
    context.fillRect((i % rows) * cell, Math.floor(i / rows) * cell, cell, cell);
  });
}
