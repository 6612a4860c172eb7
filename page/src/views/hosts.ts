/* Where hosts lie along an axis of ranks. */
import { HostSpan } from "../draw/rank_chart";
import { Range } from "../model/scope";
import { Summary } from "../model/summary";

/** RANKS, indices, from left to right: runs that are on the same host. */
export function hostSpans(summary: Summary, [first, last]: Range): HostSpan[] {
  const spans: HostSpan[] = [];
  let before = -2;
  for (let rank = first; rank <= last; rank++) {
    const { host } = summary.locations[summary.ranks[rank]!.locations[0]!]!;
    if (host === before) spans[spans.length - 1]!.last = rank - first;
    else spans.push({ name: summary.hosts[host]?.name ?? "unknown host", first: rank - first, last: rank - first });
    before = host;
  }
  return spans;
}
