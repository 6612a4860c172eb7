/* Functions over all call paths, and who calls them: as `tsprof export --what functions` has them. */
import { Series } from "../format/location";
import { Scope } from "./scope";
import { Summary, metricParts, unitDivisor } from "./summary";

export interface FunctionEntry {
  name: string;
  /** The first of its paths. */
  path: number;
  isMpi: boolean;
}

export interface FunctionList {
  entries: FunctionEntry[];
  /** By path: its function. */
  ofPath: Uint32Array;
}

/** Functions of the same name are one. */
export function functionsOf(summary: Summary): FunctionList {
  const numbers = new Map<string, number>();
  const entries: FunctionEntry[] = [];
  const ofPath = Uint32Array.from(summary.paths, ({ name, role }, path) => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, entries.length);
    return entries.push({ name, path, isMpi: role === "mpi" }) - 1;
  });
  return { entries, ofPath };
}

/** What each function has itself, and in total with what it calls; one that calls itself counts once. */
export interface FunctionValues {
  self: Float64Array;
  total: Float64Array;
}

/** By function: the sum of VALUES, which are by path. */
export function addUpSelf({ entries, ofPath }: FunctionList, values: Float64Array): Float64Array {
  const self = new Float64Array(entries.length);
  values.forEach((value, path) => (self[ofPath[path]!]! += value));
  return self;
}

/** VALUES are by path, exclusive over call paths. */
export function addUpFunctions(summary: Summary, list: FunctionList, values: Float64Array): FunctionValues {
  const { ofPath } = list;
  const inclusive = addBelow(summary, values);
  const total = new Float64Array(list.entries.length);
  summary.paths.forEach((_, path) => {
    const own = ofPath[path]!;
    if (!isBelow(summary, path, (above) => ofPath[above] === own)) total[own]! += inclusive[path]!;
  });
  return { self: addUpSelf(list, values), total };
}

/**
 * By function: the largest value of METRIC, or of one that is part of it, that one of its call paths had in an
 * iteration of SCOPE in one of LOCATIONS (indices); 0 if there is none, NaN if it is not known, since SCOPE is without
 * the iteration that had the largest of all.
 */
export function largestOf(summary: Summary, list: FunctionList, scope: Scope, locations: number[], metric: number, own: boolean): Float64Array {
  const largest = new Float64Array(list.entries.length);
  const parts = metricParts(summary.metrics, metric, own);
  for (const location of locations)
    for (const series of summary.locations[location]!.series)
      if (!scope.iterations || series.phase === scope.phase) widen(largest, summary, list, scope, series, parts);
  return largest;
}

function widen(largest: Float64Array, summary: Summary, { ofPath }: FunctionList, { iterations }: Scope, series: Series, parts: Uint8Array): void {
  const { path, metric, value, iteration } = series.largest;
  path.forEach((at, i) => {
    if (!parts[metric[i]!]) return;
    const isIn = !iterations || (iteration[i]! >= iterations[0] && iteration[i]! <= iterations[1]);
    const one = isIn ? value[i]! / unitDivisor(summary.metrics[metric[i]!]!) : NaN;
    largest[ofPath[at]!] = Math.max(largest[ofPath[at]!]!, one);
  });
}

function addBelow(summary: Summary, values: Float64Array): Float64Array {
  const sums = values.slice();
  for (let path = sums.length - 1; path > 0; path--) sums[summary.paths[path]!.parent]! += sums[path]!;
  return sums;
}

/** Whether a call path above PATH fulfils a condition. */
function isBelow(summary: Summary, path: number, fulfils: (above: number) => boolean): boolean {
  for (let above = summary.paths[path]!.parent; above >= 0; above = summary.paths[above]!.parent) if (fulfils(above)) return true;
  return false;
}

/** A function and those that call it; of all that it takes, what is by way of it. */
export interface Caller {
  /** One of those that it stands for. */
  path: number;
  name: string;
  value: number;
  visits: number;
  callers: Caller[];
}

/** Who calls FUNCTION, up to below the root, the largest first; VALUES and VISITS are by path. */
export function callersOf(summary: Summary, list: FunctionList, wanted: number, values: Float64Array, visits: Float64Array | null): Caller {
  const inclusive = addBelow(summary, values);
  const entry = list.entries[wanted]!;
  const root: Caller = { path: entry.path, name: entry.name, value: 0, visits: 0, callers: [] };
  for (const { index } of summary.paths) {
    if (list.ofPath[index] !== wanted || isBelow(summary, index, (above) => list.ofPath[above] === wanted)) continue;
    let at = root;
    for (let path = index; path > 0; path = summary.paths[path]!.parent) {
      if (path !== index) at = callerOf(at, path, summary.paths[path]!.name);
      at.value += inclusive[index]!;
      at.visits += visits ? visits[index]! : 0;
    }
  }
  sortCallers(root);
  return root;
}

function callerOf(below: Caller, path: number, name: string): Caller {
  const known = below.callers.find((caller) => caller.name === name);
  if (known) return known;
  const caller: Caller = { path, name, value: 0, visits: 0, callers: [] };
  below.callers.push(caller);
  return caller;
}

function sortCallers(caller: Caller): void {
  caller.callers.sort((a, b) => b.value - a.value || a.path - b.path);
  caller.callers.forEach(sortCallers);
}
