/*
 * Iterations cut into columns, as wide as pixels: which states a rank is in, in each of them, and how often.
 * Iterations close to each other are alike, so there are far fewer of these than iterations; and they are the same
 * for every measure.
 */
import { Ids } from "../format/location";
import { PhaseIterations } from "./joint";
import { Range } from "./scope";

/** The first member of bin I if RANGE is cut into COUNT bins; of I = COUNT one after the last. */
export function binStart(range: Range, count: number, i: number): number {
  return range[0] + Math.floor((i * (range[1] - range[0] + 1)) / count);
}

/** The bin, of COUNT, that a member of RANGE is in. */
export function binOf(range: Range, count: number, member: number): number {
  const length = range[1] - range[0] + 1;
  let bin = Math.floor(((member - range[0]) * count) / length);
  while (binStart(range, count, bin + 1) <= member) bin++;
  return bin;
}

/** Of one rank: entries, each a state and how many iterations of a column it has. */
export interface StateCounts {
  /** By column: its first entry; and one after the last column's last. */
  first: Int32Array;
  states: Ids;
  counts: Uint16Array;
}

export class Columns {
  /** By column: its first iteration; and one after the last column's last. */
  readonly starts: Int32Array;
  /** By rank: 1 if it was asked for; what was counted. */
  private readonly asked: Uint8Array;
  private readonly known: (StateCounts | undefined)[] = [];
  private readonly ones: Uint16Array;
  private readonly width: number;

  constructor(
    private readonly phase: PhaseIterations,
    iterations: Range,
    readonly count: number,
  ) {
    this.starts = Int32Array.from({ length: count + 1 }, (_, i) => binStart(iterations, count, i));
    this.width = Math.ceil((iterations[1] - iterations[0] + 1) / count);
    this.asked = new Uint8Array(phase.ranks.length);
    this.ones = new Uint16Array(phase.iterations).fill(1);
  }

  /**
   * Those of a rank.  Counting takes longer than going through the iterations once: what is asked for the first time,
   * as while somebody zooms, has an entry for each.
   */
  of(rank: number): StateCounts {
    if (this.asked[rank] === 1) return this.counted(rank);
    this.asked[rank] = 1;
    return this.uncounted(rank);
  }

  /** The same for what goes through them several times. */
  counted(rank: number): StateCounts {
    if (this.width > MOST_COUNT) return this.uncounted(rank);
    const { ids, states } = this.phase.ranks[rank]!;
    return (this.known[rank] ??= countStates(ids, states, this.starts));
  }

  private uncounted(rank: number): StateCounts {
    const { ids } = this.phase.ranks[rank]!;
    return { first: this.within(ids.length), states: ids, counts: this.ones };
  }

  /** Where columns begin, of a rank with so many iterations. */
  private within(iterations: number): Int32Array {
    const { starts } = this;
    return starts[this.count]! <= iterations ? starts : starts.map((start) => Math.min(start, iterations));
  }
}

/** Wider columns are not counted. */
const MOST_COUNT = 65535;

/** Used again for each rank. */
let room = { states: new Uint32Array(0), counts: new Uint16Array(0) };

/** IDS are below WIDTH. */
function countStates(ids: Ids, width: number, starts: Int32Array): StateCounts {
  const first = new Int32Array(starts.length);
  const length = starts[starts.length - 1]! - starts[0]!;
  if (room.states.length < length) room = { states: new Uint32Array(length), counts: new Uint16Array(length) };
  const { states, counts } = room;
  const seen = new Uint16Array(width);
  let end = 0;
  for (let column = 0; column + 1 < starts.length; column++) {
    const begin = end;
    const last = Math.min(starts[column + 1]!, ids.length);
    for (let i = starts[column]!; i < last; i++) {
      const id = ids[i]!;
      if (seen[id]!++ === 0) states[end++] = id;
    }
    for (let entry = begin; entry < end; entry++) {
      counts[entry] = seen[states[entry]!]!;
      seen[states[entry]!] = 0;
    }
    first[column + 1] = end;
  }
  const Kept = ids.constructor as new (values: Uint32Array) => Ids;
  return { first, states: new Kept(states.subarray(0, end)), counts: counts.slice(0, end) };
}

/**
 * By column and table, [column * TABLES.length + table]: the mean over the iterations of the column and RANKS that
 * have a profile, NaN where there is none.  TABLES[i][rank] has values by state (stateValues).
 */
export function* meansByColumn(columns: Columns, tables: Float64Array[][], [firstRank, lastRank]: Range) {
  const width = tables.length;
  const sums = new Float64Array(columns.count * width);
  const profiles = new Float64Array(columns.count);
  for (let r = firstRank; r <= lastRank; r++) {
    addRank(sums, profiles, columns.counted(r), interleave(tables.map((table) => table[r]!)), width);
    yield;
  }
  return sums.map((sum, i) => sum / profiles[Math.floor(i / width)]!);
}

/** [state * tables + table]. */
function interleave(tables: Float64Array[]): Float64Array {
  const width = tables.length;
  const all = new Float64Array(width * (tables[0]?.length ?? 0));
  tables.forEach((table, t) => {
    for (let state = 0; state < table.length; state++) all[state * width + t] = table[state]!;
  });
  return all;
}

function addRank(sums: Float64Array, profiles: Float64Array, { first, states, counts }: StateCounts, table: Float64Array, width: number): void {
  for (let column = 0; column < profiles.length; column++) {
    const end = first[column + 1]!;
    const from = column * width;
    for (let entry = first[column]!; entry < end; entry++) {
      let row = states[entry]! * width;
      const count = counts[entry]!;
      if (table[row]! !== table[row]!) continue;
      profiles[column]! += count;
      for (let at = from; at < from + width; at++) sums[at]! += count * table[row++]!;
    }
  }
}
