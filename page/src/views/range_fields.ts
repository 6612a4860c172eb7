/* Number fields for the iterations and ranks of one side of a comparison. */
import { App } from "../app";
import { Range } from "../model/scope";
import { Compared } from "../state";
import { h } from "../ui/dom";
import { button } from "./common";

export class RangeFields {
  readonly element: HTMLElement;
  private readonly first: HTMLInputElement;
  private readonly last: HTMLInputElement;
  private readonly firstRank: HTMLInputElement;
  private readonly lastRank: HTMLInputElement;
  private shown: Compared = { iterations: null, ranks: null };

  /** NAME begins the names for tests; CHANGED gets what was entered. */
  constructor(
    name: string,
    title: string,
    private readonly app: App,
    private readonly changed: (side: Compared) => void,
  ) {
    const field = (id: string, label: string): HTMLInputElement =>
      h("input", {
        type: "number",
        min: 0,
        "aria-label": `${title}: ${label}`,
        "data-testid": `${name}-${id}`,
        change: () => this.read(),
      });
    this.first = field("from", "first iteration");
    this.last = field("to", "last iteration");
    this.firstRank = field("rank-from", "first rank");
    this.lastRank = field("rank-to", "last rank");
    const iterations = h("span", { class: "range-fields", hidden: app.state.phase < 0 }, "iterations ", this.first, " to ", this.last);
    const ranks = h("span", { class: "range-fields" }, "ranks ", this.firstRank, " to ", this.lastRank);
    const take = button(`${name}-take`, "take the selection", `${title}: what is brushed above`, () => {
      const { state } = app;
      changed({ iterations: state.iterations ?? this.shown.iterations, ranks: state.ranks });
    });
    this.element = h("fieldset", { class: "compare-side" }, h("legend", {}, title), iterations, ranks, take);
  }

  show(side: Compared): void {
    const { summary, model } = this.app;
    this.shown = side;
    const [first, last] = side.iterations ?? [0, 0];
    const ranks = side.ranks ?? model.allRanks;
    this.first.value = String(first);
    this.last.value = String(last);
    this.firstRank.value = String(summary.ranks[ranks[0]]!.rank);
    this.lastRank.value = String(summary.ranks[ranks[1]]!.rank);
  }

  /** What was entered, as near to it as there is. */
  private read(): void {
    const { state, model, summary } = this.app;
    const most = state.phase < 0 ? 0 : model.phase(state.phase).iterations - 1;
    const number = (field: HTMLInputElement, low: number, high: number): number =>
      Math.min(high, Math.max(low, Math.round(Number(field.value)) || 0));
    const first = number(this.first, 0, most);
    const last = number(this.last, first, most);
    const firstRank = Number(this.firstRank.value);
    const lastRank = Math.max(firstRank, Number(this.lastRank.value));
    const inside = summary.ranks.filter(({ rank }) => rank >= firstRank && rank <= lastRank);
    const ranks: Range = inside.length ? [inside[0]!.index, inside[inside.length - 1]!.index] : (this.shown.ranks ?? model.allRanks);
    this.changed({ iterations: state.phase < 0 ? null : [first, last], ranks });
    this.show({ iterations: state.phase < 0 ? null : [first, last], ranks });
  }
}
