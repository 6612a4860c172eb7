/*
 * Values by rank as lines, with the hosts marked behind them.  Drawn with uPlot; pointer and arrow keys
 * choose a rank.
 */
import uPlot from "uplot";
import { cssVariable } from "../ui/colours";
import { h, observeSize } from "../ui/dom";
import { gaps, inColour, valueAxis } from "../ui/graph";
import { readout, runKey } from "./stage";
import { niceTicks } from "./ticks";

export interface RankLine {
  label: string;
  values: ArrayLike<number>;
  /** A custom property of the style sheet. */
  colour: string;
  width: number;
  /** Bars from 0 rather than a line. */
  bars?: boolean;
}

/** Ranks one after the other that are on the same host; places, not ranks. */
export interface HostSpan {
  name: string;
  first: number;
  last: number;
}

export interface RankChartContent {
  /** In MPI_COMM_WORLD, by place on the axis. */
  ranks: ArrayLike<number>;
  lines: RankLine[];
  /** Between which two lines it is filled, by index. */
  band: [number, number] | null;
  range: [number, number];
  unit: string;
  hosts: HostSpan[];
  /** Place that is marked, or -1. */
  marked: number;
  describe(place: number): string;
  data(place: number): Record<string, string>;
}

export interface RankChartEvents {
  chosen(place: number): void;
}

const HEIGHT = 320;
const TOP = 26;

export class RankChart {
  readonly element: HTMLElement;
  private readonly stage: HTMLElement;
  private readonly line: HTMLElement;
  private readonly stop: () => void;
  private plot: uPlot | null = null;
  private content: RankChartContent | null = null;
  private hover = -1;
  private shape = "";

  constructor(
    name: string,
    label: string,
    private readonly events: RankChartEvents,
  ) {
    this.line = readout(name);
    this.stage = h("div", {
      class: "rank-chart",
      id: name,
      "data-testid": name,
      tabindex: 0,
      role: "application",
      "aria-roledescription": "graph by rank",
      "aria-label": label,
      keydown: (event: KeyboardEvent) => this.key(event),
      pointerleave: () => this.point(-1),
    });
    this.element = h("div", {}, this.stage, this.line);
    this.stop = observeSize(this.stage, (width) => {
      if (this.plot && Math.abs(this.plot.width - width) > 1) this.build();
    });
  }

  /** The picture that is seen, for copying. */
  get canvas(): HTMLCanvasElement | null {
    return this.plot?.ctx.canvas ?? null;
  }

  show(content: RankChartContent): void {
    this.content = content;
    const shape = JSON.stringify([
      content.lines.map(({ label, colour, bars }) => [label, colour, bars]),
      content.band,
      content.unit,
      content.ranks.length,
    ]);
    if (!this.plot || shape !== this.shape) {
      this.shape = shape;
      this.build();
    } else {
      this.plot.setData(this.data(content));
    }
    this.tell();
  }

  private data(content: RankChartContent): uPlot.AlignedData {
    return [Array.from(content.ranks, (_, place) => place), ...content.lines.map((line) => gaps(line.values))];
  }

  private build(): void {
    const content = this.content;
    if (!content) return;
    this.plot?.destroy();
    const few = content.ranks.length <= 64;
    this.plot = new uPlot(
      {
        width: Math.max(200, this.stage.clientWidth),
        height: HEIGHT,
        padding: [TOP, 16, 0, 0],
        legend: { show: false },
        cursor: { x: true, y: false, drag: { x: false, y: false }, points: { show: false } },
        scales: {
          x: { time: false, range: () => [-0.5, this.content!.ranks.length - 0.5] },
          y: { range: () => this.content!.range },
        },
        axes: [this.rankAxis(), valueAxis(content.unit)],
        series: [{}, ...content.lines.map((line) => lineOptions(line, few))],
        bands: content.band ? [{ series: [content.band[0] + 1, content.band[1] + 1], fill: inColour("--band") }] : [],
        hooks: {
          drawClear: [(plot) => this.drawHosts(plot)],
          draw: [(plot) => this.drawMark(plot)],
          setCursor: [(plot) => this.point(plot.cursor.idx ?? -1)],
        },
      },
      this.data(content),
      this.stage,
    );
    this.plot.over.addEventListener("click", () => {
      if (this.hover >= 0) this.events.chosen(this.hover);
    });
  }

  private rankAxis(): uPlot.Axis {
    return {
      size: 22,
      label: "rank",
      labelSize: 16,
      labelFont: "12px system-ui, sans-serif",
      labelGap: -2,
      gap: 3,
      stroke: inColour("--fg"),
      grid: { show: false },
      ticks: { stroke: inColour("--line"), width: 1, size: 4 },
      font: "12px system-ui, sans-serif",
      splits: (plot) => niceTicks(0, this.content!.ranks.length - 1, Math.max(2, plot.width / 60), true),
      values: (_, splits) => splits.map((place) => String(this.content!.ranks[place] ?? "")),
    };
  }

  /** Every second host has a background, and its name if there is room. */
  private drawHosts(plot: uPlot): void {
    const { hosts } = this.content!;
    const { ctx, bbox } = plot;
    const ratio = window.devicePixelRatio || 1;
    ctx.save();
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    ctx.textBaseline = "bottom";
    hosts.forEach(({ name, first, last }, i) => {
      const left = plot.valToPos(first - 0.5, "x", true);
      const width = plot.valToPos(last + 0.5, "x", true) - left;
      if (i % 2 === 1) {
        ctx.fillStyle = cssVariable("--band");
        ctx.fillRect(left, bbox.top, width, bbox.height);
      }
      ctx.fillStyle = cssVariable("--muted");
      if (ctx.measureText(name).width < width - 6) ctx.fillText(name, left + 3 * ratio, bbox.top - 3 * ratio);
    });
    ctx.restore();
  }

  private drawMark(plot: uPlot): void {
    const { marked } = this.content!;
    if (marked < 0) return;
    const x = plot.valToPos(marked, "x", true);
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = cssVariable("--focus");
    ctx.lineWidth = 2 * (window.devicePixelRatio || 1);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  private point(place: number): void {
    if (place === this.hover) return;
    this.hover = place;
    this.tell();
  }

  private tell(): void {
    const content = this.content!;
    const place = this.hover >= 0 && this.hover < content.ranks.length ? this.hover : content.marked;
    this.line.textContent = place < 0 ? "" : content.describe(place);
    if (place >= 0) Object.assign(this.line.dataset, content.data(place));
  }

  private key(event: KeyboardEvent): void {
    const { content } = this;
    if (!content) return;
    const last = content.ranks.length - 1;
    /* Marked at once: the next key may come before what is chosen is shown. */
    const step = (by: number) => () => {
      this.hover = -1;
      content.marked = Math.max(0, Math.min(last, content.marked + by));
      this.events.chosen(content.marked);
    };
    runKey(event, {
      ArrowRight: step(1),
      ArrowLeft: step(-1),
      PageDown: step(10),
      PageUp: step(-10),
      Home: step(-last),
      End: step(last),
    });
  }

  destroy(): void {
    this.stop();
    this.plot?.destroy();
  }
}

function lineOptions(line: RankLine, few: boolean): uPlot.Series {
  const stroke = inColour(line.colour);
  return {
    label: line.label,
    stroke,
    width: line.width,
    points: { show: few && !line.bars, size: 6, fill: stroke },
    ...(line.bars ? { fill: stroke, paths: uPlot.paths.bars!({ size: [0.8, 60] }) } : {}),
  };
}
