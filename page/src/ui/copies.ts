/* What is copied of the iteration graph and of the value map. */
import { App } from "../app";
import { composed, copyButtons, csvOf, fileNameOf } from "../draw/copy";
import { pathNames } from "../model/summary";
import { binRanges, MapView } from "./map";
import { cssVariable } from "./colours";
import { shownIterations, shownRanks } from "./graph";
import { measureOf } from "../state";

/** More values than that become those of the map's pixels. */
const MOST_VALUES = 500_000;

type Row = (string | number)[];

function style(): { background: string; text: string } {
  return { background: cssVariable("--panel"), text: cssVariable("--fg") };
}

/** Phase, metric and, if one is chosen, call path: what is the same in every row. */
function names(app: App): { phase: string; metric: string; path: string | null; title: string } {
  const { state, summary } = app;
  const phase = summary.phases[state.phase]!.name;
  const metric = summary.metrics[state.metric]!.name;
  const path = state.path === 0 ? null : pathNames(summary, state.path).join(";");
  return { phase, metric, path, title: `${metric}${path === null ? "" : ` in ${path.replaceAll(";", " > ")}`}, ${phase}` };
}

/** A table with a row for each of ROWS, and the call path before the metric if one is chosen. */
function table(app: App, keys: string[], values: string[], rows: { keys: Row; values: Row }[]): string {
  const { phase, metric, path } = names(app);
  const between = path === null ? [] : [path];
  return csvOf(
    ["phase", ...keys, ...(path === null ? [] : ["callpath"]), "metric", ...values],
    rows.map((row) => [phase, ...row.keys, ...between, metric, ...row.values]),
  );
}

export function graphCopies(app: App, picture: () => HTMLCanvasElement | null): HTMLElement {
  const csv = (): string => {
    const { state, model } = app;
    const series = model.series(state.phase, measureOf(state), state.ranks);
    const [first, last] = shownIterations(app);
    const rows = Array.from({ length: last - first + 1 }, (_, i) => {
      const at = first + i;
      return { keys: [at], values: [series.min[at]!, series.mean[at]!, series.max[at]!] };
    });
    return table(app, ["iteration"], ["min", "mean", "max"], rows);
  };
  return copyButtons("graph", {
    fileName: () => fileNameOf(app.summary.facts.get("program") ?? "run", "iterations", names(app).metric),
    csv,
    picture: () => composed(`${names(app).title}: maximum, ${app.state.middle} and minimum over ranks`, canvases(picture()), style()),
  });
}

export function mapCopies(app: App, map: MapView, picture: () => HTMLCanvasElement | null): HTMLElement {
  return copyButtons("map", {
    fileName: () => fileNameOf(app.summary.facts.get("program") ?? "run", "map", names(app).metric),
    csv: () => {
      const [first, last] = shownIterations(app);
      const [firstRank, lastRank] = shownRanks(app);
      return (last - first + 1) * (lastRank - firstRank + 1) <= MOST_VALUES ? allValues(app) : pixelValues(app, map);
    },
    picture: () => composed(`${names(app).title}, by rank and iteration`, canvases(picture()), style()),
  });
}

function canvases(canvas: HTMLCanvasElement | null): HTMLCanvasElement[] {
  return canvas ? [canvas] : [];
}

/** As `tsprof export --what iterations`. */
function allValues(app: App): string {
  const { state, model, summary } = app;
  const [first, last] = shownIterations(app);
  const [firstRank, lastRank] = shownRanks(app);
  const rows: { keys: Row; values: Row }[] = [];
  for (let iteration = first; iteration <= last; iteration++)
    for (let rank = firstRank; rank <= lastRank; rank++) {
      const value = model.value(state.phase, measureOf(state), rank, iteration);
      if (value === value) rows.push({ keys: [iteration, summary.ranks[rank]!.rank], values: [value] });
    }
  return table(app, ["iteration", "rank"], ["value"], rows);
}

function pixelValues(app: App, view: MapView): string {
  const map = view.current()!.map;
  const rows: { keys: Row; values: Row }[] = [];
  for (let row = 0; row < map.rows; row++)
    for (let column = 0; column < map.columns; column++) {
      const value = map.values[row * map.columns + column]!;
      const { iterations, ranks } = binRanges(map, column, row);
      const [rank, lastRank] = ranks.map((index) => app.summary.ranks[index]!.rank) as [number, number];
      if (value === value) rows.push({ keys: [iterations[0], iterations[1], rank, lastRank], values: [value] });
    }
  return table(app, ["iteration", "last_iteration", "rank", "last_rank"], [app.state.pixel], rows);
}
