/* What `tsprof html --trace` puts into the page: an index, and a block for each iteration (utils/timeline). */
import { decompress } from "fzstd";
import { Pieces } from "../model/iterations";
import { Cursor, Malformed } from "./cursor";

/** A thread that has a row. */
export interface TimelineRow {
  rank: number | null;
  thread: number;
  name: string;
  host: string;
}

export interface TimelineRegion {
  name: string;
  metric: string;
  file: string;
  line: number;
}

/** An iteration, or with an empty phase the whole trace.  Times are in nanoseconds. */
export interface TimelineIteration {
  phase: string;
  number: number;
  begin: number;
  length: number;
  calls: number;
  messages: number;
  samples: number;
  /** Its block; null: there was no room for it in the page. */
  block: number | null;
}

export interface TimelineIndex {
  rows: TimelineRow[];
  regions: TimelineRegion[];
  iterations: TimelineIteration[];
  left_out: number;
}

/** The calls of a row in the order of their beginning; times since the iteration begins. */
export interface Calls {
  begin: Float64Array;
  end: Float64Array;
  region: Int32Array;
  depth: Int32Array;
}

/** Regions are -1 where they are not known. */
export interface Samples {
  time: Float64Array;
  region: Int32Array;
}

/** In the order of sending. */
export interface Messages {
  from: Int32Array;
  to: Int32Array;
  sent: Float64Array;
  received: Float64Array;
  bytes: Float64Array;
  tag: Float64Array;
}

export interface Block {
  calls: Calls[];
  samples: Samples[];
  messages: Messages;
}

/** Every number takes a byte at least: what claims to have more is damaged. */
function counted(cursor: Cursor, numbers: number): number {
  const count = cursor.varint();
  if (count * numbers > cursor.bytes.length) cursor.fail(`${count} things in ${cursor.bytes.length} bytes`);
  return count;
}

function readCalls(cursor: Cursor, regions: number): Calls {
  const count = counted(cursor, 4);
  const calls: Calls = {
    begin: new Float64Array(count),
    end: new Float64Array(count),
    region: new Int32Array(count),
    depth: new Int32Array(count),
  };
  let at = 0;
  for (let i = 0; i < count; i++) {
    calls.region[i] = cursor.index(regions);
    calls.depth[i] = cursor.varint();
    at += cursor.varint();
    calls.begin[i] = at;
    calls.end[i] = at + cursor.varint();
  }
  return calls;
}

function readSamples(cursor: Cursor, regions: number): Samples {
  const count = counted(cursor, 2);
  const samples: Samples = { time: new Float64Array(count), region: new Int32Array(count) };
  let at = 0;
  for (let i = 0; i < count; i++) {
    samples.region[i] = cursor.index(regions + 1) - 1;
    at += cursor.varint();
    samples.time[i] = at;
  }
  return samples;
}

function readMessages(cursor: Cursor, rows: number): Messages {
  const count = counted(cursor, 6);
  const numbers = (): Float64Array => new Float64Array(count);
  const messages: Messages = {
    from: new Int32Array(count),
    to: new Int32Array(count),
    sent: numbers(),
    received: numbers(),
    bytes: numbers(),
    tag: numbers(),
  };
  let at = 0;
  for (let i = 0; i < count; i++) {
    messages.from[i] = cursor.index(rows);
    messages.to[i] = cursor.index(rows);
    at += cursor.signed();
    messages.sent[i] = at;
    messages.received[i] = at + cursor.signed();
    messages.bytes[i] = cursor.varint();
    messages.tag[i] = cursor.varint();
  }
  return messages;
}

/** Reads what utils/timeline/write_block.h describes, row by row. */
export function* readBlock(packed: Uint8Array, bytes: number, index: TimelineIndex): Pieces<Block> {
  const cursor = new Cursor(decompress(packed, new Uint8Array(bytes)), "the time line");
  const rows = cursor.varint();
  if (rows !== index.rows.length) cursor.fail(`${rows} rows, not ${index.rows.length}`);
  const block: Block = { calls: [], samples: [], messages: undefined as never };
  for (let row = 0; row < rows; row++) {
    block.calls.push(readCalls(cursor, index.regions.length));
    block.samples.push(readSamples(cursor, index.regions.length));
    yield;
  }
  block.messages = readMessages(cursor, rows);
  return block;
}

/** The index in the page; null if it holds no trace. */
export function readIndex(): TimelineIndex | null {
  const text = document.getElementById("timeline")?.textContent;
  if (!text) return null;
  try {
    return JSON.parse(text) as TimelineIndex;
  } catch {
    throw new Malformed("the time line in this page is damaged");
  }
}
