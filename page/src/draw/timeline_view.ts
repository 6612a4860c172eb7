/*
 * A time line on a canvas: a row for each thread, time to the right, calls as boxes, messages as lines.  What is
 * drawn follows from the pixels, not from how much there is; pointer, wheel and keys move and zoom it.
 */
import { TimelineIndex, TimelineIteration } from "../format/timeline";
import { briefName } from "../model/names";
import { RowOfTimeline, Segments, TimelineModel, callAt, messagesIn, stackAt, walkPixels } from "../model/timeline";
import { h, sizeCanvas } from "../ui/dom";
import { axisLabels, quantity } from "../ui/numbers";
import { CanvasStyle, canvasStyle, textWidth } from "./canvas";
import { Keys, Stage } from "./stage";
import { niceStep, unitTicks } from "./ticks";

/** What is drawn. */
export interface TimelineContent {
  index: TimelineIndex;
  iteration: TimelineIteration;
  model: TimelineModel;
  /** The part that a region's time is of: an index of `colours`. */
  part: Int32Array;
  /** By part: CSS colours of boxes and of texts on them. */
  colours: { fill: string; text: string }[];
  stacks: boolean;
  messages: boolean;
}

/** Nanoseconds since the iteration begins. */
export type Span = readonly [number, number];

export interface TimelineEvents {
  /** The window was moved or zoomed. */
  moved(span: Span): void;
}

const GUTTER = 84;
const RULER = 24;
const LANE = 15;
const MOST_HEIGHT = 560;
/** So many are drawn in 60 ms without a graphics processor; where there are no more they can be pointed at. */
const MOST_MESSAGES = 1500;
const LEAST_SPAN = 20;
const NEAR = 5;
const MESSAGE = "#16191d";
const HALO = "#ffffff";

export function rowName(index: TimelineIndex, row: number): string {
  const { rank, thread, name } = index.rows[row]!;
  const process = rank === null ? name : `rank ${rank}`;
  return thread > 0 ? `${process}, thread ${thread}` : process;
}

const seconds = (ns: number): string => quantity(ns / 1e9, "s");

export class TimelineView extends Stage {
  readonly element: HTMLElement;
  private readonly scroller: HTMLElement;
  private content: TimelineContent | null = null;
  /** By region: as it is shown. */
  private readonly names = new Map<number, string>();
  private span: [number, number] = [0, 1];
  /** The first pixel of the rows that is in sight. */
  private top = 0;
  private row = 0;
  private pointer: { x: number; y: number } | null = null;
  private dragged: { x: number; y: number; span: Span; top: number; zooms: boolean } | null = null;
  private drawing = 0;

  constructor(
    name: string,
    private readonly events: TimelineEvents,
  ) {
    super(name, "Time line", "time line");
    this.scroller = h("div", { class: "timeline-scroller" }, this.canvas);
    this.element = h("div", { class: "timeline" }, this.scroller, this.line);
    this.listen();
    this.follow(this.scroller);
  }

  /** Shows CONTENT, all of it or SPAN. */
  show(content: TimelineContent, span: Span | null): void {
    this.content = content;
    this.pointer = null;
    this.top = 0;
    this.row = Math.min(this.row, content.model.rows.length - 1);
    this.setSpan(span ?? this.whole);
  }

  get shown(): Span {
    return this.span;
  }

  private get whole(): Span {
    return [0, Math.max(this.content?.model.length ?? 1, 1)];
  }

  /** Goes to SPAN, within the iteration. */
  setSpan([from, to]: Span): void {
    const [, length] = this.whole;
    const width = Math.min(Math.max(to - from, Math.min(LEAST_SPAN, length)), length);
    const begin = Math.min(Math.max(from, 0), length - width);
    this.span = [begin, begin + width];
    this.drawSoon();
  }

  private move(span: Span): void {
    this.setSpan(span);
    this.events.moved(this.span);
  }

  /** Makes what is at X stay there. */
  private zoom(factor: number, x: number): void {
    const at = this.timeAt(x);
    const [from, to] = this.span;
    this.move([at - (at - from) * factor, at + (to - at) * factor]);
  }

  private pan(share: number): void {
    const by = share * (this.span[1] - this.span[0]);
    this.move([this.span[0] + by, this.span[1] + by]);
  }

  private get width(): number {
    return Math.max(1, this.scroller.clientWidth - GUTTER);
  }

  private get perPixel(): number {
    return (this.span[1] - this.span[0]) / this.width;
  }

  private timeAt(x: number): number {
    return this.span[0] + (x - GUTTER) * this.perPixel;
  }

  private xOf(time: number): number {
    return GUTTER + (time - this.span[0]) / this.perPixel;
  }

  private get rowHeight(): number {
    const { model, stacks } = this.content!;
    if (stacks) return model.lanes * LANE + 6;
    return Math.min(Math.max(Math.floor((MOST_HEIGHT - RULER) / model.rows.length), 6), 30);
  }

  private get rowsHeight(): number {
    return this.rowHeight * this.content!.model.rows.length;
  }

  private get height(): number {
    return Math.min(RULER + this.rowsHeight, MOST_HEIGHT);
  }

  private yOf(row: number): number {
    return RULER + row * this.rowHeight - this.top;
  }

  private setTop(top: number): void {
    this.top = Math.min(Math.max(top, 0), Math.max(0, this.rowsHeight - (this.height - RULER)));
    this.drawSoon();
  }

  private drawSoon(): void {
    this.drawing ||= requestAnimationFrame(() => {
      this.drawing = 0;
      this.draw();
    });
  }

  draw(): void {
    if (!this.content || this.scroller.clientWidth === 0) return;
    const style = canvasStyle();
    const context = sizeCanvas(this.canvas, this.scroller.clientWidth, this.height);
    context.font = style.font;
    context.textBaseline = "middle";
    this.drawRuler(context, style);
    context.save();
    context.beginPath();
    context.rect(0, RULER, this.scroller.clientWidth, this.height - RULER);
    context.clip();
    const first = Math.floor(this.top / this.rowHeight);
    const last = Math.min(this.content.model.rows.length - 1, Math.floor((this.top + this.height - RULER) / this.rowHeight));
    for (let row = first; row <= last; row++) this.drawRow(context, style, row);
    context.beginPath();
    context.rect(GUTTER, RULER, this.width, this.height - RULER);
    context.clip();
    this.drawMessages(context);
    this.drawDragged(context, style);
    context.restore();
    this.tell(context, style);
  }

  private drawRuler(context: CanvasRenderingContext2D, style: CanvasStyle): void {
    const [first, last] = [this.span[0] / 1e9, this.span[1] / 1e9];
    const ticks = unitTicks(first, last, niceStep(first, last, Math.max(2, Math.floor(this.width / 130))), "s");
    const labels = axisLabels(ticks, "s", last);
    context.fillStyle = style.muted;
    context.strokeStyle = style.line;
    context.lineWidth = 1;
    context.textAlign = "center";
    ticks.forEach((tick, i) => {
      const x = this.xOf(tick * 1e9);
      const half = textWidth(context, labels[i]!) / 2;
      context.beginPath();
      context.moveTo(x, RULER - 5);
      context.lineTo(x, RULER);
      context.stroke();
      context.fillText(labels[i]!, Math.min(Math.max(x, GUTTER + half), GUTTER + this.width - half), RULER / 2 - 1);
    });
    context.textAlign = "left";
  }

  private drawRow(context: CanvasRenderingContext2D, style: CanvasStyle, row: number): void {
    const { index, model, stacks } = this.content!;
    const y = this.yOf(row);
    const height = this.rowHeight;
    const of = model.rows[row]!;
    if (height >= 11 || row % Math.ceil(11 / height) === 0) {
      context.fillStyle = row === this.row ? style.text : style.muted;
      context.fillText(shorten(context, rowName(index, row), GUTTER - 10), 4, y + Math.max(height, 11) / 2);
    }
    if (stacks) of.lanes.forEach((lane, depth) => this.drawSegments(context, of, lane, y + 2 + depth * LANE, LANE - 1));
    else this.drawSegments(context, of, of.flat, y + (height > 12 ? 2 : 0.5), height - (height > 12 ? 4 : 1));
  }

  private drawSegments(context: CanvasRenderingContext2D, row: RowOfTimeline, segments: Segments, y: number, height: number): void {
    const { part, colours } = this.content!;
    const { region } = row.calls;
    walkPixels(segments, this.span[0], this.perPixel, this.width, (call) => part[region[call]!]!, colours.length, (x, width, which, call) => {
      const colour = colours[which]!;
      const gap = width > 4 ? 0.7 : 0;
      context.fillStyle = colour.fill;
      context.fillRect(GUTTER + x, y, Math.max(width - gap, 0.7), height);
      if (call < 0 || width < 30 || height < 11) return;
      context.fillStyle = colour.text;
      context.fillText(shorten(context, this.nameOf(region[call]!), width - 8), GUTTER + x + 4, y + height / 2 + 0.5);
    });
  }

  /** Where a message begins and ends. */
  private lineOf(message: number): [number, number, number, number] {
    const { from, to, sent, received } = this.content!.model.messages;
    const middle = this.rowHeight / 2;
    return [this.xOf(sent[message]!), this.yOf(from[message]!) + middle, this.xOf(received[message]!), this.yOf(to[message]!) + middle];
  }

  private get visibleMessages(): { list: number[]; all: number } {
    const { model, messages } = this.content!;
    return messages ? messagesIn(model, this.span[0], this.span[1], MOST_MESSAGES) : { list: [], all: 0 };
  }

  private drawMessages(context: CanvasRenderingContext2D): void {
    const { list, all } = this.visibleMessages;
    context.beginPath();
    for (const message of list) {
      const [x0, y0, x1, y1] = this.lineOf(message);
      if (Math.max(y0, y1) < RULER || Math.min(y0, y1) > this.height) continue;
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
    }
    /* Boxes are light whatever the page is: dark lines are seen on them, by their light edges in between. */
    if (all <= 500) {
      context.globalAlpha = 0.45;
      context.strokeStyle = HALO;
      context.lineWidth = 2.6;
      context.stroke();
    }
    context.globalAlpha = all > 500 ? 0.35 : all > 100 ? 0.65 : 0.9;
    context.strokeStyle = MESSAGE;
    context.lineWidth = all > 500 ? 0.6 : 1;
    context.stroke();
    if (list.length < 300) this.drawHeads(context, list);
    context.globalAlpha = 1;
  }

  /** Where messages arrive. */
  private drawHeads(context: CanvasRenderingContext2D, list: number[]): void {
    context.fillStyle = MESSAGE;
    for (const message of list) {
      const [x0, y0, x1, y1] = this.lineOf(message);
      const angle = Math.atan2(y1 - y0, x1 - x0);
      context.beginPath();
      context.moveTo(x1, y1);
      for (const turn of [-0.4, 0.4]) context.lineTo(x1 - 7 * Math.cos(angle + turn), y1 - 7 * Math.sin(angle + turn));
      context.fill();
    }
  }

  /** What will be zoomed to. */
  private drawDragged(context: CanvasRenderingContext2D, style: CanvasStyle): void {
    if (!this.dragged?.zooms || !this.pointer) return;
    context.globalAlpha = 0.25;
    context.fillStyle = style.accent;
    context.fillRect(Math.min(this.dragged.x, this.pointer.x), RULER, Math.abs(this.pointer.x - this.dragged.x), this.height - RULER);
    context.globalAlpha = 1;
  }

  private rowAt(y: number): number {
    const row = Math.floor((y - RULER + this.top) / this.rowHeight);
    return y >= RULER && row < this.content!.model.rows.length ? row : -1;
  }

  /** The message whose line is nearest to a point, if it is near; -1: none is. */
  private messageAt(x: number, y: number): number {
    const { list, all } = this.visibleMessages;
    let best = NEAR;
    let found = -1;
    for (const message of all <= MOST_MESSAGES ? list : []) {
      const far = distance(x, y, this.lineOf(message));
      if (far < best) {
        best = far;
        found = message;
      }
    }
    return found;
  }

  /** Says what the pointer is at, and marks it. */
  private tell(context: CanvasRenderingContext2D, style: CanvasStyle): void {
    const { pointer } = this;
    for (const key of Object.keys(this.line.dataset)) if (key !== "testid") delete this.line.dataset[key];
    if (!pointer || this.dragged || pointer.x < GUTTER || this.rowAt(pointer.y) < 0) {
      this.line.textContent = this.summaryText();
      return;
    }
    const message = this.messageAt(pointer.x, pointer.y);
    if (message >= 0) this.tellMessage(context, style, message);
    else this.tellCall(context, style, this.rowAt(pointer.y), pointer);
  }

  private summaryText(): string {
    const { all } = this.visibleMessages;
    const messages = all > MOST_MESSAGES ? `; ${MOST_MESSAGES} of ${all} messages are drawn` : "";
    return `${seconds(this.span[1] - this.span[0])} from ${seconds(this.span[0])} on${messages}. Drag to move, Ctrl and the wheel or + and − to zoom, Shift and drag to zoom to a part, 0 for all.`;
  }

  private tellMessage(context: CanvasRenderingContext2D, style: CanvasStyle, message: number): void {
    const { index, model } = this.content!;
    const { from, to, sent, received, bytes, tag } = model.messages;
    const took = received[message]! - sent[message]!;
    const [x0, y0, x1, y1] = this.lineOf(message);
    context.strokeStyle = style.accent;
    context.lineWidth = 2.5;
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
    this.line.textContent = `Message from ${rowName(index, from[message]!)} to ${rowName(index, to[message]!)}: ${quantity(bytes[message]!, "bytes")}, tag ${tag[message]!}; sent at ${seconds(sent[message]!)}, received ${seconds(Math.abs(took))} ${took < 0 ? "before that: clocks disagree" : "later"}`;
    Object.assign(this.line.dataset, { kind: "message", from: String(from[message]), to: String(to[message]), bytes: String(bytes[message]), took: String(took) });
  }

  private tellCall(context: CanvasRenderingContext2D, style: CanvasStyle, row: number, pointer: { x: number; y: number }): void {
    const { index, model, stacks } = this.content!;
    const of = model.rows[row]!;
    const time = this.timeAt(pointer.x);
    const lane = Math.floor((pointer.y - this.yOf(row) - 2) / LANE);
    const call = stacks ? callAt(of.lanes[Math.min(Math.max(lane, 0), of.lanes.length - 1)] ?? of.flat, time) : callAt(of.flat, time);
    if (call < 0) {
      this.line.textContent = `${rowName(index, row)} at ${seconds(time)}: nothing was recorded here.`;
      return;
    }
    const { begin, end, region, depth } = of.calls;
    const { name, file, line, metric } = index.regions[region[call]!]!;
    const place = file ? ` (${file.slice(file.lastIndexOf("/") + 1)}${line ? `:${line}` : ""})` : "";
    const around = stackAt(of, time).filter((other) => depth[other]! < depth[call]!).map((other) => this.nameOf(region[other]!));
    const y = stacks ? this.yOf(row) + 2 + Math.max(lane, 0) * LANE : this.yOf(row) + 1;
    context.strokeStyle = style.accent;
    context.lineWidth = 2;
    const left = Math.max(this.xOf(begin[call]!), GUTTER);
    context.strokeRect(left, y, Math.max(Math.min(this.xOf(end[call]!), GUTTER + this.width) - left, 2), stacks ? LANE - 1 : this.rowHeight - 2);
    this.line.textContent = `${rowName(index, row)}: ${this.nameOf(region[call]!)}${place}, ${seconds(end[call]! - begin[call]!)} from ${seconds(begin[call]!)} on, ${metric}${around.length ? `; in ${around.reverse().join(" > ")}` : ""}`;
    Object.assign(this.line.dataset, { kind: "call", row: String(row), name, metric, begin: String(begin[call]), end: String(end[call]) });
  }

  /** As it is shown. */
  private nameOf(region: number): string {
    let name = this.names.get(region);
    if (name === undefined) this.names.set(region, (name = briefName(this.content!.index.regions[region]!.name)));
    return name;
  }

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.grab(event));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("pointerup", (event) => this.letGo(event));
    canvas.addEventListener("pointercancel", () => (this.dragged = null));
    canvas.addEventListener("pointerleave", () => {
      this.pointer = null;
      this.drawSoon();
    });
    canvas.addEventListener("dblclick", () => this.move(this.whole));
    canvas.addEventListener("wheel", (event) => this.turn(event), { passive: false });
  }

  private grab(event: PointerEvent): void {
    if (event.button !== 0 || !this.content) return;
    this.dragged = { ...this.place(event), span: this.span, top: this.top, zooms: event.shiftKey };
    this.canvas.setPointerCapture(event.pointerId);
  }

  private drag(event: PointerEvent): void {
    if (!this.content) return;
    this.pointer = this.place(event);
    const { dragged, pointer } = this;
    if (dragged && !dragged.zooms) {
      const by = (dragged.x - pointer.x) * this.perPixel;
      this.setSpan([dragged.span[0] + by, dragged.span[1] + by]);
      this.setTop(dragged.top + dragged.y - pointer.y);
    }
    this.drawSoon();
  }

  private letGo(event: PointerEvent): void {
    const { dragged } = this;
    this.dragged = null;
    if (!dragged || !this.content) return;
    const { x, y } = this.place(event);
    if (this.rowAt(y) >= 0) this.row = this.rowAt(y);
    if (dragged.zooms && Math.abs(x - dragged.x) > 3) {
      const times = [this.timeAt(dragged.x), this.timeAt(x)].sort((a, b) => a - b) as [number, number];
      this.move(times);
    } else if (x !== dragged.x) this.events.moved(this.span);
    this.drawSoon();
  }

  private turn(event: WheelEvent): void {
    if (!this.content) return;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.zoom(Math.exp(Math.min(Math.max(event.deltaY, -300), 300) / 250), this.place(event).x);
    } else if (event.deltaX !== 0 || event.shiftKey) {
      event.preventDefault();
      this.pan((event.deltaX || event.deltaY) / this.width);
    } else if (this.rowsHeight > this.height - RULER) {
      const before = this.top;
      this.setTop(this.top + event.deltaY);
      /* At the end of the rows the page goes on. */
      if (this.top !== before) event.preventDefault();
    }
  }

  private goToRow(row: number): void {
    this.row = Math.min(Math.max(row, 0), this.content!.model.rows.length - 1);
    const y = this.row * this.rowHeight;
    if (y < this.top) this.setTop(y);
    else if (y + this.rowHeight > this.top + this.height - RULER) this.setTop(y + this.rowHeight - (this.height - RULER));
    this.pointer = { x: GUTTER + this.width / 2, y: this.yOf(this.row) + this.rowHeight / 2 };
    this.drawSoon();
  }

  protected keys(): Keys {
    if (!this.content) return {};
    const middle = GUTTER + this.width / 2;
    return {
      ArrowLeft: () => this.pan(-0.1),
      ArrowRight: () => this.pan(0.1),
      PageUp: () => this.pan(-1),
      PageDown: () => this.pan(1),
      Home: () => this.move([0, this.span[1] - this.span[0]]),
      End: () => this.move([this.whole[1] - (this.span[1] - this.span[0]), this.whole[1]]),
      ArrowUp: () => this.goToRow(this.row - 1),
      ArrowDown: () => this.goToRow(this.row + 1),
      "+": () => this.zoom(0.5, middle),
      "=": () => this.zoom(0.5, middle),
      "-": () => this.zoom(2, middle),
      "0": () => this.move(this.whole),
    };
  }

  override destroy(): void {
    cancelAnimationFrame(this.drawing);
    super.destroy();
  }
}

/** How far a point is from a line between two others. */
function distance(x: number, y: number, [x0, y0, x1, y1]: [number, number, number, number]): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = dx * dx + dy * dy;
  const share = length > 0 ? Math.min(Math.max(((x - x0) * dx + (y - y0) * dy) / length, 0), 1) : 0;
  return Math.hypot(x - x0 - share * dx, y - y0 - share * dy);
}

function shorten(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (textWidth(context, text) <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(context, `${text.slice(0, middle)}…`) <= width) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? `${text.slice(0, low)}…` : "";
}
