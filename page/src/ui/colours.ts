/* Colours that people with any colour vision can tell apart, on dark and light. */

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

/* Blue, grey, red: what is less and what is more. */
const DIVERGING: Rgb[] = [
  [5, 48, 97],
  [33, 102, 172],
  [67, 147, 195],
  [146, 197, 222],
  [224, 224, 224],
  [244, 165, 130],
  [214, 96, 77],
  [178, 24, 43],
  [103, 0, 31],
];

/* Okabe and Ito's set, black and yellow replaced by what is seen on dark and light. */
const CATEGORICAL = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c7ae6", "#8a8a8a", "#a6761d", "#4d9221"];

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

/** -1 blue … 0 grey … 1 red. */
export function diverging(position: number): Rgb {
  return between(DIVERGING, (position + 1) / 2);
}

/** The colour of the I-th thing. */
export function categorical(i: number): string {
  return CATEGORICAL[i % CATEGORICAL.length]!;
}

export function css(rgb: Rgb): string {
  return `rgb(${rgb.join(",")})`;
}

/** SIZE colours of `sequential` as the words of an ImageData's Uint32Array. */
export function sequentialWords(size: number): Uint32Array {
  return Uint32Array.from({ length: size }, (_, i) => {
    const [r, g, b] = sequential(i / (size - 1));
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  });
}

/** The value of a custom property of the style sheet, such as `--fg`. */
export function cssVariable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
