/* The iterations of a cluster, and which iteration is typical. */
import { Series } from "../format/location";
import { Range } from "./scope";

/** Ranges of iterations, ascending, that do not touch. */
export function membersOf(series: Series, cluster: number): Range[] {
  const ranges: Range[] = [];
  const { ids } = series;
  for (let i = 0; i < ids.length; i++) {
    if (ids[i] !== cluster) continue;
    const last = ranges[ranges.length - 1];
    if (last && last[1] === i - 1) last[1] = i;
    else ranges.push([i, i]);
  }
  return ranges;
}

/** The iteration of the range whose value is the median (of two in the middle the smaller); -1 if none has one. */
export function medianIteration(values: Float64Array, [first, last]: Range): number {
  const present: number[] = [];
  for (let i = first; i <= last && i < values.length; i++) if (values[i] === values[i]) present.push(i);
  present.sort((a, b) => values[a]! - values[b]! || a - b);
  return present.length ? present[(present.length - 1) >> 1]! : -1;
}
