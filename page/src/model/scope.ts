/* What is looked at. */

/** Both ends in it. */
export type Range = [number, number];

/** One number for each iteration, rank, …: a metric on a call path. */
export interface Measure {
  metric: number;
  /** Without the metrics that are parts of it. */
  ownMetric: boolean;
  path: number;
  /** Without the call paths below it. */
  ownPath: boolean;
}

/** A part of the run. */
export interface Scope {
  phase: number;
  /** null: the whole run, with what lies outside iterations; the phase does not matter then. */
  iterations: Range | null;
  /** Of indices of ranks in the summary; null: all. */
  ranks: Range | null;
}

export const key = (...parts: unknown[]): string => JSON.stringify(parts);

/** Remembers the last few results. */
export class Cache<T extends object> {
  private readonly entries = new Map<string, T>();

  constructor(private readonly most: number) {}

  get(name: string, make: () => T): T {
    return this.keep(name, this.entries.get(name) ?? make());
  }

  /** The same of what is made in pieces. */
  *inPieces(name: string, make: () => Generator<undefined, T, undefined>): Generator<undefined, T, undefined> {
    return this.keep(name, this.entries.get(name) ?? (yield* make()));
  }

  private keep(name: string, value: T): T {
    this.entries.delete(name);
    this.entries.set(name, value);
    if (this.entries.size > this.most) this.entries.delete(this.entries.keys().next().value!);
    return value;
  }
}
