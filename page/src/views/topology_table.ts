/* All topologies of the program in a table, and the neighbours of a rank in a graph. */
import { App } from "../app";
import { Neighbours, Topology } from "../format/definitions";
import { h } from "../ui/dom";
import { count } from "../ui/numbers";

const MOST_NEIGHBOURS = 200;

export function topologyName(topology: Topology, index: number): string {
  return `${topology.name || `topology ${index}`}: ${shapeText(topology)}`;
}

function shapeText(topology: Topology): string {
  if (topology.kind === "cartesian") return `grid ${topology.grid.map(({ size }) => size).join(" × ")}`;
  return `${topology.kind === "graph" ? "graph" : "distributed graph"} of ${topology.members.length}`;
}

function periodicText(topology: Topology): string {
  if (topology.kind !== "cartesian") return "";
  const which = topology.grid.flatMap(({ periodic }, d) => (periodic ? [d] : []));
  if (which.length === 0) return "none";
  return which.length === topology.grid.length ? "all" : `dimension ${which.join(", ")}`;
}

export class TopologyTable {
  readonly element: HTMLElement;
  private readonly neighbours = h("div", { class: "neighbours", "data-testid": "topology-neighbours" });

  constructor(app: App) {
    const { topologies, topologiesLeftOut } = app.summary;
    const rows = topologies.map((topology, i) =>
      h(
        "tr",
        {},
        h("td", {}, topology.name || `topology ${i}`),
        h("td", {}, shapeText(topology)),
        h("td", {}, periodicText(topology)),
        h("td", {}, topology.members.length),
        h("td", {}, topology.times),
      ),
    );
    const head = ["name", "shape", "periodic", "processes", "communicators"].map((title) => h("th", { scope: "col" }, title));
    this.element = h(
      "div",
      {},
      this.neighbours,
      topologies.length
        ? h("table", { class: "numbers topologies", "data-testid": "topologies" }, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows))
        : h("p", { class: "muted" }, "The program has given no communicator a topology."),
      topologiesLeftOut > 0 && h("p", { class: "muted" }, `${count(topologiesLeftOut, "more topology", "more topologies")} left out.`),
    );
    this.ranks = app.summary.ranks.map((rank) => rank.rank);
  }

  private readonly ranks: number[];

  /** The neighbours of RANK (an index) if TOPOLOGY is a graph. */
  show(topology: Topology | null, rank: number): void {
    this.neighbours.replaceChildren();
    if (!topology || topology.kind === "cartesian") return;
    const member = topology.members.indexOf(this.ranks[rank]!);
    const known = topology.neighbourhoods.find((one) => one.member === member);
    this.neighbours.append(h("p", {}, known ? this.text(topology, rank, known) : `Rank ${this.ranks[rank]} is not in this graph.`));
  }

  private text(topology: Topology, rank: number, known: Neighbours): string {
    const isWeighted = [...known.sources, ...known.destinations].some(([, weight]) => weight !== 1);
    const list = (neighbours: [number, number][]): string =>
      neighbours.length === 0
        ? "none"
        : neighbours
            .slice(0, MOST_NEIGHBOURS)
            .map(([other, weight]) => `${topology.members[other]}${isWeighted ? ` (weight ${weight})` : ""}`)
            .join(", ") + (neighbours.length > MOST_NEIGHBOURS ? ` and ${neighbours.length - MOST_NEIGHBOURS} more` : "");
    const name = `Rank ${this.ranks[rank]}`;
    if (topology.kind === "graph") return `${name} has the neighbours ${list(known.destinations)}.`;
    return `${name} receives from ${list(known.sources)} and sends to ${list(known.destinations)}.`;
  }
}
