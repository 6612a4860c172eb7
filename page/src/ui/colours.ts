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

/** The colour of each metric wherever it is one of several; here and below as in utils/plot/plot_parts.def. */
export const PARTS: ReadonlyMap<string, string> = new Map([
  /* Time, without waiting. */
  ["computation", "#56b4e9"],
  ["mpi_point2point", "#cc79a7"],
  ["mpi_collective", "#0072b2"],
  ["mpi_rma_communication", "#009e73"],
  ["mpi_synchronization", "#7217e6"],
  ["mpi_io", "#f0e442"],
  ["mpi_other", "#e69f00"],
  ["mpi_setup", "#a42f6e"],
  ["overhead", "#d55e00"],
  ["mpi_sync_collective", "#7217e6"],
  ["mpi_io_individual", "#f0e442"],
  ["mpi_sync_rma_active", "#6c09b4"],
  ["mpi_sync_rma_passive", "#5a125a"],
  ["mpi_io_collective", "#99fc99"],
  /* Waiting. */
  ["mpi_latesender", "#cfa2b4"],
  ["mpi_latereceiver", "#7e2451"],
  ["mpi_barrier_wait", "#9051fc"],
  ["mpi_wait_nxn", "#093f87"],
  ["mpi_latebroadcast", "#8787d8"],
  ["mpi_earlyreduce", "#7ecffc"],
  ["mpi_wait_neighbors", "#363f24"],
  ["mpi_io_wait", "#635a00"],
  ["mpi_rma_wait_at_fence", "#99cf90"],
  ["mpi_finalize_wait", "#bd3687"],
  ["mpi_rma_early_wait", "#48b47e"],
  ["mpi_latesender_wo", "#b46c99"],
  ["mpi_lswo_different", "#d887c6"],
  ["mpi_lswo_same", "#eaabcf"],
  ["mpi_slow_slaves", "#6c2d6c"],
  ["mpi_overloaded_master_send", "#873f48"],
  ["mpi_overloaded_master_recv", "#ab36a2"],
  ["mpi_barrier_completion", "#7e2dc6"],
  ["mpi_nxn_completion", "#4890fc"],
  ["mpi_earlyscan", "#6c7ebd"],
  ["mpi_init_completion", "#ea3f63"],
  ["mpi_rma_wait_at_create", "#e18700"],
  ["mpi_rma_wait_at_free", "#f3cf63"],
  ["mpi_rma_early_fence", "#7eeaa2"],
  ["mpi_rma_sync_late_post", "#5a7e5a"],
  ["mpi_rma_comm_late_post", "#365124"],
  ["mpi_rma_late_complete", "#7e8736"],
  ["mpi_rma_sync_lock_competition", "#99a251"],
  ["mpi_rma_comm_lock_competition", "#cfc62d"],
  ["mpi_rma_sync_wait_for_progress", "#6c5ad8"],
  ["mpi_rma_comm_wait_for_progress", "#2409a2"],
  /* Counts and bytes: what is sent has one colour, what is received another. */
  ["preempted", "#e69f00"],
  ["visits", "#56b4e9"],
  ["pairs_rma", "#009e73"],
  ["samples", "#56b4e9"],
  ["samples_failed", "#d55e00"],
  ["syncs_send", "#56b4e9"],
  ["syncs_recv", "#e69f00"],
  ["syncs_coll", "#0072b2"],
  ["syncs_rma", "#009e73"],
  ["comms_send", "#56b4e9"],
  ["comms_recv", "#e69f00"],
  ["comms_coll", "#0072b2"],
  ["comms_put", "#009e73"],
  ["comms_get", "#cc79a7"],
  ["comms_atomic", "#a42f6e"],
  ["bytes_sent", "#56b4e9"],
  ["bytes_rcvd", "#e69f00"],
  ["bytes_coll_out", "#0072b2"],
  ["bytes_coll_in", "#f0e442"],
  ["bytes_put", "#009e73"],
  ["bytes_get", "#cc79a7"],
  ["bytes_io_read", "#d55e00"],
  ["bytes_io_written", "#7217e6"],
  ["io_reads", "#d55e00"],
  ["io_writes", "#7217e6"],
  ["mpi_rma_pairsync_count", "#009e73"],
  ["mpi_rma_pairsync_unneeded_count", "#d55e00"],
  /* What causes waiting: delays as the waiting that they cause, in the long term as what is its part. */
  ["delay", "#56b4e9"],
  ["delay_latesender", "#cfa2b4"],
  ["delay_latesender_longterm", "#b46c99"],
  ["delay_latereceiver", "#7e2451"],
  ["delay_latereceiver_longterm", "#ab36a2"],
  ["delay_barrier", "#9051fc"],
  ["delay_barrier_longterm", "#7e2dc6"],
  ["delay_n2n", "#093f87"],
  ["delay_n2n_longterm", "#4890fc"],
  ["delay_12n", "#8787d8"],
  ["delay_12n_longterm", "#6c7ebd"],
  ["delay_n21", "#7ecffc"],
  ["delay_n21_longterm", "#009e73"],
  ["wait_direct", "#56b4e9"],
  ["wait_indirect", "#e69f00"],
  ["wait_propagating", "#d55e00"],
  ["wait_terminal", "#009e73"],
  ["critical_path", "#56b4e9"],
  ["critical_path_imbalance", "#e69f00"],
  ["performance_impact", "#56b4e9"],
  ["performance_impact_criticalpath", "#0072b2"],
  ["critical_path_activities", "#009e73"],
  ["critical_imbalance_impact", "#d55e00"],
  ["intra_partition_imbalance", "#e69f00"],
  ["inter_partition_imbalance", "#f0e442"],
  ["non_critical_path_activities", "#cc79a7"],
  /* From which corner wavefronts come. */
  ["wavefront_refill", "#56b4e9"],
  ["wavefront_refill_nwu", "#e69f00"],
  ["wavefront_refill_nwd", "#0072b2"],
  ["wavefront_refill_swu", "#f0e442"],
  ["wavefront_refill_swd", "#009e73"],
  ["wavefront_refill_neu", "#cc79a7"],
  ["wavefront_refill_ned", "#d55e00"],
  ["wavefront_refill_seu", "#7217e6"],
  ["wavefront_refill_sed", "#a42f6e"],
  ["wavefront_refill_nw", "#cfa2b4"],
  ["wavefront_refill_sw", "#093f87"],
  ["wavefront_refill_ne", "#9051fc"],
  ["wavefront_refill_se", "#7e2451"],
]);

/** Metrics without one, of counters and of patterns of one's own, have the first of these that no other part has. */
export const USUAL: readonly string[] = [
  "#126c7e",
  "#996336",
  "#abbd5a",
  "#56b4e9",
  "#e69f00",
  "#0072b2",
  "#f0e442",
  "#009e73",
  "#cc79a7",
  "#d55e00",
  "#7217e6",
  "#a42f6e",
];

/** Of what is in no part, or in one of those that are too small to be shown alone. */
export const OTHERS = "#c3ddd1";

/* Of frames in flame graphs, in shades: computation, and what calls MPI, whose functions have the colours of their metrics. */
export const ROLE_COLOURS: Readonly<Record<"usr" | "com", readonly Rgb[]>> = {
  usr: [
    [86, 180, 233],
    [108, 190, 236],
    [73, 171, 227],
  ],
  com: [
    [200, 204, 209],
    [203, 208, 213],
    [196, 200, 205],
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

/** Colours of metrics that are shown together, by their names. */
export function partColours(names: readonly string[]): string[] {
  const taken = new Set(names.map((name) => PARTS.get(name)));
  return names.map((name) => {
    const colour = PARTS.get(name) ?? USUAL.find((one) => !taken.has(one)) ?? OTHERS;
    taken.add(colour);
    return colour;
  });
}

/** Of "#rrggbb". */
export function rgbOf(hex: string): Rgb {
  const word = parseInt(hex.slice(1), 16);
  return [word >> 16, (word >> 8) & 255, word & 255];
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
