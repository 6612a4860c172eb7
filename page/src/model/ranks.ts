/* Numbers by rank over a range of iterations: what the process graph shows. */
import { PhaseIterations, RankIterations } from "./joint";
import { Range } from "./scope";
import { idCounts } from "./sums";

/** By rank of the summary, NaN where a rank is not looked at or has no profile. */
export interface RankStatistics {
  min: Float64Array;
  /** Over the iterations that the rank has a profile of. */
  mean: Float64Array;
  max: Float64Array;
  /** Iterations with a profile. */
  count: Float64Array;
}

/** TABLES[rank] has the values by state (stateValues); RANKS are indices. */
export function statisticsByRank(
  phase: PhaseIterations,
  tables: Float64Array[],
  iterations: Range,
  ranks: Range,
): RankStatistics {
  const length = phase.ranks.length;
  const empty = (): Float64Array => new Float64Array(length).fill(NaN);
  const statistics = { min: empty(), mean: empty(), max: empty(), count: new Float64Array(length) };
  for (let r = ranks[0]; r <= ranks[1]; r++) addRank(statistics, r, stateCounts(phase.ranks[r]!, iterations), tables[r]!);
  return statistics;
}

function addRank(statistics: RankStatistics, rank: number, counts: Float64Array, table: Float64Array): void {
  let [min, max, sum, count] = [Infinity, -Infinity, 0, 0];
  for (let state = 0; state < table.length; state++) {
    const value = table[state]!;
    if (!counts[state] || value !== value) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += counts[state]! * value;
    count += counts[state]!;
  }
  statistics.count[rank] = count;
  if (count === 0) return;
  statistics.min[rank] = min;
  statistics.max[rank] = max;
  statistics.mean[rank] = sum / count;
}

/** The imbalance percentage (utils/query/imbalance.h) as a share of 1; NaN where it says nothing. */
export function imbalance(min: number, mean: number, max: number, ranks: number): number {
  if (!(ranks > 1 && max > 0 && min >= 0)) return NaN;
  const share = ((max - mean) / max) * (ranks / (ranks - 1));
  /* Of equal values the mean is rounded. */
  return share > 1e-9 ? share : 0;
}

/** Iterations of the range that RANK has a profile of, from one of its threads at least. */
export function profilesOf(rank: RankIterations, iterations: Range): number {
  const width = rank.series.length;
  const counts = stateCounts(rank, iterations);
  const isKept = (state: number): boolean =>
    rank.series.some((series, i) => {
      const cluster = rank.members[state * width + i]!;
      return cluster >= 0 && cluster < series.clusters;
    });
  return counts.reduce((sum, count, state) => (count && isKept(state) ? sum + count : sum), 0);
}

/** By state of RANK: iterations of the range that are in it. */
export function stateCounts({ ids, states }: RankIterations, [first, last]: Range): Float64Array {
  return idCounts(ids, states, first, last);
}
