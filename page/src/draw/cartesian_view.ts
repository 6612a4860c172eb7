/*
 * A Cartesian topology on a canvas, a cell for each member, in the colour of its value.  Values
 * change often, in an animation: then only colours are painted again.
 */
import { sizeCanvas, h } from "../ui/dom";
import { CanvasStyle, canvasStyle, textWidth } from "./canvas";
import { Keys, Stage } from "./stage";
import { cellAt, neighbour, planeLayout, stackLayout, type Cell, type CartesianLayout } from "./cartesian";

export interface CartesianContent {
  sizes: readonly number[];
  asStack: boolean;
  /** By member; NaN for none. */
  values: ArrayLike<number>;
  /** CSS colour of a value, and of text on it. */
  colours(value: number): { fill: string; text: string };
  /** What stands in a cell that has room, such as its rank. */
  label(member: number): string;
  describe(member: number): string;
  /** Names and unrounded numbers of MEMBER, for data attributes of the line. */
  data(member: number): Record<string, string>;
  /** The member that is marked; -1 for none. */
  marked: number;
}

export interface CartesianEvents {
  chosen(member: number): void;
}

const PADDING = 4;
/** No higher than that if it can be, and on a laptop's screen so that all of it is seen with its controls. */
const MOST_HEIGHT = 400;
const LEAST_HEIGHT = 240;
const ELSE_ON_SCREEN = 580;

function heightNow(): number {
  return Math.min(Math.max(window.innerHeight - ELSE_ON_SCREEN, LEAST_HEIGHT), MOST_HEIGHT);
}

const LINE_FROM = 5;

export class CartesianView extends Stage {
  readonly element: HTMLElement;
  private readonly stage: HTMLElement;
  private content: CartesianContent | null = null;
  private layout: CartesianLayout | null = null;
  private laidOutFor = "";
  private hover = -1;
  private cursor = 0;

  constructor(
    name: string,
    label: string,
    private readonly events: CartesianEvents,
  ) {
    super(name, label, "topology");
    this.stage = h("div", { class: "cartesian-stage" }, this.canvas);
    this.element = h("div", { class: "cartesian" }, this.stage, this.line);
    this.listen();
    this.follow(this.stage);
  }

  show(content: CartesianContent): void {
    this.content = content;
    const members = content.sizes.reduce((a, b) => a * b, 1);
    if (content.marked >= 0) this.cursor = content.marked;
    if (this.cursor >= members) this.cursor = 0;
    if (this.hover >= members) this.hover = -1;
    this.draw();
  }

  private layOut(content: CartesianContent): CartesianLayout {
    const width = Math.max(60, this.stage.clientWidth - 2 * PADDING);
    const height = heightNow();
    const key = `${content.sizes.join("x")} ${content.asStack} ${width} ${height}`;
    if (this.layout === null || key !== this.laidOutFor) {
      this.layout = (content.asStack ? stackLayout : planeLayout)(content.sizes, width, height);
      this.laidOutFor = key;
    }
    return this.layout;
  }

  draw(): void {
    const content = this.content;
    if (!content || this.stage.clientWidth === 0) return;
    const layout = this.layOut(content);
    const style = canvasStyle();
    const context = sizeCanvas(this.canvas, layout.width + 2 * PADDING, layout.height + 2 * PADDING);
    context.translate(PADDING, PADDING);
    context.font = style.font;
    context.textBaseline = "middle";
    for (const cell of layout.cells) this.drawCell(context, layout, style, content, cell);
    context.fillStyle = style.muted;
    for (const title of layout.titles) context.fillText(title.text, title.x, title.y);
    this.outline(context, layout, style, content.marked, 3);
    if (document.activeElement === this.canvas) this.outline(context, layout, style, this.cursor, 2);
    this.outline(context, layout, style, this.hover, 1);
    this.tell();
  }

  private drawCell(
    context: CanvasRenderingContext2D,
    layout: CartesianLayout,
    style: CanvasStyle,
    content: CartesianContent,
    cell: Cell,
  ): void {
    const value = content.values[cell.member]!;
    const colours = Number.isNaN(value) ? { fill: style.empty, text: style.muted } : content.colours(value);
    trace(context, cell);
    context.fillStyle = colours.fill;
    context.fill();
    if (layout.cellWidth < LINE_FROM) return;
    context.strokeStyle = style.line;
    context.lineWidth = 1;
    context.stroke();
    const text = content.label(cell.member);
    const width = textWidth(context, text);
    if (width + 4 > layout.cellWidth || layout.cellHeight < 14) return;
    const [x, y] = middle(cell);
    context.fillStyle = colours.text;
    context.fillText(text, x - width / 2, y);
  }

  private outline(
    context: CanvasRenderingContext2D,
    layout: CartesianLayout,
    style: CanvasStyle,
    member: number,
    line: number,
  ): void {
    const cell = layout.cells[member]!;
    if (!cell) return;
    trace(context, cell);
    context.strokeStyle = style.accent;
    context.lineWidth = line;
    context.stroke();
  }

  private tell(): void {
    const content = this.content!;
    const member = this.hover >= 0 ? this.hover : this.cursor;
    this.line.textContent = content.describe(member);
    Object.assign(this.line.dataset, content.data(member));
  }

  private at(event: MouseEvent): number {
    if (!this.layout) return -1;
    const box = this.canvas.getBoundingClientRect();
    return cellAt(this.layout, event.clientX - box.left - PADDING, event.clientY - box.top - PADDING)?.member ?? -1;
  }

  private listen(): void {
    this.canvas.addEventListener("pointermove", (event) => {
      const member = this.at(event);
      if (member === this.hover) return;
      this.hover = member;
      this.draw();
    });
    this.canvas.addEventListener("pointerleave", () => {
      this.hover = -1;
      this.draw();
    });
    this.canvas.addEventListener("click", (event) => {
      const member = this.at(event);
      if (member < 0) return;
      this.cursor = member;
      this.events.chosen(member);
    });
    this.canvas.addEventListener("focus", () => this.draw());
    this.canvas.addEventListener("blur", () => this.draw());
  }

  protected keys(): Keys {
    const sizes = this.content?.sizes ?? [];
    const go = (direction: "across" | "down" | "plane", step: 1 | -1) => () => {
      this.cursor = neighbour(sizes, this.cursor, direction, step);
      this.hover = -1;
      this.draw();
    };
    return {
      ArrowRight: go("across", 1),
      ArrowLeft: go("across", -1),
      ArrowDown: go("down", 1),
      ArrowUp: go("down", -1),
      PageDown: go("plane", 1),
      PageUp: go("plane", -1),
      Enter: () => this.events.chosen(this.cursor),
      " ": () => this.events.chosen(this.cursor),
    };
  }
}

function trace(context: CanvasRenderingContext2D, cell: Cell): void {
  context.beginPath();
  for (const [x, y] of cell.corners) context.lineTo(x, y);
  context.closePath();
}

function middle(cell: Cell): [number, number] {
  const sum = cell.corners.reduce(([ax, ay], [x, y]) => [ax + x, ay + y] as [number, number], [0, 0]);
  return [sum[0] / 4, sum[1] / 4];
}
