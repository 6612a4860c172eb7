/* Who waits for whom, by rank.  No DOM. */
import { WaitPair } from "../format/waits";
import { Summary } from "./summary";

/** Seconds that ranks wait for each other: of row r for column c at r * rows + c. */
export interface WaitMatrix {
  rows: number;
  /** Ranks in a row or column; the last one may have fewer. */
  size: number;
  seconds: Float64Array;
  most: number;
}

/** By location: the index of its rank. */
export function rankOfLocation(summary: Summary): Int32Array {
  const of = new Int32Array(summary.locations.length).fill(-1);
  for (const rank of summary.ranks) for (const location of rank.locations) of[location] = rank.index;
  return of;
}

/** PAIRS in groups of as many ranks each, so that there are at most MOST rows; sums of all in them. */
export function waitMatrix(summary: Summary, pairs: readonly WaitPair[], most: number): WaitMatrix {
  const of = rankOfLocation(summary);
  const all = summary.ranks.length;
  const size = Math.max(1, Math.ceil(all / most));
  const rows = Math.max(1, Math.ceil(all / size));
  const seconds = new Float64Array(rows * rows);
  for (const { location, cause, ns } of pairs) {
    const row = of[location] ?? -1;
    const column = of[cause] ?? -1;
    if (row >= 0 && column >= 0) seconds[groupOf(row, size) * rows + groupOf(column, size)]! += ns / 1e9;
  }
  return { rows, size, seconds, most: seconds.reduce((top, one) => Math.max(top, one), 0) };
}

/** The row or column of a rank, by its index. */
export function groupOf(rank: number, size: number): number {
  return Math.floor(rank / size);
}

/** Of RANKS about MOST at most that get a label, 1, 2 or 5 times a power of ten apart. */
export function labelledRanks(ranks: number, most: number): number[] {
  let step = 1;
  for (let i = 0; ranks / step > most; i++) step *= i % 3 === 1 ? 2.5 : 2;
  return Array.from({ length: Math.ceil(ranks / step) }, (_, i) => i * step);
}

/** A change of the run, as tsprof whatif asks for it, and the seconds that it would gain. */
export interface Gain {
  question: string;
  seconds: number;
}

/** What would gain most, the best first: the facts gain.1, gain.2 and so on. */
export function gainsOf(facts: ReadonlyMap<string, string>): Gain[] {
  const gains: Gain[] = [];
  for (;;) {
    const fact = /^([0-9.]+) (.+)$/s.exec(facts.get(`gain.${gains.length + 1}`) ?? "");
    if (!fact) return gains;
    gains.push({ seconds: Number(fact[1]), question: fact[2]! });
  }
}
