/* Two parts of the run side by side, by call path: iterations, ranges of them, ranks. */
import { App, Slices, View, ViewInstance } from "../app";
import { copyButtons, csvOf, fileNameOf } from "../draw/copy";
import { Difference, differences, scaled } from "../draw/difference";
import { Column, ValueTable } from "../draw/value_table";
import { Pieces } from "../model/iterations";
import { medianIteration } from "../model/members";
import { Range, Scope, key } from "../model/scope";
import { shownNames } from "../model/names";
import { pathNames } from "../model/summary";
import { Changed, Compared, Key, measureOf } from "../state";
import { css, diverging } from "../ui/colours";
import { h, select } from "../ui/dom";
import { exactNumber, percent, quantity } from "../ui/numbers";
import { panel } from "../ui/panel";
import { button, fillAndText, measureText, pathText, scopeText, sourceText } from "./common";
import { RangeFields } from "./range_fields";

const DRAWN: Key[] = ["phase", "metric", "ownMetric", "a", "b", "iteration", "iterations", "rank", "ranks", "extra"];

const EMPTY: Compared = { iterations: null, ranks: null };

const isEmpty = (one: Compared): boolean => one.iterations === null && one.ranks === null;

/** Ready-made pairs. */
const PAIRS: [string, string, (app: App) => { a: Compared; b: Compared } | null][] = [
  ["median", "this iteration – the median one", () => ({ a: EMPTY, b: EMPTY })],
  [
    "selection",
    "the selection – all of the phase",
    ({ state, model }) =>
      state.iterations || state.ranks
        ? {
            a: { iterations: state.iterations ?? wholePhase(state.phase, model), ranks: state.ranks },
            b: { iterations: wholePhase(state.phase, model), ranks: null },
          }
        : null,
  ],
  [
    "halves",
    "the last tenth – the first tenth",
    ({ state, model }) => {
      const whole = wholePhase(state.phase, model);
      if (!whole) return null;
      const tenth = Math.max(1, Math.floor((whole[1] + 1) / 10));
      return { a: { iterations: [whole[1] + 1 - tenth, whole[1]], ranks: null }, b: { iterations: [0, tenth - 1], ranks: null } };
    },
  ],
  [
    "rank",
    "this rank – all ranks",
    ({ state, model }) => ({
      a: { iterations: state.iterations ?? wholePhase(state.phase, model), ranks: [state.rank, state.rank] },
      b: { iterations: state.iterations ?? wholePhase(state.phase, model), ranks: model.allRanks },
    }),
  ],
];

function wholePhase(phase: number, model: App["model"]): Range | null {
  return phase < 0 ? null : [0, Math.max(0, model.phase(phase).iterations - 1)];
}

class Comparison implements ViewInstance {
  private readonly a: RangeFields;
  private readonly b: RangeFields;
  private readonly table: ValueTable;
  private readonly line = h("p", { class: "view-line", "data-testid": "compare-line" });
  private readonly total = h("p", { class: "compare-total", "data-testid": "compare-total" });
  private readonly kind = select(
    "values",
    "compare-kind",
    [["exclusive", "of the call path itself"], ["inclusive", "with what it calls"]],
    (kind) => this.app.update({ extra: { ...this.app.state.extra, compared: kind } }),
  );
  private readonly slices = new Slices();
  private rows: Difference[] = [];
  private median = 0;

  constructor(
    host: HTMLElement,
    private readonly app: App,
  ) {
    this.a = new RangeFields("compare-a", "A", app, (a) => app.update({ a, b: this.effective().b }));
    this.b = new RangeFields("compare-b", "B", app, (b) => app.update({ a: this.effective().a, b }));
    this.table = new ValueTable("compare", "Differences by call path", "difference", {
      chosen: (row) => app.update({ path: this.rows[row]!.node, ownPath: false }),
    });
    const box = panel("Comparison", { className: "compare-panel" });
    box.actions.append(
      copyButtons("compare", {
        fileName: () => fileNameOf(app.summary.facts.get("program") ?? "run", "comparison", this.metric.name),
        csv: () => this.csv(),
      }),
    );
    const pairs = h(
      "div",
      { class: "view-bar", role: "group", "aria-label": "Ready-made pairs" },
      ...PAIRS.filter(([name]) => app.state.phase >= 0 || name === "rank").map(([name, text, make]) =>
        button(`compare-pair-${name}`, text, `Compare ${text}`, () => {
          const pair = make(app);
          if (pair) app.update(pair);
          else app.announce("Nothing is selected: brush iterations or ranks above first.");
        }),
      ),
      button("compare-swap", "A ⇄ B", "Swap A and B", () => {
        const { a, b } = this.effective();
        app.update({ a: b, b: a });
      }),
      this.kind.element,
    );
    box.body.append(pairs, h("div", { class: "compare-sides" }, this.a.element, this.b.element), this.line, this.total, this.table.element);
    host.append(box.element);
  }

  private get metric() {
    return this.app.summary.metrics[this.app.state.metric]!;
  }

  /** What is compared where nothing was chosen: this iteration and the median one, or this rank and all. */
  private effective(): { a: Compared; b: Compared } {
    const { state, model } = this.app;
    if (!isEmpty(state.a) || !isEmpty(state.b)) return { a: this.complete(state.a), b: this.complete(state.b) };
    if (state.phase < 0) return { a: { iterations: null, ranks: [state.rank, state.rank] }, b: { iterations: null, ranks: model.allRanks } };
    return {
      a: { iterations: [state.iteration, state.iteration], ranks: state.ranks },
      b: { iterations: [this.median, this.median], ranks: state.ranks },
    };
  }

  /** B is what it is where nothing was chosen. */
  private get isMedian(): boolean {
    const { state } = this.app;
    return state.phase >= 0 && isEmpty(state.a) && isEmpty(state.b);
  }

  private complete(one: Compared): Compared {
    return { iterations: one.iterations ?? wholePhase(this.app.state.phase, this.app.model), ranks: one.ranks };
  }

  private scope(one: Compared): Scope {
    return { phase: this.app.state.phase, iterations: one.iterations, ranks: one.ranks };
  }

  /** By call path: the mean of an iteration and rank. */
  private values(one: Compared): Float64Array {
    const { model, state } = this.app;
    const scope = this.scope(one);
    const profile = state.extra.compared === "inclusive" ? model.inclusiveProfile : model.profile;
    return scaled(profile.call(model, scope, state.metric, state.ownMetric), 1 / Math.max(1, model.profilesIn(scope)));
  }

  private wholeOf(one: Compared): number {
    const { model, state } = this.app;
    const scope = this.scope(one);
    return model.inclusiveProfile(scope, state.metric, state.ownMetric)[0]! / Math.max(1, model.profilesIn(scope));
  }

  update(changed: Changed): void {
    if (!DRAWN.some((name) => changed.has(name))) return;
    const wanted = this.shown;
    this.slices.run(
      () => this.compute(),
      () => {
        if (wanted === this.shown) this.draw();
      },
    );
  }

  /** What the values are of. */
  private get shown(): string {
    const { state } = this.app;
    return key(state.phase, state.metric, state.ownMetric, state.a, state.b, state.iteration, state.rank, state.ranks);
  }

  /** What is drawn is then known to the model. */
  private *compute(): Pieces<void> {
    const { state, model } = this.app;
    if (this.isMedian) {
      /* Of all ranks' means of the metric. */
      const { mean } = yield* model.seriesInPieces(state.phase, { ...measureOf(state), path: 0, ownPath: false }, null);
      this.median = Math.max(0, medianIteration(mean, wholePhase(state.phase, model)!));
    }
    const { a, b } = this.effective();
    for (const one of [a, b]) yield* model.profileInPieces(this.scope(one), state.metric, state.ownMetric);
  }

  private draw(): void {
    const { a, b } = this.effective();
    this.a.show(a);
    this.b.show(b);
    this.kind.set(this.app.state.extra.compared === "inclusive" ? "inclusive" : "exclusive");
    this.rows = differences(this.values(a), this.values(b));
    this.tell(a, b);
    this.table.show({ rows: this.rows.length, columns: this.columns(), data: (row) => this.data(row) });
  }

  private tell(a: Compared, b: Compared): void {
    const { unit } = this.metric;
    const [wholeA, wholeB] = [this.wholeOf(a), this.wholeOf(b)];
    const difference = wholeA - wholeB;
    const share = wholeB > 0 ? ` (${difference > 0 ? "+" : ""}${percent(difference / wholeB)})` : "";
    const name = measureText(this.app, { ...this.app.state, path: 0, ownPath: false });
    this.line.textContent =
      `A: ${scopeText(this.app, this.scope(a))}. B: ${scopeText(this.app, this.scope(b))}${this.isMedian ? " (the median)" : ""}. ` +
      `Values are means of ${this.app.state.phase < 0 ? "a rank" : "an iteration and rank"}; blue is less in A, red is more.`;
    this.total.textContent = `${name}: A ${quantity(wholeA, unit)}, B ${quantity(wholeB, unit)}, A − B ${signed(difference, unit)}${share}`;
    Object.assign(this.total.dataset, { a: exactNumber(wholeA), b: exactNumber(wholeB), difference: exactNumber(difference) });
  }

  private columns(): Column[] {
    const { summary } = this.app;
    const { unit } = this.metric;
    const { rows } = this;
    const most = rows.reduce((size, row) => Math.max(size, Math.abs(row.difference)), 0);
    const tint = (row: number): string | null => {
      const share = most > 0 ? rows[row]!.difference / most : 0;
      return share === 0 ? null : css(diverging(share));
    };
    const number = (id: string, title: string, key: (row: Difference) => number, text: (row: Difference) => string): Column => ({
      id,
      title,
      width: "6.25em",
      isNumber: true,
      text: (row) => text(rows[row]!),
      key: (row) => key(rows[row]!),
    });
    return [
      {
        id: "path",
        title: "call path",
        width: "minmax(12em, 1fr)",
        isNumber: false,
        text: (row) => shownNames(summary, rows[row]!.node).reverse().join(" ‹ "),
        key: (row) => pathText(summary, rows[row]!.node),
        tooltip: (row) => `${pathText(summary, rows[row]!.node)}\n${sourceText(summary, rows[row]!.node)}`,
      },
      number("a", "A", (row) => row.a, (row) => quantity(row.a, unit)),
      number("b", "B", (row) => row.b, (row) => quantity(row.b, unit)),
      {
        ...number("difference", "A − B", (row) => Math.abs(row.difference), (row) => signed(row.difference, unit)),
        colour: tint,
        ink: (row) => fillAndText(diverging(most > 0 ? rows[row]!.difference / most : 0)).text,
      },
      number("ratio", "A / B", (row) => row.ratio, (row) => ratioText(row)),
    ];
  }

  private data(row: number): Record<string, string> {
    const { node, a, b, difference } = this.rows[row]!;
    return {
      path: pathNames(this.app.summary, node).join(";"),
      a: exactNumber(a),
      b: exactNumber(b),
      difference: exactNumber(difference),
    };
  }

  private csv(): string {
    const metric = this.metric.name;
    return csvOf(
      ["callpath", "metric", "a", "b", "difference", "ratio"],
      this.table.rowsInOrder().map((row) => {
        const { node, a, b, difference, ratio } = this.rows[row]!;
        return [pathNames(this.app.summary, node).join(";"), metric, a, b, difference, ratio];
      }),
    );
  }

  destroy(): void {
    this.slices.stop();
    this.table.destroy();
  }
}

function signed(value: number, unit: string): string {
  return `${value > 0 ? "+" : ""}${quantity(value, unit)}`;
}

function ratioText(row: Difference): string {
  if (Number.isNaN(row.ratio)) return "only in A";
  if (row.a === 0) return "only in B";
  if (row.ratio < 0) return "–";
  if (row.ratio < 0.001) return "< 0.001 ×";
  if (row.ratio >= 10000) return "> 9999 ×";
  return `${row.ratio >= 100 ? row.ratio.toFixed(0) : row.ratio.toPrecision(3)} ×`;
}

export const comparison: View = {
  name: "comparison",
  title: "Comparison",
  text: "Two iterations, ranges of iterations or ranges of ranks: what differs, by call path",
  unavailable: ({ state, summary }) =>
    state.phase < 0 && summary.ranks.length < 2 ? "There is one rank and no iteration." : null,
  create: (host, app) => new Comparison(host, app),
};
