/*
 * Values on the program's topology, in one iteration or over the selection, and the animation that steps through
 * iterations.  Where there is no grid, ranks are bars.
 */
import { App, Slices, View, ViewInstance } from "../app";
import { canvasStyle } from "../draw/canvas";
import { CartesianView } from "../draw/cartesian_view";
import { composed, copyButtons, csvOf, fileNameOf } from "../draw/copy";
import { RankChart } from "../draw/rank_chart";
import { Topology } from "../format/definitions";
import { coordinatesOf } from "../draw/cartesian";
import { Pieces } from "../model/iterations";
import { key } from "../model/scope";
import { Scale, makeScale } from "../model/valuemap";
import { Changed, Key, measureOf, scopeOf } from "../state";
import { colourOn, diverging, sequential, Rgb } from "../ui/colours";
import { h, select } from "../ui/dom";
import { exactNumber, quantity } from "../ui/numbers";
import { panel } from "../ui/panel";
import { AnimationBar } from "./animation_bar";
import { colourBar, fillAndText, measureText, scopeText, endColours, endTexts } from "./common";
import { hostSpans } from "./hosts";
import { paddedRange } from "./processes";
import { TopologyTable, topologyName } from "./topology_table";

const DRAWN: Key[] = ["phase", "metric", "ownMetric", "path", "ownPath", "iterations", "ranks", "colouring", "iteration", "rank", "extra", "theme"];

/** What changes the scale that an animation keeps. */
const SCALED: Key[] = ["phase", "metric", "ownMetric", "path", "ownPath", "colouring"];

type Shows = "iteration" | "selection";

class TopologyView implements ViewInstance {
  private readonly grid: CartesianView;
  private readonly bars: RankChart;
  private readonly animation: AnimationBar;
  private readonly table: TopologyTable;
  private readonly bar = colourBar("topology-legend");
  private readonly line = h("p", { class: "view-line", "data-testid": "topology-line" });
  private readonly choice;
  private readonly shape = select("drawn", "topology-shape", [["planes", "side by side"], ["stack", "as a stack"]], (shape) => this.keep("shape", shape));
  private readonly shows = select(
    "values of",
    "topology-shows",
    [["iteration", "one iteration"], ["selection", "the selection, mean of an iteration"]],
    (shows) => this.keep("shows", shows),
  );
  private readonly slices = new Slices();
  /** Of the measure's values in all iterations; null while they are made. */
  private scale: Scale | null = null;
  private tables: Float64Array[] | null = null;

  constructor(
    host: HTMLElement,
    private readonly app: App,
  ) {
    const { topologies } = app.summary;
    this.choice = select(
      "topology",
      "topology-select",
      [...topologies.map((topology, i): [string, string] => [String(i), topologyName(topology, i)]), ["ranks", "ranks one after the other"]],
      (topology) => this.keep("topology", topology),
    );
    this.grid = new CartesianView("topology", "Topology", { chosen: (member) => this.chooseMember(member) });
    this.bars = new RankChart("topology-bars", "Values by rank", { chosen: (place) => app.update({ rank: place }) });
    this.animation = new AnimationBar(app, (iteration) => this.draw(iteration));
    this.table = new TopologyTable(app);
    const box = panel("Topology", { className: "topology-panel" });
    box.actions.append(
      copyButtons("topology", {
        fileName: () => fileNameOf(app.summary.facts.get("program") ?? "run", "topology", this.metric.name),
        csv: () => this.csv(),
        picture: () => composed(this.title(), [this.isGrid ? this.grid.canvas : this.bars.canvas!], canvasStyle()),
      }),
    );
    const controls = h("div", { class: "view-bar" }, this.choice.element, this.shape.element, this.shows.element);
    box.body.append(controls, this.line, this.animation.element, this.grid.element, this.bars.element, this.bar.element, this.table.element);
    host.append(box.element);
  }

  private keep(name: string, value: string): void {
    this.app.update({ extra: { ...this.app.state.extra, [name]: value } });
  }

  private get metric() {
    return this.app.summary.metrics[this.app.state.metric]!;
  }

  /** Index of the topology that is shown, -1 for none; at first the first that is a grid. */
  private get chosen(): number {
    const { topologies } = this.app.summary;
    const kept = this.app.state.extra.topology;
    if (kept === "ranks") return -1;
    const index = Number(kept);
    if (kept !== undefined && Number.isInteger(index) && topologies[index]) return index;
    const grid = topologies.findIndex((topology) => topology.kind === "cartesian");
    return grid >= 0 ? grid : topologies.length > 0 ? 0 : -1;
  }

  private get topology(): Topology | null {
    return this.app.summary.topologies[this.chosen] ?? null;
  }

  private get isGrid(): boolean {
    return this.topology?.kind === "cartesian";
  }

  private get showsNow(): Shows {
    const { state } = this.app;
    if (state.phase < 0) return "selection";
    return state.extra.shows === "selection" ? "selection" : "iteration";
  }

  private title(iteration = this.animation.iteration): string {
    const { state, summary } = this.app;
    if (this.showsNow === "selection") {
      const mean = state.iterations ? ", mean of an iteration" : "";
      return `${measureText(this.app)}${mean}, ${scopeText(this.app, scopeOf(state))}`;
    }
    return `${measureText(this.app)}, iteration ${iteration} of ${summary.phases[state.phase]!.name}`;
  }

  update(changed: Changed): void {
    if (!DRAWN.some((name) => changed.has(name))) return;
    const { state } = this.app;
    this.choice.set(this.chosen < 0 ? "ranks" : String(this.chosen));
    this.shape.set(state.extra.shape === "stack" ? "stack" : "planes");
    this.shows.set(this.showsNow);
    this.shape.element.hidden = !this.isGrid || this.topology!.grid.length !== 3;
    this.shows.element.hidden = state.phase < 0;
    this.animation.element.hidden = this.showsNow === "selection";
    this.grid.element.hidden = !this.isGrid;
    this.bars.element.hidden = this.isGrid;
    this.bar.element.hidden = !this.isGrid;
    if (this.showsNow === "selection") this.animation.pause();
    if (SCALED.some((name) => changed.has(name))) this.scale = this.tables = null;
    this.animation.update();
    this.table.show(this.topology, state.rank);
    this.prepare();
  }

  /** Makes what is drawn, then draws. */
  private prepare(): void {
    if (this.showsNow === "iteration" && this.tables) return this.draw(this.animation.iteration);
    const wanted = this.shown;
    this.slices.run(
      () => this.compute(),
      (tables) => {
        if (wanted !== this.shown) return;
        this.tables = tables;
        this.draw(this.animation.iteration);
      },
    );
  }

  /** What the values are of. */
  private get shown(): string {
    const { state } = this.app;
    return key(this.showsNow, scopeOf(state), measureOf(state));
  }

  /** The tables of single iterations; of the selection what is drawn is then known to the model. */
  private *compute(): Pieces<Float64Array[] | null> {
    const { model, state } = this.app;
    if (this.showsNow === "iteration") return yield* model.tablesInPieces(state.phase, measureOf(state));
    yield* model.byRankInPieces(scopeOf(state), measureOf(state));
    return null;
  }

  /** Values by rank (an index) in what is shown. */
  private values(iteration: number): Float64Array {
    const { model, state, summary } = this.app;
    const measure = measureOf(state);
    if (this.showsNow === "selection") {
      const scope = scopeOf(state);
      const divisor = model.iterationsIn(scope);
      return model.byRank(scope, measure).map((value) => value / divisor);
    }
    const tables = this.tables!;
    const { ranks } = model.phase(state.phase);
    return Float64Array.from(summary.ranks, (_, rank) => {
      const { ids } = ranks[rank]!;
      return iteration < ids.length ? tables[rank]![ids[iteration]!]! : NaN;
    });
  }

  /** Of single iterations the scale is that of all of them, so that colours mean the same throughout. */
  private scaleFor(values: Float64Array): Scale {
    const { state } = this.app;
    if (this.showsNow === "selection") return makeScale(values, state.colouring);
    this.scale ??= makeScale(flattened(this.tables!), state.colouring, flattened(this.app.model.stateWeights(state.phase)));
    return this.scale;
  }

  private draw(iteration: number): void {
    if (this.showsNow === "iteration" && !this.tables) return;
    const values = this.values(iteration);
    const scale = this.scaleFor(values);
    this.line.textContent = `${this.title(iteration)}.`;
    this.line.dataset.iteration = this.showsNow === "iteration" ? String(iteration) : "";
    if (this.isGrid) this.drawGrid(this.topology!, values, scale);
    else this.drawBars(values, scale);
  }

  private drawGrid(topology: Topology, values: Float64Array, scale: Scale): void {
    const { state, summary } = this.app;
    const sizes = topology.grid.map((dimension) => dimension.size);
    const indexOf = new Map(summary.ranks.map((rank) => [rank.rank, rank.index]));
    const index = (member: number): number => indexOf.get(topology.members[member]!) ?? -1;
    const most = Math.max(Math.abs(scale.min), Math.abs(scale.max)) || 1;
    const colour = (value: number): Rgb => (scale.min < 0 ? diverging(value / most) : colourOn(scale, value));
    const { unit } = this.metric;
    this.grid.show({
      sizes,
      asStack: state.extra.shape === "stack" && sizes.length === 3,
      values: Float64Array.from(topology.members, (_, member) => values[index(member)] ?? NaN),
      colours: (value) => fillAndText(colour(value)),
      label: (member) => String(topology.members[member]),
      describe: (member) =>
        `rank ${topology.members[member]} at (${coordinatesOf(sizes, member).join(", ")}): ${quantity(values[index(member)] ?? NaN, unit)}`,
      data: (member) => ({
        rank: String(topology.members[member]),
        coordinates: coordinatesOf(sizes, member).join(" "),
        value: exactNumber(values[index(member)] ?? NaN),
      }),
      marked: topology.members.findIndex((rank) => rank === summary.ranks[state.rank]?.rank),
    });
    const [low, high] = scale.min < 0 ? [quantity(-most, unit), quantity(most, unit)] : endTexts(scale, unit);
    const shown = (share: number): Rgb => (scale.min < 0 ? diverging(2 * share - 1) : sequential(share));
    this.bar.set(low, high, shown, scale.min < 0 ? undefined : endColours(scale));
  }

  private drawBars(values: Float64Array, scale: Scale): void {
    const { summary, state, model } = this.app;
    const { unit } = this.metric;
    this.bars.show({
      ranks: summary.ranks.map((rank) => rank.rank),
      lines: [{ label: "value", values, colour: "--mean", width: 1, bars: true }],
      band: null,
      range: paddedRange([[scale.min, scale.max]], true),
      unit,
      hosts: hostSpans(summary, model.allRanks),
      marked: state.rank,
      describe: (place) => `rank ${summary.ranks[place]!.rank}: ${quantity(values[place]!, unit)}`,
      data: (place) => ({ rank: String(summary.ranks[place]!.rank), value: exactNumber(values[place]!) }),
    });
  }

  private chooseMember(member: number): void {
    const rank = this.app.summary.ranks.find((one) => one.rank === this.topology!.members[member]);
    if (rank) this.app.update({ rank: rank.index });
  }

  private csv(): string {
    const { summary, state } = this.app;
    if (this.showsNow === "iteration") this.tables ??= this.app.model.tables(state.phase, measureOf(state));
    const values = this.values(this.animation.iteration);
    const phase = this.showsNow === "iteration" ? summary.phases[state.phase]!.name : "";
    const iteration = this.showsNow === "iteration" ? this.animation.iteration : "";
    const { topology } = this;
    const sizes = topology?.grid.map((dimension) => dimension.size) ?? [];
    return csvOf(
      ["phase", "iteration", "rank", "coordinates", "metric", "value"],
      summary.ranks.flatMap(({ index, rank }) => {
        const member = this.isGrid ? topology!.members.indexOf(rank) : -1;
        const coordinates = member < 0 ? "" : coordinatesOf(sizes, member).join(" ");
        return values[index] === values[index] ? [[phase, iteration, rank, coordinates, this.metric.name, values[index]!]] : [];
      }),
    );
  }

  destroy(): void {
    this.slices.stop();
    this.animation.destroy();
    this.grid.destroy();
    this.bars.destroy();
  }
}

/** What TABLES, by rank, have by state, one after the other. */
function flattened(tables: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(tables.reduce((sum, table) => sum + table.length, 0));
  let at = 0;
  for (const table of tables) {
    all.set(table, at);
    at += table.length;
  }
  return all;
}

export const topology: View = {
  name: "topology",
  title: "Topology",
  text: "Values on the program's topology, and how they change from iteration to iteration",
  create: (host, app) => new TopologyView(host, app),
};
