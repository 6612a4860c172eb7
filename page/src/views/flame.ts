/* The flame graph of what is selected: iterations, ranks, metric.  Root at the top. */
import { App, View, ViewInstance } from "../app";
import { composed, copyButtons, csvOf, fileNameOf } from "../draw/copy";
import { IcicleView } from "../draw/icicle_view";
import { Tree, makeTree } from "../draw/tree";
import { Scope } from "../model/scope";
import { pathNames } from "../model/summary";
import { Changed, Key, scopeOf } from "../state";
import { ROLE_COLOURS, diverging } from "../ui/colours";
import { h } from "../ui/dom";
import { percent, quantity } from "../ui/numbers";
import { panel } from "../ui/panel";
import { ROLE_TEXT, button, canvasStyle, fillAndText, pathText, scopeText, sourceText } from "./common";

const DRAWN: Key[] = ["phase", "metric", "ownMetric", "iterations", "ranks", "theme"];

/** Always the same for the same name. */
function shadeOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)!) | 0;
  return Math.abs(hash) % 3;
}

class Flame implements ViewInstance {
  private readonly tree: Tree;
  private readonly view: IcicleView;
  private readonly search: HTMLInputElement;
  private readonly found = h("span", { class: "found", role: "status", "data-testid": "flame-found" });
  private readonly line = h("p", { class: "view-line" });

  constructor(
    host: HTMLElement,
    private readonly app: App,
  ) {
    this.tree = makeTree(app.summary.paths.map((path) => path.parent));
    this.view = new IcicleView("flame", "Flame graph", canvasStyle, {
      zoomed: (node) => app.update({ path: Math.max(0, node), ownPath: false }),
    });
    this.search = h("input", {
      type: "search",
      placeholder: "search",
      "aria-label": "Highlight frames whose name contains",
      "data-testid": "flame-search",
      input: () => this.highlight(),
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
    box.body.append(this.line, this.view.element, legend(app));
    host.append(box.element);
  }

  private get metric() {
    return this.app.summary.metrics[this.app.state.metric]!;
  }

  private get scope(): Scope {
    return scopeOf(this.app.state);
  }

  private title(): string {
    const own = this.app.state.ownMetric ? " without its parts" : "";
    return `${this.metric.name}${own}, sum over ${scopeText(this.app, this.scope)}`;
  }

  update(changed: Changed): void {
    const { state } = this.app;
    if (DRAWN.some((name) => changed.has(name))) this.show();
    if (changed.has("path")) this.view.zoomTo(state.path === 0 ? -1 : state.path);
  }

  private show(): void {
    const { model, summary, state } = this.app;
    const exclusive = model.profile(this.scope, state.metric, state.ownMetric);
    const inclusive = model.inclusiveProfile(this.scope, state.metric, state.ownMetric);
    const total = inclusive[0] ?? 0;
    const isSigned = exclusive.some((value) => value < 0);
    const most = inclusive.reduce((size, value) => Math.max(size, Math.abs(value)), 0);
    this.line.textContent = `${this.title()}${isSigned ? "; blue is less, red is more" : ""}.`;
    this.view.show({
      tree: this.tree,
      exclusive,
      inclusive,
      label: (node) => summary.paths[node]!.name,
      describe: (node) => this.describe(node, exclusive[node]!, inclusive[node]!, total),
      colours: (node) => {
        const path = summary.paths[node]!;
        if (isSigned) return fillAndText(diverging(most > 0 ? inclusive[node]! / most : 0));
        return fillAndText(ROLE_COLOURS[path.role][shadeOf(path.name)]!);
      },
      data: (node) => ({ path: pathNames(summary, node).join(";"), value: String(inclusive[node]!) }),
    });
    this.highlight();
  }

  private describe(node: number, own: number, all: number, total: number): string {
    const { summary } = this.app;
    const { unit } = this.metric;
    const share = total > 0 && total !== all ? `, ${percent(all / total)} of all` : "";
    const itself = own !== all ? `; ${quantity(own, unit)} of it itself` : "";
    const what = [ROLE_TEXT[summary.paths[node]!.role], sourceText(summary, node)].filter((part) => part !== "").join("; ");
    return `${pathText(summary, node)}: ${quantity(all, unit)}${share}${itself} – ${what}`;
  }

  private highlight(): void {
    const { frames, share } = this.view.search(this.search.value);
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
    this.view.destroy();
  }
}

function legend(app: App): HTMLElement {
  const entry = (role: "usr" | "com" | "mpi"): HTMLElement => {
    const box = h("span", { class: "legend-box", "aria-hidden": "true" });
    box.style.background = fillAndText(ROLE_COLOURS[role][0]!).fill;
    return h("li", {}, box, ROLE_TEXT[role]);
  };
  return h("ul", { class: "legend", hidden: app.summary.derived }, entry("usr"), entry("com"), entry("mpi"));
}

export const flame: View = {
  name: "flame",
  title: "Flame graph",
  text: "Which call paths the selected metric is on, widest first to see",
  create: (host, app) => new Flame(host, app),
};
