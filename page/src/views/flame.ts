/* The flame graph of what is selected: iterations, ranks, metric.  Root at the top. */
import { App, Slices, View, ViewInstance } from "../app";
import { canvasStyle } from "../draw/canvas";
import { composed, copyButtons, csvOf, fileNameOf } from "../draw/copy";
import { Found, IcicleContent, IcicleView } from "../draw/icicle_view";
import { Tree, addUp, makeTree } from "../draw/tree";
import { callMetrics } from "../model/call_metric";
import { Pieces } from "../model/iterations";
import { Scope, key } from "../model/scope";
import { pathNames } from "../model/summary";
import { UNSAMPLED, setApart } from "../model/unsampled";
import { Changed, Key, scopeOf } from "../state";
import { OTHERS, PARTS, ROLE_COLOURS, Rgb, diverging, rgbOf } from "../ui/colours";
import { h } from "../ui/dom";
import { percent, quantity } from "../ui/numbers";
import { panel } from "../ui/panel";
import { ROLE_TEXT, UNSAMPLED_TEXT, button, fillAndText, nameOf, scopeText, shownText, sourceText } from "./common";

const DRAWN: Key[] = ["phase", "metric", "ownMetric", "iterations", "ranks"];

/** Always the same for the same name. */
function shadeOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)!) | 0;
  return Math.abs(hash) % 3;
}

class Flame implements ViewInstance {
  /** Of what is shown: call paths, and after them what is not sampled. */
  private tree: Tree;
  private readonly view: IcicleView;
  private readonly search: HTMLInputElement;
  private readonly found = h("span", { class: "found", role: "status", "data-testid": "flame-found" });
  private readonly line = h("p", { class: "view-line" });
  private readonly slices = new Slices();
  /** By call path: of an MPI function, the part of the time that it is in. */
  private readonly calls: (string | null)[];

  constructor(
    host: HTMLElement,
    private readonly app: App,
  ) {
    this.tree = makeTree(app.summary.paths.map((path) => path.parent));
    this.calls = callMetrics(app.summary, (name) => PARTS.has(name));
    this.view = new IcicleView("flame", "Flame graph", {
      zoomed: (node) => app.update({ path: Math.max(0, this.pathOf(node)), ownPath: false }),
    });
    this.search = h("input", {
      type: "search",
      placeholder: "search",
      "aria-label": "Highlight frames whose name contains",
      "data-testid": "flame-search",
      input: () => this.tell(this.view.search(this.search.value)),
      keydown: (event: KeyboardEvent) => {
        if (event.key === "Enter") this.view.goToFound(event.shiftKey ? -1 : 1);
      },
    });
    const box = panel("Flame graph", { className: "flame-panel" });
    box.actions.append(
      this.found,
      this.search,
      button("flame-reset", "Zoom out", "Show all call paths", () => app.update({ path: 0, ownPath: false })),
      copyButtons("flame", {
        fileName: () => fileNameOf(app.summary.facts.get("program") ?? "run", "flame", this.metric.name),
        csv: () => this.csv(),
        picture: () => composed(this.title(), [this.view.canvas], canvasStyle()),
      }),
    );
    box.body.append(this.line, this.view.element, legend(app, this.calls));
    host.append(box.element);
  }

  private get metric() {
    return this.app.summary.metrics[this.app.state.metric]!;
  }

  /** What has the whole width; -1 for all. */
  private get zoom(): number {
    return this.app.state.path === 0 ? -1 : this.app.state.path;
  }

  private get scope(): Scope {
    return scopeOf(this.app.state);
  }

  private title(): string {
    const own = this.app.state.ownMetric ? " without its parts" : "";
    return `${this.metric.name}${own}, sum over ${scopeText(this.app, this.scope)}`;
  }

  update(changed: Changed): void {
    if (changed.has("theme")) this.view.draw();
    if (changed.has("path")) this.view.zoomTo(this.zoom);
    if (!DRAWN.some((name) => changed.has(name))) return;
    const wanted = this.shown;
    this.slices.run(
      () => this.compute(),
      () => {
        if (wanted === this.shown) this.show();
      },
    );
  }

  /** What is shown is then known to the model. */
  private *compute(): Pieces<void> {
    const { model, state } = this.app;
    yield* model.profileInPieces(this.scope, state.metric, state.ownMetric);
    yield* model.unsampledInPieces(this.scope, state.metric, state.ownMetric);
  }

  /** The call path that a node is, or is part of. */
  private pathOf(node: number): number {
    return node < this.app.summary.paths.length ? node : this.tree.parent[node]!;
  }

  /** What the values are of. */
  private get shown(): string {
    const { state } = this.app;
    return key(this.scope, state.metric, state.ownMetric);
  }

  private show(): void {
    const { model, summary, state } = this.app;
    const apart = setApart(summary, model.profile(this.scope, state.metric, state.ownMetric), model.unsampled(this.scope, state.metric, state.ownMetric));
    this.tree = makeTree(apart.parents);
    const exclusive = apart.values;
    const inclusive = addUp(this.tree, exclusive);
    const label = (node: number): string => (node < summary.paths.length ? nameOf(summary, node) : UNSAMPLED);
    const names = (node: number): string[] => [...pathNames(summary, this.pathOf(node)), ...(node < summary.paths.length ? [] : [UNSAMPLED])];
    const total = inclusive[0] ?? 0;
    const isSigned = exclusive.some((value) => value < 0);
    const most = inclusive.reduce((size, value) => Math.max(size, Math.abs(value)), 0);
    this.line.textContent = `${this.title()}${isSigned ? "; blue is less, red is more" : ""}.`;
    const content: IcicleContent = {
      tree: this.tree,
      exclusive,
      inclusive,
      label,
      describe: (node) => this.describe(node, exclusive[node]!, inclusive[node]!, total),
      colours: (node) => {
        if (isSigned) return fillAndText(diverging(most > 0 ? inclusive[node]! / most : 0));
        return fillAndText(this.colourOf(node, label(node)));
      },
      data: (node) => ({ path: names(node).join(";"), value: String(inclusive[node]!) }),
    };
    this.tell(this.view.show(content, this.zoom, this.search.value));
  }

  private colourOf(node: number, label: string): Rgb {
    const role = this.app.summary.paths[node]?.role ?? "usr";
    return role === "mpi" ? rgbOf(PARTS.get(this.calls[node] ?? "") ?? OTHERS) : ROLE_COLOURS[role][shadeOf(label)]!;
  }

  private describe(node: number, own: number, all: number, total: number): string {
    const { summary } = this.app;
    const { unit } = this.metric;
    if (node >= summary.paths.length) return `${UNSAMPLED} in ${shownText(summary, this.pathOf(node))}: ${quantity(all, unit)} – ${UNSAMPLED_TEXT}`;
    const share = total > 0 && total !== all ? `, ${percent(all / total)} of all` : "";
    const itself = own !== all ? `; ${quantity(own, unit)} of it itself` : "";
    const what = [ROLE_TEXT[summary.paths[node]!.role], sourceText(summary, node)].filter((part) => part !== "").join("; ");
    return `${shownText(summary, node)}: ${quantity(all, unit)}${share}${itself} – ${what}`;
  }

  private tell({ frames, share }: Found): void {
    this.found.textContent = this.search.value.trim() === "" ? "" : `${frames} found, ${percent(share)}`;
  }

  private csv(): string {
    const { model, state, summary } = this.app;
    const rows: (string | number)[][] = [];
    model.profile(this.scope, state.metric, state.ownMetric).forEach((value, path) => {
      if (value !== 0) rows.push([pathNames(summary, path).join(";"), this.metric.name, value]);
    });
    return csvOf(["callpath", "metric", "value"], rows);
  }

  destroy(): void {
    this.slices.stop();
    this.view.destroy();
  }
}

function legend(app: App, calls: readonly (string | null)[]): HTMLElement {
  const entry = (rgb: Rgb, text: string): HTMLElement => {
    const box = h("span", { class: "legend-box", "aria-hidden": "true" });
    box.style.background = fillAndText(rgb).fill;
    return h("li", {}, box, text);
  };
  const metrics = [...PARTS].filter(([name]) => calls.includes(name));
  return h(
    "ul",
    { class: "legend", hidden: app.summary.derived, "data-testid": "flame-legend" },
    entry(ROLE_COLOURS.usr[0]!, ROLE_TEXT.usr),
    entry(ROLE_COLOURS.com[0]!, ROLE_TEXT.com),
    ...metrics.map(([name, colour]) => entry(rgbOf(colour), name)),
  );
}

export const flame: View = {
  name: "flame",
  title: "Flame graph",
  text: "Which call paths the selected metric is on, widest first to see",
  create: (host, app) => new Flame(host, app),
};
