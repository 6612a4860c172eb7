/* Making elements.  Texts always become text nodes: no name of a program can be markup here. */

type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;
type Child = Node | string | number | null | undefined | false;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
}

/** An element with attributes (functions are listeners of that event) and children (strings are texts). */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** A labelled drop-down list; entries are [value, text]. */
export function select(
  label: string,
  name: string,
  entries: [string, string][],
  changed: (value: string) => void,
): { element: HTMLLabelElement; set(value: string): void } {
  const list = h(
    "select",
    { name, change: () => changed(list.value) },
    ...entries.map(([value, text]) => h("option", { value }, text)),
  );
  return { element: h("label", { class: "field" }, h("span", {}, label), list), set: (value) => (list.value = value) };
}

/** Calls BACK with an element's width and height whenever they change, and once soon. */
export function observeSize(element: Element, back: (width: number, height: number) => void): () => void {
  const observer = new ResizeObserver((entries) => {
    const box = entries[entries.length - 1]!.contentRect;
    if (box.width > 0) back(box.width, box.height);
  });
  observer.observe(element);
  return () => observer.disconnect();
}

/** Sizes CANVAS for the screen's pixels; returns its context, in CSS pixels. */
export function sizeCanvas(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
