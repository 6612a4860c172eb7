/*
 * Computation that no sample has found: it is part of the call path that surrounds it, but may as well have been in
 * functions called from there.  Nothing may show it as the function's own; a row or frame of its own takes it.  The
 * rule is that of utils/query/unsampled.c.
 */
import { Summary } from "./summary";

export const UNSAMPLED = "(not sampled)";

/** As INSTRUMENTED in the summary: functions that tell when they are entered. */
const TOLD_GROUP = "INSTRUMENTED";

/** By path: what of COMPUTATION is such, given the SAMPLES of the same part of the run; both by path. */
export function unsampledOf(summary: Summary, computation: Float64Array, samples: Float64Array): Float64Array {
  return computation.map((value, path) => {
    const told = summary.regions[summary.paths[path]!.region]!.group === TOLD_GROUP;
    return samples[path] === 0 && !told && !summary.derived ? value : 0;
  });
}

/** Call paths, and below those that have it a node for what is not sampled: what trees and flame graphs are of. */
export interface PathsAndUnsampled {
  /** By node: the one above it; nodes that are call paths have their numbers, the others come after them. */
  parents: number[];
  /** By node; exclusive over nodes. */
  values: Float64Array;
}

/** VALUES and UNSAMPLED are by path, UNSAMPLED is part of VALUES. */
export function setApart(summary: Summary, values: Float64Array, unsampled: Float64Array): PathsAndUnsampled {
  const paths = summary.paths.map((path) => path.index).filter((path) => unsampled[path] !== 0);
  return {
    parents: [...summary.paths.map((path) => path.parent), ...paths],
    values: Float64Array.from([...values.map((value, path) => value - unsampled[path]!), ...paths.map((path) => unsampled[path]!)]),
  };
}
