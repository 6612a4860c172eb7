/* What is looked at: phase, metric, call path, and what is chosen of iterations and ranks. */
import { App, ViewInstance } from "../app";
import { Range } from "../model/scope";
import { shownNames } from "../model/names";
import { pathNames } from "../model/summary";
import { h, select } from "./dom";
import { readBrushed, writeBrushed } from "../state";
import { rangeText } from "./numbers";

export function toolbar(host: HTMLElement, app: App): ViewInstance {
  const { summary, model } = app;
  const phase = select(
    "phase",
    "phase",
    model.keptPhases.map((p) => [String(p), summary.phases[p]!.name]),
    (value) => app.update({ phase: Number(value), iterations: null, zoom: null, iteration: model.firstIteration(Number(value)), a: NOTHING, b: NOTHING }),
  );
  const metric = select(
    "metric",
    "metric",
    summary.metrics
      .filter((m) => summary.used[m.index] || m.index === app.state.metric)
      .map((m) => [String(m.index), "\u2003".repeat(depthOf(app, m.index)) + m.name]),
    (value) => app.update({ metric: Number(value), ownMetric: false }),
  );
  const field = (name: string, label: string): HTMLInputElement =>
    h("input", { name, size: 11, placeholder: "all", title: `${label}, such as 100-199; empty: all`, change: () => read() });
  const iterations = field("iterations", "Iterations");
  const ranks = field("ranks", "Ranks");
  const labelled = (text: string, input: HTMLElement): HTMLElement => h("label", { class: "field" }, h("span", {}, text), input);
  const chips = h("div", { class: "chips", "aria-label": "Selection" });
  host.append(...(model.keptPhases.length ? [phase.element] : []), metric.element);
  if (model.keptPhases.length) host.append(labelled("iterations", iterations));
  host.append(labelled("ranks", ranks), chips);

  const numbers = (range: Range): Range => [summary.ranks[range[0]]!.rank, summary.ranks[range[1]]!.rank];

  function read(): void {
    app.update(readBrushed({ iterations: iterations.value, ranks: ranks.value }, app.state, model));
    show();
  }

  function show(): void {
    const written = writeBrushed(app.state, model);
    iterations.value = written.iterations;
    ranks.value = written.ranks;
  }

  function chip(text: string, title: string, clear: () => void): HTMLElement {
    return h(
      "span",
      { class: "chip", title },
      h("span", { class: "chip-text" }, text),
      h("button", { type: "button", "aria-label": `Remove: ${text}`, click: clear }, "×"),
    );
  }

  return {
    update() {
      const { state } = app;
      phase.set(String(state.phase));
      metric.set(String(state.metric));
      show();
      const names = shownNames(summary, state.path);
      const parts = [
        state.ownMetric && chip("metric alone", "Without the metrics that are parts of it", () => app.update({ ownMetric: false })),
        (state.path !== 0 || state.ownPath) &&
          chip(`${names[names.length - 1]}${state.ownPath ? ", alone" : ""}`, pathNames(summary, state.path).join(" › "), () => app.update({ path: 0, ownPath: false })),
        state.iterations && chip(`iterations ${rangeText(state.iterations)}`, "Brushed", () => app.update({ iterations: null })),
        state.ranks && chip(`ranks ${rangeText(numbers(state.ranks))}`, "Brushed", () => app.update({ ranks: null })),
      ].filter((part): part is HTMLElement => Boolean(part));
      chips.replaceChildren(...(parts.length ? parts : [h("span", { class: "muted" }, state.phase < 0 ? "the whole run" : "the whole run; drag in the plots to choose")]));
    },
  };
}

const NOTHING = { iterations: null, ranks: null };

function depthOf(app: App, metric: number): number {
  let depth = 0;
  for (let at = app.summary.metrics[metric]!.parent; at >= 0; at = app.summary.metrics[at]!.parent) depth++;
  return depth;
}
