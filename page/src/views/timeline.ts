/* The time line of an iteration of the trace that is in the page: who did what when, and for whom they waited. */
import { App, Slices, View, ViewInstance } from "../app";
import { canvasStyle } from "../draw/canvas";
import { composed, copyButtons, csvOf, fileNameOf } from "../draw/copy";
import { Span, TimelineContent, TimelineView, rowName } from "../draw/timeline_view";
import { TimelineIndex, TimelineIteration, readBlock } from "../format/timeline";
import { decodeBase64 } from "../load";
import { widestOf } from "../model/call_metric";
import { Pieces } from "../model/iterations";
import { findMetric } from "../model/summary";
import { TimelineModel, makeTimeline } from "../model/timeline";
import { Changed } from "../state";
import { OTHERS, PARTS, ROLE_COLOURS, css, rgbOf } from "../ui/colours";
import { h } from "../ui/dom";
import { count, quantity } from "../ui/numbers";
import { panel } from "../ui/panel";
import { button, fillAndText } from "./common";

/** In `extra` of the state. */
const ITERATION = "ti";
const WINDOW = "tw";
const STACKS = "ts";
const MESSAGES = "tm";

/** Where the summary does not know a metric. */
const PARENTS: Readonly<Record<string, string>> = {
  mpi_sync_collective: "mpi_synchronization",
  mpi_sync_rma_active: "mpi_synchronization",
  mpi_sync_rma_passive: "mpi_synchronization",
  mpi_io_individual: "mpi_io",
  mpi_io_collective: "mpi_io",
};

/** The part of the time that METRIC is in and that has a colour. */
function partOf(app: App, metric: string): string {
  return widestOf(app.summary, findMetric(app.summary, metric), (name) => PARTS.has(name)) ?? PARENTS[metric] ?? metric;
}

/** The same shade for the same name. */
function shadeOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)!) | 0;
  return Math.abs(hash) % ROLE_COLOURS.usr.length;
}

/** A part by region, the parts' colours, and those that have a name in the legend. */
interface Parts {
  part: Int32Array;
  colours: { fill: string; text: string }[];
  legend: { name: string; colour: string }[];
}

/** Computation has shades, by function; everything else the colour of its metric. */
function partsOf(app: App, index: TimelineIndex): Parts {
  const numbers = new Map<string, number>();
  const colours: Parts["colours"] = [];
  const legend: Parts["legend"] = [];
  const part = Int32Array.from(index.regions, ({ name, metric }) => {
    const of = partOf(app, metric);
    const shade = of === "computation" ? shadeOf(name) : 0;
    const key = `${of} ${shade}`;
    if (!numbers.has(key)) {
      const rgb = of === "computation" ? ROLE_COLOURS.usr[shade]! : rgbOf(PARTS.get(of) ?? OTHERS);
      numbers.set(key, colours.length);
      colours.push(fillAndText(rgb));
      if (!legend.some((entry) => entry.name === of)) legend.push({ name: of, colour: PARTS.get(of) ?? css(rgb) });
    }
    return numbers.get(key)!;
  });
  return { part, colours, legend };
}

function nameOf({ phase, number }: TimelineIteration): string {
  return phase === "" ? "the whole trace" : `${phase} ${number}`;
}

function describe(iteration: TimelineIteration): string {
  const what = `${quantity(iteration.length / 1e9, "s")}, ${count(iteration.calls, "call")}, ${count(iteration.messages, "message")}`;
  return `${nameOf(iteration)}: ${iteration.block === null ? "too large for this page" : what}`;
}

class TimelinePanel implements ViewInstance {
  private readonly view: TimelineView;
  private readonly list: HTMLSelectElement;
  private readonly line = h("p", { class: "view-line", "data-testid": "timeline-line" });
  private readonly stacks: HTMLInputElement;
  private readonly messages: HTMLInputElement;
  private readonly parts: Parts;
  private readonly slices = new Slices();
  private model: { of: TimelineIteration; made: TimelineModel } | null = null;

  constructor(
    host: HTMLElement,
    private readonly app: App,
    private readonly index: TimelineIndex,
  ) {
    this.parts = partsOf(app, index);
    this.view = new TimelineView("timeline-graph", { moved: (span) => this.keep({ [WINDOW]: this.windowText(span) }) });
    this.list = h(
      "select",
      { name: "timeline-iteration", change: () => this.pick(Number(this.list.value)) },
      ...index.iterations.map((one, i) => h("option", { value: i, disabled: one.block === null }, describe(one))),
    );
    this.stacks = this.box("timeline-stacks", STACKS);
    this.messages = this.box("timeline-messages", MESSAGES);
    const box = panel("Time line", { className: "timeline-panel" });
    box.actions.append(
      copyButtons("timeline", {
        fileName: () => fileNameOf(app.summary.facts.get("program") ?? "run", "timeline", nameOf(this.iteration!)),
        csv: () => this.csv(),
        picture: () => composed(this.line.textContent!, [this.view.canvas], canvasStyle()),
      }),
    );
    box.body.append(this.bar(), this.line, this.view.element, this.legend());
    host.append(box.element);
  }

  private box(id: string, key: string): HTMLInputElement {
    const input: HTMLInputElement = h("input", {
      type: "checkbox",
      "data-testid": id,
      change: () => this.keep({ [key]: input.checked ? "1" : "0" }),
    });
    return input;
  }

  private bar(): HTMLElement {
    const label = (input: HTMLElement, text: string): HTMLElement => h("label", { class: "field" }, input, h("span", {}, text));
    return h(
      "div",
      { class: "view-bar" },
      h("label", { class: "field" }, h("span", {}, "Iteration"), this.list),
      button("timeline-back", "‹", "The traced iteration before", () => this.step(-1)),
      button("timeline-next", "›", "The next traced iteration", () => this.step(1)),
      label(this.stacks, "call stacks"),
      label(this.messages, "messages"),
      button("timeline-all", "Zoom out", "Show all of the iteration", () => this.keep({ [WINDOW]: "" })),
    );
  }

  private legend(): HTMLElement {
    return h(
      "ul",
      { class: "legend", "data-testid": "timeline-legend" },
      ...this.parts.legend.map(({ name, colour }) => {
        const box = h("span", { class: "legend-box", "aria-hidden": "true" });
        box.style.background = colour;
        return h("li", {}, box, name);
      }),
    );
  }

  /** Changes what the address has of this view. */
  private keep(change: Record<string, string>): void {
    const extra = { ...this.app.state.extra, ...change };
    for (const [key, value] of Object.entries(change)) if (value === "") delete extra[key];
    this.app.update({ extra });
  }

  private windowText([from, to]: Span): string {
    const all = from <= 0 && to >= (this.model?.made.length ?? 1);
    return all ? "" : `${Math.round(from)}-${Math.round(to)}`;
  }

  private get window(): Span | null {
    const found = /^(\d+)-(\d+)$/.exec(this.app.state.extra[WINDOW] ?? "");
    return found && Number(found[1]) < Number(found[2]) ? [Number(found[1]), Number(found[2])] : null;
  }

  /** What is asked for, else the iteration that is chosen on the page, else the first that can be shown. */
  private get iteration(): TimelineIteration | undefined {
    const able = this.index.iterations.filter((one) => one.block !== null);
    const { extra, iteration, phase } = this.app.state;
    const chosen = phase >= 0 ? `${this.app.summary.phases[phase]!.name} ${iteration}` : "";
    return able.find((one) => nameOf(one) === extra[ITERATION]) ?? able.find((one) => nameOf(one) === chosen) ?? able[0];
  }

  private pick(i: number): void {
    this.keep({ [ITERATION]: nameOf(this.index.iterations[i]!), [WINDOW]: "" });
  }

  private step(by: number): void {
    const able = this.index.iterations.filter((one) => one.block !== null);
    const next = able[able.indexOf(this.iteration!) + by];
    if (next) this.pick(this.index.iterations.indexOf(next));
  }

  /** Decoded when it is first shown; one is kept, since each may be large. */
  private *makeModel(iteration: TimelineIteration): Pieces<TimelineModel> {
    if (this.model?.of === iteration) return this.model.made;
    const element = document.getElementById(`timeline-${iteration.block}`)!;
    const text = element.textContent!;
    const packed = new Uint8Array((text.length / 4) * 3);
    const bytes = decodeBase64(text, packed, 0);
    yield;
    const block = yield* readBlock(packed.subarray(0, bytes), Number(element.dataset.bytes), this.index);
    return yield* makeTimeline(block, iteration.length);
  }

  /** Few ranks have room for their call stacks. */
  private get showsStacks(): boolean {
    const asked = this.app.state.extra[STACKS];
    return asked === undefined ? this.index.rows.length <= 6 : asked === "1";
  }

  update(changed: Changed): void {
    const { iteration } = this;
    if (changed.has("theme")) this.view.draw();
    if (!iteration || !(changed.has("extra") || changed.has("iteration") || changed.has("phase"))) return;
    this.slices.run(
      () => this.makeModel(iteration),
      (made) => {
        this.model = { of: iteration, made };
        if (iteration === this.iteration) this.show(iteration, made);
      },
    );
  }

  private show(iteration: TimelineIteration, model: TimelineModel): void {
    const content = this.contentOf(iteration, model);
    this.list.value = String(this.index.iterations.indexOf(iteration));
    this.stacks.checked = content.stacks;
    this.messages.checked = content.messages;
    this.line.textContent = this.text(iteration);
    this.view.show(content, this.window);
  }

  private contentOf(iteration: TimelineIteration, model: TimelineModel): TimelineContent {
    return {
      index: this.index,
      iteration,
      model,
      part: this.parts.part,
      colours: this.parts.colours,
      stacks: this.showsStacks,
      messages: this.app.state.extra[MESSAGES] !== "0",
    };
  }

  private text(iteration: TimelineIteration): string {
    const what = iteration.phase === "" ? "The whole trace" : `Iteration ${iteration.number} of ${iteration.phase}`;
    const where = `${quantity(iteration.begin / 1e9, "s")} after the trace begins`;
    const all = this.index.iterations.length + this.index.left_out;
    const missing = this.index.left_out + this.index.iterations.filter((one) => one.block === null).length;
    const left = missing ? ` ${missing} of ${all} iterations were too much for this page.` : "";
    return `${what}, ${where}: ${quantity(iteration.length / 1e9, "s")}, ${count(iteration.calls, "call")}, ${count(iteration.messages, "message")}, ${count(iteration.samples, "sample")}.${left}`;
  }

  /** The calls in sight; times in seconds since the iteration begins. */
  private csv(): string {
    const [from, to] = this.view.shown;
    const rows: (string | number)[][] = [];
    this.model!.made.rows.forEach(({ calls }, row) => {
      for (let i = 0; i < calls.begin.length; i++) {
        if (calls.end[i]! < from || calls.begin[i]! > to) continue;
        const { name, metric } = this.index.regions[calls.region[i]!]!;
        rows.push([rowName(this.index, row), name, metric, calls.depth[i]!, calls.begin[i]! / 1e9, calls.end[i]! / 1e9]);
      }
    });
    return csvOf(["row", "function", "metric", "depth", "begin", "end"], rows);
  }

  destroy(): void {
    this.slices.stop();
    this.view.destroy();
  }
}

export const timeline: View = {
  name: "timeline",
  title: "Time line",
  text: "What ranks did when in a traced iteration, and the messages between them",
  unavailable: (app) => {
    if (!app.timeline) return "there is no trace in this page; tsprof html --trace puts one into it.";
    return app.timeline.iterations.some((one) => one.block !== null) ? null : "the trace has no events.";
  },
  create: (host, app) => new TimelinePanel(host, app, app.timeline!),
};
