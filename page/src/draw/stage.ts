/*
 * What all canvases of views have in common: a place in the order of Tab, keys, a line that says what
 * is looked at, and that they are drawn anew when they get another size.
 */
import { h } from "../ui/dom";

export type Keys = Readonly<Record<string, () => void>>;

/** Does what KEYS has for the key, and keeps it from others; false if it has nothing or the key is held with others. */
export function runKey(event: KeyboardEvent, keys: Keys): boolean {
  const action = event.ctrlKey || event.altKey || event.metaKey ? undefined : keys[event.key];
  if (!action) return false;
  action();
  event.preventDefault();
  event.stopPropagation();
  return true;
}

/** The line that says what is looked at in the graph called NAME. */
export function readout(name: string): HTMLParagraphElement {
  return h("p", { class: "readout", "data-testid": `${name}-readout`, "aria-live": "polite" });
}

export abstract class Stage {
  readonly canvas: HTMLCanvasElement;
  protected readonly line: HTMLElement;
  private readonly observer = new ResizeObserver(() => this.draw());

  /** KIND says to who cannot see it what it is. */
  protected constructor(name: string, label: string, kind: string) {
    this.line = readout(name);
    this.canvas = h("canvas", {
      id: name,
      "data-testid": name,
      tabindex: 0,
      role: "application",
      "aria-roledescription": kind,
      "aria-label": label,
      keydown: (event: KeyboardEvent) => runKey(event, this.keys()),
    });
  }

  /** Nothing happens where there is nothing to draw yet. */
  abstract draw(): void;

  protected abstract keys(): Keys;

  /** Draws anew when ELEMENT gets another size, and once soon. */
  protected follow(element: Element): void {
    this.observer.observe(element);
  }

  destroy(): void {
    this.observer.disconnect();
  }
}
