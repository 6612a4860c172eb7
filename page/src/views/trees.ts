/*
 * The three coupled trees that CUBE users know: metrics, call paths, system.  What is chosen in one restricts those
 * to the right of it; what is brushed in the time panel restricts all.
 */
import { App, Slices, View, ViewInstance } from "../app";
import { copyButtons, csvOf, fileNameOf } from "../draw/copy";
import { Tree, addUp, makeTree, markAbove } from "../draw/tree";
import { SortOrder, TreeView } from "../draw/tree_view";
import { Pieces } from "../model/iterations";
import { Scope, key } from "../model/scope";
import { Summary, findMetric, pathNames } from "../model/summary";
import { UNSAMPLED, setApart } from "../model/unsampled";
import { Changed, Key, measureOf, scopeOf } from "../state";
import { css, diverging, sequential } from "../ui/colours";
import { h, select } from "../ui/dom";
import { exactNumber, percent, quantity } from "../ui/numbers";
import { panel, Panel } from "../ui/panel";
import { ROLE_TEXT, UNSAMPLED_TEXT, button, baseName, definitionOf, measureText, nameOf, pathText, rootMetric, scopeText, sourceText } from "./common";
import { SystemTree, systemTree } from "./system_tree";

type Mode = "absolute" | "root" | "selection";

const MODES: [Mode, string][] = [
  ["absolute", "absolute"],
  ["root", "% of the root metric"],
  ["selection", "% of what is chosen to the left"],
];

const ORDERS: [SortOrder, string][] = [
  ["tree", "as in the program"],
  ["value", "by value"],
  ["name", "by name"],
];

/** At first call paths with at least this share of the whole are expanded. */
const EXPANDED_SHARE = 0.05;

const WHOLE_RUN: Scope = { phase: -1, iterations: null, ranks: null };

/** What makes the trees show other numbers. */
const NUMBERS: Key[] = ["phase", "metric", "ownMetric", "path", "ownPath", "iterations", "ranks", "rank", "extra"];

interface Pane {
  panel: Panel;
  view: TreeView;
}

class Trees implements ViewInstance {
  private readonly metrics: Pane;
  private readonly paths: Pane;
  private readonly system: Pane;
  private readonly metricTree: Tree;
  private readonly systemTree: SystemTree;
  private readonly line: HTMLElement;
  private readonly mode = select("values", "trees-mode", MODES, (mode) => this.keep("values", mode));
  private readonly order = select("sorted", "trees-order", ORDERS, (order) => this.keep("sort", order));
  private readonly all: HTMLInputElement;
  private readonly slices = new Slices();

  constructor(
    host: HTMLElement,
    private readonly app: App,
  ) {
    const { summary } = app;
    this.metricTree = makeTree(summary.metrics.map((metric) => metric.parent));
    this.systemTree = systemTree(summary);
    this.metrics = this.pane("metric-tree", "Metrics", (node) => this.chooseMetric(node));
    this.paths = this.pane("call-tree", "Call paths", (node) => this.choosePath(node));
    this.system = this.pane("system-tree", "System", (node) => this.chooseSystem(node), (node) => this.brushRanks(node));
    this.all = h("input", { type: "checkbox", name: "trees-all", change: () => this.keep("zeros", this.all.checked ? "1" : "") });
    this.line = h("p", { class: "view-line", "data-testid": "trees-line" });
    host.append(
      h(
        "div",
        { class: "view-bar" },
        this.mode.element,
        this.order.element,
        h("label", { class: "field" }, this.all, h("span", {}, "call paths without a value")),
        button("whole-program", "Whole program", "Choose no call path: the whole program", () => app.update({ path: 0, ownPath: false })),
        this.line,
      ),
      h("div", { class: "trees" }, this.metrics.panel.element, this.paths.panel.element, this.system.panel.element),
    );
  }

  private pane(id: string, title: string, chosen: (node: number) => void, activated?: (node: number) => void): Pane {
    const view = new TreeView(id, title, activated ? { chosen, activated } : { chosen });
    const box = panel(title, { className: "tree-panel" });
    const found = h("span", { class: "found", role: "status" });
    const search = h("input", {
      type: "search",
      placeholder: "search",
      "aria-label": `Search in ${title}`,
      "data-testid": `${id}-search`,
      input: () => {
        const number = view.search(search.value);
        found.textContent = search.value.trim() === "" ? "" : `${number} found`;
      },
      keydown: (event: KeyboardEvent) => {
        if (event.key === "Enter") view.goToFound(event.shiftKey ? -1 : 1);
      },
    });
    box.actions.append(found, search, copyButtons(id, { fileName: () => this.fileName(id), csv: () => this.csv(id) }));
    box.body.append(view.element);
    return { panel: box, view };
  }

  private keep(name: string, value: string): void {
    this.app.update({ extra: { ...this.app.state.extra, [name]: value } });
  }

  private get modeNow(): Mode {
    return MODES.find(([mode]) => mode === this.app.state.extra.values)?.[0] ?? "absolute";
  }

  update(changed: Changed): void {
    if (!NUMBERS.some((name) => changed.has(name))) return;
    const wanted = this.shown;
    this.slices.run(
      () => this.compute(),
      () => {
        if (wanted === this.shown) this.show();
      },
    );
  }

  /** What the numbers are of. */
  private get shown(): string {
    const { state } = this.app;
    return key(scopeOf(state), measureOf(state));
  }

  /** What is shown is then known to the model. */
  private *compute(): Pieces<void> {
    const { model, state } = this.app;
    const scope = scopeOf(state);
    yield* model.metricValuesInPieces(scope, 0, false);
    yield* model.profileInPieces(scope, state.metric, state.ownMetric);
    yield* model.unsampledInPieces(scope, state.metric, state.ownMetric);
    yield* model.byLocationInPieces(scope, measureOf(state));
    yield* model.profileInPieces(WHOLE_RUN, this.time, false);
  }

  private show(): void {
    const { state } = this.app;
    const order = ORDERS.find(([name]) => name === state.extra.sort)?.[0] ?? "tree";
    this.mode.set(this.modeNow);
    this.order.set(order);
    this.all.checked = state.extra.zeros === "1";
    this.line.textContent = `Sums over ${scopeText(this.app, scopeOf(state))}. A collapsed row has all that is in it, an expanded one only its own.`;
    for (const pane of [this.metrics, this.paths, this.system]) pane.view.sort(order);
    this.showMetrics();
    this.showPaths();
    this.showSystem();
  }

  /** What the root of the chosen metric has in the scope. */
  private rootValue(metric: number): number {
    const { model, summary, state } = this.app;
    return model.inclusiveMetricValues(scopeOf(state), 0, false)[rootMetric(summary, metric)]!;
  }

  private format(value: number, unit: string, root: number, selection: number): string {
    const mode = this.modeNow;
    if (mode === "absolute") return quantity(value, unit);
    const whole = mode === "root" ? root : selection;
    return whole === 0 ? "–" : percent(value / Math.abs(whole));
  }

  /** Of what has values below 0 the colours are those of differences, from the largest of them without its sign. */
  private colours(inclusive: Float64Array, whole: number): (value: number) => string | null {
    const isSigned = inclusive.some((value) => value < 0);
    const most = isSigned ? inclusive.reduce((size, value) => Math.max(size, Math.abs(value)), 0) : whole;
    return (value) => (value === 0 || most === 0 ? null : css(isSigned ? diverging(value / most) : sequential(value / most)));
  }

  /** Each hierarchy of metrics is a whole of its own. */
  private metricColour(value: number, root: number): string | null {
    if (value === 0 || root === 0) return null;
    return css(this.app.summary.derived ? diverging(value / Math.abs(root)) : sequential(value / root));
  }

  private showMetrics(): void {
    const { model, summary, state } = this.app;
    const scope = scopeOf(state);
    const inclusive = model.inclusiveMetricValues(scope, 0, false);
    const root = (node: number): number => inclusive[rootMetric(summary, node)]!;
    this.metrics.view.show(
      {
        tree: this.metricTree,
        exclusive: model.metricValues(scope, 0, false),
        inclusive,
        label: (node) => summary.metrics[node]!.name,
        detail: () => "",
        title: (node) => summary.metrics[node]!.text,
        format: (value, node) => this.format(value, summary.metrics[node]!.unit, root(node), root(node)),
        colour: (value, node) => this.metricColour(value, root(node)),
        data: (value, node) => ({ value: exactNumber(value), metric: summary.metrics[node]!.name }),
        kept: Uint8Array.from(summary.used, Number),
      },
      (node) => summary.metrics[node]!.name === "time" || summary.metrics[node]!.name === "execution",
    );
    this.metrics.view.choose(state.metric, summary.metrics[state.metric]!.kind === "derived" ? null : state.ownMetric);
  }

  private showPaths(): void {
    const { model, summary, state } = this.app;
    const scope = scopeOf(state);
    const metric = summary.metrics[state.metric]!;
    const apart = setApart(summary, model.profile(scope, state.metric, state.ownMetric), model.unsampled(scope, state.metric, state.ownMetric));
    const [exclusive, tree] = [apart.values, makeTree(apart.parents)];
    const inclusive = addUp(tree, exclusive);
    const isPath = (node: number): boolean => node < summary.paths.length;
    const names = (node: number): string[] => (isPath(node) ? pathNames(summary, node) : [...pathNames(summary, tree.parent[node]!), UNSAMPLED]);
    const root = this.rootValue(state.metric);
    const total = inclusive[0] ?? 0;
    this.paths.panel.setTitle(`Call paths: ${metric.name}`);
    this.paths.view.show(
      {
        tree,
        lasting: summary.paths.length,
        exclusive,
        inclusive,
        label: (node) => (isPath(node) ? nameOf(summary, node) : UNSAMPLED),
        detail: (node) => (isPath(node) ? this.pathDetail(node) : ""),
        title: (node) =>
          isPath(node)
            ? `${pathText(summary, node)}\n${ROLE_TEXT[summary.paths[node]!.role]}\n${sourceText(summary, node)}`
            : `${pathText(summary, tree.parent[node]!)}\n${UNSAMPLED_TEXT}`,
        format: (value) => this.format(value, metric.unit, root, total),
        colour: this.colours(inclusive, total),
        data: (value, node) => ({ value: exactNumber(value), path: names(node).join(";") }),
        kept: state.extra.zeros === "1" ? null : markAbove(tree, exclusive.map((value) => (value === 0 ? 0 : 1))),
      },
      (node) => this.isLarge(node),
    );
    /* The whole program is what is shown when nothing is chosen: its row may be expanded then. */
    if (state.path === 0 && !state.ownPath) this.paths.view.choose(-1, null);
    else this.paths.view.choose(state.path, state.ownPath);
  }

  private get time(): number {
    return Math.max(0, findMetric(this.app.summary, "time"));
  }

  /** Of the whole run's time, so that a link shows everybody the same rows. */
  private isLarge(node: number): boolean {
    const whole = this.app.model.inclusiveProfile(WHOLE_RUN, this.time, false);
    return whole[0] !== 0 && Math.abs(whole[node]!) >= EXPANDED_SHARE * Math.abs(whole[0]!);
  }

  /** "particles.c:61 from :209": where it is defined and called. */
  private pathDetail(node: number): string {
    const { summary } = this.app;
    const { lines, parent } = summary.paths[node]!;
    const definition = definitionOf(summary, node);
    if (lines.length === 0 || parent < 0) return definition;
    const caller = baseName(summary.regions[summary.paths[parent]!.region]!.file);
    return `${definition}${definition ? " " : ""}from ${definition.startsWith(`${caller}:`) ? "" : caller}:${lines.join(", ")}`;
  }

  private showSystem(): void {
    const { model, summary, state } = this.app;
    const metric = summary.metrics[state.metric]!;
    const values = model.byLocation(scopeOf(state), measureOf(state));
    const exclusive = this.systemTree.valuesOf(values);
    const inclusive = addUp(this.systemTree.tree, exclusive);
    const root = this.rootValue(state.metric);
    const chosen = this.systemTree.tree.roots.reduce((sum, node) => sum + inclusive[node]!, 0);
    this.system.panel.setTitle(`System: ${measureText(this.app)}`);
    this.system.view.show(
      {
        tree: this.systemTree.tree,
        exclusive,
        inclusive,
        label: (node) => this.systemTree.label(node),
        detail: (node) => this.systemTree.detail(node),
        title: (node) => this.systemTree.title(node),
        format: (value) => this.format(value, metric.unit, root, chosen),
        colour: this.colours(inclusive, chosen),
        data: (value, node) => ({ value: exactNumber(value), ...this.systemTree.data(node) }),
        kept: null,
      },
      (node) => this.systemTree.kind(node) === "host" && summary.ranks.length <= 64,
    );
    const { ranks } = state;
    this.system.view.choose(ranks && ranks[0] === ranks[1] ? this.systemTree.nodeOfRank(ranks[0]) : -1, null);
    this.system.view.mark(this.systemTree.nodeOfRank(state.rank));
  }

  private chooseMetric(node: number): void {
    const { summary } = this.app;
    /* What has only parts has nothing of its own: there an expanded row still stands for all. */
    const own = this.metrics.view.isExpanded(node) && summary.metrics[node]!.kind !== "derived";
    this.app.update({ metric: node, ownMetric: own });
  }

  private choosePath(node: number): void {
    const { paths } = this.app.summary;
    if (node >= paths.length) this.app.update({ path: this.paths.view.parentOf(node), ownPath: true });
    else this.app.update({ path: node, ownPath: this.paths.view.isExpanded(node) });
  }

  private chooseSystem(node: number): void {
    const ranks = this.systemTree.ranksOf(node);
    if (ranks) this.app.update({ rank: ranks[0] });
  }

  private brushRanks(node: number): void {
    const ranks = this.systemTree.ranksOf(node);
    if (ranks) this.app.update({ ranks });
  }

  private fileName(id: string): string {
    const { state, summary } = this.app;
    return fileNameOf(summary.facts.get("program") ?? "run", id, summary.metrics[state.metric]!.name);
  }

  private csv(id: string): string {
    const { summary, state } = this.app;
    const metric = summary.metrics[state.metric]!.name;
    if (id === "metric-tree")
      return csvOf(["metric", "value"], this.metrics.view.shown().map(({ node, value }) => [summary.metrics[node]!.name, value]));
    if (id === "call-tree") return this.pathCsv(summary, metric);
    return csvOf(
      ["host", "rank", "thread", "metric", "value"],
      this.system.view.shown().map(({ node, value }) => [...this.systemTree.columns(node), metric, value]),
    );
  }

  /** As `tsprof export --what callpaths`: exclusive over call paths, zeros left out. */
  private pathCsv(summary: Summary, metric: string): string {
    const { model, state } = this.app;
    const values = model.profile(scopeOf(state), state.metric, state.ownMetric);
    const rows: (string | number)[][] = [];
    values.forEach((value, path) => {
      if (value !== 0) rows.push([pathNames(summary, path).join(";"), metric, value]);
    });
    return csvOf(["callpath", "metric", "value"], rows);
  }

  destroy(): void {
    this.slices.stop();
    for (const pane of [this.metrics, this.paths, this.system]) pane.view.destroy();
  }
}

export const trees: View = {
  name: "trees",
  title: "Trees",
  text: "Metrics, call paths and system, each restricted by what is chosen to the left of it",
  create: (host, app) => new Trees(host, app),
};
