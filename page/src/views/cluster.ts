/* The cluster of an iteration: its other members, and how far it is from what is shown of it. */
import { App, View, ViewInstance } from "../app";
import { Series } from "../format/location";
import { ERROR_LIMIT, clusterError } from "../model/error";
import { membersOf } from "../model/members";
import { Share, partlyPresent } from "../model/presence";
import { Range } from "../model/scope";
import { seriesOf, unitDivisor } from "../model/summary";
import { Changed, Key } from "../state";
import { h } from "../ui/dom";
import { count, exactNumber, percent, quantity, rangeText } from "../ui/numbers";
import { panel } from "../ui/panel";
import { button, pathText, shownText } from "./common";
import { copyButtons, csvOf, fileNameOf } from "../draw/copy";

const DRAWN: Key[] = ["phase", "metric", "iteration", "rank"];
const MOST_RANGES = 80;
const MOST_THREADS = 8;

/** Equal words for numbers of `equivalence` in the file. */
const EQUIVALENCES: Record<number, string> = {
  0: "whatever they called",
  1: "that called the same paths, equally often",
  2: "that called the same paths",
  3: "with the same paths to MPI, called equally often",
  5: "with the same paths to MPI",
  6: "with similar paths to MPI",
};

const MOST_PATHS = 40;

class ClusterCard implements ViewInstance {
  private readonly iteration: HTMLInputElement;
  private readonly rank: HTMLInputElement;
  private readonly cards = h("div", { class: "cluster-cards", "aria-live": "polite" });

  constructor(
    host: HTMLElement,
    private readonly app: App,
  ) {
    this.iteration = h("input", { type: "number", min: 0, name: "cluster-iteration", "data-testid": "cluster-iteration", change: () => this.read() });
    this.rank = h("input", { type: "number", min: 0, name: "cluster-rank", "data-testid": "cluster-rank", change: () => this.read() });
    const box = panel("Cluster of an iteration", {
      className: "cluster-panel",
      text: "Similar iterations are kept as one cluster; its mean stands for each of them. What is said of all iterations together is exact.",
    });
    box.actions.append(
      copyButtons("cluster", { fileName: () => fileNameOf(app.summary.facts.get("program") ?? "run", "clusters"), csv: () => this.csv() }),
    );
    box.body.append(
      h(
        "div",
        { class: "view-bar" },
        h("label", { class: "field" }, h("span", {}, "iteration"), this.iteration),
        h("label", { class: "field" }, h("span", {}, "rank"), this.rank),
        button("cluster-previous", "◀ member", "To the member before", () => this.toMember(-1)),
        button("cluster-next", "member ▶", "To the next member", () => this.toMember(1)),
      ),
      this.cards,
    );
    host.append(box.element);
  }

  /** The rank's locations that have the phase, with their series. */
  private series(): { location: number; series: Series }[] {
    const { summary, state } = this.app;
    return summary.ranks[state.rank]!.locations.flatMap((location) => {
      const series = seriesOf(summary.locations[location]!, state.phase);
      return series ? [{ location, series }] : [];
    });
  }

  update(changed: Changed): void {
    if (!DRAWN.some((name) => changed.has(name))) return;
    const { summary, state, model } = this.app;
    this.iteration.max = String(model.phase(state.phase).iterations - 1);
    this.iteration.value = String(state.iteration);
    this.rank.value = String(summary.ranks[state.rank]!.rank);
    const series = this.series();
    const cards = series.slice(0, MOST_THREADS).map((one) => this.card(one.location, one.series, series.length > 1));
    this.cards.replaceChildren(
      ...cards,
      ...(series.length > MOST_THREADS ? [h("p", { class: "muted" }, `and ${series.length - MOST_THREADS} more threads`)] : []),
      ...(series.length === 0 ? [h("p", {}, `Rank ${summary.ranks[state.rank]!.rank} has no iterations of this phase.`)] : []),
    );
  }

  private card(location: number, series: Series, hasThreads: boolean): HTMLElement {
    const { summary, state } = this.app;
    const { rank, thread } = summary.locations[location]!;
    const cluster = state.iteration < series.ids.length ? series.ids[state.iteration]! : series.clusters;
    const who = `iteration ${state.iteration} of ${summary.phases[state.phase]!.name} on rank ${rank}${hasThreads ? `, thread ${thread}` : ""}`;
    const card = h("article", { class: "cluster-card", "data-testid": "cluster", "data-iteration": state.iteration, "data-rank": rank });
    if (cluster >= series.clusters) {
      card.append(h("h3", {}, who), h("p", {}, missingText(series, state.iteration, cluster, summary.facts.has("trace"))));
      return card;
    }
    const size = series.sizes[cluster]!;
    const error = this.selectedError(series, cluster);
    Object.assign(card.dataset, {
      cluster: String(cluster),
      class: String(series.classOf[cluster]!),
      size: String(size),
      error: exactNumber(error),
    });
    const members = membersOf(series, cluster);
    card.append(
      h("h3", {}, who),
      h(
        "p",
        {},
        `Cluster ${cluster} of ${series.clusters}, class ${series.classOf[cluster]} of ${series.classes}: `,
        size === 1 ? "this iteration alone, shown as it was measured." : `the mean of ${count(size, "iteration")} ${EQUIVALENCES[series.equivalence] ?? ""}.`,
      ),
      this.memberList(members),
    );
    if (size > 1) card.append(...this.errorWords(series, cluster), this.presenceWords(series, cluster));
    return card;
  }

  private memberList(members: Range[]): HTMLElement {
    const { app } = this;
    const chips = members.slice(0, MOST_RANGES).flatMap((range) => {
      const isHere = app.state.iteration >= range[0] && app.state.iteration <= range[1];
      const chip = h(
        "button",
        {
          type: "button",
          class: "member",
          "aria-current": isHere,
          "aria-label": `To iteration ${rangeText(range)}`,
          click: () => app.update({ iteration: range[0] }),
        },
        rangeText(range),
      );
      return [" ", chip];
    });
    const rest = members.length - MOST_RANGES;
    return h(
      "p",
      { class: "cluster-members", "data-testid": "cluster-members", "data-ranges": members.length },
      "Members:",
      ...chips,
      rest > 0 && ` and ${count(rest, "more range")}`,
    );
  }

  private selectedError(series: Series, cluster: number): number {
    const { model, state } = this.app;
    return clusterError(model.quality(state.phase), series, cluster, state.metric);
  }

  /** The error of the metrics that are judged, and of the selected one, in words. */
  private errorWords(series: Series, cluster: number): HTMLElement[] {
    const { model, state, summary } = this.app;
    const quality = model.quality(state.phase);
    /* `time` stands for `execution` in what errors are computed from. */
    const metrics = [...new Set([...quality.judged, state.metric])].filter(
      (metric) => series.maximumMetrics.includes(metric) && summary.metrics[metric]!.name !== "time",
    );
    const rows = metrics.map((metric) => {
      const share = clusterError(quality, series, cluster, metric);
      const { name, unit } = summary.metrics[metric]!;
      const size = (share * quality.maxima[metric]!) / unitDivisor(summary.metrics[metric]!);
      return h(
        "tr",
        { "data-metric": name, "data-value": exactNumber(share) },
        h("th", { scope: "row" }, name),
        h("td", { class: "number" }, `± ${quantity(size, unit)}`),
        h("td", { class: "number" }, percent(share)),
        h("td", { class: "number" }, percent(quality.errors[metric]!)),
      );
    });
    const worst = quality.judged.reduce((most, metric) => Math.max(most, clusterError(quality, series, cluster, metric)), 0);
    const words =
      worst > ERROR_LIMIT
        ? `Too large to trust what is shown of this iteration (above ${percent(ERROR_LIMIT)}); more clusters help.`
        : "Small: what is shown of this iteration is close to what it was.";
    const head = ["metric", "members differ by", "of the largest iteration", "in the whole phase"];
    return [
      h("p", { class: worst > ERROR_LIMIT ? "warning" : "" }, words),
      h(
        "table",
        { class: "numbers cluster-errors" },
        h("caption", {}, "Error, root mean square over the members"),
        h("thead", {}, h("tr", {}, ...head.map((title) => h("th", { scope: "col" }, title)))),
        h("tbody", {}, ...rows),
      ),
    ];
  }

  /** Call paths that some of the members do not have, those with the fewest first. */
  private presenceWords(series: Series, cluster: number): HTMLElement {
    const { summary } = this.app;
    if (series.presence.unknown[cluster]) return h("p", { class: "muted" }, "Whether every member has all of these call paths is not known.");
    const partly = [...partlyPresent(series, cluster)].sort(([, a], [, b]) => a.least - b.least);
    if (partly.length === 0) return h("p", { class: "muted", "data-testid": "cluster-presence" }, "Every member has all of these call paths.");
    const rows = partly.slice(0, MOST_PATHS).map(([path, share]) =>
      h(
        "tr",
        { "data-path": pathText(summary, path), "data-least": exactNumber(share.least), "data-most": exactNumber(share.most) },
        h("td", { class: "number" }, membersText(share, series.sizes[cluster]!)),
        h("th", { scope: "row", title: pathText(summary, path) }, shownText(summary, path)),
      ),
    );
    const rest = partly.length - MOST_PATHS;
    return h(
      "details",
      { class: "cluster-presence", "data-testid": "cluster-presence", "data-paths": partly.length },
      h("summary", {}, `${count(partly.length, "call path")} occurred in some of the members only`),
      h("table", { class: "numbers" }, h("tbody", {}, ...rows)),
      rest > 0 && h("p", { class: "muted" }, `and ${rest} more`),
    );
  }

  private read(): void {
    const { summary, model, state } = this.app;
    const last = model.phase(state.phase).iterations - 1;
    const wanted = Number(this.rank.value);
    const rank = summary.ranks.find((one) => one.rank === wanted)?.index ?? state.rank;
    const iteration = Math.min(last, Math.max(0, Math.round(Number(this.iteration.value)) || 0));
    this.app.update({ iteration, rank });
    this.iteration.value = String(iteration);
    this.rank.value = String(summary.ranks[rank]!.rank);
  }

  private toMember(step: 1 | -1): void {
    const { state } = this.app;
    const series = this.series()[0]?.series;
    const cluster = series?.ids[state.iteration];
    if (!series || cluster === undefined || cluster >= series.clusters) return;
    for (let i = state.iteration + step; i >= 0 && i < series.ids.length; i += step)
      if (series.ids[i] === cluster) {
        this.app.update({ iteration: i });
        return;
      }
  }

  /** The columns of `tsprof export --what clusters`, of this rank. */
  private csv(): string {
    const { summary, state } = this.app;
    const name = summary.phases[state.phase]!.name;
    const { rank } = summary.ranks[state.rank]!;
    const series = this.series()[0]?.series;
    const rows = Array.from(series?.ids ?? [], (cluster, iteration) =>
      cluster < series!.clusters ? [name, rank, iteration, cluster, series!.classOf[cluster]!] : [name, rank, iteration, "", ""],
    );
    return csvOf(["phase", "rank", "iteration", "cluster", "class"], rows);
  }
}

/** "3 of 10", or "3 to 5 of 10". */
function membersText({ least, most }: Share, size: number): string {
  const numbers = [...new Set([least, most].map((share) => Math.round(share * size)))];
  return `${numbers.join(" to ")} of ${size}`;
}

function missingText(series: Series, iteration: number, id: number, isOfTrace: boolean): string {
  if (id === series.clusters && isOfTrace) return "There is no profile of it: it was not traced.";
  if (iteration >= series.ids.length) return "It was not measured here: this thread was not there any more.";
  if (id === series.clusters) return "There is no profile of it: it was lost for want of memory, or the thread was not there.";
  return "It is in a cluster, but there was no room to keep in which.";
}

export const cluster: View = {
  name: "cluster",
  title: "Cluster",
  text: "Which other iterations are shown by the same profile, and how close that is",
  unavailable: (app) => (app.state.phase < 0 ? "This summary has no iterations." : null),
  create: (host, app) => new ClusterCard(host, app),
};
