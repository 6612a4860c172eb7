/* What several views say and need: texts for call paths, scopes and measures, colours. */
import { App } from "../app";
import { Range, Scope } from "../model/scope";
import { shownName, shownNames } from "../model/names";
import { Summary, pathNames } from "../model/summary";
import { State } from "../state";
import { ABOVE, BELOW, Rgb, css } from "../ui/colours";
import { Scale } from "../model/valuemap";
import { count, quantity, rangeText } from "../ui/numbers";
import { h } from "../ui/dom";

/** "main > timestep > MPI_Send": names in full, for what is kept and compared. */
export function pathText(summary: Summary, path: number): string {
  return pathNames(summary, path).join(" > ");
}

/** The same as it is shown: names in brief. */
export function shownText(summary: Summary, path: number): string {
  return shownNames(summary, path).join(" > ");
}

/** The name of a call path's function as it is shown. */
export function nameOf(summary: Summary, path: number): string {
  return shownName(summary, summary.paths[path]!.name);
}

/** The last part of a path of files. */
export function baseName(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}

/** "particles.c:120": where the region of a call path is defined; empty if that is not known. */
export function definitionOf(summary: Summary, path: number): string {
  const region = summary.regions[summary.paths[path]!.region]!;
  if (region.file === "") return "";
  return region.line ? `${baseName(region.file)}:${region.line}` : baseName(region.file);
}

/** "line 120 of particles.c", "lines 3, 7 of particles.c": where it is called from; empty if that is not known. */
function callSiteOf(summary: Summary, path: number): string {
  const { lines, parent } = summary.paths[path]!;
  if (lines.length === 0 || parent < 0) return "";
  const caller = summary.regions[summary.paths[parent]!.region]!;
  const where = caller.file ? ` of ${baseName(caller.file)}` : "";
  return `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${where}`;
}

/** All that is known of where a call path is, in sentences. */
export function sourceText(summary: Summary, path: number): string {
  const region = summary.regions[summary.paths[path]!.region]!;
  const parts: string[] = [];
  const site = callSiteOf(summary, path);
  if (site) parts.push(`called in ${site}`);
  if (region.file) parts.push(`defined in ${region.file}${region.line ? `:${region.line}` : ""}`);
  if (region.module >= 0) parts.push(`in ${baseName(summary.modules[region.module]!.path)}`);
  return parts.join("; ");
}

export const ROLE_TEXT = { mpi: "MPI function", com: "calls MPI", usr: "computation" } as const;

export const UNSAMPLED_TEXT = "computation that no sample has found: in this function or in one that it calls";

/** "iterations 3–7 of timestep, ranks 0–3": SCOPE in words. */
export function scopeText(app: App, scope: Scope): string {
  const { summary } = app;
  const isAll = scope.ranks === null || scope.ranks[1] - scope.ranks[0] + 1 === summary.ranks.length;
  const ranks = scope.ranks && !isAll
    ? `${scope.ranks[0] === scope.ranks[1] ? "rank" : "ranks"} ${rankRangeText(summary, scope.ranks)}`
    : summary.ranks.length === 1
      ? `rank ${summary.ranks[0]!.rank}`
      : `all ${count(summary.ranks.length, "rank")}`;
  if (!scope.iterations) return `whole run, ${ranks}`;
  const word = scope.iterations[0] === scope.iterations[1] ? "iteration" : "iterations";
  return `${word} ${rangeText(scope.iterations)} of ${summary.phases[scope.phase]!.name}, ${ranks}`;
}

function rankRangeText(summary: Summary, ranks: Range): string {
  return rangeText([summary.ranks[ranks[0]]!.rank, summary.ranks[ranks[1]]!.rank]);
}

/** "mpi in main > timestep". */
export function measureText(app: App, state: Readonly<State> = app.state): string {
  const metric = app.summary.metrics[state.metric]!.name;
  const own = state.ownMetric ? `${metric} without its parts` : metric;
  if (state.path === 0 && !state.ownPath) return own;
  return `${own} in ${shownText(app.summary, state.path)}${state.ownPath ? " itself" : ""}`;
}

/** The metric at the top of METRIC's hierarchy. */
export function rootMetric(summary: Summary, metric: number): number {
  let at = metric;
  while (summary.metrics[at]!.parent >= 0) at = summary.metrics[at]!.parent;
  return at;
}

/** Black or white, whichever is seen better on RGB. */
function textOn(rgb: Rgb): string {
  const [r, g, b] = rgb.map((part) => (part <= 10 ? part / 3295 : ((part / 255 + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000" : "#fff";
}

export function fillAndText(rgb: Rgb): { fill: string; text: string } {
  return { fill: css(rgb), text: textOn(rgb) };
}

/** Colours of what is beyond the ends of a scale; null: nothing is. */
type Ends = readonly [Rgb | null, Rgb | null];
const END = "12px";

/** The colours of values beyond SCALE, where there are such values. */
export function endColours(scale: Scale): Ends {
  return [scale.side(scale.min) < 0 ? BELOW : null, scale.side(scale.max) > 0 ? ABOVE : null];
}

/** A legend for colours between two values: a bar with texts at its ends, and there what is beyond in its own. */
export function colourBar(id: string): { element: HTMLElement; set(low: string, high: string, colour: (share: number) => Rgb, ends?: Ends): void } {
  const bar = h("div", { class: "value-bar-stops", "aria-hidden": "true" });
  const low = h("span");
  const high = h("span");
  const element = h("div", { class: "value-bar", "data-testid": id }, low, bar, high);
  return {
    element,
    set(lowText, highText, colour, ends = [null, null]) {
      low.textContent = lowText;
      high.textContent = highText;
      const stops = Array.from({ length: 17 }, (_, i) => css(colour(i / 16)));
      const below = ends[0] && `${css(ends[0])} 0 ${END}, ${stops[0]} ${END}`;
      const above = ends[1] && `${stops[16]} calc(100% - ${END}), ${css(ends[1])} calc(100% - ${END}) 100%`;
      const all = [...(below ? [below] : []), ...stops.slice(below ? 1 : 0, above ? 16 : 17), ...(above ? [above] : [])];
      bar.style.background = `linear-gradient(to right, ${all.join(", ")})`;
    },
  };
}

/** The values at the ends of SCALE; where others lie beyond an end its text says so. */
export function endTexts(scale: Scale, unit: string): [string, string] {
  const [low, high] = [quantity(scale.value(0), unit), quantity(scale.value(1), unit)];
  return [scale.side(scale.min) < 0 ? `≤ ${low}` : low, scale.side(scale.max) > 0 ? `≥ ${high}` : high];
}

/** A button with TEXT, which TITLE explains, or names if it has no letters; ID is for tests. */
export function button(id: string, text: string, title: string, pressed: () => void): HTMLButtonElement {
  const name = /\p{L}/u.test(text) ? undefined : title;
  return h("button", { type: "button", "data-testid": id, title, "aria-label": name, click: pressed }, text);
}
