/* Who waited for whom, and why: section WAITS, which the result of `tsprof waits` has. */
import { Cursor } from "./cursor";

/** What the one that was waited for did, as far as it made the other one wait. */
export interface Reason {
  path: number;
  /** It waited there itself. */
  isIndirect: boolean;
  ns: number;
}

/** All waits, of one kind, of a call path of a location for another location. */
export interface WaitPair {
  location: number;
  metric: number;
  path: number;
  /** A location, or -1: it is not in the summary. */
  cause: number;
  count: number;
  ns: number;
  longest: number;
  /** The largest first. */
  reasons: Reason[];
}

export const NO_WAITS: readonly WaitPair[] = [];

/** PATH_OF is by node of the file; METRICS is how many there are. */
export function readWaits(cursor: Cursor, pathOf: Int32Array, metrics: number): WaitPair[] {
  const path = (): number => pathOf[cursor.index(pathOf.length)]!;
  return cursor.list(() => ({
    location: cursor.varint(),
    metric: cursor.index(metrics),
    path: path(),
    cause: cursor.ref(),
    count: cursor.varint(),
    ns: cursor.varint(),
    longest: cursor.varint(),
    reasons: cursor.list(() => ({ path: path(), isIndirect: cursor.varint() === 1, ns: cursor.varint() })),
  }));
}
