/* The system as a tree: hosts, ranks, and threads where there are several. */
import { Tree, makeTree } from "../draw/tree";
import { Range } from "../model/scope";
import { Summary } from "../model/summary";
import { coordinatesOf } from "../draw/cartesian";

interface Node {
  kind: "host" | "rank" | "thread";
  /** Index of the host, -1 if it is not known. */
  host: number;
  /** Index of the rank; of a host the first. */
  rank: number;
  /** Index of the location that it stands for, or -1. */
  location: number;
}

/** Ranks of a host need not be neighbours: what is brushed then is all from the first to the last. */
export class SystemTree {
  readonly tree: Tree;
  private readonly coordinates: Map<number, string>;

  constructor(
    private readonly summary: Summary,
    private readonly nodes: Node[],
    parents: number[],
  ) {
    this.tree = makeTree(parents);
    this.coordinates = coordinatesByRank(summary);
  }

  kind(node: number): Node["kind"] {
    return this.nodes[node]!.kind;
  }

  /** By node, exclusive, of VALUES by location; what is not there is 0. */
  valuesOf(values: Float64Array): Float64Array {
    return Float64Array.from(this.nodes, ({ location }) => (location < 0 ? 0 : values[location] || 0));
  }

  label(node: number): string {
    const { kind, host, rank, location } = this.nodes[node]!;
    if (kind === "host") return this.hostName(host);
    if (kind === "rank") return `rank ${this.summary.ranks[rank]!.rank}`;
    return `thread ${this.summary.locations[location]!.thread}`;
  }

  detail(node: number): string {
    const { kind, host, rank } = this.nodes[node]!;
    if (kind === "rank") return this.coordinates.get(this.summary.ranks[rank]!.rank) ?? "";
    return kind === "host" ? (this.summary.hosts[host]?.facts.get("processor") ?? "") : "";
  }

  title(node: number): string {
    const { kind, host, rank } = this.nodes[node]!;
    if (kind === "host") return [...(this.summary.hosts[host]?.facts ?? [])].map(([key, value]) => `${key}: ${value}`).join("\n");
    const first = this.summary.locations[this.summary.ranks[rank]!.locations[0]!]!;
    return [`process ${first.process} on ${this.hostName(host)}`, first.ending && `ended early: ${first.ending}`]
      .filter((part) => part !== "")
      .join("\n");
  }

  data(node: number): Record<string, string> {
    const { kind, rank, location } = this.nodes[node]!;
    if (kind === "host") return { host: this.label(node) };
    const ofRank = { rank: String(this.summary.ranks[rank]!.rank) };
    return kind === "rank" ? ofRank : { ...ofRank, thread: String(this.summary.locations[location]!.thread) };
  }

  /** Host, rank and thread for a table. */
  columns(node: number): [string, string, string] {
    const { kind, host, rank, location } = this.nodes[node]!;
    return [
      this.hostName(host),
      kind === "host" ? "" : String(this.summary.ranks[rank]!.rank),
      kind === "thread" ? String(this.summary.locations[location]!.thread) : "",
    ];
  }

  nodeOfRank(rank: number): number {
    return this.nodes.findIndex((node) => node.kind === "rank" && node.rank === rank);
  }

  /** Indices of ranks, from the first to the last below NODE. */
  ranksOf(node: number): Range | null {
    const { kind, rank } = this.nodes[node]!;
    if (kind !== "host") return [rank, rank];
    const below = this.nodes.filter((other, i) => this.tree.parent[i] === node && other.kind === "rank").map((other) => other.rank);
    return below.length ? [Math.min(...below), Math.max(...below)] : null;
  }

  private hostName(host: number): string {
    return this.summary.hosts[host]?.name ?? "unknown host";
  }
}

export function systemTree(summary: Summary): SystemTree {
  const byHost = new Map<number, number[]>();
  for (const { index, locations } of summary.ranks) {
    const { host } = summary.locations[locations[0]!]!;
    byHost.set(host, [...(byHost.get(host) ?? []), index]);
  }
  const nodes: Node[] = [];
  const parents: number[] = [];
  const add = (node: Node, parent: number): number => {
    parents.push(parent);
    return nodes.push(node) - 1;
  };
  for (const [host, ranks] of byHost) {
    const top = add({ kind: "host", host, rank: ranks[0]!, location: -1 }, -1);
    for (const rank of ranks) {
      const { locations } = summary.ranks[rank]!;
      const alone = locations.length === 1 ? locations[0]! : -1;
      const process = add({ kind: "rank", host, rank, location: alone }, top);
      if (alone < 0) for (const location of locations) add({ kind: "thread", host, rank, location }, process);
    }
  }
  return new SystemTree(summary, nodes, parents);
}

/** Of the first Cartesian topology: "(2, 1)" by rank in MPI_COMM_WORLD. */
function coordinatesByRank(summary: Summary): Map<number, string> {
  const topology = summary.topologies.find((one) => one.kind === "cartesian");
  if (!topology) return new Map();
  const sizes = topology.grid.map((dimension) => dimension.size);
  return new Map(Array.from(topology.members, (rank, member) => [rank, `(${coordinatesOf(sizes, member).join(", ")})`]));
}
