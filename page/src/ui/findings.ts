/* What stands out, in words: the first thing on the page. */
import { App, Finding } from "../app";
import { divided, sentenceOf, worthOf } from "../model/findings";
import { findMetric, findPath } from "../model/summary";
import { h } from "./dom";
import { panel } from "./panel";

/** With more of them there would be no room for what shows them. */
const FIRST_FINDINGS = 3;

export function findingsPanel(app: App): HTMLElement {
  const box = panel("What stands out", { id: "findings-panel" });
  const list = (some: Finding[]): HTMLElement =>
    h("ul", { class: "findings" }, ...some.map((finding) => findingItem(app, finding)));
  const [first, more] = divided(app.findings, FIRST_FINDINGS);
  box.body.append(list(first));
  if (more.length) box.body.append(h("details", {}, h("summary", {}, `${more.length} more`), list(more)));
  return box.element;
}

function findingItem(app: App, finding: Finding): HTMLElement {
  const worth = worthOf(finding);
  return h(
    "li",
    {},
    sentenceOf(finding, app.model.keptPhases.length),
    " ",
    worth && h("span", { class: "finding-gain", "data-testid": "finding-gain" }, `${worth}. `),
    showButton(app, finding),
  );
}

/** Brushes what FINDING is about, where it is one range of iterations; and opens the call path that causes it. */
function showButton(app: App, finding: Finding): HTMLElement {
  const { summary, model } = app;
  const phase = (): number => model.keptPhases.find((p) => summary.phases[p]!.name === finding.phase) ?? app.state.phase;
  const ranks = summary.ranks.filter((rank) => finding.ranks.includes(rank.rank)).map((rank) => rank.index);
  const first = finding.iterations[0]?.[0] ?? 0;
  const last = finding.iterations[finding.iterations.length - 1]?.[1] ?? 0;
  const path = finding.cause ? findPath(summary, finding.cause.callpath) : -1;
  const show = (): void =>
    app.update({
      phase: phase(),
      metric: Math.max(0, findMetric(summary, finding.metric)),
      ownMetric: false,
      path: 0,
      ownPath: false,
      iterations: finding.iterations.length ? [first, last] : null,
      ranks: ranks.length ? [Math.min(...ranks), Math.max(...ranks)] : null,
      iteration: first,
      rank: ranks[0] ?? 0,
    });
  const showCause = (): void => {
    show();
    app.update({ metric: Math.max(0, findMetric(summary, finding.cause!.metric)), path });
  };
  return h(
    "span",
    { class: "finding-actions" },
    finding.phase !== null && h("button", { type: "button", click: show }, "Show"),
    path > 0 && h("button", { type: "button", title: finding.cause!.callpath.join(" › "), click: showCause }, "Show the cause"),
  );
}
