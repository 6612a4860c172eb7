/* The process graph: the largest, mean and smallest value that each rank had in the selected iterations. */
import { App, Slices, View, ViewInstance } from "../app";
import { canvasStyle } from "../draw/canvas";
import { composed, copyButtons, csvOf, fileNameOf } from "../draw/copy";
import { RankChart, RankLine } from "../draw/rank_chart";
import { Pieces, finish } from "../model/iterations";
import { statisticsByRank, type RankStatistics } from "../model/ranks";
import { Range, key } from "../model/scope";
import { Changed, Key, measureOf } from "../state";
import { h } from "../ui/dom";
import { exactNumber, quantity, rangeText } from "../ui/numbers";
import { panel } from "../ui/panel";
import { measureText } from "./common";
import { hostSpans } from "./hosts";

const DRAWN: Key[] = ["phase", "metric", "ownMetric", "path", "ownPath", "iterations", "ranks", "rank", "theme", "colouring"];

class Processes implements ViewInstance {
  private readonly chart: RankChart;
  private readonly line = h("p", { class: "view-line", "data-testid": "process-line" });
  private readonly legend = h("ul", { class: "legend" });
  private readonly slices = new Slices();
  private statistics: RankStatistics | null = null;

  constructor(
    host: HTMLElement,
    private readonly app: App,
  ) {
    this.chart = new RankChart("process", "Values by rank", {
      chosen: (place) => app.update({ rank: this.ranks[0] + place }),
    });
    const box = panel("Process graph", { className: "process-panel" });
    box.actions.append(
      copyButtons("process", {
        fileName: () => fileNameOf(app.summary.facts.get("program") ?? "run", "ranks", this.metric.name),
        csv: () => this.csv(),
        picture: () => composed(this.title(), this.chart.canvas ? [this.chart.canvas] : [], canvasStyle()),
      }),
    );
    box.body.append(this.line, this.legend, this.chart.element);
    host.append(box.element);
  }

  private get metric() {
    return this.app.summary.metrics[this.app.state.metric]!;
  }

  private get ranks(): Range {
    return this.app.state.ranks ?? this.app.model.allRanks;
  }

  /** Null: the whole run has one value for each rank. */
  private get iterations(): Range | null {
    const { state, model } = this.app;
    if (state.phase < 0) return null;
    return state.iterations ?? [0, model.phase(state.phase).iterations - 1];
  }

  private title(): string {
    const { iterations } = this;
    const when = iterations
      ? `in iterations ${rangeText(iterations)} of ${this.app.summary.phases[this.app.state.phase]!.name}`
      : "in the whole run";
    return `${measureText(this.app)} by rank ${when}`;
  }

  private *compute(): Pieces<RankStatistics> {
    const { model, state } = this.app;
    const { iterations, ranks } = this;
    const measure = measureOf(state);
    if (iterations) {
      const tables = yield* model.tablesInPieces(state.phase, measure);
      return statisticsByRank(model.phase(state.phase), tables, iterations, ranks);
    }
    const mean = model.byRank({ phase: state.phase, iterations: null, ranks: state.ranks }, measure);
    return { min: mean, mean, max: mean, count: mean.map((value) => (value === value ? 1 : 0)) };
  }

  update(changed: Changed): void {
    if (!DRAWN.some((name) => changed.has(name))) return;
    const wanted = this.shown;
    this.slices.run(
      () => this.compute(),
      (statistics) => {
        if (wanted === this.shown) this.show(statistics);
      },
    );
  }

  /** What the statistics are of. */
  private get shown(): string {
    const { state } = this.app;
    return key(state.phase, measureOf(state), this.iterations, this.ranks);
  }

  private show(statistics: RankStatistics): void {
    const { summary, state } = this.app;
    const [first, last] = this.ranks;
    this.statistics = statistics;
    const part = (values: Float64Array): Float64Array => values.subarray(first, last + 1);
    const several = this.iterations !== null && this.iterations[0] !== this.iterations[1];
    const mean: RankLine = { label: several ? "mean" : "value", values: part(statistics.mean), colour: "--mean", width: 1.6 };
    const lines: RankLine[] = several
      ? [
          { label: "max", values: part(statistics.max), colour: "--max", width: 1.2 },
          mean,
          { label: "min", values: part(statistics.min), colour: "--min", width: 1.2 },
        ]
      : [{ ...mean, bars: true }];
    this.line.textContent = `${this.title()}${several ? ": largest, mean and smallest of an iteration" : ""}.`;
    this.fillLegend(lines);
    this.chart.show({
      ranks: summary.ranks.slice(first, last + 1).map((rank) => rank.rank),
      lines,
      band: several ? [0, 2] : null,
      range: paddedRange(lines.map((line) => line.values), state.colouring === "zero" || !several),
      unit: this.metric.unit,
      hosts: hostSpans(summary, this.ranks),
      marked: state.rank >= first && state.rank <= last ? state.rank - first : -1,
      describe: (place) => this.describe(first + place, several),
      data: (place) => this.data(first + place),
    });
  }

  private fillLegend(lines: RankLine[]): void {
    this.legend.replaceChildren(
      ...lines.map(({ label, colour }) => {
        const box = h("span", { class: "legend-line", "aria-hidden": "true" });
        box.style.background = `var(${colour})`;
        return h("li", {}, box, label);
      }),
    );
  }

  private describe(rank: number, several: boolean): string {
    const { summary } = this.app;
    const { min, mean, max } = this.statistics!;
    const text = (values: Float64Array): string => quantity(values[rank]!, this.metric.unit);
    const host = summary.hosts[summary.locations[summary.ranks[rank]!.locations[0]!]!.host]?.name ?? "unknown host";
    const numbers = several ? `max ${text(max)}, mean ${text(mean)}, min ${text(min)}` : text(mean);
    return `rank ${summary.ranks[rank]!.rank} on ${host}: ${numbers}`;
  }

  private data(rank: number): Record<string, string> {
    const { min, mean, max } = this.statistics!;
    return {
      rank: String(this.app.summary.ranks[rank]!.rank),
      min: exactNumber(min[rank]!),
      mean: exactNumber(mean[rank]!),
      max: exactNumber(max[rank]!),
    };
  }

  private csv(): string {
    const { summary } = this.app;
    const { min, mean, max } = this.statistics ?? finish(this.compute());
    const rows: (string | number)[][] = [];
    for (let rank = this.ranks[0]; rank <= this.ranks[1]; rank++)
      rows.push([summary.ranks[rank]!.rank, this.metric.name, min[rank]!, mean[rank]!, max[rank]!]);
    return csvOf(["rank", "metric", "min", "mean", "max"], rows);
  }

  destroy(): void {
    this.slices.stop();
    this.chart.destroy();
  }
}

/** What LISTS have, with a little room; from 0 if FROM_ZERO. */
export function paddedRange(lists: readonly ArrayLike<number>[], fromZero: boolean): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists)
    for (let i = 0; i < list.length; i++) {
      if (list[i]! < low) low = list[i]!;
      if (list[i]! > high) high = list[i]!;
    }
  if (low > high) return [0, 1];
  if (fromZero || (low >= 0 && low < 0.3 * high)) [low, high] = [Math.min(0, low), Math.max(0, high)];
  if (low === high) return low === 0 ? [0, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
  const room = (high - low) * 0.05;
  return [low === 0 ? 0 : low - room, high === 0 ? 0 : high + room];
}

export const processes: View = {
  name: "processes",
  title: "Processes",
  text: "The selected metric by rank, over the selected iterations",
  create: (host, app) => new Processes(host, app),
};
