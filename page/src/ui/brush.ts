/*
 * Choosing by pointer and keyboard on something that has iterations from left to right and perhaps ranks from top
 * to bottom: a layer above the plot.  Dragging brushes; a click chooses one iteration; the wheel with Ctrl zooms.
 */
import { App } from "../app";
import { Range } from "../model/scope";
import { State } from "../state";
import { h } from "./dom";
import { Axis, zoomRange } from "./geometry";

export interface BrushOptions {
  label: string;
  /** The iterations and ranks that are shown; ranks null: the plot has none. */
  iterations(): Axis;
  ranks(): Axis | null;
  /** The pointer is at an iteration and rank (-1: the plot has none); null: it has left. */
  hover(at: { iteration: number; rank: number } | null): void;
}

/** Movements below this are clicks, and do not choose in that direction. */
export const SLACK_PX = 5;
const FULL_PX = 12;

const ordered = (a: number, b: number): Range => (a <= b ? [a, b] : [b, a]);

export class Brush {
  readonly element: HTMLDivElement;
  private readonly shown = h("div", { class: "brush-range" });
  private readonly cursor = h("div", { class: "brush-cursor" });
  private readonly hoverLine = h("div", { class: "brush-hover" });
  private drag: { x: number; y: number; moved: boolean } | null = null;

  constructor(
    private readonly app: App,
    private readonly options: BrushOptions,
  ) {
    this.element = h(
      "div",
      {
        class: "brush",
        tabindex: 0,
        role: "application",
        "aria-label": `${options.label}; ? lists its keys`,
        pointerdown: (event: PointerEvent) => this.down(event),
        pointermove: (event: PointerEvent) => this.move(event),
        pointerup: (event: PointerEvent) => this.up(event),
        pointercancel: () => (this.drag = null),
        pointerleave: () => this.leave(),
        dblclick: () => this.app.update({ iterations: null, ranks: null }),
        keydown: (event: KeyboardEvent) => this.key(event),
      },
      this.shown,
      this.cursor,
      this.hoverLine,
    );
    this.element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** Shows what is chosen. */
  draw(): void {
    const { state } = this.app;
    const ranks = this.options.ranks();
    const x = state.iterations && this.options.iterations().span(state.iterations);
    const y = ranks && state.ranks ? ranks.span(state.ranks) : null;
    const hidden = (!state.iterations && !(ranks && state.ranks)) || (state.iterations && !x) || (ranks && state.ranks && !y);
    this.shown.hidden = Boolean(hidden);
    const full = (span: [number, number] | null | false, axis: Axis | null): boolean =>
      !span || !axis || (span[0] <= 0 && span[1] >= axis.pixels);
    this.shown.classList.toggle("whole", full(x, this.options.iterations()) && full(y, ranks));
    place(this.shown, x, y);
    const at = this.options.iterations().span([state.iteration, state.iteration]);
    this.cursor.hidden = !at;
    if (at) place(this.cursor, [(at[0] + at[1]) / 2, (at[0] + at[1]) / 2 + 1], null);
  }

  private at(event: PointerEvent | WheelEvent): { x: number; y: number; iteration: number; rank: number } {
    const box = this.element.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    return { x, y, iteration: this.options.iterations().at(x), rank: this.options.ranks()?.at(y) ?? -1 };
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const { x, y } = this.at(event);
    this.drag = { x, y, moved: false };
    this.element.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    const at = this.at(event);
    this.options.hover(at);
    place(this.hoverLine, [at.x, at.x + 1], null);
    this.hoverLine.hidden = false;
    if (!this.drag) return;
    this.drag.moved ||= Math.abs(at.x - this.drag.x) >= SLACK_PX || Math.abs(at.y - this.drag.y) >= SLACK_PX;
    if (this.drag.moved) this.choose(this.drag, at);
  }

  /** Brushes from one place to another: iterations, ranks, or both if the way was long in both directions. */
  private choose(from: { x: number; y: number }, to: { x: number; y: number }): void {
    const wide = Math.abs(to.x - from.x);
    const high = this.options.ranks() ? Math.abs(to.y - from.y) : 0;
    const change: Partial<State> = {};
    if (wide >= FULL_PX || wide >= high) {
      const axis = this.options.iterations();
      change.iterations = ordered(axis.at(from.x), axis.at(to.x));
    } else change.iterations = null;
    const axis = this.options.ranks();
    if (axis) change.ranks = high >= FULL_PX || high > wide ? ordered(axis.at(from.y), axis.at(to.y)) : null;
    this.app.update(change);
    this.draw();
  }

  private up(event: PointerEvent): void {
    const at = this.at(event);
    if (this.drag && !this.drag.moved)
      this.app.update(at.rank >= 0 ? { iteration: at.iteration, rank: at.rank } : { iteration: at.iteration });
    this.drag = null;
  }

  private leave(): void {
    this.hoverLine.hidden = true;
    this.options.hover(null);
  }

  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.zoom(this.at(event).iteration, event.deltaY > 0 ? 1.4 : 1 / 1.4);
  }

  private get all(): Range {
    return [0, this.app.model.phase(this.app.state.phase).iterations - 1];
  }

  private zoom(centre: number, factor: number): void {
    this.app.update({ zoom: zoomRange(this.options.iterations().range, this.all, centre, factor) });
  }

  private key(event: KeyboardEvent): void {
    const { state } = this.app;
    const page = Math.max(1, Math.round(this.options.iterations().length / 10));
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -page, PageDown: page, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (step !== undefined) this.stepIteration(step, event.shiftKey);
    else if ((event.key === "ArrowUp" || event.key === "ArrowDown") && this.options.ranks())
      this.stepRank(event.key === "ArrowUp" ? -1 : 1, event.shiftKey);
    else if (event.key === "+" || event.key === "=") this.zoom(state.iteration, 0.5);
    else if (event.key === "-") this.zoom(state.iteration, 2);
    else if (event.key === "0") this.app.update({ zoom: null, zoomRanks: null });
    else if (event.key === "Enter") this.app.update({ zoom: state.iterations, zoomRanks: state.ranks });
    else if (event.key === "Escape") this.app.update({ iterations: null, ranks: null });
    else return;
    event.preventDefault();
  }

  private stepIteration(step: number, extend: boolean): void {
    const { state } = this.app;
    const iteration = Math.min(Math.max(state.iteration + step, 0), this.all[1]);
    const change: Partial<State> = { iteration };
    if (extend) change.iterations = extended(state.iterations, state.iteration, iteration);
    const shown = this.options.iterations().range;
    if (iteration < shown[0] || iteration > shown[1]) change.zoom = zoomRange(shown, this.all, iteration, 1);
    this.app.update(change);
  }

  private stepRank(step: number, extend: boolean): void {
    const { state, model } = this.app;
    const rank = Math.min(Math.max(state.rank + step, 0), model.allRanks[1]);
    this.app.update(extend ? { rank, ranks: extended(state.ranks, state.rank, rank) } : { rank });
  }
}

/** RANGE with its end at FROM moved to TO; a new one if it does not end there. */
function extended(range: Range | null, from: number, to: number): Range {
  if (range && range[1] === from) return ordered(range[0], to);
  if (range && range[0] === from) return ordered(range[1], to);
  return ordered(from, to);
}

/** Puts ELEMENT from x[0] to x[1], y[0] to y[1]; null: all of it. */
function place(element: HTMLElement, x: readonly [number, number] | null | false, y: readonly [number, number] | null | false): void {
  const { style } = element;
  style.left = x ? `${x[0]}px` : "0";
  style.width = x ? `${Math.max(1, x[1] - x[0])}px` : "100%";
  style.top = y ? `${y[0]}px` : "0";
  style.height = y ? `${Math.max(1, y[1] - y[0])}px` : "100%";
}
