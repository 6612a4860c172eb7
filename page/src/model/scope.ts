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

/** What cached results may take together, in bytes; one is kept whatever it takes. */
const MOST_BYTES = 256 << 20;

/** Remembers the last few results. */
export class Cache<T extends object> {
  private readonly entries = new Map<string, T>();
  private bytes = 0;

  /** At most MOST; BYTES tells what one takes, where that may be much. */
  constructor(
    private readonly most: number,
    private readonly bytesOf: (value: T) => number = () => 0,
  ) {}

  get(name: string, make: () => T): T {
    return this.keep(name, this.entries.get(name) ?? make());
  }

  /** The same of what is made in pieces. */
  *inPieces(name: string, make: () => Generator<undefined, T, undefined>): Generator<undefined, T, undefined> {
    return this.keep(name, this.entries.get(name) ?? (yield* make()));
  }

  private keep(name: string, value: T): T {
    if (!this.entries.delete(name)) this.bytes += this.bytesOf(value);
    this.entries.set(name, value);
    for (const [oldest, old] of this.entries) {
      if (this.entries.size <= this.most && this.bytes <= MOST_BYTES) break;
      if (old === value) break;
      this.entries.delete(oldest);
      this.bytes -= this.bytesOf(old);
    }
    return value;
  }
}
