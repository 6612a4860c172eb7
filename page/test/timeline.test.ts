/* What a time line draws: segments, runs of pixels, messages; and its bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Malformed } from "../src/format/cursor";
import { Calls, readBlock } from "../src/format/timeline";
import { finish } from "../src/model/iterations";
import { Segments, callAt, makeTimeline, messagesIn, stackAt, walkPixels } from "../src/model/timeline";

/** [begin, end, region, depth] of each call. */
function callsOf(list: [number, number, number, number][]): Calls {
  return {
    begin: Float64Array.from(list, ([begin]) => begin),
    end: Float64Array.from(list, ([, end]) => end),
    region: Int32Array.from(list, ([, , region]) => region),
    depth: Int32Array.from(list, ([, , , depth]) => depth),
  };
}

const NONE = { time: new Float64Array(0), region: new Int32Array(0) };

function messagesOf(list: [number, number][]) {
  const zeros = (): Int32Array => new Int32Array(list.length);
  return {
    from: zeros(),
    to: zeros(),
    sent: Float64Array.from(list, ([sent]) => sent),
    received: Float64Array.from(list, ([, received]) => received),
    bytes: new Float64Array(list.length),
    tag: new Float64Array(list.length),
  };
}

const modelOf = (calls: Calls, length: number, messages: [number, number][] = []) =>
  finish(makeTimeline({ calls: [calls], samples: [NONE], messages: messagesOf(messages) }, length));

/*  0 ─────────────────────── 100
 *     1 ──── 40   2 ── 60
 *      3 ─ 30                     with a gap, and 4 from 120 to 140 */
const CALLS = callsOf([
  [0, 100, 0, 1],
  [10, 40, 1, 2],
  [20, 30, 3, 3],
  [50, 60, 2, 2],
  [120, 140, 4, 1],
]);

const pairs = ({ start, call }: Segments): [number, number][] => [...start].map((time, i) => [time, call[i]!]);

test("the innermost calls follow each other", () => {
  const row = modelOf(CALLS, 140).rows[0]!;
  assert.deepEqual(pairs(row.flat), [[0, 0], [10, 1], [20, 2], [30, 1], [40, 0], [50, 3], [60, 0], [100, -1], [120, 4], [140, -1]]);
  assert.deepEqual(row.lanes.map(pairs), [
    [[0, 0], [100, -1], [120, 4], [140, -1]],
    [[10, 1], [40, -1], [50, 3], [60, -1]],
    [[20, 2], [30, -1]],
  ]);
});

test("what is at a time, and around it", () => {
  const row = modelOf(CALLS, 140).rows[0]!;
  assert.deepEqual([-1, 0, 25, 35, 99, 110, 139, 140].map((time) => callAt(row.flat, time)), [-1, 0, 2, 1, 0, -1, 4, -1]);
  assert.deepEqual(stackAt(row, 25), [2, 1, 0]);
  assert.deepEqual(stackAt(row, 110), []);
});

/** What is drawn, by pixel: the part that has most of each. */
function pixelsOf(segments: Segments, begin: number, perPixel: number, pixels: number, part: (call: number) => number): number[] {
  const shares = Array.from({ length: pixels }, () => new Map<number, number>());
  walkPixels(segments, begin, perPixel, pixels, part, 3, (x, width, which) => {
    assert.ok(x >= -1e-6 && x + width <= pixels + 1e-6, `${x} to ${x + width} is within ${pixels}`);
    for (let pixel = Math.floor(x); pixel < Math.min(x + width, pixels); pixel++) {
      const share = Math.min(x + width, pixel + 1) - Math.max(x, pixel);
      shares[pixel]!.set(which, (shares[pixel]!.get(which) ?? 0) + share);
    }
  });
  return shares.map((map) => [...map].reduce((best, one) => (one[1] > best[1] + 1e-9 ? one : best), [-1, 0.05] as [number, number])[0]);
}

test("wide calls are drawn where they are", () => {
  const row = modelOf(CALLS, 140).rows[0]!;
  const part = (call: number): number => call % 3;
  assert.deepEqual(pixelsOf(row.flat, 0, 10, 14, part), [0, 1, 2, 1, 0, 0, 0, 0, 0, 0, -1, -1, 1, 1]);
  assert.deepEqual(pixelsOf(row.flat, 95, 10, 4, part), [0, -1, 1, 1]);
  assert.deepEqual(pixelsOf(row.flat, 200, 10, 4, part), [-1, -1, -1, -1]);
});

test("of narrow calls each pixel has the part with most of it", () => {
  /* Calls of 1, every third pixel of 10 with more of the other part. */
  const list: [number, number, number, number][] = [];
  for (let i = 0; i < 1000; i++) list.push([i, i + 1, 0, 0]);
  const row = modelOf(callsOf(list), 1000).rows[0]!;
  const part = (call: number): number => (Math.floor(call / 10) % 3 === 2 ? (call % 10 < 7 ? 1 : 0) : call % 10 < 2 ? 1 : 0);
  const wanted = Array.from({ length: 100 }, (_, pixel) => (pixel % 3 === 2 ? 1 : 0));
  assert.deepEqual(pixelsOf(row.flat, 0, 10, 100, part), wanted);
});

test("the work of a picture follows its pixels", () => {
  const list: [number, number, number, number][] = [];
  for (let i = 0; i < 200000; i++) list.push([i, i + 1, 0, 0]);
  const row = modelOf(callsOf(list), 200000).rows[0]!;
  let asked = 0;
  let drawn = 0;
  walkPixels(row.flat, 0, 200, 1000, (call) => (asked++, call % 2), 2, () => drawn++);
  assert.ok(asked < 1000 * 40 && drawn <= 1001, `${asked} calls looked at, ${drawn} boxes`);
});

test("messages of which a part is in sight, and at most so many", () => {
  const model = modelOf(CALLS, 140, [[0, 10], [5, 100], [50, 40], [60, 70], [110, 130]]);
  assert.deepEqual(messagesIn(model, 20, 45, 10), { list: [1, 2], all: 2 });
  assert.deepEqual(messagesIn(model, 105, 140, 10), { list: [4], all: 1 });
  assert.equal(messagesIn(model, 0, 140, 2).list.length, 2);
  assert.equal(messagesIn(model, 0, 140, 2).all, 5);
});

/** A frame of zstd with a block that is not compressed. */
function stored(bytes: number[]): Uint8Array {
  const header = (bytes.length << 3) | 1;
  return Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.length, header & 255, (header >> 8) & 255, header >> 16, ...bytes]);
}

const INDEX = {
  rows: [{ rank: 0, thread: 0, name: "a", host: "" }],
  regions: [{ name: "f", metric: "computation", file: "", line: 0 }],
  iterations: [],
  left_out: 0,
};

test("a block is read as it was written", () => {
  const bytes = [1, 2, 0, 1, 5, 100, 0, 2, 3, 4, 1, 1, 7, 1, 0, 0, 3, 16, 9, 2];
  const block = finish(readBlock(stored(bytes), bytes.length, INDEX));
  assert.deepEqual([[...block.calls[0]!.begin], [...block.calls[0]!.end], [...block.calls[0]!.depth]], [[5, 8], [105, 12], [1, 2]]);
  assert.deepEqual([[...block.samples[0]!.time], [...block.samples[0]!.region]], [[7], [0]]);
  assert.deepEqual([block.messages.sent[0], block.messages.received[0], block.messages.bytes[0], block.messages.tag[0]], [-2, 6, 9, 2]);
});

test("damaged blocks are refused", () => {
  for (const bytes of [[2, 0, 0, 0], [1, 200, 0, 0], [1, 1, 1, 0, 0, 0, 0, 0], [1, 0, 0, 1, 1, 0, 0, 0, 0, 0]])
    assert.throws(() => finish(readBlock(stored(bytes), bytes.length, INDEX)), Malformed, String(bytes));
});
