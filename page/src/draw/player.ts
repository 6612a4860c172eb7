/* Steps through iterations in time. */

export interface PlayerEvents {
  /** ITERATION is to be shown now. */
  show(iteration: number): void;
  /** Playing began or ended. */
  changed(isPlaying: boolean): void;
}

/** With less motion asked for, at most so many steps in a second. */
const CALM_SPEED = 2;

export class Player {
  private at = 0;
  private exact = 0;
  private first = 0;
  private last = 0;
  private perSecond = 10;
  private request = 0;
  private before = 0;
  private isCalm = false;

  constructor(
    private readonly events: PlayerEvents,
    /** For tests. */
    private readonly clock: {
      request(frame: (now: number) => void): number;
      cancel(request: number): void;
    } = {
      request: (frame) => requestAnimationFrame(frame),
      cancel: (request) => cancelAnimationFrame(request),
    },
  ) {}

  get iteration(): number {
    return this.at;
  }

  get isPlaying(): boolean {
    return this.request !== 0;
  }

  /** Iterations that are stepped through; what is shown stays if it is one of them. */
  setRange(first: number, last: number): void {
    this.first = first;
    this.last = Math.max(first, last);
    this.at = this.exact = Math.max(this.first, Math.min(this.last, this.at));
  }

  setSpeed(perSecond: number): void {
    this.perSecond = perSecond;
  }

  /** The reader of the page wants less motion. */
  setCalm(isCalm: boolean): void {
    this.isCalm = isCalm;
  }

  go(iteration: number): void {
    this.at = this.exact = Math.max(this.first, Math.min(this.last, Math.round(iteration)));
    this.events.show(this.at);
  }

  step(by: number): void {
    this.pause();
    this.go(this.at + by);
  }

  play(): void {
    if (this.isPlaying) return;
    if (this.at >= this.last) this.go(this.first);
    this.before = 0;
    this.request = this.clock.request((now) => this.frame(now));
    this.events.changed(true);
  }

  pause(): void {
    if (!this.isPlaying) return;
    this.clock.cancel(this.request);
    this.request = 0;
    this.events.changed(false);
  }

  private frame(now: number): void {
    const speed = this.isCalm ? Math.min(CALM_SPEED, this.perSecond) : this.perSecond;
    /* A page that was hidden goes on where it was, rather than far ahead. */
    const seconds = this.before === 0 ? 0 : Math.min(0.25 + 1 / speed, (now - this.before) / 1000);
    this.before = now;
    this.exact = Math.min(this.last, this.exact + seconds * speed);
    const next = Math.floor(this.exact);
    if (next !== this.at) {
      this.at = next;
      this.events.show(next);
    }
    if (next >= this.last) {
      this.request = 0;
      this.events.changed(false);
    } else {
      this.request = this.clock.request((later) => this.frame(later));
    }
  }
}
