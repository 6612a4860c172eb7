/* What the keys do, in a panel that `?` opens. */
import { h } from "./dom";

export interface KeyHelp {
  where: string;
  keys: [string, string][];
}

const KEYS: readonly KeyHelp[] = [
  {
    where: "Everywhere",
    keys: [
      ["?", "this list"],
      ["Tab, Shift Tab", "to the next or previous element"],
      ["Esc", "close this list"],
    ],
  },
  {
    where: "Search",
    keys: [
      ["Enter, Shift Enter", "in trees and flame graph: to the next, the previous that was found"],
      ["Enter", "among functions: who calls the first that was found"],
    ],
  },
  {
    where: "Trees",
    keys: [
      ["↑ ↓", "previous, next row"],
      ["→", "expand; to the first child"],
      ["←", "collapse; to the parent"],
      ["Home End Page Up Page Down", "further up or down"],
      ["*", "expand all siblings"],
      ["Space", "choose"],
      ["Enter", "choose; in the system tree: look at these ranks only"],
      ["letters", "to the next row that begins so"],
    ],
  },
  {
    where: "Flame graph",
    keys: [
      ["↑ ↓", "to the caller, to the widest callee"],
      ["← →", "to the frame beside"],
      ["Enter", "zoom in"],
      ["Backspace", "zoom out by one"],
      ["Esc", "zoom out"],
    ],
  },
  {
    where: "Surface",
    keys: [
      ["← → ↑ ↓", "turn"],
      ["+ −", "nearer, farther"],
      ["0", "as at first"],
    ],
  },
  {
    where: "Topology",
    keys: [
      ["← → ↑ ↓", "along two dimensions"],
      ["Page Up Page Down", "along the third"],
      ["Enter", "choose this rank"],
    ],
  },
  {
    where: "Who waits for whom",
    keys: [
      ["← → ↑ ↓", "to another row or column"],
      ["Enter", "list the waits of these ranks"],
    ],
  },
  {
    where: "Animation",
    keys: [
      ["Space", "play or pause"],
      ["← →", "an iteration back or forward"],
      ["Home End", "to the first or the last"],
    ],
  },
  {
    where: "Tables",
    keys: [
      ["↑ ↓ Home End", "through the rows"],
      ["Enter", "choose this call path"],
    ],
  },
];

function listOf({ where, keys }: KeyHelp): HTMLElement {
  return h(
    "section",
    {},
    h("h3", {}, where),
    h("dl", {}, ...keys.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
  );
}

/** Letters may be typed there. */
function isTextField(element: EventTarget | null): boolean {
  const types = ["text", "search", "number"];
  return element instanceof HTMLInputElement ? types.includes(element.type) : element instanceof HTMLTextAreaElement;
}

/** The panel, with what FIRST has before the keys of views; `?` anywhere but in a text field opens it. */
export function installHelp(first: readonly KeyHelp[]): { element: HTMLElement; open(): void } {
  const close = h("button", { type: "button", "data-testid": "help-close", click: () => dialog.close() }, "Close");
  const dialog = h(
    "dialog",
    { class: "help", "data-testid": "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, "Keys"),
    h("div", { class: "help-columns" }, ...[...first, ...KEYS].map(listOf)),
    close,
  );
  const open = (): void => {
    if (!dialog.open) dialog.showModal();
  };
  /* What is outside of it has the dialog itself as the target. */
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || isTextField(event.target)) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else open();
  });
  return { element: dialog, open };
}
