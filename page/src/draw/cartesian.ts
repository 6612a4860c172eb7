/*
 * Where the members of a Cartesian topology are drawn: the last two dimensions as a plane, all
 * others as planes beside each other, or, with three dimensions, as a stack seen from above.
 */

export interface Cell {
  member: number;
  coordinates: number[];
  /** Corners in CSS pixels, one after the other. */
  corners: [number, number][];
  /** Index of the plane that it is in. */
  plane: number;
}

export interface PlaneTitle {
  text: string;
  x: number;
  y: number;
}

export interface CartesianLayout {
  cells: Cell[];
  titles: PlaneTitle[];
  /** CSS pixels of a cell, to know whether text has room. */
  cellWidth: number;
  cellHeight: number;
  width: number;
  height: number;
}

const TITLE_HEIGHT = 20;
const PLANE_GAP = 18;
const LARGEST_CELL = 88;

export function coordinatesOf(sizes: readonly number[], member: number): number[] {
  const coordinates = new Array<number>(sizes.length).fill(0);
  let rest = member;
  for (let d = sizes.length - 1; d >= 0; d--) {
    coordinates[d] = rest % sizes[d]!;
    rest = Math.floor(rest / sizes[d]!);
  }
  return coordinates;
}

export function memberAt(sizes: readonly number[], coordinates: readonly number[]): number {
  return sizes.reduce((member, size, d) => member * size + coordinates[d]!, 0);
}

interface Planes {
  rows: number;
  columns: number;
  count: number;
  /** Sizes of the dimensions that tell planes apart. */
  outer: number[];
}

function planesOf(sizes: readonly number[]): Planes {
  const columns = sizes[sizes.length - 1] ?? 1;
  const rows = sizes.length > 1 ? sizes[sizes.length - 2]! : 1;
  const outer = sizes.slice(0, Math.max(0, sizes.length - 2));
  return { rows, columns, count: outer.reduce((a, b) => a * b, 1), outer };
}

/** A line of many is folded like text; 0 if it need not be. */
function foldAt(sizes: readonly number[], width: number): number {
  if (sizes.length !== 1 || sizes[0]! * 24 <= width) return 0;
  return Math.max(1, Math.floor(width / 24));
}

function planeTitle(planes: Planes, plane: number): string {
  return coordinatesOf(planes.outer, plane)
    .map((c, d) => `dimension ${d} = ${c}`)
    .join(", ");
}

/** Planes beside each other, as large as fits WIDTH × HEIGHT. */
export function planeLayout(sizes: readonly number[], width: number, height: number): CartesianLayout {
  const fold = foldAt(sizes, width);
  const planes = planesOf(fold ? [Math.ceil(sizes[0]! / fold), fold] : sizes);
  const members = sizes.reduce((a, b) => a * b, 1);
  const title = planes.count > 1 ? TITLE_HEIGHT : 0;
  let best = { cell: 0, across: 1 };
  for (let across = 1; across <= planes.count; across++) {
    const down = Math.ceil(planes.count / across);
    const wide = (width - (across - 1) * PLANE_GAP) / (across * planes.columns);
    const high = (height - (down - 1) * PLANE_GAP - down * title) / (down * planes.rows);
    const cell = Math.min(wide, high, LARGEST_CELL);
    if (cell > best.cell) best = { cell, across };
  }
  const cell = Math.max(1, best.cell);
  const cells: Cell[] = [];
  const titles: PlaneTitle[] = [];
  const planeWidth = planes.columns * cell + PLANE_GAP;
  const planeHeight = planes.rows * cell + PLANE_GAP + title;
  const origin = (plane: number): [number, number] => [
    (plane % best.across) * planeWidth,
    Math.floor(plane / best.across) * planeHeight + title,
  ];
  for (let member = 0; member < members; member++) {
    const plane = fold ? 0 : Math.floor(member / (planes.rows * planes.columns));
    const inPlane = fold ? member : member % (planes.rows * planes.columns);
    const [left, top] = origin(plane);
    const x = left + (inPlane % planes.columns) * cell;
    const y = top + Math.floor(inPlane / planes.columns) * cell;
    cells.push({
      member,
      coordinates: coordinatesOf(sizes, member),
      plane,
      corners: [
        [x, y],
        [x + cell, y],
        [x + cell, y + cell],
        [x, y + cell],
      ],
    });
  }
  if (title > 0)
    for (let plane = 0; plane < planes.count; plane++) {
      const [x, y] = origin(plane);
      titles.push({ text: planeTitle(planes, plane), x, y: y - title / 2 });
    }
  const down = Math.ceil(planes.count / best.across);
  return {
    cells,
    titles,
    cellWidth: cell,
    cellHeight: cell,
    width: Math.min(best.across, planes.count) * planeWidth - PLANE_GAP,
    height: down * planeHeight - PLANE_GAP,
  };
}

/** How far a plane of a stack is sheared: to the right per row, of a cell's width. */
const SHEAR = 0.6;
/** How much flatter it is than wide. */
const FLAT = 0.45;

/** Three dimensions as planes above each other, the last at the front of each. */
export function stackLayout(sizes: readonly number[], width: number, height: number): CartesianLayout {
  const planes = planesOf(sizes);
  const titleWidth = 110;
  const gap = 0.5;
  const unitsWide = planes.columns + SHEAR * planes.rows;
  const unitsHigh = planes.count * (planes.rows * FLAT + gap) - gap;
  const cell = Math.max(1, Math.min((width - titleWidth) / unitsWide, height / unitsHigh, LARGEST_CELL));
  const cells: Cell[] = [];
  const titles: PlaneTitle[] = [];
  for (let plane = 0; plane < planes.count; plane++) {
    const top = plane * (planes.rows * FLAT + gap) * cell;
    const at = (row: number, column: number): [number, number] => [
      (column + SHEAR * (planes.rows - row)) * cell,
      top + row * FLAT * cell,
    ];
    for (let row = 0; row < planes.rows; row++)
      for (let column = 0; column < planes.columns; column++) {
        const member = (plane * planes.rows + row) * planes.columns + column;
        cells.push({
          member,
          coordinates: coordinatesOf(sizes, member),
          plane,
          corners: [at(row, column), at(row, column + 1), at(row + 1, column + 1), at(row + 1, column)],
        });
      }
    titles.push({
      text: planeTitle(planes, plane),
      x: unitsWide * cell + 8,
      y: top + (planes.rows * FLAT * cell) / 2,
    });
  }
  return {
    cells,
    titles,
    cellWidth: cell,
    cellHeight: cell * FLAT,
    width: unitsWide * cell + titleWidth,
    height: unitsHigh * cell,
  };
}

/** The cell at X, Y; the one in front if they overlap; null for none. */
export function cellAt(layout: CartesianLayout, x: number, y: number): Cell | null {
  for (let i = layout.cells.length - 1; i >= 0; i--) if (contains(layout.cells[i]!.corners, x, y)) return layout.cells[i]!;
  return null;
}

function contains(corners: [number, number][], x: number, y: number): boolean {
  return corners.every(([ax, ay], i) => {
    const [bx, by] = corners[(i + 1) % corners.length]!;
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0;
  });
}

/** The member STEP further along the dimension that is drawn DIRECTION, within the grid. */
export function neighbour(
  sizes: readonly number[],
  member: number,
  direction: "across" | "down" | "plane",
  step: 1 | -1,
): number {
  const d = sizes.length - { across: 1, down: 2, plane: 3 }[direction];
  if (d < 0) return member;
  const coordinates = coordinatesOf(sizes, member);
  const next = coordinates[d]! + step;
  if (next < 0 || next >= sizes[d]!) return member;
  coordinates[d] = next;
  return memberAt(sizes, coordinates);
}
