/*
 * Iterations of a phase by rank.  Threads of a rank each have their own clusters; a *state* of the rank is a
 * combination of them, so that one table per rank gives its value in each iteration.
 */
import { Ids, Series, makeIds } from "../format/location";
import { Pieces, mapInPieces } from "./iterations";
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
  ids: Ids;
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

export function* phaseIterations(summary: Summary, phase: number): Pieces<PhaseIterations> {
  const ranks = yield* mapInPieces(summary.ranks, (rank): RankIterations => {
    const locations = rank.locations.filter((i) => seriesOf(summary.locations[i]!, phase));
    const series = locations.map((i) => seriesOf(summary.locations[i]!, phase)!);
    return { rank: rank.index, series, locations, ...joinStates(series) };
  });
  return { phase, iterations: ranks.reduce((most, rank) => Math.max(most, rank.ids.length), 0), ranks };
}

function joinStates(series: Series[]): Pick<RankIterations, "states" | "ids" | "members"> {
  if (series.length === 1) {
    const states = series[0]!.clusters + 2;
    return { states, ids: series[0]!.ids, members: Int32Array.from({ length: states }, (_, i) => i) };
  }
  const iterations = series.reduce((most, one) => Math.max(most, one.ids.length), 0);
  const joined = new Uint32Array(iterations);
  let members: number[][] = iterations > 0 ? [[]] : [];
  for (const one of series) members = joinOne(joined, members, one);
  const ids = makeIds(iterations, members.length);
  ids.set(joined);
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

/** Fills TABLE, by state of RANK, with sums over its threads of VALUES[i][cluster], NaN if none of them has a profile. */
export function stateValues(rank: RankIterations, values: Float64Array[], table: Float64Array = new Float64Array(rank.states)): Float64Array {
  const { series, members } = rank;
  table.fill(NaN);
  if (series.length === 1) table.set(values[0]!);
  else
    for (let member = 0; member < members.length; member++) {
      const [state, i] = [Math.floor(member / series.length), member % series.length];
      const cluster = members[member]!;
      if (cluster < 0 || cluster >= series[i]!.clusters) continue;
      const value = values[i]![cluster]!;
      table[state] = Number.isNaN(table[state]!) ? value : table[state]! + value;
    }
  return table;
}
