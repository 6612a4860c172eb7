/*
 * The geometry of a surface over a grid, seen from any side: a box of ±X × ±Y × ±Z, turned about
 * its vertical axis (azimuth), then tilted towards the eye (elevation), without perspective.
 */

/** Half the sizes of the box. */
export const BOX = { x: 1.5, y: 0.9, z: 0.5 };

export interface Camera {
  /** Radians. */
  azimuth: number;
  /** Radians above the horizon, 0 to π/2. */
  elevation: number;
  /** 1 shows the whole box. */
  zoom: number;
}

export const FIRST_CAMERA: Readonly<Camera> = { azimuth: 0.6, elevation: 0.5, zoom: 1 };

/** Values on a grid: rows along y, columns along x. */
export interface Grid {
  columns: number;
  rows: number;
  /** values[row * columns + column]; NaN where there is nothing. */
  values: Float32Array;
  /** What lies at the bottom and at the top of the box. */
  low: number;
  high: number;
}

/** A point on the screen, in CSS pixels, and how far away it is. */
export interface Projected {
  x: number;
  y: number;
  depth: number;
}

export interface View {
  width: number;
  height: number;
  /** Left, right, top and bottom of the box, for what is written there. */
  margin: { x: number; y: number };
}

/** Turns the camera, and keeps it within its limits. */
export function turned(camera: Camera, azimuth: number, elevation: number, zoom: number): Camera {
  const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));
  return {
    azimuth: (camera.azimuth + azimuth) % (2 * Math.PI),
    elevation: clamp(camera.elevation + elevation, 0.05, Math.PI / 2),
    zoom: clamp(camera.zoom * zoom, 0.5, 12),
  };
}

/** CSS pixels for a length of 1 in the box. */
function scaleOf(camera: Camera, view: View): number {
  const radius = Math.hypot(BOX.x, BOX.y);
  const high = radius * Math.sin(camera.elevation) + BOX.z * Math.cos(camera.elevation);
  const wide = Math.max(20, view.width / 2 - view.margin.x) / radius;
  return camera.zoom * Math.min(wide, Math.max(20, view.height / 2 - view.margin.y) / high);
}

/** What projects a point of the box. */
export function projection(camera: Camera, view: View): (x: number, y: number, z: number) => Projected {
  const scale = scaleOf(camera, view);
  const ca = Math.cos(camera.azimuth);
  const sa = Math.sin(camera.azimuth);
  const ce = Math.cos(camera.elevation);
  const se = Math.sin(camera.elevation);
  return (x, y, z) => {
    const across = x * ca - y * sa;
    const away = x * sa + y * ca;
    return {
      x: view.width / 2 + scale * across,
      y: view.height / 2 - scale * (away * se + z * ce),
      depth: away * ce - z * se,
    };
  };
}

/** The same as a matrix for WebGL, column by column. */
export function matrixOf(camera: Camera, view: View): Float32Array {
  const scale = scaleOf(camera, view);
  const ca = Math.cos(camera.azimuth);
  const sa = Math.sin(camera.azimuth);
  const ce = Math.cos(camera.elevation);
  const se = Math.sin(camera.elevation);
  const sx = (2 * scale) / view.width;
  const sy = (2 * scale) / view.height;
  /* The box is within 2 of its centre, so half of each depth is within ±1. */
  return Float32Array.from([
    sx * ca, sy * sa * se, (sa * ce) / 2, 0,
    -sx * sa, sy * ca * se, (ca * ce) / 2, 0,
    0, sy * ce, -se / 2, 0,
    0, 0, 0, 1,
  ]);
}

/** Where column I of COUNT lies in ±HALF; a single one in the middle. */
export function along(i: number, count: number, half: number): number {
  return count > 1 ? (2 * i * half) / (count - 1) - half : 0;
}

export function heightOf(grid: Grid, value: number): number {
  const range = grid.high - grid.low;
  const share = range > 0 ? (value - grid.low) / range : 0;
  return (2 * Math.max(0, Math.min(1, share)) - 1) * BOX.z;
}

/** A grid that is a surface: a single row or column is there twice. */
export function widened(grid: Grid): Grid {
  if (grid.rows > 1 && grid.columns > 1) return grid;
  const columns = Math.max(2, grid.columns);
  const rows = Math.max(2, grid.rows);
  const values = new Float32Array(columns * rows);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      values[row * columns + column] =
        grid.values[Math.min(row, grid.rows - 1) * grid.columns + Math.min(column, grid.columns - 1)]!;
  return { ...grid, columns, rows, values };
}

/** How high every value lies in the box. */
export function heights(grid: Grid): Float32Array {
  return grid.values.map((value) => (Number.isNaN(value) ? -BOX.z : heightOf(grid, value)));
}

/** Two triangles for every cell all of whose corners have values. */
export function triangles({ rows, columns, values }: Grid): Uint32Array {
  const list = new Uint32Array(6 * (rows - 1) * (columns - 1));
  let at = 0;
  for (let row = 0; row + 1 < rows; row++)
    for (let column = 0; column + 1 < columns; column++) {
      const left = row * columns + column;
      const below = left + columns;
      /* The sum is not a number if one of them is not. */
      if (Number.isNaN(values[left]! + values[left + 1]! + values[below]! + values[below + 1]!)) continue;
      list[at++] = left;
      list[at++] = left + 1;
      list[at++] = below;
      list[at++] = below;
      list[at++] = left + 1;
      list[at++] = below + 1;
    }
  return list.subarray(0, at);
}

/** At most COLUMNS × ROWS points; of those that fall together the one with the largest size. */
export function coarser(grid: Grid, columns: number, rows: number): Grid {
  if (grid.columns <= columns && grid.rows <= rows) return grid;
  const wide = Math.min(columns, grid.columns);
  const high = Math.min(rows, grid.rows);
  const values = new Float32Array(wide * high).fill(NaN);
  for (let row = 0; row < grid.rows; row++)
    for (let column = 0; column < grid.columns; column++) {
      const value = grid.values[row * grid.columns + column]!;
      const to =
        Math.floor((row * high) / grid.rows) * wide + Math.floor((column * wide) / grid.columns);
      if (!(Math.abs(values[to]!) >= Math.abs(value))) values[to] = value;
    }
  return { ...grid, columns: wide, rows: high, values };
}

/** Indices 0 to COUNT − 1 from the farthest to the nearest, DEPTH growing with the index or not. */
export function backToFront(count: number, growing: boolean): number[] {
  const list = Array.from({ length: count }, (_, i) => i);
  return growing ? list.reverse() : list;
}

/** The walls behind the surface: which end of each axis is the farther one. */
export function backWalls(camera: Camera): { x: 1 | -1; y: 1 | -1 } {
  return { x: Math.sin(camera.azimuth) >= 0 ? 1 : -1, y: Math.cos(camera.azimuth) >= 0 ? 1 : -1 };
}

/** The grid point that is seen nearest to X, Y, or null if none is within REACH pixels. */
export function pick(
  grid: Grid,
  camera: Camera,
  view: View,
  x: number,
  y: number,
  reach: number,
): { row: number; column: number } | null {
  const project = projection(camera, view);
  let best: { row: number; column: number } | null = null;
  let nearest = Infinity;
  for (let row = 0; row < grid.rows; row++)
    for (let column = 0; column < grid.columns; column++) {
      const value = grid.values[row * grid.columns + column]!;
      if (Number.isNaN(value)) continue;
      const point = project(
        along(column, grid.columns, BOX.x),
        along(row, grid.rows, BOX.y),
        heightOf(grid, value),
      );
      const distance = Math.hypot(point.x - x, point.y - y);
      /* In front counts for more than close by: what is hidden cannot be meant. */
      const rating = point.depth + distance / 40;
      if (distance <= reach && rating < nearest) {
        nearest = rating;
        best = { row, column };
      }
    }
  return best;
}
