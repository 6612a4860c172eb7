/* A titled box. */
import { h } from "./dom";

export interface Panel {
  element: HTMLElement;
  body: HTMLDivElement;
  /** Beside the title, for buttons. */
  actions: HTMLDivElement;
  setTitle(text: string): void;
}

let panels = 0;

/** TEXT, a sentence, is below the title. */
export function panel(title: string, { text, className, id }: { text?: string; className?: string; id?: string } = {}): Panel {
  const heading = h("h2", { id: `panel-${++panels}` }, title);
  const body = h("div", { class: "panel-body" });
  const actions = h("div", { class: "panel-actions" });
  const element = h(
    "section",
    { class: `panel ${className ?? ""}`.trim(), id, "aria-labelledby": heading.id },
    h("header", { class: "panel-header" }, heading, actions),
    text && h("p", { class: "panel-text" }, text),
    body,
  );
  return { element, body, actions, setTitle: (title) => (heading.textContent = title) };
}
