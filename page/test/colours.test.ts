/*
 * Colours for people who see fewer of them: each pair that is used together stays apart, scales stay in order; and
 * `tsprof plot` has the same colours for the same things.
 *
 * Protanopia, deuteranopia and tritanopia are simulated as G. M. Machado, M. M. Oliveira and L. A. F. Fernandes have
 * it, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15(6), 2009, with severity
 * 1.  How far colours are apart is their distance in Oklab (B. Ottosson, 2020), in which about 0.02 can just be
 * seen where they touch, and black and white are 1 apart.
 */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ABOVE, BELOW, OTHERS, PARTS, ROLE_COLOURS, Rgb, USUAL, diverging, partColours, sequential } from "../src/ui/colours";
import { ROOT } from "./golden";

type Vector = [number, number, number];

/** By rows, for linear light. */
const VISIONS: Record<string, number[]> = {
  "all colours": [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

/** Areas and lines that a legend tells apart are at least so far apart, as in the set of Okabe and Ito. */
const APART = 0.075;
/** Of the same tree of metrics all are at least so far apart: there are too many for more. */
const APART_OF_MANY = 0.047;
/** Areas are at least so far from what is behind them. */
const BEHIND = 0.1;

function transformed(matrix: number[], [x, y, z]: Vector): Vector {
  return [0, 3, 6].map((row) => matrix[row]! * x + matrix[row + 1]! * y + matrix[row + 2]! * z) as Vector;
}

/** sRGB, IEC 61966-2-1. */
const linear = (byte: number): number => (byte <= 10.31475 ? byte / 3294.6 : ((byte / 255 + 0.055) / 1.055) ** 2.4);

function oklab(light: Vector): Vector {
  const cones = transformed([0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566, 0.0883024619, 0.2817188376, 0.6299787005], light);
  return transformed([0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205, 0.4505937099, 0.0259040371, 0.7827717662, -0.808675766], cones.map(Math.cbrt) as Vector);
}

/** How a colour looks to whoever has that vision. */
function seen(colour: string | Rgb, vision: number[]): Vector {
  const rgb = typeof colour === "string" ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) : colour;
  const light = transformed(vision, rgb.map(linear) as Vector).map((part) => Math.min(1, Math.max(0, part)));
  return oklab(light as Vector);
}

const distance = (a: Vector, b: Vector): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** Each colour of a group from each of another (or of the same, if there is none), in every vision. */
function checkApart(colours: (string | Rgb)[], others: (string | Rgb)[] | null, least: number, what: string): void {
  for (const [name, vision] of Object.entries(VISIONS))
    colours.forEach((one, i) =>
      (others ?? colours.slice(0, i)).forEach((other) => {
        const far = distance(seen(one, vision), seen(other, vision));
        assert.ok(far >= least, `${what}, ${name}: ${one} and ${other} are ${far.toFixed(3)} apart`);
      }),
    );
}

const text = (...file: string[]): string => readFileSync(join(ROOT, ...file), "utf8");

/** Custom properties of the style sheet, light and dark. */
function themes(): Record<"light" | "dark", Map<string, string>> {
  const [light, dark] = text("page", "src", "style.css").split(':root[data-theme="dark"] {') as [string, string];
  const properties = (css: string): Map<string, string> =>
    new Map([...css.slice(0, css.indexOf("}")).matchAll(/(--[a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name!, value!]));
  return { light: properties(light.slice(light.indexOf(":root {"))), dark: properties(dark) };
}

/** Waiting that most programs have, and kinds of time that many have: they have to be told apart best. */
const USUALLY_THERE = [
  "computation", "mpi_point2point", "mpi_collective", "mpi_rma_communication", "mpi_synchronization", "mpi_io", "mpi_other", "mpi_setup", "overhead",
  "mpi_sync_rma_active", "mpi_sync_rma_passive", "mpi_io_collective", "mpi_latesender", "mpi_latereceiver", "mpi_barrier_wait", "mpi_wait_nxn",
  "mpi_latebroadcast", "mpi_earlyreduce", "mpi_wait_neighbors", "mpi_io_wait", "mpi_rma_wait_at_fence",
];

test("parts of a metric are told apart by everybody, and from what is behind them", () => {
  const often = [...USUALLY_THERE.map((name) => PARTS.get(name)!), OTHERS];
  assert.equal(new Set(often).size, often.length);
  checkApart(often, null, APART, "parts");
  const all = [...new Set([...PARTS.values(), ...USUAL, OTHERS])];
  checkApart(all, null, APART_OF_MANY, "all parts");
  for (const [theme, properties] of Object.entries(themes())) checkApart(all, [properties.get("--panel")!], BEHIND, theme);
});

/** By name: the metric around it, of all that tsprof measures or finds in traces; null: none. */
function everyMetric(): Map<string, string | null> {
  const found = new Map<string, string | null>();
  for (const [, name, parent] of text("common/metrics.def").matchAll(/^METRIC\((\w+), (\w+),/gm)) found.set(name!, parent === "none" ? null : parent!);
  for (const file of readdirSync(join(ROOT, "replay")).filter((name) => name.endsWith(".c")))
    for (const [, name, parent] of text("replay", file).matchAll(/\{"(\w+)",\s+(NULL|"\w+"),\s+"(?:s|occ)"/g)) found.set(name!, parent === "NULL" ? null : parent!.slice(1, -1));
  for (const [, suffix] of text("replay/refill_waits.c").matchAll(/REFILL_FROM\("(\w+)"/g)) found.set(`wavefront_refill_${suffix}`, "wavefront_refill");
  return found;
}

test("every metric has a colour of its own among those that it may be shown with", () => {
  const all = everyMetric();
  assert.ok(all.size > 100 && all.has("mpi_latesender") && all.has("delay_n21_longterm") && all.has("wavefront_refill_sed"), `${all.size} metrics`);
  /* They are shown by their parts, which are all of them. */
  const divided = ["time", "execution", "mpi", "mpi_communication", "syncs", "comms", "bytes", "io_ops"];
  for (const name of all.keys()) assert.ok(PARTS.has(name) !== divided.includes(name), name);
  for (const name of PARTS.keys()) assert.ok(all.has(name), `${name} is a metric`);
  const rootOf = (name: string): string => (all.get(name) ? rootOf(all.get(name)!) : name);
  /* Shown as a whole or by their parts, the first of which has the colour of the whole. */
  const wholes = ["mpi_synchronization", "mpi_io"];
  const seenIn = new Map<string, string>();
  for (const [name, colour] of PARTS) {
    if (wholes.includes(name)) continue;
    const place = `${rootOf(name)} ${colour}`;
    assert.equal(seenIn.get(place), undefined, `${name} has the colour of ${seenIn.get(place)}`);
    seenIn.set(place, name);
  }
});

test("parts have their colours whatever they are shown with; of metrics that nobody knows each has its own", () => {
  assert.deepEqual(partColours(["mpi_latesender", "overhead"]), ["mpi_latesender", "overhead"].map((name) => PARTS.get(name)));
  assert.deepEqual(partColours(["of_a_pattern", "computation", "of_another"]), [USUAL[0], PARTS.get("computation"), USUAL[1]]);
  assert.deepEqual(partColours(["PAPI_TOT_INS"]), [USUAL[0]]);
});

test("lines of graphs and roles in flame graphs are told apart by everybody", () => {
  for (const [theme, properties] of Object.entries(themes())) {
    const lines = ["--max", "--mean", "--min"].map((name) => properties.get(name)!);
    checkApart(lines, null, APART, theme);
    checkApart(lines, [properties.get("--panel")!], 0.25, theme);
  }
  const roles = Object.values(ROLE_COLOURS);
  roles.forEach((shades, i) => roles.slice(0, i).forEach((others) => checkApart([...shades], [...others], APART, "roles")));
  const calls = USUALLY_THERE.slice(1, 8).map((name) => PARTS.get(name)!);
  roles.forEach((shades) => checkApart([...shades], calls, APART, "roles and MPI functions"));
});

const STEPS = 64;

test("the scale of values gets lighter all the way, for everybody", () => {
  for (const [name, vision] of Object.entries(VISIONS)) {
    const lightness = Array.from({ length: STEPS + 1 }, (_, i) => seen(sequential(i / STEPS), vision)[0]);
    lightness.slice(1).forEach((one, i) => assert.ok(one > lightness[i]!, `${name}: step ${i}, ${lightness[i]} and ${one}`));
    assert.ok(lightness[STEPS]! - lightness[0]! > 0.5, name);
  }
});

test("the scale of differences gets darker to both sides, which are told apart by everybody", () => {
  for (const [name, vision] of Object.entries(VISIONS))
    for (const sign of [-1, 1]) {
      const lightness = Array.from({ length: STEPS + 1 }, (_, i) => seen(diverging((sign * i) / STEPS), vision)[0]);
      lightness.slice(1).forEach((one, i) => assert.ok(one < lightness[i]!, `${name}: step ${sign * i}`));
    }
  for (let share = 0.25; share <= 1; share += 1 / 16) checkApart([diverging(share)], [diverging(-share)], 0.1, `${share} more and less`);
});

test("where there is no value is not like any value", () => {
  for (const [theme, properties] of Object.entries(themes()))
    for (let i = 0; i <= STEPS; i++) checkApart([sequential(i / STEPS)], [properties.get("--missing")!], 0.04, `${theme}, ${i / STEPS}`);
});

test("values beyond the scale are not like any on it, nor like none", () => {
  const missing = Object.values(themes()).map((properties) => properties.get("--missing")!);
  const scale = Array.from({ length: STEPS + 1 }, (_, i) => sequential(i / STEPS));
  for (const clipped of [BELOW, ABOVE]) checkApart([clipped], [...scale, ...missing], 0.15, "clipped");
});

test("tsprof plot has the same colours for the same things", () => {
  const named = new Map([...text("utils/plot", "plot_colors.h").matchAll(/#define (COLOR_\w+)\s+0x([0-9a-f]{6})u/g)].map(([, name, value]) => [name!, `#${value}`]));
  const rows = [...text("utils/plot", "plot_parts.def").matchAll(/^(PART|USUAL)\((?:(\w+), )?(COLOR_\w+|0x[0-9a-f]{6})\)$/gm)].map(([, kind, metric, colour]) => ({ kind, metric, colour: named.get(colour!) ?? colour!.replace("0x", "#") }));
  const of = (kind: string) => rows.filter((row) => row.kind === kind);
  assert.deepEqual(of("PART").map(({ metric, colour }) => [metric, colour]), [...PARTS]);
  assert.deepEqual(of("USUAL").map(({ colour }) => colour), USUAL);
  assert.equal(named.get(/#define COLOR_REST (COLOR_\w+)/.exec(text("utils/plot", "plot_breakdown.c"))![1]!), OTHERS);
  const stops = (name: string) => [...new RegExp(`${name}\\[\\] = \\{([^}]*)\\}`).exec(text("utils/plot", "plot_colors.c"))![1]!.matchAll(/0x([0-9a-f]{6})/g)].map(([, value]) => value);
  const hex = (colour: Rgb) => colour.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  assert.deepEqual(stops("viridis"), Array.from({ length: 17 }, (_, i) => hex(sequential(i / 16))));
  assert.deepEqual(stops("differences"), Array.from({ length: 9 }, (_, i) => hex(diverging(i / 4 - 1))));
  assert.equal(themes().light.get("--missing"), named.get("COLOR_NONE"));
  const lines = [...text("utils/plot", "plot_lines.c").matchAll(/\{"(?:high|middle|low)", (COLOR_\w+)\}/g)].map(([, colour]) => named.get(colour!));
  assert.deepEqual(lines, ["--max", "--mean", "--min"].map((name) => themes().light.get(name)));
});
