/*
 * The numbers of one location, laid out for fast sums.  Runs in a worker or in the page; what it returns can be
 * sent between the two without copying (transferables).
 */
import { Cursor } from "./cursor";

/** Values of one profile: sums in stored units, exclusive over metrics and call paths, joined by path. */
export interface Profile {
  /** By cell, ascending by metric, then path. */
  metrics: Uint16Array;
  paths: Uint32Array;
  values: Float64Array;
}

/** By iteration: the number of what it is in. */
export type Ids = Uint8Array | Uint16Array | Uint32Array;

/** Zeros, of the smallest kind that numbers below WIDTH fit into. */
export function makeIds(length: number, width: number): Ids {
  return width <= 256 ? new Uint8Array(length) : width <= 65536 ? new Uint16Array(length) : new Uint32Array(length);
}

/**
 * The iterations of one phase on one location.
 *
 * A row has the values of one metric on one call path, one for each cluster: sums over the cluster's iterations in
 * stored units, exclusive over metrics and call paths.  Rows ascend by metric, then path; those with only zeros are left
 * out.  Row r is
 * `small[at[r] ... at[r] + clusters - 1]`, or of `wide` from -1 - at[r] on if at[r] < 0.
 */
export interface Series {
  phase: number;
  /** The phase in whose series this one is nested, or -1. */
  nestedIn: number;
  equivalence: number;
  classes: number;
  method: string;
  /** Clusters asked for; 0: every iteration was to be kept. */
  asked: number;
  maximumMetrics: Uint16Array;
  maxima: Float64Array;
  clusters: number;
  /** By cluster: iterations in it. */
  sizes: Float64Array;
  classOf: Uint32Array;
  wall: Float64Array;
  /** By cluster: visits of frames that are not shown, if that is known. */
  hidden: Float64Array;
  /** In how many iterations of each cluster call paths occurred; see model/presence.ts. */
  presence: Presence;
  /** Largest values of times in an iteration, in stored units, and the sums of squares; by node of the file. */
  largest: Largest;
  /** [cluster * maxima.length + maximum]; 0 in clusters of one iteration. */
  spreads: Float64Array;
  rowMetric: Uint16Array;
  rowPath: Uint32Array;
  at: Int32Array;
  small: Int32Array;
  wide: Float64Array;
  /** [metric * clusters + cluster]: rows summed over call paths, exclusive over metrics. */
  totals: Float64Array;
  /** By iteration: its cluster; `clusters` if it was lost, `clusters` + 1 if it is not known in which it is. */
  ids: Ids;
  lost: number;
  unmapped: number;
}

/**
 * Of cluster k the entries from[k] ... from[k + 1] - 1, ascending by path: those that did not occur in every iteration,
 * with bounds, as shares; and those without a value of their own.  Other paths with values occurred in every one.
 */
export interface Presence {
  from: Uint32Array;
  path: Uint32Array;
  least: Float64Array;
  most: Float64Array;
  /** By cluster: 1 if nothing is known. */
  unknown: Uint8Array;
  /**
   * By cluster: call paths of the file with a value, of which several may be one here, and to how many iterations these
   * were lacking, added up: at least and at most.
   */
  valued: Float64Array;
  lackingLeast: Float64Array;
  lackingMost: Float64Array;
}

export interface Largest {
  path: Uint32Array;
  metric: Uint16Array;
  value: Float64Array;
  /** The first that had the value. */
  iteration: Float64Array;
  /** 0 if it is not known. */
  squares: Float64Array;
}

export interface Location {
  rank: number;
  thread: number;
  /** Index of a host, or -1. */
  host: number;
  process: number;
  /** What cut the measurement off; empty if nothing did. */
  ending: string;
  wallNs: number;
  startNs: number;
  notes: string[];
  whole: Profile;
  outside: Profile;
  series: Series[];
  costs: Map<string, number>;
}

/** What is needed to know of the definitions. */
export interface LocationContext {
  pathOf: Int32Array;
  paths: number;
  metrics: number;
}

export function readLocation(cursor: Cursor, context: LocationContext, version: number): Location {
  const reader = new LocationReader(cursor, context, version);
  return reader.read();
}

/** The buffers that can be handed over rather than copied. */
export function transferables(location: Location): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = [];
  const take = (object: object): void => {
    for (const value of Object.values(object)) if (ArrayBuffer.isView(value)) buffers.push(value.buffer as ArrayBuffer);
  };
  take(location.whole);
  take(location.outside);
  for (const series of location.series) for (const part of [series, series.presence, series.largest]) take(part);
  return buffers;
}

/** Cells of profiles as they are read: slot, metric * paths + path, and value.  Used again for each location. */
const cells = { slots: new Int32Array(1 << 16), nodes: new Int32Array(1 << 16), values: new Float64Array(1 << 16), count: 0 };

function makeRoom(more: number): void {
  const needed = cells.count + more;
  if (needed <= cells.slots.length) return;
  const { slots, nodes, values } = cells;
  cells.slots = new Int32Array(2 * needed);
  cells.nodes = new Int32Array(2 * needed);
  cells.values = new Float64Array(2 * needed);
  cells.slots.set(slots);
  cells.nodes.set(nodes);
  cells.values.set(values);
}

/** Collects the presence of clusters, one after the other. */
class PresenceList {
  private readonly from = [0];
  private readonly path: number[] = [];
  private readonly least: number[] = [];
  private readonly most: number[] = [];
  private readonly unknown: number[] = [];
  private readonly valued: number[] = [];
  private readonly lackingLeast: number[] = [];
  private readonly lackingMost: number[] = [];

  /** Adds a cluster of one iteration, which lacks nothing that has values in it. */
  addOne(valued: number): void {
    this.end(false, valued, 0, 0);
  }

  /** Adds a cluster of SIZE: by node what is told and what has values. Nodes become paths, what joins is bounded. */
  add(size: number, told: Map<number, [number, number]> | null, valued: Set<number>, pathOf: Int32Array): void {
    const paths = new Map<number, { least: number; most: number; valued: boolean }>();
    const join = (node: number, least: number, most: number): void => {
      const path = pathOf[node]!;
      const one = paths.get(path) ?? { least: 0, most: 0, valued: false };
      paths.set(path, {
        least: Math.max(one.least, least),
        most: Math.min(1, one.most + most),
        valued: one.valued || valued.has(node),
      });
    };
    for (const node of told ? valued : []) if (!told!.has(node)) join(node, 1, 1);
    for (const [node, [least, most]] of told ?? []) join(node, least, most);
    for (const [path, one] of [...paths].sort(([a], [b]) => a - b)) {
      if (one.least >= 1 && one.valued) continue;
      this.path.push(path);
      this.least.push(one.least);
      this.most.push(one.most);
    }
    const lacking = [...(told ?? [])].filter(([node]) => valued.has(node));
    this.end(
      !told,
      valued.size,
      lacking.reduce((sum, [, [, most]]) => sum + size * (1 - most), 0),
      lacking.reduce((sum, [, [least]]) => sum + size * (1 - least), 0),
    );
  }

  private end(unknown: boolean, valued: number, lackingLeast: number, lackingMost: number): void {
    this.unknown.push(unknown ? 1 : 0);
    this.from.push(this.path.length);
    this.valued.push(valued);
    this.lackingLeast.push(lackingLeast);
    this.lackingMost.push(lackingMost);
  }

  finish(): Presence {
    return {
      from: Uint32Array.from(this.from),
      path: Uint32Array.from(this.path),
      least: Float64Array.from(this.least),
      most: Float64Array.from(this.most),
      unknown: Uint8Array.from(this.unknown),
      valued: Float64Array.from(this.valued),
      lackingLeast: Float64Array.from(this.lackingLeast),
      lackingMost: Float64Array.from(this.lackingMost),
    };
  }
}

class LocationReader {
  /** By slot, metric * paths + path: where its row is, or -1. */
  private readonly rowOf: Int32Array;

  constructor(
    private readonly cursor: Cursor,
    private readonly context: LocationContext,
    /** Of the section. */
    private readonly version: number,
  ) {
    this.rowOf = new Int32Array(context.paths * context.metrics).fill(-1);
  }

  read(): Location {
    const cursor = this.cursor;
    return {
      rank: cursor.varint(),
      thread: cursor.varint(),
      host: cursor.ref(),
      process: cursor.varint(),
      ending: cursor.string(),
      wallNs: cursor.wrapped(),
      startNs: cursor.varint(),
      notes: cursor.list(() => cursor.string()),
      whole: this.readProfile(),
      outside: this.readProfile(),
      series: cursor.list(() => this.readSeries()),
      costs: this.readCosts(),
    };
  }

  private readCosts(): Map<string, number> {
    const cursor = this.cursor;
    return new Map(
      cursor.list(() => {
        const key = cursor.string();
        return [key, /^counter/.test(key) ? cursor.wrapped() : cursor.varint()] as [string, number];
      }),
    );
  }

  /** Appends the cells of a profile to `cells`. */
  private readCells(): void {
    const { cursor, context } = this;
    const { pathOf, paths, metrics } = context;
    const count = cursor.varint();
    if (count > cursor.bytes.length) cursor.fail("more cells than bytes");
    makeRoom(count);
    const { slots, nodes, values } = cells;
    let node = 0;
    for (let i = 0; i < count; i++) {
      node += cursor.varint();
      const metric = cursor.varint();
      const value = cursor.signed();
      if (!(node < pathOf.length && metric < metrics)) cursor.fail("a cell of what does not exist");
      slots[cells.count] = metric * paths + pathOf[node]!;
      nodes[cells.count] = node;
      values[cells.count++] = value;
    }
  }

  /** Gives each slot in `cells` a row; ascending by metric, then path.  Undo with forget. */
  private assignRows(): Int32Array {
    const used: number[] = [];
    for (let i = 0; i < cells.count; i++) {
      const slot = cells.slots[i]!;
      if (this.rowOf[slot]! >= 0) continue;
      this.rowOf[slot] = 0;
      used.push(slot);
    }
    const rows = Int32Array.from(used).sort();
    rows.forEach((slot, row) => (this.rowOf[slot] = row));
    return rows;
  }

  private forget(rows: Int32Array): void {
    for (const slot of rows) this.rowOf[slot] = -1;
  }

  private readProfile(): Profile {
    cells.count = 0;
    this.readCells();
    const rows = this.assignRows();
    const values = new Float64Array(rows.length);
    for (let i = 0; i < cells.count; i++) values[this.rowOf[cells.slots[i]!]!]! += cells.values[i]!;
    this.forget(rows);
    return { ...this.split(rows), values };
  }

  private split(rows: Int32Array): { metrics: Uint16Array; paths: Uint32Array } {
    const { paths } = this.context;
    return {
      metrics: Uint16Array.from(rows, (slot) => Math.floor(slot / paths)),
      paths: Uint32Array.from(rows, (slot) => slot % paths),
    };
  }

  private readSeries(): Series {
    const { cursor } = this;
    const phase = cursor.varint();
    const nestedIn = cursor.ref();
    const equivalence = cursor.varint();
    const classes = cursor.varint();
    const method = cursor.string();
    const asked = cursor.varint();
    let metric = 0;
    const maxima = cursor.list(() => ({ metric: (metric += cursor.varint()), value: cursor.varint() }));
    const kept = cursor.varint();
    const largest = this.readLargest();
    return {
      phase,
      nestedIn,
      equivalence,
      classes,
      method,
      asked,
      maximumMetrics: Uint16Array.from(maxima, (maximum) => maximum.metric),
      maxima: Float64Array.from(maxima, (maximum) => maximum.value),
      largest,
      /* Values that each cluster has and the page does not show: of version 3 some more. */
      ...this.readClusters(maxima.length, this.version < 4 && kept ? kept + 1 : kept),
    };
  }

  private readLargest(): Largest {
    const { cursor, version } = this;
    const { pathOf, metrics } = this.context;
    const list = version < 4 ? [] : cursor.list(() => this.readOneLargest());
    if (list.some(({ node, metric }) => !(node < pathOf.length && metric < metrics))) cursor.fail("a largest value of what does not exist");
    return {
      path: Uint32Array.from(list, ({ node }) => pathOf[node]!),
      metric: Uint16Array.from(list, ({ metric }) => metric),
      value: Float64Array.from(list, ({ value }) => value),
      iteration: Float64Array.from(list, ({ iteration }) => iteration),
      squares: Float64Array.from(list, ({ squares }) => squares),
    };
  }

  private readOneLargest() {
    const { cursor, version } = this;
    const node = cursor.varint();
    const metric = cursor.varint();
    const value = cursor.varint();
    const iteration = cursor.varint();
    return { node, metric, value, iteration, squares: version > 4 ? cursor.double() : 0 };
  }

  /** Adds the presence in a cluster of SIZE whose cells are those from FIRST on. */
  private readPresence(list: PresenceList, size: number, first: number): void {
    const { cursor, context } = this;
    const valued = new Set(cells.nodes.subarray(first, cells.count));
    if (size === 1) return list.addOne(valued.size);
    const count = this.version > 4 ? cursor.varint() : 0;
    if (count > cursor.bytes.length) cursor.fail("more presences than bytes");
    const told = new Map<number, [number, number]>();
    let node = 0;
    for (let i = 1; i < count; i++) {
      node += cursor.varint();
      const least = cursor.varint();
      if (node >= context.pathOf.length) cursor.fail("presence of what does not exist");
      told.set(node, [least / size, (least + cursor.varint()) / size]);
    }
    list.add(size, count > 0 ? told : null, valued, context.pathOf);
  }

  private readClusters(maxima: number, extra: number) {
    const { cursor } = this;
    const clusters = cursor.varint();
    if (clusters > cursor.bytes.length) cursor.fail("more clusters than bytes");
    const sizes = new Float64Array(clusters);
    const classOf = new Uint32Array(clusters);
    const wall = new Float64Array(clusters);
    const spreads = new Float64Array(clusters * maxima);
    const ends = new Uint32Array(clusters);
    const hidden = new Float64Array(clusters);
    const presence = new PresenceList();
    cells.count = 0;
    for (let k = 0; k < clusters; k++) {
      sizes[k] = cursor.varint();
      classOf[k] = cursor.varint();
      wall[k] = cursor.varint();
      this.readCells();
      ends[k] = cells.count;
      if (sizes[k]! > 1) for (let i = 0; i < maxima; i++) spreads[k * maxima + i] = cursor.double();
      this.readPresence(presence, sizes[k]!, k > 0 ? ends[k - 1]! : 0);
      for (let i = 0; i < extra; i++) hidden[k] = cursor.signed();
      if (!extra && sizes[k]! > 1 && this.version > 4) hidden[k] = cursor.signed();
    }
    return { clusters, sizes, classOf, wall, spreads, hidden, presence: presence.finish(), ...this.layRows(ends), ...this.readMap(clusters) };
  }

  /** Cells, those of cluster k up to ends[k], become rows. */
  private layRows(ends: Uint32Array) {
    const clusters = ends.length;
    const slots = this.assignRows();
    const dense = new Float64Array(slots.length * clusters);
    for (let k = 0, i = 0; k < clusters; k++)
      for (; i < ends[k]!; i++) dense[this.rowOf[cells.slots[i]!]! * clusters + k]! += cells.values[i]!;
    this.forget(slots);
    const { metrics: rowMetric, paths: rowPath } = this.split(slots);
    return { rowMetric, rowPath, totals: this.sumRows(rowMetric, dense, clusters), ...pack(dense, slots.length, clusters) };
  }

  private sumRows(rowMetric: Uint16Array, dense: Float64Array, clusters: number): Float64Array {
    const totals = new Float64Array(this.context.metrics * clusters);
    rowMetric.forEach((metric, row) => {
      for (let k = 0; k < clusters; k++) totals[metric * clusters + k]! += dense[row * clusters + k]!;
    });
    return totals;
  }

  private readMap(clusters: number) {
    const { cursor } = this;
    const runs = cursor.list(() => ({ length: cursor.varint(), ref: cursor.index(clusters + 2) }));
    const iterations = runs.reduce((sum, run) => sum + run.length, 0);
    const ids = makeIds(iterations, clusters + 2);
    let at = 0;
    let lost = 0;
    let unmapped = 0;
    for (const { length, ref } of runs) {
      if (ref === 0) lost += length;
      if (ref === clusters + 1) unmapped += length;
      ids.fill(ref === 0 ? clusters : ref === clusters + 1 ? clusters + 1 : ref - 1, at, at + length);
      at += length;
    }
    return { ids, lost, unmapped };
  }
}

/** Rows of whole numbers of 32 bits take half the room. */
function pack(dense: Float64Array, rows: number, clusters: number) {
  const at = new Int32Array(rows);
  let smallEnd = 0;
  let wideEnd = 0;
  for (let row = 0; row < rows; row++) {
    let fits = true;
    for (let i = row * clusters; i < (row + 1) * clusters && fits; i++) fits = dense[i] === (dense[i]! | 0);
    if (fits) {
      at[row] = smallEnd;
      smallEnd += clusters;
    } else {
      at[row] = -1 - wideEnd;
      wideEnd += clusters;
    }
  }
  const small = new Int32Array(smallEnd);
  const wide = new Float64Array(wideEnd);
  for (let row = 0; row < rows; row++) {
    const values = dense.subarray(row * clusters, (row + 1) * clusters);
    if (at[row]! >= 0) small.set(values, at[row]!);
    else wide.set(values, -1 - at[row]!);
  }
  return { at, small, wide };
}
