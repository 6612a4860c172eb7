/* The value map: rank × iteration, a colour for each value. */
import { App, Slices, ViewInstance } from "../app";
import { Range } from "../model/scope";
import { binOf, binStart } from "../model/columns";
import { Scale, ValueMap, makeScale } from "../model/valuemap";
import { Changed, State, measureOf } from "../state";
import { Brush } from "./brush";
import { ABOVE, BELOW, Rgb, css, cssVariable, sequentialWords, wordOf } from "./colours";
import { h, observeSize, sizeCanvas } from "./dom";
import { Axis, LEFT, RIGHT, mapColumns } from "./geometry";
import { shownIterations, shownRanks } from "./graph";
import { quantity } from "./numbers";

const COLOURS = sequentialWords(1024);
const CLIPPED = { below: wordOf(BELOW), above: wordOf(ABOVE) };
const LABEL_PX = 16;
const LEAST_HEIGHT = 60;
const MOST_HEIGHT = 260;
const RANK_PX = 14;
const BAR_WIDTH = 240;
const BAR_HEIGHT = 12;

export interface MapView extends ViewInstance {
  /** What is drawn now, for reading values off. */
  current(): { map: ValueMap; scale: Scale } | null;
}

/** The pixels of MAP, one for each bin. */
function mapImage(map: ValueMap, scale: Scale): HTMLCanvasElement {
  const image = new ImageData(map.columns, map.rows);
  const words = new Uint32Array(image.data.buffer);
  const { values } = map;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value !== value) continue;
    const side = scale.side(value);
    words[i] = side < 0 ? CLIPPED.below : side > 0 ? CLIPPED.above : COLOURS[Math.round(scale.position(value) * (COLOURS.length - 1))]!;
  }
  return canvasOf(image);
}

function canvasOf(image: ImageData): HTMLCanvasElement {
  const canvas = h("canvas", { width: image.width, height: image.height });
  canvas.getContext("2d")!.putImageData(image, 0, 0);
  return canvas;
}

/** Draws IMAGE in a rectangle, its pixels as rectangles with sharp edges. */
function drawImage(context: CanvasRenderingContext2D, image: HTMLCanvasElement, x: number, y: number, width: number, height: number): void {
  context.imageSmoothingEnabled = false;
  context.drawImage(image, x, y, width, height);
}

export function valueMapView(host: HTMLElement, app: App, hover: (at: { iteration: number; rank: number } | null) => void): MapView {
  const canvas = h("canvas", { class: "map", role: "img" });
  const element = h("div", { class: "map-plot", id: "map" }, canvas);
  const bar = colourBar();
  host.append(element, bar.element);
  const slices = new Slices();
  let drawn: { map: ValueMap; scale: Scale; image: HTMLCanvasElement } | null = null;
  let width = 0;

  const plotWidth = (): number => Math.max(1, width - LEFT - RIGHT);
  const plotHeight = (): number => {
    const [first, last] = shownRanks(app);
    return Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, (last - first + 1) * RANK_PX));
  };
  const brush = new Brush(app, {
    label: "Value map",
    iterations: () => new Axis(shownIterations(app), plotWidth()),
    ranks: () => new Axis(shownRanks(app), plotHeight()),
    hover,
  });
  element.append(brush.element);

  function draw(): void {
    if (width === 0) return;
    const { state, model } = app;
    const ratio = window.devicePixelRatio || 1;
    const view = {
      iterations: shownIterations(app),
      ranks: shownRanks(app),
      columns: mapColumns(),
      rows: Math.round(plotHeight() * ratio),
    };
    slices.run(
      () => model.mapInPieces(state.phase, measureOf(state), view, state.pixel),
      (map) => {
        if (app.state.phase === state.phase) drawMap(map, state);
      },
    );
  }

  function drawMap(map: ValueMap, state: State): void {
    const { name, unit } = app.summary.metrics[state.metric]!;
    const scale = makeScale(map.values, state.colouring);
    drawn = { map, scale, image: mapImage(map, scale) };
    paint();
    canvas.setAttribute("aria-label", `${name} by rank and iteration, from ${quantity(scale.min, unit)} to ${quantity(scale.max, unit)}`);
    bar.draw(scale, unit);
  }

  function paint(): void {
    const height = plotHeight();
    const context = sizeCanvas(canvas, width, height + LABEL_PX);
    context.clearRect(0, 0, width, height + LABEL_PX);
    context.fillStyle = cssVariable("--missing");
    context.fillRect(LEFT, 0, plotWidth(), height);
    if (drawn) drawImage(context, drawn.image, LEFT, 0, plotWidth(), height);
    labelRanks(context, app, height);
  }

  function placeBrush(): void {
    const { style } = brush.element;
    style.left = `${LEFT}px`;
    style.width = `${plotWidth()}px`;
    style.height = `${plotHeight()}px`;
    brush.draw();
  }

  const unobserve = observeSize(element, (now) => {
    if (Math.abs(now - width) < 1) return;
    width = now;
    draw();
    placeBrush();
  });
  const redraws = ["phase", "metric", "ownMetric", "path", "ownPath", "zoom", "zoomRanks", "colouring", "pixel"] as const;
  return {
    update(changed: Changed) {
      if (redraws.some((key) => changed.has(key))) draw();
      else if (changed.has("theme")) paint();
      placeBrush();
    },
    current: () => drawn,
    destroy() {
      slices.stop();
      unobserve();
    },
  };
}

/** Numbers of ranks beside the map, as many as there is room for. */
function labelRanks(context: CanvasRenderingContext2D, app: App, height: number): void {
  const range = shownRanks(app);
  const axis = new Axis(range, height);
  const step = Math.max(1, niceStep((axis.length * 14) / height));
  context.fillStyle = cssVariable("--fg");
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (let i = Math.ceil(range[0] / step) * step; i <= range[1]; i += step) {
    const y = axis.start(i) + Math.min(height / axis.length, RANK_PX) / 2;
    context.fillText(`rank ${app.summary.ranks[i]!.rank}`, LEFT - 8, Math.max(y, 7));
  }
}

/** 1, 2, 5, 10 … not below LEAST. */
function niceStep(least: number): number {
  let step = 1;
  for (let i = 0; step < least; i++) step *= i % 3 === 1 ? 2.5 : 2;
  return step;
}

/** The colours with the values that they stand for. */
function colourBar(): { element: HTMLElement; draw(scale: Scale, unit: string): void } {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const low = h("span", { class: "number" });
  const middle = h("span", { class: "number" });
  const high = h("span", { class: "number" });
  const labels = h("div", { class: "bar-labels" }, low, middle, high);
  const below = clippedLabel("below", BELOW);
  const above = clippedLabel("above", ABOVE);
  const bar = h("div", { class: "colour-bar", role: "img" }, canvas, labels);
  const element = h("div", { class: "colour-key" }, bar, h("div", { class: "clipped" }, below.element, above.element));
  return {
    element,
    draw(scale, unit) {
      const context = sizeCanvas(canvas, BAR_WIDTH, BAR_HEIGHT);
      const image = new ImageData(256, 1);
      new Uint32Array(image.data.buffer).forEach((_, i, words) => (words[i] = COLOURS[Math.round((i / 255) * (COLOURS.length - 1))]!));
      drawImage(context, canvasOf(image), 0, 0, BAR_WIDTH, BAR_HEIGHT);
      const show = (label: HTMLElement, value: number): void => {
        label.textContent = quantity(value, unit);
        label.dataset.value = String(value);
      };
      show(low, scale.value(0));
      show(middle, scale.value(0.5));
      show(high, scale.value(1));
      below.show(scale.side(scale.min) < 0, `down to ${quantity(scale.min, unit)}`);
      above.show(scale.side(scale.max) > 0, `up to ${quantity(scale.max, unit)}`);
      bar.setAttribute("aria-label", `Colours from ${low.textContent} by ${middle.textContent} to ${high.textContent}`);
    },
  };
}

/** What is said of values beyond an end of the colours. */
function clippedLabel(name: string, colour: Rgb): { element: HTMLElement; show(isThere: boolean, text: string): void } {
  const box = h("i", { class: "swatch" });
  const label = h("span", {});
  const element = h("span", { class: "legend-entry", "data-testid": `clipped-${name}` }, box, label);
  box.style.background = css(colour);
  return {
    element,
    show(isThere, text) {
      element.hidden = !isThere;
      label.textContent = text;
    },
  };
}

/** The iterations and ranks of one bin. */
export function binRanges(map: ValueMap, column: number, row: number): { iterations: Range; ranks: Range } {
  return {
    iterations: [binStart(map.iterations, map.columns, column), binStart(map.iterations, map.columns, column + 1) - 1],
    ranks: [binStart(map.ranks, map.rows, row), binStart(map.ranks, map.rows, row + 1) - 1],
  };
}

/** The bin of MAP that an iteration and rank are in, and its value; null if they are not on the map. */
export function binAt(map: ValueMap, at: { iteration: number; rank: number }): { iterations: Range; ranks: Range; value: number } | null {
  const inside = (range: Range, member: number): boolean => member >= range[0] && member <= range[1];
  if (!inside(map.iterations, at.iteration) || !inside(map.ranks, at.rank)) return null;
  const column = binOf(map.iterations, map.columns, at.iteration);
  const row = binOf(map.ranks, map.rows, at.rank);
  return { ...binRanges(map, column, row), value: map.values[row * map.columns + column]! };
}
