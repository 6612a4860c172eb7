/* Who waits for whom, and because of what: the result of `tsprof waits`. */
import { App, View, ViewInstance } from "../app";
import { copyButtons, csvOf, fileNameOf } from "../draw/copy";
import { Column, ValueTable } from "../draw/value_table";
import { Cell, MOST_ROWS, WaitMatrixView } from "../draw/wait_matrix";
import { Reason, WaitPair } from "../format/waits";
import { findMetric, pathNames } from "../model/summary";
import { WaitMatrix, gainsOf, groupOf, rankOfLocation, waitMatrix } from "../model/waits";
import { Changed } from "../state";
import { sequential } from "../ui/colours";
import { h } from "../ui/dom";
import { exactNumber, percent, quantity } from "../ui/numbers";
import { Panel, panel } from "../ui/panel";
import { baseName, button, colourBar, definitionOf, nameOf, pathText, shownText } from "./common";

/** In `extra` of the state: row and column that are chosen, "3-0". */
const CELL = "waits";

/** What causes less than this share of a wait is told together. */
const LEAST_SHARE = 0.0001;

const seconds = (ns: number): string => quantity(ns / 1e9, "s");

class Waits implements ViewInstance {
  private readonly picture = new WaitMatrixView((cell) => this.keep(cell));
  private readonly legend = colourBar("wait-legend");
  private readonly table: ValueTable;
  private readonly reasons = h("div", { class: "wait-reasons", "data-testid": "wait-reasons" });
  private readonly rankOf: Int32Array;
  private readonly matrix: WaitMatrix;
  /** What of the matrix is listed; null: all. */
  private chosen: Cell | null = null;
  private pairs: readonly WaitPair[] = [];

  constructor(
    host: HTMLElement,
    private readonly app: App,
  ) {
    this.rankOf = rankOfLocation(app.summary);
    this.matrix = waitMatrix(app.summary, app.summary.waits, MOST_ROWS);
    this.table = new ValueTable("wait-pairs", "Waits by call path", "time", { chosen: (row) => this.showReasons(this.pairs[row]!) });
    const groups = this.matrix.size > 1 ? ` Each has ${this.matrix.size} ranks.` : "";
    const left = panel("Who waits for whom", { text: `Rows wait, columns are waited for.${groups}`, className: "wait-matrix-panel" });
    left.actions.append(button("wait-all", "All", "List the waits of all ranks", () => this.keep(null)));
    left.body.append(this.picture.element, this.legend.element);
    const middle = panel("Waits", { text: "Choose one to see what caused it.", className: "wait-pairs-panel" });
    middle.actions.append(this.copies());
    middle.body.append(this.table.element);
    const right: Panel = panel("Causes", { className: "wait-reasons-panel" });
    right.body.append(this.reasons);
    host.append(h("div", { class: "waits" }, left.element, right.element, middle.element, ...this.gains()));
  }

  /** What a prediction says would gain most; nothing where none was made. */
  private gains(): HTMLElement[] {
    const gains = gainsOf(this.app.summary.facts);
    if (gains.length === 0) return [];
    const line = ({ question, seconds: gained }: { question: string; seconds: number }): HTMLElement =>
      h("li", {}, `${quantity(gained, "s")}: `, h("code", {}, question));
    const box = panel("What would gain most", { text: "As tsprof whatif predicts.", className: "wait-gains-panel" });
    box.body.append(h("ul", { class: "wait-gains", "data-testid": "wait-gains" }, ...gains.map(line)));
    return [box.element];
  }

  /** What is chosen is in the address. */
  private keep(cell: Cell | null): void {
    const extra = { ...this.app.state.extra };
    delete extra[CELL];
    this.app.update({ extra: cell ? { ...extra, [CELL]: cell.join("-") } : extra });
  }

  private kept(): Cell | null {
    const found = /^(\d+)-(\d+)$/.exec(this.app.state.extra[CELL] ?? "");
    const cell: Cell | null = found && [Number(found[1]), Number(found[2])];
    return cell && cell[0] < this.matrix.rows && cell[1] < this.matrix.rows ? cell : null;
  }

  private copies(): HTMLElement {
    const { facts } = this.app.summary;
    return copyButtons("waits", { fileName: () => fileNameOf(facts.get("program") ?? "run", "waits", "time"), csv: () => this.csv() });
  }

  private rank(location: number): number | string {
    return this.app.summary.ranks[this.rankOf[location] ?? -1]?.rank ?? "?";
  }

  /** The first and the last rank in a row or column, as the program counts them. */
  private ranksIn(group: number): string {
    const { ranks } = this.app.summary;
    const { size } = this.matrix;
    const [first, last] = [ranks[group * size]!.rank, ranks[Math.min((group + 1) * size, ranks.length) - 1]!.rank];
    return first === last ? `rank ${first}` : `ranks ${first}–${last}`;
  }

  private describe([row, column]: Cell): string {
    return `${this.ranksIn(row)} for ${this.ranksIn(column)}: ${quantity(this.matrix.seconds[row * this.matrix.rows + column]!, "s")}`;
  }

  private choose(cell: Cell | null): void {
    const group = (location: number): number => groupOf(this.rankOf[location] ?? -1, this.matrix.size);
    this.chosen = cell;
    this.pairs = this.app.summary.waits.filter(
      ({ location, cause }) => !cell || (group(location) === cell[0] && group(cause) === cell[1]),
    );
    this.draw();
    this.table.show({ rows: this.pairs.length, columns: this.columns(), data: (row) => this.data(this.pairs[row]!) });
    const longest = this.pairs.reduce<WaitPair | null>((most, one) => (!most || one.ns > most.ns ? one : most), null);
    this.showReasons(longest);
  }

  private columns(): Column[] {
    const { summary } = this.app;
    const of = (row: number): WaitPair => this.pairs[row]!;
    const number = (id: string, title: string, width: string, value: (pair: WaitPair) => number, text: (pair: WaitPair) => string): Column => ({
      id, title, width, isNumber: true, key: (row) => value(of(row)), text: (row) => text(of(row)),
    });
    const word = (id: string, title: string, width: string, text: (pair: WaitPair) => string, tooltip?: (pair: WaitPair) => string): Column => ({
      id, title, width, isNumber: false, key: (row) => text(of(row)), text: (row) => text(of(row)),
      tooltip: (row) => (tooltip ?? text)(of(row)),
    });
    return [
      number("time", "time", "6em", (pair) => pair.ns, (pair) => seconds(pair.ns)),
      number("count", "waits", "5em", (pair) => pair.count, (pair) => String(pair.count)),
      number("longest", "longest", "6em", (pair) => pair.longest, (pair) => seconds(pair.longest)),
      number("rank", "rank", "4em", (pair) => Number(this.rank(pair.location)), (pair) => String(this.rank(pair.location))),
      number("cause", "for", "4em", (pair) => Number(this.rank(pair.cause)), (pair) => String(this.rank(pair.cause))),
      word("path", "in", "minmax(8em, 1fr)", (pair) => nameOf(summary, pair.path), (pair) => pathText(summary, pair.path)),
      word("metric", "metric", "minmax(8em, 1fr)", (pair) => summary.metrics[pair.metric]!.name),
    ];
  }

  private data(pair: WaitPair): Record<string, string> {
    return { rank: String(this.rank(pair.location)), cause: String(this.rank(pair.cause)), ns: exactNumber(pair.ns) };
  }

  /** A call path as a button that shows it in the trees, with the metric that it has there. */
  private link(path: number, metric: string): HTMLElement {
    const { summary } = this.app;
    const found = findMetric(summary, metric);
    const where = definitionOf(summary, path);
    const shown = button("wait-path", shownText(summary, path) + (where && ` (${baseName(where)})`), `Show ${metric} in the trees`, () =>
      this.app.update({ view: "trees", path, ownPath: false, ...(found >= 0 && { metric: found, ownMetric: false }) }),
    );
    shown.className = "link";
    return shown;
  }

  private showReasons(pair: WaitPair | null): void {
    const { summary } = this.app;
    if (!pair) {
      this.reasons.replaceChildren(h("p", { class: "muted" }, "Nobody waits here."));
      return;
    }
    const metric = summary.metrics[pair.metric]!.name;
    const line = ({ path, isIndirect, ns }: Reason): HTMLElement =>
      h(
        "li",
        {},
        `${seconds(ns)}, ${percent(ns / pair.ns)}: ${isIndirect ? "waits itself in" : "spends longer in"} `,
        this.link(path, isIndirect ? metric : "delay"),
      );
    const told = pair.reasons.filter(({ ns }) => ns >= LEAST_SHARE * pair.ns);
    const rest = pair.reasons.length - told.length;
    this.reasons.replaceChildren(
      h("p", {}, `Rank ${this.rank(pair.location)} waits for ${seconds(pair.ns)} in `, this.link(pair.path, metric)),
      h("p", {}, `since rank ${this.rank(pair.cause)}`),
      h("ul", {}, ...told.map(line)),
      ...(rest > 0 ? [h("p", { class: "muted" }, `and ${rest} more, each less than 0.01 %`)] : []),
    );
  }

  private draw(): void {
    this.picture.show({
      matrix: this.matrix,
      ranks: this.app.summary.ranks.map(({ rank }) => rank),
      chosen: this.chosen,
      describe: (cell) => this.describe(cell),
    });
    this.legend.set("0", quantity(this.matrix.most, "s"), (share) => sequential(share));
  }

  private csv(): string {
    const { summary } = this.app;
    const rows = this.pairs.map((pair): (string | number)[] => [
      this.rank(pair.location),
      pathNames(summary, pair.path).join(";"),
      summary.metrics[pair.metric]!.name,
      this.rank(pair.cause),
      pair.count,
      pair.ns / 1e9,
      pair.longest / 1e9,
    ]);
    return csvOf(["rank", "callpath", "metric", "cause_rank", "count", "time", "longest"], rows);
  }

  update(changed: Changed): void {
    if (changed.has("extra")) this.choose(this.kept());
    else if (changed.has("theme")) this.draw();
  }

  destroy(): void {
    this.picture.destroy();
    this.table.destroy();
  }
}

export const waits: View = {
  name: "waits",
  title: "Waits",
  text: "Who waits for whom, and what causes it",
  unavailable: (app) =>
    app.summary.waits.length ? null : "Nobody has looked for waits in this summary: tsprof waits does, in a trace.",
  create: (host, app) => new Waits(host, app),
};
