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
  /** What is being made in pieces, by all who wait for it. */
  private readonly begun = new Map<string, { work: Generator<undefined, T, undefined>; users: number; made?: T }>();
  private bytes = 0;

  /** At most MOST; BYTES tells what one takes, where that may be much. */
  constructor(
    private readonly most: number,
    private readonly bytesOf: (value: T) => number = () => 0,
  ) {}

  /** What is remembered, if it is. */
  known(name: string): T | undefined {
    return this.entries.get(name);
  }

  get(name: string, make: () => T): T {
    return this.keep(name, this.entries.get(name) ?? make());
  }

  /** The same of what is made in pieces: once, by turns, if several ask for it at the same time. */
  *inPieces(name: string, make: () => Generator<undefined, T, undefined>): Generator<undefined, T, undefined> {
    const known = this.entries.get(name);
    if (known) return this.keep(name, known);
    const shared = this.begun.get(name) ?? { work: make(), users: 0 };
    this.begun.set(name, shared);
    shared.users++;
    try {
      while (!shared.made) {
        const step = shared.work.next();
        if (!step.done) yield;
        else if (step.value) shared.made = step.value;
        else throw new Error("what this needs could not be made");
      }
      return this.keep(name, shared.made);
    } finally {
      if (--shared.users === 0) this.begun.delete(name);
    }
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
