/* What a summary says about all locations: run, metrics, regions, call paths, hosts, phases, topologies. */
import { Container, Kind, findSection, openSection } from "./container";
import { Cursor, Malformed } from "./cursor";
import { NO_WAITS, WaitPair, readWaits } from "./waits";

export interface Metric {
  index: number;
  name: string;
  /** A smaller index, or -1. */
  parent: number;
  /** Indices of those that have this one as their parent. */
  children: number[];
  /** `s`, `bytes`, `occ` or another. */
  unit: string;
  /** Stored integers divided by 10^scale are in the unit. */
  scale: number;
  kind: "derived" | "measured" | "counter";
  text: string;
}

export interface Module {
  path: string;
  buildId: string;
}

export interface Region {
  name: string;
  kind: "function" | "mpi" | "phase" | "artificial";
  /** Source file; empty if unknown. */
  file: string;
  /** Of its definition; 0 if unknown. */
  line: number;
  /** Index of a module, or -1. */
  module: number;
  offset: number;
  /** Of an MPI function, such as `P2P`. */
  group: string;
}

/**
 * Nodes of the file's call tree with the same region names along the path, as `tsprof export` joins them.  Paths
 * are numbered in preorder, so those below path p are p + 1 … end - 1.
 */
export interface CallPath {
  index: number;
  /** A smaller index; -1 for path 0, the root. */
  parent: number;
  children: number[];
  /** One more than the last path below this one. */
  end: number;
  depth: number;
  name: string;
  /** Index of the region of the first node that is joined here. */
  region: number;
  /** Lines of the call sites in the parent's source, ascending; empty if unknown. */
  lines: number[];
  /** A call of an MPI function, a path that has one below it, or neither. */
  role: "mpi" | "com" | "usr";
}

export interface Host {
  name: string;
  facts: Map<string, string>;
}

export interface Phase {
  index: number;
  name: string;
  region: number;
  /** Its instances were kept apart as iterations. */
  kept: boolean;
}

export interface Neighbours {
  member: number;
  /** [member, weight]; the weight is 1 where there are none. */
  sources: [number, number][];
  destinations: [number, number][];
}

export interface Topology {
  name: string;
  times: number;
  kind: "cartesian" | "graph" | "distributed";
  /** Ranks in MPI_COMM_WORLD by member. */
  members: Int32Array;
  /** Of a Cartesian topology; member m has the coordinates of row-major order. */
  grid: { size: number; periodic: boolean }[];
  neighbourhoods: Neighbours[];
}

export interface Definitions {
  facts: Map<string, string>;
  /** Not every process finished its measurement. */
  partial: boolean;
  fileBytes: number;
  metrics: Metric[];
  modules: Module[];
  regions: Region[];
  paths: CallPath[];
  /** The path of each node of the file. */
  pathOf: Int32Array;
  hosts: Host[];
  phases: Phase[];
  topologies: Topology[];
  topologiesLeftOut: number;
  /** Empty unless the summary is the result of `tsprof waits`. */
  waits: readonly WaitPair[];
}

export function readDefinitions(container: Container): Definitions {
  const open = (kind: Kind): Cursor => {
    const section = findSection(container, kind);
    if (!section) throw new Malformed(`section ${kind} is missing`);
    return openSection(section);
  };
  const modules = readModules(open(Kind.MODULES));
  const regions = readRegions(open(Kind.REGIONS));
  const topologies = findSection(container, Kind.TOPOLOGIES);
  const waits = findSection(container, Kind.WAITS);
  const metrics = readMetrics(open(Kind.METRICS));
  const tree = readTree(open(Kind.CALLTREE), regions);
  return {
    facts: open(Kind.RUN).pairs(),
    partial: container.partial,
    fileBytes: container.bytes,
    metrics,
    modules,
    regions,
    ...tree,
    hosts: readHosts(open(Kind.SYSTEM)),
    phases: readPhases(open(Kind.PHASES), regions.length),
    ...(topologies ? readTopologies(openSection(topologies)) : { topologies: [], topologiesLeftOut: 0 }),
    waits: waits ? readWaits(openSection(waits), tree.pathOf, metrics.length) : NO_WAITS,
  };
}

function readMetrics(cursor: Cursor): Metric[] {
  const kinds = ["derived", "measured", "counter"] as const;
  const metrics = cursor.list((index): Metric => ({
    index,
    name: cursor.string(),
    parent: cursor.ref(),
    children: [],
    unit: cursor.string(),
    scale: cursor.varint(),
    kind: kinds[cursor.index(3)]!,
    text: cursor.string(),
  }));
  for (const metric of metrics) if (metric.parent >= 0) metrics[metric.parent]!.children.push(metric.index);
  return metrics;
}

function readModules(cursor: Cursor): Module[] {
  return cursor.list(() => ({ path: cursor.string(), buildId: cursor.string() }));
}

function readRegions(cursor: Cursor): Region[] {
  const kinds = ["function", "mpi", "phase", "artificial"] as const;
  return cursor.list(() => ({
    name: cursor.string(),
    kind: kinds[cursor.index(4)]!,
    file: cursor.string(),
    line: cursor.varint(),
    module: cursor.ref(),
    offset: cursor.varint(),
    group: cursor.string(),
  }));
}

interface Joined {
  parent: number;
  region: number;
  lines: Set<number>;
  children: Map<string, number>;
}

/** Joins nodes of the same names and numbers them in preorder. */
function readTree(cursor: Cursor, regions: Region[]): { paths: CallPath[]; pathOf: Int32Array } {
  const joined: Joined[] = [];
  const joinedOf = cursor.list(() => {
    const parentNode = cursor.ref();
    const region = cursor.index(regions.length);
    const line = cursor.varint();
    return { parentNode, region, line };
  }).reduce((of: number[], { parentNode, region, line }) => {
    const parent = parentNode < 0 ? -1 : of[parentNode]!;
    const name = regions[region]!.name;
    let at = parent < 0 ? undefined : joined[parent]!.children.get(name);
    if (at === undefined) {
      at = joined.length;
      joined.push({ parent, region, lines: new Set(), children: new Map() });
      if (parent >= 0) joined[parent]!.children.set(name, at);
    }
    if (line) joined[at]!.lines.add(line);
    of.push(at);
    return of;
  }, []);
  const { paths, preorder } = orderPaths(joined, regions);
  return { paths, pathOf: Int32Array.from(joinedOf, (at) => preorder[at]!) };
}

function orderPaths(joined: Joined[], regions: Region[]): { paths: CallPath[]; preorder: Int32Array } {
  const paths: CallPath[] = [];
  const preorder = new Int32Array(joined.length);
  const stack = joined.length ? [0] : [];
  while (stack.length) {
    const at = stack.pop()!;
    const from = joined[at]!;
    const index = paths.length;
    const parent = from.parent < 0 ? -1 : preorder[from.parent]!;
    const region = regions[from.region]!;
    preorder[at] = index;
    paths.push({
      index,
      parent,
      children: [],
      end: index + 1,
      depth: parent < 0 ? 0 : paths[parent]!.depth + 1,
      name: region.name,
      region: from.region,
      lines: [...from.lines].sort((a, b) => a - b),
      role: region.kind === "mpi" ? "mpi" : "usr",
    });
    if (parent >= 0) paths[parent]!.children.push(index);
    for (const child of [...from.children.values()].reverse()) stack.push(child);
  }
  for (let i = paths.length - 1; i > 0; i--) {
    const path = paths[i]!;
    const parent = paths[path.parent]!;
    parent.end = Math.max(parent.end, path.end);
    if (path.role !== "usr" && parent.role === "usr") parent.role = "com";
  }
  return { paths, preorder };
}

function readHosts(cursor: Cursor): Host[] {
  return cursor.list(() => ({ name: cursor.string(), facts: cursor.pairs() }));
}

function readPhases(cursor: Cursor, regions: number): Phase[] {
  return cursor.list((index) => ({
    index,
    name: cursor.string(),
    region: cursor.index(regions),
    kept: cursor.varint() === 1,
  }));
}

function readTopologies(cursor: Cursor): { topologies: Topology[]; topologiesLeftOut: number } {
  const topologies = cursor.list(() => readTopology(cursor));
  return { topologies, topologiesLeftOut: cursor.varint() };
}

function readTopology(cursor: Cursor): Topology {
  const kinds = ["cartesian", "graph", "distributed"] as const;
  const name = cursor.string();
  const times = cursor.varint();
  const kind = kinds[cursor.varint() - 1] ?? cursor.fail("a topology of unknown kind");
  const runs = cursor.list(() => ({ first: cursor.varint(), step: cursor.signed(), count: cursor.varint() }));
  const members: number[] = [];
  for (const run of runs) for (let i = 0; i < run.count; i++) members.push(run.first + run.step * i);
  const grid =
    kind === "cartesian" ? cursor.list(() => ({ size: cursor.varint(), periodic: cursor.varint() === 1 })) : [];
  const neighbourhoods = cursor.list((): Neighbours => {
    const member = cursor.varint();
    const weighted = kind === "distributed" && cursor.varint() === 1;
    const read = (): [number, number][] =>
      cursor.list(() => [cursor.varint(), weighted ? cursor.varint() : 1] as [number, number]);
    const sources = kind === "distributed" ? read() : [];
    return { member, sources, destinations: read() };
  });
  return { name, times, kind, members: Int32Array.from(members), grid, neighbourhoods };
}
