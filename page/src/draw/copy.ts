/*
 * Copying tables as CSV and graphs as PNG: to the clipboard where the browser lets a page do
 * that, otherwise into a file.
 */
import { exactNumber } from "../ui/numbers";

/** Quotes FIELD as RFC 4180 says, where it needs that. */
export function csvField(field: string | number): string {
  const text = typeof field === "number" ? exactNumber(field) : field;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvOf(header: readonly string[], rows: Iterable<readonly (string | number)[]>): string {
  const lines = [header.join(",")];
  for (const row of rows) lines.push(row.map(csvField).join(","));
  return `${lines.join("\n")}\n`;
}

export interface Copied {
  /** What the files are called, without ending. */
  fileName(): string;
  csv?(): string;
  picture?(): HTMLCanvasElement;
}

type Outcome = "copied" | "saved";

function save(blob: Blob, name: string): Outcome {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  return "saved";
}

async function copyText(text: string, name: string): Promise<Outcome> {
  try {
    await navigator.clipboard.writeText(text);
    return "copied";
  } catch {
    return save(new Blob([text], { type: "text/csv" }), name);
  }
}

function blobOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))), "image/png"),
  );
}

async function copyPicture(canvas: HTMLCanvasElement, name: string): Promise<Outcome> {
  const blob = await blobOf(canvas);
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
    return "copied";
  } catch {
    return save(blob, name);
  }
}

/** Letters, digits and what is harmless in names of files. */
export function fileNameOf(...parts: (string | number)[]): string {
  return parts
    .map((part) => String(part).replace(/[^\p{L}\p{N}._-]+/gu, "_"))
    .filter((part) => part !== "")
    .join("-")
    .slice(0, 120);
}

/** Buttons for what COPIED has; a click copies, with Shift it saves.  VIEW names them for tests. */
export function copyButtons(view: string, copied: Copied): HTMLElement {
  const group = document.createElement("div");
  group.className = "copy";
  const status = document.createElement("span");
  status.className = "copy-status";
  status.setAttribute("role", "status");
  const add = (kind: "csv" | "png", run: (shift: boolean) => Promise<Outcome>): void => {
    const button = document.createElement("button");
    const name = kind.toUpperCase();
    button.type = "button";
    button.textContent = name;
    button.title = `Copy as ${name}; with Shift, or where copying is not allowed, save as a file`;
    button.setAttribute("aria-label", `Copy ${view} as ${name}`);
    button.dataset.testid = `copy-${kind}-${view}`;
    button.addEventListener("click", async (event) => {
      const outcome = await run(event.shiftKey).catch((error: Error) => error.message);
      status.textContent = outcome;
      window.setTimeout(() => (status.textContent = ""), 3000);
    });
    group.append(button);
  };
  group.append(status);
  if (copied.csv)
    add("csv", async (shift) => {
      const name = `${copied.fileName()}.csv`;
      const text = copied.csv!();
      return shift ? save(new Blob([text], { type: "text/csv" }), name) : copyText(text, name);
    });
  if (copied.picture)
    add("png", async (shift) => {
      const name = `${copied.fileName()}.png`;
      const canvas = copied.picture!();
      return shift ? save(await blobOf(canvas), name) : copyPicture(canvas, name);
    });
  return group;
}

/** CANVASES above each other under a title, on BACKGROUND: a picture that can stand alone. */
export function composed(
  title: string,
  canvases: readonly HTMLCanvasElement[],
  style: { background: string; text: string },
): HTMLCanvasElement {
  const ratio = window.devicePixelRatio || 1;
  const [margin, line] = [12 * ratio, 22 * ratio];
  const picture = document.createElement("canvas");
  picture.width = Math.max(...canvases.map((canvas) => canvas.width)) + 2 * margin;
  picture.height = canvases.reduce((sum, canvas) => sum + canvas.height + margin, line + 2 * margin);
  const context = picture.getContext("2d")!;
  context.fillStyle = style.background;
  context.fillRect(0, 0, picture.width, picture.height);
  context.fillStyle = style.text;
  context.font = `${13 * ratio}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  context.fillText(title, margin, margin + line / 2, picture.width - 2 * margin);
  let y = margin + line;
  for (const canvas of canvases) {
    context.drawImage(canvas, margin, y);
    y += canvas.height + margin;
  }
  return picture;
}
