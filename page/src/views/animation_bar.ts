/* Buttons, slider and speed of the animation.  The state learns of the iteration when it stands still. */
import { App } from "../app";
import { Player } from "../draw/player";
import { Range } from "../model/scope";
import { h, select } from "../ui/dom";
import { button } from "./common";

const SPEEDS: [string, string][] = ["1", "2", "5", "10", "30", "60", "200", "1000"].map((speed) => [
  speed,
  `${Number(speed).toLocaleString("en")} iterations/s`,
]);

const DEFAULT_SPEED = "10";

export class AnimationBar {
  readonly element: HTMLElement;
  private readonly player: Player;
  private readonly play: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly output = h("output", { class: "animation-iteration", "data-testid": "animation-iteration" });
  private readonly calm = matchMedia("(prefers-reduced-motion: reduce)");
  private readonly calmText = h("span", { class: "muted" }, "at most 2 in a second: less motion is asked for");
  private readonly speed = select("speed", "animation-speed", SPEEDS, (speed) => this.setSpeed(speed));
  private readonly calmChanged = (): void => this.setCalm();

  constructor(
    private readonly app: App,
    private readonly draw: (iteration: number) => void,
  ) {
    this.player = new Player({ show: (iteration) => this.show(iteration), changed: (isPlaying) => this.tell(isPlaying) });
    this.play = button("animation-play", "▶ Play", "Play or pause", () => this.toggle());
    this.slider = h("input", {
      type: "range",
      min: 0,
      step: 1,
      "aria-label": "Iteration",
      "data-testid": "animation-slider",
      input: () => {
        this.player.pause();
        this.player.go(Number(this.slider.value));
      },
      change: () => this.commit(),
      keydown: (event: KeyboardEvent) => {
        if (event.key !== " ") return;
        event.preventDefault();
        this.toggle();
      },
    });
    this.element = h(
      "div",
      { class: "animation-bar", role: "group", "aria-label": "Animation" },
      button("animation-back", "◀", "One iteration back", () => this.step(-1)),
      this.play,
      button("animation-forward", "▶|", "One iteration forward", () => this.step(1)),
      this.slider,
      this.output,
      this.speed.element,
      this.calmText,
    );
    this.speed.set(DEFAULT_SPEED);
    this.setSpeed(DEFAULT_SPEED);
    this.calm.addEventListener("change", this.calmChanged);
    this.setCalm();
  }

  get iteration(): number {
    return this.player.iteration;
  }

  /** What is brushed, or else what the map shows. */
  private get range(): Range {
    const { state, model } = this.app;
    if (state.phase < 0) return [0, 0];
    return state.iterations ?? state.zoom ?? [0, Math.max(0, model.phase(state.phase).iterations - 1)];
  }

  /** Follows the state, unless it is playing. */
  update(): void {
    const [first, last] = this.range;
    this.slider.min = String(first);
    this.slider.max = String(last);
    this.player.setRange(first, last);
    if (!this.player.isPlaying && this.app.state.iteration !== this.player.iteration) this.player.go(this.app.state.iteration);
    this.fill();
  }

  pause(): void {
    this.player.pause();
  }

  private toggle(): void {
    if (this.player.isPlaying) this.player.pause();
    else this.player.play();
  }

  private step(by: number): void {
    this.player.step(by);
    this.commit();
  }

  private show(iteration: number): void {
    this.fill();
    this.draw(iteration);
  }

  private fill(): void {
    const { iteration } = this.player;
    this.slider.value = String(iteration);
    this.slider.setAttribute("aria-valuetext", `iteration ${iteration}`);
    this.output.textContent = `iteration ${iteration} (${this.range.join("–")})`;
    this.output.dataset.iteration = String(iteration);
  }

  private tell(isPlaying: boolean): void {
    this.play.textContent = isPlaying ? "❚❚ Pause" : "▶ Play";
    this.element.dataset.playing = String(isPlaying);
    if (!isPlaying) this.commit();
  }

  private commit(): void {
    if (this.app.state.iteration !== this.player.iteration) this.app.update({ iteration: this.player.iteration });
  }

  private setSpeed(speed: string): void {
    this.player.setSpeed(Number(speed));
  }

  private setCalm(): void {
    this.player.setCalm(this.calm.matches);
    this.calmText.hidden = !this.calm.matches;
  }

  destroy(): void {
    this.calm.removeEventListener("change", this.calmChanged);
    this.player.pause();
  }
}
