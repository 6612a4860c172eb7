/* The numbers of what is chosen: metric, call path, iterations and ranks. */
import { App, Slices, ViewInstance } from "../app";
import { Metric } from "../format/definitions";
import { Pieces } from "../model/iterations";
import { Model } from "../model/model";
import { imbalance } from "../model/ranks";
import { Changed, State, measureOf, scopeOf } from "../state";
import { h } from "./dom";
import { exactNumber, percent, quantity } from "./numbers";

export interface Statistics {
  /** Over iterations, ranks. */
  sum: number;
  perIteration: number;
  /** Over ranks, of their sums. */
  min: number;
  mean: number;
  max: number;
  /** Index of the rank with the maximum. */
  slowest: number;
  ranks: number;
  /** The same measure of the whole run. */
  whole: number;
}

export function* statistics(model: Model, state: Readonly<State>): Pieces<Statistics> {
  const scope = scopeOf(state);
  const measure = measureOf(state);
  const result: Statistics = { sum: 0, perIteration: 0, min: NaN, mean: NaN, max: NaN, slowest: -1, ranks: 0, whole: 0 };
  const byRank = yield* model.byRankInPieces(scope, measure);
  byRank.forEach((value, rank) => {
    if (value !== value) return;
    result.sum += value;
    result.ranks++;
    if (!(value >= result.min)) result.min = value;
    if (!(value <= result.max)) {
      result.max = value;
      result.slowest = rank;
    }
  });
  if (result.ranks) result.mean = result.sum / result.ranks;
  result.perIteration = result.sum / model.iterationsIn(scope);
  const wholeByRank = yield* model.byRankInPieces({ ...scope, iterations: null, ranks: null }, measure);
  result.whole = wholeByRank.reduce((sum, value) => sum + (value || 0), 0);
  return result;
}

export function selectionPanel(host: HTMLElement, app: App): ViewInstance {
  const list = h("dl", { class: "numbers" });
  host.append(h("section", { id: "numbers", "aria-label": "Numbers of the selection" }, list));

  function add(metric: Metric, name: string, text: string, value: number, note = ""): void {
    list.append(
      h(
        "div",
        {},
        h("dt", {}, text),
        h("dd", { "data-key": name, "data-value": exactNumber(value), title: `${exactNumber(value)} ${metric.unit}` }, quantity(value, metric.unit), note && h("small", {}, ` ${note}`)),
      ),
    );
  }

  function addShare(name: string, text: string, value: number, title = ""): void {
    list.append(h("div", { title: title || undefined }, h("dt", {}, text), h("dd", { "data-key": name, "data-value": exactNumber(value) }, percent(value))));
  }

  const slices = new Slices();
  /** Before anything is brushed. */
  const preparing = new Slices();

  function show(state: Readonly<State>, numbers: Statistics): void {
    const { summary } = app;
    const metric = summary.metrics[state.metric]!;
    list.replaceChildren();
    add(metric, "sum", state.iterations ? "in the selection" : "in the run", numbers.sum, numbers.ranks > 1 ? "all ranks" : "");
    if (state.iterations) add(metric, "perIteration", "per iteration", numbers.perIteration);
    if (numbers.ranks > 1) {
      add(metric, "max", "most on one rank", numbers.max, `rank ${summary.ranks[numbers.slowest]!.rank}`);
      add(metric, "mean", "mean of ranks", numbers.mean);
      add(metric, "min", "least on one rank", numbers.min);
      const unequal = imbalance(numbers.min, numbers.mean, numbers.max, numbers.ranks);
      if (unequal === unequal) addShare("imbalance", "imbalance", unequal, "(maximum − mean) / maximum × n / (n − 1), of n ranks");
    }
    if (numbers.whole > 0 && (state.iterations || state.ranks)) addShare("share", "of the whole run", numbers.sum / numbers.whole);
  }

  return {
    update(changed: Changed) {
      const { model, state } = app;
      slices.run(
        () => statistics(model, state),
        (numbers) => show(state, numbers),
      );
      if (changed.has("phase")) preparing.run(() => model.prepareInPieces(state.phase), () => undefined);
    },
    destroy() {
      slices.stop();
      preparing.stop();
    },
  };
}
