// Comparisons that several tests need.

import assert from "node:assert/strict";

/** Doubles that are computed in another order differ in their last digits. */
export function close(got, wanted, what, tolerance = 1e-9) {
  const scale = Math.max(Math.abs(got), Math.abs(wanted));
  assert.ok(Math.abs(got - wanted) <= tolerance * scale || scale < 1e-12,
    `${what}: ${got} is shown, ${wanted} is exported`);
}

/** Sums, minimum, maximum and mean of what ranks have. */
export function overRanks(byRank) {
  const values = [...byRank.values()];
  const sum = values.reduce((total, value) => total + value, 0);
  return { sum, min: Math.min(...values), max: Math.max(...values), mean: sum / values.length };
}
