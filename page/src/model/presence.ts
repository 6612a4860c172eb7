/* Call paths that clusters show where they did not occur, and how far off those are that they show. */
import { Series } from "../format/location";
import { Summary, seriesOf } from "./summary";

/** Some share from LEAST to MOST. */
export interface Share {
  least: number;
  most: number;
}

/** The call paths of a cluster, by number, that did not occur in every one of its iterations. */
export function partlyPresent(series: Series, cluster: number): Map<number, Share> {
  const { from, path, least, most } = series.presence;
  const found = new Map<number, Share>();
  for (let i = from[cluster]!; i < from[cluster + 1]!; i++)
    if (least[i]! < 1) found.set(path[i]!, { least: least[i]!, most: most[i]! });
  return found;
}

/**
 * The share of call paths with a value that did not occur in the iteration, each counted for every iteration on every
 * location; null where that is not known.  Call paths are those of the file, as for `tsprof info`: calls in several lines
 * are several, though one of them may have occurred where another is shown.
 */
export function phantomsOf(summary: Summary, phase: number): Share | null {
  const sum = { shown: 0, least: 0, most: 0 };
  for (const location of summary.locations) {
    const series = seriesOf(location, phase);
    if (series?.presence.unknown.some((unknown) => unknown)) return null;
    for (let k = 0; k < (series?.clusters ?? 0); k++) {
      sum.shown += series!.sizes[k]! * series!.presence.valued[k]!;
      sum.least += series!.presence.lackingLeast[k]!;
      sum.most += series!.presence.lackingMost[k]!;
    }
  }
  return sum.shown > 0 ? { least: sum.least / sum.shown, most: sum.most / sum.shown } : { least: 0, most: 0 };
}

export interface PathError {
  path: number;
  metric: number;
  /** What iterations are off, root mean square, in stored units. */
  rms: number;
  largest: number;
}

/** What rounding may leave of sums of squares (compress/cells.c). */
const ROUNDING = 1e-11;

/** Times of call paths by what single iterations are off, the most first; of paths that are one node in the file. */
export function pathErrors(summary: Summary, phase: number): PathError[] {
  const single = singleNodes(summary);
  const sums = new Map<number, { squares: number; means: number; largest: number }>();
  const width = summary.paths.length;
  let iterations = 0;
  for (const location of summary.locations) {
    const series = seriesOf(location, phase);
    if (!series || series.lost > 0) continue;
    iterations += series.sizes.reduce((sum, size) => sum + size, 0);
    const means = squaresOfMeans(series, width);
    series.largest.path.forEach((path, i) => {
      const slot = series.largest.metric[i]! * width + path;
      const sum = sums.get(slot) ?? { squares: 0, means: 0, largest: 0 };
      sum.squares += series.largest.squares[i]!;
      sum.means += means.get(slot) ?? 0;
      sum.largest = Math.max(sum.largest, series.largest.value[i]!);
      if (single[path]! === 1 && series.largest.squares[i]! > 0) sums.set(slot, sum);
    });
  }
  const errors = [...sums].map(([slot, { squares, means, largest }]) => ({
    path: slot % width,
    metric: Math.floor(slot / width),
    rms: squares - means > ROUNDING * squares ? Math.sqrt((squares - means) / iterations) : 0,
    largest,
  }));
  return errors.filter(({ rms }) => rms > 0).sort((a, b) => b.rms - a.rms || a.path - b.path || a.metric - b.metric);
}

/** By path: how many nodes of the file it is. */
function singleNodes(summary: Summary): Uint32Array {
  const nodes = new Uint32Array(summary.paths.length);
  for (const path of summary.pathOf) nodes[path]!++;
  return nodes;
}

/** By metric and path: the sum over clusters of the square of the sum, over the size. */
function squaresOfMeans(series: Series, width: number): Map<number, number> {
  const found = new Map<number, number>();
  for (let row = 0; row < series.rowPath.length; row++) {
    const at = series.at[row]!;
    let sum = 0;
    for (let k = 0; k < series.clusters; k++) {
      const value = at >= 0 ? series.small[at + k]! : series.wide[-1 - at + k]!;
      sum += (value * value) / series.sizes[k]!;
    }
    found.set(series.rowMetric[row]! * width + series.rowPath[row]!, sum);
  }
  return found;
}
