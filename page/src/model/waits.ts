/* Who waits for whom, by rank.  No DOM. */
import { WaitPair } from "../format/waits";
import { Summary } from "./summary";

/** Seconds that ranks wait for each other: of rank r for rank c at r * ranks + c, both indices. */
export interface WaitMatrix {
  ranks: number;
  seconds: Float64Array;
  most: number;
}

/** By location: the index of its rank. */
export function rankOfLocation(summary: Summary): Int32Array {
  const of = new Int32Array(summary.locations.length).fill(-1);
  for (const rank of summary.ranks) for (const location of rank.locations) of[location] = rank.index;
  return of;
}

/** PAIRS in groups: a row and a column of the matrix stand for SIZE ranks at most; sums of all in them. */
export function waitMatrix(summary: Summary, pairs: readonly WaitPair[], mostRows: number): WaitMatrix {
  const of = rankOfLocation(summary);
  const all = summary.ranks.length;
  const ranks = Math.max(1, Math.min(all, mostRows));
  const seconds = new Float64Array(ranks * ranks);
  const group = (rank: number): number => Math.floor((rank * ranks) / all);
  for (const { location, cause, ns } of pairs) {
    const row = of[location] ?? -1;
    const column = of[cause] ?? -1;
    if (row >= 0 && column >= 0) seconds[group(row) * ranks + group(column)]! += ns / 1e9;
  }
  return { ranks, seconds, most: seconds.reduce((most, one) => Math.max(most, one), 0) };
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
