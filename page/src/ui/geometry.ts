/* Where graphs over iterations draw: the same everywhere, so that they can be read one below the other. */
import { Range } from "../model/scope";

/** Room for the labels of the y axis, and at the right end, in pixels. */
export const LEFT = 76;
export const RIGHT = 16;

/** The columns of pixels that the value map has for iterations. */
export function mapColumns(): number {
  const width = document.getElementById("map")?.clientWidth ?? 0;
  return Math.max(1, Math.round((width - LEFT - RIGHT) * (window.devicePixelRatio || 1)));
}

/** Members of a range along an axis of some pixels; each takes the same width. */
export class Axis {
  constructor(
    readonly range: Range,
    readonly pixels: number,
  ) {}

  get length(): number {
    return this.range[1] - this.range[0] + 1;
  }

  /** The member at a place; the first or last one beyond the ends. */
  at(pixel: number): number {
    const i = Math.floor((pixel / this.pixels) * this.length);
    return this.range[0] + Math.min(Math.max(i, 0), this.length - 1);
  }

  /** Where a member begins. */
  start(member: number): number {
    return ((member - this.range[0]) / this.length) * this.pixels;
  }

  /** Begin and end of the part of RANGE that is on the axis; null if none is. */
  span(range: Range): [number, number] | null {
    if (range[1] < this.range[0] || range[0] > this.range[1]) return null;
    return [Math.max(0, this.start(range[0])), Math.min(this.pixels, this.start(range[1] + 1))];
  }
}

/** WANTED moved and cut so that it is in ALL. */
export function clampRange(wanted: Range, all: Range): Range {
  const length = Math.min(wanted[1] - wanted[0], all[1] - all[0]);
  const first = Math.min(Math.max(wanted[0], all[0]), all[1] - length);
  return [first, first + length];
}

/** The members around CENTRE, FACTOR as many as in RANGE; null where that is all of ALL. */
export function zoomRange(range: Range, all: Range, centre: number, factor: number): Range | null {
  const before = range[1] - range[0] + 1;
  const length = Math.max(1, Math.round(before * factor));
  if (length >= all[1] - all[0] + 1) return null;
  const share = (centre - range[0] + 0.5) / before;
  const first = Math.round(centre + 0.5 - share * length);
  return clampRange([first, first + length - 1], all);
}
