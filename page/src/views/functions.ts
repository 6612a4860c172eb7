/* Functions over all call paths: what they take, and who calls the one that is chosen. */
import { App, Slices, View, ViewInstance } from "../app";
import { copyButtons, csvOf, fileNameOf } from "../draw/copy";
import { Caller, FunctionList, FunctionValues, addUpFunctions, addUpSelf, callersOf, functionsOf, largestOf } from "../model/functions";
import { Pieces } from "../model/iterations";
import { shownName } from "../model/names";
import { key } from "../model/scope";
import { findMetric } from "../model/summary";
import { UNSAMPLED } from "../model/unsampled";
import { Changed, Key, scopeOf } from "../state";
import { h } from "../ui/dom";
import { exactNumber, percent, quantity } from "../ui/numbers";
import { panel } from "../ui/panel";
import { UNSAMPLED_TEXT, scopeText } from "./common";

const DRAWN: Key[] = ["phase", "metric", "ownMetric", "iterations", "ranks", "extra"];
const MOST_ROWS = 200;
const MOST_CALLERS = 300;
const DEEPEST = 20;

/** Callers with less of the function's value are not listed. */
const LEAST_SHARE = 0.001;

/** Digits of less than this share nobody compares, and functions with less are not listed. */
const LEAST_TOLD = 0.0001;

/** What columns have whose names do not tell it. */
const MEANS: Record<string, string> = {
  "per call": "the mean of a call of MPI",
  "max/iter.": "the largest value that one call path had in an iteration of a thread",
};

interface Numbers {
  values: Float64Array;
  chosen: FunctionValues;
  /** By function: what it has itself that samples have found, or that needs none. */
  self: Float64Array;
  /** What they have not found, of all functions together. */
  unsampled: number;
  visits: Float64Array | null;
  calls: FunctionValues | null;
  bytes: FunctionValues | null;
  /** By function: in an iteration of a thread. */
  largest: Float64Array;
  /** The functions with a value, the largest first. */
  order: number[];
  /** Whether any of them has a time per call, a largest value, bytes. */
  has: readonly [boolean, boolean, boolean];
}

function shareText(share: number): string {
  return share > 0 && share < LEAST_TOLD ? "< 0.01 %" : percent(share);
}

class Functions implements ViewInstance {
  private readonly list: FunctionList;
  private readonly line = h("p", { class: "view-line", "data-testid": "functions-line" });
  private readonly table = h("div", { class: "functions-table" });
  private readonly callers = h("div", {
    class: "callers-table", "data-testid": "callers", tabindex: 0, role: "group", "aria-label": "Functions and who calls them",
  });
  private readonly found = h("span", { class: "found", role: "status", "data-testid": "functions-found" });
  private readonly search = h("input", {
    type: "search",
    placeholder: "search",
    "aria-label": "List functions whose name contains",
    "data-testid": "functions-search",
    input: () => this.numbers && this.show(),
    keydown: (event: KeyboardEvent) => {
      const first = this.numbers && this.rows()[0];
      if (event.key === "Enter" && typeof first === "number") this.choose(first);
    },
  });
  private readonly slices = new Slices();
  private numbers: Numbers | null = null;
  /** Rows of the numbers by function, as far as they were shown, and whose callers are: with each letter of a search most stay. */
  private made = new Map<number, HTMLElement>();
  private callersOf = -1;

  constructor(
    host: HTMLElement,
    private readonly app: App,
  ) {
    this.list = functionsOf(app.summary);
    const flat = panel("Functions", { className: "functions-panel" });
    const who = panel("Who calls it", { className: "callers-panel" });
    flat.actions.append(
      this.found,
      this.search,
      copyButtons("functions", { fileName: () => fileNameOf(app.summary.facts.get("program") ?? "run", "functions", this.metric.name), csv: () => this.csv() }),
    );
    flat.body.append(this.table);
    who.body.append(this.callers);
    host.append(h("div", { class: "view-bar" }, this.line), h("div", { class: "functions" }, flat.element, who.element));
  }

  private get metric() {
    return this.app.summary.metrics[this.app.state.metric]!;
  }

  /** The function whose callers are shown: the one that was chosen, or the first row. */
  private get chosen(): number {
    const name = this.app.state.extra.function;
    const known = this.list.entries.findIndex((entry) => entry.name === name);
    return known >= 0 ? known : (this.rows()[0] ?? 0);
  }

  update(changed: Changed): void {
    if (!DRAWN.some((name) => changed.has(name))) return;
    const wanted = this.shown;
    this.slices.run(
      () => this.compute(),
      (numbers) => {
        if (wanted !== this.shown) return;
        this.numbers = numbers;
        this.made.clear();
        this.callersOf = -1;
        this.show();
      },
    );
  }

  private get shown(): string {
    const { state } = this.app;
    return key(scopeOf(state), state.metric, state.ownMetric);
  }

  private *compute(): Pieces<Numbers> {
    const { model, summary, state } = this.app;
    const scope = scopeOf(state);
    const [visits, bytes] = ["visits", "bytes"].map((name) => findMetric(summary, name));
    const values = yield* model.profileInPieces(scope, state.metric, state.ownMetric);
    const visited = visits! >= 0 ? yield* model.profileInPieces(scope, visits!, false) : null;
    const moved = bytes! >= 0 ? yield* model.profileInPieces(scope, bytes!, false) : null;
    const sums = (of: Float64Array | null): FunctionValues | null => (of ? addUpFunctions(summary, this.list, of) : null);
    const unsampled = yield* model.unsampledInPieces(scope, state.metric, state.ownMetric);
    const chosen = addUpFunctions(summary, this.list, values);
    const self = addUpSelf(this.list, values.map((value, path) => value - unsampled[path]!));
    const nobodys = unsampled.reduce((sum, value) => sum + value, 0);
    const largest = largestOf(summary, this.list, scope, model.locationsOf(scope), state.metric, state.ownMetric);
    const order = Array.from(self, (_, f) => f)
      .filter((f) => chosen.self[f] !== 0)
      .sort((a, b) => Math.abs(self[b]!) - Math.abs(self[a]!) || a - b);
    const [calls, volume] = [sums(visited), sums(moved)];
    const has = [
      order.some((f) => this.list.entries[f]!.isMpi && (calls?.self[f] ?? 0) > 0),
      largest.some((value) => value > 0),
      order.some((f) => (volume?.self[f] ?? 0) !== 0),
    ] as const;
    return { values, chosen, self, largest, order, has, unsampled: nobodys, visits: visited, calls, bytes: volume };
  }

  private get wanted(): string {
    return this.search.value.trim().toLowerCase();
  }

  private choose(f: number): void {
    this.app.update({ extra: { ...this.app.state.extra, function: this.list.entries[f]!.name } });
  }

  /** Whether function F has enough, with what it calls, to be listed without being searched for. */
  private matters(f: number): boolean {
    const { chosen, self } = this.numbers!;
    return Math.max(Math.abs(self[f]!), Math.abs(chosen.total[f]!)) >= LEAST_TOLD * Math.abs(chosen.total[0]!);
  }

  /** The functions that are searched for; if none is, all that matter. */
  private rows(): number[] {
    const { wanted } = this;
    const order = this.numbers?.order ?? [];
    return wanted === "" ? order.filter((f) => this.matters(f)) : order.filter((f) => this.list.entries[f]!.name.toLowerCase().includes(wanted));
  }

  /** What is said of functions that are not listed beside those of ROWS. */
  private rest(rows: number[]): string[] {
    const small = this.wanted === "" ? this.numbers!.order.length - rows.length : 0;
    return [
      ...(rows.length > MOST_ROWS ? [`and ${rows.length - MOST_ROWS} more; tsprof export --what functions has them all.`] : []),
      ...(small > 0 ? [`and ${small} with less than 0.01 % each; search finds them.`] : []),
    ];
  }

  /** How many there are of ROWS, and what they have themselves. */
  private tell(rows: number[]): void {
    const { self, chosen } = this.numbers!;
    const sum = rows.reduce((all, f) => all + self[f]!, 0);
    this.found.textContent = this.wanted === "" ? "" : `${rows.length} found, ${percent(sum / chosen.total[0]!)}`;
  }

  private show(): void {
    const rows = this.rows();
    const { app, metric } = this;
    this.tell(rows);
    this.line.textContent = `${metric.name}, sums over ${scopeText(app, scopeOf(app.state))}; total: with what a function calls.`;
    const head = ["function", "self", "%", "total", "%", "visits", ...this.optional("per call", "max/iter.", "bytes")];
    this.table.replaceChildren(
      h(
        "table",
        { class: "numbers", "data-testid": "functions" },
        h("thead", {}, h("tr", {}, ...head.map((title) => h("th", { scope: "col", title: MEANS[title] ?? "" }, title)))),
        h("tbody", {}, ...this.tableRows(rows)),
      ),
      ...this.rest(rows).map((text) => h("p", { class: "muted" }, text)),
    );
    this.showCallers();
  }

  /** What is not sampled stands where its value puts it, since it is nobody's own. */
  private tableRows(rows: number[]): HTMLElement[] {
    const { self, unsampled } = this.numbers!;
    const current = this.chosen;
    const shown = rows.slice(0, MOST_ROWS).map((f) => this.rowOf(f, f === current));
    const place = rows.findIndex((f) => Math.abs(self[f]!) < Math.abs(unsampled));
    if (unsampled !== 0 && UNSAMPLED.includes(this.wanted)) shown.splice(place < 0 ? shown.length : place, 0, this.unsampledRow());
    return shown;
  }

  /** Of what stands in the columns that not all metrics have: those of which some function has a value. */
  private optional<T>(perCall: T, largest: T, bytes: T): T[] {
    return [perCall, largest, bytes].filter((_, i) => this.numbers!.has[i]);
  }

  private unsampledRow(): HTMLElement {
    const { chosen, unsampled } = this.numbers!;
    const [value, share] = [quantity(unsampled, this.metric.unit), shareText(unsampled / chosen.total[0]!)];
    return h(
      "tr",
      { "data-function": UNSAMPLED, "data-self": exactNumber(unsampled), "data-total": exactNumber(unsampled), "data-visits": "0" },
      h("th", { scope: "row", title: UNSAMPLED_TEXT }, UNSAMPLED),
      ...[value, share, value, share, "", ...this.optional("", "", "")].map((text) => h("td", {}, text)),
    );
  }

  private rowOf(f: number, isCurrent: boolean): HTMLElement {
    const row = this.made.get(f) ?? this.row(f);
    this.made.set(f, row);
    if (isCurrent) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
    return row;
  }

  private row(f: number): HTMLElement {
    const { metric } = this;
    const { chosen, calls, bytes, largest } = this.numbers!;
    const { name, isMpi } = this.list.entries[f]!;
    const all = chosen.total[0]!;
    const [self, total, visits] = [this.numbers!.self[f]!, chosen.total[f]!, calls?.self[f] ?? 0];
    return h(
      "tr",
      { "data-function": name, "data-self": exactNumber(self), "data-total": exactNumber(total), "data-visits": exactNumber(visits), "data-largest": exactNumber(largest[f]!) },
      h("th", { scope: "row" }, h("button", { type: "button", class: "member", title: name, click: () => this.choose(f) }, shownName(this.app.summary, name))),
      h("td", {}, quantity(self, metric.unit)),
      h("td", {}, shareText(self / all)),
      h("td", {}, quantity(total, metric.unit)),
      h("td", {}, shareText(total / all)),
      h("td", {}, visits ? `${isMpi ? "" : "≥ "}${quantity(visits, "occ")}` : ""),
      ...this.optional(
        isMpi && visits ? quantity(self / visits, metric.unit) : "",
        largest[f]! > 0 ? quantity(largest[f]!, metric.unit) : "",
        bytes?.self[f] ? quantity(bytes.self[f], "bytes") : "",
      ).map((text) => h("td", {}, text)),
    );
  }

  private showCallers(): void {
    const { values, visits } = this.numbers!;
    const { chosen } = this;
    if (chosen === this.callersOf) return;
    this.callersOf = chosen;
    const tree = callersOf(this.app.summary, this.list, chosen, values, visits);
    const rows: HTMLElement[] = [];
    const add = (caller: Caller, depth: number): void => {
      if (rows.length >= MOST_CALLERS || Math.abs(caller.value) < LEAST_SHARE * Math.abs(tree.value)) return;
      rows.push(this.callerRow(caller, depth, tree.value));
      caller.callers.forEach((one) => add(one, depth + 1));
    };
    add(tree, 0);
    this.callers.replaceChildren(
      h(
        "table",
        { class: "numbers", "data-testid": "callers-table" },
        h("thead", {}, h("tr", {}, ...["function, and who calls it", "total", "%", "visits"].map((title) => h("th", { scope: "col" }, title)))),
        h("tbody", {}, ...rows),
      ),
    );
  }

  private callerRow(caller: Caller, depth: number, all: number): HTMLElement {
    const name = h("th", { scope: "row", title: caller.name }, shownName(this.app.summary, caller.name));
    name.style.paddingLeft = `${Math.min(depth, DEEPEST)}em`;
    return h(
      "tr",
      { "data-caller": caller.name, "data-depth": depth, "data-value": exactNumber(caller.value), "data-visits": exactNumber(caller.visits) },
      name,
      h("td", {}, quantity(caller.value, this.metric.unit)),
      h("td", {}, percent(caller.value / all)),
      h("td", {}, caller.visits ? quantity(caller.visits, "occ") : ""),
    );
  }

  private csv(): string {
    const { chosen } = this.numbers!;
    return csvOf(
      ["function", "metric", "self", "total"],
      this.rows().map((f) => [this.list.entries[f]!.name, this.metric.name, chosen.self[f]!, chosen.total[f]!]),
    );
  }

  destroy(): void {
    this.slices.stop();
  }
}

export const functions: View = {
  name: "functions",
  title: "Functions",
  text: "Functions over all call paths, and who calls them",
  create: (host, app) => new Functions(host, app),
};
