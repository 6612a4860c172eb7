/* Two profiles side by side. */

export interface Difference {
  node: number;
  a: number;
  b: number;
  difference: number;
  /** A / B; NaN where there is nothing to divide by. */
  ratio: number;
}

/** The nodes that have a value in A or B, by the size of the difference. */
export function differences(a: Float64Array, b: Float64Array): Difference[] {
  const rows: Difference[] = [];
  for (let node = 0; node < a.length; node++) {
    if (a[node]! === 0 && b[node]! === 0) continue;
    rows.push({
      node,
      a: a[node]!,
      b: b[node]!,
      difference: a[node]! - b[node]!,
      ratio: b[node]! === 0 ? NaN : a[node]! / b[node]!,
    });
  }
  return rows.sort((p, q) => Math.abs(q.difference) - Math.abs(p.difference) || p.node - q.node);
}

/** All of VALUES multiplied with FACTOR. */
export function scaled(values: Float64Array, factor: number): Float64Array {
  return values.map((value) => value * factor);
}
