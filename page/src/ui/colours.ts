/* Colours that people with any colour vision can tell apart, on dark and light. */
import { Scale } from "../model/valuemap";

export type Rgb = readonly [number, number, number];

/* Viridis (van der Walt and Smith, CC0), every 16th part: equal steps look equally large, also in grey. */
const VIRIDIS: Rgb[] = [
  [68, 1, 84],
  [72, 24, 106],
  [71, 45, 123],
  [66, 64, 134],
  [59, 82, 139],
  [51, 99, 141],
  [44, 114, 142],
  [38, 130, 142],
  [33, 145, 140],
  [31, 160, 136],
  [40, 174, 128],
  [63, 188, 115],
  [94, 201, 98],
  [132, 212, 75],
  [173, 220, 48],
  [216, 226, 25],
  [253, 231, 37],
];

/** Of values beyond the ends of a scale. */
export const BELOW: Rgb = [0, 0, 0];
export const ABOVE: Rgb = [255, 0, 255];

/* Blue, white, red: what is less and what is more. */
const DIVERGING: Rgb[] = [
  [5, 48, 97],
  [33, 102, 172],
  [67, 147, 195],
  [146, 197, 222],
  [247, 247, 247],
  [244, 165, 130],
  [214, 96, 77],
  [178, 24, 43],
  [103, 0, 31],
];

/** Of parts of a metric that always have the same colour; here and below as in utils/plot/plot_parts.def. */
export const PARTS: ReadonlyMap<string, string> = new Map([
  ["computation", "#56b4e9"],
  ["mpi_point2point", "#cc79a7"],
  ["mpi_collective", "#0072b2"],
  ["mpi_rma_communication", "#009e73"],
  ["mpi_synchronization", "#7217e6"],
  ["mpi_io", "#f0e442"],
  ["mpi_other", "#e69f00"],
  ["mpi_setup", "#a42f6e"],
  ["overhead", "#d55e00"],
]);

/** Of the others, one after the other. */
export const USUAL: readonly string[] = ["#56b4e9", "#e69f00", "#0072b2", "#f0e442", "#009e73", "#cc79a7", "#d55e00", "#7217e6", "#a42f6e"];

/** Of what is in no part, or in one of those that are too small to be shown alone. */
export const OTHERS = "#c3ddd1";

/* Of frames in flame graphs, in shades: computation, what calls MPI, MPI. */
export const ROLE_COLOURS: Readonly<Record<"usr" | "com" | "mpi", readonly Rgb[]>> = {
  usr: [
    [86, 180, 233],
    [108, 190, 236],
    [66, 165, 222],
  ],
  com: [
    [208, 212, 216],
    [218, 222, 225],
    [199, 204, 209],
  ],
  mpi: [
    [230, 159, 0],
    [238, 175, 45],
    [217, 148, 0],
  ],
};

function between(stops: Rgb[], position: number): Rgb {
  const at = Math.min(Math.max(position, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2);
  const share = at - i;
  const mix = (c: 0 | 1 | 2): number => Math.round(stops[i]![c] + share * (stops[i + 1]![c] - stops[i]![c]));
  return [mix(0), mix(1), mix(2)];
}

/** 0 dark violet … 1 yellow. */
export function sequential(position: number): Rgb {
  return between(VIRIDIS, position);
}

/** The colour of a value on SCALE. */
export function colourOn(scale: Pick<Scale, "position" | "side">, value: number): Rgb {
  const side = scale.side(value);
  return side < 0 ? BELOW : side > 0 ? ABOVE : sequential(scale.position(value));
}

/** -1 blue … 0 white … 1 red. */
export function diverging(position: number): Rgb {
  return between(DIVERGING, (position + 1) / 2);
}

/**
 * Colours of parts that are shown together, each given by its name and the names of the metrics that it is in, the
 * nearest first: its own or that of the nearest that has one, or, if another part has that already, a usual one.
 */
export function partColours(parts: readonly (readonly string[])[]): string[] {
  const colours = new Array<string | undefined>(parts.length);
  const take = (i: number, colour: string | undefined): void => {
    if (colours[i] === undefined && colour !== undefined && !colours.includes(colour)) colours[i] = colour;
  };
  const levels = Math.max(0, ...parts.map((names) => names.length));
  for (let level = 0; level < levels; level++) parts.forEach((names, i) => take(i, PARTS.get(names[level] ?? "")));
  return parts.map((_, i) => {
    take(i, USUAL.find((colour) => !colours.includes(colour)));
    return colours[i] ?? USUAL[i % USUAL.length]!;
  });
}

export function css(rgb: Rgb): string {
  return `rgb(${rgb.join(",")})`;
}

/** A colour as a word of an ImageData's Uint32Array. */
export function wordOf([r, g, b]: Rgb): number {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/** SIZE colours of `sequential` as such words. */
export function sequentialWords(size: number): Uint32Array {
  return Uint32Array.from({ length: size }, (_, i) => wordOf(sequential(i / (size - 1))));
}

/** The value of a custom property of the style sheet, such as `--fg`. */
export function cssVariable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
