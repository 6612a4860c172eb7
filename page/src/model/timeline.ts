/*
 * What a time line shows of an iteration, made for drawing: in each row segments that follow each other without a
 * gap, each with the innermost call there, and for call stacks a lane for each depth.  However many there are, a
 * picture costs by its pixels.
 */
import { Block, Calls, Messages } from "../format/timeline";
import { Pieces } from "./iterations";

/** One after the other: segment i lasts from start[i] to start[i + 1], the last has no length. */
export interface Segments {
  start: Float64Array;
  /** Of the calls of the row; -1: none. */
  call: Int32Array;
}

export interface RowOfTimeline {
  calls: Calls;
  /** The innermost calls. */
  flat: Segments;
  /** The calls of each depth, the outermost first. */
  lanes: Segments[];
}

export interface TimelineModel {
  rows: RowOfTimeline[];
  messages: Messages;
  /** Of all rows, the most lanes. */
  lanes: number;
  /** The longest time that a message took. */
  longest: number;
  length: number;
}

class Builder {
  readonly start: number[] = [];
  readonly call: number[] = [];

  /** From TIME on CALL; what lasts no time is not kept. */
  add(time: number, call: number): void {
    const last = this.start.length - 1;
    if (last >= 0 && this.start[last]! >= time) {
      this.call[last] = call;
      return;
    }
    if (last >= 0 && this.call[last] === call) return;
    this.start.push(time);
    this.call.push(call);
  }

  get made(): Segments {
    return { start: Float64Array.from(this.start), call: Int32Array.from(this.call) };
  }
}

function flatten(calls: Calls): Segments {
  const builder = new Builder();
  const open: number[] = [];
  const close = (until: number): void => {
    while (open.length && calls.end[open[open.length - 1]!]! <= until) {
      const ended = open.pop()!;
      builder.add(calls.end[ended]!, open[open.length - 1] ?? -1);
    }
  };
  for (let i = 0; i < calls.begin.length; i++) {
    close(calls.begin[i]!);
    builder.add(calls.begin[i]!, i);
    open.push(i);
  }
  close(Infinity);
  return builder.made;
}

function lanesOf(calls: Calls): Segments[] {
  const least = calls.depth.reduce((a, b) => Math.min(a, b), Infinity);
  const builders: Builder[] = [];
  for (let i = 0; i < calls.begin.length; i++) {
    const builder = (builders[calls.depth[i]! - least] ??= new Builder());
    builder.add(calls.begin[i]!, i);
    builder.add(calls.end[i]!, -1);
  }
  return Array.from(builders, (builder) => (builder ?? new Builder()).made);
}

/** Row by row. */
export function* makeTimeline(block: Block, length: number): Pieces<TimelineModel> {
  const rows: RowOfTimeline[] = [];
  for (const calls of block.calls) {
    rows.push({ calls, flat: flatten(calls), lanes: lanesOf(calls) });
    yield;
  }
  const { sent, received } = block.messages;
  let longest = 0;
  for (let i = 0; i < sent.length; i++) longest = Math.max(longest, Math.abs(received[i]! - sent[i]!));
  return { rows, messages: block.messages, lanes: Math.max(1, ...rows.map((row) => row.lanes.length)), longest, length };
}

/** The last of VALUES, ascending, that is not above LIMIT; -1 if there is none. */
export function lastUpTo(values: Float64Array, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The call at TIME, or -1. */
export function callAt(segments: Segments, time: number): number {
  const at = lastUpTo(segments.start, time);
  return at < 0 ? -1 : segments.call[at]!;
}

/** The calls around the innermost one at TIME, that one first. */
export function stackAt(row: RowOfTimeline, time: number): number[] {
  const found = row.lanes.map((lane) => callAt(lane, time)).filter((call) => call >= 0);
  return found.reverse();
}

/** Of so many segments in one pixel each counts; of more, as many evenly taken ones. */
const EXACT = 24;

/**
 * The part of [FROM, TO) that has most of the time, by what PART says of a call (-1: nothing is there): all of a
 * pixel has one colour.
 */
export function mostOf(
  segments: Segments,
  first: number,
  last: number,
  from: number,
  to: number,
  part: (call: number) => number,
  sums: Float64Array,
): number {
  const { start, call } = segments;
  const step = Math.max(1, Math.ceil((last - first + 1) / EXACT));
  sums.fill(0);
  for (let i = first; i <= last; i += step) {
    const end = i + 1 < start.length ? start[i + 1]! : Infinity;
    const of = call[i]!;
    if (of >= 0) sums[part(of)]! += Math.min(end, to) - Math.max(start[i]!, from);
  }
  let best = -1;
  for (let i = 0; i < sums.length; i++) if (sums[i]! > 0 && (best < 0 || sums[i]! > sums[best]!)) best = i;
  return best;
}

/** Tells DRAW of every run of pixels with the same call or, where calls are narrower than pixels, the same part. */
export function walkPixels(
  segments: Segments,
  begin: number,
  perPixel: number,
  pixels: number,
  part: (call: number) => number,
  parts: number,
  draw: (x: number, width: number, part: number, call: number) => void,
): void {
  const { start, call } = segments;
  const count = start.length;
  const sums = new Float64Array(parts);
  const end = begin + pixels * perPixel;
  if (count === 0 || start[0]! >= end) return;
  let i = Math.max(0, lastUpTo(start, begin));
  let pendingX = 0;
  let pendingWidth = 0;
  let pendingPart = -1;
  const flush = (): void => {
    if (pendingPart >= 0 && pendingWidth > 0) draw(pendingX, pendingWidth, pendingPart, -1);
    pendingPart = -1;
    pendingWidth = 0;
  };
  const put = (x: number, width: number, which: number): void => {
    if (which === pendingPart && Math.abs(pendingX + pendingWidth - x) < 1e-6) pendingWidth += width;
    else {
      flush();
      pendingX = x;
      pendingWidth = width;
      pendingPart = which;
    }
  };
  while (i < count && start[i]! < end) {
    const from = Math.max(start[i]!, begin);
    const to = Math.min(i + 1 < count ? start[i + 1]! : from, end);
    const x = (from - begin) / perPixel;
    if (to - from >= perPixel) {
      flush();
      if (call[i]! >= 0) draw(x, (to - from) / perPixel, part(call[i]!), call[i]!);
      i++;
      continue;
    }
    /* All that ends within this pixel. */
    const border = Math.min(begin + (Math.floor(x + 1e-9) + 1) * perPixel, end);
    const last = Math.max(i, Math.min(lastUpTo(start, border - perPixel * 1e-9), count - 1));
    put(x, (border - from) / perPixel, mostOf(segments, i, last, from, border, part, sums));
    if (last === i && i + 1 >= count) break;
    /* One that goes on beyond the pixel is looked at again from there. */
    const lastEnd = last + 1 < count ? start[last + 1]! : end;
    if (lastEnd - border >= perPixel && call[last]! >= 0 && last + 1 < count) {
      flush();
      draw((border - begin) / perPixel, (Math.min(lastEnd, end) - border) / perPixel, part(call[last]!), call[last]!);
      i = last + 1;
    } else i = last + 1;
  }
  flush();
}

/** Messages of which a part is between BEGIN and END: their numbers, but of very many only MOST, evenly taken. */
export function messagesIn(model: TimelineModel, begin: number, end: number, most: number): { list: number[]; all: number } {
  const { sent, received } = model.messages;
  const first = lastUpTo(sent, begin - model.longest - 1) + 1;
  const last = lastUpTo(sent, end + model.longest);
  const found: number[] = [];
  for (let i = first; i <= last; i++) {
    const low = Math.min(sent[i]!, received[i]!);
    if (low <= end && Math.max(sent[i]!, received[i]!) >= begin) found.push(i);
  }
  if (found.length <= most) return { list: found, all: found.length };
  const step = found.length / most;
  return { list: Array.from({ length: most }, (_, i) => found[Math.floor(i * step)]!), all: found.length };
}
