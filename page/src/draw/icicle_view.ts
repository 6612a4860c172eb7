/*
 * A flame graph on a canvas: pointer, keys, zoom, search.  The line above it says what the
 * pointer or the cursor is on, for eyes and for screen readers.
 */
import { beside, coveredBy, frameAt, layOut, widestChild, windowFor, windowOf, type Icicle, type Window } from "./icicle";
import { sizeCanvas, h } from "../ui/dom";
import { CanvasStyle, canvasStyle, textWidth } from "./canvas";
import { Keys, Stage } from "./stage";
import { type Tree } from "./tree";

export interface IcicleContent {
  tree: Tree;
  exclusive: Float64Array;
  inclusive: Float64Array;
  label(node: number): string;
  /** All that is to be said of NODE, in a line. */
  describe(node: number): string;
  /** Names and unrounded numbers of NODE, for data attributes of the line. */
  data(node: number): Record<string, string>;
  /** CSS colours of its box and of the text on it. */
  colours(node: number): { fill: string; text: string };
}

/** What was found: how many frames, and their share of the width. */
export interface Found {
  frames: number;
  share: number;
}

export interface IcicleEvents {
  /** A frame was clicked, or Enter pressed on it; -1 for all of it. */
  zoomed(node: number): void;
}

const ROW = 20;
const MIN_TEXT_WIDTH = 26;
/** Narrower frames are not drawn: they would only blur. */
const MIN_WIDTH = 0.4;
/** What was found is at least this wide, so that it is seen among what is not. */
const FOUND_WIDTH = 2;

export class IcicleView extends Stage {
  readonly element: HTMLElement;
  private readonly scroller: HTMLElement;
  private icicle: Icicle | null = null;
  private content: IcicleContent | null = null;
  private window: Window = { left: 0, width: 1, depth: 0 };
  private zoom = -1;
  private cursor = -1;
  private hover = -1;
  /** The frames that were found, the widest first; null if nothing is searched for. */
  private found: number[] | null = null;
  private isFound: Uint8Array = new Uint8Array(0);

  constructor(
    name: string,
    label: string,
    private readonly events: IcicleEvents,
  ) {
    super(name, label, "flame graph");
    this.scroller = h("div", { class: "icicle-scroller" }, this.canvas);
    this.element = h("div", { class: "icicle" }, this.line, this.scroller);
    this.listen();
    this.follow(this.scroller);
  }

  /** Gives ZOOM, a node or -1, the whole width, and highlights as `find` does. */
  show(content: IcicleContent, zoom: number, text: string): Found {
    const order = (a: number, b: number): number =>
      content.label(a).localeCompare(content.label(b)) || a - b;
    this.content = content;
    this.icicle = layOut(content.tree, content.exclusive, content.inclusive, order);
    this.hover = -1;
    if (this.cursor >= content.exclusive.length) this.cursor = -1;
    this.setZoom(zoom);
    return this.find(text);
  }

  private setZoom(node: number): void {
    if (!this.icicle) return;
    const zoom = node >= 0 && this.icicle.width[node]! > 0 ? node : -1;
    if (zoom >= 0 && zoom !== this.zoom) this.cursor = zoom;
    this.zoom = zoom;
    this.window = windowOf(this.icicle, zoom);
  }

  /** Gives NODE the whole width; -1 for all. */
  zoomTo(node: number): void {
    this.setZoom(node);
    this.draw();
  }

  /** Highlights frames whose label contains TEXT, and scrolls to the widest. */
  search(text: string): Found {
    const found = this.find(text);
    if (this.found?.length) this.scrollTo(this.found[0]!);
    return found;
  }

  /** Highlights them. */
  private find(text: string): Found {
    const wanted = text.trim().toLowerCase();
    const { content, icicle } = this;
    const found: Found = { frames: 0, share: 0 };
    this.found = null;
    if (content && icicle && wanted !== "") {
      this.isFound = Uint8Array.from(icicle.width, (width, node) => (width > 0 && content.label(node).toLowerCase().includes(wanted) ? 1 : 0));
      this.found = Array.from(this.isFound.keys()).filter((node) => this.isFound[node]);
      this.found.sort((a, b) => icicle.width[b]! - icicle.width[a]! || a - b);
      found.frames = this.found.length;
      found.share = coveredBy(icicle, this.isFound);
    }
    this.draw();
    return found;
  }

  /** Moves to the next widest frame that was found (-1: the one before), and zooms where it would be too narrow to be seen. */
  goToFound(step: 1 | -1): void {
    const { found } = this;
    if (!found?.length) return;
    const at = found.indexOf(this.cursor);
    const node = found[at < 0 ? (step > 0 ? 0 : found.length - 1) : (at + step + found.length) % found.length]!;
    const zoom = windowFor(this.icicle!, this.zoom, node, MIN_TEXT_WIDTH / this.canvas.clientWidth);
    if (zoom !== this.zoom) this.zoomAndTell(zoom);
    this.moveTo(node);
  }

  private place(node: number): { x: number; y: number; width: number } {
    const whole = this.canvas.clientWidth / this.window.width;
    const x = (this.icicle!.left[node]! - this.window.left) * whole;
    const width = this.icicle!.width[node]! * whole;
    const left = Math.max(0, x);
    return {
      x: left,
      y: this.icicle!.tree.depth[node]! * ROW,
      width: Math.min(this.canvas.clientWidth, x + width) - left,
    };
  }

  private levels(): number {
    let deepest = 0;
    const { width, tree } = this.icicle!;
    for (let node = 0; node < width.length; node++)
      if (width[node]! > 0) deepest = Math.max(deepest, tree.depth[node]!);
    return deepest + 1;
  }

  draw(): void {
    if (!this.icicle || !this.content || this.scroller.clientWidth === 0) return;
    const style = canvasStyle();
    const context = sizeCanvas(this.canvas, this.scroller.clientWidth, this.levels() * ROW);
    context.font = style.font;
    context.textBaseline = "middle";
    for (let node = 0; node < this.icicle.width.length; node++) this.drawFrame(context, style, node);
    this.outline(context, style, this.cursor, 2);
    this.outline(context, style, this.hover, 1);
    this.tell();
  }

  private drawFrame(context: CanvasRenderingContext2D, style: CanvasStyle, node: number): void {
    if (this.icicle!.width[node]! === 0) return;
    const isFound = this.found === null || this.isFound[node] === 1;
    const place = this.place(node);
    const { x, y } = place;
    const width = this.found && isFound && place.width > 0 ? Math.max(place.width, FOUND_WIDTH) : place.width;
    if (width < MIN_WIDTH) return;
    const colours = this.content!.colours(node);
    const above = this.icicle!.tree.depth[node]! < this.window.depth;
    context.globalAlpha = !isFound ? 0.25 : above ? 0.55 : 1;
    context.fillStyle = colours.fill;
    context.fillRect(x, y, Math.max(width - (width > 3 ? 1 : 0), MIN_WIDTH), ROW - 1);
    if (width > MIN_TEXT_WIDTH) {
      context.fillStyle = isFound && !above ? colours.text : style.text;
      context.globalAlpha = 1;
      context.fillText(shorten(context, this.content!.label(node), width - 8), x + 4, y + ROW / 2);
    }
    context.globalAlpha = 1;
  }

  private outline(context: CanvasRenderingContext2D, style: CanvasStyle, node: number, line: number): void {
    if (node < 0 || this.icicle!.width[node]! === 0) return;
    const { x, y, width } = this.place(node);
    context.strokeStyle = style.accent;
    context.lineWidth = line;
    context.strokeRect(x + line / 2, y + line / 2, Math.max(1, width - line), ROW - line);
  }

  private tell(): void {
    const icicle = this.icicle!;
    const node = [this.hover, this.cursor, this.zoom].find((one) => one >= 0 && icicle.width[one]! > 0);
    if (node !== undefined) {
      this.line.textContent = this.content!.describe(node);
      Object.assign(this.line.dataset, this.content!.data(node));
    } else {
      this.line.textContent =
        icicle.total === 0
          ? "There is nothing of this metric here."
          : "Point at a frame to see what it is; click it to zoom in.";
    }
  }

  private at(event: MouseEvent): number {
    if (!this.icicle || this.icicle.total === 0) return -1;
    const box = this.canvas.getBoundingClientRect();
    const depth = Math.floor((event.clientY - box.top) / ROW);
    return frameAt(this.icicle, this.window, (event.clientX - box.left) / box.width, depth);
  }

  private zoomAndTell(node: number): void {
    this.cursor = node;
    this.zoomTo(node);
    this.events.zoomed(this.zoom);
  }

  private listen(): void {
    this.canvas.addEventListener("pointermove", (event) => {
      const node = this.at(event);
      if (node === this.hover) return;
      this.hover = node;
      this.canvas.style.cursor = node >= 0 ? "pointer" : "default";
      this.draw();
    });
    this.canvas.addEventListener("pointerleave", () => {
      this.hover = -1;
      this.draw();
    });
    this.canvas.addEventListener("click", (event) => {
      const node = this.at(event);
      this.zoomAndTell(node === this.zoom ? -1 : node);
    });
  }

  private moveTo(node: number): void {
    if (node < 0) return;
    this.cursor = node;
    this.hover = -1;
    this.draw();
    this.scrollTo(node);
  }

  private scrollTo(node: number): void {
    const top = this.icicle!.tree.depth[node]! * ROW;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    else if (top + ROW > this.scroller.scrollTop + this.scroller.clientHeight)
      this.scroller.scrollTop = top + ROW - this.scroller.clientHeight;
  }

  protected keys(): Keys {
    const { icicle } = this;
    if (!icicle) return {};
    const at = this.cursor;
    return {
      ArrowDown: () => this.moveTo(widestChild(icicle, at)),
      ArrowUp: () => this.moveTo(at < 0 ? widestChild(icicle, -1) : icicle.tree.parent[at]!),
      ArrowRight: () => this.moveTo(at < 0 ? widestChild(icicle, -1) : beside(icicle, at, 1)),
      ArrowLeft: () => this.moveTo(at < 0 ? widestChild(icicle, -1) : beside(icicle, at, -1)),
      Home: () => this.moveTo(widestChild(icicle, -1)),
      Enter: () => this.zoomAndTell(at),
      " ": () => this.zoomAndTell(at),
      Backspace: () => this.zoomAndTell(this.zoom < 0 ? -1 : icicle.tree.parent[this.zoom]!),
      Escape: () => this.zoomAndTell(-1),
    };
  }
}

/** As much of TEXT as has room in WIDTH, with … for the rest. */
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
