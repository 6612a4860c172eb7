/*
 * Iterations of a phase by rank.  Threads of a rank each have their own clusters; a *state* of the rank is a
 * combination of them, so that one table per rank gives its value in each iteration.
 */
import { Series } from "../format/location";
import { Summary, seriesOf } from "./summary";

export interface RankIterations {
  /** Index of the rank in the summary. */
  rank: number;
  /** Of its threads, those that have the phase. */
  series: Series[];
  /** Their locations. */
  locations: number[];
  states: number;
  /** By iteration: the state. */
  ids: Uint8Array | Uint16Array | Uint32Array;
  /** [state * series.length + i]: the id in series i; -1 after its end. */
  members: Int32Array;
}

export interface PhaseIterations {
  phase: number;
  /** The most that a location has. */
  iterations: number;
  /** One for each rank of the summary, of the same index; no series where it has not got the phase. */
  ranks: RankIterations[];
}

export function phaseIterations(summary: Summary, phase: number): PhaseIterations {
  const ranks = summary.ranks.map((rank): RankIterations => {
    const locations = rank.locations.filter((i) => seriesOf(summary.locations[i]!, phase));
    const series = locations.map((i) => seriesOf(summary.locations[i]!, phase)!);
    return { rank: rank.index, series, locations, ...joinStates(series) };
  });
  return { phase, iterations: Math.max(0, ...ranks.map((rank) => rank.ids.length)), ranks };
}

function joinStates(series: Series[]): Pick<RankIterations, "states" | "ids" | "members"> {
  if (series.length === 1) {
    const states = series[0]!.clusters + 2;
    return { states, ids: series[0]!.ids, members: Int32Array.from({ length: states }, (_, i) => i) };
  }
  const iterations = series.reduce((most, one) => Math.max(most, one.ids.length), 0);
  const ids = new Uint32Array(iterations);
  let members: number[][] = iterations > 0 ? [[]] : [];
  for (const one of series) members = joinOne(ids, members, one);
  return { states: members.length, ids, members: Int32Array.from(members.flat()) };
}

/**
 * By iteration, IDS has the state in the series so far, MEMBERS by state the id in each of them: afterwards they have
 * it with those of ONE as well.  Returns the members.  States are numbered as they appear.
 */
function joinOne(ids: Uint32Array, members: number[][], one: Series): number[][] {
  /* The last is for what comes after the series' end. */
  const width = one.clusters + 3;
  const pairs = members.length * width;
  const known = pairs <= MOST_DIRECT ? new Int32Array(pairs).fill(-1) : new Map<number, number>();
  const joined: number[][] = [];
  for (let i = 0; i < ids.length; i++) {
    const id = i < one.ids.length ? one.ids[i]! : width - 1;
    const pair = ids[i]! * width + id;
    let state = known instanceof Map ? known.get(pair) ?? -1 : known[pair]!;
    if (state < 0) {
      state = joined.length;
      if (known instanceof Map) known.set(pair, state);
      else known[pair] = state;
      joined.push([...members[ids[i]!]!, id === width - 1 ? -1 : id]);
    }
    ids[i] = state;
  }
  return joined;
}

/** Pairs of a state and an id that are looked up in an array rather than a map. */
const MOST_DIRECT = 1 << 20;

/**
 * By state of RANK: the sum over its threads of VALUES[i][cluster], NaN if none of them has a profile.
 */
export function stateValues(rank: RankIterations, values: Float64Array[]): Float64Array {
  const width = rank.series.length;
  const table = new Float64Array(rank.states).fill(NaN);
  for (let state = 0; state < rank.states; state++)
    for (let i = 0; i < width; i++) {
      const cluster = rank.members[state * width + i]!;
      if (cluster < 0 || cluster >= rank.series[i]!.clusters) continue;
      const value = values[i]![cluster]!;
      table[state] = Number.isNaN(table[state]!) ? value : table[state]! + value;
    }
  return table;
}
