/* A whole summary in memory, and what follows from its tables alone. */
import { openContainer, openSection, locationSections, Container } from "../format/container";
import { Definitions, Metric, readDefinitions } from "../format/definitions";
import { Location, LocationContext, Series, readLocation } from "../format/location";

/** A process: its locations are its threads. */
export interface Rank {
  index: number;
  /** In MPI_COMM_WORLD. */
  rank: number;
  /** Indices of its locations, ascending by thread. */
  locations: number[];
}

export interface Summary extends Definitions {
  locations: Location[];
  ranks: Rank[];
  /** By metric: it or a part of it is not zero somewhere. */
  used: boolean[];
  /** It was calculated from others (values may be below 0), not measured. */
  derived: boolean;
}

export function locationContext(definitions: Definitions): LocationContext {
  return { pathOf: definitions.pathOf, paths: definitions.paths.length, metrics: definitions.metrics.length };
}

export function assemble(definitions: Definitions, locations: Location[]): Summary {
  const ranks: Rank[] = [];
  locations.forEach((location, i) => {
    const last = ranks[ranks.length - 1];
    if (last && last.rank === location.rank) last.locations.push(i);
    else ranks.push({ index: ranks.length, rank: location.rank, locations: [i] });
  });
  return {
    ...definitions,
    locations,
    ranks,
    used: metricsInUse(definitions.metrics, locations),
    derived: definitions.facts.has("derived"),
  };
}

/** Reads all of a file at once; for tests and small files. */
export function readSummary(file: Uint8Array): Summary {
  const container: Container = openContainer(file);
  const definitions = readDefinitions(container);
  const context = locationContext(definitions);
  return assemble(
    definitions,
    locationSections(container).map((section) => readLocation(openSection(section), context, section.version)),
  );
}

function metricsInUse(metrics: Metric[], locations: Location[]): boolean[] {
  const used = metrics.map(() => false);
  for (const { whole } of locations)
    whole.metrics.forEach((metric, i) => {
      if (whole.values[i] !== 0) used[metric] = true;
    });
  for (let m = metrics.length - 1; m >= 0; m--) if (used[m] && metrics[m]!.parent >= 0) used[metrics[m]!.parent] = true;
  return used;
}

/** Those of METRIC and its parts that have values of their own: 1, others 0. */
export function metricParts(metrics: Metric[], metric: number, own: boolean): Uint8Array {
  const parts = new Uint8Array(metrics.length);
  parts[metric] = 1;
  if (!own) for (const { index, parent } of metrics) if (parent >= 0 && parts[parent]) parts[index] = 1;
  return parts;
}

/** What stored integers of a metric are divided by to have its unit. */
export function unitDivisor(metric: Metric): number {
  return 10 ** metric.scale;
}

export function findMetric(summary: Definitions, name: string): number {
  return summary.metrics.findIndex((metric) => metric.name === name);
}

export function seriesOf(location: Location, phase: number): Series | undefined {
  return location.series.find((series) => series.phase === phase);
}

/** Names from below the root to PATH; the root's own only if it is the root. */
export function pathNames(summary: Definitions, path: number): string[] {
  const names: string[] = [];
  for (let at = path; at > 0; at = summary.paths[at]!.parent) names.unshift(summary.paths[at]!.name);
  return names.length ? names : [summary.paths[0]?.name ?? "program"];
}

/** The path with these names, or -1. */
export function findPath(summary: Definitions, names: string[]): number {
  let at = 0;
  if (names.length === 1 && names[0] === summary.paths[0]?.name) return 0;
  for (const name of names) {
    const child = summary.paths[at]?.children.find((c) => summary.paths[c]!.name === name);
    if (child === undefined) return -1;
    at = child;
  }
  return at;
}
