/* What views share: the state and its changes, the model, the theme, messages. */
import { TimelineIndex } from "./format/timeline";
import { Worth } from "./model/findings";
import { Pieces, finish } from "./model/iterations";
import { Model } from "./model/model";
import { Summary } from "./model/summary";
import { Changed, Key, State, Topic, differences, readFragment, writeFragment } from "./state";

/** A view that is on the page. */
export interface ViewInstance {
  /** Shows the state as it is now; CHANGED has what is different since the last call, everything at first. */
  update(changed: Changed): void;
  /** It is taken away: ends animations and whatever else goes on by itself. */
  destroy?(): void;
}

/** A view: a row in views/index.ts. */
export interface View {
  /** In the URL. */
  name: string;
  /** On its tab. */
  title: string;
  /** A sentence for the tab's tooltip. */
  text: string;
  /** Why it has nothing to show for this summary; null if it has. */
  unavailable?(app: App): string | null;
  create(host: HTMLElement, app: App): ViewInstance;
}

/** One thing that stands out, as utils/findings/ranking.h writes it. */
export interface Finding {
  kind: string;
  text: string;
  /** Null: it is about the whole run. */
  phase: string | null;
  metric: string;
  /** Seconds that could be gained, and of how many; null if that is not known. */
  gain: number | null;
  of: number | null;
  /** What stands out, ascending. */
  iterations: [number, number][];
  iteration_count: number;
  /** Numbers of ranks. */
  ranks: number[];
  cause: { metric: string; callpath: string[]; file: string | null; line: number | null } | null;
  prediction: Worth | null;
}

/** What is to be seen first; of what is about the whole run what it comes from. */
function topicOf(finding: Finding | undefined): Topic | null {
  if (!finding) return null;
  return { phase: finding.phase, metric: finding.phase === null && finding.cause ? finding.cause.metric : finding.metric };
}

const waiting: (() => void)[] = [];
let channel: MessageChannel | null = null;

/** Calls BACK when the page has answered whatever there was to answer; timers within timers come later. */
function soon(back: () => void): void {
  if (!channel) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => waiting.shift()!();
  }
  waiting.push(back);
  channel.port2.postMessage(null);
}

/** Makes things in pieces, one after the other, and lets the page answer in between. */
export class Slices {
  /** How many are at work, of all. */
  static active = 0;
  /** Nobody waits for the page to answer: everything is made in one piece. */
  static atOnce = false;
  private running = false;
  private waiting: (() => void) | null = null;
  /** The timer of what is to begin at rest, or 0. */
  private resting = 0;

  /**
   * DONE is told what comes of MAKE.  While something is being made that is finished first (DONE should check whether
   * it still fits); of what waits only the last is made.
   */
  run<T>(make: () => Pieces<T>, done: (value: T) => void): void {
    this.forgetResting();
    if (Slices.atOnce) return done(finish(make()));
    const begin = (): void => {
      const pieces = make();
      this.running = true;
      Slices.active++;
      this.go(pieces, done, FIRST_MS);
    };
    if (this.running) this.waiting = begin;
    else begin();
  }

  /** The same once nothing was asked for in a while: for what somebody who drags can do without. */
  runAtRest<T>(make: () => Pieces<T>, done: (value: T) => void): void {
    this.forgetResting();
    Slices.active++;
    this.resting = window.setTimeout(() => this.run(make, done), REST_MS);
  }

  private forgetResting(): void {
    if (!this.resting) return;
    window.clearTimeout(this.resting);
    this.resting = 0;
    Slices.active--;
  }

  private go<T>(pieces: Pieces<T>, done: (value: T) => void, ms: number): void {
    if (!this.running) {
      pieces.return(undefined as T);
      return this.end();
    }
    const until = performance.now() + ms;
    let goesOn = false;
    try {
      do {
        goesOn = false;
        const step = pieces.next();
        goesOn = !step.done;
        if (step.done) return done(step.value);
      } while (performance.now() < until);
    } finally {
      /* Whatever failed, the next begins. */
      if (goesOn) soon(() => this.go(pieces, done, SLICE_MS));
      else this.endAndBegin();
    }
  }

  private endAndBegin(): void {
    this.end();
    const next = this.waiting;
    this.waiting = null;
    next?.();
  }

  /** For good: nothing more is made. */
  stop(): void {
    this.forgetResting();
    this.running = false;
    this.waiting = null;
  }

  private end(): void {
    this.running = false;
    Slices.active--;
    setTimeout(showBusy);
  }
}

/** Time for what is known already; what takes longer does not hold up what can be shown at once. */
const FIRST_MS = 4;
const SLICE_MS = 20;
const REST_MS = 150;

let updating = false;

/** For tests, which wait for the page to be as it should. */
function showBusy(): void {
  document.body.dataset.busy = String(updating || Slices.active > 0);
}

/** Chromium and Firefox allow 200 in 10 seconds, Safari 100 in 30. */
const ADDRESS_MS = 300;

const ALL_KEYS = (state: State): Changed => new Set(Object.keys(state) as Key[]);

export class App {
  private current: State;
  /** With what has changed since they were updated. */
  private readonly subscribers: { instance: ViewInstance; pending: Set<Key> }[] = [];
  private scheduled = false;
  private printing = false;
  /** The timer that will write the address; 0 if it is written. */
  private writing = 0;
  private written = -Infinity;

  constructor(
    readonly model: Model,
    readonly findings: Finding[],
    /** What is there of a trace; null: nothing. */
    readonly timeline: TimelineIndex | null = null,
  ) {
    const read = (): State => readFragment(location.hash, model, topicOf(findings[0]));
    this.current = read();
    addEventListener("hashchange", () => this.replace(read()));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.touch("theme"));
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
  }

  get summary(): Summary {
    return this.model.summary;
  }

  get state(): Readonly<State> {
    return this.current;
  }

  /** Changes the state: every view is updated soon, one after the other, and the page answers in between. */
  update(change: Partial<State>): void {
    this.replace({ ...this.current, ...change });
  }

  private replace(state: State): void {
    const changed = differences(this.current, state);
    this.current = state;
    this.writeSoon();
    this.notify(changed);
  }

  /** Browsers let a page change its address a few times in a second. */
  private writeSoon(): void {
    document.body.dataset.address = "pending";
    if (!this.writing) this.writing = window.setTimeout(() => this.writeAddress(), this.written + ADDRESS_MS - performance.now());
  }

  private writeAddress(): void {
    window.clearTimeout(this.writing);
    this.writing = 0;
    this.written = performance.now();
    history.replaceState(null, "", `#${writeFragment(this.current, this.model)}`);
    document.body.dataset.address = "written";
  }

  /** The address of what is shown. */
  get link(): string {
    this.writeAddress();
    return location.href;
  }

  private touch(key: Key): void {
    this.notify(new Set([key]));
  }

  /** Paper is light: what is dark on the screen is drawn again, at once, for what is there then is printed. */
  private print(begins: boolean): void {
    const wasDark = this.dark;
    this.printing = begins;
    if (this.dark === wasDark) return;
    this.touch("theme");
    if (begins) this.updateAtOnce();
  }

  private updateAtOnce(): void {
    Slices.atOnce = true;
    try {
      while (this.subscribers.some(({ pending }) => pending.size > 0)) this.updateNext();
    } finally {
      Slices.atOnce = false;
    }
  }

  private notify(changed: Changed): void {
    if (changed.size === 0) return;
    for (const { pending } of this.subscribers) changed.forEach((name) => pending.add(name));
    this.schedule();
  }

  /** Updates INSTANCE at once, and with every change from now on. */
  subscribe(instance: ViewInstance): () => void {
    const subscriber = { instance, pending: new Set<Key>() };
    this.subscribers.push(subscriber);
    instance.update(ALL_KEYS(this.current));
    return () => {
      this.subscribers.splice(this.subscribers.indexOf(subscriber), 1);
      instance.destroy?.();
    };
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    updating = true;
    showBusy();
    soon(() => this.updateNext());
  }

  /** One at a time: whatever the user does next is not kept waiting by all of them. */
  private updateNext(): void {
    this.scheduled = false;
    const next = this.subscribers.find((subscriber) => subscriber.pending.size > 0);
    if (!next) {
      updating = false;
      return showBusy();
    }
    const changed = new Set(next.pending);
    next.pending.clear();
    try {
      next.instance.update(changed);
    } finally {
      this.schedule();
    }
  }

  /** Dark or light, as chosen or as the system has it. */
  get dark(): boolean {
    if (this.printing) return false;
    return this.current.theme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : this.current.theme === "dark";
  }

  /** Says TEXT to who cannot see the page, and in the status line. */
  announce(text: string): void {
    const line = document.getElementById("status");
    if (line) line.textContent = text;
  }
}
