/* All iterations in small, with the part that graph and map show: to be moved, widened and narrowed. */
import { App, Slices, ViewInstance } from "../app";
import { IterationSeries } from "../model/iterations";
import { Range } from "../model/scope";
import { Changed, measureOf } from "../state";
import { SLACK_PX } from "./brush";
import { cssVariable } from "./colours";
import { h, observeSize, sizeCanvas } from "./dom";
import { Axis, LEFT, RIGHT, clampRange, zoomRange } from "./geometry";
import { shownIterations } from "./graph";

const HEIGHT = 36;
const EDGE_PX = 7;

type Grip = "first" | "last" | "both";

export function minimap(host: HTMLElement, app: App): ViewInstance {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const shown = h("div", { class: "minimap-window" });
  const layer = h(
    "div",
    {
      class: "minimap-layer",
      tabindex: 0,
      role: "slider",
      "aria-label": "Iterations shown",
      "aria-valuemin": 0,
      keydown: (event: KeyboardEvent) => key(event),
      pointerdown: (event: PointerEvent) => down(event),
      pointermove: (event: PointerEvent) => move(event),
      pointerup: () => (held = null),
      pointercancel: () => (held = null),
      dblclick: () => app.update({ zoom: null }),
    },
    shown,
  );
  layer.addEventListener("wheel", wheel, { passive: false });
  const element = h("div", { class: "minimap", id: "minimap" }, canvas, layer);
  host.append(element);
  const slices = new Slices();
  let width = 0;
  let held: { grip: Grip; x: number; moved: boolean; at: number; range: Range } | null = null;

  const all = (): Range => [0, Math.max(0, app.model.phase(app.state.phase).iterations - 1)];
  const axis = (): Axis => new Axis(all(), Math.max(1, width - LEFT - RIGHT));
  const set = (range: Range): void => {
    const [first, last] = clampRange(range, all());
    app.update({ zoom: last - first + 1 >= axis().length ? null : [first, last] });
    drawWindow();
  };

  function place(event: PointerEvent | WheelEvent): number {
    return event.clientX - layer.getBoundingClientRect().left;
  }

  function down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const x = place(event);
    let range = shownIterations(app);
    const span = axis().span(range)!;
    let grip: Grip = Math.abs(x - span[0]) <= EDGE_PX ? "first" : Math.abs(x - span[1]) <= EDGE_PX ? "last" : "both";
    if (grip === "both" && (x < span[0] || x > span[1])) {
      const half = Math.floor((range[1] - range[0]) / 2);
      range = clampRange([axis().at(x) - half, axis().at(x) - half + range[1] - range[0]], all());
      set(range);
    } else if (!app.state.zoom && grip === "both") grip = "last";
    if (!app.state.zoom && grip === "last" && x < span[1] - EDGE_PX) range = [axis().at(x), axis().at(x)];
    held = { grip, x, moved: false, at: axis().at(x), range };
    layer.setPointerCapture(event.pointerId);
  }

  function move(event: PointerEvent): void {
    const x = place(event);
    const span = axis().span(shownIterations(app))!;
    const near = Math.abs(x - span[0]) <= EDGE_PX || Math.abs(x - span[1]) <= EDGE_PX;
    layer.style.cursor = near ? "ew-resize" : x > span[0] && x < span[1] && app.state.zoom ? "grab" : "crosshair";
    if (!held) return;
    held.moved ||= Math.abs(x - held.x) >= SLACK_PX;
    if (!held.moved) return;
    const now = axis().at(x);
    const { grip, at, range } = held;
    if (grip === "both") set([range[0] + now - at, range[1] + now - at]);
    else {
      const other = grip === "first" ? range[1] : range[0];
      set([Math.min(now, other), Math.max(now, other)]);
    }
  }

  function wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(axis().at(place(event)), event.deltaY > 0 ? 1.25 : 0.8);
  }

  function zoom(centre: number, factor: number): void {
    app.update({ zoom: zoomRange(shownIterations(app), all(), centre, factor) });
  }

  function key(event: KeyboardEvent): void {
    const [first, last] = shownIterations(app);
    const step = Math.max(1, Math.round((last - first + 1) / 10));
    const by = (n: number): void => set([first + n, last + n]);
    const middle = Math.floor((first + last) / 2);
    if (event.key === "ArrowLeft") by(-step);
    else if (event.key === "ArrowRight") by(step);
    else if (event.key === "PageUp") by(-(last - first + 1));
    else if (event.key === "PageDown") by(last - first + 1);
    else if (event.key === "Home") by(-first);
    else if (event.key === "End") by(all()[1] - last);
    else if (event.key === "+" || event.key === "=" || event.key === "ArrowUp") zoom(middle, 0.5);
    else if (event.key === "-" || event.key === "ArrowDown") zoom(middle, 2);
    else if (event.key === "0" || event.key === "Escape") app.update({ zoom: null });
    else return;
    event.preventDefault();
  }

  function draw(): void {
    const { state, model } = app;
    if (width > 0) slices.run(() => model.seriesInPieces(state.phase, measureOf(state), null), drawSeries);
  }

  function drawSeries({ mean, max }: IterationSeries): void {
    const context = sizeCanvas(canvas, width, HEIGHT);
    context.clearRect(0, 0, width, HEIGHT);
    const tops = { max: largestByPixel(max), mean: largestByPixel(mean) };
    const most = tops.max.reduce((a, b) => Math.max(a, b), 0);
    if (!(most > 0)) return;
    drawBars(context, tops.max, most, cssVariable("--max-soft"));
    drawBars(context, tops.mean, most, cssVariable("--mean"));
  }

  function largestByPixel(values: Float64Array): Float64Array {
    const tops = new Float64Array(Math.max(1, Math.floor(width - LEFT - RIGHT)));
    for (let x = 0; x < tops.length; x++) {
      const from = Math.floor((x * values.length) / tops.length);
      const to = Math.max(from + 1, Math.floor(((x + 1) * values.length) / tops.length));
      for (let i = from; i < to; i++) if (values[i]! > tops[x]!) tops[x] = values[i]!;
    }
    return tops;
  }

  function drawBars(context: CanvasRenderingContext2D, tops: Float64Array, most: number, colour: string): void {
    context.fillStyle = colour;
    tops.forEach((value, x) => context.fillRect(LEFT + x, HEIGHT - (value / most) * HEIGHT, 1, HEIGHT));
  }

  function drawWindow(): void {
    const range = shownIterations(app);
    const [from, to] = axis().span(range)!;
    shown.style.left = `${from}px`;
    shown.style.width = `${Math.max(2, to - from)}px`;
    layer.setAttribute("aria-valuemax", String(all()[1]));
    layer.setAttribute("aria-valuenow", String(range[0]));
    layer.setAttribute("aria-valuetext", `iterations ${range[0]} to ${range[1]} of ${all()[1] + 1}`);
  }

  const unobserve = observeSize(element, (now) => {
    if (Math.abs(now - width) < 1) return;
    width = now;
    draw();
    drawWindow();
  });
  const redraws = ["phase", "metric", "ownMetric", "path", "ownPath", "theme"] as const;
  return {
    update(changed: Changed) {
      if (redraws.some((key) => changed.has(key))) draw();
      drawWindow();
    },
    destroy() {
      slices.stop();
      unobserve();
    },
  };
}
