/*
 * How well processes make use of the time, as the centre of excellence POP defines it: the same numbers as the
 * report's, by the same rules (utils/query/efficiency.h).  A process counts by its first thread.
 */
import { Pieces } from "./iterations";
import { Range } from "./scope";
import { Summary, findMetric, metricParts, seriesOf, unitDivisor } from "./summary";
import { addCellsByMetric, addTotalsByCluster, addTotalsByMetric, iterationWeights } from "./sums";

/** Shares of 1; NaN where they are not known. */
export interface Efficiency {
  parallel: number;
  balance: number;
  communication: number;
  serialisation: number;
  transfer: number;
  processor: number;
}

/** Of the run, or of the iterations of PHASE (-1: the run), on RANKS (null: all). */
export interface EfficiencyScope {
  phase: number;
  ranks: Range | null;
}

const EVERY_PATH = { from: 0, end: 2 ** 32 };

function firstThreads(summary: Summary, ranks: Range | null): number[] {
  const [first, last] = ranks ?? [0, summary.ranks.length - 1];
  return summary.ranks.slice(first, last + 1).map((rank) => rank.locations[0]!);
}

/** By metric, in its unit and with its parts: what a location has in the run, or in iterations. */
function valuesOf(summary: Summary, location: number, phase: number): Float64Array {
  const { metrics, locations } = summary;
  const values = new Float64Array(metrics.length);
  const series = phase < 0 ? undefined : seriesOf(locations[location]!, phase);
  if (phase < 0) addCellsByMetric(locations[location]!.whole, EVERY_PATH, values);
  else if (series) addTotalsByMetric(series, iterationWeights(series, 0, series.ids.length - 1), values);
  for (let m = metrics.length - 1; m >= 0; m--) if (metrics[m]!.parent >= 0) values[metrics[m]!.parent]! += values[m]!;
  return values.map((value, m) => value / unitDivisor(metrics[m]!));
}

/** Bytes: the most that a process had resident at once; 0: not known of all of them. */
export function residentMost(summary: Summary, ranks: Range | null): number {
  const all = firstThreads(summary, ranks).map((location) => summary.locations[location]!.costs.get("resident_most_bytes") ?? 0);
  return all.includes(0) ? 0 : Math.max(0, ...all);
}

/** A prediction of a summary of waits: seconds, unchanged and on a network that takes no time. */
interface Ideal {
  of: number;
  time: number;
  most: number;
  mean: number;
}

function idealOf({ facts }: Summary): Ideal | null {
  const [of, time, most, mean] = ["of", "time", "most", "mean"].map((name) => Number(facts.get(`ideal.${name}`) ?? 0)) as [number, number, number, number];
  return [of, time, most, mean].every((value) => Number.isFinite(value) && value > 0) ? { of, time, most, mean } : null;
}

/** Neither part of it is more than 1. */
function divided(communication: number, ideal: Ideal): Pick<Efficiency, "serialisation" | "transfer"> {
  const transfer = Math.min(Math.max(ideal.time / ideal.of, communication), 1);
  return { transfer, serialisation: communication / transfer };
}

/** Null where it cannot be told: times were not measured, or differences are no times. */
export function efficiencyOf(summary: Summary, { phase, ranks }: EfficiencyScope): Efficiency | null {
  const [time, computation, preempted] = ["time", "computation", "preempted"].map((name) => findMetric(summary, name)) as [number, number, number];
  if (summary.derived || time < 0 || computation < 0) return null;
  const values = firstThreads(summary, ranks).map((location) => valuesOf(summary, location, phase));
  const of = (metric: number): number[] => values.map((one) => one[metric]!);
  const sum = (list: number[]): number => list.reduce((all, value) => all + value, 0);
  const [longest, most] = [Math.max(0, ...of(time)), Math.max(0, ...of(computation))];
  if (longest <= 0 || most <= 0) return null;
  const mean = sum(of(computation)) / values.length;
  const communication = most / longest;
  const isTraced = phase < 0 && !summary.facts.has("joined.trace") && values.length === summary.ranks.length;
  const ideal = isTraced ? idealOf(summary) : null;
  return {
    parallel: mean / longest,
    balance: mean / most,
    communication,
    ...(ideal ? divided(communication, ideal) : { serialisation: NaN, transfer: NaN }),
    processor: preempted < 0 ? NaN : 1 - sum(of(preempted)) / sum(of(time)),
  };
}

/** Of what was traced, where waits were put into the summary of the whole run; null otherwise. */
export function efficiencyOfTraced(summary: Summary): Efficiency | null {
  const ideal = summary.facts.has("joined.trace") ? idealOf(summary) : null;
  if (!ideal) return null;
  const communication = Math.min(ideal.most / ideal.of, 1);
  return {
    parallel: Math.min(ideal.mean / ideal.of, 1),
    balance: Math.min(ideal.mean / ideal.most, 1),
    communication,
    ...divided(communication, ideal),
    processor: NaN,
  };
}

/** By cluster: seconds that one of its iterations has of METRIC, with its parts. */
function means(summary: Summary, location: number, phase: number, metric: number): Float64Array {
  const series = seriesOf(summary.locations[location]!, phase)!;
  const sums = new Float64Array(series.clusters);
  addTotalsByCluster(series, metricParts(summary.metrics, metric, false), sums);
  return sums.map((sum, c) => sum / series.sizes[c]! / unitDivisor(summary.metrics[metric]!));
}

/**
 * By iteration: the parallel efficiency, what ranks compute on average of the time of the one that takes longest; NaN
 * where no rank has a profile.
 */
export function* efficiencyByIteration(summary: Summary, phase: number, ranks: Range | null): Pieces<Float64Array> {
  const [time, computation] = [findMetric(summary, "time"), findMetric(summary, "computation")];
  const having = firstThreads(summary, ranks).filter((location) => seriesOf(summary.locations[location]!, phase));
  const length = having.reduce((most, location) => Math.max(most, seriesOf(summary.locations[location]!, phase)!.ids.length), 0);
  const [computed, longest, number] = [new Float64Array(length), new Float64Array(length), new Uint32Array(length)];
  for (const location of having) {
    const { ids, clusters } = seriesOf(summary.locations[location]!, phase)!;
    const own = means(summary, location, phase, computation);
    const taken = means(summary, location, phase, time);
    for (let i = 0; i < ids.length; i++) {
      const cluster = ids[i]!;
      if (cluster >= clusters) continue;
      computed[i]! += own[cluster]!;
      number[i]!++;
      if (taken[cluster]! > longest[i]!) longest[i] = taken[cluster]!;
    }
    yield;
  }
  return computed.map((sum, i) => (longest[i]! > 0 ? Math.min(sum / number[i]! / longest[i]!, 1) : NaN));
}
