/*
 * What is shown, in one object that the URL's fragment holds: it can be bookmarked, mailed, reloaded and written
 * by hand.  Names rather than numbers where there are names.
 */
import { findMetric, findPath, pathNames } from "./model/summary";
import { Model } from "./model/model";
import { Measure, Range, Scope } from "./model/scope";
import { Colouring, PixelValue } from "./model/valuemap";

export type Theme = "auto" | "light" | "dark";
export type Middle = "mean" | "median";
export type ValueAxis = "linear" | "logarithmic";

/** Iterations and ranks (indices) for a comparison. */
export interface Compared {
  iterations: Range | null;
  ranks: Range | null;
}

export interface State {
  /** Name of the view that is open. */
  view: string;
  /** Of the iterations that are shown; -1 if there are none. */
  phase: number;
  metric: number;
  ownMetric: boolean;
  path: number;
  ownPath: boolean;
  /** Brushed; null: the whole run. */
  iterations: Range | null;
  /** Brushed, indices of the summary's ranks; null: all. */
  ranks: Range | null;
  /** Iterations that graph and map show; null: all. */
  zoom: Range | null;
  /** Ranks that the map shows; null: all. */
  zoomRanks: Range | null;
  colouring: Colouring;
  /** What a pixel of the map has of the values in it. */
  pixel: PixelValue;
  /** The middle line of the iteration graph. */
  middle: Middle;
  /** The iteration graph's. */
  axis: ValueAxis;
  /** The iteration that is looked at alone: the animation's, the process graph's. */
  iteration: number;
  /** The rank (index) that is looked at alone. */
  rank: number;
  /** What is compared. */
  a: Compared;
  b: Compared;
  theme: Theme;
  /** Whatever else a view wants to keep; short names, short words. */
  extra: Readonly<Record<string, string>>;
}

export type Key = keyof State;
export type Changed = ReadonlySet<Key>;

export function measureOf(state: State): Measure {
  return { metric: state.metric, ownMetric: state.ownMetric, path: state.path, ownPath: state.ownPath };
}

export function scopeOf(state: State): Scope {
  return { phase: state.phase, iterations: state.iterations, ranks: state.ranks };
}

const COLOURINGS: Colouring[] = ["percentiles", "linear", "zero", "logarithmic", "equalised"];
const PIXELS: PixelValue[] = ["mean", "min", "max", "median"];
const MIDDLES: Middle[] = ["mean", "median"];
const AXES: ValueAxis[] = ["linear", "logarithmic"];
const THEMES: Theme[] = ["auto", "light", "dark"];

/** The phase whose iterations take most time, so of nested ones the outer; -1 if there is none. */
function longestPhase(model: Model): number {
  const wall = new Map<number, number>();
  for (const { series } of model.summary.locations)
    for (const one of series) wall.set(one.phase, one.wall.reduce((sum, ns) => sum + ns, wall.get(one.phase) ?? 0));
  return [...wall].reduce((best, one) => (one[1] > best[1] ? one : best), [-1, -1])[0];
}

/** Names of a phase and a metric: what stands out most, say. */
export interface Topic {
  phase: string | null;
  metric: string;
}

/** What is seen first: TOPIC as far as there is such a thing, otherwise the time. */
export function initialState(model: Model, topic: Topic | null = null): State {
  const { summary } = model;
  const wanted = topic ? findMetric(summary, topic.metric) : -1;
  const metric = wanted < 0 ? findMetric(summary, "time") : wanted;
  return {
    view: "overview",
    phase: model.keptPhases.find((phase) => summary.phases[phase]!.name === topic?.phase) ?? longestPhase(model),
    metric: metric < 0 ? 0 : metric,
    ownMetric: false,
    path: 0,
    ownPath: false,
    iterations: null,
    ranks: null,
    zoom: null,
    zoomRanks: null,
    colouring: COLOURINGS[0]!,
    pixel: "mean",
    middle: "mean",
    axis: "linear",
    iteration: 0,
    rank: 0,
    a: { iterations: null, ranks: null },
    b: { iterations: null, ranks: null },
    theme: "auto",
    extra: {},
  };
}

/** A key of the fragment: how it is written (null: as usual, not at all) and read. */
interface Field {
  write(state: State, model: Model): string | null;
  read(text: string, state: State, model: Model): void;
}

const range = (value: Range | null): string | null => value && (value[0] === value[1] ? `${value[0]}` : value.join("-"));

function parseRange(text: string, most: number): Range | null {
  const match = /^(\d+)(?:-(\d+))?$/.exec(text);
  if (!match || most < 0) return null;
  const first = Number(match[1]);
  const last = Math.min(match[2] === undefined ? first : Number(match[2]), most);
  return first <= last ? [first, last] : null;
}

const firstIteration = (state: State, model: Model): number => (state.phase < 0 ? 0 : model.firstIteration(state.phase));

const lastIteration = (state: State, model: Model): number =>
  state.phase < 0 ? -1 : model.phase(state.phase).iterations - 1;

/** Ranges of ranks are written as the program counts them, and kept as indices. */
function writeRanks(value: Range | null, model: Model): string | null {
  return value && range([model.summary.ranks[value[0]]!.rank, model.summary.ranks[value[1]]!.rank]);
}

function parseRanks(text: string, model: Model): Range | null {
  const wanted = parseRange(text, Number.MAX_SAFE_INTEGER);
  if (!wanted) return null;
  const inside = model.summary.ranks.filter((rank) => rank.rank >= wanted[0] && rank.rank <= wanted[1]);
  return inside.length ? [inside[0]!.index, inside[inside.length - 1]!.index] : null;
}

/** What is brushed, as it is written: "100-199", and empty for all. */
export function writeBrushed(state: State, model: Model): { iterations: string; ranks: string } {
  return { iterations: range(state.iterations) ?? "", ranks: writeRanks(state.ranks, model) ?? "" };
}

/** The same read again; what makes no sense is all. */
export function readBrushed(text: { iterations: string; ranks: string }, state: State, model: Model): Pick<State, "iterations" | "ranks"> {
  return {
    iterations: parseRange(text.iterations.trim(), lastIteration(state, model)),
    ranks: parseRanks(text.ranks.trim(), model),
  };
}

function flag(name: "ownMetric" | "ownPath"): Field {
  return {
    write: (state) => (state[name] ? "1" : null),
    read: (text, state) => (state[name] = text === "1"),
  };
}

function choice<K extends "colouring" | "pixel" | "middle" | "axis" | "theme">(name: K, choices: State[K][]): Field {
  return {
    write: (state) => (state[name] === choices[0] ? null : state[name]),
    read: (text, state) => {
      const found = choices.find((one) => one === text);
      if (found) state[name] = found;
    },
  };
}

function iterationRange(name: "iterations" | "zoom"): Field {
  return {
    write: (state) => range(state[name]),
    read: (text, state, model) => (state[name] = parseRange(text, lastIteration(state, model))),
  };
}

function rankRange(name: "ranks" | "zoomRanks"): Field {
  return {
    write: (state, model) => writeRanks(state[name], model),
    read: (text, state, model) => (state[name] = parseRanks(text, model)),
  };
}

/** "ITERATIONS" or "ITERATIONS@RANKS" or "@RANKS". */
function compared(name: "a" | "b"): Field {
  return {
    write: (state, model) => {
      const { iterations, ranks } = state[name];
      return iterations || ranks ? `${range(iterations) ?? ""}${ranks ? `@${writeRanks(ranks, model)}` : ""}` : null;
    },
    read: (text, state, model) => {
      const [iterations, ranks] = text.split("@");
      state[name] = {
        iterations: parseRange(iterations ?? "", lastIteration(state, model)),
        ranks: ranks === undefined ? null : parseRanks(ranks, model),
      };
    },
  };
}

/* In the order in which they are read: ranges need the phase. */
const FIELDS: Record<string, Field> = {
  view: { write: (state) => state.view, read: (text, state) => (state.view = text) },
  phase: {
    write: (state, model) => (state.phase < 0 ? null : model.summary.phases[state.phase]!.name),
    read: (text, state, model) => {
      const found = model.keptPhases.find((phase) => model.summary.phases[phase]!.name === text);
      if (found !== undefined) state.phase = found;
    },
  },
  metric: {
    write: (state, model) => model.summary.metrics[state.metric]!.name,
    read: (text, state, model) => {
      const found = findMetric(model.summary, text);
      if (found >= 0) state.metric = found;
    },
  },
  own: flag("ownMetric"),
  path: {
    write: (state, model) =>
      state.path === 0 ? null : pathNames(model.summary, state.path).map((name) => name.replace(/[\\;]/g, "\\$&")).join(";"),
    read: (text, state, model) => {
      const found = findPath(model.summary, splitPath(text));
      if (found >= 0) state.path = found;
    },
  },
  alone: flag("ownPath"),
  iterations: iterationRange("iterations"),
  ranks: rankRange("ranks"),
  zoom: iterationRange("zoom"),
  zoomranks: rankRange("zoomRanks"),
  colours: choice("colouring", COLOURINGS),
  pixel: choice("pixel", PIXELS),
  middle: choice("middle", MIDDLES),
  axis: choice("axis", AXES),
  iteration: {
    write: (state, model) => (state.iteration === firstIteration(state, model) ? null : String(state.iteration)),
    read: (text, state, model) => (state.iteration = parseRange(text, lastIteration(state, model))?.[0] ?? firstIteration(state, model)),
  },
  rank: {
    write: (state, model) => (state.rank ? String(model.summary.ranks[state.rank]!.rank) : null),
    read: (text, state, model) => (state.rank = parseRanks(text, model)?.[0] ?? 0),
  },
  a: compared("a"),
  b: compared("b"),
  theme: choice("theme", THEMES),
};

/** Region names joined by `;`; a `;` or `\` of a name has a `\` before it. */
function splitPath(text: string): string[] {
  const names = [""];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === ";") names.push("");
    else names[names.length - 1] += text[i] === "\\" ? (text[++i] ?? "") : text[i]!;
  }
  return names;
}

/** Without the `#`. */
export function writeFragment(state: State, model: Model): string {
  const parts: string[] = [];
  const add = (name: string, value: string | null): void => {
    if (value !== null) parts.push(`${name}=${encode(value)}`);
  };
  for (const [name, field] of Object.entries(FIELDS)) add(name, field.write(state, model));
  for (const [name, value] of Object.entries(state.extra)) add(`x.${encode(name)}`, value);
  return parts.join("&");
}

/** What can stand in a fragment as it is stays legible. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%(3B|40|2C|3A|2F|24)/g, decodeURIComponent);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The state that FRAGMENT tells; what it does not tell, or makes no sense in this summary, is as at first. */
export function readFragment(fragment: string, model: Model, topic: Topic | null = null): State {
  const state = initialState(model, topic);
  const given = new Map<string, string>();
  const extra: Record<string, string> = {};
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at < 0) continue;
    const name = decode(part.slice(0, at));
    const value = decode(part.slice(at + 1));
    if (name.startsWith("x.")) extra[name.slice(2)] = value;
    else given.set(name, value);
  }
  for (const [name, field] of Object.entries(FIELDS)) {
    const value = given.get(name);
    if (value !== undefined) field.read(value, state, model);
  }
  if (!given.has("iteration")) state.iteration = firstIteration(state, model);
  state.extra = extra;
  return state;
}

/** Keys whose values differ. */
export function differences(before: State, after: State): Set<Key> {
  return new Set(
    (Object.keys(after) as Key[]).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])),
  );
}
