/* Who waits for whom, and because of what: the result of `tsprof waits`. */
import { App, View, ViewInstance } from "../app";
import { copyButtons, csvOf, fileNameOf } from "../draw/copy";
import { Column, ValueTable } from "../draw/value_table";
import { Reason, WaitPair } from "../format/waits";
import { findMetric, pathNames } from "../model/summary";
import { WaitMatrix, gainsOf, rankOfLocation, waitMatrix } from "../model/waits";
import { Changed } from "../state";
import { css, sequential } from "../ui/colours";
import { h, sizeCanvas } from "../ui/dom";
import { exactNumber, percent, quantity } from "../ui/numbers";
import { Panel, panel } from "../ui/panel";
import { baseName, button, colourBar, definitionOf, nameOf, pathText, shownText } from "./common";

/** In `extra` of the state: row and column that are chosen, "3-0". */
const CELL = "waits";

/** Of the matrix on the screen; more ranks than pixels are shown in groups. */
const MATRIX_PIXELS = 420;
const CELL_PIXELS = 28;

const seconds = (ns: number): string => quantity(ns / 1e9, "s");

class Waits implements ViewInstance {
  private readonly canvas = h("canvas", { class: "wait-matrix", role: "img", "data-testid": "wait-matrix" });
  private readonly over = h("p", { class: "view-line", "data-testid": "wait-over" });
  private readonly legend = colourBar("wait-legend");
  private readonly table: ValueTable;
  private readonly reasons = h("div", { class: "wait-reasons", "data-testid": "wait-reasons" });
  private readonly rankOf: Int32Array;
  private matrix: WaitMatrix;
  private cell = 1;
  /** Row and column of the matrix whose pairs are listed; null: all. */
  private chosen: [number, number] | null = null;
  private pairs: readonly WaitPair[] = [];

  constructor(
    host: HTMLElement,
    private readonly app: App,
  ) {
    this.rankOf = rankOfLocation(app.summary);
    this.matrix = waitMatrix(app.summary, app.summary.waits, MATRIX_PIXELS);
    this.table = new ValueTable("wait-pairs", "Waits by call path", "time", { chosen: (row) => this.showReasons(this.pairs[row]!) });
    const left = panel("Who waits for whom", { text: "Rows wait, columns are waited for.", className: "wait-matrix-panel" });
    left.actions.append(button("wait-all", "All", "List the waits of all ranks", () => this.keep(null)));
    left.body.append(this.canvas, this.legend.element, this.over);
    const middle = panel("Waits", { text: "Choose one to see what caused it.", className: "wait-pairs-panel" });
    middle.actions.append(this.copies());
    middle.body.append(this.table.element);
    const right: Panel = panel("Causes", { className: "wait-reasons-panel" });
    right.body.append(this.reasons, ...this.gains());
    host.append(h("div", { class: "waits" }, left.element, middle.element, right.element));
    this.canvas.addEventListener("click", (event) => this.keep(this.cellAt(event)));
    this.canvas.addEventListener("pointermove", (event) => this.describe(this.cellAt(event)));
  }

  /** What a prediction says would gain most; nothing where none was made. */
  private gains(): HTMLElement[] {
    const gains = gainsOf(this.app.summary.facts);
    if (gains.length === 0) return [];
    const line = ({ question, seconds: gained }: { question: string; seconds: number }): HTMLElement =>
      h("li", {}, `${quantity(gained, "s")}: `, h("code", {}, question));
    return [
      h("p", {}, "What would gain most, as tsprof whatif predicts"),
      h("ul", { class: "wait-gains", "data-testid": "wait-gains" }, ...gains.map(line)),
    ];
  }

  /** What is chosen is in the address. */
  private keep(cell: [number, number] | null): void {
    const extra = { ...this.app.state.extra };
    delete extra[CELL];
    this.app.update({ extra: cell ? { ...extra, [CELL]: cell.join("-") } : extra });
  }

  private kept(): [number, number] | null {
    const found = /^(\d+)-(\d+)$/.exec(this.app.state.extra[CELL] ?? "");
    const cell: [number, number] | null = found && [Number(found[1]), Number(found[2])];
    return cell && cell[0] < this.matrix.ranks && cell[1] < this.matrix.ranks ? cell : null;
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
    const inside = ranks.filter((_, i) => Math.floor((i * this.matrix.ranks) / ranks.length) === group);
    const [first, last] = [inside[0]!.rank, inside[inside.length - 1]!.rank];
    return first === last ? `rank ${first}` : `ranks ${first}–${last}`;
  }

  private cellAt(event: MouseEvent): [number, number] | null {
    const row = Math.floor(event.offsetY / this.cell);
    const column = Math.floor(event.offsetX / this.cell);
    return row < this.matrix.ranks && column < this.matrix.ranks ? [row, column] : null;
  }

  private describe(cell: [number, number] | null): void {
    this.over.textContent = cell
      ? `${this.ranksIn(cell[0])} for ${this.ranksIn(cell[1])}: ${quantity(this.matrix.seconds[cell[0] * this.matrix.ranks + cell[1]]!, "s")}`
      : "";
  }

  private choose(cell: [number, number] | null): void {
    const { summary } = this.app;
    const group = (location: number): number =>
      Math.floor(((this.rankOf[location] ?? -1) * this.matrix.ranks) / summary.ranks.length);
    this.chosen = cell;
    this.pairs = summary.waits.filter(
      ({ location, cause }) => !cell || (group(location) === cell[0] && group(cause) === cell[1]),
    );
    this.describe(cell);
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
    this.reasons.replaceChildren(
      h("p", {}, `Rank ${this.rank(pair.location)} waits for ${seconds(pair.ns)} in `, this.link(pair.path, metric)),
      h("p", {}, `since rank ${this.rank(pair.cause)}`),
      h("ul", {}, ...pair.reasons.map(line)),
    );
  }

  private draw(): void {
    const { ranks, seconds: values, most } = this.matrix;
    this.cell = Math.max(1, Math.min(CELL_PIXELS, Math.floor(MATRIX_PIXELS / ranks)));
    const context = sizeCanvas(this.canvas, ranks * this.cell, ranks * this.cell);
    this.canvas.setAttribute("aria-label", `Who waits for whom, ${this.app.summary.ranks.length} ranks; the table beside it has the numbers`);
    for (let row = 0; row < ranks; row++)
      for (let column = 0; column < ranks; column++) {
        context.fillStyle = css(sequential(most > 0 ? values[row * ranks + column]! / most : 0));
        context.fillRect(column * this.cell, row * this.cell, this.cell, this.cell);
      }
    if (this.chosen && this.cell > 3) {
      context.strokeStyle = "#fff";
      context.lineWidth = 2;
      context.strokeRect(this.chosen[1] * this.cell + 1, this.chosen[0] * this.cell + 1, this.cell - 2, this.cell - 2);
    }
    this.legend.set("0", quantity(most, "s"), (share) => sequential(share));
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
