/* The value map as a surface that can be turned: rank × iteration × value. */
import { App, Slices, View, ViewInstance } from "../app";
import { canvasStyle } from "../draw/canvas";
import { Axis } from "../draw/surface_axes";
import { Camera, FIRST_CAMERA, Grid } from "../draw/surface_geometry";
import { SurfaceView } from "../draw/surface_view";
import { composed, copyButtons, csvOf, fileNameOf } from "../draw/copy";
import { enclosingTicks, niceTicks } from "../draw/ticks";
import { Range, key } from "../model/scope";
import { binStart } from "../model/columns";
import { ValueMap, makeScale } from "../model/valuemap";
import { Changed, Key, State, measureOf } from "../state";
import { sequential } from "../ui/colours";
import { h } from "../ui/dom";
import { axisDivisor, axisLabels, quantity, rangeText } from "../ui/numbers";
import { panel } from "../ui/panel";
import { button, colourBar, measureText, endTexts } from "./common";

/** More cells than that are not seen, and take long to turn where there is no graphics processor. */
const MOST_COLUMNS = 384;
const MOST_ROWS = 192;

/** About so many along the upright axis. */
const Z_TICKS = 5;

const DRAWN: Key[] = [
  "phase",
  "metric",
  "ownMetric",
  "path",
  "ownPath",
  "zoom",
  "zoomRanks",
  "iterations",
  "ranks",
  "colouring",
  "pixel",
];

class Surface implements ViewInstance {
  private readonly view: SurfaceView;
  private readonly bar = colourBar("surface-legend");
  private readonly line = h("p", { class: "view-line", "data-testid": "surface-line" });
  private readonly slices = new Slices();
  private map: ValueMap | null = null;
  /** What the map is of. */
  private shown: Readonly<State>;
  private keeping = 0;

  constructor(
    host: HTMLElement,
    private readonly app: App,
  ) {
    this.shown = app.state;
    this.view = new SurfaceView(
      "surface",
      "Surface of values by iteration and rank",
      () => {
        const style = canvasStyle();
        return { text: style.text, line: style.line, wall: style.background, font: style.font };
      },
      (camera) => this.keep(camera),
    );
    const kept = (app.state.extra.camera ?? "").split(",").map(Number);
    const [azimuth, elevation, zoom] = kept;
    if (kept.length === 3 && kept.every(Number.isFinite))
      this.view.setCamera({ azimuth: azimuth!, elevation: elevation!, zoom: zoom! });
    const box = panel("Surface", { className: "surface-panel" });
    box.actions.append(
      button("surface-reset", "Reset", "As at first", () => this.view.reset()),
      copyButtons("surface", {
        fileName: () => fileNameOf(app.summary.facts.get("program") ?? "run", "surface", this.metric.name),
        csv: () => this.csv(),
        picture: () => composed(this.title(), [this.view.picture(canvasStyle().background)], canvasStyle()),
      }),
    );
    box.body.append(this.line, this.view.element, this.bar.element);
    host.append(box.element);
  }

  private get metric() {
    return this.app.summary.metrics[this.shown.metric]!;
  }

  /** What is brushed, or else what the map shows. */
  private get iterations(): Range {
    const { state, model } = this.app;
    return state.iterations ?? state.zoom ?? [0, Math.max(0, model.phase(state.phase).iterations - 1)];
  }

  private get ranks(): Range {
    const { state, model } = this.app;
    return state.ranks ?? state.zoomRanks ?? model.allRanks;
  }

  private title(): string {
    return `${measureText(this.app, this.shown)} by iteration and rank, ${this.app.summary.phases[this.shown.phase]!.name}`;
  }

  update(changed: Changed): void {
    if (changed.has("theme")) this.view.drawAround();
    if (!DRAWN.some((name) => changed.has(name))) return;
    const { model, state } = this.app;
    const part = { iterations: this.iterations, ranks: this.ranks, columns: MOST_COLUMNS, rows: MOST_ROWS };
    this.slices.run(
      () => model.mapInPieces(state.phase, measureOf(state), part, state.pixel),
      (map) => {
        const now = this.app.state;
        if (key(now.phase, measureOf(now), now.pixel) === key(state.phase, measureOf(state), state.pixel)) this.show(map);
      },
    );
  }

  private show(map: ValueMap): void {
    const { state } = this.app;
    this.map = map;
    this.shown = state;
    const scale = makeScale(map.values, state.colouring);
    const [low, high] = [Math.min(scale.min, scale.value(0)), Math.max(scale.max, scale.value(1))];
    const divisor = axisDivisor(high, this.metric.unit);
    const ticks = enclosingTicks(low / divisor, high / divisor, Z_TICKS).map((tick) => tick * divisor);
    const grid: Grid = {
      columns: map.columns,
      rows: map.rows,
      values: Float32Array.from(map.values),
      low: ticks[0]!,
      high: ticks[ticks.length - 1]!,
    };
    this.view.show({
      grid,
      position: scale.position,
      palette: sequential,
      axes: this.axes(grid, ticks),
      describe: (row, column) => this.describe(row, column),
    });
    this.bar.set(...endTexts(scale, this.metric.unit), sequential);
    this.line.textContent = `${this.title()}${this.binText()}. Drag or use the arrow keys to turn it, the wheel or + and − to zoom.`;
  }

  private binText(): string {
    const { columns, rows, iterations, ranks } = this.map!;
    const wide = (iterations[1] - iterations[0] + 1) / columns;
    const high = (ranks[1] - ranks[0] + 1) / rows;
    if (wide === 1 && high === 1) return "";
    const parts = [wide > 1 && `about ${Math.round(wide * 10) / 10} iterations`, high > 1 && `about ${Math.round(high * 10) / 10} ranks`];
    return `; each point is the ${this.shown.pixel} of ${parts.filter(Boolean).join(" and ")}`;
  }

  private axes(grid: Grid, heights: number[]) {
    const { summary } = this.app;
    const { iterations, ranks } = this.map!;
    const along = (title: string, range: Range, text: (member: number) => string): Axis => ({
      title,
      ticks: niceTicks(range[0], range[1], 6, true).map((member) => ({
        at: range[1] > range[0] ? (member - range[0]) / (range[1] - range[0]) : 0.5,
        text: text(member),
      })),
    });
    const height = grid.high - grid.low;
    const labels = axisLabels(heights, this.metric.unit);
    return {
      x: along("iteration", iterations, String),
      y: along("rank", ranks, (rank) => String(summary.ranks[rank]!.rank)),
      z: {
        title: this.metric.name,
        ticks: heights.map((value, i) => ({ at: height > 0 ? (value - grid.low) / height : 0, text: labels[i]! })),
      },
    };
  }

  private bins(row: number, column: number): { iterations: Range; ranks: Range } {
    const map = this.map!;
    return {
      iterations: [binStart(map.iterations, map.columns, column), binStart(map.iterations, map.columns, column + 1) - 1],
      ranks: [binStart(map.ranks, map.rows, row), binStart(map.ranks, map.rows, row + 1) - 1],
    };
  }

  private describe(row: number, column: number): string {
    const { summary } = this.app;
    const { iterations, ranks } = this.bins(row, column);
    const value = this.map!.values[row * this.map!.columns + column]!;
    const mpiRanks: Range = [summary.ranks[ranks[0]]!.rank, summary.ranks[ranks[1]]!.rank];
    return `iteration ${rangeText(iterations)}, rank ${rangeText(mpiRanks)}: ${quantity(value, this.metric.unit)}`;
  }

  private csv(): string {
    const { summary } = this.app;
    const map = this.map!;
    const rows: (string | number)[][] = [];
    for (let row = 0; row < map.rows; row++)
      for (let column = 0; column < map.columns; column++) {
        const { iterations, ranks } = this.bins(row, column);
        rows.push([
          summary.phases[this.shown.phase]!.name,
          iterations[0],
          iterations[1],
          summary.ranks[ranks[0]]!.rank,
          summary.ranks[ranks[1]]!.rank,
          this.metric.name,
          map.values[row * map.columns + column]!,
        ]);
      }
    return csvOf(["phase", "iteration", "last_iteration", "rank", "last_rank", "metric", "value"], rows);
  }

  /** The camera is in the URL once it stands still. */
  private keep(camera: Camera): void {
    window.clearTimeout(this.keeping);
    this.keeping = window.setTimeout(() => {
      const { camera: _, ...others } = this.app.state.extra;
      const words = [camera.azimuth, camera.elevation, camera.zoom].map((number) => number.toFixed(3)).join(",");
      const first = [FIRST_CAMERA.azimuth, FIRST_CAMERA.elevation, FIRST_CAMERA.zoom].map((number) => number.toFixed(3)).join(",");
      this.app.update({ extra: words === first ? others : { ...others, camera: words } });
    }, 300);
  }

  destroy(): void {
    window.clearTimeout(this.keeping);
    this.slices.stop();
    this.view.destroy();
  }
}

export const surface: View = {
  name: "surface",
  title: "Surface",
  text: "The value map in three dimensions",
  unavailable: (app) => (app.state.phase < 0 ? "This summary has no iterations." : null),
  create: (host, app) => new Surface(host, app),
};
