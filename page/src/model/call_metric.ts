/* Which metric the time of an MPI function is, as its colour says: the largest of those that all of MPI is cut into. */
import { Summary, findMetric } from "./summary";

/** METRIC, or the metric around it that is the largest of those IN has; null if there is none. */
export function widestOf(summary: Summary, metric: number, has: (name: string) => boolean): string | null {
  let widest: string | null = null;
  for (let at = metric; at >= 0; at = summary.metrics[at]!.parent) if (has(summary.metrics[at]!.name)) widest = summary.metrics[at]!.name;
  return widest;
}

/** By path, the metric below `mpi` that HAS is true of and that its own time is of; null where there is none. */
export function callMetrics(summary: Summary, has: (name: string) => boolean): (string | null)[] {
  const mpi = findMetric(summary, "mpi");
  const widest = summary.metrics.map(({ index }) => (isPart(summary, index, mpi) ? widestOf(summary, index, has) : null));
  const found = new Array<string | null>(summary.paths.length).fill(null);
  for (const { whole } of summary.locations)
    whole.metrics.forEach((metric, cell) => {
      if (widest[metric] && whole.values[cell]! !== 0) found[whole.paths[cell]!] ??= widest[metric];
    });
  return found;
}

function isPart(summary: Summary, metric: number, of: number): boolean {
  for (let at = metric; at >= 0; at = summary.metrics[at]!.parent) if (at === of) return true;
  return false;
}
