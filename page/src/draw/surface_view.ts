/*
 * A surface that can be turned: WebGL where there is any, otherwise a coarser one painted from
 * back to front.  Walls, ticks and titles lie on a canvas below.
 */
import { h, sizeCanvas } from "../ui/dom";
import { Rgb } from "../ui/colours";
import { drawAxes, type Axes, type AxesStyle } from "./surface_axes";
import { Keys, Stage } from "./stage";
import { SurfaceGl } from "./surface_gl";
import {
  FIRST_CAMERA,
  along,
  backToFront,
  BOX,
  coarser,
  heightOf,
  pick,
  projection,
  turned,
  widened,
  type Camera,
  type Grid,
  type View,
} from "./surface_geometry";

export interface SurfaceContent {
  grid: Grid;
  axes: Axes;
  /** Where a value is on the scale of colours, 0 to 1. */
  position(value: number): number;
  /** Red, green and blue at a place on it, 0 to 255. */
  palette(share: number): Rgb;
  /** What is said of a cell. */
  describe(row: number, column: number): string;
}

const MARGIN = { x: 96, y: 44 };
const TURN_PER_PIXEL = 0.008;
const TURN_PER_KEY = Math.PI / 36;
const ZOOM_PER_KEY = 1.2;
const PICK_REACH = 14;
/** A picture that takes longer than this is drawn coarsely while it is turned, in half as many pixels across. */
const QUICK_MS = 50;
/** So long after the last turn it is drawn again with all of them. */
const REST_MS = 150;
/** What is painted in good time without WebGL. */
const PAINTED_COLUMNS = 110;
const PAINTED_ROWS = 64;

export class SurfaceView extends Stage {
  readonly element: HTMLElement;
  private readonly axesCanvas: HTMLCanvasElement;
  private gl: SurfaceGl | null;
  private content: SurfaceContent | null = null;
  private camera: Camera = { ...FIRST_CAMERA };
  private frame = 0;
  private measuring = 0;
  private asking = 0;
  private drag: { x: number; y: number } | null = null;
  /** Without a graphics processor pictures take long. */
  private slow = false;
  private rest = 0;

  constructor(
    name: string,
    label: string,
    private readonly style: () => AxesStyle,
    private readonly turnedTo: (camera: Camera) => void,
  ) {
    super(name, label, "surface that can be turned");
    this.axesCanvas = h("canvas", { class: "surface-axes", "aria-hidden": "true" });
    this.canvas.className = "surface-canvas";
    const stage = h("div", { class: "surface-stage" }, this.axesCanvas, this.canvas);
    this.element = h("div", { class: "surface" }, stage, this.line);
    this.gl = SurfaceGl.create(this.canvas);
    this.element.dataset.drawnWith = this.gl ? "webgl" : "canvas";
    if (!this.gl) stage.after(h("p", { class: "muted" }, "Drawn coarsely: there is no WebGL here."));
    this.listen();
    this.follow(stage);
  }

  show(content: SurfaceContent): void {
    this.content = content;
    this.slow = false;
    this.gl?.load(content.grid, content.position, content.palette);
    this.draw();
  }

  setCamera(camera: Camera): void {
    this.camera = turned(camera, 0, 0, 1);
    this.draw();
  }

  reset(): void {
    this.look({ ...FIRST_CAMERA });
  }

  private view(): View {
    return { width: this.canvas.clientWidth, height: this.canvas.clientHeight, margin: MARGIN };
  }

  /** What is around the surface, in the colours of now; the surface itself is the same on dark and light. */
  drawAround(): void {
    const view = this.view();
    if (!this.content || view.width === 0 || view.height === 0) return;
    const context = sizeCanvas(this.axesCanvas, view.width, view.height);
    drawAxes(context, this.camera, view, this.content.axes, this.style());
    if (!this.gl) this.paint(context, view);
  }

  draw(isCoarse = false): void {
    const view = this.view();
    if (!this.content || view.width === 0 || view.height === 0) return;
    this.drawAround();
    if (this.gl) this.drawGl(view, isCoarse);
    this.canvas.dataset.azimuth = this.camera.azimuth.toFixed(3);
    this.canvas.dataset.elevation = this.camera.elevation.toFixed(3);
    this.canvas.dataset.zoom = this.camera.zoom.toFixed(3);
  }

  private drawGl(view: View, isCoarse: boolean): void {
    const ratio = (window.devicePixelRatio || 1) * (isCoarse ? 0.5 : 1);
    const wide = Math.round(view.width * ratio);
    const high = Math.round(view.height * ratio);
    if (this.canvas.width !== wide) this.canvas.width = wide;
    if (this.canvas.height !== high) this.canvas.height = high;
    this.gl!.draw(this.camera, view, isCoarse);
  }

  private paint(context: CanvasRenderingContext2D, view: View): void {
    const grid = widened(coarser(this.content!.grid, PAINTED_COLUMNS, PAINTED_ROWS));
    const project = projection(this.camera, view);
    const at = (row: number, column: number) =>
      project(
        along(column, grid.columns, BOX.x),
        along(row, grid.rows, BOX.y),
        heightOf(grid, grid.values[row * grid.columns + column]!),
      );
    const columns = backToFront(grid.columns - 1, Math.sin(this.camera.azimuth) >= 0);
    for (const row of backToFront(grid.rows - 1, Math.cos(this.camera.azimuth) >= 0))
      for (const column of columns) {
        const corners: [number, number][] = [
          [row, column],
          [row, column + 1],
          [row + 1, column + 1],
          [row + 1, column],
        ];
        const values = corners.map(([r, c]) => grid.values[r * grid.columns + c]!);
        if (values.some(Number.isNaN)) continue;
        const [red, green, blue] = this.content!.palette(this.content!.position(values.reduce((a, b) => a + b) / 4));
        context.fillStyle = context.strokeStyle = `rgb(${red} ${green} ${blue})`;
        context.beginPath();
        for (const [r, c] of corners) {
          const point = at(r, c);
          context.lineTo(point.x, point.y);
        }
        context.closePath();
        context.fill();
        context.stroke();
      }
  }

  /** A picture of what is seen, on BACKGROUND; for copying. */
  picture(background: string): HTMLCanvasElement {
    /* What WebGL has drawn is there until the browser shows it: so draw and copy at once. */
    this.draw();
    const picture = document.createElement("canvas");
    picture.width = this.axesCanvas.width;
    picture.height = this.axesCanvas.height;
    const context = picture.getContext("2d")!;
    context.fillStyle = background;
    context.fillRect(0, 0, picture.width, picture.height);
    context.drawImage(this.axesCanvas, 0, 0);
    context.drawImage(this.canvas, 0, 0);
    return picture;
  }

  private look(camera: Camera): void {
    this.camera = camera;
    clearTimeout(this.rest);
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame((began) => {
      this.draw(this.slow);
      /* The next one is due when this has been drawn, whoever draws it. */
      cancelAnimationFrame(this.measuring);
      this.measuring = requestAnimationFrame((now) => this.drew(now - began));
    });
    this.turnedTo(camera);
  }

  private drew(ms: number): void {
    if (this.slow) this.rest = window.setTimeout(() => this.draw(), REST_MS);
    else this.slow = ms > QUICK_MS;
  }

  private turn(azimuth: number, elevation: number, zoom: number): void {
    this.look(turned(this.camera, azimuth, elevation, zoom));
  }

  /** Says what is at the pointer, at most once in a frame. */
  private tell(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    cancelAnimationFrame(this.asking);
    this.asking = requestAnimationFrame(() => {
      if (!this.content) return;
      const at = pick(this.content.grid, this.camera, this.view(), x, y, PICK_REACH);
      this.line.textContent = at ? this.content.describe(at.row, at.column) : "";
    });
  }

  private listen(): void {
    this.canvas.addEventListener("pointerdown", (event) => {
      this.drag = { x: event.clientX, y: event.clientY };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointerup", () => (this.drag = null));
    this.canvas.addEventListener("pointercancel", () => (this.drag = null));
    this.canvas.addEventListener("pointermove", (event) => {
      if (!this.drag) {
        this.tell(event);
        return;
      }
      const dx = event.clientX - this.drag.x;
      const dy = event.clientY - this.drag.y;
      this.drag = { x: event.clientX, y: event.clientY };
      this.turn(dx * TURN_PER_PIXEL, dy * TURN_PER_PIXEL, 1);
    });
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.turn(0, 0, Math.exp(-event.deltaY / 600));
      },
      { passive: false },
    );
    this.canvas.addEventListener("dblclick", () => this.reset());
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.gl = SurfaceGl.create(this.canvas);
      if (this.content) this.show(this.content);
    });
  }

  protected keys(): Keys {
    return {
      ArrowLeft: () => this.turn(-TURN_PER_KEY, 0, 1),
      ArrowRight: () => this.turn(TURN_PER_KEY, 0, 1),
      ArrowUp: () => this.turn(0, TURN_PER_KEY, 1),
      ArrowDown: () => this.turn(0, -TURN_PER_KEY, 1),
      "+": () => this.turn(0, 0, ZOOM_PER_KEY),
      "=": () => this.turn(0, 0, ZOOM_PER_KEY),
      "-": () => this.turn(0, 0, 1 / ZOOM_PER_KEY),
      "0": () => this.reset(),
      Home: () => this.reset(),
    };
  }

  override destroy(): void {
    super.destroy();
    clearTimeout(this.rest);
    cancelAnimationFrame(this.frame);
    cancelAnimationFrame(this.measuring);
    cancelAnimationFrame(this.asking);
  }
}
