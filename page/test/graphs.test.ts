/* Surface, axes, animation, comparison and copies: what can be said of them without a browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { csvField, csvOf, fileNameOf } from "../src/draw/copy";
import { differences } from "../src/draw/difference";
import { Player } from "../src/draw/player";
import {
  BOX,
  Camera,
  FIRST_CAMERA,
  backWalls,
  coarser,
  heightOf,
  heights,
  matrixOf,
  pick,
  projection,
  triangles,
  turned,
  widened,
} from "../src/draw/surface_geometry";
import { alone } from "../src/model/iterations";
import { enclosingTicks, logarithmicTicks, niceTicks, unitTicks } from "../src/draw/ticks";

const VIEW = { width: 800, height: 500, margin: { x: 50, y: 40 } };
const GRID = { columns: 3, rows: 2, values: Float32Array.from([0, 1, 2, 3, NaN, 5]), low: 0, high: 5 };

const CAMERAS: Camera[] = [FIRST_CAMERA, { azimuth: 2.5, elevation: 0.2, zoom: 1 }, { azimuth: 4, elevation: Math.PI / 2, zoom: 2 }];

test("the matrix for WebGL projects as what draws the axes does", () => {
  for (const camera of CAMERAS) {
    const m = matrixOf(camera, VIEW);
    const project = projection(camera, VIEW);
    for (const point of [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0.5, -0.3]] as const) {
      const [x, y] = [0, 1].map((row) => point.reduce((sum, part, column) => sum + part * m[4 * column + row]!, 0)) as [number, number];
      const wanted = project(...point);
      assert.ok(Math.abs(((x + 1) * VIEW.width) / 2 - wanted.x) < 1e-3);
      assert.ok(Math.abs(((1 - y) * VIEW.height) / 2 - wanted.y) < 1e-3);
    }
  }
});

test("the whole box is within the view, from every side", () => {
  for (let azimuth = 0; azimuth < 7; azimuth += 0.3)
    for (const elevation of [0.05, 0.6, 1.2, Math.PI / 2]) {
      const project = projection({ azimuth, elevation, zoom: 1 }, VIEW);
      for (const x of [-BOX.x, BOX.x])
        for (const y of [-BOX.y, BOX.y])
          for (const z of [-BOX.z, BOX.z]) {
            const at = project(x, y, z);
            assert.ok(at.x >= 0 && at.x <= VIEW.width && at.y >= 0 && at.y <= VIEW.height);
          }
    }
});

test("the walls are behind the surface", () => {
  for (const camera of CAMERAS) {
    const back = backWalls(camera);
    const project = projection(camera, VIEW);
    assert.ok(project(back.x * BOX.x, 0, 0).depth >= project(-back.x * BOX.x, 0, 0).depth - 1e-9);
    assert.ok(project(0, back.y * BOX.y, 0).depth >= project(0, -back.y * BOX.y, 0).depth - 1e-9);
  }
});

test("a camera stays above the ground and within reach", () => {
  const down = turned(FIRST_CAMERA, 0, -9, 1);
  assert.ok(down.elevation > 0 && turned(FIRST_CAMERA, 0, 9, 1).elevation <= Math.PI / 2);
  assert.ok(turned(FIRST_CAMERA, 0, 0, 1e9).zoom <= 12 && turned(FIRST_CAMERA, 0, 0, 1e-9).zoom >= 0.5);
});

test("cells without a value have no triangles", () => {
  assert.equal(triangles(GRID).length, 0, "both cells touch the missing value");
  assert.equal(triangles({ ...GRID, values: Float32Array.from([0, 1, 2, 3, 4, 5]) }).length, 12);
  assert.deepEqual([...heights(GRID)].map((height) => Math.round(height * 10) / 10), [-0.5, -0.3, -0.1, 0.1, -0.5, 0.5]);
  assert.equal(heightOf(GRID, 0), -BOX.z);
  assert.equal(heightOf(GRID, 5), BOX.z);
});

test("one rank is a ribbon, not nothing", () => {
  const one = widened({ columns: 3, rows: 1, values: Float32Array.from([1, 2, 3]), low: 0, high: 3 });
  assert.deepEqual([...one.values], [1, 2, 3, 1, 2, 3]);
  assert.equal(triangles(one).length, 12);
});

test("a coarser grid keeps peaks", () => {
  const values = new Float32Array(100).fill(1);
  values[57] = 9;
  const coarse = coarser({ columns: 100, rows: 1, values, low: 0, high: 9 }, 10, 10);
  assert.deepEqual([...coarse.values], [1, 1, 1, 1, 1, 9, 1, 1, 1, 1]);
});

test("the pointer finds the value that it is on", () => {
  const grid = { ...GRID, values: Float32Array.from([0, 1, 2, 3, 4, 5]) };
  const at = projection(FIRST_CAMERA, VIEW)(BOX.x, BOX.y, heightOf(grid, 5));
  assert.deepEqual(pick(grid, FIRST_CAMERA, VIEW, at.x + 2, at.y, 10), { row: 1, column: 2 });
  assert.equal(pick(grid, FIRST_CAMERA, VIEW, 0, 0, 10), null);
});

test("ticks of a logarithmic axis are powers of ten, and more where there are few", () => {
  assert.deepEqual(logarithmicTicks(0.0015, 0.09), [0.002, 0.005, 0.01, 0.02, 0.05]);
  assert.deepEqual(logarithmicTicks(0.5, 2e4), [1, 10, 100, 1000, 10000]);
  assert.deepEqual(logarithmicTicks(0.00304, 0.00357), [0.0032, 0.0034]);
  for (const [low, high] of [[1.1, 1.9], [2.1, 4.7], [9, 11]] as const) {
    const ticks = logarithmicTicks(low, high);
    assert.ok(ticks.length > 1 && ticks.every((tick) => tick >= low && tick <= high), `${low} to ${high}: ${ticks}`);
  }
  const many = logarithmicTicks(1e-9, 1e9);
  assert.ok(many.length >= 4 && many.length <= 8, String(many));
  assert.ok(many.every((tick) => Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-9));
});

test("what is between iterations without a profile has a point, for it has no line", () => {
  assert.deepEqual(alone([1, null, 2, 3, null, 0, null, null, 5]), [0, 5, 8]);
  assert.deepEqual(alone([1, 2, 3]), []);
});

test("ticks are round numbers within the range", () => {
  assert.deepEqual(niceTicks(0, 299, 6, true), [0, 50, 100, 150, 200, 250]);
  assert.deepEqual(niceTicks(0, 3, 6, true), [0, 1, 2, 3]);
  assert.deepEqual(niceTicks(0.0213, 0.121, 5, false), [0.04, 0.06, 0.08, 0.1, 0.12]);
  assert.deepEqual(niceTicks(7, 7, 5, true), [7]);
  assert.deepEqual(enclosingTicks(0.0319, 0.127, 5), [0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14]);
  assert.deepEqual(enclosingTicks(-3, 4, 5), [-4, -2, 0, 2, 4]);
  assert.deepEqual(enclosingTicks(3, 3, 5), [3]);
  assert.deepEqual(unitTicks(0, 700, 200, "s"), [0, 200, 400, 600]);
  assert.deepEqual(unitTicks(0, 1700, 500, "s"), [0, 600, 1200]);
  assert.deepEqual(unitTicks(0, 1700, 500, "occ"), [0, 500, 1000, 1500]);
  assert.deepEqual(niceTicks(-0.3, 0.3, 6, false), [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]);
});

/** Time that passes when it is told to. */
class Clock {
  private frame: ((now: number) => void) | null = null;
  private now = 1000;

  request(frame: (now: number) => void): number {
    this.frame = frame;
    return 1;
  }

  cancel(): void {
    this.frame = null;
  }

  /** Lets MS pass in frames of 20 ms. */
  pass(ms: number): void {
    for (let i = 0; i < ms / 20 && this.frame; i++) {
      const frame = this.frame;
      this.frame = null;
      this.now += 20;
      frame(this.now);
    }
  }
}

function playing(): { player: Player; clock: Clock; shown: number[]; states: boolean[] } {
  const clock = new Clock();
  const shown: number[] = [];
  const states: boolean[] = [];
  const player = new Player({ show: (iteration) => shown.push(iteration), changed: (isPlaying) => states.push(isPlaying) }, clock);
  return { player, clock, shown, states };
}

test("an animation shows every iteration once, then stops at the last", () => {
  const { player, clock, shown, states } = playing();
  player.setRange(5, 9);
  player.setSpeed(10);
  player.play();
  clock.pass(2000);
  assert.deepEqual(shown, [6, 7, 8, 9]);
  assert.deepEqual(states, [true, false]);
  player.play();
  assert.equal(shown.at(-1), 5, "from the beginning again");
});

test("an animation stays where it was paused, and steps", () => {
  const { player, clock, shown, states } = playing();
  player.setRange(0, 100);
  player.setSpeed(10);
  player.play();
  clock.pass(520);
  player.pause();
  clock.pass(500);
  assert.equal(player.iteration, 5);
  player.step(1);
  player.step(-3);
  assert.deepEqual(shown, [1, 2, 3, 4, 5, 6, 3]);
  assert.deepEqual(states, [true, false]);
  player.step(-99);
  assert.equal(player.iteration, 0, "not before the first");
});

test("where less motion is asked for there are two steps in a second", () => {
  const { player, clock } = playing();
  player.setRange(0, 100);
  player.setSpeed(60);
  player.setCalm(true);
  player.play();
  clock.pass(3100);
  assert.equal(player.iteration, 6);
});

test("differences come by their size, call paths that neither has are left out", () => {
  const rows = differences(Float64Array.from([0, 1, 5, 0]), Float64Array.from([0, 3, 4, 2]));
  assert.deepEqual(
    rows.map(({ node, difference, ratio }) => [node, difference, ratio]),
    [
      [1, -2, 1 / 3],
      [3, -2, 0],
      [2, 1, 1.25],
    ],
  );
  assert.ok(Number.isNaN(differences(Float64Array.of(1), Float64Array.of(0))[0]!.ratio));
});

test("CSV is quoted as RFC 4180 says, and numbers keep all digits", () => {
  assert.equal(csvField('a "b", c'), '"a ""b"", c"');
  assert.equal(csvField("plain"), "plain");
  assert.equal(csvField(2 ** 53), "9007199254740992");
  assert.equal(Number(csvField(0.1 + 0.2)), 0.1 + 0.2);
  assert.equal(csvField(NaN), "");
  assert.equal(csvOf(["a", "b"], [["x\ny", 1.5]]), 'a,b\n"x\ny",1.5\n');
  assert.equal(fileNameOf("a/../b", "time <x>"), "a_.._b-time_x_");
});
