/* What canvases take from the style sheet, and widths of texts on them. */
import { cssVariable } from "../ui/colours";

/** What canvases take from the style sheet, now. */
export interface CanvasStyle {
  text: string;
  muted: string;
  line: string;
  background: string;
  accent: string;
  empty: string;
  font: string;
}

export function canvasStyle(): CanvasStyle {
  return {
    text: cssVariable("--fg"),
    muted: cssVariable("--muted"),
    line: cssVariable("--line"),
    background: cssVariable("--panel"),
    accent: cssVariable("--focus"),
    empty: cssVariable("--missing"),
    font: "12px system-ui, sans-serif",
  };
}

const widths = new Map<string, number>();
const MOST_WIDTHS = 20000;

/** As context.measureText, which is slow, remembers. */
export function textWidth(context: CanvasRenderingContext2D, text: string): number {
  const key = `${context.font}\n${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  if (widths.size > MOST_WIDTHS) widths.clear();
  const { width } = context.measureText(text);
  widths.set(key, width);
  return width;
}
