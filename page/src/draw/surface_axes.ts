/*
 * The walls behind a surface with their lines, and what is written along the edges in front.
 */
import { textWidth } from "./canvas";
import { BOX, backWalls, projection, type Camera, type Projected, type View } from "./surface_geometry";

export interface Tick {
  /** From 0 to 1 along the axis. */
  at: number;
  text: string;
}

export interface Axis {
  title: string;
  ticks: Tick[];
}

export interface Axes {
  x: Axis;
  y: Axis;
  z: Axis;
}

export interface AxesStyle {
  text: string;
  line: string;
  wall: string;
  font: string;
}

type Point = readonly [number, number, number];

interface Rectangle {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const TEXT_HEIGHT = 13;
const TICK_GAP = 8;

/** Writes texts where there is room, once. */
class Labels {
  private readonly taken: Rectangle[] = [];

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly view: View,
  ) {}

  private box(text: string, x: number, y: number, lean: number): Rectangle {
    const width = textWidth(this.context, text);
    const left = lean > 0.3 ? x : lean < -0.3 ? x - width : x - width / 2;
    return { left, top: y - TEXT_HEIGHT / 2, right: left + width, bottom: y + TEXT_HEIGHT / 2 };
  }

  private isFree(box: Rectangle): boolean {
    const inside =
      box.left >= 0 && box.top >= 0 && box.right <= this.view.width && box.bottom <= this.view.height;
    return (
      inside &&
      this.taken.every(
        (other) =>
          box.right + 4 < other.left ||
          box.left > other.right + 4 ||
          box.bottom < other.top ||
          box.top > other.bottom,
      )
    );
  }

  /** Writes TEXT at X, Y, leaning left (-1) or right (1) of it; false if it has no room. */
  write(text: string, x: number, y: number, lean: number): boolean {
    const box = this.box(text, x, y, lean);
    if (!this.isFree(box)) return false;
    this.taken.push(box);
    this.context.fillText(text, box.left, y);
    return true;
  }
}

/** The unit vector on the screen that leads away from B at A. */
function away(a: Projected, b: Projected): { x: number; y: number } {
  const length = Math.hypot(a.x - b.x, a.y - b.y) || 1;
  return { x: (a.x - b.x) / length, y: (a.y - b.y) / length };
}

function line(context: CanvasRenderingContext2D, from: Projected, to: Projected): void {
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.stroke();
}

function polygon(context: CanvasRenderingContext2D, points: Projected[]): void {
  context.beginPath();
  points.forEach((point, i) => (i === 0 ? context.moveTo(point.x, point.y) : context.lineTo(point.x, point.y)));
  context.closePath();
  context.fill();
}

/** Draws walls, floor and lines, then the labels. */
export function drawAxes(
  context: CanvasRenderingContext2D,
  camera: Camera,
  view: View,
  axes: Axes,
  style: AxesStyle,
): void {
  const project = projection(camera, view);
  const at = ([x, y, z]: Point): Projected => project(x, y, z);
  const back = backWalls(camera);
  const [wx, wy] = [back.x * BOX.x, back.y * BOX.y];
  context.font = style.font;
  context.textBaseline = "middle";
  context.lineWidth = 1;
  drawWalls(context, at, wx, wy, style);
  drawLines(context, at, wx, wy, axes, style);
  writeLabels(context, camera, view, at, axes, style);
}

type At = (point: Point) => Projected;

function drawWalls(context: CanvasRenderingContext2D, at: At, wx: number, wy: number, style: AxesStyle): void {
  const { x, y, z } = BOX;
  context.fillStyle = style.wall;
  polygon(context, [at([-x, -y, -z]), at([x, -y, -z]), at([x, y, -z]), at([-x, y, -z])]);
  polygon(context, [at([wx, -y, -z]), at([wx, y, -z]), at([wx, y, z]), at([wx, -y, z])]);
  polygon(context, [at([-x, wy, -z]), at([x, wy, -z]), at([x, wy, z]), at([-x, wy, z])]);
}

const on = (share: number, half: number): number => (2 * share - 1) * half;

function drawLines(
  context: CanvasRenderingContext2D,
  at: At,
  wx: number,
  wy: number,
  axes: Axes,
  style: AxesStyle,
): void {
  const { x, y, z } = BOX;
  context.strokeStyle = style.line;
  for (const tick of axes.x.ticks) {
    const place = on(tick.at, x);
    line(context, at([place, -y, -z]), at([place, y, -z]));
    line(context, at([place, wy, -z]), at([place, wy, z]));
  }
  for (const tick of axes.y.ticks) {
    const place = on(tick.at, y);
    line(context, at([-x, place, -z]), at([x, place, -z]));
    line(context, at([wx, place, -z]), at([wx, place, z]));
  }
  for (const tick of axes.z.ticks) {
    const place = on(tick.at, z);
    line(context, at([-x, wy, place]), at([x, wy, place]));
    line(context, at([wx, -y, place]), at([wx, y, place]));
  }
}

/** An edge of the box with the point of it at a share of its length. */
interface Edge {
  axis: Axis;
  point(share: number): Point;
  /** A point of the box that the labels keep away from. */
  inside(share: number): Point;
}

function frontEdges(camera: Camera, at: At, axes: Axes): Edge[] {
  const back = backWalls(camera);
  const { x, y, z } = BOX;
  const front = { x: -back.x * x, y: -back.y * y };
  /* The upright edges that are seen against the background: the left one has the labels. */
  const sides: [number, number][] = [
    [back.x * x, front.y],
    [front.x, back.y * y],
  ];
  sides.sort((a, b) => at([a[0], a[1], 0]).x - at([b[0], b[1], 0]).x);
  const [ux, uy] = sides[0]!;
  return [
    {
      axis: axes.x,
      point: (share) => [on(share, x), front.y, -z],
      inside: (share) => [on(share, x), 0, -z],
    },
    {
      axis: axes.y,
      point: (share) => [front.x, on(share, y), -z],
      inside: (share) => [0, on(share, y), -z],
    },
    { axis: axes.z, point: (share) => [ux, uy, on(share, z)], inside: (share) => [0, 0, on(share, z)] },
  ];
}

function writeLabels(
  context: CanvasRenderingContext2D,
  camera: Camera,
  view: View,
  at: At,
  axes: Axes,
  style: AxesStyle,
): void {
  const labels = new Labels(context, view);
  const edges = frontEdges(camera, at, axes);
  context.fillStyle = style.text;
  context.strokeStyle = style.text;
  for (const edge of edges) {
    line(context, at(edge.point(0)), at(edge.point(1)));
    for (const tick of edge.axis.ticks) {
      const from = at(edge.point(tick.at));
      const out = away(from, at(edge.inside(tick.at)));
      labels.write(tick.text, from.x + out.x * TICK_GAP, from.y + out.y * (TICK_GAP + 4), out.x);
    }
  }
  for (const edge of edges) writeTitle(context, labels, at, edge);
}

/** Beyond the tick labels, as near as there is room. */
function writeTitle(context: CanvasRenderingContext2D, labels: Labels, at: At, edge: Edge): void {
  const middle = at(edge.point(0.5));
  const out = away(middle, at(edge.inside(0.5)));
  const widest = Math.max(0, ...edge.axis.ticks.map((tick) => textWidth(context, tick.text)));
  const first = TICK_GAP + 12 + Math.abs(out.x) * widest;
  for (let distance = first; distance < first + 90; distance += 6)
    if (labels.write(edge.axis.title, middle.x + out.x * distance, middle.y + out.y * distance, out.x))
      return;
}
